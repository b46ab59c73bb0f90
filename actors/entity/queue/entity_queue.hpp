// What the actors of all kinds of entities share: the requests that wait for one entity, the answers that it remembers,
// what it knows of its row, and what each outcome of a commit means. A kind adds its commands and its state machine.
//
// The router spawns an actor when a request names its entity, and stops it when it has been idle. It runs one operation
// at a time, in order of arrival.
//
// Around every provider call stand two durable steps. Begin takes the idempotency key and claims the row by its
// version; only then is the provider called. Finish stores the new state, the attempt, the events and the answer; only
// then is the client answered. A crash between the two leaves an open operation on the row: the next activation asks
// the provider again, under the same provider key, before anything else.
//
// The queue is compiled once, in five sources:
//   entity_queue.cpp    the way of a request: accept, step, answer, next
//   entity_reads.cpp    reads, from memory or from the store
//   entity_commits.cpp  durable steps, and what each outcome means
//   entity_replay.cpp   idempotency: replay of answers from memory and from the store
//   entity_others.cpp   other nodes: what they have under way, and what this one must settle itself
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <caf/typed_event_based_actor.hpp>

#include "entity/asks/entity_unit.hpp"
#include "entity/entity_context.hpp"
#include "entity/entity_spans.hpp"
#include "entity/recent_answers.hpp"
#include "entity_job.hpp"
#include "row_memory.hpp"

namespace gateway::actors {

/// What a kind of entity is like.
struct entity_rules {
  const char* name;  ///< of its actors
  problem not_found;
  /// Answered to a command with an idempotency key that inserts a row which is there.
  problem already_exists = problem::request_in_progress;
  bool calls_providers = false;  ///< with operations that may be left open on the row
  bool has_timeline = false;
  bool reads_before_replay = false;  ///< a stored answer is told only after the row has been read
  bool is_published = false;  ///< all nodes must hear of each change, by the directory's log
};

/// Whether it is this one of the commands that every entity takes.
template <class Command>
bool is_common(const entity_command& what) noexcept {
  const auto* common = std::get_if<common_command>(&what);
  return common && std::holds_alternative<Command>(*common);
}

class entity_queue {
 public:
  entity_queue(const entity_rules& rules, const entity_context& context);
  entity_queue(const entity_queue&) = delete;
  entity_queue& operator=(const entity_queue&) = delete;
  virtual ~entity_queue();

  // From its actor.
  void start(entity_actor::pointer self, const router_actor& router, const entity_key& key);
  caf::result<entity_reply> accept(entity_request& request);
  /// The pause of a request that waits for another node is over, or it is time to settle what is left open here.
  void look_again();
  void passivate();

  const char* name() const noexcept { return rules_.name; }

 protected:
  // ---- what each kind of entity does --------------------------------------------------------------

  /// One of its own commands; refuses another kind's.
  virtual void run_own(job work) = 0;
  /// From the reconciler: what is due.
  virtual void on_due(job work) = 0;
  /// Whether that command may make the entity.
  virtual bool inserts(const entity_command& what) const;
  /// A crash has left an operation open, which is settled before anything else.
  virtual void settle_left_open(job work);
  /// What an event of this type says.
  virtual std::string event_data(const entity_row& after, std::string_view type) const;
  /// The row that answers a request at once, whatever runs; null: the request takes its turn.
  virtual entity_row answer_at_once(const entity_request& request) const;
  /// The row as the store has it has become known; it is null if there is none.
  virtual void known();
  /// A commit got no answer, and may land until then.
  virtual void left_in_doubt(commit_doubt::time_point until);
  virtual void read_failed();
  /// Whether the actor may not be stopped although it is idle.
  virtual bool must_stay() const noexcept;
  /// Gives back what the request that runs has held.
  virtual void operation_over() noexcept;
  /// Answers the request; may do so later.
  virtual void answer_to(entity_job& work, entity_reply&& reply);

  // ---- the way of a request -----------------------------------------------------------------------

  void step(job work);
  /// Answers with caf::sec::unexpected_message.
  void refuse(job work);
  /// Goes on with the next request. This one is answered by the entity, later.
  void leave(entity_job& work);
  void fail(entity_job& work, problem why);
  /// Answers one that was left.
  static void answer_with_row(entity_job& work, entity_row row);
  /// The request may have waited since its caller was judged.
  std::optional<problem> forbids(const entity_job& work) const;
  /// Reads the row again, and tries the request on it again.
  void again(job work, bool load_first = false);

  // ---- durable steps ------------------------------------------------------------------------------

  entity_unit unit_of(unit_kind kind) const { return {kind, key_}; }
  /// Of a request, by one of the merchant's people, whose command this unit begins or concludes.
  entity_unit unit_of(unit_kind kind, const entity_job& work) const;
  command_record record_of(const entity_job& work, std::string_view what, std::int64_t amount, std::string reason,
                           time_point now) const;
  /// Commits a unit that takes the request's idempotency key and leaves the row as `next`; goes on with `then` once it
  /// is.
  void commit_command(job work, entity_unit unit, entity_row next, next_step then);
  /// A command that needs no provider, whole: its result, and a claim. What is refused for good must be refused by the
  /// row as it is, not as it was when this actor read it.
  void conclude_at_once(job work, command_record record, answer told, time_point now);
  /// The same where the command changes the row: `next` is the row of the next version.
  void conclude_with(job work, command_record record, answer told, entity_row next, time_point now);
  /// A command without an idempotency key and without a provider, whole: answered with the row.
  void commit_without_key(job work, entity_row next);
  /// `unit` holds what is stored beside the row.
  void commit_without_key(job work, entity_unit unit, entity_row next);
  /// Commits what the machine has made of the row, with what it tells; once committed, it is what this actor knows.
  void commit_change(entity_unit unit, entity_row next, std::vector<timeline_entry> entries,
                     continuation<commit_outcome> then);
  /// Claims the row as it is, and goes on with `then`, which asks the provider again for what is open on it. The answer
  /// to an earlier call may be on its way into the store and land later. It may say that nothing was done, which a
  /// provider does not remember: asked again, it does it. So that answer must lose its own claim first. A sandbox
  /// answers a key always the same.
  void claim_to_ask_again(job work, next_step then);
  /// Goes on after the finish of the operation that `finished_key` began. `told` is null if its client has been
  /// answered.
  void after_finish(job work, const command_key& finished_key, answer_ptr told, commit_outcome outcome);
  /// Not committed, as far as the store said. The client is told to come back with the same key.
  void not_committed(entity_job& work, commit_outcome outcome);

  // ---- idempotency --------------------------------------------------------------------------------

  /// Problems that are not stored. But a key that already has an answer is answered with that.
  void fail_unless_key_is_known(job work, problem why);
  /// Answers with what the store knows of the request's key; goes on with `absent` if it knows nothing.
  void lookup_key(job work, next_step absent);

  // ---- reads --------------------------------------------------------------------------------------

  /// Answers with the timeline if that was asked for, else with the entity as it stands.
  void view(job work);
  void forget() noexcept { memory_.forget(); }
  /// This actor reads its row after that time, as if it were asked for it.
  void read_later(std::chrono::nanoseconds pause);

  /// What is known to be in the store; null if there is no such entity. Only while a request runs.
  const entity_row& any_row() const noexcept { return memory_.row(); }
  const entity_key& key() const noexcept { return key_; }
  entity_actor::pointer self() const noexcept { return self_; }
  caf::actor_clock::time_point monotonic_now() const { return self_->clock().now(); }
  const store_reader& reader() const { return context_.store.reader_for(key_); }
  const row_memory& memory() const noexcept { return memory_; }
  /// To ask other entities.
  const router_actor& router() const noexcept { return router_; }
  /// Of the request that runs.
  entity_spans& spans() noexcept { return spans_; }
  /// Its timeline is known to be empty: it was made just now.
  void begin_timeline() { memory_.begin_timeline(); }

  // ---- other nodes --------------------------------------------------------------------------------

  /// An operation may be left open. The others leave it to this node for as long as it lives, so that nobody settles it
  /// if this node does not. A gateway that serves alone settles it with the next request.
  void remember_to_settle();

 private:
  /// A claim lost to another owner, or an operation left open, is looked at again this often within one request.
  static constexpr unsigned most_attempts = 4;

  void deliver(entity_job& work, entity_reply&& reply);
  void next();

  void load(job work);
  void read_row(job work, next_step then);
  static bool is_read(const entity_request& request);
  caf::result<entity_reply> look_in_store(const entity_request& request);
  void tell_look(entity_promise& promise, entity_reply&& reply);
  std::optional<entity_reply> look(const entity_command& wanted);

  void commit(entity_unit unit, continuation<commit_outcome> then);
  void put(entity_unit& unit, const entity_row& row) const;
  void won(entity_row&& row);

  std::optional<entity_reply> answer_from_memory(const idempotency& write);
  caf::result<entity_reply> tell_known(entity_request& request, entity_reply&& known);
  void answer_from_store(job work);
  void answer_from_record(job work, const command_record& record);
  void replay(entity_job& work, answer_ptr result);
  void finish_with(entity_job& work, answer_ptr result);

  void leave_to_other(job work);
  void settle_own();
  bool slept_since(caf::actor_clock::time_point moment) const;

  const entity_rules& rules_;
  const entity_context& context_;  ///< the entity keeps it alive
  entity_actor::pointer self_ = nullptr;
  router_actor router_;
  entity_key key_;

  row_memory memory_;
  bool busy_ = false;  ///< a request is under way
  bool moving_on_ = false;  ///< next() is at work further down the stack
  bool leaves_open_ = false;  ///< perhaps: what is open on the row must be settled here
  std::uint32_t looks_ = 0;  ///< reads that the store has not answered yet
  std::optional<idempotency> running_;
  entity_spans spans_;
  job waits_for_other_;
  recent_answers recent_;
  std::vector<job> waiting_;  ///< a vector, although it is a queue: see recent_answers
};

}  // namespace gateway::actors
