// The pages and challenges of a provider other than the gateway's own. Each is open until its customer pays or declines
// there, or the gateway has it closed; the provider remembers the outcome. A customer who was declined may pay later.
// Checks that each payment ends as its page did, and that no payment fails that can still be paid.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ages.hpp"
#include "customers.hpp"
#include "gateway/ports/provider.hpp"
#include "journal.hpp"
#include "promises.hpp"
#include "provider_payments.hpp"

namespace gateway::simulation {

class checkouts {
 public:
  checkouts(const testing::memory_store& rows, promises& all, customer_promises& customers, age_promises& ages,
            provider_payments& payments, journal& log)
      : rows_{rows}, all_{all}, customers_{customers}, ages_{ages}, payments_{payments}, log_{log} {}

  /// The provider has executed a create that needs the customer.
  void open(const provider_call& call, const std::string& ref);
  /// The gateway sends an inquiry about a payment, which has not reached the provider yet.
  void asked(const provider_inquiry& inquiry);
  /// The truth when the inquiry is executed. A page that the inquiry is to close is closed, unless it is paid.
  provider_result answer(const provider_inquiry& inquiry);

  /// The pages on which a customer can act, because the gateway has returned their addresses.
  std::vector<entity_key> open_pages() const;
  bool has_page(const entity_key& subject) const { return pages_.contains(testing::memory_store::id(subject)); }
  void pay(const entity_key& subject);
  void decline(const entity_key& subject);

  /// A unit has been committed; `before` is the previous row of its payment.
  void committed(const std::optional<payment>& before, const testing::unit_parts& unit);
  /// Whether a payment still waits for a customer who can no longer act.
  bool anything_undelivered() const;

 private:
  using row_key = testing::memory_store::entity_row_key;
  enum class page_state { open, paid, declined, closed };
  struct page {
    provider_call call;
    std::string ref;
    page_state state = page_state::open;
    bool was_declined = false;
  };

  const payment* row_of(const row_key& key) const;

  const testing::memory_store& rows_;
  promises& all_;
  customer_promises& customers_;
  age_promises& ages_;
  provider_payments& payments_;
  journal& log_;
  std::map<row_key, page> pages_;
};

}  // namespace gateway::simulation
