// Posts to real local servers, many of which misbehave.
#include <catch2/catch.hpp>

#include <sys/socket.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "http/outbound/answer_reader.hpp"
#include "outbound_client.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

const auto brief_answers = [](settings& s) { s.webhook_answer_timeout = 200ms; };

/// The attempt's result after this answer and the end of the connection.
delivery_attempt after_answer(const std::string& bytes) {
  scripted_server server{[&](peer& caller) {
    if (caller.read_request()) caller.send(bytes);
  }};
  test_client client;
  return client.post(server.url());
}

}  // namespace

TEST_CASE("a post carries its headers and its body, and reports the answer") {
  std::mutex mutex;
  std::string seen;
  scripted_server server{[&](peer& caller) {
    while (auto request = caller.read_request()) {
      const std::lock_guard lock{mutex};
      seen = *request;
      caller.send(answer(201, "thank you"));
    }
  }};
  test_client client;
  const auto reported = client.post(server.url("127.0.0.1", "/hook?a=b"), R"({"x":1})");
  CHECK(reported.result == attempt_result::delivered);
  CHECK(reported.status == 201);
  CHECK(reported.excerpt == "thank you");
  CHECK_FALSE(reported.retry_after);
  CHECK(reported.at == time_point{});
  const std::lock_guard lock{mutex};
  CHECK(seen == "POST /hook?a=b HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                    "\r\nUser-Agent: Service-Webhooks/1\r\nContent-Type: application/json\r\n"
                    "Content-Length: 7\r\nX-Service-Delivery: 7\r\n\r\n{\"x\":1}");
}

TEST_CASE("one connection serves posts one after another") {
  scripted_server server{answer_all};
  test_client client;
  for (int i = 0; i < 20; ++i) CHECK(client.post(server.url()).result == attempt_result::delivered);
  CHECK(server.connections() == 1);
  // Another name for the same address is another origin.
  CHECK(client.post(server.url("localhost")).result == attempt_result::delivered);
  CHECK(server.connections() == 2);
}

TEST_CASE("a connection is kept only as long as the answer allows") {
  const auto served_with = [](const std::string& bytes) {
    scripted_server server{[&](peer& caller) {
      while (caller.read_request()) caller.send(bytes);
    }};
    test_client client;
    for (int i = 0; i < 3; ++i) CHECK(client.post(server.url()).result == attempt_result::delivered);
    return server.connections();
  };
  CHECK(served_with(answer(200, "ok")) == 1);
  CHECK(served_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n") == 1);
  CHECK(served_with(answer(200, "ok", "Connection: close\r\n")) == 3);
  CHECK(served_with("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok") == 3);
  CHECK(served_with(answer(200, "ok") + "more") == 3);
  CHECK(served_with(answer(200, std::string(most_answer_body_bytes + 1, 'x'))) == 3);
}

TEST_CASE("an idle connection is closed after a while") {
  std::atomic<bool> ended{false};
  scripted_server server{[&](peer& caller) {
    caller.read_request();
    caller.send(answer(200, "ok"));
    ended = caller.sees_end();
  }};
  test_client client{{}, {test_names{}, 50ms}};
  CHECK(client.post(server.url()).result == attempt_result::delivered);
  CHECK(soon([&] { return ended.load(); }));
}

TEST_CASE("a peer that closes an idle connection causes no failure") {
  scripted_server server{[](peer& caller) {
    if (caller.read_request()) caller.send(answer(200, "ok"));
  }};
  test_client client;
  for (int i = 0; i < 50; ++i) CHECK(client.post(server.url()).result == attempt_result::delivered);
  CHECK(server.connections() == 50);
}

TEST_CASE("a kept connection that breaks before an answer is replaced once") {
  std::atomic<int> requests{0};
  std::atomic<bool> refuses{false};
  scripted_server server{[&](peer& caller) {
    if (!caller.read_request()) return;
    ++requests;
    if (refuses) return;
    caller.send(answer(200, "ok"));
    if (!caller.read_request()) return;
    ++requests;  // read, and not answered: as if the peer had closed just then
    caller.reset();
  }};
  test_client client;
  CHECK(client.post(server.url()).result == attempt_result::delivered);
  CHECK(client.post(server.url()).result == attempt_result::delivered);
  CHECK(server.connections() == 2);
  CHECK(requests == 3);
  refuses = true;  // the kept one breaks, and so does the new one: no third is opened
  CHECK(client.post(server.url()).result == attempt_result::unreachable);
  CHECK(requests == 5);
  CHECK(client.post(server.url()).result == attempt_result::unreachable);
  CHECK(requests == 6);
}

TEST_CASE("a kept connection that breaks within an answer is not replaced") {
  std::atomic<int> requests{0};
  scripted_server server{[&](peer& caller) {
    while (caller.read_request()) {
      if (++requests == 2) {
        caller.send("HTTP/1.1 200 OK\r\nContent-");
        return;
      }
      caller.send(answer(200, "ok"));
    }
  }};
  test_client client;
  CHECK(client.post(server.url()).result == attempt_result::delivered);
  CHECK(client.post(server.url()).result == attempt_result::unreachable);
  CHECK(requests == 2);
}

TEST_CASE("a peer that never answers, or drips, times out") {
  {
    scripted_server silent{[](peer& caller) { caller.sees_end(); }};
    test_client client{brief_answers};
    const auto reported = client.post(silent.url());
    CHECK(reported.result == attempt_result::answer_timeout);
    CHECK(reported.status == 0);
    CHECK(reported.took_ms >= 200);
  }
  {
    scripted_server dripping{[](peer& caller) {
      caller.read_request();
      caller.send("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n");
      while (caller.send("x")) std::this_thread::sleep_for(5ms);
    }};
    test_client client{brief_answers};
    CHECK(client.post(dripping.url()).result == attempt_result::answer_timeout);
  }
}

TEST_CASE("a peer that reads no bytes times out") {
  std::promise<void> over;
  const auto is_over = over.get_future().share();
  scripted_server deaf{[is_over](peer&) { is_over.wait(); }};
  test_client client{brief_answers};
  CHECK(client.post(deaf.url(), std::string(32 << 20, 'x')).result == attempt_result::answer_timeout);
  over.set_value();
}

TEST_CASE("an endless answer counts by its status") {
  scripted_server endless{[](peer& caller) {
    if (!caller.read_request()) return;
    caller.send("HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (caller.send("5\r\nhello\r\n")) {}
  }};
  test_client client;
  const auto reported = client.post(endless.url());
  CHECK(reported.result == attempt_result::rejected);
  CHECK(reported.status == 503);
  CHECK(reported.excerpt.starts_with("hellohello"));
  CHECK(reported.excerpt.size() == most_excerpt_bytes);
}

TEST_CASE("endless interim answers are not an answer") {
  scripted_server flood{[](peer& caller) {
    if (!caller.read_request()) return;
    while (caller.send("HTTP/1.1 102 Processing\r\n\r\n")) {}
  }};
  test_client client;
  CHECK(client.post(flood.url()).result == attempt_result::bad_answer);
  CHECK(after_answer("HTTP/1.1 100 Continue\r\n\r\n" + answer(200, "ok")).result == attempt_result::delivered);
}

TEST_CASE("each answer has its result") {
  struct row {
    std::string bytes;
    attempt_result result;
    int status;
  };
  const row rows[] = {
      {answer(204, ""), attempt_result::delivered, 204},
      {answer(410, "gone"), attempt_result::gone, 410},
      {answer(500, "no"), attempt_result::rejected, 500},
      {"HTTP/1.1 200 OK\r\n\r\nuntil the end", attempt_result::delivered, 200},
      {"", attempt_result::unreachable, 0},
      {"HTTP/1.1 200 OK\r\n", attempt_result::unreachable, 0},
      {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", attempt_result::unreachable, 0},
      {"SSH-2.0-OpenSSH_9\r\n", attempt_result::bad_answer, 0},
      {std::string{"\x15\x03\x01\x00\x02\x02", 6}, attempt_result::bad_answer, 0},
      {"HTTP/1.1 200 OK\r\n" + std::string(20'000, 'x'), attempt_result::bad_answer, 0},
  };
  for (const auto& r : rows) {
    INFO(r.bytes.substr(0, 80));
    const auto reported = after_answer(r.bytes);
    CHECK(to_string(reported.result) == to_string(r.result));
    CHECK(reported.status == r.status);
  }
}

TEST_CASE("a redirect is not followed") {
  scripted_server target{answer_all};
  const auto reported = after_answer(answer(307, "", "Location: " + target.url() + "\r\n"));
  CHECK(reported.result == attempt_result::rejected);
  CHECK(reported.status == 307);
  CHECK(target.connections() == 0);
}

TEST_CASE("Retry-After is returned") {
  CHECK(after_answer(answer(503, "", "Retry-After: 120\r\n")).retry_after == duration_ms{120s});
  CHECK(after_answer(answer(503, "", "Retry-After: Fri, 06 Nov 2020 08:49:37 GMT\r\n")).retry_after == duration_ms{0});
  CHECK_FALSE(after_answer(answer(503, "", "Retry-After: soon\r\n")).retry_after);
}

TEST_CASE("a peer that refuses connections is unreachable") {
  std::uint16_t port = 0;
  {
    scripted_server gone{answer_all};
    port = gone.port();
  }
  test_client client;
  CHECK(client.post("http://127.0.0.1:" + std::to_string(port) + "/").result == attempt_result::unreachable);
  CHECK(client.post("http://unknown.test/").result == attempt_result::unreachable);
}

TEST_CASE("addresses are tried in order") {
  scripted_server server{answer_all, {}, "127.0.0.3"};
  test_names names;
  names.addresses["many.test"] = {"127.0.0.2", "::1", "127.0.0.3"};
  test_client client{{}, {names}};
  CHECK(client.post(server.url("many.test")).result == attempt_result::delivered);
  CHECK(client.post(server.url("many.test")).result == attempt_result::delivered);
  CHECK(server.connections() == 1);
}

TEST_CASE("open connections are bounded, and posts wait for one") {
  scripted_server server{[](peer& caller) {
    while (caller.read_request()) {
      std::this_thread::sleep_for(2ms);
      caller.send(answer(200, "ok"));
    }
  }};
  test_client client{[](settings& s) { s.webhook_workers = 3; }};
  std::vector<std::future<delivery_attempt>> posts;
  for (int i = 0; i < 60; ++i) posts.push_back(client.begin(server.url(i % 2 == 0 ? "127.0.0.1" : "localhost")));
  for (auto& post : posts) CHECK(post.get().result == attempt_result::delivered);
  CHECK(server.most_at_once() <= 3);
}

TEST_CASE("a post that waits in vain for a connection uses up its connect timeout") {
  scripted_server server{[](peer& caller) { caller.sees_end(); }};
  test_client client{[](settings& s) {
    s.webhook_workers = 1;
    s.webhook_connect_timeout = 300ms;
    s.webhook_answer_timeout = 900ms;
  }};
  auto first = client.begin(server.url());
  auto second = client.begin(server.url());
  CHECK(second.get().result == attempt_result::connect_timeout);
  CHECK(first.get().result == attempt_result::answer_timeout);
  CHECK(client.post(server.url()).result == attempt_result::answer_timeout);  // its place was given back
}

TEST_CASE("connections are kept for later requests, however many destinations share an origin") {
  std::atomic<int> inside{0};
  scripted_server server{[&](peer& caller) {
    while (caller.read_request()) {
      ++inside;
      soon([&] { return inside >= 10; });
      caller.send(answer(200, "ok"));
    }
  }};
  test_client client{[](settings& s) { s.webhook_window = 2; }};
  std::vector<std::future<delivery_attempt>> posts;
  for (int i = 0; i < 10; ++i) posts.push_back(client.begin(server.url()));
  for (auto& post : posts) CHECK(post.get().result == attempt_result::delivered);
  CHECK(server.connections() == 10);
  inside = 100;
  posts.clear();
  for (int i = 0; i < 10; ++i) posts.push_back(client.begin(server.url()));
  for (auto& post : posts) CHECK(post.get().result == attempt_result::delivered);
  CHECK(server.connections() == 10);
}

TEST_CASE("a thousand concurrent posts all end") {
  scripted_server server{answer_all};
  test_client client{[](settings& s) { s.webhook_workers = s.webhook_window = 64; }};
  std::vector<std::future<delivery_attempt>> posts;
  for (int i = 0; i < 1000; ++i) posts.push_back(client.begin(server.url()));
  int delivered = 0;
  for (auto& post : posts) delivered += post.get().result == attempt_result::delivered;
  CHECK(delivered == 1000);
  CHECK(server.connections() <= 64);
}

TEST_CASE("the end of the client ends the posts under way, each once") {
  std::atomic<int> connected{0};
  scripted_server silent{[&](peer& caller) {
    ++connected;
    caller.sees_end();
  }};
  std::promise<void> release;
  const auto released = release.get_future().share();
  auto client = std::make_unique<test_client>([](settings& s) { s.webhook_workers = 20; },
                                              outbound_options{[released](const std::string& name) {
                                                if (name == "stuck.test") released.wait();
                                                return test_names{}(name);
                                              }});
  std::atomic<int> ended{0}, unreachable{0}, checked{0};
  const auto count = [&](delivery_attempt seen) {
    ++ended;
    unreachable += seen.result == attempt_result::unreachable;
  };
  for (int i = 0; i < 40; ++i)
    client->client->post({silent.url(), {}, "{}"}, count);  // connected, or waiting for a
                                                            // connection
  for (int i = 0; i < 10; ++i) client->client->post({silent.url("stuck.test"), {}, "{}"}, count);  // being looked up
  client->client->check(silent.url("stuck.test"), "merch_1",
                        [&](std::optional<std::string> why) { checked += why.has_value(); });
  CHECK(soon([&] { return connected == 20; }));
  CHECK(ended == 0);
  client->client->post({silent.url(), {}, "{}"}, count);
  client.reset();
  CHECK(ended == 51);
  CHECK(unreachable == 51);
  CHECK(checked == 1);
  release.set_value();
}
