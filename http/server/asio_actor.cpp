#include "asio_actor.hpp"

#include <algorithm>

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>

#include "gateway/messages/actors.hpp"

namespace gateway::http {

namespace asio = boost::asio;

namespace {
constexpr std::chrono::milliseconds coarsest{250};
constexpr std::chrono::milliseconds finest{5};
/// Up to this many open asks, the thread runs the asked actors itself.
constexpr std::size_t few_asks = 4;
}  // namespace

asio_actor::asio_actor(caf::actor_config& config, asio::io_context& context)
    : caf::monitorable_actor(config), context_(&context), here_(home_system()), timer_(std::in_place, context) {}

asio_actor::~asio_actor() = default;

void asio_actor::enqueue(caf::mailbox_element_ptr element, caf::execution_unit*) {
  const std::lock_guard lock{mutex_};
  if (context_ == nullptr) return;  // closed: replies are dropped
  inbox_.push_back(std::move(element));
  if (std::exchange(posted_, true)) return;
  // `this` stays valid: the thread closes this actor, which it holds, only after its io_context has ended.
  asio::post(*context_, [this] { work_off(); });
}

void asio_actor::work_off() {
  {
    const std::lock_guard lock{mutex_};
    working_.swap(inbox_);
    posted_ = false;
  }
  for (auto& element : working_) handle(*element);
  working_.clear();
}

void asio_actor::handle(caf::mailbox_element& element) {
  if (!element.mid.is_response()) return;  // only replies are expected
  const auto found = open_.find(element.mid.request_id().integer_value());
  if (found == open_.end()) return;  // a late reply
  const auto ask = std::move(found->second);
  open_.erase(found);
  ask->answer(element.content());
}

void asio_actor::submit(std::unique_ptr<open_ask> ask, const caf::strong_actor_ptr& target, caf::message what,
                        std::chrono::milliseconds within) {
  if (!stopping_ && !target) return fail_soon(std::move(ask), caf::make_error(caf::sec::request_receiver_down));
  const auto id = open(std::move(ask), within);
  if (id == 0) return;
  const bool runs_here = open_.size() <= few_asks;
  target->enqueue(ctrl(), caf::make_message_id(id), std::move(what), runs_here ? &here_ : nullptr);
  if (runs_here) here_.run();
}

std::uint64_t asio_actor::open(std::unique_ptr<open_ask> ask, std::chrono::milliseconds within) {
  if (stopping_) {
    fail_soon(std::move(ask), make_error(actor_errc::stopping));
    return 0;
  }
  ask->deadline = clock::now() + within;
  period_ = std::clamp<clock::duration>(within / 8, finest, coarsest);
  const auto id = ++last_id_;
  open_.emplace(id, std::move(ask));
  watch_deadlines();
  return id;
}

/// Must not run within the asking call: the coroutine must be suspended first.
void asio_actor::fail_soon(std::unique_ptr<open_ask> ask, caf::error why) {
  asio::post(*context_,
             [failed = std::move(ask), reason = std::move(why)]() mutable { failed->fail(std::move(reason)); });
}

/// One timer for all asks, which runs only while one is open. A timely answer never touches it.
void asio_actor::watch_deadlines() {
  if (std::exchange(watching_, true)) return;
  timer_->expires_after(period_);
  timer_->async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    watching_ = false;
    end_overdue();
    if (!open_.empty()) watch_deadlines();
  });
}

void asio_actor::end_overdue() {
  const auto now = clock::now();
  std::vector<std::unique_ptr<open_ask>> overdue;
  for (auto at = open_.begin(); at != open_.end();) {
    if (at->second->deadline > now) {
      ++at;
      continue;
    }
    overdue.push_back(std::move(at->second));
    at = open_.erase(at);
  }
  for (auto& ask : overdue) ask->fail(caf::make_error(caf::sec::request_timeout));
}

void asio_actor::abandon() {
  stopping_ = true;
  const auto abandoned = std::exchange(open_, {});
  for (const auto& [id, ask] : abandoned) ask->fail(make_error(actor_errc::stopping));
}

void asio_actor::close() {
  std::vector<caf::mailbox_element_ptr> dropped;
  {
    const std::lock_guard lock{mutex_};
    context_ = nullptr;
    dropped.swap(inbox_);
  }
  stopping_ = true;
  timer_.reset();
  open_.clear();
  cleanup(caf::make_error(caf::exit_reason::user_shutdown), nullptr);
}

asio_actor* asio_actor_handle::get() const noexcept {
  return static_cast<asio_actor*>(caf::actor_cast<caf::abstract_actor*>(owner));
}
asio_actor* asio_actor_handle::operator->() const noexcept { return get(); }

asio_actor_handle spawn_asio_actor(caf::actor_system& system, asio::io_context& context) {
  caf::actor_config config;
  return {caf::make_actor<asio_actor, caf::strong_actor_ptr>(system.next_actor_id(), system.node(), &system, config,
                                                             context)};
}

}  // namespace gateway::http
