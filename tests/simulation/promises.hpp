// Checks the gateway's promises. Each function is called where something can break a promise: when rows change, when
// the provider is called or executes a call, and when a client is answered.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/messages/actors.hpp"
#include "journal.hpp"
#include "memory_store.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

/// One effect of the provider on money.
struct provider_effect {
  std::string provider_key;
  entity_key subject;
  operation what = operation::create;
  std::int64_t amount = 0;
  std::string command;  ///< the idempotency key of the command that caused it
  std::int64_t claim = 0;
};

class promises {
 public:
  promises(const testing::memory_store& rows, const payment_encoder& encoder, const virtual_time& time, journal& log)
      : rows_{rows}, encoder_{encoder}, time_{time}, log_{log} {}

  /// The first broken promise, in words.
  const std::optional<std::string>& broken() const { return broken_; }

  /// A unit has been committed; `before` is the previous row of its payment. A change of a cycle's payment that the
  /// provider's notification causes is not checked here, but recorded for later checks.
  void committed(const std::optional<payment>& before, const testing::unit_parts& unit);
  /// The only node lost a claim in a world without late commits: nothing else can have changed the row since it was
  /// read.
  void lost_alone(const std::optional<payment>& before, const testing::unit_parts& unit);
  /// A call leaves the gateway.
  void provider_called(const provider_call& call);
  /// A key is about to be purged: its next use is another command.
  void key_expires(const command_key& key);
  /// The customer pays on the provider's page.
  void page_paid(const entity_key& subject) { paid_pages_.insert(testing::memory_store::id(subject)); }
  /// The provider has charged, captured, refunded or voided.
  void provider_acted(provider_effect effect);
  /// The provider has ended an authorization on its own: the gateway need never have known of it.
  void authorization_ended(const entity_key& of) { ended_.insert(testing::memory_store::id(of)); }
  /// A refund that a call made has failed since then.
  void refund_came_back(const entity_key& of, std::int64_t amount) {
    came_back_[testing::memory_store::id(of)] += amount;
  }
  /// A client sends a write, or sends it again.
  void asked(const entity_request& request);
  /// A client is answered. `asked_at` is the value of `moment()` at its request.
  void reported(const entity_request& request, const entity_reply& reply, std::size_t asked_at);
  std::size_t moment() const { return acknowledged_.size(); }

  /// A read of a payment while nothing is in flight on the only node. `asked_at` is the version stored at its request.
  void seen_at_rest(const payment& seen, std::int64_t asked_at);
  /// The checks after the faults have ended and nothing is in flight.
  void at_rest();
  /// Whether an operation is still open, or a command has no result yet.
  bool anything_open() const;

  void break_(std::string why);

 private:
  struct result_told {
    std::string fingerprint;
    answer bytes;
    bool operator==(const result_told&) const = default;
  };
  struct acknowledgement {
    entity_key subject;
    std::int64_t version = 0;
  };

  void check_change(const payment& from, const payment& to, const testing::unit_parts& unit);
  void check_step(const payment& from, const payment& to, const std::vector<timeline_entry>& entries);
  void check_conclusion(const std::optional<payment>& before, const command_record& command);
  void check_stored(const entity_request& request, const finished& result);
  void check_seen(const payment& seen, std::size_t asked_at);
  void check_effects(const payment& row, bool of_cycle);
  void check_totals();
  void check_totals_by_ledger();
  void check_ledger();
  std::size_t use_of(const provider_effect& effect) const;
  const payment* row_of(const entity_key& key) const;

  const testing::memory_store& rows_;
  const payment_encoder& encoder_;
  const virtual_time& time_;
  journal& log_;
  std::optional<std::string> broken_;
  std::map<std::string, std::set<std::string>> fingerprints_;  ///< that clients sent, by idempotency key
  std::map<std::string, result_told> results_;
  std::map<std::string, std::vector<result_told>> expired_;  ///< results of keys that have been purged
  std::vector<acknowledgement> acknowledged_;
  std::map<testing::memory_store::entity_row_key, std::map<std::int64_t, payment>> history_;
  using claim_key = std::pair<testing::memory_store::entity_row_key, std::int64_t>;
  std::map<claim_key, std::string> provider_keys_;
  std::map<claim_key, std::size_t> uses_;  ///< how often the claim's key had been purged at its begin
  std::map<claim_key, time_point> over_since_;  ///< when the outcome of an operation was stored
  std::map<std::string, std::int64_t> settled_at_;  ///< the payment's version at which a key got its result
  std::set<testing::memory_store::entity_row_key> paid_pages_;
  std::vector<provider_effect> effects_;
  std::map<testing::memory_store::entity_row_key, std::int64_t> came_back_;
  std::set<testing::memory_store::entity_row_key> ended_;
};

}  // namespace gateway::simulation
