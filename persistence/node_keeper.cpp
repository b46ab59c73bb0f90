// Renews the lease each second, looks at the other nodes ten times as often, and decides three things: whether this
// node may serve, whether it is in company, and who owns what.
//
// A node that comes, or comes back after its lease has ended, first says so in the directory's log, and serves once
// every live node has published that: from then on none of them believes that it is alone. It has read the log up to
// there itself, so that its snapshot is no older than what others have answered.

#include "persistence/node_keeper.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <pthread.h>

#include "gateway/base/log.hpp"
#include "gateway/base/scheduling.hpp"
#include "persistence/node_table.hpp"

namespace gateway::persistence {

namespace {

constexpr ticks_ms between_looks{100};
/// While somebody waits for what the others have published.
constexpr ticks_ms between_quick_looks{10};
/// A node whose directory cannot follow for so long gives its lease up: nobody waits for it any longer then.
constexpr ticks_ms may_be_behind{3'000};
constexpr ticks_ms between_trims{60'000};
/// So much of the log stays, for nodes that were away.
constexpr std::int64_t kept_in_log = 10'000;

/// Its own timer is keep_atom; wake_atom is what cannot wait for it.
using keeper_actor = node_keeper::extend<caf::reacts_to<keep_atom>>;
using keeper_pointer = keeper_actor::pointer;

class keeper {
 public:
  static inline const char* name = "node_keeper";

  void start(keeper_pointer self, store_location where, std::string address, membership& told, metrics& counts,
             node_ending ending) {
    self_ = self;
    where_ = std::move(where);
    mine_.name = told.name();
    mine_.incarnation = told.incarnation();
    mine_.address = std::move(address);
    mine_.status = node_status::joining;
    mine_.published = mine_.yielded = -1;
    told_ = &told;
    counts_ = &counts;
    ending_ = std::move(ending);
    tick();
  }

  void tick() {
    watch_own_end();  // the process may have been stopped
    const auto now = since_boot();
    try {
      auto& db = link();
      if (now >= next_renewal_) keep_lease(db, now);
      look(db);
      if (away_) log::info("node.lease_kept_again", {{"node", mine_.name}});
      away_ = false;
    } catch (const std::exception& error) {
      link_.reset();
      if (!std::exchange(away_, true))
        log::error("node.lease_not_renewed",
                   {{"node", mine_.name}, {"why", error.what()}, {"left_ms", told_->lease_left().count()}});
    }
    watch_own_end();
    schedule();
  }

  void stop() {
    told_->serve_until(ticks_ms{0});
    try {
      leave(link(), mine_);
    } catch (const std::exception& error) {
      log::warn("node.leaves_unsaid", {{"node", mine_.name}, {"why", error.what()}});  // its lease ends by itself
    }
  }

  // ---- what it is asked -------------------------------------------------------------------------

  caf::result<bool> await() {
    auto promise = self_->make_response_promise<bool>();
    waiting_.push_back({promise, std::nullopt});
    tick_at_once();
    return promise;
  }

  void published(std::int64_t number) {
    if (number <= mine_.published) return;
    mine_.published = number;
    counts_->directory_log_number.Set(static_cast<double>(number));
    tell_at_once_ = true;
    if (mine_.status == node_status::joining) next_renewal_ = {};  // it has read the directory: it may come
    tick_at_once();
  }

  void yielded(std::int64_t number) {
    if (number <= mine_.yielded) return;
    mine_.yielded = number;
    tell_at_once_ = true;
  }

  node_list list() {
    node_list all;
    const auto now = since_boot();
    for (auto row : rows_) {
      if (row.status != node_status::gone && !lives(row, now)) row.status = node_status::gone;
      all.nodes.push_back(std::move(row));
    }
    return all;
  }

  caf::result<node_drained> drain(const std::string& wanted) {
    try {
      return node_drained{ask_to_drain(link(), wanted)};
    } catch (const std::exception&) {
      link_.reset();
      return make_error(actor_errc::store_unavailable);
    }
  }

  /// The others take over what is this node's, while it still answers what it has been asked.
  void begin_to_drain() {
    drains_ = true;
    says_so_ = true;
    next_renewal_ = {};
    tick_at_once();
  }

  void join(directory_actor actor) { directory_ = std::move(actor); }
  void join(dispatcher_actor actor) { dispatcher_ = std::move(actor); }

  void tick_at_once() {
    if (std::exchange(ticks_at_once_, true)) return;
    self_->send(self_, wake_atom::value);
  }
  void woken() {
    ticks_at_once_ = false;
    tick();
  }

 private:
  struct waiter {
    caf::typed_response_promise<bool> promise;
    std::optional<std::int64_t> number;  ///< the head as it was read after it came
  };

  db_connection& link() {
    if (!link_) {
      link_ = connect(where_, access::keep);
      link_->serve();
    }
    return *link_;
  }

  bool lives(const node_row& row, ticks_ms now) const {
    return (row.name == mine_.name && row.incarnation == mine_.incarnation) || watch_.lives(row, now);
  }

  // ---- the lease --------------------------------------------------------------------------------

  /// Counted from before the database is asked.
  void keep_lease(db_connection& db, ticks_ms asked) {
    if (is_behind(asked)) return;
    const bool expired = asked >= lease_until_;
    if (!inside_ && mine_.published < 0) {
      mine_.status = node_status::joining;  // it has not read the directory yet
    } else {
      mine_.status = drains_ ? node_status::draining : node_status::up;
      if (expired || !has_told_) says_so_ = true;
    }
    if (says_so_ && !inside_ && is_held_by_one(db)) return;
    mine_.payments = static_cast<std::int64_t>(counts_->live_payments.Value());
    const bool tells = says_so_ && mine_.status != node_status::joining;
    if (!(tells ? renew_and_tell(db, mine_) : renew(db, mine_))) return give_up();
    tell_at_once_ = false;
    lease_until_ = asked + lease_lasts - lease_in_hand;
    next_renewal_ = asked + lease_renewed_every;
    if (tells) {
      says_so_ = false;
      has_told_ = true;
      if (!inside_) enters_at_.reset();  // the number is read with the next look
      entering_ = !inside_;
    }
    if (inside_) told_->serve_until(lease_until_);
    if (asked >= next_trim_) {
      next_trim_ = asked + between_trims;
      trim_log(db, head_.number - kept_in_log);
    }
  }

  /// What cannot be published here keeps all other nodes waiting.
  bool is_behind(ticks_ms now) {
    if (mine_.published < 0 || mine_.published >= told_directory_) {
      behind_since_.reset();
      return false;
    }
    if (!behind_since_) behind_since_ = now;
    if (now - *behind_since_ < may_be_behind) return false;
    if (!std::exchange(told_behind_, true))
      log::error("node.directory_behind", {{"published", mine_.published}, {"log", told_directory_}});
    return true;
  }

  void watch_own_end() {
    const auto now = since_boot();
    if (inside_ && now >= lease_until_) {
      inside_ = false;
      says_so_ = true;
      told_->set_company(true);
      log::error("node.lease_ended", {{"node", mine_.name}, {"for_ms", (now - lease_until_).count()}});
      next_renewal_ = {};
    }
    counts_->node_lease_seconds.Set(std::chrono::duration<double>(told_->lease_left()).count());
  }

  void give_up() {
    inside_ = false;
    told_->serve_until(ticks_ms{0});
    lease_until_ = {};
    next_renewal_ = since_boot() + lease_lasts;
    ending_.give_up("another process serves as node '" + mine_.name + "'");
  }

  // ---- the others -------------------------------------------------------------------------------

  void look(db_connection& db) {
    if (std::exchange(tell_at_once_, false) && lease_until_ > since_boot() && !renew(db, mine_)) return give_up();
    auto seen = look_at_nodes(db);
    const auto now = since_boot();
    head_ = seen.head;
    rows_ = std::move(seen.rows);
    watch_.look(rows_, now);
    bury_the_dead(db, now);
    set_membership(now);
    if (head_.number > told_directory_ && directory_) {
      told_directory_ = head_.number;
      self_->send(directory_, catch_up{head_.number});
    }
    const auto own = std::ranges::find(rows_, mine_.name, &node_row::name);
    if (own != rows_.end() && own->asked_to_drain && !std::exchange(asked_to_drain_, true)) ending_.drain();
    enter_when_known(now);
    answer_waiting(now);
  }

  void bury_the_dead(db_connection& db, ticks_ms now) {
    for (auto& row : rows_)
      if (row.status != node_status::gone && !lives(row, now)) {
        log::warn("node.gone", {{"node", row.name}, {"address", row.address}});
        give_up_of(db, row);
        told_->count_death();
      }
  }
  static void give_up_of(db_connection& db, node_row& row) {
    persistence::give_up(db, row);
    row.status = node_status::gone;
  }

  void set_membership(ticks_ms now) {
    bool company = !inside_;
    membership::owners owners;
    owners.number = head_.number;
    double up = 0, draining = 0;
    for (const auto& row : rows_) {
      const bool other = row.name != mine_.name;
      if (!lives(row, now)) continue;
      owners.live.push_back(row.incarnation);
      if (other && may_serve(row.status)) company = true;
      up += row.status == node_status::up ? 1 : 0;
      draining += row.status == node_status::draining ? 1 : 0;
      const bool is_up = other ? row.status == node_status::up : inside_ && !drains_;
      if (is_up) owners.names.push_back(row.name);
    }
    // Before what is published is told: by then this node knows that it has company.
    told_->set_company(company);
    counts_->nodes("up").Set(up);
    counts_->nodes("draining").Set(draining);
    if (owners.names != owner_names_) {
      owner_names_ = owners.names;
      owners_since_ = head_.number;
      wakes_dispatcher_ = true;
    }
    owners.yielded = std::ranges::all_of(rows_, [&](const node_row& row) {
      return row.name == mine_.name || !may_serve(row.status) || !lives(row, now) || row.yielded >= owners_since_;
    });
    const auto before = told_->shared_by();
    if (!before || before->names != owners.names || before->yielded != owners.yielded || before->live != owners.live ||
        before->number != owners_since_) {
      owners.number = owners_since_;
      told_->set_owners(std::move(owners));
      wakes_dispatcher_ = true;
    }
    if (wakes_dispatcher_ && dispatcher_) {
      wakes_dispatcher_ = false;
      self_->send(dispatcher_, wake_atom::value);
    }
  }

  bool published_everywhere(std::int64_t number, ticks_ms now) const {
    return mine_.published >= number && std::ranges::all_of(rows_, [&](const node_row& row) {
             return row.name == mine_.name || !may_serve(row.status) || !lives(row, now) || row.published >= number;
           });
  }

  void enter_when_known(ticks_ms now) {
    if (!entering_) return;
    if (!enters_at_) enters_at_ = head_.number;
    if (now >= lease_until_ || !published_everywhere(*enters_at_, now)) return;
    entering_ = false;
    inside_ = true;
    told_behind_ = false;
    told_->serve_until(lease_until_);
    set_membership(now);
    log::info("node.serves", {{"node", mine_.name}, {"log", *enters_at_}});
  }

  void answer_waiting(ticks_ms now) {
    for (auto& each : waiting_)
      if (!each.number) each.number = head_.number;
    std::erase_if(waiting_, [&](waiter& each) {
      if (!published_everywhere(*each.number, now)) return false;
      each.promise.deliver(true);
      return true;
    });
  }

  void schedule() {
    if (scheduled_) return;
    const bool soon = !waiting_.empty() || entering_ || mine_.status == node_status::joining;
    scheduled_ = true;
    self_->delayed_send(self_, soon ? between_quick_looks : between_looks, keep_atom::value);
  }

 public:
  void timer() {
    scheduled_ = false;
    tick();
  }

 private:
  keeper_pointer self_ = nullptr;
  store_location where_;
  node_row mine_;
  membership* told_ = nullptr;
  metrics* counts_ = nullptr;
  node_ending ending_;
  directory_actor directory_;
  dispatcher_actor dispatcher_;
  std::unique_ptr<db_connection> link_;
  bool away_ = false;

  ticks_ms lease_until_{};   ///< this node's own count
  ticks_ms next_renewal_{};
  ticks_ms next_trim_{};
  bool inside_ = false;      ///< it serves
  bool drains_ = false;
  bool says_so_ = true;      ///< the log must tell that it has come, or goes
  bool has_told_ = false;
  bool entering_ = false;    ///< it is in the log, and not known everywhere yet
  std::optional<std::int64_t> enters_at_;
  bool tell_at_once_ = false;  ///< its numbers have risen
  bool asked_to_drain_ = false;
  bool told_behind_ = false;
  std::optional<ticks_ms> behind_since_;

  directory_head head_;
  std::vector<node_row> rows_;
  node_watch watch_;
  std::vector<std::string> owner_names_;
  std::int64_t owners_since_ = 0;
  bool wakes_dispatcher_ = false;
  std::int64_t told_directory_ = -1;
  std::vector<waiter> waiting_;
  bool ticks_at_once_ = false;
  bool scheduled_ = false;
};

keeper_actor::behavior_type behave(keeper_actor::stateful_pointer<keeper> self, store_location where,
                                   std::string address, membership* told, metrics* counts, node_ending ending) {
  pthread_setname_np(pthread_self(), "node-keeper");
  use_normal_scheduling();
  auto& state = self->state;
  self->set_exit_handler([self](caf::exit_msg& message) {
    self->state.stop();
    self->quit(std::move(message.reason));
  });
  state.start(self, std::move(where), std::move(address), *told, *counts, std::move(ending));
  return {
      [&state](const await_published&) { return state.await(); },
      [&state](const published_up_to& news) { state.published(news.number); },
      [&state](const yielded_up_to& news) { state.yielded(news.number); },
      [&state](const list_nodes&) { return state.list(); },
      [&state](const drain_node& wanted) { return state.drain(wanted.name); },
      [&state](drain_atom) { state.begin_to_drain(); },
      [&state](join_atom, directory_actor& actor) { state.join(std::move(actor)); },
      [&state](join_atom, dispatcher_actor& actor) { state.join(std::move(actor)); },
      [&state](wake_atom) { state.woken(); },
      [&state](keep_atom) { state.timer(); },
  };
}

}  // namespace

node_keeper spawn_node_keeper(caf::actor_system& system, store_location where, std::string address, membership& told,
                              metrics& counts, node_ending ending) {
  return system.spawn<caf::detached>(behave, std::move(where), std::move(address), &told, &counts, std::move(ending));
}

}  // namespace gateway::persistence
