// Checks the gateway's promises about subscriptions. The provider's history is in its own rows, the sandbox's
// enrollments. Each subscription row must end as they say, although notifications arrive repeatedly, late or early; an
// ended subscription stays ended; each change causes one event; and each cycle is one payment that is charged once.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "customers.hpp"
#include "promises.hpp"

namespace gateway::simulation {

class subscription_promises {
 public:
  subscription_promises(const testing::memory_store& rows, promises& all, customer_promises& customers)
      : rows_{rows}, all_{all}, customers_{customers} {}

  /// Whether the unit makes or moves a cycle's payment because of the provider's notification.
  static bool charges_cycle(const testing::unit_parts& unit);
  static bool is_cycle(const entity_key& payment) { return payment.id.starts_with("pay_in_"); }

  /// A unit has been committed; `before` is its payment's row as it was.
  void committed(const std::optional<payment>& before, const testing::unit_parts& unit);
  /// What the provider has reported of a subscription so far, in the provider's order.
  std::vector<subscription_notification> said_of(const entity_key& subject) const;

  /// Whether an event, a charge or an answer is still outstanding.
  bool anything_open() const;
  /// The checks after the faults have ended and nothing is in flight.
  void at_rest();

 private:
  using row_key = testing::memory_store::entity_row_key;

  void enrolled(const sandbox_enrollment& row);
  void changed(const subscription& row, const testing::unit_parts& unit);
  void charged(const std::optional<payment>& before, const testing::unit_parts& unit);
  void tell_once(const timeline_entry& event);
  void check_history(const sandbox_enrollment& row);
  void check_invoices(const sandbox_enrollment& row);

  const testing::memory_store& rows_;
  promises& all_;
  customer_promises& customers_;
  std::map<row_key, std::map<std::string, subscription_notification>> said_;  ///< by enrollment and event id
  std::map<row_key, subscription> seen_;                                      ///< as last committed
  std::set<std::string> delivered_;                                                ///< ids of events
  std::map<row_key, unsigned> approved_;                                      ///< charges of each cycle's payment
};

}  // namespace gateway::simulation
