// What the actors of all kinds of entities share: the queue of requests for one entity, the remembered answers, the
// known row, and the handling of each commit outcome. A kind adds its commands and its state machine.
//
// The router spawns an actor when a request names its entity, and stops it when it has been idle. The actor runs one
// operation at a time, in order of arrival.
//
// Every provider call lies between two durable steps. Begin takes the idempotency key and claims the row by its
// version; only then is the provider called. Finish stores the new state, the attempt, the events and the answer; only
// then is the client answered. A crash between the two leaves an open operation on the row: the next activation first
// asks the provider again, under the same provider key.
//
// The queue is compiled once, in five sources:
//   entity_queue.cpp    processing of a request: accept, step, answer, next
//   entity_reads.cpp    reads, from memory or from the store
//   entity_commits.cpp  durable steps, and the handling of each outcome
//   entity_replay.cpp   idempotency: replay of answers from memory and from the store
//   entity_others.cpp   other nodes: waiting for their operations, and settling those that this node left open
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
#include "queue_phase.hpp"
#include "row_memory.hpp"

namespace gateway::actors {

/// How kinds of entities differ.
struct entity_rules {
  const char* name;  ///< of its actors
  problem not_found;
  /// The answer to a command with an idempotency key that would insert an existing row.
  problem already_exists = problem::request_in_progress;
  bool calls_providers = false;  ///< has operations that may be left open on the row
  bool has_timeline = false;
  bool reads_before_replay = false;  ///< replays a stored answer only after the row has been read
  bool is_published = false;  ///< each change must reach all nodes, through the directory's log
};

/// Whether the command is a `Command`, which is one of the commands common to all entities.
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

  // Called by the actor.
  void start(entity_actor::pointer self, const router_actor& router, const entity_key& key);
  caf::result<entity_reply> accept(entity_request& request);
  /// Resumes a request that waits for another node, or settles what this actor may have left open.
  void on_wake();
  void passivate();

  const char* name() const noexcept { return rules_.name; }

 protected:
  // ---- hooks of each kind of entity ---------------------------------------------------------------

  /// Runs one of the kind's own commands; refuses another kind's.
  virtual void run_own(job work) = 0;
  /// Settles what is due, on a request of the reconciler.
  virtual void on_due(job work) = 0;
  /// Whether the command may create the entity.
  virtual bool inserts(const entity_command& what) const;
  /// Settles an operation that a crash left open, before anything else.
  virtual void settle_left_open(job work);
  /// The data of an event of this type.
  virtual std::string event_data(const entity_row& after, std::string_view type) const;
  /// The row that answers a request at once, even while another runs; null: the request joins the queue.
  virtual entity_row answer_at_once(const entity_request& request) const;
  /// Called when the row has become known from the store; the row is null if there is none.
  virtual void known();
  /// Called when a commit got no answer. It may take effect until that time.
  virtual void left_in_doubt(commit_doubt::time_point until);
  virtual void read_failed();
  /// Whether the actor must not be stopped although it is idle.
  virtual bool must_stay() const noexcept;
  /// Releases what the running request held.
  virtual void operation_over() noexcept;
  /// Answers the request, perhaps later.
  virtual void answer_to(entity_job& work, entity_reply&& reply);

  // ---- processing of a request --------------------------------------------------------------------

  void step(job work);
  /// Answers with caf::sec::unexpected_message.
  void refuse(job work);
  /// Continues with the next request. The entity answers this one later.
  void leave(entity_job& work);
  void fail(entity_job& work, problem why);
  /// Answers a request that was passed to leave().
  static void answer_with_row(entity_job& work, entity_row row);
  /// Checks permissions again, because the request may have waited since it was authorized.
  std::optional<problem> forbids(const entity_job& work) const;
  /// Reads the row again, and runs the request again.
  void again(job work, bool load_first = false);
  /// The same after another commit has changed the row first.
  void after_lost_claim(job work, bool load_first = false);

  // ---- durable steps ------------------------------------------------------------------------------

  entity_unit unit_of(unit_kind kind) const { return {kind, key_}; }
  /// For a request: if a person, an operator or a platform sent it, the unit also records their audit entry.
  entity_unit unit_of(unit_kind kind, const entity_job& work) const;
  command_record record_of(const entity_job& work, std::string_view what, std::int64_t amount, std::string reason,
                           time_point now) const;
  /// Commits a unit that takes the request's idempotency key and stores `next` as the row; continues with `then` after
  /// the commit.
  void commit_command(job work, entity_unit unit, entity_row next, next_step then);
  /// Commits a whole command that needs no provider: its result, and a claim of the row. The claim ensures that a final
  /// refusal is based on the current row, not on an older one in memory.
  void conclude_at_once(job work, command_record record, answer reply, time_point now);
  /// The same for a command that changes the row: `next` is the row's next version.
  void conclude_with(job work, command_record record, answer reply, entity_row next, time_point now);
  /// Commits a whole command without an idempotency key and without a provider, and answers with the row.
  void commit_without_key(job work, entity_row next);
  /// `unit` has the other rows that are stored with the entity's.
  void commit_without_key(job work, entity_unit unit, entity_row next);
  /// Commits the changed row with its timeline entries; after the commit it is the known row.
  void commit_change(entity_unit unit, entity_row next, std::vector<timeline_entry> entries,
                     continuation<commit_outcome> then);
  /// What most changes do after their commit: continue with `then`. If another commit changed the row first, the
  /// request starts again with the stored row; if the same change was committed before, the request is answered with
  /// the row.
  continuation<commit_outcome> if_committed(job work, next_step then);
  next_step then_view();
  /// Claims the row unchanged and continues with `then`, which asks the provider again about the open operation. The
  /// claim is needed because the answer to an earlier call may be on its way to the store. That answer may say that the
  /// provider did nothing. A provider does not remember such a call, and executes it when it is asked again. So the
  /// earlier answer must lose its claim first. The sandbox needs no claim: it always gives the same answer to a key.
  void claim_to_ask_again(job work, next_step then);
  /// Continues after the finish of the operation that `finished_key` began. `reply` is null if the operation's client
  /// has already been answered.
  void after_finish(job work, const command_key& finished_key, answer_ptr reply, commit_outcome outcome);
  /// Answers after a commit that, as far as the store reported, failed. The client should retry with the same key.
  void not_committed(entity_job& work, commit_outcome outcome);

  // ---- idempotency --------------------------------------------------------------------------------

  /// For problems that are not stored. If the key already has an answer, that answer is given instead.
  void fail_unless_key_is_known(job work, problem why);
  /// Answers with what is stored under the request's key; continues with `absent` if there is nothing.
  void lookup_key(job work, next_step absent);

  // ---- reads --------------------------------------------------------------------------------------

  /// Answers with the timeline if it was requested, otherwise with the row.
  void view(job work);
  void forget() noexcept { memory_.forget(); }
  /// Answers with the row, and clears the memory: stored texts were replaced, and memory may hold the old ones.
  void answer_after_erasure(job work);
  /// Schedules a read of the row after the pause, as a request would read it.
  void read_later(std::chrono::nanoseconds pause);

  /// The row as known to be in the store; null if there is no such entity. Valid only while a request runs.
  const entity_row& any_row() const noexcept { return memory_.row(); }
  const entity_key& key() const noexcept { return key_; }
  entity_actor::pointer self() const noexcept { return self_; }
  caf::actor_clock::time_point monotonic_now() const { return self_->clock().now(); }
  const store_reader& reader() const { return context_.store.reader_for(key_); }
  const row_memory& memory() const noexcept { return memory_; }
  /// For requests to other entities.
  const router_actor& router() const noexcept { return router_; }
  /// Spans of the running request.
  entity_spans& spans() noexcept { return spans_; }
  /// Records that the timeline is empty: the entity was just created.
  void begin_timeline() { memory_.begin_timeline(); }

  // ---- other nodes --------------------------------------------------------------------------------

  /// Call if an operation may be left open. The other nodes leave it to this node while it is live, so this node must
  /// settle it. A gateway that runs alone settles it with the next request.
  void remember_to_settle();

 private:
  /// How often one request reads the row again because an operation is open on it, or its key is in use.
  static constexpr unsigned most_attempts = 4;
  /// Several nodes may change one row at the same time, and each commit is lost by all but one of them.
  static constexpr unsigned most_lost_claims = 16;

  void deliver(entity_job& work, entity_reply&& reply);
  void next();
  void enter(queue_event event);
  bool is_busy() const noexcept { return phase_ != queue_phase::idle; }

  void rerun(job work, bool load_first, bool is_allowed);
  void load(job work);
  void read_row(job work, next_step then);
  static bool is_read(const entity_request& request);
  caf::result<entity_reply> read_from_store(const entity_request& request);
  void answer_read(entity_promise& promise, entity_reply&& reply);
  std::optional<entity_reply> read_from_memory(const entity_command& wanted);

  void commit(entity_unit unit, continuation<commit_outcome> then);
  void put(entity_unit& unit, const entity_row& row) const;
  void won(entity_row&& row);

  std::optional<entity_reply> answer_from_memory(const idempotency& write);
  caf::result<entity_reply> answer_known(entity_request& request, entity_reply&& known);
  void answer_from_store(job work);
  void answer_from_record(job work, const command_record& record);
  void replay(entity_job& work, answer_ptr result);
  void finish_with(entity_job& work, answer_ptr result);

  void leave_to_other(job work);
  void pass_to(const node_link& other, job work);
  void wait_for_other(job work);
  void settle_own();
  bool slept_since(caf::actor_clock::time_point moment) const;

  const entity_rules& rules_;
  const entity_context& context_;  ///< the entity keeps it alive
  entity_actor::pointer self_ = nullptr;
  router_actor router_;
  entity_key key_;

  row_memory memory_;
  queue_phase phase_ = queue_phase::idle;
  bool leaves_open_ = false;  ///< this node may have to settle an operation left open on the row
  std::uint32_t reads_ = 0;  ///< reads that the store has not answered yet
  std::optional<idempotency> running_;
  entity_spans spans_;
  job suspended_;  ///< the request in progress, while it waits for another node's operation
  recent_answers recent_;
  std::vector<job> waiting_;  ///< a vector used as a queue: see recent_answers
};

}  // namespace gateway::actors
