// Every actor interface of the gateway, and the one type-id block. Actors of different folders know each other only by
// these handles.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <caf/actor_system_config.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>

#include "gateway/base/trace_context.hpp"
#include "gateway/directory/acting.hpp"
#include "gateway/directory/commands.hpp"
#include "gateway/domain/node.hpp"
#include "gateway/ports/provider.hpp"
#include "gateway/ports/store/answer.hpp"
#include "gateway/ports/store/store.hpp"

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
  stopping = 3,           ///< the gateway is shutting down
};

inline caf::error make_error(actor_errc code) {
  return {static_cast<std::uint8_t>(code), caf::atom("gateway"), caf::message{}};
}
inline bool is(const caf::error& error, actor_errc code) {
  return error.category() == caf::atom("gateway") && error.code() == static_cast<std::uint8_t>(code);
}

// ---- entities -----------------------------------------------------------------------------------

/// The idempotency key of a write, and the request it belongs to.
struct idempotency {
  command_key key;
  std::string fingerprint;
};

struct view_entity {};
struct view_timeline {};
/// The customer acted on the provider's hosted page. `provider_ref` is the page's, so that an outdated page changes
/// nothing.
struct hosted_result {
  hosted_signal signal = hosted_signal::paid;
  std::string provider_ref;
  std::string fresh_method{};  ///< the token of the payment method to save, as given to the provider by the customer
};
/// From the reconciler: settle what is due.
struct settle_due {};
/// The payment may have changed at its provider: compare it with the provider's state. Answered with the row, or with
/// provider_unavailable if the provider does not report the state.
struct ask_provider {};

// Commands to the sandbox's side of a subscription. Each is answered with the row.

/// From its subscription: opens a checkout, once.
struct open_enrollment {
  sandbox_subscription what;
};
/// From its subscription. Canceling also ends a subscription that the checkout has become; closing only closes a
/// checkout that still waits.
struct close_enrollment {
  bool cancels = false;
};
/// The customer pays on the hosted page.
struct pay_enrollment {};
/// The customer answers, on the hosted page, for a cycle that needs it.
struct approve_enrollment {
  bool refuses = false;
};
/// From operators.
struct move_enrollment {
  sandbox_move to = sandbox_move::cycle_paid;
  sandbox_telling how;
  std::optional<std::int64_t> amount{};  ///< of cycle_paid: what is paid instead of the price, in minor units
};

/// Has an idempotency key if a platform sends it, and none if an operator or a user of the merchant sends it.
struct revoke_request {
  revoke_grant what;
  bool is_past = false;  ///< as find_grant answered
};

// The commands to entities: those common to all kinds, and those of each kind. An entity handles its own commands with
// one overload each, and answers a command of another kind with caf::sec::unexpected_message.
struct common_command : compiled_once<std::variant<view_entity, view_timeline, settle_due>> {
  using compiled_once::compiled_once;
};
struct payment_command
    : compiled_once<std::variant<create_payment, capture_payment, refund_payment, void_payment, charge_saved,
                                 hosted_result, cycle_charge, ask_provider, cancel_payment, settle_payment,
                                 record_refund, act_in_sandbox, erase_payment_data>> {
  using compiled_once::compiled_once;
};
/// Consent has no idempotency key: each click may produce another code.
struct grant_command : compiled_once<std::variant<give_consent, exchange_code, revoke_request>> {
  using compiled_once::compiled_once;
};
/// From payments, whose own command has the idempotency key, and from notifications that a provider has confirmed.
struct customer_command : compiled_once<std::variant<record_customer, forget_at_provider>> {
  using compiled_once::compiled_once;
};
/// Provider notifications have no idempotency key: each counts once by its event id. A subscription answers them with
/// its row.
struct subscription_command
    : compiled_once<std::variant<open_subscription_checkout, cancel_subscription, expire_subscription_checkout,
                                 subscription_notification, erase_subscription_data>> {
  using compiled_once::compiled_once;
};
struct enrollment_command : compiled_once<std::variant<open_enrollment, close_enrollment, pay_enrollment,
                                                       move_enrollment, approve_enrollment, erase_enrollment_data>> {
  using compiled_once::compiled_once;
};
/// A notification answers with its row.
struct notification_command : compiled_once<std::variant<receive_notification, replay_notification>> {
  using compiled_once::compiled_once;
};

using command_groups = std::variant<common_command, payment_command, grant_command, customer_command,
                                    subscription_command, enrollment_command, notification_command>;

/// The group that has this command as an alternative; void if there is none.
template <class Command, class Groups>
struct group_with;
template <class Command, class... Groups>
struct group_with<Command, std::variant<Groups...>> {
  static constexpr std::size_t place() noexcept {
    std::size_t i = 0;
    static_cast<void>(((is_alternative<Command, typename Groups::variant_type> || (++i, false)) || ...));
    return i;
  }
  using type = std::tuple_element_t<place(), std::tuple<Groups..., void>>;
};
template <class Command>
using group_of = typename group_with<Command, command_groups>::type;

struct entity_command : compiled_once<command_groups> {
  using compiled_once::compiled_once;
  /// Takes a command of one of the groups.
  template <class Command>
    requires(!std::is_void_v<group_of<Command>>)
  entity_command(Command command) : compiled_once{group_of<Command>(std::move(command))} {}
};

/// The command, if it is of this type; else null.
template <class Command>
const Command* command_if(const entity_command& what) noexcept {
  const auto* group = std::get_if<group_of<Command>>(&what);
  return group ? std::get_if<Command>(group) : nullptr;
}

struct entity_request {
  entity_key key;
  std::optional<idempotency> write;  ///< present for writes that a client's idempotency key protects
  entity_command what;
  /// A write's admission: while it is held, the write counts as waiting for the gateway. It is released once the write
  /// has begun or waits for something else.
  std::shared_ptr<const void> admission{};
  std::optional<asked_by> by{};
  std::string request_id{};  ///< of the HTTP request behind it, for logs; empty: the gateway itself made the request
  std::shared_ptr<const save_audit> note{};  ///< of a merchant's user: stored in the commit that begins the write
  trace_context trace{};  ///< the trace that the request belongs to, if any
  /// When it was requested, a trace_time of gateway/base/tracing.hpp; 0: its wait is not recorded as a span.
  std::int64_t traced_from = 0;
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

/// A request's answer: a stored result, a problem that is not stored, or the row or the timeline that was read.
struct entity_reply {
  std::variant<finished, problem, entity_row, timeline_ptr> what;
};

/// Owns one entity: its state machine, its claim on the row, its timeline, its recent results.
using entity_actor = caf::typed_actor<caf::replies_to<entity_request>::with<entity_reply>,
                                      // from the router: stop if nothing is under way; else answer keep_atom to it
                                      caf::reacts_to<passivate_atom>,
                                      // from itself: check again an operation that another node has under way
                                      caf::reacts_to<wake_atom>>;

/// Finds or activates the actor of an entity, limits the number of active ones, and never loses a request.
using router_actor = caf::typed_actor<caf::replies_to<entity_request>::with<entity_reply>,
                                      // from an entity actor: it has work under way and must not be stopped
                                      caf::reacts_to<keep_atom, entity_key>,
                                      // an entity actor with this activation number has ended
                                      caf::reacts_to<passivate_atom, entity_key, std::uint64_t>,
                                      // the entity's row was purged: stop its actor, which may have it in memory
                                      caf::reacts_to<passivate_atom, entity_key>,
                                      // evict entities that have been idle for long
                                      caf::reacts_to<wake_atom>>;

// ---- providers ----------------------------------------------------------------------------------

/// A provider, or the gate in front of it. A gate always answers: when the provider does not, it answers that the
/// outcome is unknown.
using provider_actor = caf::typed_actor<caf::replies_to<provider_call>::with<provider_result>,
                                        caf::replies_to<provider_inquiry>::with<provider_result>,
                                        caf::replies_to<subscription_call>::with<subscription_result>,
                                        caf::replies_to<account_question>::with<account_answer>,
                                        caf::replies_to<notification_question>::with<notification_subject>,
                                        caf::replies_to<event_list_question>::with<event_list_page>,
                                        caf::replies_to<endpoint_question>::with<endpoint_answer>>;

// ---- store --------------------------------------------------------------------------------------

/// One connection that writes. Drains its mailbox into one transaction; a unit that fails does not affect the others.
/// Maintenance runs between batches in small transactions, and answers caf::error store_unavailable when the database
/// does not answer.
using store_writer = caf::typed_actor<caf::replies_to<unit_of_work>::with<commit_outcome>,
                                      // one at a time: answers overloaded while another one is under way
                                      caf::replies_to<purge_commands>::with<purge_result>,
                                      // one transaction: after the records that arrived before it, before later ones
                                      caf::replies_to<redeliver_rows>::with<redeliver_rows_result>,
                                      // at once, before units that wait
                                      caf::replies_to<clear_free_pages>::with<clear_free_pages_result>,
                                      // commit the units that have gathered
                                      caf::reacts_to<work_atom>>;

/// One connection that reads. Answers caf::error store_unavailable when the database does not answer.
using store_reader = caf::typed_actor<caf::replies_to<store_question>::with<store_answer>>;

/// The store's actors. Units of one entity always go to the same writer, in order.
struct store_handles {
  std::vector<store_writer> writers;
  std::vector<store_reader> readers;
  /// For results of delivery attempts, for redelivery and for the purge, which no client waits for: another connection,
  /// if the store can have one.
  store_writer recorder;
  store_reader outbox;  ///< the dispatcher's own, so that its long reads delay no payment
  store_reader archive;  ///< for operators' lists, which may take long
  store_reader entries;  ///< the directory's own, so that look-ups of unknown keys delay no payment

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

// ---- the witness of the database ------------------------------------

/// An operator has recovered the commits that the database lacked. It counts as current from now on.
struct accept_database {
  save_audit note;  ///< written in the same commit
};

/// Maintains the witness of the database: see actors/process/database_witness.hpp.
using database_witness_actor =
    caf::typed_actor<caf::reacts_to<wake_atom>,
                     // mark the last commits; once, at the end
                     caf::replies_to<drain_atom>::with<bool>, caf::replies_to<accept_database>::with<commit_outcome>>;

// ---- lists of events ----------------------------------------------------------------------------

/// An operator's request to read a provider's list of events now.
struct backfill_events {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::optional<time_point> from;  ///< empty: from the last event seen
  /// For a recovery: begins some minutes before `from`, because events may appear late and their times are coarse. If
  /// an earlier command from the same time is still reading, waits for that one, or gets its result.
  bool joins = false;
};
struct backfill_result {
  std::uint64_t events = 0;  ///< read, of the types that the gateway handles
  std::uint64_t fresh = 0;  ///< events that the gateway had not received before
  std::uint64_t refused = 0;  ///< accounts whose list the provider does not show
  bool complete = false;  ///< false: it is still reading
  std::optional<std::string> failure{};  ///< why it ended before the end of the list, as a text for an operator
};

/// Reads the lists of events that providers keep, after each start, once an hour, and when an operator asks.
using event_reader_actor = caf::typed_actor<caf::replies_to<backfill_events>::with<backfill_result>,
                                            // read the lists that are due
                                            caf::reacts_to<wake_atom>>;

// ---- webhooks -----------------------------------------------------------------------------------

/// Deliveries that a commit has just inserted, or has changed (their version is above 1, and the dispatcher reads them
/// again). Only a hint: a dispatcher that misses it finds them in the store.
struct fresh_deliveries {
  std::vector<delivery_job> jobs;
};
/// A destination was published again: it may have been enabled or disabled, or have another URL or secret.
struct destination_changed {
  destination_id id;
};
/// An operator's request for redelivery, as in redeliver_rows, but without a limit: all that match.
struct redeliver {
  std::int64_t id = 0;
  destination_id to;
  std::optional<time_point> from;
  std::optional<time_point> until;
};
struct redeliver_result {
  std::uint64_t count = 0;
};

/// Decides when each delivery is attempted, and hands deliveries out to its workers.
using dispatcher_actor = caf::typed_actor<caf::reacts_to<fresh_deliveries>, caf::reacts_to<destination_changed>,
                                          caf::replies_to<redeliver>::with<redeliver_result>,
                                          // hand out no more; answered once every worker is idle
                                          caf::replies_to<drain_atom>::with<bool>,
                                          // check what has become due
                                          caf::reacts_to<wake_atom>>;

inline constexpr std::string_view hashed_for_operator = "an operator";

/// Answered with the text under which the password is stored.
struct hash_password {
  std::string password;
  /// The known requester: an account, or hashed_for_operator. Empty: a stranger.
  std::string for_whom = {};
};
/// Whether the password matches `stored`, an answer of hash_password.
struct verify_password {
  std::string password;
  std::string stored;
  std::string for_whom = {};  ///< as above; a browser that has signed in before is also known
  std::string from = {};  ///< the network of a stranger
};

/// Hashes passwords one after the other, on a thread of its own, because each takes about a tenth of a second by
/// design. While both kinds of requests wait, requests of strangers and of known requesters alternate. Within each
/// kind, the networks or the accounts take turns. Answers actor_errc::overloaded when too many wait.
using password_hasher =
    caf::typed_actor<caf::replies_to<hash_password>::with<std::string>, caf::replies_to<verify_password>::with<bool>>;

// ---- several nodes ------------------------------------------------------------------------------

/// Answered, with true, once every live node has published what the log holds at the time of the question.
struct await_published {};
/// From the directory: this node has published the log up to this number.
struct published_up_to {
  std::int64_t number = 0;
};
/// From the dispatcher: this node has no attempt under way for destinations that other nodes own as of this number.
struct yielded_up_to {
  std::int64_t number = 0;
};
/// From the node's keeper to the directory: the directory's log now ends at this number.
struct catch_up {
  std::int64_t number = 0;
};
/// For operators: all known nodes, ordered by name. Nodes without a lease are shown as gone.
struct list_nodes {};
struct node_list {
  std::vector<node_row> nodes;
};
/// An operator's request that a node shuts down in order. Answered with false if there is no such node, or if it is
/// gone.
struct drain_node {
  std::string name;
};
struct node_drained {
  bool found = false;
};

/// To the directory, for an entry that is not in the published directory (gateway/directory/directory.hpp): answered,
/// once the entry is published, with whether it exists; with actor_errc::overloaded if too many wait.
struct look_up {
  directory_name what;
};

/// A change of the directory that is written to the audit log: by a user, an operator, a platform about itself, or the
/// gateway. The note is written in the commit of the change. The directory adds the states before and after the change
/// and, if the note has no subject, the id of the created entry.
struct noted_command {
  operator_command what;
  save_audit note;
};

/// Owns merchants, keys, people, connections, routes, destinations and platforms: makes a change durable, then
/// publishes the new snapshot. Platforms are published from the start, merchants from their first look-up.
using directory_actor =
    caf::typed_actor<caf::replies_to<operator_command>::with<operator_result>,
                     caf::replies_to<noted_command>::with<operator_result>, caf::replies_to<look_up>::with<bool>,
                     // read the platforms from the store and publish them; once, at start
                     caf::replies_to<load_atom>::with<bool>,
                     // from now on, send this dispatcher every destination that is published
                     caf::reacts_to<join_atom, dispatcher_actor>,
                     // from the keeper: the log goes up to this number
                     caf::reacts_to<catch_up>>;

/// Keeps this node's lease in the database, watches the other nodes' leases (gateway/domain/node.hpp), and updates
/// gateway/ports/membership.hpp. A gateway that serves alone has none.
using node_keeper = caf::typed_actor<caf::replies_to<await_published>::with<bool>, caf::reacts_to<published_up_to>,
                                     caf::reacts_to<yielded_up_to>, caf::replies_to<list_nodes>::with<node_list>,
                                     caf::replies_to<drain_node>::with<node_drained>,
                                     // this node begins to shut down: other nodes take over what it owns
                                     caf::reacts_to<drain_atom>,
                                     // from now on, send this directory catch_up when the log has grown
                                     caf::reacts_to<join_atom, directory_actor>,
                                     // from now on, wake this dispatcher when what this node owns changes
                                     caf::reacts_to<join_atom, dispatcher_actor>, caf::reacts_to<wake_atom>>;

}  // namespace gateway

// None of these messages leaves the process.
#define GATEWAY_FREQUENT_MESSAGES(MESSAGE) \
  MESSAGE(gateway::entity_request)         \
  MESSAGE(gateway::entity_reply)           \
  MESSAGE(gateway::entity_key)             \
  MESSAGE(gateway::provider_call)          \
  MESSAGE(gateway::provider_result)        \
  MESSAGE(gateway::provider_inquiry)       \
  MESSAGE(gateway::subscription_call)      \
  MESSAGE(gateway::subscription_result)    \
  MESSAGE(gateway::account_question)       \
  MESSAGE(gateway::account_answer)         \
  MESSAGE(gateway::notification_question)  \
  MESSAGE(gateway::notification_subject)   \
  MESSAGE(gateway::event_list_question)    \
  MESSAGE(gateway::event_list_page)        \
  MESSAGE(gateway::endpoint_question)      \
  MESSAGE(gateway::endpoint_answer)        \
  MESSAGE(gateway::unit_of_work)           \
  MESSAGE(gateway::commit_outcome)         \
  MESSAGE(gateway::store_question)         \
  MESSAGE(gateway::store_answer)           \
  MESSAGE(gateway::look_up)                \
  MESSAGE(gateway::operator_command)       \
  MESSAGE(gateway::operator_result)        \
  MESSAGE(gateway::noted_command)          \
  MESSAGE(gateway::fresh_deliveries)       \
  MESSAGE(gateway::destination_changed)    \
  MESSAGE(gateway::hash_password)          \
  MESSAGE(gateway::verify_password)        \
  MESSAGE(gateway::await_published)        \
  MESSAGE(gateway::list_nodes)             \
  MESSAGE(gateway::node_list)              \
  MESSAGE(gateway::redeliver)              \
  MESSAGE(gateway::purge_commands)         \
  MESSAGE(gateway::redeliver_rows)
GATEWAY_FREQUENT_MESSAGES(CAF_ALLOW_UNSAFE_MESSAGE_TYPE)

/// CAF's class templates for a message. For messages that many sources send they are instantiated once, in
/// gateway/messages/messages.cpp.
#define GATEWAY_MESSAGE_PARTS(PART, ...)                                                     \
  PART caf::message caf::mailbox_element_vals<__VA_ARGS__>::move_content_to_message();       \
  PART caf::message caf::mailbox_element_vals<__VA_ARGS__>::copy_content_to_message() const; \
  PART class caf::detail::tuple_vals_impl<caf::type_erased_tuple, __VA_ARGS__>;              \
  PART class caf::detail::tuple_vals_impl<caf::detail::message_data, __VA_ARGS__>;           \
  PART class caf::detail::tuple_vals<__VA_ARGS__>;
#define GATEWAY_DECLARE_MESSAGE(...) GATEWAY_MESSAGE_PARTS(extern template, __VA_ARGS__)
GATEWAY_FREQUENT_MESSAGES(GATEWAY_DECLARE_MESSAGE)
GATEWAY_DECLARE_MESSAGE(bool)
GATEWAY_DECLARE_MESSAGE(caf::error)
GATEWAY_DECLARE_MESSAGE(caf::atom_value)
GATEWAY_DECLARE_MESSAGE(caf::atom_value, gateway::entity_key)
GATEWAY_DECLARE_MESSAGE(caf::atom_value, gateway::entity_key, std::uint64_t)

// The less frequent messages.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::published_up_to)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::yielded_up_to)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::catch_up)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::drain_node)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::node_drained)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::directory_actor)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::purge_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::redeliver_rows_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::clear_free_pages)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::clear_free_pages_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::redeliver_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::backfill_events)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::accept_database)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::backfill_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::dispatcher_actor)
