// Operator commands run in arrival order: check against what is known, make durable, then change what is known and
// publish the new snapshot of the merchant, key or destination. Those that wait together and change different things
// share a commit; what one of them finds does not depend on another. The parts (merchants, people, credentials,
// platforms, destinations) know their rows and plan their commands; here are the queue and what a commit's outcome
// means. A command whose commit is in doubt is answered as such; what is known is then read again, so that it never
// differs from the store.
//
// A password is hashed before its command joins the queue: nothing waits for it. The hasher answers in the order in
// which it was asked, so users of one merchant follow each other as they came.
//
// Among several nodes each has such an actor. Every change stands in the directory's log, and names the turn in which
// it was planned: if another node's change came first, it is planned again with what that one has made. A change is
// answered once every live node has published it, and so is a command that finds all as it would make it. The keeper
// tells how far the log goes; what it names is then read, and published.

#include "directory_actor.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <caf/all.hpp>

#include "changes_of.hpp"
#include "credentials.hpp"
#include "destinations.hpp"
#include "merchants.hpp"
#include "people.hpp"
#include "platforms.hpp"

namespace gateway::actors {

namespace {

using result_promise = caf::typed_response_promise<operator_result>;
/// It wakes itself while the store is away, once to read the grants again, and to try again to read the log.
using waking_directory =
    directory_actor::extend<caf::reacts_to<wake_atom>, caf::reacts_to<settle_atom>, caf::reacts_to<keep_atom>>;

constexpr unsigned most_lost_turns = 20;
constexpr std::chrono::milliseconds pause_after_failed_read{200};

/// By then a commit has landed, or never will, that got no answer, or whose process did not live to hear of it.
constexpr std::chrono::minutes late_commits_have_landed{1};

class command_queue {
 public:
  command_queue(waking_directory::pointer self, const directory_context& context)
      : self_{self},
        store_{context.store},
        hasher_{context.hasher},
        merchants_{context.published, context.clock},
        people_{merchants_, context.clock},
        credentials_{merchants_, context.published, context.keys, context.clock},
        platforms_{context.published, context.keys, context.clock,
                   [this](const platform_id& id) { destinations_.publish_of(id.value); }},
        destinations_{merchants_,
                      platforms_,
                      context.published,
                      context.keys,
                      context.clock,
                      [this](const destination_id& id) {
                        if (dispatcher_) self_->send(dispatcher_, destination_changed{id});
                      }},
        published_{context.published},
        keeper_{context.keeper} {}

  caf::result<bool> load() {
    auto promise = self_->make_response_promise<bool>();
    read([promise](bool read_well) mutable { promise.deliver(read_well); });
    self_->delayed_send(self_, late_commits_have_landed, settle_atom::value);
    return promise;
  }

  /// A grant's actor would find such a commit when it is next asked; requests only ask the snapshot. Versions decide,
  /// so that whatever grants' actors have published since stays.
  void read_grants_again() {
    self_->request(store_.readers.front(), caf::infinite, find_directory{})
        .then([this](const directory_lookup& rows) { publish_grants(rows); },
              [this](const caf::error&) { self_->delayed_send(self_, std::chrono::seconds{1}, settle_atom::value); });
  }

  /// The log goes up to this number.
  void follow(std::int64_t number) {
    log_goes_to_ = std::max(log_goes_to_, number);
    if (!busy()) next();
  }

  void tell(dispatcher_actor dispatcher) { dispatcher_ = std::move(dispatcher); }

  caf::result<operator_result> take(operator_command& command) {
    auto promise = self_->make_response_promise<operator_result>();
    std::visit([&](auto& wanted) { accept(std::move(wanted), promise); }, command);
    return promise;
  }

  /// Until the store has told what is true, no command is begun.
  void read_again() {
    reading_ = true;
    read([this](bool read_well) {
      if (read_well) {
        reading_ = false;
        return next();
      }
      for (auto& work : waiting_) work.promise.deliver(make_error(actor_errc::store_unavailable));
      waiting_.clear();
      self_->delayed_send(self_, std::chrono::seconds{1}, wake_atom::value);
    });
  }

  /// What is under way would be missing from what is read now.
  void look_again() {
    if (under_way_ > 0)
      doubt_ = true;
    else
      read_again();
  }

 private:
  struct waiting_command {
    std::string changes;  ///< no two under way change the same
    std::function<planned()> prepare;
    result_promise promise;
    unsigned lost = 0;  ///< turns that another node was faster in
  };

  // ---- the queue --------------------------------------------------------------------------------

  /// No hash is made for a merchant that is not there.
  void accept(add_user wanted, result_promise promise) {
    if (!merchants_.has(wanted.merchant)) {
      promise.deliver(operator_result{no_such("merchant", wanted.merchant.value)});
      return;
    }
    auto password = std::exchange(wanted.password, {});
    with_hash(std::move(password), promise, [this, wanted = std::move(wanted), promise](std::string& hash) {
      accept(add_hashed_user{wanted.merchant, wanted.email, std::move(hash), wanted.role}, promise);
    });
  }

  void accept(accept_invitation wanted, result_promise promise) {
    if (!people_.has(wanted.user)) {
      promise.deliver(operator_result{no_such("user", wanted.user.value)});
      return;
    }
    auto password = std::exchange(wanted.password, {});
    with_hash(std::move(password), promise, [this, wanted = std::move(wanted), promise](std::string& hash) {
      accept(accept_hashed_invitation{wanted.merchant, wanted.user, wanted.token_id, std::move(hash)}, promise);
    });
  }

  template <class Then>
  void with_hash(std::string password, result_promise promise, Then then) {
    self_->request(hasher_, caf::infinite, hash_password{std::move(password)})
        .then([then = std::move(then)](std::string& hash) mutable { then(hash); },
              [promise](const caf::error& failure) mutable { promise.deliver(failure); });
  }

  void accept(revoke_key wanted, result_promise promise) {
    if (wanted.id.value.starts_with(platform_key_prefix))
      enqueue(platforms_, std::move(wanted), std::move(promise));
    else
      enqueue(credentials_, std::move(wanted), std::move(promise));
  }

  template <class Command>
  void accept(Command wanted, result_promise promise) {
    enqueue(owner_of<Command>(), std::move(wanted), std::move(promise));
  }

  template <class Owner, class Command>
  void enqueue(Owner& owner, Command wanted, result_promise promise) {
    constexpr std::size_t most_waiting = 1'000;
    if (waiting_.size() >= most_waiting) {
      promise.deliver(make_error(actor_errc::overloaded));
      return;
    }
    auto changes = owner.changes(wanted);
    waiting_.push_back({std::move(changes), [&owner, wanted = std::move(wanted)] { return owner.prepare(wanted); },
                        std::move(promise)});
    if (!busy()) next();
  }

  /// The part that plans such commands.
  template <class Command>
  auto& owner_of() {
    if constexpr (requires(const Command& wanted) { merchants_.prepare(wanted); })
      return merchants_;
    else if constexpr (requires(const Command& wanted) { people_.prepare(wanted); })
      return people_;
    else if constexpr (requires(const Command& wanted) { credentials_.prepare(wanted); })
      return credentials_;
    else if constexpr (requires(const Command& wanted) { platforms_.prepare(wanted); })
      return platforms_;
    else
      return destinations_;
  }

  bool busy() const { return reading_ || under_way_ > 0; }

  /// Begins those in front of the queue, up to the first that changes what another of them does.
  void next() {
    constexpr std::size_t most_together = 64;
    if (!reading_ && under_way_ == 0 && (turn_is_unknown_ || published_to_ < log_goes_to_)) return read_news();
    std::set<std::string> changing;
    while (!reading_ && !waiting_.empty() && under_way_ < most_together) {
      if (changing.contains(waiting_.front().changes)) break;
      auto work = std::move(waiting_.front());
      waiting_.pop_front();
      auto judged = work.prepare();
      if (auto* why = std::get_if<operator_problem>(&judged)) {
        work.promise.deliver(operator_result{std::move(*why)});
        continue;
      }
      if (auto* same = std::get_if<unchanged>(&judged)) {
        deliver_everywhere(work.promise, std::move(same->told));
        continue;
      }
      if (!work.changes.empty()) changing.insert(work.changes);
      run(std::move(std::get<plan>(judged)), std::move(work));
    }
  }

  // ---- commits ----------------------------------------------------------------------------------

  void run(plan what, waiting_command work) {
    ++under_way_;
    if (keeper_) log_changes(what.unit);
    self_->request(store_.writers.front(), caf::infinite, std::move(what.unit))
        .then(
            [this, what = std::move(what), work](commit_outcome outcome) {
              settle(outcome, what, work);
              done();
            },
            [this, promise = work.promise](const caf::error&) {
              in_doubt(promise);
              done();
            });
  }

  /// The units of one moment are committed in the order in which they are sent: each takes a turn. If one fails, those
  /// behind it lose theirs.
  void log_changes(unit_of_work& unit) {
    const auto changed = changes_of(unit);
    unit.inserts.insert(unit.inserts.end(), changed.begin(), changed.end());
    unit.claims.push_back(directory_turn{turn_++});
  }

  void settle(commit_outcome outcome, const plan& what, waiting_command work) {
    if (keeper_ && outcome != commit_outcome::committed) turn_is_unknown_ = true;
    switch (outcome) {
      case commit_outcome::committed: deliver_everywhere(work.promise, what.apply()); break;
      case commit_outcome::unavailable: in_doubt(std::move(work.promise)); break;
      case commit_outcome::rejected: work.promise.deliver(make_error(actor_errc::overloaded)); break;
      case commit_outcome::lost_claim:
        // Planned again, once it is known what has come first. What is sent together comes back in its order.
        if (keeper_ && work.lost++ < most_lost_turns) {
          waiting_.insert(waiting_.begin() + static_cast<std::ptrdiff_t>(came_back_++), std::move(work));
          break;
        }
        [[fallthrough]];
      case commit_outcome::duplicate_command:
      case commit_outcome::entity_exists:
      case commit_outcome::duplicate_record:
        if (outcome == commit_outcome::duplicate_record && what.another) return run(what.another(), std::move(work));
        work.promise.deliver(operator_result{operator_problem{operator_problem::kind::conflict, what.when_duplicate}});
        break;
    }
  }

  /// Whatever the answer says is in force on every node by then.
  void deliver_everywhere(result_promise promise, operator_result told) {
    if (!keeper_) {
      promise.deliver(std::move(told));
      return;
    }
    self_->request(keeper_, caf::infinite, await_published{})
        .then([promise, told = std::move(told)](bool) mutable { promise.deliver(std::move(told)); },
              [promise](const caf::error&) mutable { promise.deliver(make_error(actor_errc::store_unavailable)); });
  }

  /// It may have been committed.
  void in_doubt(result_promise promise) {
    doubt_ = true;
    // It may land even after the reading that follows.
    self_->delayed_send(self_, late_commits_have_landed, wake_atom::value);
    promise.deliver(make_error(actor_errc::store_unavailable));
  }

  void done() {
    if (--under_way_ > 0) return;
    came_back_ = 0;
    if (std::exchange(doubt_, false))
      read_again();
    else
      next();
  }

  // ---- from the store ---------------------------------------------------------------------------

  template <class Then>
  void read(Then then) {
    if (keeper_) return read_log(-1, std::move(then));
    self_->request(store_.readers.front(), caf::infinite, find_directory{})
        .then(
            [this, then](const directory_lookup& rows) mutable {
              adopt(rows);
              then(true);
            },
            [then](const caf::error&) mutable { then(false); });
  }

  template <class Then>
  void read_log(std::int64_t since, Then then) {
    self_->request(store_.readers.front(), caf::infinite, find_directory_news{since})
        .then(
            [this, then](const directory_news& news) mutable {
              adopt(news);
              then(true);
            },
            [then](const caf::error&) mutable { then(false); });
  }

  /// Meanwhile no command is begun.
  void read_news() {
    reading_ = true;
    read_log(published_to_, [this](bool read_well) {
      reading_ = false;
      if (read_well) return next();
      self_->delayed_send(self_, pause_after_failed_read, keep_atom::value);
    });
  }

  void adopt(const directory_news& news) {
    if (news.whole)
      adopt(news.rows);
    else
      adopt_some(news.rows);
    turn_ = news.head.turn;
    turn_is_unknown_ = false;
    published_to_ = news.head.number;
    log_goes_to_ = std::max(log_goes_to_, published_to_);
    self_->send(keeper_, published_up_to{published_to_});
  }

  /// In the order of adopt(rows).
  void adopt_some(const directory_lookup& rows) {
    merchants_.adopt_some(rows);
    people_.adopt_some(rows);
    destinations_.adopt_some(rows);
    merchants_.publish_some(rows);
    platforms_.adopt_some(rows);
    destinations_.publish_some(rows);
    publish_grants(rows);
    credentials_.adopt(rows);
  }

  void adopt(const directory_lookup& rows) {
    merchants_.adopt(rows);
    people_.adopt(rows);
    destinations_.adopt(rows);
    // Merchants and platforms first: what is sent to a destination names its merchant's entity, and a platform's is
    // held while the platform is suspended.
    merchants_.publish_all();
    platforms_.adopt(rows);
    destinations_.publish_all();
    publish_grants(rows);
    credentials_.adopt(rows);
  }

  void publish_grants(const directory_lookup& rows) {
    std::vector<grant_news> all;
    all.reserve(rows.bindings.size());
    for (const auto& row : rows.bindings)
      all.push_back({{platform_id{row.key.id}, row.key.merchant}, row.key.env, {row.state, row.scopes, row.version}});
    published_.publish(std::span<const grant_news>{all});
  }

  waking_directory::pointer self_;
  store_handles store_;
  password_hasher hasher_;
  dispatcher_actor dispatcher_;
  merchants merchants_;
  people people_;
  credentials credentials_;
  platforms platforms_;
  destinations destinations_;
  directory& published_;
  node_keeper keeper_;
  std::int64_t turn_ = 0;  ///< the one that the next change is planned in
  bool turn_is_unknown_ = false;  ///< a change has not been committed
  std::int64_t published_to_ = -1;  ///< number in the log
  std::int64_t log_goes_to_ = -1;
  std::size_t came_back_ = 0;  ///< how many in front of the queue have lost their turn since all were settled
  bool reading_ = false;
  std::size_t under_way_ = 0;  ///< commands whose commit has not been answered
  bool doubt_ = false;  ///< about one of them, or of those that went with them
  std::deque<waiting_command> waiting_;
};

struct directory_state {
  static inline const char* name = "directory";
  std::optional<command_queue> queue;
};

waking_directory::behavior_type directory_behavior(waking_directory::stateful_pointer<directory_state> self,
                                                   const directory_context& context) {
  // The actor system's end waits for detached actors, but not for what their threads do after them.
  self->attach_functor([] { crypto::leave_thread(); });
  auto& queue = self->state.queue.emplace(self, context);
  return {
      [&queue](operator_command& command) { return queue.take(command); },
      [&queue](load_atom) { return queue.load(); },
      [&queue](join_atom, dispatcher_actor& dispatcher) { queue.tell(std::move(dispatcher)); },
      [&queue](catch_up news) { queue.follow(news.number); },
      [&queue](wake_atom) { queue.look_again(); },
      [&queue](keep_atom) { queue.follow(0); },
      [&queue](settle_atom) { queue.read_grants_again(); },
  };
}

}  // namespace

directory_actor spawn_directory(caf::actor_system& system, directory_context context, runs_on where) {
  return spawn_on(where, system, directory_behavior, std::move(context));
}

}  // namespace gateway::actors
