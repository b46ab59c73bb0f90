// One payment. The router spawns it when a request names the payment, and stops it when it has been
// idle; it owns the payment's state machine and runs one operation at a time, in arrival order.
//
// Around every provider call stand two durable steps. Begin takes the idempotency key and claims the row
// by its version; only then is the provider called. Finish stores the new state, the attempt, the events
// and the answer; only then is the client answered. A crash between the two leaves an open operation on
// the row: the next activation asks the provider again, under the same provider key, before anything else.
//
// What it remembers (row, timeline, recent answers) is what it has seen committed. Whenever a commit's
// outcome is in doubt it forgets, and the next request reads the truth. While such a commit may still land,
// its own or that of an actor before it, what it reads serves one request only.

#include "payment_actor.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"

namespace gateway::actors {

namespace {

template <class... Ts>
struct overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
overloaded(Ts...) -> overloaded<Ts...>;

using reply_promise = caf::typed_response_promise<payment_reply>;

/// Answers kept in memory for replays. Older ones are read from the store.
constexpr std::size_t remembered_answers = 8;
/// A claim lost to another owner, or an operation left open, is looked at again this often within one request.
constexpr unsigned most_attempts = 4;

/// The idempotency key towards the provider: the same for every call that one command makes.
/// The claim is part of it: once an idempotency key has been purged, its next use is another command, which the
/// provider must not answer from its memory of the first.
std::string provider_key_of(const payment_key& subject, const open_operation& open) {
  const auto& key = open.command;
  std::string text;
  text.reserve(160);
  text.append(key.merchant.value)
      .append("\n")
      .append(to_string(key.env))
      .append("\n")
      .append(key.principal)
      .append("\n")
      .append(key.key);
  text.append("\n").append(subject.id.value).append("\n").append(std::to_string(open.claim));
  const auto hash = crypto::sha256(text);
  return "pk_" + crypto::hex(std::span{hash}.first(16));
}

/// A request on its way through the actor.
struct job {
  payment_request request;
  reply_promise promise;
  unsigned attempts = 0;
  bool began = false;  ///< its own begin has committed: what is open on the row is its operation
  provider_places::place place{};  ///< with the provider of its operation
};

class payment_entity {
 public:
  static inline const char* name = "payment";

  void start(payment_actor::pointer self, std::shared_ptr<const payment_context> context, router_actor router,
             const payment_key& key) {
    self_ = self;
    context_ = std::move(context);
    router_ = std::move(router);
    key_ = key;
    if (const auto until = context_->doubt.until(); until > self_->clock().now()) doubt_until_ = until;
  }

  caf::result<payment_reply> accept(payment_request& request) {
    if (request.write)
      if (auto known = answer_from_memory(*request.write)) return std::move(*known);
    // A read sees the last committed state, also while an operation is under way.
    if (known_ && current_ && !request.write)
      if (auto seen = look(request)) return std::move(*seen);
    if (busy_ && waiting_.size() >= context_->config.payment_queue) {
      context_->meters.shed("payment_queue").Increment();
      return payment_reply{problem::overloaded};
    }
    auto promise = self_->make_response_promise<payment_reply>();
    if (busy_) request.admission.reset();  // it waits for its payment, not for the gateway
    if (busy_)
      waiting_.push_back(job{std::move(request), promise});
    else
      step(job{std::move(request), promise});
    return promise;
  }

  void passivate() {
    if (busy_)
      self_->send(router_, keep_atom::value, key_);
    else
      self_->quit();
  }

 private:
  // ---- the way of a request ---------------------------------------------------------------------

  void step(job work) {
    busy_ = true;
    if (work.request.write) running_ = work.request.write;
    // A create goes straight to its insert: the database tells if the payment exists.
    if (!known_ && !std::holds_alternative<create_payment>(work.request.what)) return load(std::move(work));
    if (current_ && current_->open && !current_->open->answered) return settle_abandoned(std::move(work));
    dispatch(std::move(work));
  }

  void load(job work) {
    self_->request(context_->store.reader_for(key_), caf::infinite, find_payment{key_})
        .then(
            [this, work](payment_lookup& row) mutable {
              learn(std::move(row.found));
              step(std::move(work));
            },
            [this, work](const caf::error&) mutable { refuse(work, problem::store_unavailable); });
  }

  void dispatch(job work) {
    const auto& what = work.request.what;
    if (std::holds_alternative<create_payment>(what)) return create(std::move(work));
    if (std::holds_alternative<capture_payment>(what)) return operate<capture_payment>(std::move(work));
    if (std::holds_alternative<refund_payment>(what)) return operate<refund_payment>(std::move(work));
    if (std::holds_alternative<void_payment>(what)) return operate<void_payment>(std::move(work));
    if (std::holds_alternative<hosted_result>(what)) return hosted(std::move(work));
    if (std::holds_alternative<settle_due>(what)) return settle(std::move(work));
    view(std::move(work));
  }

  void deliver(job& work, payment_reply reply) {
    work.promise.deliver(std::move(reply));
    work.request.admission.reset();
    work.place.reset();  // the next one may need it
    next();
  }

  void refuse(job& work, problem why) { deliver(work, payment_reply{why}); }

  void next() {
    running_.reset();
    busy_ = false;
    // That there is no such payment is true only until somebody creates it, perhaps by way of another node.
    if (!current_) known_ = false;
    if (doubt_until_ > commit_doubt::time_point{}) {
      // Also at the end of the doubt: what was read for this request may have been read before it.
      forget();
      if (self_->clock().now() >= doubt_until_) doubt_until_ = {};
    }
    // What is refused at once comes back here from within: one loop for all, or thousands that wait would nest.
    if (std::exchange(moving_on_, true)) return;
    while (!busy_ && !waiting_.empty()) {
      auto work = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
      if (work.request.write)
        if (auto known = answer_from_memory(*work.request.write)) {
          work.promise.deliver(std::move(*known));
          continue;
        }
      step(std::move(work));
    }
    moving_on_ = false;
  }

  // ---- writes -----------------------------------------------------------------------------------

  void create(job work) {
    const auto& wanted = std::get<create_payment>(work.request.what);
    if (known_ && current_) return refuse_unless_key_is_known(std::move(work), problem::payment_already_exists);
    const auto who = context_->merchants.find_merchant(key_.merchant);
    if (!who) return refuse_unless_key_is_known(std::move(work), problem::merchant_not_charge_capable);
    auto way = choose_route(*who, key_.env, wanted, context_->config.dev);
    if (const auto* why = std::get_if<problem>(&way)) return refuse_unless_key_is_known(std::move(work), *why);
    if (!take_place(work, std::get<route_choice>(way).provider)) return refuse(work, problem::overloaded);

    const auto now = context_->clock.now();
    unit_of_work unit;
    unit.insert_payment =
        begin_payment(key_, wanted, std::get<route_choice>(way), work.request.write->key, now, context_->timing());
    unit.insert_command = record_of(work, operation::create, wanted.amount.minor, {}, now);
    auto begun = *unit.insert_payment;
    commit(std::move(unit), [this, work = std::move(work), begun = std::move(begun)](commit_outcome outcome) mutable {
      switch (outcome) {
        case commit_outcome::committed:
          work.began = true;
          won(std::move(begun));
          timeline_.emplace();
          return call_provider(std::move(work), false);
        case commit_outcome::duplicate_command: return answer_from_store(std::move(work));
        case commit_outcome::payment_exists:
          // The key was free (a taken one is told first), so nothing is stored under it.
          return refuse(work, problem::payment_already_exists);
        default: return not_committed(work, outcome);
      }
    });
  }

  template <class Command>
  void operate(job work) {
    const auto& wanted = std::get<Command>(work.request.what);
    if (!current_) return refuse_unless_key_is_known(std::move(work), problem::payment_not_found);
    const auto now = context_->clock.now();
    auto decided = decide(*current_, wanted, work.request.write->key, now, context_->timing());
    std::int64_t amount = 0;
    std::string reason;
    if constexpr (requires { wanted.amount; }) amount = wanted.amount;
    if constexpr (requires { wanted.reason; }) reason = wanted.reason;

    unit_of_work unit;
    if (auto* done = std::get_if<conclusion>(&decided)) {
      auto result = std::make_shared<const answer>(context_->encoder.encode(done->result));
      unit.insert_command = record_of(work, done->result.what, amount, std::move(reason), now);
      unit.insert_command->result = *result;
      unit.insert_command->finished_at = now;
      // A claim too: what is refused for good must be refused by the row as it is, not as it was when this actor read
      // it.
      auto judged = *current_;
      judged.version += 1;
      unit.update_payment = judged;
      return commit(std::move(unit), [this, work = std::move(work), result = std::move(result),
                                      judged = std::move(judged)](commit_outcome outcome) mutable {
        switch (outcome) {
          case commit_outcome::committed: won(std::move(judged)); return finish_with(work, std::move(result));
          case commit_outcome::duplicate_command: return answer_from_store(std::move(work));
          case commit_outcome::lost_claim: return again(std::move(work));
          default: return not_committed(work, outcome);
        }
      });
    }

    if (!take_place(work, current_->provider)) return refuse(work, problem::overloaded);
    auto& claimed = std::get<claim>(decided).claimed;
    unit.insert_command = record_of(work, claimed.open->what, claimed.open->amount, std::move(reason), now);
    unit.update_payment = claimed;
    commit(std::move(unit),
           [this, work = std::move(work), claimed = std::move(claimed)](commit_outcome outcome) mutable {
             switch (outcome) {
               case commit_outcome::committed:
                 work.began = true;
                 won(std::move(claimed));
                 return call_provider(std::move(work), false);
               case commit_outcome::duplicate_command: return answer_from_store(std::move(work));
               case commit_outcome::lost_claim: return again(std::move(work));
               default: return not_committed(work, outcome);
             }
           });
  }

  command_record record_of(const job& work, operation what, std::int64_t amount, std::string reason,
                           time_point now) const {
    return {work.request.write->key,
            work.request.write->fingerprint,
            what,
            key_.id,
            amount,
            std::move(reason),
            now,
            std::nullopt,
            std::nullopt};
  }

  // ---- provider and finish ----------------------------------------------------------------------

  /// Past the limit no operation begins.
  bool take_place(job& work, provider_kind of) {
    if (!work.place) work.place = places_of(of).take(context_->config.provider_in_flight);
    if (!work.place) context_->meters.shed("provider").Increment();
    return work.place != nullptr;
  }
  /// What has begun is never refused: past the limit it takes its place all the same, and what would begin makes room.
  void occupy_place(job& work, provider_kind of) {
    if (!work.place) work.place = places_of(of).take(std::numeric_limits<std::size_t>::max());
  }
  const provider_places& places_of(provider_kind of) const { return context_->places[static_cast<std::size_t>(of)]; }

  /// Calls the provider for the operation that is open on the current row. The caller has taken a place.
  void call_provider(job work, bool asked_again) {
    work.request.admission.reset();
    provider_call call;
    call.provider_key = provider_key_of(key_, *current_->open);
    call.what = current_->open->what;
    call.asked_again = asked_again;
    call.amount = current_->open->amount;
    call.subject = *current_;
    call.begun_at = current_->open->begun_at;
    self_->request(context_->providers[static_cast<std::size_t>(current_->provider)], caf::infinite, std::move(call))
        .then([this, work](provider_result& result) mutable { finish(std::move(work), result); },
              [this, work](const caf::error&) mutable {
                // The gate itself is gone: whether a call went out is not known.
                provider_error error{error_category::internal, "provider_unreachable",
                                     "The provider's answer was lost.", true, true};
                finish(std::move(work), provider_result{provider_status::unknown, {}, {}, std::move(error)});
              });
  }

  void finish(job work, const provider_result& result) {
    const auto now = context_->clock.now();
    const auto open = *current_->open;
    auto change = conclude(*current_, result, now, context_->timing());
    unit_of_work unit;
    answer_ptr told;
    if (!open.answered) {
      told = std::make_shared<const answer>(context_->encoder.encode(change.result));
      unit.finish_command = command_finish{open.command, told, now};
    }
    commit_change(std::move(unit), std::move(change),
                  [this, work = std::move(work), told, open](commit_outcome outcome) mutable {
                    // A request with the same key that did not begin this operation may be another request: it learns
                    // from the stored record whether it is.
                    const bool own = work.began && work.request.write->key == open.command;
                    if (outcome == commit_outcome::committed) {
                      if (own) return finish_with(work, std::move(told));
                      if (std::holds_alternative<settle_due>(work.request.what)) {
                        context_->meters.settled.Increment();
                        return view(std::move(work));
                      }
                      return step(std::move(work));
                    }
                    if (outcome == commit_outcome::lost_claim) {
                      // Another owner settled this operation: the truth, and the answer, are in the store.
                      return own ? answer_from_store(std::move(work)) : again(std::move(work));
                    }
                    not_committed(work, outcome);
                  });
  }

  /// An operation that a crash, or a store that was away, left open: ask the provider again, then go on with `work`.
  void settle_abandoned(job work) {
    occupy_place(work, current_->provider);
    log::info("operation_resumed", {{"merchant", key_.merchant.value},
                                    {"payment_id", key_.id.value},
                                    {"operation", to_string(current_->open->what)}});
    call_provider(std::move(work), true);
  }

  void settle(job work) {
    if (!current_ && work.attempts == 0) return again(std::move(work), true);
    if (!current_) return refuse(work, problem::payment_not_found);
    const auto now = context_->clock.now();
    if (current_->open && current_->due_at && *current_->due_at <= now) {
      occupy_place(work, current_->provider);
      return call_provider(std::move(work), true);
    }
    if (auto change = expire_hosted(*current_, now)) return change_state(std::move(work), std::move(*change));
    // The store says that something is due and memory does not: the store is right.
    if (work.attempts == 0) return again(std::move(work), true);
    view(std::move(work));
  }

  void hosted(job work) {
    if (!current_) return refuse(work, problem::payment_not_found);
    const auto& seen = std::get<hosted_result>(work.request.what);
    if (seen.provider_ref == current_->provider_ref)
      if (auto change = settle_hosted(*current_, seen.signal, context_->clock.now()))
        return change_state(std::move(work), std::move(*change));
    view(std::move(work));
  }

  /// A change that no client's command asked for: from the hosted page, or from time.
  void change_state(job work, transition change) {
    commit_change({}, std::move(change), [this, work = std::move(work)](commit_outcome outcome) mutable {
      if (outcome == commit_outcome::committed) return view(std::move(work));
      if (outcome == commit_outcome::lost_claim) return again(std::move(work));
      not_committed(work, outcome);
    });
  }

  /// Commits a transition together with `unit`; once committed, it is what this actor knows.
  template <class Then>
  void commit_change(unit_of_work unit, transition change, Then then) {
    for (auto& entry : change.entries)
      if (entry.kind == timeline_kind::event) {
        entry.event_id = "evt_" + crypto::random_hex(16);
        entry.event_data = context_->encoder.event_data(change.next, entry.operation);
      }
    unit.update_payment = change.next;
    unit.entries = change.entries;
    auto outbox = deliveries_of(change.entries);
    for (const auto& job : outbox.jobs) unit.deliveries.push_back(job.row);
    commit(std::move(unit), [this, change = std::move(change), outbox = std::move(outbox),
                             then = std::move(then)](commit_outcome outcome) mutable {
      if (outcome == commit_outcome::committed) {
        won(std::move(change.next));
        if (timeline_) std::ranges::move(change.entries, std::back_inserter(*timeline_));
        if (!outbox.jobs.empty()) self_->send(context_->dispatcher, std::move(outbox));
      }
      then(outcome);
    });
  }

  /// Who is to be told of these events: part of the same commit, so that no event is without its deliveries.
  fresh_deliveries deliveries_of(const std::vector<timeline_entry>& entries) {
    fresh_deliveries outbox;
    const auto owner = context_->merchants.find_merchant(key_.merchant);
    if (!owner) {
      // The directory is read before anything runs, so this is a fault of the gateway, and nobody would be told of the
      // event.
      if (!entries.empty())
        log::error("event_without_merchant", {{"merchant", key_.merchant.value}, {"payment_id", key_.id.value}});
      return outbox;
    }
    for (const auto& entry : entries) {
      if (entry.kind != timeline_kind::event) continue;
      for (const auto& to : owner->destinations) {
        if (!is_for(to, key_.env, entry.operation)) continue;
        delivery row;
        row.id = context_->numbers.next(entry.occurred_at);
        row.subject = key_;
        row.event_seq = entry.seq;
        row.to = to.id;
        row.next_attempt_at = entry.occurred_at;
        row.created_at = entry.occurred_at;
        outbox.jobs.push_back(
            {std::move(row), {entry.event_id, key_, entry.seq, entry.operation, entry.occurred_at, entry.event_data}});
      }
    }
    return outbox;
  }

  template <class Then>
  void commit(unit_of_work unit, Then then) {
    // One continuation for both handlers: only one of them runs.
    auto shared = std::make_shared<Then>(std::move(then));
    self_->request(context_->store.writer_for(key_), caf::infinite, std::move(unit))
        .then([shared](commit_outcome outcome) { (*shared)(outcome); },
              [shared](const caf::error& error) {
                (*shared)(is(error, actor_errc::overloaded) ? commit_outcome::refused : commit_outcome::unavailable);
              });
  }

  // ---- idempotency ------------------------------------------------------------------------------

  /// What memory knows of this key: an answer to replay, a request under way, or nothing.
  std::optional<payment_reply> answer_from_memory(const idempotency& write) {
    const auto told = [&](const std::string& fingerprint) {
      return payment_reply{fingerprint == write.fingerprint ? problem::request_in_progress
                                                            : problem::idempotency_key_reused};
    };
    if (running_ && running_->key == write.key) return told(running_->fingerprint);
    for (const auto& other : waiting_)
      if (other.request.write && other.request.write->key == write.key && &*other.request.write != &write)
        return told(other.request.write->fingerprint);
    for (const auto& past : recent_)
      if (past.write.key == write.key) {
        if (past.write.fingerprint != write.fingerprint) return payment_reply{problem::idempotency_key_reused};
        context_->meters.replays.Increment();
        return payment_reply{finished{past.result, true}};
      }
    return std::nullopt;
  }

  /// The key is taken: the store knows for which request, and what came of it. Whoever took it may have changed the
  /// row.
  void answer_from_store(job work) {
    forget();
    lookup_key(std::move(work), [this](job again_work) {
      // Purged between the two looks: the key is free again.
      again(std::move(again_work));
    });
  }

  /// Refusals are not stored. But a key that already has an answer is answered with that.
  void refuse_unless_key_is_known(job work, problem why) {
    lookup_key(std::move(work), [this, why](job refused_work) { refuse(refused_work, why); });
  }

  template <class Absent>
  void lookup_key(job work, Absent absent) {
    const auto key = work.request.write->key;
    self_->request(context_->store.reader_for(key_), caf::infinite, find_command{key})
        .then(
            [this, work, absent](command_lookup& row) mutable {
              if (!row.found) return absent(std::move(work));
              answer_from_record(std::move(work), *row.found);
            },
            [this, work](const caf::error&) mutable { refuse(work, problem::store_unavailable); });
  }

  void answer_from_record(job work, const command_record& record) {
    if (record.fingerprint != work.request.write->fingerprint) return refuse(work, problem::idempotency_key_reused);
    if (record.result) {
      auto result = std::make_shared<const answer>(*record.result);
      remember(*work.request.write, result);
      context_->meters.replays.Increment();
      return deliver(work, payment_reply{finished{std::move(result), true}});
    }
    // Open, on this payment, and not run by this actor: left by a crash, or by a commit that landed after all. Read the
    // row, settle what is open on it, then answer from what that left.
    if (record.payment == key_.id && work.attempts < most_attempts) return again(std::move(work), true);
    refuse(work, problem::request_in_progress);
  }

  /// Reads the row again, and tries the request on it again.
  void again(job work, bool load_first = false) {
    if (++work.attempts > most_attempts)
      return refuse(work, work.request.write ? problem::request_in_progress : problem::overloaded);
    forget();
    if (load_first) return load(std::move(work));
    step(std::move(work));
  }

  void remember(const idempotency& write, answer_ptr result) {
    if (recent_.size() >= remembered_answers) recent_.erase(recent_.begin());
    recent_.push_back({write, std::move(result)});
  }

  void finish_with(job& work, answer_ptr result) {
    remember(*work.request.write, result);
    deliver(work, payment_reply{finished{std::move(result), false}});
  }

  // ---- knowledge --------------------------------------------------------------------------------

  void learn(std::optional<payment> row) {
    known_ = true;
    current_ = std::move(row);
    seen_payment_.reset();
    seen_timeline_.reset();
  }

  /// The row as this actor has committed it. Whatever else was on its way has lost its claim by that.
  void won(payment row) {
    learn(std::move(row));
    doubt_until_ = {};
  }

  void forget() {
    known_ = false;
    current_.reset();
    timeline_.reset();
    seen_payment_.reset();
    seen_timeline_.reset();
  }

  /// Not committed, as far as the store said. The client is told to come back with the same key.
  void not_committed(job& work, commit_outcome outcome) {
    forget();
    if (outcome == commit_outcome::refused) {
      context_->meters.shed("store_queue").Increment();
      return refuse(work, problem::overloaded);
    }
    doubt_until_ = context_->doubt.raise(self_->clock().now());
    refuse(work, problem::store_unavailable);
  }

  // ---- reads ------------------------------------------------------------------------------------

  /// Answers a read from memory, if it can.
  std::optional<payment_reply> look(const payment_request& request) {
    if (std::holds_alternative<view_payment>(request.what)) {
      if (!current_) return payment_reply{problem::payment_not_found};
      if (!seen_payment_) seen_payment_ = std::make_shared<const payment>(*current_);
      return payment_reply{seen_payment_};
    }
    if (std::holds_alternative<view_timeline>(request.what)) {
      if (!current_) return payment_reply{problem::payment_not_found};
      if (!timeline_) return std::nullopt;
      if (!seen_timeline_)
        seen_timeline_ = std::make_shared<const timeline_view>(
            timeline_view{key_, current_->hides_provider, current_->provider, *timeline_});
      return payment_reply{seen_timeline_};
    }
    return std::nullopt;
  }

  void view(job work) {
    if (!std::holds_alternative<view_timeline>(work.request.what)) work.request.what = view_payment{};
    if (auto seen = look(work.request)) return deliver(work, std::move(*seen));
    self_->request(context_->store.reader_for(key_), caf::infinite, find_timeline{key_})
        .then(
            [this, work](timeline_lookup& rows) mutable {
              timeline_ = std::move(rows.entries);
              view(std::move(work));
            },
            [this, work](const caf::error&) mutable { refuse(work, problem::store_unavailable); });
  }

  struct past_answer {
    idempotency write;
    answer_ptr result;
  };

  payment_actor::pointer self_ = nullptr;
  std::shared_ptr<const payment_context> context_;
  router_actor router_;
  payment_key key_;

  bool known_ = false;  ///< current_ is what the store holds
  bool busy_ = false;  ///< a request is under way
  bool moving_on_ = false;  ///< next() is at work further down the stack
  commit_doubt::time_point doubt_until_{};  ///< until then no row that is read is believed for longer than one request
  std::optional<payment> current_;
  std::optional<std::vector<timeline_entry>> timeline_;
  payment_ptr seen_payment_;  ///< shared with readers until the next change
  timeline_ptr seen_timeline_;
  std::optional<idempotency> running_;
  // Vectors, although both are queues: they are short, and an empty deque would cost each idle actor half a kilobyte.
  std::vector<past_answer> recent_;
  std::vector<job> waiting_;
};

payment_actor::behavior_type payment_behavior(payment_actor::stateful_pointer<payment_entity> self,
                                              std::shared_ptr<const payment_context> context, router_actor router,
                                              payment_key key) {
  self->state.start(self, std::move(context), std::move(router), key);
  return {
      [self](payment_request& request) { return self->state.accept(request); },
      [self](passivate_atom) { self->state.passivate(); },
  };
}

}  // namespace

payment_actor spawn_payment(caf::actor_system& system, std::shared_ptr<const payment_context> context,
                            router_actor router, const payment_key& key, std::uint64_t activation) {
  auto actor = system.spawn<caf::lazy_init>(payment_behavior, std::move(context), router, key);
  caf::actor_cast<caf::abstract_actor*>(actor)->attach_functor(
      [router = std::move(router), key, activation](const caf::error&) {
        caf::anon_send(router, passivate_atom::value, key, activation);
      });
  return actor;
}

}  // namespace gateway::actors
