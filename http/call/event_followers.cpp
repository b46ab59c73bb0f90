#include "event_followers.hpp"

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "ask.hpp"
#include "gateway/domain/on_behalf.hpp"
#include "services.hpp"

namespace gateway::http {

namespace {

constexpr auto no_throw = boost::asio::as_tuple(boost::asio::use_awaitable);
/// How many events a tick reads; if there are more, it wakes all requests.
constexpr std::uint32_t most_news = 1'000;

}  // namespace

bool event_followers::concerns(const find_logged_events& what, const event_news_lookup::owner& grown) const {
  if (what.env != grown.env) return false;
  if (!what.merchant.empty()) return what.merchant == grown.merchant;
  const auto& known = here_.shared.merchants;
  // A merchant that is not loaded may have granted the platform access: wake the request, which checks it.
  return !known.find_merchant(grown.merchant) ||
         !judge_acting(known, {what.platform, grown.merchant}, grown.env, scope::payments_read,
                       {static_cast<std::uint32_t>(scope::all)});
}

void event_followers::wake_all() {
  for (auto* each : waiting_) {
    each->woken = true;
    each->timer.cancel();
  }
}

void event_followers::wake(const event_news_lookup& news) {
  for (auto* each : waiting_) {
    const auto matches = [&](const auto& grown) { return concerns(each->what, grown); };
    if (each->what.after >= news.read_to || std::ranges::none_of(news.owners, matches)) continue;
    each->woken = true;
    each->timer.cancel();
  }
}

boost::asio::awaitable<void> event_followers::watch() {
  const auto self = shared_from_this();
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer timer{executor};
  while (!waiting_.empty()) {
    timer.expires_after(tick);
    auto pause = timer.async_wait(no_throw);
    co_await std::move(pause);
    if (waiting_.empty()) break;
    if (here_.shared.draining.load(std::memory_order_relaxed)) {
      wake_all();
      continue;
    }
    auto asking = ask(here_, find_event_news{seen_to_, most_news});
    const auto news = co_await std::move(asking);
    if (!news) continue;  // the store does not answer: each request finds that out when its wait ends
    seen_to_ = news->read_to;
    if (news->more)
      wake_all();
    else
      wake(*news);
  }
  watching_ = false;
}

boost::asio::awaitable<void> event_followers::wait(find_logged_events what, clock::time_point until) {
  const auto executor = co_await boost::asio::this_coro::executor;
  waiter me{what, boost::asio::steady_timer{executor, until}};
  // Events that were committed since the request read the log come after this position.
  if (!watching_ || what.after < seen_to_) seen_to_ = what.after;
  const auto at = waiting_.insert(waiting_.end(), &me);
  if (!watching_) {
    watching_ = true;
    boost::asio::co_spawn(executor, watch(), boost::asio::detached);
  }
  auto waiting = me.timer.async_wait(no_throw);
  co_await std::move(waiting);
  waiting_.erase(at);
}

event_followers& followers_of(worker& here) {
  if (!here.followers) here.followers = std::make_shared<event_followers>(here);
  return *here.followers;
}

}  // namespace gateway::http
