// An event that was read is passed to its notification's actor, as if the provider had posted it. So it counts once by
// its id, whether it is read or posted first, and is applied by the same code
// (docs/decisions/0053-events-that-were-not-posted-are-read.md). An event of the sandbox names its payment, which is
// then compared with the provider.
//
// The rows store the positions, so a crash loses nothing: the events after the last position are read again, and known
// events change nothing.

#include "event_reader.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "event_window.hpp"
#include "gateway/base/log.hpp"
#include "gateway/messages/ask_store.hpp"

namespace gateway::actors {

namespace {

using namespace std::chrono_literals;
using monotonic_time = caf::actor_clock::time_point;

constexpr std::chrono::minutes tick{1};
constexpr std::chrono::hours interval{1};
constexpr std::chrono::minutes first_read_pause{1}, longest_read_pause{60};
/// Events may appear in the list some time after they happened.
constexpr std::chrono::minutes overlap{10};
/// How far back a list without a position is read. An operator can start a read from an earlier time.
constexpr std::chrono::hours first_event_span{24};
/// An operator is answered after this time, even if the list is still being read.
constexpr std::chrono::seconds longest_answer{20};
/// A result that is requested later than this is out of date, and the list is read again.
constexpr std::chrono::seconds longest_claim{30};
constexpr std::chrono::seconds store_timeout{30};
constexpr std::chrono::minutes entity_timeout{2};
constexpr std::uint32_t accounts_at_once = 50, sandbox_page = 100;
constexpr std::size_t most_lists_under_way = 4;
/// How many events of one list are passed to their entities at a time.
constexpr std::size_t most_events_under_way = 16;
/// Each new event causes requests to the provider, so the next page is delayed by this time for each of them.
constexpr std::chrono::milliseconds pause_for_event{50};

using reader_actor = event_reader_actor::extend<
    // the pause of this list is over
    caf::reacts_to<work_atom, std::uint64_t>,
    // the operator's wait for this round is over: answer with what has been read
    caf::reacts_to<settle_atom, std::uint64_t>>;
using backfill_promise = caf::typed_response_promise<backfill_result>;

/// The lists of one provider in one environment, and when they are read next.
struct schedule {
  monotonic_time next{};
  bool under_way = false;
  std::uint32_t failures = 0;
  std::string after{};  ///< the accounts up to this one have been read
};

/// One pass over the lists of a provider.
struct reading_round {
  std::uint64_t id = 0;
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::optional<time_point> from;  ///< chosen by an operator
  bool overlaps = false;           ///< it starts `overlap` before `from`
  time_point now{};                ///< at its start
  monotonic_time begun{};
  schedule* of = nullptr;  ///< null: an operator requested the round
  backfill_promise promise{};
  std::string page_after{};  ///< where the present page of accounts begins
  std::string last{};        ///< its last account
  bool is_last_page = true;
  std::deque<event_lists_lookup::list> waiting{};
  std::size_t under_way = 0;
  bool begins_lists = false;  ///< go_on() is starting lists: a list that ends at once must not start more
  std::optional<std::string> failure{};
  bool yields = false;  ///< it ends because another node now reads the lists
  backfill_result made{};
};
using round_ptr = std::shared_ptr<reading_round>;

/// One list that is being read.
struct reading_list {
  round_ptr round;
  std::string account;
  std::optional<time_point> read_to;  ///< as stored
  bool advances;                      ///< it starts at or before the stored position, so the position may advance
  event_window window;
  std::string after{};
  std::string next{};  ///< where the page after the one being stored begins
  std::vector<entity_request> waiting{};  ///< of that page, last first
  std::size_t under_way = 0;
  std::uint64_t fresh = 0;
  bool failed = false;
};
using list_ptr = std::shared_ptr<reading_list>;

entity_request request_for(const receive_notification& event, environment env) {
  return {notification_key(event.provider, env, event.event_id), std::nullopt, notification_command{event}};
}

class event_reader {
 public:
  static inline const char* name = "event_reader";

  void start(reader_actor::pointer self, event_reader_context context) {
    self_ = self;
    context_.emplace(std::move(context));
    self_->send(self_, wake_atom::value);
  }

  void begin_due() {
    self_->delayed_send(self_, tick, wake_atom::value);
    if (!context_->nodes.serves() || !context_->nodes.owns("maintenance")) return;
    const auto now = trusted_now();
    if (!now) return;
    for (const auto& row : provider_catalogue)
      for (const auto env : {environment::test, environment::live}) {
        auto& of = schedules_[static_cast<std::size_t>(row.kind) * 2 + static_cast<std::size_t>(env)];
        if (of.under_way || self_->clock().now() < of.next || !keeps_list(row.kind) || !is_ready(row.kind, env))
          continue;
        of.under_way = true;
        auto round = new_round(row.kind, env, *now);
        round->of = &of;
        round->page_after = of.after;
        read_accounts(std::move(round));
      }
  }

  caf::result<backfill_result> backfill(const backfill_events& wanted) {
    const auto refused = [](std::string why) {
      backfill_result none;
      none.failure = std::move(why);
      return none;
    };
    const std::string kind{to_string(wanted.provider)};
    if (!keeps_list(wanted.provider)) return refused(kind + " keeps no list of events.");
    if (!is_ready(wanted.provider, wanted.env)) return refused(kind + " is not configured, or does not answer.");
    const auto now = trusted_now();
    if (!now) return refused("The clock of this machine is not trusted at the moment.");
    if (const auto last = wanted.joins ? take_finished(wanted) : std::nullopt) return *last;
    for (const auto& [id, each] : asked_for_) {
      if (each->provider != wanted.provider || each->env != wanted.env) continue;
      if (wanted.joins && each->from == wanted.from && !each->promise.pending()) return join(*each);
      return refused("An earlier command is still reading this list.");
    }
    auto round = new_round(wanted.provider, wanted.env, *now);
    round->from = wanted.from;
    round->overlaps = wanted.joins;
    round->promise = self_->make_response_promise<backfill_result>();
    asked_for_.emplace(round->id, round);
    self_->delayed_send(self_, longest_answer, settle_atom::value, round->id);
    auto promise = round->promise;
    read_accounts(std::move(round));
    return promise;
  }

  caf::result<backfill_result> join(reading_round& round) {
    round.promise = self_->make_response_promise<backfill_result>();
    self_->delayed_send(self_, longest_answer, settle_atom::value, round.id);
    return round.promise;
  }

  void answer_early(std::uint64_t id) {
    const auto at = asked_for_.find(id);
    if (at != asked_for_.end() && at->second->promise.pending()) at->second->promise.deliver(at->second->made);
  }

  void go_on_after_pause(std::uint64_t id) {
    if (auto node = paused_.extract(id)) ask_page(std::move(node.mapped()));
  }

 private:
  /// The result of an operator's round that ended after the operator was answered.
  struct finished_round {
    std::optional<time_point> from;
    backfill_result made;
    monotonic_time ended{};
  };
  std::optional<backfill_result> take_finished(const backfill_events& wanted) {
    const auto node = finished_.extract(list_of(wanted.provider, wanted.env));
    if (!node || node.mapped().from != wanted.from || self_->clock().now() - node.mapped().ended > longest_claim)
      return std::nullopt;
    return node.mapped().made;
  }
  static std::pair<provider_kind, environment> list_of(provider_kind kind, environment env) { return {kind, env}; }

  bool keeps_list(provider_kind kind) const noexcept {
    return traits_of(kind).sandbox || context_->lists[static_cast<std::size_t>(kind)];
  }
  bool is_ready(provider_kind kind, environment env) const noexcept {
    return context_->board.state_of(kind, env) == provider_state::ready;
  }
  std::optional<time_point> trusted_now() { return context_->watch.trusted_now(self_->clock().now()); }

  round_ptr new_round(provider_kind provider, environment env, time_point now) {
    auto round = std::make_shared<reading_round>();
    round->id = ++last_id_;
    round->provider = provider;
    round->env = env;
    round->now = now;
    round->begun = self_->clock().now();
    return round;
  }

  // ---- accounts -----------------------------------------------------------------------------------

  void read_accounts(round_ptr round) {
    ask_store(self_, context_->store.archive, store_timeout,
              find_event_lists{round->provider, round->env, round->page_after, accounts_at_once})
        .then([this, round](event_lists_lookup& found) { take_accounts(round, found); },
              [this, round](const caf::error&) {
                round->failure = "The database does not answer.";
                go_on(round);
              });
  }

  void take_accounts(const round_ptr& round, event_lists_lookup& found) {
    // All of the sandbox's events are in one list.
    if (traits_of(round->provider).sandbox) found.accounts.clear();
    round->is_last_page = found.accounts.size() < accounts_at_once;
    if (!found.accounts.empty()) round->last = found.accounts.back().account;
    if (round->page_after.empty()) round->waiting.push_back({{}, found.own_read_to});
    for (auto& each : found.accounts) round->waiting.push_back(std::move(each));
    go_on(round);
  }

  void go_on(const round_ptr& round) {
    if (round->begins_lists) return;
    if (round->failure || round->yields) round->waiting.clear();
    round->begins_lists = true;
    while (round->under_way < most_lists_under_way && !round->waiting.empty()) {
      auto next = std::move(round->waiting.front());
      round->waiting.pop_front();
      begin_list(round, std::move(next));
    }
    round->begins_lists = false;
    if (round->under_way > 0) return;
    if (round->failure || round->yields || round->is_last_page) return end(*round);
    round->page_after = round->last;
    read_accounts(round);
  }

  void end(reading_round& round) {
    if (round.made.fresh > 0 || round.failure || !round.of)
      log::info("provider_events_read", {{"provider", to_string(round.provider)},
                                         {"mode", to_string(round.env)},
                                         {"events", round.made.events},
                                         {"new", round.made.fresh},
                                         {"refused_accounts", round.made.refused},
                                         {"why_ended", round.failure.value_or("complete")}});
    if (round.of) return schedule_next(round);
    round.made.complete = !round.failure;
    round.made.failure = round.failure;
    if (round.promise.pending())
      round.promise.deliver(round.made);
    else
      finished_.insert_or_assign(list_of(round.provider, round.env),
                                 finished_round{round.from, round.made, self_->clock().now()});
    asked_for_.erase(round.id);
  }

  void schedule_next(const reading_round& round) {
    auto& of = *round.of;
    of.under_way = false;
    if (round.yields) {
      of = {};
    } else if (round.failure) {
      of.next = self_->clock().now() + doubled(first_read_pause, of.failures++, longest_read_pause);
      of.after = round.page_after;
    } else {
      of = {};
      of.next = round.begun + interval;
    }
  }

  // ---- one list -----------------------------------------------------------------------------------

  void begin_list(const round_ptr& round, event_lists_lookup::list what) {
    // A clock that was ahead may have stored a later time.
    if (what.read_to) what.read_to = std::min(*what.read_to, round->now);
    const auto chosen = round->from.value_or(what.read_to.value_or(round->now - first_event_span));
    const auto from = round->from && !round->overlaps ? chosen : chosen - overlap;
    const bool advances = !what.read_to || from <= *what.read_to;
    ++round->under_way;
    ask_page(std::make_shared<reading_list>(
        reading_list{round, std::move(what.account), what.read_to, advances, event_window{from, round->now + 1s}}));
  }

  void end_list(const list_ptr& list) {
    --list->round->under_way;
    go_on(list->round);
  }

  void fail(const list_ptr& list, std::string why) {
    if (!list->round->failure) list->round->failure = std::move(why);
    end_list(list);
  }

  void ask_page(list_ptr list) {
    auto& round = *list->round;
    if (list->window.empty() || round.failure || round.yields) return end_list(list);
    if (round.of && !(context_->nodes.serves() && context_->nodes.owns("maintenance"))) {
      round.yields = true;
      return end_list(list);
    }
    if (!trusted_now()) return fail(list, "The clock is not trusted.");
    if (!is_ready(round.provider, round.env)) return fail(list, "The provider does not answer.");
    traits_of(round.provider).sandbox ? ask_sandbox(std::move(list)) : ask_provider_for(std::move(list));
  }

  void ask_provider_for(list_ptr list) {
    const auto& round = *list->round;
    event_list_question question{round.provider,       round.env,  list->account, list->window.from(),
                                 list->window.until(), list->after};
    self_->request(context_->providers[static_cast<std::size_t>(round.provider)], caf::infinite, std::move(question))
        .then([this, list](event_list_page& page) { take_page(list, page); },
              [this, list](const caf::error&) { fail(list, "The provider does not answer."); });
  }

  void take_page(const list_ptr& list, event_list_page& page) {
    switch (page.what) {
      case event_list_page::state::unknown:
        return fail(list, page.error ? page.error->message : "The provider does not answer.");
      case event_list_page::state::refused:
        // For example, the account has left the platform. The other lists are still read.
        ++list->round->made.refused;
        return end_list(list);
      case event_list_page::state::listed: break;
    }
    // Only whole windows are read, so that the oldest events come first.
    if (!page.next.empty() && list->after.empty() && list->window.narrow()) return ask_page(list);
    list->round->made.events += page.events.size();
    list->next = std::move(page.next);
    for (auto each = page.events.rbegin(); each != page.events.rend(); ++each)
      list->waiting.push_back(request_for(*each, list->round->env));
    store_events(list);
  }

  void ask_sandbox(list_ptr list) {
    const auto& round = *list->round;
    find_sandbox_events question{round.provider,       round.env,   list->window.from(),
                                 list->window.until(), list->after, sandbox_page};
    ask_store(self_, context_->store.archive, store_timeout, std::move(question))
        .then([this, list](sandbox_events_lookup& found) { take_sandbox_page(list, found); },
              [this, list](const caf::error&) { fail(list, "The database does not answer."); });
  }

  /// The events are sorted oldest first, so the next page begins after the last of them.
  void take_sandbox_page(const list_ptr& list, const sandbox_events_lookup& found) {
    list->round->made.events += found.events.size();
    for (auto each = found.events.rbegin(); each != found.events.rend(); ++each) {
      auto key = payment_key(each->merchant, each->env, payment_id{each->payment_id});
      const bool is_known = std::ranges::any_of(list->waiting, [&](const auto& one) { return one.key == key; });
      if (!is_known) list->waiting.push_back({std::move(key), std::nullopt, payment_command{ask_provider{}}});
    }
    list->next.clear();
    if (found.events.size() == sandbox_page) {
      list->next = found.events.back().event_id;
      list->window.begin_at(found.events.back().at);
    }
    store_events(list);
  }

  void store_events(const list_ptr& list) {
    if (list->waiting.empty() && list->under_way == 0) return page_is_stored(list);
    while (!list->failed && !list->waiting.empty() && list->under_way < most_events_under_way) {
      auto request = std::move(list->waiting.back());
      list->waiting.pop_back();
      ++list->under_way;
      self_->request(context_->router, entity_timeout, std::move(request))
          .then([this, list, asked_at = context_->clock.now()](
                    const entity_reply& reply) { event_is_stored(list, is_done(reply), is_new(reply, asked_at)); },
                [this, list](const caf::error&) { event_is_stored(list, false, false); });
    }
  }

  /// An event about a payment that does not exist needs no work.
  static bool is_done(const entity_reply& reply) {
    const auto* why = std::get_if<problem>(&reply.what);
    return std::holds_alternative<entity_row>(reply.what) || (why && *why == problem::payment_not_found);
  }

  /// Whether the row was changed for this request.
  static bool is_new(const entity_reply& reply, time_point asked_at) {
    const auto* row = std::get_if<entity_row>(&reply.what);
    if (!row) return false;
    if (const auto* of = std::get_if<notification_ptr>(row)) return (*of)->received_at >= asked_at;
    if (const auto* of = std::get_if<payment_ptr>(row)) return (*of)->updated_at >= asked_at;
    return false;
  }

  void event_is_stored(const list_ptr& list, bool done, bool fresh) {
    --list->under_way;
    list->failed |= !done;
    if (fresh) {
      ++list->fresh;
      ++list->round->made.fresh;
    }
    if (!list->failed) return store_events(list);
    list->waiting.clear();
    if (list->under_way == 0) fail(list, "An event could not be stored or followed.");
  }

  /// All events before the position are durable now, so it can be stored.
  void page_is_stored(const list_ptr& list) {
    if (!list->next.empty()) {
      list->after = list->next;
      return go_on_later(list);
    }
    const auto read_to = std::min(list->window.until(), list->round->now);
    list->window.advance();
    list->after.clear();
    if (!list->advances || (list->read_to && read_to <= *list->read_to)) return go_on_later(list);
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.inserts.push_back(save_event_position{list->round->provider, list->round->env, list->account, read_to});
    self_->request(context_->store.recorder, store_timeout, std::move(unit))
        .then(
            [this, list, read_to](commit_outcome outcome) {
              if (outcome != commit_outcome::committed) return fail(list, "The database does not answer.");
              list->read_to = read_to;
              go_on_later(list);
            },
            [this, list](const caf::error&) { fail(list, "The database does not answer."); });
  }

  void go_on_later(const list_ptr& list) {
    const auto fresh = std::exchange(list->fresh, 0);
    if (fresh == 0 || list->window.empty()) return ask_page(list);
    const auto id = ++last_id_;
    paused_.emplace(id, list);
    self_->delayed_send(self_, pause_for_event * static_cast<int>(fresh), work_atom::value, id);
  }

  reader_actor::pointer self_ = nullptr;
  std::optional<event_reader_context> context_;
  std::array<schedule, provider_catalogue.size() * 2> schedules_{};
  std::unordered_map<std::uint64_t, round_ptr> asked_for_;  ///< by operators
  std::map<std::pair<provider_kind, environment>, finished_round> finished_;  ///< not asked for yet
  std::unordered_map<std::uint64_t, list_ptr> paused_;
  std::uint64_t last_id_ = 0;
};

reader_actor::behavior_type event_reader_behavior(reader_actor::stateful_pointer<event_reader> self,
                                                  event_reader_context context) {
  self->state.start(self, std::move(context));
  return {
      [self](const backfill_events& wanted) { return self->state.backfill(wanted); },
      [self](wake_atom) { self->state.begin_due(); },
      [self](work_atom, std::uint64_t id) { self->state.go_on_after_pause(id); },
      [self](settle_atom, std::uint64_t id) { self->state.answer_early(id); },
  };
}

}  // namespace

event_reader_actor spawn_event_reader(caf::actor_system& system, event_reader_context context) {
  return system.spawn(event_reader_behavior, std::move(context));
}

}  // namespace gateway::actors
