#include "transport_fixture.hpp"

#include <stdlib.h>

#include <stdexcept>
#include <string>
#include <thread>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <caf/to_string.hpp>

#include "gateway/base/log.hpp"
#include "http/call/ask.hpp"

namespace gateway::http::testing {

namespace asio = boost::asio;

std::atomic<bool> gate{false};
std::atomic<int> waiting{0};
std::atomic<int> chunks_made{0};
std::atomic<int> streams{0};

namespace {

std::string shown(std::string_view name, const std::optional<std::string_view>& value) {
  return value ? std::string{name} + "=" + std::string{*value} + "\n" : std::string{};
}

std::string echo(const request& in) {
  std::string out = std::string{in.method} + " " + std::string{in.path} + "\n";
  if (in.has_query) out += "query=" + std::string{in.query} + "\n";
  out += shown("key_id", in.key_id) + shown("timestamp", in.timestamp) + shown("signature", in.signature) +
         shown("service_merchant", in.service_merchant) + shown("idempotency_key", in.idempotency_key) +
         shown("content_type", in.content_type) + shown("cookie", in.cookie);
  if (in.repeated) out += "repeated\n";
  if (in.repeated_idempotency_key) out += "repeated_idempotency_key\n";
  if (in.trace.present()) {
    const auto trace = traceparent_of(in.trace);
    out += "trace=" + std::string{trace.data(), trace.size()} + '\n';
  }
  return out + "body=" + std::string{in.body};
}

asio::awaitable<void> wait_for_gate() {
  asio::steady_timer timer{co_await asio::this_coro::executor};
  ++waiting;
  while (!gate) {
    timer.expires_after(2ms);
    auto resting = timer.async_wait(asio::use_awaitable);
    co_await std::move(resting);
  }
  --waiting;
}

asio::awaitable<response> ask_router(worker& here, const request& in) {
  entity_request what;
  what.what = view_entity{};
  auto asking = ask(here, std::string{in.request_id}, std::move(what));
  const auto got = co_await std::move(asking);
  response out;
  out.status = got ? 200 : 503;
  out.body = got ? "answered" : caf::to_string(got.error());
  co_return out;
}

struct test_stream {
  test_stream(worker& where, const request& in) : here(where), path(in.path), request_id(in.request_id) {
    const auto times = in.query.find('x');
    left = std::stoi(std::string{in.query.substr(0, times)});
    size = std::stoul(std::string{in.query.substr(times + 1)});
    ++streams;
  }
  ~test_stream() { --streams; }
  test_stream(const test_stream&) = delete;
  test_stream& operator=(const test_stream&) = delete;

  worker& here;
  std::string path;
  std::string request_id;
  int left = 0;
  std::size_t size = 0;
  char letter = 'a';
};

asio::awaitable<std::optional<std::string>> make_chunk(std::shared_ptr<test_stream> of) {
  if (of->path == "/stream/gated") {
    auto waiting_for = wait_for_gate();
    co_await std::move(waiting_for);
  }
  if (of->path == "/stream/slow") {
    asio::steady_timer timer{co_await asio::this_coro::executor, 50ms};
    auto resting = timer.async_wait(asio::use_awaitable);
    co_await std::move(resting);
  }
  if (of->path == "/stream/asks") {
    entity_request what;
    what.what = view_entity{};
    auto asking = ask(of->here, of->request_id, std::move(what));
    const auto got = co_await std::move(asking);
    if (!got) throw std::runtime_error("the router: " + caf::to_string(got.error()));
  }
  if (of->left-- == 0) {
    if (of->path == "/stream/throws") throw std::runtime_error("as asked");
    co_return std::nullopt;
  }
  ++chunks_made;
  co_return std::string(of->size, of->letter++);
}

asio::awaitable<response> handle(worker& here, request& in) {
  response out;
  out.content_type = "text/plain";
  out.route = "/echo";
  if (in.path == "/ask") {
    auto asking = ask_router(here, in);
    out = co_await std::move(asking);
  } else if (in.path == "/throw") {
    throw std::runtime_error("as asked");
  } else if (in.path.starts_with("/stream")) {
    out.next_chunk = [of = std::make_shared<test_stream>(here, in)] { return make_chunk(of); };
  } else if (in.path == "/from") {
    out.body = in.remote_address;
  } else if (in.path == "/large") {
    out.body.assign(large_body, 'x');
  } else {
    if (in.path == "/wait") {
      auto waiting_for = wait_for_gate();
      co_await std::move(waiting_for);
    }
    out.body = echo(in);
  }
  co_return out;
}

asio::awaitable<response> handle_as_operator(worker& here, request& in) {
  response out;
  if (in.path.starts_with("/stream")) {
    auto op = handle(here, in);
    co_return co_await std::move(op);
  }
  out.body = "operator " + std::string{in.path};
  co_return out;
}

asio::awaitable<response> handle_as_metrics(worker& here, request& in) {
  response out;
  if (in.path.starts_with("/stream")) {
    auto op = handle(here, in);
    co_return co_await std::move(op);
  }
  out.body = "metrics " + std::string{in.path};
  co_return out;
}

/// Request log lines are turned off, because they would hide the tests' results.
[[maybe_unused]] const bool quiet = [] {
  log::start(log::level::error);
  log::stop();
  return true;
}();

}  // namespace

temporary_directory::temporary_directory() {
  auto name = (std::filesystem::temp_directory_path() / "gateway-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
  path_ = name;
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + tests::hang_timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

test_server::test_server(const std::function<void(settings&)>& adjust, router_actor router) {
  gate = false;
  waiting = 0;
  chunks_made = 0;
  config.listen = "127.0.0.1:0";
  config.operator_listen = "127.0.0.1:0";
  config.data_dir = directory.path();
  config.http_threads = 2;
  if (adjust) adjust(config);
  shared.reset(
      new services{config, "", "", merchants, clock, meters, std::move(router), {}, outbound, {}, {}, brake, "", ""});
  auto sockets = open_listeners(config);
  if (sockets.operator_tcp) operator_port = sockets.operator_tcp.port();
  running = std::make_unique<server>(server_context_of(*shared), system, std::move(sockets),
                                     handlers{handle, handle_as_operator, handle_as_metrics});
  running->start();
}

test_server::~test_server() {
  gate = true;
  running.reset();
}

}  // namespace gateway::http::testing
