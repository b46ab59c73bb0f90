#include "webhook_client.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "address_policy.hpp"
#include "answer_reader.hpp"
#include "connection.hpp"
#include "destination_url.hpp"
#include "gateway/base/log.hpp"

namespace gateway::http {

namespace asio = boost::asio;
namespace ip = boost::asio::ip;
using clock = std::chrono::steady_clock;

namespace {

constexpr int webhooks_niceness = 10;
constexpr std::size_t most_exchanges = 20'000;  ///< under way; past it a post is answered at once

/// One post or check, from its call to its `done`. Whatever it waits for, interrupt() ends.
struct exchange {
  explicit exchange(asio::io_context& context) : deadline(context), signal(context) {}

  outgoing_post request;
  std::function<void(exchange&)> done;
  bool only_check = false;
  const clock::time_point begun = clock::now();

  delivery_attempt seen;
  std::optional<std::string> refusal;  ///< of a check

  std::optional<attempt_result> over;  ///< it was interrupted, and that is what it has come to
  asio::steady_timer deadline;
  asio::steady_timer signal;           ///< never expires: cancelled when what is waited for has come
  std::optional<found_addresses> found;
  bool woken = false;                  ///< it is its turn to connect
  bool fresh_only = false;
  std::optional<destination_url> url;
  std::shared_ptr<connection> through;

  void interrupt(attempt_result why) {
    if (over) return;
    over = why;
    signal.cancel();
    if (through) through->close();
  }
  bool end_as(attempt_result result) {
    seen.result = over.value_or(result);
    return false;
  }
};

using exchange_ptr = std::shared_ptr<exchange>;

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string render(const destination_url& url, const outgoing_post& post) {
  std::string out;
  out.reserve(512 + url.target.size() + post.body.size());
  out += "POST " + url.target + " HTTP/1.1\r\nHost: " + url.authority +
         "\r\nUser-Agent: Service-Webhooks/1\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(post.body.size()) + "\r\n";
  for (const auto& [name, value] : post.headers) out += name + ": " + value + "\r\n";
  return out + "\r\n" + post.body;
}

std::string words_of(const std::exception_ptr& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown exception";
  }
}

/// Ends when the signal is given.
asio::awaitable<void> wait_for_signal(exchange_ptr x) {
  error_code cancelled;
  x->signal.expires_at(clock::time_point::max());
  auto token = asio::redirect_error(asio::use_awaitable, cancelled);
  auto waiting = x->signal.async_wait(token);
  co_await std::move(waiting);
}

class outbound_client final : public webhook_client {
 public:
  outbound_client(const settings& config, outbound_options options);
  ~outbound_client() override;

  void post(outgoing_post request, std::function<void(delivery_attempt)> done) override;
  void check(std::string url, std::function<void(std::optional<std::string>)> done) override;

 private:
  struct idle_connection {
    std::shared_ptr<connection> kept;
    clock::time_point since;
  };

  void run();
  void launch(exchange_ptr x);
  void begin(exchange_ptr x);
  void finish(exchange& x);
  void shut_down();

  // Each of these says in `seen`, or in `refusal`, what has come of it.
  asio::awaitable<void> deliver(exchange_ptr x);
  asio::awaitable<void> inquire(exchange_ptr x);

  asio::awaitable<void> look_up(exchange_ptr x);
  /// True: `through` is a connection; false: it has ended.
  asio::awaitable<bool> connect(exchange_ptr x);
  asio::awaitable<bool> dial(exchange_ptr x);
  /// True: nothing of an answer has come, and the connection is broken.
  asio::awaitable<bool> talk(exchange_ptr x, std::string_view request);

  void set_deadline(const exchange_ptr& x, clock::time_point at, attempt_result meaning);
  clock::time_point last_moment(const exchange& x) const { return x.begun + connect_timeout_ + answer_timeout_; }
  /// Words for an operator; nothing: it may be sent there.
  std::optional<std::string_view> why_refused(const destination_url& url, const ip::address& address) const;

  // ---- connections ----
  std::shared_ptr<connection> open_connection(std::string origin);
  std::shared_ptr<connection> take_idle(const exchange& x);
  void keep_idle(std::shared_ptr<connection> used);
  void drop_idle(const connection* spoke);
  void watch_idle();
  bool make_room();
  void wake_next();

  const bool development_;
  const clock::duration connect_timeout_;
  const clock::duration answer_timeout_;
  const clock::duration idle_kept_;
  const std::size_t most_open_;

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  asio::ssl::context tls_;
  asio::steady_timer idle_timer_{context_};
  bool idle_watched_ = false;
  bool stopping_ = false;
  std::size_t open_ = 0;
  std::unordered_set<exchange_ptr> under_way_;
  std::deque<std::weak_ptr<exchange>> waiting_;  ///< for a connection
  std::list<idle_connection> idle_;              ///< the one that was used last at the end
  name_lookup lookup_;                           ///< posts to the context, so it ends before that
  std::thread thread_;
};

outbound_client::outbound_client(const settings& config, outbound_options options)
    : development_(config.dev),
      connect_timeout_(config.webhook_connect_timeout),
      answer_timeout_(config.webhook_answer_timeout),
      idle_kept_(options.idle_kept),
      most_open_(std::max<std::size_t>(config.webhook_workers, 1)),
      tls_(make_outbound_tls(config.webhook_ca_file.string())),
      lookup_(std::move(options.resolve)),
      thread_([this] { run(); }) {}

outbound_client::~outbound_client() {
  asio::post(context_, [this] { shut_down(); });
  work_.reset();
  thread_.join();
}

void outbound_client::run() {
  pthread_setname_np(pthread_self(), "webhooks");
  // Clients wait for payments, nobody waits for this thread: on a machine that has too much to do it comes second.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), webhooks_niceness);
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& e) {
      log::error("webhook_handler_failed", {{"reason", e.what()}});
    }
  }
}

void outbound_client::shut_down() {
  stopping_ = true;
  idle_.clear();
  idle_timer_.cancel();
  for (const auto& x : under_way_) x->interrupt(attempt_result::unreachable);
}

void outbound_client::post(outgoing_post request, std::function<void(delivery_attempt)> done) {
  for ([[maybe_unused]] const auto& [name, value] : request.headers) assert(is_one_line(name) && is_one_line(value));
  auto x = std::make_shared<exchange>(context_);
  x->request = std::move(request);
  x->done = [tell = std::move(done)](exchange& ended) { tell(std::move(ended.seen)); };
  launch(std::move(x));
}

void outbound_client::check(std::string url, std::function<void(std::optional<std::string>)> done) {
  auto x = std::make_shared<exchange>(context_);
  x->request.url = std::move(url);
  x->only_check = true;
  x->done = [tell = std::move(done)](exchange& ended) { tell(std::move(ended.refusal)); };
  launch(std::move(x));
}

void outbound_client::launch(exchange_ptr x) {
  asio::post(context_, [this, started = std::move(x)]() mutable { begin(std::move(started)); });
}

void outbound_client::begin(exchange_ptr x) {
  if (stopping_ || under_way_.size() >= most_exchanges) {
    x->refusal = "the gateway is stopping, or overloaded";
    finish(*x);
    return;
  }
  under_way_.insert(x);
  auto working = x->only_check ? inquire(x) : deliver(x);
  asio::co_spawn(context_, std::move(working), [this, x](std::exception_ptr failed) {
    if (failed) {
      log::error("webhook_exchange_failed", {{"reason", words_of(failed)}});
      x->seen = {};
      x->refusal = "the check failed";
    }
    under_way_.erase(x);
    finish(*x);
  });
}

void outbound_client::finish(exchange& x) {
  x.deadline.cancel();
  x.through.reset();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - x.begun);
  x.seen.took_ms = static_cast<std::uint32_t>(took.count());
  const auto done = std::move(x.done);
  done(x);
}

void outbound_client::set_deadline(const exchange_ptr& x, clock::time_point at, attempt_result meaning) {
  x->deadline.expires_at(std::min(at, last_moment(*x)));
  x->deadline.async_wait([held = std::weak_ptr{x}, meaning](const error_code& cancelled) {
    const auto late = held.lock();
    // A wait that was over when the deadline was moved is not told of its cancellation.
    if (!cancelled && late && late->deadline.expiry() <= clock::now()) late->interrupt(meaning);
  });
}

std::optional<std::string_view> outbound_client::why_refused(const destination_url& url,
                                                             const ip::address& address) const {
  if (!url.tls && !is_loopback(address)) return "not a loopback address: http is for those only";
  return why_forbidden(address, development_ ? loopback_rule::allowed : loopback_rule::refused);
}

// ---- the way of a post ------------------------------------------------------------------------------

asio::awaitable<void> outbound_client::deliver(exchange_ptr x) {
  x->url = read_destination_url(x->request.url, development_).url;
  if (!x->url) {
    x->end_as(attempt_result::forbidden_address);
    co_return;
  }
  set_deadline(x, x->begun + connect_timeout_, attempt_result::connect_timeout);
  auto looking = look_up(x);
  co_await std::move(looking);
  if (x->over || x->found->addresses.empty()) {
    x->end_as(attempt_result::unreachable);
    co_return;
  }
  // From here on the name is not asked again: one of these very addresses is connected to.
  std::erase_if(x->found->addresses,
                [&](const ip::address& address) { return why_refused(*x->url, address).has_value(); });
  if (x->found->addresses.empty()) {
    x->end_as(attempt_result::forbidden_address);
    co_return;
  }

  const auto request = render(*x->url, x->request);
  for (;;) {
    auto connecting = connect(x);
    const bool connected = co_await std::move(connecting);
    if (!connected) co_return;
    const bool fresh = std::exchange(x->fresh_only, true);
    auto talking = talk(x, request);
    const bool unheard = co_await std::move(talking);
    // The peer may have closed a kept connection just as it was used again.
    if (!unheard || fresh) co_return;
    set_deadline(x, clock::now() + connect_timeout_, attempt_result::connect_timeout);
  }
}

asio::awaitable<void> outbound_client::look_up(exchange_ptr x) {
  if (x->url->literal) {
    x->found.emplace().addresses.push_back(*x->url->literal);
    co_return;
  }
  x->found = lookup_.find(x->url->host, [this, held = std::weak_ptr{x}](const found_addresses& found) {
    asio::post(context_, [held, found] {
      const auto waiter = held.lock();
      if (!waiter) return;
      waiter->found = found;
      waiter->signal.cancel();
    });
  });
  while (!x->found && !x->over) {
    auto waiting = wait_for_signal(x);
    co_await std::move(waiting);
  }
}

asio::awaitable<bool> outbound_client::connect(exchange_ptr x) {
  x->woken = false;
  for (;;) {
    if (x->over) break;
    const bool has_turn = x->woken || waiting_.empty();
    if (has_turn && !x->fresh_only) x->through = take_idle(*x);
    if (x->through) break;
    if (has_turn && make_room()) {
      x->fresh_only = true;
      x->through = open_connection(x->url->origin);
      break;
    }
    x->woken = false;
    waiting_.push_back(x);
    while (!x->woken && !x->over) {
      auto waiting = wait_for_signal(x);
      co_await std::move(waiting);
    }
  }
  // Whoever was woken and did not use all that there is passes it on.
  if (open_ < most_open_ || !idle_.empty()) wake_next();
  if (!x->through) co_return x->end_as(attempt_result::unreachable);
  if (!x->fresh_only) co_return true;
  auto dialling = dial(x);
  const bool dialled = co_await std::move(dialling);
  if (!dialled) x->through.reset();
  co_return dialled;
}

asio::awaitable<bool> outbound_client::dial(exchange_ptr x) {
  error_code ec;
  const auto& addresses = x->found->addresses;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // Each address but the last gets a share of the time, so that one that swallows everything leaves some.
    const auto now = clock::now();
    const auto left = addresses.size() - i;
    const auto until =
        left == 1 ? clock::time_point::max() : now + (x->deadline.expiry() - now) / static_cast<int>(left);
    ec = {};
    auto dialling = x->through->dial({addresses[i], x->url->port}, until, ec);
    co_await std::move(dialling);
    if (x->over || !ec) break;
  }
  if (ec == asio::error::access_denied) co_return x->end_as(attempt_result::forbidden_address);
  if (x->over || ec) co_return x->end_as(attempt_result::unreachable);
  if (!x->url->tls) co_return true;

  const auto url = *x->url;
  auto shaking = x->through->shake_hands(tls_, url, ec);
  co_await std::move(shaking);
  if (x->over || ec) co_return x->end_as(attempt_result::tls_failed);
  co_return true;
}

asio::awaitable<bool> outbound_client::talk(exchange_ptr x, std::string_view request) {
  set_deadline(x, clock::now() + answer_timeout_, attempt_result::answer_timeout);
  error_code ec;
  auto sending = x->through->send(request, ec);
  co_await std::move(sending);
  // Some peers answer before they have read everything, and close: a failed send is no reason not to look.
  answer_reader answer;
  auto state = answer_reader::state::partial;
  std::array<char, 4096> bytes;
  while (state == answer_reader::state::partial) {
    ec = {};
    auto receiving = x->through->receive(bytes, ec);
    const auto count = co_await std::move(receiving);
    if (x->over) break;
    if (!ec)
      state = answer.received({bytes.data(), count});
    else
      state = ec == asio::error::eof ? answer.ended() : answer_reader::state::broken;
  }

  auto used = std::move(x->through);
  if (x->over || state == answer_reader::state::broken) {
    x->end_as(attempt_result::unreachable);
    co_return !x->over && answer.nothing_received();
  }
  if (state == answer_reader::state::garbage) co_return x->end_as(attempt_result::bad_answer);
  x->seen.status = answer.status();
  x->seen.excerpt = excerpt_of(answer.body_start());
  if (const auto asked = answer.retry_after()) {
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    x->seen.retry_after = read_retry_after(*asked, now);
  }
  if (state == answer_reader::state::whole && answer.keep_alive()) keep_idle(std::move(used));
  co_return x->end_as(result_of(x->seen.status));
}

asio::awaitable<void> outbound_client::inquire(exchange_ptr x) {
  auto reading = read_destination_url(x->request.url, development_);
  x->url = std::move(reading.url);
  if (!x->url) {
    x->refusal = std::move(reading.why);
    co_return;
  }
  set_deadline(x, x->begun + connect_timeout_, attempt_result::connect_timeout);
  auto looking = look_up(x);
  co_await std::move(looking);
  const auto& host = x->url->host;
  if (x->over) {
    x->refusal = *x->over == attempt_result::connect_timeout ? "looking up " + host + " takes too long"
                                                             : "the gateway is stopping";
    co_return;
  }
  if (x->found->addresses.empty()) x->refusal = host + " cannot be looked up: " + x->found->why;
  for (const auto& address : x->found->addresses) {
    const auto why = why_refused(*x->url, address);
    if (!why) continue;
    x->refusal =
        (x->url->literal ? host + " is " : host + " leads to " + address.to_string() + ", ") + std::string{*why};
    co_return;
  }
}

// ---- connections ------------------------------------------------------------------------------------

std::shared_ptr<connection> outbound_client::open_connection(std::string origin) {
  auto made = std::make_unique<connection>(context_, std::move(origin));
  ++open_;
  return {made.release(), [this](connection* ended) {
            delete ended;
            --open_;
            wake_next();
          }};
}

/// Only one to an address that the name leads to now, and that was found fit.
std::shared_ptr<connection> outbound_client::take_idle(const exchange& x) {
  const auto fits = [&](const connection& kept) {
    return kept.origin() == x.url->origin &&
           std::ranges::find(x.found->addresses, kept.peer().address()) != x.found->addresses.end();
  };
  for (auto at = idle_.end(); at != idle_.begin();) {
    --at;
    if (!fits(*at->kept)) continue;
    auto kept = std::move(at->kept);
    at = idle_.erase(at);
    if (kept->resume()) return kept;
  }
  return nullptr;
}

void outbound_client::keep_idle(std::shared_ptr<connection> used) {
  if (stopping_) return;
  used->watch([this, spoke = used.get()] { drop_idle(spoke); });
  idle_.push_back({std::move(used), clock::now()});
  watch_idle();
  wake_next();
}

void outbound_client::drop_idle(const connection* spoke) {
  std::erase_if(idle_, [&](const idle_connection& other) { return other.kept.get() == spoke; });
}

/// One timer for all: the one that was used longest ago is the first to go.
void outbound_client::watch_idle() {
  if (idle_watched_ || idle_.empty()) return;
  idle_watched_ = true;
  idle_timer_.expires_at(idle_.front().since + idle_kept_);
  idle_timer_.async_wait([this](const error_code&) {
    idle_watched_ = false;
    const auto now = clock::now();
    while (!idle_.empty() && idle_.front().since + idle_kept_ <= now) idle_.pop_front();
    watch_idle();
  });
}

/// For one connection more, if need be in the place of one that is idle.
bool outbound_client::make_room() {
  if (open_ >= most_open_ && !idle_.empty()) idle_.pop_front();
  return open_ < most_open_;
}

void outbound_client::wake_next() {
  while (!waiting_.empty()) {
    const auto next = waiting_.front().lock();
    waiting_.pop_front();
    if (!next || next->over || next->woken) continue;
    next->woken = true;
    next->signal.cancel();
    return;
  }
}

}  // namespace

std::unique_ptr<webhook_client> make_webhook_client(const settings& config, outbound_options options) {
  return std::make_unique<outbound_client>(config, std::move(options));
}

}  // namespace gateway::http
