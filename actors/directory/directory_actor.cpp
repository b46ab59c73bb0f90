// Operator commands run in arrival order: check against the known rows, make durable, then change the known rows and
// publish the new snapshot of the merchant, key, destination or provider. Commands that wait together and change
// different things share a commit; none of them depends on another's result. The parts (merchants, people, credentials,
// platforms, destinations, providers) hold their rows and plan their commands; this file has the queue and decides what
// a commit's outcome means. A command whose commit got no answer is answered as unavailable; the entries that it would
// have changed are then read again, so that the known rows never differ from the store.
//
// A merchant becomes known when a command or a look-up first names it: memory and start-up time depend on what is used,
// not on what is stored. Either commits or one read are under way at a time, so that a read never brings back what a
// commit has just replaced. Absent entries are not remembered: each look-up reads again.
//
// A password is hashed before its command joins the queue, so that no other command waits for it. The hasher answers
// the operator in the order of the requests, so users of one merchant are added in their order of arrival.
//
// Each of several nodes has such an actor. Every change is in the directory's log, and names the turn in which it was
// planned: if another node's change came first, the command is planned again with that change. A change is answered
// once every live node has published it, and so is a command that has nothing to change. The keeper reports how far the
// log goes; the entries that the log names are then read and published.

#include "directory_actor.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <caf/all.hpp>

#include "changes_of.hpp"
#include "credentials.hpp"
#include "destinations.hpp"
#include "gateway/ask_store.hpp"
#include "merchants.hpp"
#include "names_of.hpp"
#include "people.hpp"
#include "platforms.hpp"
#include "providers.hpp"

namespace gateway::actors {

namespace {

using result_promise = caf::typed_response_promise<operator_result>;
/// Messages to itself: wake_atom ends the pause after a failed read of doubtful entries, keep_atom that after any other
/// failed read, and settle_atom says that commits without an answer have either landed by now or never will.
using waking_directory =
    directory_actor::extend<caf::reacts_to<wake_atom>, caf::reacts_to<settle_atom>, caf::reacts_to<keep_atom>>;

constexpr unsigned most_lost_turns = 20;
constexpr std::chrono::milliseconds pause_after_failed_read{200};
constexpr std::chrono::seconds pause_while_in_doubt{1};

constexpr std::size_t most_waiting = 1'000;  ///< commands
constexpr std::size_t most_looks = 4'096;
constexpr std::size_t most_together = 64;  ///< commands that share a commit, and names that share a read
constexpr std::size_t most_read_again_together = 16;

/// By then a commit without an answer has landed or never will, even if its process died before the answer.
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
        providers_{context.published, context.keys, context.clock},
        published_{context.published},
        known_merchants_{context.known_merchants},
        keeper_{context.keeper} {}

  caf::result<bool> load() {
    auto promise = self_->make_response_promise<bool>();
    reading_ = true;
    if (keeper_)
      read_head(promise);
    else
      read_platforms(promise);
    return promise;
  }

  /// The log goes up to this number.
  void follow(std::int64_t number) {
    log_goes_to_ = std::max(log_goes_to_, number);
    rests_ = false;
    next();
  }

  void tell(dispatcher_actor dispatcher) { dispatcher_ = std::move(dispatcher); }

  caf::result<operator_result> take(operator_command& command) { return take(command, std::nullopt); }

  caf::result<operator_result> take(noted_command& command) { return take(command.what, std::move(command.note)); }

  caf::result<bool> look(look_up& asked) {
    if (is_known(asked.what)) return true;
    if (looks_.size() >= most_looks) return make_error(actor_errc::overloaded);
    auto promise = self_->make_response_promise<bool>();
    looks_.push_back({std::move(asked.what), [promise](std::optional<bool> there) mutable {
                        if (there)
                          promise.deliver(*there);
                        else
                          promise.deliver(make_error(actor_errc::store_unavailable));
                      }});
    next();
    return promise;
  }

  /// The pause after a failed read of doubtful entries is over.
  void try_again() {
    reading_ = false;
    next();
  }

  /// 60 s after a commit without an answer: what it may have changed is read again.
  void late_commits_landed() {
    auto names = std::move(late_.front());
    late_.pop_front();
    if (!names) {
      names.emplace();
      for (const auto& id : merchants_.all()) names->push_back(name_of(id));
      for (const auto& provider : provider_catalogue)
        if (!provider.sandbox) names->push_back(name_of(provider.kind));
    }
    again_.insert(again_.end(), names->begin(), names->end());
    next();
  }

 private:
  struct waiting_command {
    std::function<std::string()> changes;  ///< commands that change the same thing are not under way together
    std::function<planned()> prepare;
    result_promise promise;
    directory_names names;  ///< entries that must be known to plan it
    std::optional<save_audit> note{};
    bool looked = false;  ///< whether entries that were not known have been read
    unsigned lost = 0;  ///< turns lost to other nodes
  };

  /// `then` is called with whether there is such an entry; nothing if the store does not answer.
  struct waiting_look {
    directory_name what;
    std::function<void(std::optional<bool>)> then;
  };

  /// Where a command's answer goes.
  struct asker {
    result_promise promise;
    std::optional<save_audit> note{};  ///< the audit record, if a person gave the command
  };

  caf::result<operator_result> take(operator_command& command, std::optional<save_audit> note) {
    auto promise = self_->make_response_promise<operator_result>();
    std::visit([&](auto& wanted) { accept(std::move(wanted), asker{promise, std::move(note)}); }, command);
    return promise;
  }

  bool is_known(const directory_name& name) const {
    switch (name.what) {
      case directory_name::kind::merchant: return merchants_.has(merchant_id{name.text});
      case directory_name::kind::platform: return platforms_.has(platform_id{name.text});
      case directory_name::kind::key:
        return credentials_.has(key_id{name.text}) || name.text.starts_with(platform_key_prefix);
      case directory_name::kind::destination: return destinations_.has(destination_id{name.text});
      case directory_name::kind::user: return people_.has(user_id{name.text});
      case directory_name::kind::email: return people_.has_address(name.text);
      case directory_name::kind::provider: return true;
    }
    return false;
  }

  // ---- the queue --------------------------------------------------------------------------------

  /// Hashes no password for a merchant that does not exist.
  void accept(add_user wanted, asker by) {
    auto named = name_of(wanted.merchant);
    auto otherwise = no_such("merchant", wanted.merchant.value);
    auto promise = by.promise;
    when_there(std::move(named), std::move(otherwise), promise,
               [this, wanted = std::move(wanted), by = std::move(by)]() mutable {
                 hash_password question{std::exchange(wanted.password, {}), std::string{hashed_for_operator}};
                 auto told = by.promise;
                 with_hash(std::move(question), std::move(told),
                           [this, wanted = std::move(wanted), by = std::move(by)](std::string& hash) mutable {
                             accept(add_hashed_user{wanted.merchant, wanted.email, std::move(hash), wanted.role},
                                    std::move(by));
                           });
               });
  }

  void accept(accept_invitation wanted, asker by) {
    if (wanted.password.empty())
      return accept(accept_hashed_invitation{wanted.merchant, wanted.user, wanted.id, {}}, std::move(by));
    auto named = name_of(wanted.user);
    auto otherwise = no_such("user", wanted.user.value);
    auto promise = by.promise;
    when_there(std::move(named), std::move(otherwise), promise,
               [this, wanted = std::move(wanted), by = std::move(by)]() mutable {
                 hash_password question{std::exchange(wanted.password, {}), wanted.user.value};
                 auto told = by.promise;
                 with_hash(std::move(question), std::move(told),
                           [this, wanted = std::move(wanted), by = std::move(by)](std::string& hash) mutable {
                             accept(accept_hashed_invitation{wanted.merchant, wanted.user, wanted.id, std::move(hash)},
                                    std::move(by));
                           });
               });
  }

  /// Calls `then` if this entry exists; else answers `otherwise`.
  template <class Then>
  void when_there(directory_name what, operator_problem otherwise, result_promise promise, Then then) {
    if (is_known(what)) return then();
    if (looks_.size() >= most_looks) {
      promise.deliver(make_error(actor_errc::overloaded));
      return;
    }
    looks_.push_back({std::move(what), [otherwise = std::move(otherwise), promise,
                                        then = std::move(then)](std::optional<bool> there) mutable {
                        if (!there)
                          promise.deliver(make_error(actor_errc::store_unavailable));
                        else if (!*there)
                          promise.deliver(operator_result{std::move(otherwise)});
                        else
                          then();
                      }});
    next();
  }

  template <class Then>
  void with_hash(hash_password question, result_promise promise, Then then) {
    self_->request(hasher_, caf::infinite, std::move(question))
        .then([then = std::move(then)](std::string& hash) mutable { then(hash); },
              [promise](const caf::error& failure) mutable { promise.deliver(failure); });
  }

  void accept(revoke_key wanted, asker by) {
    if (wanted.id.value.starts_with(platform_key_prefix))
      enqueue(platforms_, std::move(wanted), std::move(by));
    else
      enqueue(credentials_, std::move(wanted), std::move(by));
  }

  template <class Command>
  void accept(Command wanted, asker by) {
    enqueue(owner_of<Command>(), std::move(wanted), std::move(by));
  }

  template <class Owner, class Command>
  void enqueue(Owner& owner, Command wanted, asker by) {
    if (waiting_.size() >= most_waiting) {
      by.promise.deliver(make_error(actor_errc::overloaded));
      return;
    }
    auto names = names_of(wanted);
    const auto command = std::make_shared<const Command>(std::move(wanted));
    waiting_.push_back({[&owner, command] { return std::string{owner.changes(*command)}; },
                        [&owner, command] { return owner.prepare(*command); }, std::move(by.promise), std::move(names),
                        std::move(by.note)});
    next();
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
    else if constexpr (requires(const Command& wanted) { providers_.prepare(wanted); })
      return providers_;
    else
      return destinations_;
  }

  bool busy() const { return reading_ || under_way_ > 0; }

  /// Other nodes' changes are read first, then doubtful entries. After that reads and commits alternate, so that
  /// neither many commands nor many look-ups of absent entries delay the others.
  void next() {
    if (busy()) return;
    if (turn_is_unknown_ || published_to_ < log_goes_to_) return read_news();
    if (!doubtful_.empty()) return read_doubtful();
    if (!std::exchange(has_just_read_, false) && read_entries()) return;
    begin_commands();
    if (!busy()) read_entries();
  }

  /// Begins the commands at the head of the queue, up to the first that changes the same thing as one before it.
  void begin_commands() {
    std::set<std::string> changing;
    while (!reading_ && !waiting_.empty() && under_way_ < most_together) {
      auto& first = waiting_.front();
      if (!may_be_planned(first)) break;
      const auto changes = first.changes();
      if (changing.contains(changes)) break;
      auto work = std::move(first);
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
      if (!changes.empty()) changing.insert(changes);
      run(std::move(std::get<plan>(judged)), std::move(work));
    }
  }

  bool may_be_planned(const waiting_command& work) const {
    return work.looked || std::ranges::all_of(work.names, [this](const auto& name) { return is_known(name); });
  }

  // ---- commits ----------------------------------------------------------------------------------

  void run(plan what, waiting_command work) {
    ++under_way_;
    auto changed = changes_of(what.unit);
    if (work.note) what.unit.inserts.push_back(about_what_is_made(*work.note, what.unit));
    if (keeper_) log_changes(what.unit, changed);
    self_->request(store_.writers.front(), caf::infinite, std::move(what.unit))
        .then(
            [this, what = std::move(what), work, changed](commit_outcome outcome) {
              if (outcome == commit_outcome::unavailable) in_doubt(changed);
              settle(outcome, what, work);
              done();
            },
            [this, promise = work.promise, changed](const caf::error&) mutable {
              in_doubt(changed);
              promise.deliver(make_error(actor_errc::store_unavailable));
              done();
            });
  }

  /// Units that are sent together commit in the order of sending: each takes a turn. If one fails, those behind it lose
  /// theirs.
  void log_changes(unit_of_work& unit, const std::vector<directory_change>& changed) {
    unit.inserts.insert(unit.inserts.end(), changed.begin(), changed.end());
    unit.claims.push_back(directory_turn{turn_++});
  }

  void settle(commit_outcome outcome, const plan& what, waiting_command work) {
    if (keeper_ && outcome != commit_outcome::committed) turn_is_unknown_ = true;
    switch (outcome) {
      case commit_outcome::committed:
        deliver_everywhere(work.promise, what.apply());
        count();
        break;
      case commit_outcome::unavailable: work.promise.deliver(make_error(actor_errc::store_unavailable)); break;
      case commit_outcome::rejected: work.promise.deliver(make_error(actor_errc::overloaded)); break;
      case commit_outcome::lost_claim:
        // Planned again, once the changes that came first are known. Commands that were sent together keep their order.
        if (keeper_ && work.lost++ < most_lost_turns) {
          work.looked = false;
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

  /// Answers once the change is published on every node.
  void deliver_everywhere(result_promise promise, operator_result told) {
    if (!keeper_) {
      promise.deliver(std::move(told));
      return;
    }
    self_->request(keeper_, caf::infinite, await_published{})
        .then([promise, told = std::move(told)](bool) mutable { promise.deliver(std::move(told)); },
              [promise](const caf::error&) mutable { promise.deliver(make_error(actor_errc::store_unavailable)); });
  }

  /// The change may have been committed, and may even land after the read that follows.
  void in_doubt(const std::vector<directory_change>& changed) {
    directory_names names;
    for (const auto& each : changed) {
      // A merchant that is not known is read when it is looked up.
      if (const merchant_id id{each.id}; each.what == directory_change::kind::merchant && merchants_.has(id))
        names.push_back(name_of(id));
      if (each.what == directory_change::kind::platform) names.push_back(name_of(platform_id{each.id}));
      if (each.what == directory_change::kind::provider) names.push_back({directory_name::kind::provider, each.id});
    }
    doubtful_.insert(names.begin(), names.end());
    remember_late(std::move(names));
  }

  /// Nothing stands for everything that is known when the time has passed.
  void remember_late(std::optional<directory_names> names) {
    late_.push_back(std::move(names));
    self_->delayed_send(self_, late_commits_have_landed, settle_atom::value);
  }

  void done() {
    if (--under_way_ > 0) return;
    came_back_ = 0;
    next();
  }

  // ---- from the store ---------------------------------------------------------------------------

  void read_head(caf::typed_response_promise<bool> promise) {
    ask_store(self_, store_.entries, caf::infinite, find_directory_news{})
        .then(
            [this, promise](const directory_news& news) {
              caught_up_with_ = news;
              read_platforms(promise);
            },
            [promise](const caf::error&) mutable { promise.deliver(false); });
  }

  void read_platforms(caf::typed_response_promise<bool> promise) {
    read_all({}, true, [this, promise](bool read_well) mutable {
      promise.deliver(read_well);
      if (!read_well) return;
      reading_ = false;
      if (keeper_)
        caught_up();
      else
        remember_late(std::nullopt);  // commits of the process before this one; the log reports those of other nodes
      next();
    });
  }

  /// Reads these entries in portions, and with `every_platform` those of all platforms and providers; `then` gets
  /// whether all could be read.
  void read_all(directory_names names, bool every_platform, std::function<void(bool)> then) {
    const auto left = names.size() - std::min(names.size(), most_together);
    find_directory question;
    question.every_platform = every_platform;
    question.of.assign(names.begin() + static_cast<std::ptrdiff_t>(left), names.end());
    names.resize(left);
    ask_store(self_, store_.entries, caf::infinite, std::move(question))
        .then(
            [this, names = std::move(names), then](const directory_lookup& rows) {
              adopt(rows);
              if (names.empty()) return then(true);
              read_all(names, false, then);
            },
            [then](const caf::error&) { then(false); });
  }

  /// Reads other nodes' changes of known entries. No command begins meanwhile.
  void read_news() {
    reading_ = true;
    ask_store(self_, store_.entries, caf::infinite, find_directory_news{published_to_})
        .then(
            [this](const directory_news& news) {
              caught_up_with_ = news;
              auto names = known_among(news);
              if (names.empty() && !news.any) return news_read(true);
              read_all(std::move(names), news.any, [this](bool read_well) { news_read(read_well); });
            },
            [this](const caf::error&) { news_read(false); });
  }

  directory_names known_among(const directory_news& news) const {
    directory_names names;
    if (news.any)
      for (const auto& id : merchants_.all()) names.push_back(name_of(id));
    for (const auto& each : news.changed) {
      if (const merchant_id id{each.id}; each.what == directory_change::kind::merchant && merchants_.has(id))
        names.push_back(name_of(id));
      if (each.what == directory_change::kind::platform) names.push_back(name_of(platform_id{each.id}));
      if (each.what == directory_change::kind::provider) names.push_back({directory_name::kind::provider, each.id});
    }
    return names;
  }

  void news_read(bool read_well) {
    reading_ = false;
    if (read_well) {
      caught_up();
      return next();
    }
    fail_looks(looks_.size());
    self_->delayed_send(self_, pause_after_failed_read, keep_atom::value);
  }

  void caught_up() {
    turn_ = caught_up_with_.head.turn;
    turn_is_unknown_ = false;
    published_to_ = caught_up_with_.told_to;
    log_goes_to_ = std::max({log_goes_to_, published_to_, caught_up_with_.head.number});
    self_->send(keeper_, published_up_to{published_to_});
  }

  /// No command begins until the store has been read.
  void read_doubtful() {
    reading_ = true;
    read_all({doubtful_.begin(), doubtful_.end()}, false, [this](bool read_well) {
      if (read_well) {
        doubtful_.clear();
        reading_ = false;
        return next();
      }
      for (auto& work : waiting_) work.promise.deliver(make_error(actor_errc::store_unavailable));
      waiting_.clear();
      fail_looks(looks_.size());
      self_->delayed_send(self_, pause_while_in_doubt, wake_atom::value);
    });
  }

  /// Reads wanted entries that are not known, and some of those to be read again; false if there are none.
  bool read_entries() {
    directory_names names;
    const auto commands = std::min(waiting_.size(), most_together);
    for (std::size_t i = 0; i < commands; ++i)
      if (!waiting_[i].looked)
        std::ranges::copy_if(waiting_[i].names, std::back_inserter(names),
                             [this](const auto& name) { return !is_known(name); });
    const auto looks = std::min(looks_.size(), most_together);
    for (std::size_t i = 0; i < looks; ++i) names.push_back(looks_[i].what);
    const auto again = rests_ ? 0 : std::min(again_.size(), most_read_again_together);
    names.insert(names.end(), again_.begin(), again_.begin() + static_cast<std::ptrdiff_t>(again));
    if (names.empty()) return false;
    reading_ = true;
    read_all(std::move(names), false, [this, commands, looks, again](bool read_well) {
      has_just_read_ = true;
      if (read_well) {
        for (std::size_t i = 0; i < commands; ++i) waiting_[i].looked = true;
        again_.erase(again_.begin(), again_.begin() + static_cast<std::ptrdiff_t>(again));
        answer_looks(looks);
      } else {
        give_up(commands);
        fail_looks(looks);
        if (!again_.empty() && !std::exchange(rests_, true))
          self_->delayed_send(self_, pause_while_in_doubt, keep_atom::value);
      }
      // Only now, because an answer may cause another look-up.
      reading_ = false;
      next();
    });
    return true;
  }

  void answer_looks(std::size_t how_many) {
    for (; how_many > 0; --how_many) {
      auto asked = std::move(looks_.front());
      looks_.pop_front();
      asked.then(is_known(asked.what));
    }
  }

  void fail_looks(std::size_t how_many) {
    for (; how_many > 0; --how_many) {
      auto asked = std::move(looks_.front());
      looks_.pop_front();
      asked.then(std::nullopt);
    }
  }

  /// Answers those among the first commands that cannot be planned.
  void give_up(std::size_t first) {
    std::deque<waiting_command> left;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      if (i >= first || may_be_planned(waiting_[i]))
        left.push_back(std::move(waiting_[i]));
      else
        waiting_[i].promise.deliver(make_error(actor_errc::store_unavailable));
    waiting_ = std::move(left);
  }

  /// Merchants are published last, so that a reader who finds one finds everything that belongs to it. Platforms come
  /// before their destinations, which are held while the platform is suspended.
  void adopt(const directory_lookup& rows) {
    merchants_.adopt(rows);
    people_.adopt(rows);
    destinations_.adopt(rows);
    platforms_.adopt(rows);
    destinations_.publish(rows);
    publish_grants(rows);
    providers_.adopt(rows);
    credentials_.adopt(rows);
    merchants_.publish(rows);
    count();
  }

  void count() { known_merchants_.Set(static_cast<double>(merchants_.count())); }

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
  configured_providers providers_;
  directory& published_;
  prometheus::Gauge& known_merchants_;
  node_keeper keeper_;
  std::int64_t turn_ = 0;  ///< in which the next change is planned
  bool turn_is_unknown_ = false;  ///< a change was not committed
  std::int64_t published_to_ = -1;  ///< a number in the log
  std::int64_t log_goes_to_ = -1;
  /// How many commands at the head of the queue have lost their turn; reset once all commits are answered.
  std::size_t came_back_ = 0;
  directory_news caught_up_with_;  ///< takes effect once the entries that it names have been read
  bool reading_ = false;
  bool has_just_read_ = false;
  std::size_t under_way_ = 0;  ///< commands whose commit has not been answered
  std::set<directory_name> doubtful_;  ///< a commit without an answer may have changed them
  std::deque<std::optional<directory_names>> late_;  ///< what such commits would have changed, the oldest first
  std::deque<directory_name> again_;  ///< to be read again with low priority
  bool rests_ = false;  ///< low-priority reading pauses because it failed
  std::deque<waiting_command> waiting_;
  std::deque<waiting_look> looks_;
};

struct directory_state {
  static inline const char* name = "directory";
  std::optional<command_queue> queue;
};

waking_directory::behavior_type directory_behavior(waking_directory::stateful_pointer<directory_state> self,
                                                   const directory_context& context) {
  // The actor system waits at its end for detached actors, but not for what their threads do after them.
  self->attach_functor([] { crypto::leave_thread(); });
  auto& queue = self->state.queue.emplace(self, context);
  return {
      [&queue](operator_command& command) { return queue.take(command); },
      [&queue](noted_command& command) { return queue.take(command); },
      [&queue](look_up& asked) { return queue.look(asked); },
      [&queue](load_atom) { return queue.load(); },
      [&queue](join_atom, dispatcher_actor& dispatcher) { queue.tell(std::move(dispatcher)); },
      [&queue](catch_up news) { queue.follow(news.number); },
      [&queue](wake_atom) { queue.try_again(); },
      [&queue](keep_atom) { queue.follow(0); },
      [&queue](settle_atom) { queue.late_commits_landed(); },
  };
}

}  // namespace

directory_actor spawn_directory(caf::actor_system& system, directory_context context, runs_on where) {
  return spawn_on(where, system, directory_behavior, std::move(context));
}

}  // namespace gateway::actors
