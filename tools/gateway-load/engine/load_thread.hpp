// One thread of a load: its connections, its scenario, and its share of the schedule.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "connection.hpp"
#include "engine.hpp"
#include "ring.hpp"
#include "tally.hpp"

namespace gateway::load {

/// Used by one thread at a time.
class load_thread {
 public:
  /// `first`: how many connections the threads before this one have.
  load_thread(std::span<const target> to, std::size_t first, const signer& sign, const load_plan& plan,
              scenario& requests, const std::atomic<bool>& stop);
  ~load_thread() { ::close(epoll_); }
  load_thread(const load_thread&) = delete;
  load_thread& operator=(const load_thread&) = delete;

  /// Opens all connections before the measurement starts, so that it does not include their handshakes.
  void connect();
  void run(clock::time_point begin, unsigned thread, const moment_listener& listen);

  const tally& counted() const noexcept { return tally_; }
  const std::string& fault() const noexcept { return fault_; }
  clock::time_point ended() const noexcept { return ended_; }
  double ran() const noexcept { return ran_; }
  double queued() const noexcept { return queued_; }

 private:
  static constexpr auto never = clock::time_point::max();

  /// A request that the scenario has given and that has no answer yet.
  struct pending {
    request what;
    clock::time_point due{};
  };

  struct client {
    explicit client(const target& to) : link(to) {}

    connection link;
    pending sent;                      ///< the request in flight
    clock::time_point since{};         ///< when the request left, or when opening began
    clock::time_point retry = never;   ///< when to open the connection again
    bool listed = false;               ///< is in the list of free ones, where it may have closed since
    bool polled_for_write = false;
  };

  // ---- sending requests -------------------------------------------------------------------------

  void arrive(clock::time_point now);
  void arrive_by_schedule(clock::time_point now);
  /// Takes the next requests of the scenario into given_. Returns false if there are none.
  bool take_requests();
  void send_or_wait(pending one);
  /// Gives waiting requests to free connections. In the closed model free connections also get new requests.
  void use_free_connections();
  std::uint64_t lasts() const;
  void end(clock::time_point now);
  /// Requests that still wait are never sent: they count as intended and have no outcome.
  void end_early(clock::time_point now, std::string why);
  bool finished() const;

  // ---- connections ------------------------------------------------------------------------------

  client* take_free();
  void list_free(client& one);
  void open(client& one);
  void poll_as_wanted(client& one);
  void on_open_failed(client& one);
  /// To be called when a connection that was open has closed. It is opened again after the pause.
  void on_closed(client& one, clock::time_point now, std::chrono::nanoseconds pause);
  void start(client& to, pending one);
  /// To be called when a connection has closed while its request was in flight.
  void on_broken(client& one, loss why);
  void on_ready(client& one);
  void finish_request(client& one, const answer& got, clock::time_point now);
  void count(const pending& one, const answer& got, clock::time_point now);
  void lose_waiting(clock::time_point now, loss why, bool counted);
  void lose_first(clock::time_point now, const answer& none, bool counted);

  // ---- time -------------------------------------------------------------------------------------

  /// Ends what has timed out, and opens connections whose pause is over.
  void sweep(clock::time_point now);
  void finish_counted_second();
  void pass_seconds(clock::time_point now, unsigned thread, const moment_listener& listen);
  void report_second(unsigned thread, const moment_listener& listen);
  void finish(clock::time_point now, unsigned thread, const moment_listener& listen);
  clock::time_point next_wake_up(clock::time_point now) const;
  void wait_until(clock::time_point then);

  signer sign_;
  const load_plan plan_;
  scenario& scenario_;
  const std::atomic<bool>& stop_;
  int epoll_;
  std::vector<epoll_event> events_;
  std::vector<std::unique_ptr<client>> clients_;
  ring<client*> free_;
  ring<pending> waiting_;
  std::vector<request> given_;
  std::string wire_;

  std::size_t opened_ = 0;  ///< connections, free or busy
  std::size_t in_flight_ = 0;
  std::uint64_t slot_ = 0;  ///< the next slot of the schedule
  bool arriving_ = false;
  bool scenario_idle_ = false;  ///< the scenario gives nothing before the next answer
  std::string fault_;

  clock::time_point begin_{}, counted_from_{}, ended_{}, none_since_{};
  clock::time_point next_due_ = never, next_sweep_{}, second_ends_ = never, counted_second_ends_ = never;
  std::chrono::nanoseconds sweeps_every_{};
  std::uint64_t second_number_ = 0;
  double ran_ = 0, queued_ = 0;
  load_moment recent_;  ///< since the last report
  tally tally_;
};

}  // namespace gateway::load
