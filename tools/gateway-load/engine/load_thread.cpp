#include "load_thread.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <utility>

namespace gateway::load {

using namespace std::chrono_literals;

namespace {

constexpr auto retry_after = 100ms;     ///< for a connection that did not open
constexpr auto reopen_after = 10ms;     ///< for a connection that the server closed while it was free
constexpr auto most_opening = 10s;
constexpr auto second = std::chrono::nanoseconds{1s};

/// How long the calling thread has run and has waited for a core, as the kernel's scheduler counts it.
struct core_use {
  std::uint64_t ran_ns = 0, queued_ns = 0;

  static core_use now() {
    core_use use;
    std::ifstream{"/proc/thread-self/schedstat"} >> use.ran_ns >> use.queued_ns;
    return use;
  }
};

}  // namespace

load_thread::load_thread(std::span<const target> to, std::size_t first, const signer& sign, const load_plan& plan,
                         scenario& requests, const std::atomic<bool>& stop)
    : sign_(sign), plan_(plan), scenario_(requests), stop_(stop), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::runtime_error(std::string{"no epoll: "} + std::strerror(errno));
  for (std::size_t i = first; i < first + plan.connections; ++i)
    clients_.push_back(std::make_unique<client>(to[i % to.size()]));
  events_.resize(std::min<std::size_t>(clients_.size(), 512));
  sweeps_every_ = std::clamp<std::chrono::nanoseconds>(plan.timeout / 8, 1ms, 50ms);
}

void load_thread::connect() {
  const auto last = clock::now() + most_opening;
  for (auto& one : clients_) open(*one);
  while (opened_ < clients_.size()) {
    if (clock::now() > last) throw std::runtime_error("no connection within 10 s");
    if (stop_) throw std::runtime_error("ended before it began");
    for (const auto& one : clients_)
      if (one->link.now() == connection::state::closed)
        throw std::runtime_error("cannot connect: " + one->link.fault());
    wait_until(clock::now() + 10ms);
  }
}

void load_thread::run(clock::time_point begin, unsigned thread, const moment_listener& listen) {
  ::prctl(PR_SET_TIMERSLACK, 1);  // else the kernel wakes up to 50 us late
  const auto before = core_use::now();
  begin_ = begin;
  counted_from_ = begin + std::chrono::nanoseconds{plan_.warm_up_ns};
  tally_.begin_at(counted_from_);
  second_ends_ = begin + second;
  counted_second_ends_ = counted_from_ + second;
  arriving_ = true;
  for (;;) {
    auto now = clock::now();
    if (now >= next_sweep_) sweep(now);
    pass_seconds(now, thread, listen);
    arrive(now);
    if (finished()) break;
    wait_until(next_wake_up(now));
  }
  finish(clock::now(), thread, listen);
  const auto after = core_use::now();
  const auto took = static_cast<double>(std::max<std::int64_t>(1, (clock::now() - begin).count()));
  ran_ = static_cast<double>(after.ran_ns - before.ran_ns) / took;
  queued_ = static_cast<double>(after.queued_ns - before.queued_ns) / took;
}

// ---- sending requests -------------------------------------------------------------------------

void load_thread::arrive(clock::time_point now) {
  if (!arriving_) return;
  if (stop_) return end_early(now, {});
  if (plan_.open)
    arrive_by_schedule(now);
  else if (now - begin_ >= std::chrono::nanoseconds{lasts()})
    end(now);
  else
    use_free_connections();
}

void load_thread::arrive_by_schedule(clock::time_point now) {
  for (;;) {
    const auto due = plan_.open->intended(slot_);
    if (due == schedule::no_end) return end(begin_ + std::chrono::nanoseconds{plan_.open->end()});
    next_due_ = begin_ + std::chrono::nanoseconds{due};
    if (next_due_ > now) return;
    // A scenario that gives nothing now may give a request after an answer. That request takes this slot, with its
    // time.
    if (scenario_idle_ || !take_requests()) {
      if ((in_flight_ == 0 && waiting_.empty()) || now - begin_ >= std::chrono::nanoseconds{plan_.open->end()})
        end(now);
      next_due_ = never;
      return;
    }
    // Requests that leave together use as many slots, so that the rate stays as planned.
    slot_ += given_.size();
    for (auto& what : given_) send_or_wait({std::move(what), next_due_});
    if (waiting_.size() > plan_.most_waiting) {
      return end_early(
          now,
          "the load ended early: more than " + std::to_string(plan_.most_waiting) +
              " requests waited for a free connection; the gateway does not keep up, or --connections is too small");
    }
  }
}

bool load_thread::take_requests() {
  given_.clear();
  scenario_.next(given_);
  scenario_idle_ = given_.empty();
  return !scenario_idle_;
}

void load_thread::send_or_wait(pending one) {
  if (waiting_.empty()) {
    if (auto* to = take_free()) return start(*to, std::move(one));
  }
  waiting_.push(std::move(one));
}

void load_thread::use_free_connections() {
  for (;;) {
    if (waiting_.empty()) {
      if (plan_.open || !arriving_ || scenario_idle_ || stop_ || free_.empty()) return;
      if (!take_requests()) return;
      for (auto& what : given_) waiting_.push({std::move(what), {}});
    }
    auto* to = take_free();
    if (to == nullptr) return;
    start(*to, waiting_.pop());
  }
}

std::uint64_t load_thread::lasts() const {
  return std::min<std::uint64_t>(plan_.lasts_ns, std::numeric_limits<std::int64_t>::max() / 2);
}

void load_thread::end(clock::time_point now) {
  arriving_ = false;
  ended_ = now;
  next_due_ = never;
}

void load_thread::end_early(clock::time_point now, std::string why) {
  end(now);
  if (fault_.empty()) fault_ = std::move(why);
  lose_waiting(now, loss::timed_out, false);
}

bool load_thread::finished() const {
  return in_flight_ == 0 && waiting_.empty() && (!arriving_ || (!plan_.open && scenario_idle_));
}

// ---- connections ------------------------------------------------------------------------------

load_thread::client* load_thread::take_free() {
  while (!free_.empty()) {
    auto* one = free_.pop();
    one->listed = false;
    if (one->link.now() == connection::state::free) return one;
  }
  return nullptr;
}

void load_thread::list_free(client& one) {
  if (std::exchange(one.listed, true)) return;
  free_.push(&one);
}

void load_thread::open(client& one) {
  one.retry = never;
  one.since = clock::now();
  if (!one.link.open()) return on_open_failed(one);
  epoll_event wanted{};
  wanted.events = EPOLLIN | EPOLLOUT;
  wanted.data.ptr = &one;
  one.polled_for_write = true;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, one.link.fd(), &wanted);
}

void load_thread::poll_as_wanted(client& one) {
  if (one.link.fd() < 0 || one.link.wants_to_write() == one.polled_for_write) return;
  one.polled_for_write = one.link.wants_to_write();
  epoll_event wanted{};
  wanted.events = EPOLLIN | (one.polled_for_write ? EPOLLOUT : 0U);
  wanted.data.ptr = &one;
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, one.link.fd(), &wanted);
}

void load_thread::on_open_failed(client& one) {
  const auto now = clock::now();
  one.retry = now + retry_after;
  if (opened_ > 0) return;
  // No connection is open, so every waiting request fails. Before the measurement starts, connect() reports the
  // fault.
  if (begin_ == clock::time_point{}) return;
  lose_waiting(now, loss::connect_failed, true);
  if (arriving_ && now - none_since_ > plan_.timeout)
    end_early(now, "the load ended early: no connection could be made: " + one.link.fault());
}

void load_thread::on_closed(client& one, clock::time_point now, std::chrono::nanoseconds pause) {
  if (--opened_ == 0) none_since_ = now;
  if (pause.count() == 0)
    open(one);
  else
    one.retry = now + pause;
}

void load_thread::start(client& to, pending one) {
  const auto now = clock::now();
  if (!plan_.open) one.due = now;
  to.sent = std::move(one);
  to.since = now;
  ++in_flight_;
  if (to.sent.due >= counted_from_) {
    tally_.count_intended(to.sent.due);
    if (plan_.open) tally_.count_lateness(now - to.sent.due);
  }
  sign_.write(to.sent.what, std::time(nullptr), wire_);
  if (!to.link.send(wire_)) return on_broken(to, to.link.why());
  if (to.link.wants_to_write()) poll_as_wanted(to);
}

void load_thread::on_broken(client& one, loss why) {
  const auto now = clock::now();
  answer none;
  none.lost = why;
  on_closed(one, now, 0ns);
  finish_request(one, none, now);
}

void load_thread::on_ready(client& one) {
  const auto before = one.link.now();
  const auto event = one.link.on_ready();
  poll_as_wanted(one);
  switch (event) {
    case connection::event::none: return;
    case connection::event::opened:
      ++opened_;
      list_free(one);
      break;
    case connection::event::answered: {
      const auto now = clock::now();
      finish_request(one, one.link.got(), now);
      if (one.link.now() == connection::state::free)
        list_free(one);
      else
        on_closed(one, now, 0ns);
      break;
    }
    case connection::event::broken:
      if (before == connection::state::opening)
        on_open_failed(one);
      else if (before == connection::state::busy)
        on_broken(one, one.link.why());
      else
        on_closed(one, clock::now(), reopen_after);
      break;
  }
  if (begin_ != clock::time_point{}) use_free_connections();
}

void load_thread::finish_request(client& one, const answer& got, clock::time_point now) {
  --in_flight_;
  count(one.sent, got, now);
  if (got.status != 0) recent_.latency.add(static_cast<std::uint64_t>((now - one.sent.due).count()));
  if (got.status == 0 || got.status >= 500) ++recent_.failed;
  scenario_idle_ = false;
  scenario_.on_answer(one.sent.what, got);
}

void load_thread::count(const pending& one, const answer& got, clock::time_point now) {
  if (one.due < counted_from_) return;
  while (now >= counted_second_ends_) finish_counted_second();
  tally_.count_answer(one.what.kind, one.due, now, got);
}

void load_thread::lose_waiting(clock::time_point now, loss why, bool counted) {
  answer none;
  none.lost = why;
  for (auto left = waiting_.size(); left > 0; --left) lose_first(now, none, counted);
}

void load_thread::lose_first(clock::time_point now, const answer& none, bool counted) {
  const auto one = waiting_.pop();
  if (one.due >= counted_from_) tally_.count_intended(one.due);
  if (counted) count(one, none, now);
  scenario_idle_ = false;
  scenario_.on_answer(one.what, none);
}

// ---- time -------------------------------------------------------------------------------------

void load_thread::sweep(clock::time_point now) {
  next_sweep_ = now + sweeps_every_;
  answer late;
  late.lost = loss::timed_out;
  for (auto& each : clients_) {
    auto& one = *each;
    switch (one.link.now()) {
      case connection::state::busy:
        if (now - one.since < plan_.timeout) break;
        one.link.close();
        on_closed(one, now, 0ns);
        finish_request(one, late, now);
        break;
      case connection::state::opening:
        if (now - one.since < most_opening) break;
        one.link.close();
        on_open_failed(one);
        break;
      case connection::state::closed:
        if (now >= one.retry) open(one);
        break;
      case connection::state::free: break;
    }
  }
  while (plan_.open && !waiting_.empty() && now - waiting_.front().due > plan_.timeout) lose_first(now, late, true);
  use_free_connections();
}

void load_thread::finish_counted_second() {
  tally_.finish_second(waiting_.size());
  counted_second_ends_ += second;
}

void load_thread::pass_seconds(clock::time_point now, unsigned thread, const moment_listener& listen) {
  if (now >= second_ends_) {
    if (listen) report_second(thread, listen);
    while (now >= second_ends_) {
      second_ends_ += second;
      ++second_number_;
    }
  }
  while (now >= counted_second_ends_) finish_counted_second();
}

void load_thread::report_second(unsigned thread, const moment_listener& listen) {
  recent_.second = second_number_;
  recent_.warm_up = second_ends_ <= counted_from_;
  recent_.in_flight = in_flight_;
  recent_.waiting = waiting_.size();
  recent_.errors = tally_.errors();
  listen(thread, recent_);
  recent_ = {};
}

void load_thread::finish(clock::time_point now, unsigned thread, const moment_listener& listen) {
  if (arriving_) end(now);
  if (listen) report_second(thread, listen);
  if (now > counted_from_) finish_counted_second();
}

clock::time_point load_thread::next_wake_up(clock::time_point now) const {
  auto next = std::min({next_sweep_, second_ends_, now + second});
  if (!arriving_) return next;
  if (plan_.open) return std::min(next, next_due_);
  return std::min(next, begin_ + std::chrono::nanoseconds{lasts()});
}

void load_thread::wait_until(clock::time_point then) {
  const auto left = std::max(clock::duration::zero(), then - clock::now()).count();
  const timespec longest{left / second.count(), left % second.count()};
  int count = ::epoll_pwait2(epoll_, events_.data(), static_cast<int>(events_.size()), &longest, nullptr);
  if (count < 0 && errno == ENOSYS)  // before Linux 5.11
    count = ::epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()),
                         static_cast<int>((left + 999'999) / 1'000'000));
  for (int i = 0; i < count; ++i) {
    // An earlier event in this batch may have closed this connection; on_ready() then does nothing.
    on_ready(*static_cast<client*>(events_[static_cast<std::size_t>(i)].data.ptr));
  }
}

}  // namespace gateway::load
