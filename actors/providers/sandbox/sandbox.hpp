// The three sandbox providers: they move no money, and answer by the token they are given.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/actors.hpp"

namespace gateway::actors {

struct sandbox_settings {
  std::string base_url;         ///< where the gateway serves the hosted pages
  std::string hosted_page_key;  ///< signs their links
  std::string sdk_key = {};     ///< signs the client secrets with which a customer's program approves a charge
};

/// What the sandbox calls the customer that it makes under this key.
std::string sandbox_customer_id(std::string_view customer_key);

/// What a sandbox does with a call.
struct sandbox_answer {
  provider_result result;
  duration_ms after{0};     ///< it answers only then
  bool executed = false;    ///< the call moved (sandbox) money: it belongs into the ledger
  bool silent = false;      ///< it never answers
};

/// Pure: the same call always gets the same answer. Where the customer must act, it names no page yet.
sandbox_answer answer_sandbox_call(const provider_call& call);
/// Where the customer of a pending payment acts: on a page that the gateway serves, or by the client secret that stands
/// for the provider's SDK. Nothing for other results.
void tell_where_to_act(provider_result& result, const entity_key& subject, bool by_sdk, const sandbox_settings& config);
/// A payment that waits for its customer waits on: whatever the customer does on the gateway's own page, the payment
/// has been told. Closed, nobody can pay it any more.
provider_result answer_sandbox_inquiry(const provider_inquiry& inquiry);
/// No account need be made for one who moves no money.
account_answer answer_sandbox_account(const account_question& question);
/// The sandbox notifies nobody.
notification_subject answer_sandbox_question(const notification_question& question);
/// What answer_sandbox_call says, with what tell_where_to_act adds.
sandbox_answer answer_sandbox_call(const provider_call& call, const sandbox_settings& config);

/// An outcome that is to be asked for again.
provider_result unknown_result(std::string code, std::string message);

/// Remembers by provider key what was executed, in a file that outlives a kill of the process. Thread-safe.
/// One JSON object a line: provider_key, operation, payment_id, merchant, environment, amount, status; of a payment's
/// effect also currency, moved (captured, refunded, or empty), reference and begun_at.
class sandbox_ledger {
 public:
  /// Reads what the file holds, and appends to it. A last line that a crash has cut short stands for nothing and is
  /// removed. Throws std::runtime_error if it cannot be opened.
  explicit sandbox_ledger(const std::string& path);
  ~sandbox_ledger();
  sandbox_ledger(const sandbox_ledger&) = delete;
  sandbox_ledger& operator=(const sandbox_ledger&) = delete;

  /// Records the effect, and what it is called, unless this provider key has had it already. False: it does not stand
  /// in the ledger, for lack of room, or because the key stands for another effect; a line with status `conflict` tells
  /// of the latter.
  bool record(const provider_call& call, std::string_view reference = {});
  /// The same of the customer that the call makes first, under its own key.
  bool record_customer(const provider_call& call);

 private:
  struct contents;
  std::unique_ptr<contents> contents_;
};

/// The settlement report of what stands in a ledger: CSV, a line for each capture and refund, with a head line.
void write_settlement_report(std::istream& ledger, std::ostream& csv);

/// Does what `answer` says of the call, and gives the result: what cannot be recorded is not executed, and its outcome
/// is unknown. `ledger` may be null.
provider_result carry_out(const provider_call& call, sandbox_answer answer, sandbox_ledger* ledger);

/// It must join the router before it can carry out what is asked for a subscription.
using sandbox_provider = provider_actor::extend<caf::reacts_to<join_atom, router_actor>>;

/// In process. `ledger` may be null.
sandbox_provider spawn_sandbox(caf::actor_system& system, sandbox_settings config,
                               std::shared_ptr<sandbox_ledger> ledger);

/// Asks the sandbox provider that listens on the Unix socket `path` (tools/sandbox-provider), which keeps its own
/// ledger. Calls that are not answered within twice the time that the gate in front of it waits are answered as
/// unknown. Throws std::runtime_error if no socket can have that path.
sandbox_provider spawn_sandbox_link(caf::actor_system& system, sandbox_settings config, std::string path,
                                    duration_ms provider_timeout);

}  // namespace gateway::actors
