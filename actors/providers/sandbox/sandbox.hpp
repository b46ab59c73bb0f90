// The three sandbox providers: they move no money, and answer according to the payment's token.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/keyring.hpp"
#include "gateway/messages/actors.hpp"

namespace gateway::actors {

struct sandbox_settings {
  std::string base_url;         ///< where the gateway serves the hosted pages
  crypto::derived_keys hosted_page_key;  ///< signs the pages' links
  crypto::derived_keys sdk_key = {};  ///< signs the client secrets by which a customer's program approves a charge
};

/// The sandbox's id of the customer that it creates under this key.
std::string sandbox_customer_id(std::string_view customer_key);

/// The outcome of a call to a sandbox.
struct sandbox_answer {
  provider_result result;
  duration_ms after{0};  ///< delay of the answer
  bool executed = false;  ///< the call moved (sandbox) money: record it in the ledger
  bool silent = false;  ///< it never answers
};

/// Pure: the same call always gets the same answer. If the customer must act, the answer has no page yet: see
/// add_customer_action().
sandbox_answer answer_sandbox_call(const provider_call& call);
/// Adds to a pending result where the customer acts: a page of the gateway, or a client secret as a provider's SDK uses
/// it. Leaves other results unchanged.
void add_customer_action(provider_result& result, const entity_key& subject, bool by_sdk,
                         const sandbox_settings& config);
/// A payment that waits for its customer stays pending: the gateway's own page reports what the customer does. After it
/// is closed, it cannot be paid any more.
provider_result answer_sandbox_inquiry(const provider_inquiry& inquiry);
/// The sandbox needs no account, because it moves no money.
account_answer answer_sandbox_account(const account_question& question);
/// The sandbox sends no notifications.
notification_subject answer_sandbox_question(const notification_question& question);
/// answer_sandbox_call(), then add_customer_action().
sandbox_answer answer_sandbox_call(const provider_call& call, const sandbox_settings& config);

/// An unknown outcome. The provider must be asked again.
provider_result unknown_result(std::string code, std::string message);

/// Records executed calls by provider key, in a file that survives a kill of the process. Thread-safe.
/// One JSON object a line: provider_key, operation, payment_id, merchant, environment, amount, status; for a payment
/// also currency, moved (captured, refunded, or empty), reference and begun_at.
class sandbox_ledger {
 public:
  /// Reads the file, and appends to it. A last line that a crash has cut short is ignored and removed. Throws
  /// std::runtime_error if the file cannot be opened.
  explicit sandbox_ledger(const std::string& path);
  ~sandbox_ledger();
  sandbox_ledger(const sandbox_ledger&) = delete;
  sandbox_ledger& operator=(const sandbox_ledger&) = delete;

  /// Records the effect and its reference, unless this provider key has the same effect already. False: it could not be
  /// recorded, for lack of space or because the key has another effect; in the latter case a line with status
  /// `conflict` is written.
  bool record(const provider_call& call, std::string_view reference = {});
  /// The same for the customer that the call creates first, under the customer's own key.
  bool record_customer(const provider_call& call);

 private:
  struct contents;
  std::unique_ptr<contents> contents_;
};

/// The settlement report of a ledger: CSV with a header, and a line for each capture and refund.
void write_settlement_report(std::istream& ledger, std::ostream& csv);

/// Carries out `answer` for the call, and returns the result. A call that cannot be recorded is not executed, and its
/// outcome is unknown. `ledger` may be null.
provider_result carry_out(const provider_call& call, sandbox_answer answer, sandbox_ledger* ledger);

/// Calls about subscriptions fail until it has received the router (join_atom).
using sandbox_provider = provider_actor::extend<caf::reacts_to<join_atom, router_actor>>;

/// Runs in this process. `ledger` may be null.
sandbox_provider spawn_sandbox(caf::actor_system& system, sandbox_settings config,
                               std::shared_ptr<sandbox_ledger> ledger);

/// Uses the sandbox provider that listens on the Unix socket `path` (tools/sandbox-provider) and keeps its own ledger.
/// Calls without an answer within twice the gate's timeout are answered as unknown. Throws std::runtime_error if `path`
/// is too long for a socket.
sandbox_provider spawn_sandbox_link(caf::actor_system& system, sandbox_settings config, std::string path,
                                    duration_ms provider_timeout);

}  // namespace gateway::actors
