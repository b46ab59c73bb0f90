// The composition root spawns the dispatcher, which spawns workers as needed. Deliveries are rows. The dispatcher holds
// copies of due rows, and the times when other rows become due. Commits send it fresh deliveries. It reads the table at
// a start, for deliveries that memory had no room for, for those that become due later, and from time to time for those
// that another process left.
//
// Each destination has a lane with its own window and breaker, so that a destination that does not answer occupies few
// workers and does not delay others. Owners of lanes with something to do take turns, and so do the lanes of one owner;
// owners share the workers and the memory (lane_owners.hpp).
//
// Each node serves the lanes that it owns (gateway/ports/membership.hpp). While there are other nodes, it reads the
// table twice a second for deliveries that they commit for these lanes. A lane that has moved to this node waits until
// its previous node has no attempt under way any more, or is gone.
//
// A worker that dies is replaced, and its delivery is attempted again. Too many deaths end the dispatcher and with it
// the process. The next start reads the table.
//
// The class is implemented in six sources:
//   dispatcher.cpp           messages, other nodes, timers
//   dispatcher_lanes.cpp     lanes: their owners, what they hold in memory, their metrics
//   dispatcher_attempts.cpp  the attempts: which lane is next, handing out, the outcome
//   dispatcher_reads.cpp     reads of the table, redelivery, and what is dropped with a deleted destination
// dispatcher_health.cpp whether destinations accept deliveries, and which are disabled
//   dispatcher_workers.cpp   workers that are free, and those that die
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <caf/typed_event_based_actor.hpp>

#include "delivery_lag.hpp"
#include "delivery_worker.hpp"
#include "destination_lane.hpp"
#include "lane_owners.hpp"
#include "pace.hpp"

namespace gateway::actors {

class dispatcher_state {
 public:
  static inline const char* name = "dispatcher";
  using pool_pointer = delivery_pool::pointer;

  void start(pool_pointer self, std::shared_ptr<const webhook_context> context);

  // Called by the actor.
  void accept(fresh_deliveries& fresh);
  void changed(const destination_id& id);
  void answered(const attempt_answered& report);
  void withheld(const attempt_withheld& report);
  void recorded(attempt_recorded& report);
  caf::result<redeliver_result> again(const redeliver& wanted);
  /// Stops handing out; answers once every worker is idle.
  caf::result<bool> drain();
  void wake();

 private:
  using timer_time = caf::actor_clock::time_point;

  /// Most deliveries in a lane's queue in memory, which is refilled when it runs low.
  static constexpr std::size_t most_ready = 256;
  /// Limit for all lanes together. Further deliveries wait in the table.
  static constexpr std::size_t most_ready_in_all = 50'000;
  /// An event with more data may be read without it; the data is then read when the delivery is attempted.
  static constexpr std::uint32_t most_data_read = find_due_deliveries{}.most_data_bytes;
  static constexpr std::chrono::seconds backlog_interval{30};
  /// If there are other nodes: how often recent deliveries are looked for.
  static constexpr duration_ms fresh_interval{500};
  static constexpr std::chrono::seconds answer_timeout{30};
  static constexpr std::chrono::seconds pause_after_failure{1};

  struct pool_worker {
    delivery_worker actor;
    delivery_order order;
    std::size_t bytes = 0;  ///< of the attempt, in addition to the delivery's
    bool answered = false;
  };

  // Other nodes.
  void share(time_point now);
  void report_yielded();

  // Timers.
  void remind(destination_lane& of, time_point at);
  void schedule(time_point now);

  // Lanes.
  destination_lane& lane_of(const destination_id& id);
  void join(destination_lane& lane, const webhook_endpoint& of);
  bool may_serve(const destination_lane& to) const;
  bool may_take(const destination_lane& to, delivery_job& job) const;
  bool has_room(const destination_lane& to, std::size_t bytes) const;
  void take(destination_lane& to, delivery_job job);
  void release(destination_lane& to, const delivery_job& job);
  void forget_ready(destination_lane& to, time_point now, std::size_t but = 0);
  void replace_ready(destination_lane& to, const delivery_job& changed, time_point now);
  void enqueue(destination_lane& to);
  void show_lanes(time_point now);
  void show(const destination_lane& of, time_point now) const;

  // Attempts.
  void work();
  bool serve(destination_lane& to, time_point now);
  std::shared_ptr<const webhook_endpoint> find_open(destination_lane& to, time_point now);
  void note_url(destination_lane& to, const webhook_endpoint& now);
  void look_up_endpoint(destination_lane& to, time_point now);
  void hand_out(destination_lane& to, std::shared_ptr<const webhook_endpoint> endpoint);
  void end_without_answer(pool_worker& worker, destination_lane& to);
  void end_attempt(pool_worker& worker, destination_lane& to);
  void end_work(destination_lane& to);

  // Health.
  void note_health(destination_lane& of, const attempt_answered& report, const destination& to, time_point now);
  void keep_health(time_point now, bool all = false);
  void read_health(destination_lane& of);
  void save_health(std::vector<destination_health> rows);
  void judge(destination_lane& of, time_point now);
  /// Sends a mail to the owners, if mail is configured.
  void report_failing(destination_lane& of, time_point since);
  void disable(destination_lane& to, const destination& what, std::string reason);

  // Reads of the table.
  void read_if_low(destination_lane& to, time_point now);
  void adopt(destination_lane& to, due_deliveries_lookup& found, std::uint32_t limit);
  void has_read(destination_lane& to);
  void read_fresh(time_point now);
  void read_backlog(time_point now);
  void redeliver_some(const redeliver& wanted, std::uint64_t before,
                      caf::typed_response_promise<redeliver_result> promise);
  void drop_pending(destination_lane& of);

  // Workers.
  bool worker_is_free() const;
  std::size_t free_worker();
  void set_free(std::size_t number);
  void spawn_worker(std::size_t number);
  void worker_died(const caf::down_msg& down);
  void give_back(pool_worker& worker, destination_lane& to);
  void recover(pool_worker& dead);
  bool is_set_aside(const delivery& row) const;
  void drained();

  pool_pointer self_ = nullptr;
  std::shared_ptr<const webhook_context> context_;

  std::unordered_map<destination_id, destination_lane> lanes_;  ///< handlers refer only to lanes that are not idle
  std::optional<lane_owners> owners_;
  timer_time sampled_at_{};
  std::multimap<time_point, destination_id> agenda_;
  std::size_t ready_in_all_ = 0;
  std::size_t reading_ = 0;
  std::size_t health_reads_ = 0;
  std::size_t lookups_ = 0;  ///< destinations that the directory is looking up
  std::deque<destination_lane*> waiting_to_read_;
  pace pace_{0};
  std::optional<delivery_lag> lag_;

  std::vector<pool_worker> workers_;
  std::vector<std::size_t> free_;
  std::deque<time_point> deaths_;
  std::unordered_map<std::int64_t, unsigned> deaths_by_delivery_;
  /// Row versions that are not attempted again. Redelivery by an operator, through any node, gives the row another
  /// version.
  std::unordered_map<std::int64_t, std::int64_t> set_aside_;

  time_point backlog_due_at_{};
  duration_ms backlog_every_ = backlog_interval;
  time_point gauges_at_{};
  std::shared_ptr<const membership::owners> shared_by_;  ///< as of the last call of share()
  std::int64_t yielded_ = -1;
  time_point fresh_due_at_{};
  timer_time wake_at_ = timer_time::max();  ///< when the next timer fires
  bool reading_backlog_ = false;
  bool draining_ = false;
  std::optional<caf::typed_response_promise<bool>> drain_;
};

}  // namespace gateway::actors
