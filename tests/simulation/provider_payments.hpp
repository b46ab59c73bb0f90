// The payments of a provider other than the gateway's own, as that provider keeps them: the truth that the gateway must
// follow. They change by the gateway's calls, by what customers do on the provider's pages, and by what the provider
// does on its own (provider_acts).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "gateway/domain/provider_truth.hpp"
#include "gateway/ports/provider.hpp"
#include "journal.hpp"
#include "promises.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

struct payment_there {
  provider_call creation;
  std::string ref;
  provider_truth truth;
  bool is_over = false;  ///< its customer can pay no more
  std::map<std::string, unsigned> dispute_changes;  ///< by reference, between opening and closing
  /// The id of the notification of what the provider last did on its own; no text: there was no notification. Empty:
  /// everything was done by the gateway or by its customer.
  std::optional<std::string> last_notice;
};

/// Refunds that were not rejected, and disputes.
std::int64_t refunded_of(const provider_truth& truth) noexcept;
/// What can still be refunded.
std::int64_t room_of(const provider_truth& truth) noexcept;
/// The dispute that is not closed yet; null if there is none.
const provider_dispute* unclosed_in(const provider_truth& truth) noexcept;
/// Whether the amount of a dispute is taken back at the moment.
bool is_disputed(const provider_truth& truth) noexcept;

class provider_payments {
 public:
  struct executed_call {
    provider_result answer;
    bool has_acted = false;  ///< money has moved, or an authorization has ended
  };
  /// What the provider draws for a call.
  struct manner {
    bool is_slow = false;  ///< a refund is accepted, and executed later
    bool says_done = false;  ///< what was done before is answered as done, not as impossible
  };

  provider_payments(const virtual_time& time, promises& all, journal& log) : time_{time}, all_{all}, log_{log} {}

  /// The provider has executed the call that creates a payment.
  void created(const provider_call& call, const provider_result& answer);
  // Its customer's page. Unknown payments are ignored.
  void paid(const entity_key& which);
  void declined(const entity_key& which);
  void closed(const entity_key& which);

  /// A capture, a refund or a void.
  executed_call execute(const provider_call& call, const manner& how);
  /// Declines a refund, and lists it as failed.
  void list_rejected_refund(const provider_call& call);
  /// Answers an inquiry that compares.
  provider_result compared(const provider_inquiry& inquiry) const;

  /// The reference of a further refund or dispute.
  std::string fresh_ref(std::string_view prefix) { return std::string{prefix} + std::to_string(++last_); }
  payment_there* find(const entity_key& which);
  const payment_there* find(const entity_key& which) const;
  std::map<testing::memory_store::entity_row_key, payment_there>& all() { return payments_; }

 private:
  executed_call capture(const provider_call& call, const manner& how, payment_there& there);
  executed_call refund(const provider_call& call, const manner& how, payment_there& there);
  executed_call void_authorization(const manner& how, payment_there& there);

  const virtual_time& time_;
  promises& all_;
  journal& log_;
  std::uint64_t last_ = 0;
  std::map<testing::memory_store::entity_row_key, payment_there> payments_;
};

}  // namespace gateway::simulation
