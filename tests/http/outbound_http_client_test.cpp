// The port for calls to providers, on real local servers: what is answered, what fails, and whether the other side may
// have received the request.
#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "http/outbound/answer_reader.hpp"
#include "http/outbound/http_client.hpp"
#include "outbound_client.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

/// A client as a provider has one: it sends to the operator's URLs.
struct provider_client {
  explicit provider_client(const std::function<void(http_client_options&)>& adjust = {}) {
    http_client_options options;
    options.destinations = destination_rule::any;
    options.resolve = test_names{};
    if (adjust) adjust(options);
    client = make_http_client(std::move(options));
  }

  std::future<http_outcome> begin(http_request request) {
    auto promise = std::make_shared<std::promise<http_outcome>>();
    auto future = promise->get_future();
    // A second callback would throw, and be logged; a missing one breaks the promise.
    client->send(std::move(request), [promise](http_outcome outcome) { promise->set_value(std::move(outcome)); });
    return future;
  }
  http_answer answer_to(http_request request) { return std::get<http_answer>(begin(std::move(request)).get()); }
  http_failure failure_of(http_request request) { return std::get<http_failure>(begin(std::move(request)).get()); }
  std::optional<std::string> check(const std::string& url, std::chrono::milliseconds within = tests::hang_timeout) {
    std::promise<std::optional<std::string>> promise;
    client->check(url, {}, within, [&](std::optional<std::string> why) { promise.set_value(std::move(why)); });
    return promise.get_future().get();
  }

  std::unique_ptr<http_client> client;
};

http_request get(const std::string& url) {
  http_request out;
  out.url = url;
  return out;
}

http_request post(const std::string& url, std::string body = "amount=100") {
  http_request out = get(url);
  out.method = http_method::post;
  out.body = std::move(body);
  return out;
}

const http_failure unsent_and(http_fault what) { return {what, false}; }
const http_failure sent_and(http_fault what) { return {what, true}; }

/// The failure after these bytes and the end of the connection.
http_failure failure_after(const std::string& bytes) {
  scripted_server server{[&](peer& caller) {
    if (caller.read_request()) caller.send(bytes);
  }};
  return provider_client{}.failure_of(post(server.url()));
}

std::string unused_port() {
  scripted_server gone{answer_all};
  return std::to_string(gone.port());
}

}  // namespace

namespace gateway {
static std::ostream& operator<<(std::ostream& out, const http_failure& failure) {
  return out << "fault " << static_cast<int>(failure.what) << (failure.sent ? ", sent" : ", not sent");
}
}  // namespace gateway

// ---- answers ----------------------------------------------------------------------------------------

TEST_CASE("a request is sent with its method and headers after the client's own, and its answer is returned") {
  std::mutex mutex;
  std::string seen;
  scripted_server server{[&](peer& caller) {
    while (auto request = caller.read_request()) {
      const std::lock_guard lock{mutex};
      seen = *request;
      caller.send(answer(402, R"({"error":1})", "Request-Id: req_1\r\nX-Twice: a\r\nx-twice: b\r\n"));
    }
  }};
  provider_client client{[](http_client_options& o) { o.headers = {{"User-Agent", "Gateway/1"}}; }};
  const auto host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\nUser-Agent: Gateway/1\r\n";
  struct row {
    http_method method;
    std::string body, head;
  };
  const row rows[] = {
      {http_method::get, "", "GET /hook HTTP/1.1\r\n" + host},
      {http_method::post, "a=b", "POST /hook HTTP/1.1\r\n" + host + "Content-Length: 3\r\n"},
      {http_method::delete_, "", "DELETE /hook HTTP/1.1\r\n" + host},
  };
  for (const auto& r : rows) {
    auto request = get(server.url());
    request.method = r.method;
    request.body = r.body;
    request.headers = {{"Idempotency-Key", "k1"}};
    const auto reported = client.answer_to(request);
    CHECK(reported.status == 402);
    CHECK(reported.body == R"({"error":1})");
    CHECK_FALSE(reported.cut);
    CHECK(reported.headers.find("request-id") == "req_1");
    CHECK(reported.headers.find("X-Twice") == "a");
    CHECK_FALSE(reported.headers.find("Retry-After"));
    const std::lock_guard lock{mutex};
    CHECK(seen == r.head + "Idempotency-Key: k1\r\n\r\n" + r.body);
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("no more of a body is kept than requested, and a cut body is marked") {
  struct row {
    std::size_t most, size;
    bool cut;
    unsigned connections;  /// that two requests need: a connection whose answer was read to its end is reused
  };
  const row rows[] = {
      {10, 9, false, 1},
      {10, 10, false, 1},
      {10, 11, true, 1},
      {0, 1, true, 1},
      {10, 64 * 1024, true, 1},
      {10, 64 * 1024 + 1, true, 2},
      {1 << 20, 500'000, false, 1},
      {500'000, 500'001, true, 2},
  };
  for (const auto& r : rows) {
    INFO(r.size << " bytes, of which " << r.most << " are kept");
    scripted_server server{[&](peer& caller) {
      while (caller.read_request()) caller.send(answer(200, std::string(r.size, 'x')));
    }};
    provider_client client;
    auto request = get(server.url());
    request.most_body_bytes = r.most;
    for (int i = 0; i < 2; ++i) {
      const auto reported = client.answer_to(request);
      CHECK(reported.body.size() == std::min(r.most, r.size));
      CHECK(reported.cut == r.cut);
    }
    CHECK(server.connections() == r.connections);
  }
}

TEST_CASE("an endless body is cut") {
  scripted_server endless{[](peer& caller) {
    if (!caller.read_request()) return;
    caller.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (caller.send("5\r\nhello\r\n")) {}
  }};
  provider_client client;
  const auto reported = client.answer_to(get(endless.url()));
  CHECK(reported.status == 200);
  CHECK(reported.body.size() == http_request{}.most_body_bytes);
  CHECK(reported.cut);
}

TEST_CASE("a provider's certificate may be signed by the operator's authority") {
  test_authority authority;
  scripted_server server{answer_all, authority.issue("DNS:hooks.test")};
  provider_client client{[&](http_client_options& o) { o.ca_file = authority.file(); }};
  for (int i = 0; i < 3; ++i) CHECK(client.answer_to(post(server.url("hooks.test"))).body == "ok");
  CHECK(server.connections() == 1);
}

TEST_CASE("a callback may send the next request at once, on the client's own thread") {
  scripted_server server{answer_all};
  provider_client client{[](http_client_options& o) { o.thread_name = "stripe"; }};
  std::promise<std::string> name;
  std::promise<http_outcome> second;
  client.client->send(get(server.url()), [&](http_outcome) {
    char text[16] = {};
    pthread_getname_np(pthread_self(), text, sizeof text);
    name.set_value(text);
    client.client->send(get(server.url()), [&](http_outcome outcome) { second.set_value(std::move(outcome)); });
  });
  CHECK(name.get_future().get() == "stripe");
  CHECK(std::get<http_answer>(second.get_future().get()).status == 200);
}

// ---- failures ---------------------------------------------------------------------------------------

TEST_CASE("a request that never had a connection was certainly not sent") {
  test_authority authority, other;
  scripted_server untrusted{answer_all, other.issue("DNS:hooks.test")};
  scripted_server hanging{[](peer& caller) { caller.sees_end(); }};
  provider_client client{[&](http_client_options& o) { o.ca_file = authority.file(); }};
  CHECK(client.failure_of(post("http://127.0.0.1:" + unused_port() + "/")) == unsent_and(http_fault::connect_failed));
  CHECK(client.failure_of(post("http://unknown.test/")) == unsent_and(http_fault::lookup_failed));
  CHECK(client.failure_of(post("api.example/v1")) == unsent_and(http_fault::bad_address));
  CHECK(client.failure_of(post("http://8.8.8.8/")) == unsent_and(http_fault::forbidden_address));
  CHECK(client.failure_of(post(untrusted.url("hooks.test"))) == unsent_and(http_fault::tls_failed));
  auto slow = post("https://127.0.0.1:" + std::to_string(hanging.port()) + "/");
  slow.connect_timeout = 100ms;
  CHECK(client.failure_of(slow) == unsent_and(http_fault::connect_timeout));

  provider_client strangers{[](http_client_options& o) { o.destinations = destination_rule::public_only; }};
  CHECK(strangers.failure_of(post("https://10.1.2.3/")) == unsent_and(http_fault::forbidden_address));
  CHECK(strangers.failure_of(post(hanging.url())) == unsent_and(http_fault::bad_address));
}

TEST_CASE("a request whose answer does not arrive, or cannot be read, may have been sent") {
  CHECK(failure_after("") == sent_and(http_fault::broken));
  CHECK(failure_after("HTTP/1.1 200 OK\r\n") == sent_and(http_fault::broken));
  CHECK(failure_after("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok") == sent_and(http_fault::broken));
  CHECK(failure_after("SSH-2.0-OpenSSH_9\r\n") == sent_and(http_fault::garbage));
  CHECK(failure_after("HTTP/1.1 200 OK\r\nA: " + std::string(20'000, 'x')) == sent_and(http_fault::too_large));

  scripted_server silent{[](peer& caller) { caller.sees_end(); }};
  auto impatient = post(silent.url());
  impatient.answer_timeout = 100ms;
  provider_client client;
  CHECK(client.failure_of(impatient) == sent_and(http_fault::answer_timeout));
}

TEST_CASE("a request that is interrupted while it is sent may have been sent") {
  scripted_server rude{[](peer& caller) {
    char first = 0;
    ::recv(caller.fd(), &first, 1, 0);
    caller.reset();
  }};
  CHECK(provider_client{}.failure_of(post(rude.url(), std::string(32 << 20, 'x'))) ==
        sent_and(http_fault::send_failed));
}

TEST_CASE("a header that would start another header or request fails its request, and nothing is sent") {
  scripted_server server{answer_all};
  provider_client client;
  for (const auto& header : {std::pair<std::string, std::string>{"X-Order", "1\r\nX-Admin: yes"},
                             {"X-Order", "1\n"},
                             {"X-Order: 1\r\nX-Admin", "yes"},
                             {"", "1"},
                             {"Content-Length", "0"}}) {
    INFO(header.first << ": " << header.second);
    auto request = post(server.url());
    request.headers = {header};
    CHECK(client.failure_of(request) == unsent_and(http_fault::bad_request));
  }
  CHECK(server.connections() == 0);
  CHECK_THROWS_WITH(provider_client([](http_client_options& o) {
                      o.thread_name = "stripe";
                      o.headers = {{"User-Agent", "a\nb"}};
                    }),
                    "a header of the stripe client cannot be sent");
}

// ---- kept connections -------------------------------------------------------------------------------

TEST_CASE("a kept connection that breaks before an answer is replaced only for a repeatable request") {
  for (const bool repeatable : {false, true}) {
    INFO((repeatable ? "repeatable" : "not repeatable"));
    std::atomic<int> requests{0};
    scripted_server server{[&](peer& caller) {
      if (!caller.read_request()) return;
      ++requests;
      caller.send(answer(200, "ok"));
      if (!caller.read_request()) return;
      ++requests;  // read, and not answered: as if the peer had closed just then
      caller.reset();
    }};
    provider_client client;
    auto request = post(server.url());
    request.repeatable = repeatable;
    CHECK(client.answer_to(request).status == 200);
    const auto outcome = client.begin(request).get();
    if (repeatable) {
      CHECK(std::get<http_answer>(outcome).status == 200);
      CHECK(std::get<http_answer>(outcome).resent);
    } else {
      CHECK(std::get<http_failure>(outcome) == sent_and(http_fault::broken));
    }
    CHECK(requests == (repeatable ? 3 : 2));
  }
}

TEST_CASE("a request that cannot be repeated because no connection can be made may have been sent the first time") {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&at), size) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size);
  std::thread serving{[&] {
    peer caller{::accept(listener, nullptr, nullptr), 1};
    caller.read_request();
    caller.send(answer(200, "ok"));
    caller.read_request();
    ::close(listener);  // before the connection ends: from now on connections are refused
  }};
  provider_client client;
  auto request = post("http://127.0.0.1:" + std::to_string(ntohs(at.sin_port)) + "/");
  request.repeatable = true;
  CHECK(client.answer_to(request).status == 200);
  CHECK(client.failure_of(request) == sent_and(http_fault::connect_failed));
  serving.join();
}

// ---- limits, and the end ----------------------------------------------------------------------------

TEST_CASE("the number of requests under way is bounded, and one beyond that fails at once") {
  std::atomic<int> requests{0};
  scripted_server silent{[&](peer& caller) {
    caller.read_request();
    ++requests;
    caller.sees_end();
  }};
  auto client = std::make_unique<provider_client>([](http_client_options& o) { o.most_under_way = 2; });
  auto first = client->begin(post(silent.url()));
  auto second = client->begin(post(silent.url()));
  CHECK(client->failure_of(post(silent.url())) == unsent_and(http_fault::overloaded));
  CHECK(client->check(silent.url()) == "the gateway is overloaded");
  CHECK(soon([&] { return requests == 2; }));
  client.reset();
  CHECK(std::get<http_failure>(first.get()) == sent_and(http_fault::stopping));
  CHECK(std::get<http_failure>(second.get()) == sent_and(http_fault::stopping));
}

TEST_CASE("the end of a client ends the requests under way, each with whether it may have been sent") {
  std::atomic<int> requests{0};
  scripted_server silent{[&](peer& caller) {
    caller.read_request();
    ++requests;
    caller.sees_end();
  }};
  std::promise<void> release;
  const auto released = release.get_future().share();
  auto client = std::make_unique<provider_client>([released](http_client_options& o) {
    o.most_connections = 1;
    o.resolve = [released](const std::string& name) {
      if (name == "stuck.test") released.wait();
      return test_names{}(name);
    };
  });
  auto talking = client->begin(post(silent.url()));
  auto waiting = client->begin(post(silent.url()));
  auto looking = client->begin(post(silent.url("stuck.test")));
  CHECK(soon([&] { return requests == 1; }));
  client.reset();
  CHECK(std::get<http_failure>(talking.get()) == sent_and(http_fault::stopping));
  CHECK(std::get<http_failure>(waiting.get()) == unsent_and(http_fault::stopping));
  CHECK(std::get<http_failure>(looking.get()) == unsent_and(http_fault::stopping));
  release.set_value();
}

TEST_CASE("a client whose connections are all in use does not affect another") {
  scripted_server silent{[](peer& caller) { caller.sees_end(); }};
  scripted_server server{answer_all};
  const auto with_one = [](http_client_options& o) { o.most_connections = 1; };
  provider_client busy{with_one}, other{with_one};
  const auto waiting = busy.begin(post(silent.url()));
  auto late = post(server.url());
  late.connect_timeout = 100ms;
  CHECK(busy.failure_of(late) == unsent_and(http_fault::connect_timeout));
  CHECK(other.answer_to(post(server.url())).status == 200);
}

TEST_CASE("a check names the reason why an operator's URL is not allowed") {
  provider_client client;
  CHECK_FALSE(client.check("https://10.1.2.3/v1"));
  CHECK_FALSE(client.check("http://localhost:12111/v1"));
  CHECK(client.check("http://10.1.2.3/v1") == "10.1.2.3 is not a loopback address: http is for those only");
  CHECK_FALSE(client.check("https://unknown.test/v1"));  // unknown now, but perhaps not later
}
