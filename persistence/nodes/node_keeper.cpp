// Renews the lease each second, reads the other nodes' rows ten times as often, and decides three things: whether this
// node may serve, whether other nodes are live, and which node owns what.
//
// A node that joins, or returns after its lease has ended, first adds an entry to the directory's log. It serves once
// every live node has published that entry, because from then on each of them takes other nodes into account. It has
// itself read the log up to that entry, so its snapshot is no older than what the other nodes have answered.

#include "persistence/nodes/node_keeper.hpp"

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
#include "persistence/nodes/node_table.hpp"

namespace gateway::persistence {

namespace {

/// A node whose directory has been behind the log for this long lets its lease end, so that the others stop waiting for
/// it.
constexpr ticks_ms may_be_behind{3'000};
constexpr ticks_ms between_trims{60'000};
/// How many entries of the log are kept, for nodes that were away.
constexpr std::int64_t kept_in_log = 10'000;

/// Uses the keeper's own connection, which is opened when first needed.
class rows_in_database final : public node_rows {
 public:
  explicit rows_in_database(store_location where) : where_{std::move(where)} {}

  node_sight look() override { return look_at_nodes(link()); }
  bool renew(const node_row& mine) override { return persistence::renew(link(), mine); }
  bool renew_and_announce(const node_row& mine) override { return persistence::renew_and_announce(link(), mine); }
  void leave(const node_row& mine) override { persistence::leave(link(), mine); }
  void give_up(const node_row& dead) override { persistence::give_up(link(), dead); }
  bool ask_to_drain(const std::string& name) override { return persistence::ask_to_drain(link(), name); }
  void trim_log(std::int64_t before) override { persistence::trim_log(link(), before); }
  bool is_held_by_one() override { return persistence::is_held_by_one(link()); }
  void reset_connection() override { link_.reset(); }

 private:
  db_connection& link() {
    if (!link_) {
      link_ = connect(where_, access::keep);
      link_->serve();
    }
    return *link_;
  }

  store_location where_;
  std::unique_ptr<db_connection> link_;
};

/// keep_atom is the keeper's timer; wake_atom starts a round that cannot wait for the timer.
using keeper_actor = node_keeper::extend<caf::reacts_to<keep_atom>>;
using keeper_pointer = keeper_actor::pointer;

class keeper {
 public:
  static inline const char* name = "node_keeper";

  void start(keeper_pointer self, std::unique_ptr<node_rows> rows, std::string address, membership& others,
             metrics& counts, node_ending ending, keeper_pace pace) {
    self_ = self;
    pace_ = pace;
    table_ = std::move(rows);
    mine_.name = others.name();
    mine_.incarnation = others.incarnation();
    mine_.address = std::move(address);
    mine_.status = node_status::joining;
    mine_.published = mine_.yielded = -1;
    others_ = &others;
    counts_ = &counts;
    ending_ = std::move(ending);
    tick();
  }

  void tick() {
    watch_own_end();  // the process may have been stopped for longer than its lease
    const auto now = others_->now();
    try {
      if (now >= next_renewal_) keep_lease(now);
      look();
      if (away_) log::info("node.lease_kept_again");
      away_ = false;
    } catch (const std::exception& error) {
      table_->reset_connection();
      if (!std::exchange(away_, true))
        log::error("node.lease_not_renewed", {{"why", error.what()}, {"left_ms", others_->lease_left().count()}});
    }
    watch_own_end();
    schedule();
  }

  void stop() {
    others_->serve_until(ticks_ms{0});
    try {
      table_->leave(mine_);
    } catch (const std::exception& error) {
      log::warn("node.leave_not_recorded", {{"why", error.what()}});  // its lease ends by itself
    }
  }

  // ---- messages ---------------------------------------------------------------------------------

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
    renews_at_once_ = true;
    if (mine_.status == node_status::joining) next_renewal_ = {};  // it has read the directory and may join
    tick_at_once();
  }

  void yielded(std::int64_t number) {
    if (number <= released_) return;
    released_ = number;
    if (yield()) renews_at_once_ = true;
  }

  /// The rows that were read last. One whose lease has ended by now is shown as gone. A node that is gone has nothing
  /// in memory, whatever its last renewal reported. Fails while the database does not answer, because the rows may be
  /// out of date then.
  caf::result<node_list> list() {
    if (away_) return make_error(actor_errc::store_unavailable);
    node_list all;
    const auto now = others_->now();
    for (auto row : rows_) {
      const bool is_own = row.name == mine_.name && row.incarnation == mine_.incarnation;
      const bool has_lease = is_own ? now < lease_until_ : lives(row, now);
      if (row.status != node_status::gone && !has_lease) row.status = node_status::gone;
      if (row.status == node_status::gone) row.payments = 0;
      all.nodes.push_back(std::move(row));
    }
    return all;
  }

  caf::result<node_drained> drain(const std::string& wanted) {
    try {
      return node_drained{table_->ask_to_drain(wanted)};
    } catch (const std::exception&) {
      table_->reset_connection();
      return make_error(actor_errc::store_unavailable);
    }
  }

  /// The other nodes take over what this node owns, while it still completes the requests that it has.
  void begin_to_drain() {
    drains_ = true;
    must_log_ = true;
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
    std::optional<std::int64_t> number;  ///< the log's head at the first read after the request arrived
  };

  bool lives(const node_row& row, ticks_ms now) const {
    return (row.name == mine_.name && row.incarnation == mine_.incarnation) || watch_.lives(row, now);
  }

  // ---- the lease --------------------------------------------------------------------------------

  /// The lease is counted from `asked`, a time before the database is asked.
  void keep_lease(ticks_ms asked) {
    if (is_behind(asked)) return;
    const bool expired = asked >= lease_until_;
    if (!inside_ && mine_.published < 0) {
      mine_.status = node_status::joining;  // it has not read the directory yet
    } else {
      mine_.status = drains_ ? node_status::draining : node_status::up;
      if (expired || !has_logged_) must_log_ = true;
    }
    if (must_log_ && !inside_ && table_->is_held_by_one()) return;
    mine_.payments = static_cast<std::int64_t>(counts_->live_payments.Value());
    const bool announces = must_log_ && mine_.status != node_status::joining;
    if (!(announces ? table_->renew_and_announce(mine_) : table_->renew(mine_))) return give_up();
    renews_at_once_ = false;
    lease_until_ = asked + lease_lasts - lease_in_hand;
    next_renewal_ = asked + lease_renewed_every;
    if (announces) {
      must_log_ = false;
      has_logged_ = true;
      if (!inside_) enters_at_.reset();  // the next look() sets the number
      entering_ = !inside_;
    }
    if (inside_) others_->serve_until(lease_until_);
    if (asked >= next_trim_) {
      next_trim_ = asked + between_trims;
      table_->trim_log(head_.number - kept_in_log);
    }
  }

  /// Whether this node's directory has been behind the log for too long: all other nodes wait until it publishes.
  bool is_behind(ticks_ms now) {
    if (mine_.published < 0 || mine_.published >= sent_to_directory_) {
      behind_since_.reset();
      return false;
    }
    if (!behind_since_) behind_since_ = now;
    if (now - *behind_since_ < may_be_behind) return false;
    if (!std::exchange(told_behind_, true))
      log::error("node.directory_behind", {{"published", mine_.published}, {"log", sent_to_directory_}});
    return true;
  }

  void watch_own_end() {
    const auto now = others_->now();
    if (inside_ && now >= lease_until_) {
      inside_ = false;
      must_log_ = true;
      others_->set_other_nodes(true);
      log::error("node.lease_ended", {{"for_ms", (now - lease_until_).count()}});
      next_renewal_ = {};
    }
  }

  void give_up() {
    inside_ = false;
    others_->serve_until(ticks_ms{0});
    lease_until_ = {};
    next_renewal_ = others_->now() + lease_lasts;
    ending_.give_up("another process serves as node '" + mine_.name + "'");
  }

  // ---- the others -------------------------------------------------------------------------------

  void look() {
    if (std::exchange(renews_at_once_, false) && lease_until_ > others_->now() && !table_->renew(mine_))
      return give_up();
    const auto asked = others_->now();
    auto seen = table_->look();
    const auto now = others_->now();
    head_ = seen.head;
    if (mine_.published >= head_.number) others_->directory_whole_at(asked);
    rows_ = std::move(seen.rows);
    watch_.look(rows_, now);
    bury_the_dead(now);
    set_membership(now);
    if (head_.number > sent_to_directory_ && directory_) {
      sent_to_directory_ = head_.number;
      self_->send(directory_, catch_up{head_.number});
    }
    const auto own = std::ranges::find(rows_, mine_.name, &node_row::name);
    if (own != rows_.end() && own->asked_to_drain && !std::exchange(asked_to_drain_, true)) ending_.drain();
    enter_when_known(now);
    answer_waiting(now);
  }

  void bury_the_dead(ticks_ms now) {
    for (auto& row : rows_)
      if (row.status != node_status::gone && !lives(row, now)) {
        log::warn("node.gone", {{"other", row.name}, {"address", row.address}});
        table_->give_up(row);
        row.status = node_status::gone;
        others_->count_death();
      }
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
    // Before mine_.published is written: other nodes rely on this node having taken them into account by then.
    others_->set_other_nodes(company);
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
    yield();
    const auto before = others_->shared_by();
    if (!before || before->names != owners.names || before->yielded != owners.yielded || before->live != owners.live ||
        before->number != owners_since_) {
      owners.number = owners_since_;
      others_->set_owners(std::move(owners));
      wakes_dispatcher_ = true;
    }
    if (wakes_dispatcher_ && dispatcher_) {
      wakes_dispatcher_ = false;
      self_->send(dispatcher_, wake_atom::value);
    }
  }

  /// Sets `yielded` to the log's head as last read, once the dispatcher has reported that no attempt is under way for
  /// what this node lost by the last change of owners. Returns whether `yielded` has risen. The head may be later than
  /// that change, and must be used: a node that was away too briefly for the others to notice a change of owners waits
  /// until their `yielded` has reached the entry of its return.
  bool yield() {
    if (released_ < owners_since_ || mine_.yielded >= head_.number) return false;
    mine_.yielded = head_.number;
    return true;
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
    others_->serve_until(lease_until_);
    set_membership(now);
    log::info("node.serves", {{"log", *enters_at_}});
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
    self_->delayed_send(self_, soon ? pace_.quick : pace_.usual, keep_atom::value);
  }

 public:
  void timer() {
    scheduled_ = false;
    tick();
  }

 private:
  keeper_pointer self_ = nullptr;
  keeper_pace pace_;
  std::unique_ptr<node_rows> table_;
  node_row mine_;
  membership* others_ = nullptr;
  metrics* counts_ = nullptr;
  node_ending ending_;
  directory_actor directory_;
  dispatcher_actor dispatcher_;
  bool away_ = false;

  ticks_ms lease_until_{};  ///< by this node's clock
  ticks_ms next_renewal_{};
  ticks_ms next_trim_{};
  bool inside_ = false;  ///< this node serves
  bool drains_ = false;
  bool must_log_ = true;  ///< the next renewal adds to the log that this node joins or leaves
  bool has_logged_ = false;
  bool entering_ = false;  ///< its entry is in the log, and some node has not published it yet
  std::optional<std::int64_t> enters_at_;
  bool renews_at_once_ = false;  ///< `published` or `yielded` has risen
  bool asked_to_drain_ = false;
  bool told_behind_ = false;
  std::optional<ticks_ms> behind_since_;

  directory_head head_;
  std::vector<node_row> rows_;
  node_watch watch_;
  std::vector<std::string> owner_names_;
  std::int64_t owners_since_ = 0;
  std::int64_t released_ = -1;  ///< reported by the dispatcher
  bool wakes_dispatcher_ = false;
  std::int64_t sent_to_directory_ = -1;
  std::vector<waiter> waiting_;
  bool ticks_at_once_ = false;
  bool scheduled_ = false;
};

keeper_actor::behavior_type keeper_behavior(keeper_actor::stateful_pointer<keeper> self,
                                            std::unique_ptr<node_rows>& rows, std::string address, membership* others,
                                            metrics* counts, node_ending ending, keeper_pace pace) {
  auto& state = self->state;
  self->set_exit_handler([self](caf::exit_msg& message) {
    self->state.stop();
    self->quit(std::move(message.reason));
  });
  state.start(self, std::move(rows), std::move(address), *others, *counts, std::move(ending), pace);
  return {
      [&state](const await_published&) { return state.await(); },
      [&state](const published_up_to& up_to) { state.published(up_to.number); },
      [&state](const yielded_up_to& up_to) { state.yielded(up_to.number); },
      [&state](const list_nodes&) { return state.list(); },
      [&state](const drain_node& wanted) { return state.drain(wanted.name); },
      [&state](drain_atom) { state.begin_to_drain(); },
      [&state](join_atom, directory_actor& actor) { state.join(std::move(actor)); },
      [&state](join_atom, dispatcher_actor& actor) { state.join(std::move(actor)); },
      [&state](wake_atom) { state.woken(); },
      [&state](keep_atom) { state.timer(); },
  };
}

keeper_actor::behavior_type behave_on_own_thread(keeper_actor::stateful_pointer<keeper> self, store_location where,
                                                 std::string address, membership* others, metrics* counts,
                                                 node_ending ending) {
  pthread_setname_np(pthread_self(), "node-keeper");
  use_normal_scheduling();
  std::unique_ptr<node_rows> rows = std::make_unique<rows_in_database>(std::move(where));
  return keeper_behavior(self, rows, std::move(address), others, counts, std::move(ending), keeper_pace{});
}

}  // namespace

node_keeper spawn_node_keeper(caf::actor_system& system, store_location where, std::string address, membership& others,
                              metrics& counts, node_ending ending) {
  return system.spawn<caf::detached>(behave_on_own_thread, std::move(where), std::move(address), &others, &counts,
                                     std::move(ending));
}

node_keeper spawn_node_keeper_over(caf::actor_system& system, std::unique_ptr<node_rows> rows, std::string address,
                                   membership& others, metrics& counts, node_ending ending, keeper_pace pace) {
  auto shared = std::make_shared<std::unique_ptr<node_rows>>(std::move(rows));
  return system.spawn([shared, address = std::move(address), others = &others, counts = &counts,
                       ending = std::move(ending),
                       pace](keeper_actor::stateful_pointer<keeper> self) -> keeper_actor::behavior_type {
    return keeper_behavior(self, *shared, address, others, counts, ending, pace);
  });
}

}  // namespace gateway::persistence
