// Checks the gateway's promises about platforms' customers: a provider makes one for each mapping in each account; each
// saved method was approved; no answer names a customer or a method before it is durable; no charge reaches the
// provider with a method that is not saved; and what one account has made or saved is not stored or sent for another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "promises.hpp"

namespace gateway::simulation {

class customer_promises {
 public:
  /// `leases_hold`: no node reads an older row than another has answered with.
  customer_promises(const testing::memory_store& rows, promises& all, bool leases_hold)
      : rows_{rows}, all_{all}, leases_hold_{leases_hold} {}

  /// The provider has made a customer, for a call of this payment.
  void made(const payment& subject, const std::string& provider_id);
  /// The provider has made a customer for a subscription's checkout.
  void made_for_checkout(const subscription& of, const std::string& provider_id);
  /// The payment is approved at the provider, by its call or on its page; `method` is what was charged.
  void approved(const payment& subject, const std::string& method);
  /// The payment was declined at the provider, and is paid there after all: its method need not be saved.
  void paid_late(const entity_key& subject) { paid_late_.insert(testing::memory_store::id(subject)); }
  /// A unit has been committed; `before` is the previous row of its payment.
  void committed(const std::optional<payment>& before, const testing::unit_parts& unit);
  /// A call leaves the gateway.
  void provider_called(const provider_call& call);
  void provider_called(const subscription_call& call);
  /// A platform sends a write, or sends it again.
  void asked(const entity_request& request);
  /// A client is answered. `asked_at` is the value of `moment()` at its request.
  void reported(const entity_request& request, const entity_reply& reply, std::uint64_t asked_at);
  std::uint64_t moment() const { return moment_; }
  /// A read of a customer while nothing is in flight.
  void seen_at_rest(const customer& seen);
  /// The checks after the faults have ended and nothing is in flight.
  void at_rest();

 private:
  /// Identifies a customer, independently of how its row's key is formed.
  using mapping = std::tuple<std::string, int, std::string, std::string>;
  /// An account at a provider. An id of a customer is valid in one only.
  using place = std::pair<provider_kind, std::string>;
  using ids_by_place = std::map<std::pair<mapping, place>, std::set<std::string>>;
  using row_key = testing::memory_store::entity_row_key;
  struct version {
    customer row;
    std::uint64_t since = 0;
  };
  struct saving {
    mapping whose;
    place where;
    std::string method;
    std::uint64_t approved_at = 0;
    std::optional<std::uint64_t> stored_at;  ///< the moment when the payment's row recorded it
  };
  struct wanted_customer {
    std::uint64_t asked_at = 0;  ///< of the first request
    bool off_session = false;
  };

  static mapping mapping_of(const entity_key& subject, const platform_id& platform, const std::string& ref);
  static mapping mapping_of(const payment& subject);
  /// The account that has saved the method, according to the customer's row.
  static place place_of(const customer& who, const std::string& method);
  static std::string text_of(const place& where);
  const customer* row_of(const payment& subject) const;
  bool was_saved(const mapping& whose, const std::string& method, std::uint64_t before) const;
  bool has_made(const mapping& whose, const place& where, const std::string& provider_id) const;
  /// Whether the provider has approved, in this account, an operation that saves the method.
  bool has_approved(const mapping& whose, const place& where, const std::string& method) const;
  void check_sent(const std::string& subject, const mapping& whose, const place& where, const std::string& provider_id);
  void check_row(const customer& next);
  void check_made(const customer& next);
  void check_other_names(const customer& before, const customer& next);
  void check_names(const payment& row);
  void check_begin(const payment& fresh, const command_record& command);
  void check_order(const customer& row) const;

  const testing::memory_store& rows_;
  promises& all_;
  const bool leases_hold_;
  std::uint64_t moment_ = 0;  ///< counts events, because several happen in one millisecond
  ids_by_place made_, made_for_checkouts_;
  std::map<row_key, std::vector<version>> history_;
  std::map<row_key, saving> savings_;  ///< by payment
  std::set<row_key> paid_late_;
  std::map<testing::memory_store::command_row_key, wanted_customer> wanted_;
};

}  // namespace gateway::simulation
