// Every actor interface of the gateway, and the one type-id block. An actor of one room knows those
// of the others by these handles only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <caf/actor_system_config.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>

#include "gateway/acting.hpp"
#include "gateway/answer.hpp"
#include "gateway/directory_commands.hpp"
#include "gateway/domain/node.hpp"
#include "gateway/provider.hpp"
#include "gateway/store.hpp"
#include "gateway/trace_context.hpp"

CAF_BEGIN_TYPE_ID_BLOCK(gateway, caf::first_custom_type_id)
  CAF_ADD_ATOM(gateway, gateway, passivate_atom, "passivate")
  CAF_ADD_ATOM(gateway, gateway, keep_atom, "keep")
  CAF_ADD_ATOM(gateway, gateway, wake_atom, "wake")
  CAF_ADD_ATOM(gateway, gateway, work_atom, "work")
  CAF_ADD_ATOM(gateway, gateway, settle_atom, "settle")
  CAF_ADD_ATOM(gateway, gateway, drain_atom, "drain")
  CAF_ADD_ATOM(gateway, gateway, load_atom, "load")
  CAF_ADD_ATOM(gateway, gateway, join_atom, "join")
CAF_END_TYPE_ID_BLOCK(gateway)

namespace gateway {

/// Errors that travel as caf::error between actors.
enum class actor_errc : std::uint8_t {
  store_unavailable = 1,  ///< the database did not answer
  overloaded = 2,         ///< a bounded queue is full
  stopping = 3,           ///< the gateway drains
};

inline caf::error make_error(actor_errc code) {
  return {static_cast<std::uint8_t>(code), caf::atom("gateway"), caf::message{}};
}
inline bool is(const caf::error& error, actor_errc code) {
  return error.category() == caf::atom("gateway") && error.code() == static_cast<std::uint8_t>(code);
}

// ---- entities -----------------------------------------------------------------------------------

/// Which idempotency key a write carries, and for which request.
struct idempotency {
  command_key key;
  std::string fingerprint;
};

struct view_entity {};
struct view_timeline {};
/// The customer acted at the provider. `provider_ref` is the page's: a stale page changes nothing.
struct hosted_result {
  hosted_signal signal = hosted_signal::paid;
  std::string provider_ref;
  std::string fresh_method{};  ///< the token of the method that the customer gave the provider, to be saved
};
/// From the reconciler: look at what is due.
struct settle_due {};
/// The provider has told something of this payment: it is asked what has become of it.
struct ask_provider {};

// What is asked of the sandbox's side of a subscription. Each is answered with the row.

/// From its subscription: a checkout is opened, once.
struct open_enrollment {
  sandbox_subscription what;
};
/// From its subscription. Canceling ends what has become of the checkout; else only a checkout that waits is closed.
struct close_enrollment {
  bool cancels = false;
};
/// The customer pays on the hosted page.
struct pay_enrollment {};
/// From operators.
struct move_enrollment {
  sandbox_move to = sandbox_move::cycle_paid;
  sandbox_telling how;
};

/// From the platform with an idempotency key, from operators and the merchant's people without.
struct revoke_request {
  revoke_grant what;
  bool is_past = false;  ///< as find_grant told
};

// What can be asked of an entity: of any kind, and of each. An entity takes its own by one overload each, and answers
// another kind's with caf::sec::unexpected_message.
using common_command = std::variant<view_entity, view_timeline, settle_due>;
using payment_command = std::variant<create_payment, capture_payment, refund_payment, void_payment, charge_saved,
                                     hosted_result, cycle_charge, ask_provider>;
/// Consent carries no idempotency key: each click may have a code of its own.
using grant_command = std::variant<give_consent, exchange_code, revoke_request>;
/// From payments, on whose commands the idempotency key is.
using customer_command = std::variant<record_customer>;
/// Of the provider, notifications carry no idempotency key: each counts once by its event id. A subscription answers
/// them with its row.
using subscription_command = std::variant<open_subscription_checkout, cancel_subscription, expire_subscription_checkout,
                                          subscription_notification>;
using enrollment_command = std::variant<open_enrollment, close_enrollment, pay_enrollment, move_enrollment>;
/// A notification answers with its row.
using notification_command = std::variant<receive_notification, replay_notification>;
using entity_command = std::variant<common_command, payment_command, grant_command, customer_command,
                                    subscription_command, enrollment_command, notification_command>;

/// The command, if it is one of this type; else null.
template <class Command>
const Command* command_if(const entity_command& what) noexcept {
  const auto look_in = []<class... One>(const std::variant<One...>& group) -> const Command* {
    if constexpr ((std::is_same_v<Command, One> || ...))
      return std::get_if<Command>(&group);
    else
      return nullptr;
  };
  return std::visit(look_in, what);
}

struct entity_request {
  entity_key key;
  std::optional<idempotency> write;  ///< present for what a client's key protects
  entity_command what;
  /// A write's admission: counted among those that wait for the gateway for as long as it is held. Let go once the
  /// write has begun, or waits for something else.
  std::shared_ptr<const void> admission{};
  std::optional<asked_by> by{};
  std::string request_id{};  ///< of the HTTP request behind it, for logs; empty: it comes from the gateway itself
  std::shared_ptr<const save_audit> note{};  ///< of one of the merchant's people: written in the commit that begins it
  trace_context trace{};  ///< the trace that the request belongs to, if it belongs to one
  std::int64_t traced_from = 0;  ///< when it was asked for, as gateway/tracing.hpp tells time; 0: its wait is no span
};

/// A stored result: the original, or a byte-identical replay of it.
struct finished {
  answer_ptr result;
  bool replayed = false;
};
struct timeline_view {
  entity_key key;
  bool hides_provider = false;
  provider_kind provider = provider_kind::sandbox;
  std::vector<timeline_entry> entries;
};
using timeline_ptr = std::shared_ptr<const timeline_view>;

/// A request's answer: a stored result, a problem that is not stored, or what was looked at.
struct entity_reply {
  std::variant<finished, problem, entity_row, timeline_ptr> what;
};

/// Owns one entity: its state machine, its claim on the row, its timeline, its recent results.
using entity_actor = caf::typed_actor<caf::replies_to<entity_request>::with<entity_reply>,
                                      // from the router: stop, if nothing is under way; else answer keep_atom to it
                                      caf::reacts_to<passivate_atom>,
                                      // from itself: look again at what another node has under way
                                      caf::reacts_to<wake_atom>>;

/// Finds or activates the actor of an entity, keeps the live ones bounded, and never loses a request.
using router_actor = caf::typed_actor<caf::replies_to<entity_request>::with<entity_reply>,
                                      // from an entity actor: I have work under way, do not stop me
                                      caf::reacts_to<keep_atom, entity_key>,
                                      // an entity actor with this activation number has ended
                                      caf::reacts_to<passivate_atom, entity_key, std::uint64_t>,
                                      // evict what has been idle for long
                                      caf::reacts_to<wake_atom>>;

// ---- providers ----------------------------------------------------------------------------------

/// A provider, or the gate in front of it: a gate always answers, with what says that nothing is known when the
/// provider does not.
using provider_actor = caf::typed_actor<caf::replies_to<provider_call>::with<provider_result>,
                                        caf::replies_to<provider_inquiry>::with<provider_result>,
                                        caf::replies_to<subscription_call>::with<subscription_result>,
                                        caf::replies_to<account_question>::with<account_answer>,
                                        caf::replies_to<notification_question>::with<notification_subject>>;

// ---- store --------------------------------------------------------------------------------------

/// One connection that writes. Drains its mailbox into one transaction; a unit that fails, fails alone. Maintenance
/// goes on between its batches in small transactions, and answers caf::error store_unavailable when the database does
/// not.
using store_writer = caf::typed_actor<caf::replies_to<unit_of_work>::with<commit_outcome>,
                                      // one at a time: answers overloaded while another one is under way
                                      caf::replies_to<purge_commands>::with<purge_result>,
                                      // one transaction: after the records that came before it, before later ones
                                      caf::replies_to<redeliver_rows>::with<redeliver_rows_result>,
                                      // commit what has gathered
                                      caf::reacts_to<work_atom>>;

/// One connection that reads. Answers caf::error store_unavailable when the database does not.
using store_reader = caf::typed_actor<
    caf::replies_to<find_entity>::with<entity_lookup>, caf::replies_to<find_command>::with<command_lookup>,
    caf::replies_to<find_timeline>::with<timeline_lookup>, caf::replies_to<find_due>::with<due_lookup>,
    caf::replies_to<find_directory>::with<directory_lookup>, caf::replies_to<find_directory_news>::with<directory_news>,
    caf::replies_to<find_due_deliveries>::with<due_deliveries_lookup>,
    caf::replies_to<find_backlog>::with<backlog_lookup>, caf::replies_to<find_deliveries>::with<deliveries_lookup>,
    caf::replies_to<find_events>::with<events_lookup>, caf::replies_to<find_grant>::with<grant_lookup>,
    caf::replies_to<find_grants>::with<grants_lookup>, caf::replies_to<find_customers>::with<customers_lookup>,
    caf::replies_to<find_subscription_keys>::with<subscription_keys_lookup>,
    caf::replies_to<find_subscriptions>::with<subscriptions_lookup>, caf::replies_to<find_user>::with<user_lookup>,
    caf::replies_to<find_session>::with<session_lookup>, caf::replies_to<find_destinations>::with<destinations_lookup>,
    caf::replies_to<find_payments>::with<payments_lookup>, caf::replies_to<find_payments_by_ref>::with<payments_lookup>,
    caf::replies_to<find_daily_totals>::with<daily_totals_lookup>,
    caf::replies_to<find_ledger_sums>::with<ledger_sums_lookup>, caf::replies_to<find_ledger>::with<ledger_lookup>,
    caf::replies_to<find_sessions>::with<sessions_lookup>, caf::replies_to<find_audit>::with<audit_lookup>,
    caf::replies_to<find_notifications>::with<notifications_lookup>,
    caf::replies_to<find_payment_key>::with<payment_key_lookup>,
    caf::replies_to<find_spent_token>::with<spent_token_lookup>>;

/// The store's actors. Units of one entity always go to the same writer, in order.
struct store_handles {
  std::vector<store_writer> writers;
  std::vector<store_reader> readers;
  /// For what came of attempts to deliver, for redelivery and for the purge, which no client waits for: one connection
  /// more, where the store can have it.
  store_writer recorder;
  store_reader outbox;  ///< the dispatcher's own: its long reads hold up no payment
  store_reader archive;  ///< for operators' lists, which may take long
  store_reader entries;  ///< the directory's own: whoever asks for keys that do not exist holds up no payment

  const store_writer& writer_for(const entity_key& key) const {
    return writers[std::hash<entity_key>{}(key) % writers.size()];
  }
  const store_reader& reader_for(const entity_key& key) const {
    return readers[std::hash<entity_key>{}(key) % readers.size()];
  }
};

// ---- reconciler, passwords, directory -----------------------------------------------------------

/// Finds entities with something due and asks the router to settle them; purges old idempotency keys.
using reconciler_actor = caf::typed_actor<caf::reacts_to<wake_atom>>;

// ---- webhooks -----------------------------------------------------------------------------------

/// Deliveries that a commit has just made durable. A hint: whoever misses it finds them in the store.
struct fresh_deliveries {
  std::vector<delivery_job> jobs;
};
/// A destination was published anew: it may be enabled or disabled now, or have another URL or secret.
struct destination_changed {
  destination_id id;
};
/// An operator's wish, as in redeliver_rows; all that match, however many.
struct redeliver {
  std::int64_t id = 0;
  destination_id to;
  std::optional<time_point> from;
  std::optional<time_point> until;
};
struct redeliver_result {
  std::uint64_t count = 0;
};

/// Decides which delivery is attempted when, and hands them to workers that ask for them.
using dispatcher_actor = caf::typed_actor<caf::reacts_to<fresh_deliveries>, caf::reacts_to<destination_changed>,
                                          caf::replies_to<redeliver>::with<redeliver_result>,
                                          // hand out no more; answered once every worker is idle
                                          caf::replies_to<drain_atom>::with<bool>,
                                          // look at what has become due
                                          caf::reacts_to<wake_atom>>;

/// What a password is stored as.
struct hash_password {
  std::string password;
};
/// Whether that is the password of which `stored` is what hash_password was answered with.
struct verify_password {
  std::string password;
  std::string stored;
};

/// Hashes passwords one after the other, on a thread of its own: each takes some tenth of a second, by intention.
/// Answers actor_errc::overloaded when too many wait.
using password_hasher =
    caf::typed_actor<caf::replies_to<hash_password>::with<std::string>, caf::replies_to<verify_password>::with<bool>>;

// ---- several nodes ------------------------------------------------------------------------------

/// Answered, with true, once every live node has published what the log holds when this is asked.
struct await_published {};
/// From the directory: what the log holds up to this number is published here.
struct published_up_to {
  std::int64_t number = 0;
};
/// From the dispatcher: nothing is under way here any more for destinations that others owned at this number.
struct yielded_up_to {
  std::int64_t number = 0;
};
/// To the directory.
struct catch_up {
  std::int64_t number = 0;
};
/// For operators: all that are known, by their names. Those that have no lease any more are told as gone.
struct list_nodes {};
struct node_list {
  std::vector<node_row> nodes;
};
/// An operator's wish that a node ends in order. False where there is no such node, or it is gone.
struct drain_node {
  std::string name;
};
struct node_drained {
  bool found = false;
};

/// To the directory, of an entry that gateway/directory.hpp does not have: answered, with whether there is such an
/// entry, once it is published. Overloaded where too many wait.
struct look_up {
  directory_name what;
};

/// What one of a merchant's people, or of a person's own, asks the directory to change. The note is written in the
/// commit of the change; without a subject, that is the id of what was made. Not for commands that come with a
/// password.
struct noted_command {
  operator_command what;
  save_audit note;
};

/// Owns merchants, keys, people, connections, routes, destinations and platforms: makes a change durable, then
/// publishes the new snapshot. Platforms are published from the start, merchants from when they are first asked for.
using directory_actor =
    caf::typed_actor<caf::replies_to<operator_command>::with<operator_result>,
                     caf::replies_to<noted_command>::with<operator_result>, caf::replies_to<look_up>::with<bool>,
                     // read the platforms from the store and publish them; once, at start
                     caf::replies_to<load_atom>::with<bool>,
                     // from now on, tell this one of every destination that is published
                     caf::reacts_to<join_atom, dispatcher_actor>,
                     // from the keeper: the log goes up to this number
                     caf::reacts_to<catch_up>>;

/// Keeps this node's lease in the database, watches the other nodes' (gateway/domain/node.hpp), and tells
/// gateway/membership.hpp what it sees. A gateway that serves alone has none.
using node_keeper = caf::typed_actor<caf::replies_to<await_published>::with<bool>, caf::reacts_to<published_up_to>,
                                     caf::reacts_to<yielded_up_to>, caf::replies_to<list_nodes>::with<node_list>,
                                     caf::replies_to<drain_node>::with<node_drained>,
                                     // this node begins to end: others take over what it owns
                                     caf::reacts_to<drain_atom>,
                                     // from now on, tell this one how far the log goes
                                     caf::reacts_to<join_atom, directory_actor>,
                                     // from now on, wake this one when what this node owns changes
                                     caf::reacts_to<join_atom, dispatcher_actor>, caf::reacts_to<wake_atom>>;

}  // namespace gateway

// None of these leaves the process.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::entity_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::entity_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::entity_key)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::provider_call)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::provider_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::provider_inquiry)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::subscription_call)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::subscription_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::account_question)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::account_answer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::notification_question)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::notification_subject)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::unit_of_work)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::commit_outcome)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_entity)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::entity_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_command)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::command_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_timeline)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::timeline_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_due)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::due_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_directory_news)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::directory_news)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::await_published)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::published_up_to)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::yielded_up_to)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::catch_up)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::list_nodes)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::node_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::drain_node)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::node_drained)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::directory_actor)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::look_up)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_destinations)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::destinations_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_directory)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::directory_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::purge_commands)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::purge_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::hash_password)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::verify_password)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::operator_command)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::operator_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::noted_command)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_due_deliveries)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::due_deliveries_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_backlog)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::backlog_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_deliveries)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::deliveries_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_events)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::events_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_grant)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::grant_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_grants)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::grants_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_customers)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::customers_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_subscription_keys)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::subscription_keys_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_subscriptions)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::subscriptions_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_user)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::user_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_session)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::session_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_payments)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_payments_by_ref)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::payments_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_daily_totals)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::daily_totals_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_ledger_sums)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::ledger_sums_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_ledger)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::ledger_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_sessions)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::sessions_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_audit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::audit_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_notifications)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::notifications_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_payment_key)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::payment_key_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::find_spent_token)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::spent_token_lookup)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::redeliver_rows)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::redeliver_rows_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::fresh_deliveries)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::destination_changed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::redeliver)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::redeliver_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::dispatcher_actor)
