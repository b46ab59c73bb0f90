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
// What the actor remembers (row, timeline, recent answers) is what it has seen committed. Whenever a commit's outcome
// is in doubt it forgets, and the next request reads the truth. While such a commit may still land, its own or that of
// an actor before it, what it reads serves one request only. So it does while other nodes serve: each of them may have
// changed the row, and a client who was told so must not be told otherwise here. Nor is it believed when they have
// gone: the last of what they did nobody has told this actor. Stored answers never change, and are told from memory
// whatever there is.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include "entity_context.hpp"
#include "entity_spans.hpp"
#include "gateway/ask_store.hpp"
#include "gateway/base/crypto.hpp"
#include "outbox.hpp"
#include "recent_answers.hpp"

namespace gateway::actors {

/// A request on its way through its entity's actor.
struct entity_job {
  entity_request request;
  caf::typed_response_promise<entity_reply> promise;
  unsigned attempts = 0;  ///< times that the row was read again for it
  bool began = false;  ///< its own begin has committed: what is open on the row is its operation
  /// How long it waits for what another node has under way.
  std::optional<caf::actor_clock::time_point> waits_until{};
};

/// `Entity` derives from this and has:
///   commands                                the variant of its own commands
///   run(job, std::type_identity<Command>)   for each of these, and for settle_due
///   inserts(command)                        whether that command may make the entity
///   not_found, already_exists               its problems
/// Where it calls providers:
///   left_open(row), settle_left_open(job)   what a crash has left open, and how it is settled before anything else
/// Where it has a timeline:
///   event_data(row, type)                   what an event says
///   timeline_of(row, entries)               the timeline as callers see it
/// And what need not be there, because the queue has a default:
///   calls_providers, has_timeline           whether it does
///   reads_before_replay                     whether a stored answer is told only after the row has been read
///   is_published                            whether all nodes must hear of each change, by the directory's log
///   known(row)                              the row as the store has it has become known; null: there is none
///   left_in_doubt(until)                    a commit got no answer, and may land until then
///   read_failed()                           the row could not be read
///   must_stay()                             whether the actor may not be stopped although it is idle
///   operation_over()                        gives back what the request that runs has held
///   answer_to(job, reply)                   answers whoever asked; may do so later
template <class Entity, class Row>
class entity_queue {
 public:
  using row_ptr = std::shared_ptr<const Row>;
  using job = entity_job;

  void start(entity_actor::pointer self, const entity_context& context, router_actor router, const entity_key& key) {
    self_ = self;
    context_ = &context;
    router_ = std::move(router);
    key_ = key;
    spans_.start(context.traces, key_);
    if (const auto until = context.doubt.until(); until > self_->clock().now()) doubt_until_ = until;
  }

  caf::result<entity_reply> accept(entity_request& request) {
    if (request.write)
      if (auto known = answer_from_memory(*request.write)) return tell_known(request, std::move(*known));
    // A read sees the last committed state, also while an operation is under way.
    if (is_read(request)) {
      if (context_->nodes.has_company()) return look_in_store(request);
      if (known_ && row_ && is_of_this_era())
        if (auto seen = look(request.what)) return std::move(*seen);
    }
    if (busy_ && waiting_.size() >= context_->config.payment_queue) {
      context_->meters.shed("payment_queue").Increment();
      return entity_reply{problem::overloaded};
    }
    auto promise = self_->make_response_promise<entity_reply>();
    if (busy_) {
      request.admission.reset();  // it waits for its entity, not for the gateway
      waiting_.push_back(job{std::move(request), promise});
    } else {
      step(job{std::move(request), promise});
    }
    return promise;
  }

  /// The pause of a request that waits for another node is over, or it is time to settle what is left open here.
  void look_again() {
    if (waits_for_other_) {
      auto work = *std::exchange(waits_for_other_, std::nullopt);
      forget();
      step(std::move(work));
    } else if (leaves_open_) {
      settle_own();
    }
  }

  void passivate() {
    if (busy_ || looks_ > 0 || leaves_open_ || entity().must_stay())
      self_->send(router_, keep_atom::value, key_);
    else
      self_->quit();
  }

 protected:
  // ---- what an entity may have otherwise --------------------------------------------------------

  static constexpr bool calls_providers = true;
  static constexpr bool has_timeline = true;
  static constexpr bool reads_before_replay = false;
  static constexpr bool is_published = false;
  void known(const row_ptr&) noexcept {}
  void left_in_doubt(commit_doubt::time_point) noexcept {}
  void read_failed() noexcept {}
  bool must_stay() const noexcept { return false; }
  void operation_over() noexcept {}
  void answer_to(job& work, entity_reply&& reply) { work.promise.deliver(std::move(reply)); }

  // ---- the way of a request ---------------------------------------------------------------------

  void step(job work) {
    if (!std::exchange(busy_, true) && (context_->nodes.has_company() || !is_of_this_era())) forget();
    if (work.request.write) running_ = work.request.write;
    spans_.take(work.request);
    // What is due is judged by the row as the store has it, read once for this request. What memory says is open
    // another node may have settled long ago: asked again, the provider may have forgotten the operation's key by now,
    // and would execute it once more.
    if (work.attempts == 0 && command_if<settle_due>(work.request.what)) {
      work.attempts = 1;
      forget();
    }
    // What makes the entity goes straight to its insert: the database tells if it exists.
    if (!known_ && !Entity::inserts(work.request.what)) return load(std::move(work));
    if constexpr (Entity::calls_providers)
      if (row_ && row_->open && slept_since(known_as_of_) && work.attempts < most_attempts)
        return again(std::move(work), true);
    if constexpr (Entity::calls_providers)
      if (row_ && Entity::left_open(*row_)) {
        if (context_->nodes.is_live_other(row_->open->node)) return leave_to_other(std::move(work));
        return entity().settle_left_open(std::move(work));
      }
    std::visit([&]<class Group>(const Group& group) { run_one_of(group, std::move(work)); },
               std::as_const(work.request.what));
  }

  /// Another node has the operation under way, and lives: it answers whoever asked for it. A request of another key
  /// waits for its end, as it would for one of this actor's.
  void leave_to_other(job work) {
    const auto now = self_->clock().now();
    if (command_if<settle_due>(work.request.what)) {
      // It is due when that node should have been done with it long ago.
      const bool is_due = row_->due_at && *row_->due_at <= context_->clock.now();
      return is_due ? entity().settle_left_open(std::move(work)) : view(std::move(work));
    }
    if (work.request.write && work.request.write->key == row_->open->command) {
      work.attempts = most_attempts;  // whatever is stored of the key, this row is not read again for it
      return fail_unless_key_is_known(std::move(work), problem::request_in_progress);
    }
    if (!work.waits_until) work.waits_until = now + context_->config.provider_timeout;
    if (now >= *work.waits_until)
      return fail(work, work.request.write ? problem::request_in_progress : problem::overloaded);
    waits_for_other_ = std::move(work);
    self_->delayed_send(self_, pause_for_other, wake_atom::value);
  }

  /// One of the commands that every entity takes, or that this kind does.
  template <class Group>
  void run_one_of(const Group& group, job work) {
    if constexpr (std::is_same_v<Group, common_command> || std::is_same_v<Group, typename Entity::commands>) {
      std::visit([&]<class Command>(const Command&) { entity().run(std::move(work), std::type_identity<Command>{}); },
                 group);
    } else {
      work.promise.deliver(caf::make_error(caf::sec::unexpected_message));
      next();
    }
  }

  void run(job work, std::type_identity<view_entity>) { view(std::move(work)); }
  void run(job work, std::type_identity<view_timeline>) { view(std::move(work)); }

  void deliver(job& work, entity_reply reply) {
    entity().answer_to(work, std::move(reply));
    leave(work);
  }

  /// Goes on with the next request. Whoever asked for this one is answered by the entity, later.
  void leave(job& work) {
    work.request.admission.reset();
    entity().operation_over();
    next();
  }

  void fail(job& work, problem why) { deliver(work, entity_reply{why}); }

  /// The request may have waited since its caller was judged.
  std::optional<problem> forbids(const job& work) const {
    if (!work.request.by) return std::nullopt;
    return no_longer_permitted(context_->merchants, *work.request.by, key_);
  }

  // ---- durable steps ----------------------------------------------------------------------------

  unit_of_work unit_of(unit_kind kind) const {
    unit_of_work unit;
    unit.kind = kind;
    unit.subject = key_;
    return unit;
  }

  /// Of a request, by one of the merchant's people, whose command this unit begins or concludes.
  unit_of_work unit_of(unit_kind kind, const job& work) const {
    auto unit = unit_of(kind);
    if (work.request.note) unit.inserts.push_back(*work.request.note);
    return unit;
  }

  command_record record_of(const job& work, std::string_view what, std::int64_t amount, std::string reason,
                           time_point now) const {
    const auto& write = *work.request.write;
    return {write.key,         write.fingerprint,
            std::string{what}, std::string{to_string(key_.kind)},
            key_.id,           amount,
            std::move(reason), now,
            std::nullopt,      std::nullopt};
  }

  /// Commits a unit that takes the request's idempotency key and leaves the row as `next`; goes on with `then` once it
  /// is.
  template <class Then>
  void commit_command(job work, unit_of_work unit, row_ptr next, Then then) {
    const bool begins = unit.kind == unit_kind::begin;
    commit(std::move(unit), [this, begins, sent_at = self_->clock().now(), work = std::move(work),
                             next = std::move(next), then = std::move(then)](commit_outcome outcome) mutable {
      switch (outcome) {
        case commit_outcome::committed:
          won(std::move(next));
          if (begins && slept_since(sent_at)) return again(std::move(work), true);
          return then(std::move(work));
        case commit_outcome::duplicate_command: return answer_from_store(std::move(work));
        // The key was free (a taken one is told first), so nothing is stored under it.
        case commit_outcome::entity_exists: return fail(work, Entity::already_exists);
        case commit_outcome::lost_claim: return again(std::move(work));
        default: return not_committed(work, outcome);
      }
    });
  }

  /// A command that needs no provider, whole: its result, and a claim. What is refused for good must be refused by the
  /// row as it is, not as it was when this actor read it.
  void conclude_at_once(job work, command_record record, answer told, Row judged, time_point now) {
    judged.version += 1;
    conclude_with(std::move(work), std::move(record), std::move(told), std::move(judged), now);
  }

  /// The same where the command changes the row: `next` is the row of the next version.
  void conclude_with(job work, command_record record, answer told, Row next, time_point now) {
    auto result = std::make_shared<const answer>(std::move(told));
    record.result = *result;
    record.finished_at = now;
    auto row = std::make_shared<const Row>(std::move(next));
    auto unit = unit_of(unit_kind::conclude, work);
    unit.inserts.push_back(std::move(record));
    put(unit, row);
    commit_command(std::move(work), std::move(unit), std::move(row),
                   [this, result = std::move(result)](job done) mutable { finish_with(done, std::move(result)); });
  }

  /// A command without an idempotency key and without a provider, whole: answered with the row.
  void commit_without_key(job work, Row changed, std::vector<inserted_row> beside = {}) {
    auto next = std::make_shared<const Row>(std::move(changed));
    auto unit = unit_of(unit_kind::conclude, work);
    put(unit, next);
    std::ranges::move(beside, std::back_inserter(unit.inserts));
    commit(std::move(unit), [this, work = std::move(work), next](commit_outcome outcome) mutable {
      switch (outcome) {
        case commit_outcome::committed: won(std::move(next)); return view(std::move(work));
        case commit_outcome::entity_exists:
        case commit_outcome::lost_claim: return again(std::move(work));
        default: return not_committed(work, outcome);
      }
    });
  }

  /// The first version of a row is inserted, every other one is claimed.
  void put(unit_of_work& unit, row_ptr row) const {
    if constexpr (Entity::is_published)
      if (context_->nodes.clustered())
        unit.inserts.push_back(directory_change{directory_change::kind::merchant, row->key.merchant.value});
    if (row->version == 1)
      unit.inserts.push_back(std::move(row));
    else
      unit.claims.push_back(std::move(row));
  }

  /// Commits what the machine has made of the row, with what it tells; once committed, it is what this actor knows.
  template <class Then>
  void commit_change(unit_of_work unit, Row next, std::vector<timeline_entry> entries, Then then) {
    // An event that a provider's notification tells has an id already, so that it is told once.
    if constexpr (Entity::has_timeline)
      for (auto& entry : entries)
        if (entry.kind == timeline_kind::event) {
          if (entry.event_id.empty()) entry.event_id = "evt_" + crypto::random_hex(16);
          if (entry.event_data.empty()) entry.event_data = entity().event_data(next, entry.operation);
        }
    auto row = std::make_shared<const Row>(std::move(next));
    auto outbox = deliveries_of(key_, entries, *context_);
    for (auto& to_send : outbox.jobs) to_send.trace = spans_.trace();
    unit.inserts.reserve(entries.size() + outbox.jobs.size());
    for (const auto& entry : entries) unit.inserts.push_back(entry);
    for (const auto& to_send : outbox.jobs) unit.inserts.push_back(to_send.row);
    put(unit, row);
    commit(std::move(unit), [this, row = std::move(row), entries = std::move(entries), outbox = std::move(outbox),
                             then = std::move(then)](commit_outcome outcome) mutable {
      if (outcome == commit_outcome::committed) {
        won(std::move(row));
        if (timeline_) std::ranges::move(entries, std::back_inserter(*timeline_));
        if (!outbox.jobs.empty()) self_->send(context_->dispatcher, std::move(outbox));
      }
      then(outcome);
    });
  }

  /// Claims the row as it is, and goes on with `then`, which asks the provider again for what is open on it. The answer
  /// to an earlier call may be on its way into the store and land later. It may say that nothing was done, which a
  /// provider does not remember: asked again, it does it. So that answer must lose its own claim first. A sandbox
  /// answers a key always the same.
  template <class Then>
  void claim_to_ask_again(job work, Then then) {
    if (traits_of(row_->provider).sandbox) return then(std::move(work));
    auto next = *row_;
    next.version += 1;
    commit_change(unit_of(unit_kind::finish), std::move(next), {},
                  [this, work = std::move(work), then = std::move(then),
                   sent_at = self_->clock().now()](commit_outcome outcome) mutable {
                    if (outcome == commit_outcome::lost_claim) return again(std::move(work));
                    if (outcome != commit_outcome::committed) return not_committed(work, outcome);
                    if (slept_since(sent_at)) return again(std::move(work), true);
                    then(std::move(work));
                  });
  }

  /// Goes on after the finish of the operation that `finished_key` began. `told` is null if its client has been
  /// answered.
  void after_finish(job work, const command_key& finished_key, answer_ptr told, commit_outcome outcome) {
    // A request with the same key that did not begin this operation may be another request: it learns from the stored
    // record whether it is.
    const bool own = work.began && work.request.write->key == finished_key;
    if (outcome == commit_outcome::committed) {
      if (own) return finish_with(work, std::move(told));
      // These want no more than that what is open is settled, whatever has come of it.
      if (command_if<settle_due>(work.request.what) || command_if<ask_provider>(work.request.what)) {
        context_->meters.settled.Increment();
        return view(std::move(work));
      }
      return step(std::move(work));
    }
    // Another owner settled this operation: the truth, and the answer, are in the store.
    if (outcome == commit_outcome::lost_claim) return own ? answer_from_store(std::move(work)) : again(std::move(work));
    not_committed(work, outcome);
  }

  /// Not committed, as far as the store said. The client is told to come back with the same key.
  void not_committed(job& work, commit_outcome outcome) {
    forget();
    if (outcome == commit_outcome::rejected) {
      context_->meters.shed("store_queue").Increment();
      return fail(work, problem::overloaded);
    }
    doubt_until_ = context_->doubt.raise(self_->clock().now());
    entity().left_in_doubt(doubt_until_);
    remember_to_settle();
    fail(work, problem::store_unavailable);
  }

  /// An operation may be left open. The others leave it to this node for as long as it lives, so that nobody settles it
  /// if this node does not. A gateway that serves alone settles it with the next request.
  void remember_to_settle() {
    if (Entity::calls_providers && context_->nodes.clustered() && !std::exchange(leaves_open_, true))
      self_->delayed_send(self_, pause_before_settling, wake_atom::value);
  }

  // ---- idempotency ------------------------------------------------------------------------------

  /// Problems that are not stored. But a key that already has an answer is answered with that.
  void fail_unless_key_is_known(job work, problem why) {
    lookup_key(std::move(work), [this, why](job failed) { fail(failed, why); });
  }

  /// Answers with what the store knows of the request's key; goes on with `absent` if it knows nothing.
  template <class Absent>
  void lookup_key(job work, Absent absent) {
    const auto key = work.request.write->key;
    ask_store(self_, context_->store.reader_for(key_), caf::infinite, find_command{key})
        .then(
            [this, work, absent](command_lookup& record) mutable {
              if (!record.found) return absent(std::move(work));
              answer_from_record(std::move(work), *record.found);
            },
            [this, work](const caf::error&) mutable { fail(work, problem::store_unavailable); });
  }

  /// Reads the row again, and tries the request on it again.
  void again(job work, bool load_first = false) {
    forget();  // also for the requests to come, if this one has been tried too often
    if (++work.attempts > most_attempts)
      return fail(work, work.request.write ? problem::request_in_progress : problem::overloaded);
    if (load_first) return load(std::move(work));
    step(std::move(work));
  }

  // ---- reads ------------------------------------------------------------------------------------

  /// Answers with the timeline if that was asked for, else with the entity as it stands.
  void view(job work) {
    if (!command_if<view_timeline>(work.request.what)) work.request.what = view_entity{};
    if (auto seen = look(work.request.what)) return deliver(work, std::move(*seen));
    ask_store(self_, context_->store.reader_for(key_), caf::infinite, find_timeline{key_})
        .then(
            [this, work](timeline_lookup& rows) mutable {
              timeline_ = std::move(rows.entries);
              view(std::move(work));
            },
            [this, work](const caf::error&) mutable { fail(work, problem::store_unavailable); });
  }

  /// What is known to be in the store; null if there is no such entity. Only while a request runs.
  const row_ptr& row() const noexcept { return row_; }
  const entity_key& key() const noexcept { return key_; }
  entity_actor::pointer self() const noexcept { return self_; }
  /// When the row that has just become known was asked for, if it was read.
  caf::actor_clock::time_point read_begun_at() const noexcept { return read_begun_at_; }
  /// To ask other entities.
  const router_actor& router() const noexcept { return router_; }
  /// Of the request that runs.
  entity_spans& spans() noexcept { return spans_; }
  /// Whether what this actor has sent, or one before it, may still land.
  bool in_doubt() const noexcept { return doubt_until_ > commit_doubt::time_point{}; }
  /// Its timeline is known to be empty: it was made just now.
  void begin_timeline() { timeline_.emplace(); }

 private:
  friend Entity;
  entity_queue() = default;

  /// A claim lost to another owner, or an operation left open, is looked at again this often within one request.
  static constexpr unsigned most_attempts = 4;
  static constexpr std::chrono::milliseconds pause_for_other{50};
  static constexpr std::chrono::seconds longest_work_of_store{10};

  static constexpr std::chrono::seconds pause_before_settling{1};

  Entity& entity() noexcept { return static_cast<Entity&>(*this); }

  /// As the reconciler would, but now. Nobody waits for the answer.
  void settle_own() {
    if (busy_ || !context_->nodes.serves()) return self_->delayed_send(self_, pause_before_settling, wake_atom::value);
    leaves_open_ = false;
    step(job{entity_request{key_, std::nullopt, common_command{settle_due{}}}, {}});
  }

  /// Nothing takes the store so long, unless it is in trouble or this node was stopped. Among others, one of them may
  /// have settled meanwhile what was open, so long ago that the provider has forgotten its key.
  bool slept_since(caf::actor_clock::time_point moment) const {
    return context_->nodes.clustered() && self_->clock().now() - moment > longest_work_of_store;
  }

  void load(job work) {
    read_row(std::move(work), [this](job loaded) { step(std::move(loaded)); });
  }

  template <class Then>
  void read_row(job work, Then then) {
    read_begun_at_ = self_->clock().now();
    asked_in_ = context_->nodes.era();
    ask_store(self_, context_->store.reader_for(key_), caf::infinite, find_entity{key_})
        .then(
            [this, work, then](entity_lookup& found) mutable {
              known_as_of_ = read_begun_at_;
              learn(found.found ? std::get<row_ptr>(std::move(*found.found)) : nullptr);
              then(std::move(work));
            },
            [this, work](const caf::error&) mutable {
              entity().read_failed();
              fail(work, problem::store_unavailable);
            });
  }

  static bool is_read(const entity_request& request) {
    return !request.write &&
           (command_if<view_entity>(request.what) != nullptr || command_if<view_timeline>(request.what) != nullptr);
  }

  /// Answers a read as the store has it. What this actor knows, or is about to do, has no part in it.
  caf::result<entity_reply> look_in_store(const entity_request& request) {
    auto promise = self_->make_response_promise<entity_reply>();
    const bool of_timeline = command_if<view_timeline>(request.what) != nullptr;
    ++looks_;  // until it is answered, this actor may not be stopped
    const auto failed = [this, promise](const caf::error&) {
      tell_look(promise, entity_reply{problem::store_unavailable});
    };
    const auto reader = context_->store.reader_for(key_);
    ask_store(self_, reader, caf::infinite, find_entity{key_})
        .then(
            [this, promise, of_timeline, failed, reader](entity_lookup& found) {
              if (!found.found || (of_timeline && !Entity::has_timeline))
                return tell_look(promise, entity_reply{Entity::not_found});
              if (!of_timeline) return tell_look(promise, entity_reply{std::move(*found.found)});
              if constexpr (Entity::has_timeline) {
                auto row = std::get<row_ptr>(std::move(*found.found));
                ask_store(self_, reader, caf::infinite, find_timeline{key_})
                    .then(
                        [this, promise, row](const timeline_lookup& rows) {
                          tell_look(promise, entity_reply{std::make_shared<const timeline_view>(
                                                 Entity::timeline_of(*row, rows.entries))});
                        },
                        failed);
              }
            },
            failed);
    return promise;
  }

  void tell_look(caf::typed_response_promise<entity_reply> promise, entity_reply&& reply) {
    --looks_;
    promise.deliver(std::move(reply));
  }

  void next() {
    running_.reset();
    spans_.let_go();
    busy_ = false;
    // That there is no such entity is true only until somebody creates it, perhaps by way of another node.
    if (!row_) known_ = false;
    if (in_doubt()) {
      // Also at the end of the doubt: what was read for this request may have been read before it.
      forget();
      if (self_->clock().now() >= doubt_until_) doubt_until_ = {};
    }
    // What fails at once comes back here from within: one loop for all, or thousands that wait would nest.
    if (std::exchange(moving_on_, true)) return;
    while (!busy_ && !waiting_.empty()) {
      auto work = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
      if (work.request.write)
        if (auto known = answer_from_memory(*work.request.write)) {
          entity().answer_to(work, std::move(*known));
          continue;
        }
      step(std::move(work));
    }
    moving_on_ = false;
  }

  template <class Then>
  void commit(unit_of_work unit, Then then) {
    // One continuation for both handlers: only one of them runs.
    auto shared = std::make_shared<Then>(std::move(then));
    asked_in_ = context_->nodes.era();
    const auto told = [this, shared, what = unit.kind, begun = spans_.begin()](commit_outcome outcome) {
      spans_.committed(what, begun, outcome);
      (*shared)(outcome);
    };
    self_->request(context_->store.writer_for(key_), caf::infinite, std::move(unit))
        .then([told](commit_outcome outcome) { told(outcome); },
              [told](const caf::error&) { told(commit_outcome::unavailable); });
  }

  /// The first of those who ask may still wait for other nodes to publish what the answer says: so do all.
  caf::result<entity_reply> tell_known(entity_request& request, entity_reply&& known) {
    if constexpr (Entity::is_published) {
      job repeated{std::move(request), self_->make_response_promise<entity_reply>()};
      auto promise = repeated.promise;
      entity().answer_to(repeated, std::move(known));
      return promise;
    } else {
      return std::move(known);
    }
  }

  /// What memory knows of this key: an answer to replay, a request under way, or nothing.
  std::optional<entity_reply> answer_from_memory(const idempotency& write) {
    const auto in_use = [&](const std::string& fingerprint) {
      return entity_reply{fingerprint == write.fingerprint ? problem::request_in_progress
                                                           : problem::idempotency_key_reused};
    };
    if (running_ && running_->key == write.key) return in_use(running_->fingerprint);
    for (const auto& other : waiting_)
      if (other.request.write && other.request.write->key == write.key && &*other.request.write != &write)
        return in_use(other.request.write->fingerprint);
    const auto* past = recent_.find(write.key);
    if (!past) return std::nullopt;
    if (past->write.fingerprint != write.fingerprint) return entity_reply{problem::idempotency_key_reused};
    context_->meters.replays.Increment();
    return entity_reply{finished{past->result, true}};
  }

  /// The key is taken: the store knows for which request, and what came of it. Whoever took it may have changed the
  /// row.
  void answer_from_store(job work) {
    forget();
    // If it has been purged between the two looks, the key is free again.
    lookup_key(std::move(work), [this](job free_again) { again(std::move(free_again)); });
  }

  void answer_from_record(job work, const command_record& record) {
    if (record.fingerprint != work.request.write->fingerprint) return fail(work, problem::idempotency_key_reused);
    if (record.result) {
      auto result = std::make_shared<const answer>(*record.result);
      if constexpr (Entity::reads_before_replay)
        return read_row(std::move(work), [this, result](job told) { replay(told, result); });
      else
        return replay(work, std::move(result));
    }
    // Open, on this entity, and not run by this actor: left by a crash, or by a commit that landed after all. Read the
    // row, settle what is open on it, then answer from what that left.
    const bool mine = record.subject_kind == to_string(key_.kind) && record.subject_id == key_.id;
    if (mine && work.attempts < most_attempts) return again(std::move(work), true);
    fail(work, problem::request_in_progress);
  }

  void replay(job& work, answer_ptr result) {
    recent_.keep(*work.request.write, result);
    context_->meters.replays.Increment();
    deliver(work, entity_reply{finished{std::move(result), true}});
  }

  void finish_with(job& work, answer_ptr result) {
    recent_.keep(*work.request.write, result);
    deliver(work, entity_reply{finished{std::move(result), false}});
  }

  // ---- knowledge --------------------------------------------------------------------------------

  void learn(row_ptr row) {
    known_ = true;
    known_in_ = asked_in_;
    row_ = std::move(row);
    seen_timeline_.reset();
    entity().known(row_);
  }

  /// The row as this actor has committed it. Whatever else was on its way has lost its claim by that.
  void won(row_ptr row) {
    doubt_until_ = {};
    known_as_of_ = self_->clock().now();
    learn(std::move(row));
  }

  /// Whether no other node can have changed the row since it became known, as far as eras tell.
  bool is_of_this_era() const noexcept { return known_in_ == context_->nodes.era(); }

  void forget() {
    known_ = false;
    row_.reset();
    timeline_.reset();
    seen_timeline_.reset();
  }

  /// Answers a read from memory, if it can.
  std::optional<entity_reply> look(const entity_command& wanted) {
    const bool of_timeline = command_if<view_timeline>(wanted) != nullptr;
    if (!of_timeline && !command_if<view_entity>(wanted)) return std::nullopt;
    if (!row_) return entity_reply{Entity::not_found};
    if (!of_timeline) return entity_reply{entity_row{row_}};
    if constexpr (Entity::has_timeline) {
      if (!timeline_) return std::nullopt;
      if (!seen_timeline_)
        seen_timeline_ = std::make_shared<const timeline_view>(Entity::timeline_of(*row_, *timeline_));
      return entity_reply{seen_timeline_};
    } else {
      return entity_reply{Entity::not_found};
    }
  }

  entity_actor::pointer self_ = nullptr;
  const entity_context* context_ = nullptr;
  router_actor router_;
  entity_key key_;

  bool known_ = false;  ///< row_ is what the store holds
  bool busy_ = false;  ///< a request is under way
  std::size_t looks_ = 0;  ///< reads that the store has not answered yet
  bool moving_on_ = false;  ///< next() is at work further down the stack
  commit_doubt::time_point doubt_until_{};  ///< until then no row that is read is believed for longer than one request
  caf::actor_clock::time_point read_begun_at_{};
  caf::actor_clock::time_point known_as_of_{};  ///< when the row was no older than it is known
  std::uint64_t asked_in_ = 0;  ///< the era in which the store was last asked for the row, or to change it
  std::uint64_t known_in_ = 0;  ///< and of what is known of the row
  row_ptr row_;  ///< shared with readers
  std::optional<std::vector<timeline_entry>> timeline_;
  timeline_ptr seen_timeline_;  ///< shared with readers until the next change
  std::optional<idempotency> running_;
  entity_spans spans_;
  std::optional<job> waits_for_other_;
  bool leaves_open_ = false;  ///< perhaps: what is open on the row must be settled here
  recent_answers recent_;
  std::vector<job> waiting_;  ///< a vector, although it is a queue: see recent_answers
};

}  // namespace gateway::actors
