// Which certificates the client trusts, and which addresses it connects to.
#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "outbound_client.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

std::function<void(settings&)> trusting(const test_authority& authority) {
  return [file = authority.file()](settings& s) { s.webhook_ca_file = file; };
}

/// Without --dev loopback is refused under any name.
const auto in_production = [](settings& s) { s.dev = false; };

}  // namespace

TEST_CASE("TLS with an authority of the settings delivers, and sends the name") {
  test_authority authority;
  std::mutex mutex;
  std::string asked;
  scripted_server server{[&](peer& caller) {
                           {
                             const std::lock_guard lock{mutex};
                             asked = caller.asked_name();
                           }
                           answer_all(caller);
                         },
                         authority.issue("DNS:hooks.test,IP:127.0.0.1")};
  test_client client{trusting(authority)};
  for (int i = 0; i < 5; ++i) CHECK(client.post(server.url("hooks.test")).result == attempt_result::delivered);
  CHECK(server.connections() == 1);
  {
    const std::lock_guard lock{mutex};
    CHECK(asked == "hooks.test");
  }
  CHECK(client.post(server.url("127.0.0.1")).result == attempt_result::delivered);
  const std::lock_guard lock{mutex};
  CHECK(asked.empty());
  CHECK(server.connections() == 2);
}

TEST_CASE("untrusted certificates end the attempt before a byte is sent") {
  test_authority authority, other;
  std::atomic<int> requests{0};
  const auto count = [&](peer& caller) { requests += caller.read_request().has_value(); };
  struct row {
    const char* what;
    server_identity shown;
    std::string host;
  };
  const row rows[] = {
      {"another name", authority.issue("DNS:other.test"), "hooks.test"},
      {"a wildcard over more than a label", authority.issue("DNS:*.test"), "127.0.0.1"},
      {"a partial wildcard", authority.issue("DNS:ho*.test"), "hooks.test"},
      {"no address", authority.issue("DNS:127.0.0.1"), "127.0.0.1"},
      {"expired", authority.issue("DNS:hooks.test", true), "hooks.test"},
      {"another authority", other.issue("DNS:hooks.test"), "hooks.test"},
  };
  test_client client{trusting(authority)};
  for (const auto& r : rows) {
    INFO(r.what);
    scripted_server server{count, r.shown};
    CHECK(to_string(client.post(server.url(r.host)).result) == "tls_failed");
  }
  test_client without_file;
  scripted_server server{count, authority.issue("DNS:hooks.test")};
  CHECK(without_file.post(server.url("hooks.test")).result == attempt_result::tls_failed);
  CHECK(requests == 0);
}

TEST_CASE("a peer that does not speak TLS, and one that hangs in the handshake, have results of their own") {
  scripted_server plain{[](peer& caller) {
    caller.send("SSH-2.0-OpenSSH\r\n");
    caller.sees_end();
  }};
  scripted_server closing{[](peer&) {}};
  scripted_server hanging{[](peer& caller) { caller.sees_end(); }};
  test_client client, impatient{[](settings& s) { s.webhook_connect_timeout = 200ms; }};
  const auto secure = [](const scripted_server& server) {
    return "https://127.0.0.1:" + std::to_string(server.port()) + "/";
  };
  CHECK(client.post(secure(plain)).result == attempt_result::tls_failed);
  CHECK(client.post(secure(closing)).result == attempt_result::tls_failed);
  const auto reported = impatient.post(secure(hanging));
  CHECK(reported.result == attempt_result::connect_timeout);
  CHECK(reported.took_ms >= 200);
}

TEST_CASE("an unusable file of authorities is named") {
  CHECK_THROWS_WITH(test_client([](settings& s) { s.webhook_ca_file = "/nowhere/ca.pem"; }),
                    Catch::Matchers::StartsWith("cannot use the authorities in /nowhere/ca.pem: "));
}

TEST_CASE("a listener that accepts no connection uses up the connect timeout") {
  const int full = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  REQUIRE(::bind(full, reinterpret_cast<sockaddr*>(&at), size) == 0);
  REQUIRE(::listen(full, 0) == 0);
  ::getsockname(full, reinterpret_cast<sockaddr*>(&at), &size);
  const int filling = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::connect(filling, reinterpret_cast<sockaddr*>(&at), size) == 0);

  test_names names;
  names.addresses["full.test"] = {"127.0.0.1"};
  names.addresses["half.test"] = {"127.0.0.1", "127.0.0.2"};
  test_client client{[](settings& s) { s.webhook_connect_timeout = 300ms; }, {names}};
  const auto port = std::to_string(ntohs(at.sin_port));
  CHECK(client.post("http://full.test:" + port + "/").result == attempt_result::connect_timeout);
  // The first address uses its share of the time, and the second one refuses.
  CHECK(client.post("http://half.test:" + port + "/").result == attempt_result::unreachable);
  ::close(filling);
  ::close(full);
}

TEST_CASE("nothing is sent to a forbidden address, under any name") {
  scripted_server server{answer_all};
  const auto port = ":" + std::to_string(server.port());
  test_names names;
  names.addresses["inside.test"] = {"10.1.2.3"};
  names.addresses["cloud.test"] = {"169.254.169.254"};
  names.addresses["mapped.test"] = {"::ffff:127.0.0.1"};
  {
    test_client client{in_production, {names}};
    for (const std::string host : {"127.0.0.1", "localhost", "hooks.test", "inside.test", "cloud.test", "mapped.test",
                                   "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "2130706433", "0x7f.1"}) {
      INFO(host);
      CHECK(to_string(client.post("https://" + host + port + "/").result) == "forbidden_address");
      CHECK(to_string(client.post("http://" + host + port + "/").result) == "forbidden_address");
    }
  }
  test_client client{{}, {names}};
  CHECK(client.post("https://inside.test" + port + "/").result == attempt_result::forbidden_address);
  CHECK(client.post("https://cloud.test" + port + "/").result == attempt_result::forbidden_address);
  CHECK(client.post("http://8.8.8.8" + port + "/").result ==
        attempt_result::forbidden_address);  // http, and not this machine
  CHECK(client.post("https://127.0.0.1" + port + "/#x").result == attempt_result::forbidden_address);
  CHECK(server.connections() == 0);
}

TEST_CASE("only the allowed addresses of a name are connected to") {
  scripted_server server{answer_all};
  test_names names;
  names.addresses["mixed.test"] = {"10.1.2.3", "127.0.0.1"};
  test_client client{{}, {names}};
  CHECK(client.post(server.url("mixed.test")).result == attempt_result::delivered);
  CHECK(client.check(server.url("mixed.test")) ==
        "mixed.test leads to 10.1.2.3, not a loopback address: http is for those only");
}

TEST_CASE("a check describes what is wrong with a URL") {
  test_names names;
  names.addresses["public.test"] = {"93.184.216.34", "2606:2800:220:1::1"};
  names.addresses["inside.test"] = {"93.184.216.34", "10.1.2.3"};
  test_client client{in_production, {names}};
  CHECK_FALSE(client.check("https://public.test/hook"));
  CHECK_FALSE(client.check("https://93.184.216.34/hook"));
  CHECK(client.check("http://public.test/hook") == "the URL must begin with https:// (http is for --dev only)");
  CHECK(client.check("https://inside.test/hook") == "inside.test leads to 10.1.2.3, a private address");
  CHECK(client.check("https://169.254.169.254/hook") == "169.254.169.254 is a link-local address");
  CHECK(client.check("https://[::1]/hook") == "::1 is a loopback address");

  test_client development{{}, {names}};
  CHECK_FALSE(development.check("http://localhost:1234/hook"));
  CHECK_FALSE(development.check("https://127.0.0.1/hook"));
  CHECK(development.check("http://public.test/hook") ==
        "public.test leads to 93.184.216.34, not a loopback address: http is for those only");
}

TEST_CASE("an unresolved name passes the check, and nothing is sent once it resolves to a private address") {
  scripted_server server{answer_all};
  auto registered = std::make_shared<std::atomic<bool>>(false);
  test_client client{in_production, {[registered](const std::string&) {
                       if (!*registered) return found_addresses{{}, "no such name"};
                       return found_addresses{{boost::asio::ip::make_address("10.1.2.3")}, {}};
                     }}};
  CHECK_FALSE(client.check("https://unknown.test/hook"));
  *registered = true;
  CHECK(client.check("https://later.test/hook") == "later.test leads to 10.1.2.3, a private address");
  CHECK(client.post("https://later.test/hook").result == attempt_result::forbidden_address);
  CHECK(server.connections() == 0);
}

TEST_CASE("a name is not looked up again between the check and the connection") {
  scripted_server server{answer_all};
  auto asked = std::make_shared<std::atomic<int>>(0);
  test_client client{{}, {[asked](const std::string&) {
                       ++*asked;
                       return found_addresses{{boost::asio::ip::make_address("127.0.0.1")}, {}};
                     }}};
  for (int i = 0; i < 10; ++i) CHECK(client.post(server.url("rebound.test")).result == attempt_result::delivered);
  CHECK(*asked == 1);
}

TEST_CASE("a slow name delays only its own posts") {
  scripted_server server{answer_all};
  std::promise<void> release;
  const auto released = release.get_future().share();
  auto slow_lookups = std::make_shared<std::atomic<int>>(0);
  test_client client{[](settings& s) { s.webhook_connect_timeout = 1s; },
                     {[released, slow_lookups](const std::string& name) {
                       if (name == "slow.test") {
                         ++*slow_lookups;
                         released.wait();
                       }
                       return test_names{}(name);
                     }}};
  std::vector<std::future<delivery_attempt>> slow;
  for (int i = 0; i < 50; ++i) slow.push_back(client.begin(server.url("slow.test")));
  CHECK(client.post(server.url("hooks.test")).result == attempt_result::delivered);
  CHECK_FALSE(client.check("https://slow.test/"));  // treated as a name that does not resolve
  for (auto& post : slow) CHECK(post.get().result == attempt_result::connect_timeout);
  CHECK(*slow_lookups == 1);
  release.set_value();
}

TEST_CASE("one tenant's names that never resolve do not delay a check of another tenant's URL") {
  std::promise<void> release;
  const auto released = release.get_future().share();
  test_client client{[](settings& s) { s.webhook_connect_timeout = tests::hang_timeout; },
                     {[released](const std::string& name) {
                       if (name.ends_with("stuck.test")) released.wait();
                       return found_addresses{{boost::asio::ip::make_address("10.1.2.3")}, {}};
                     }}};
  for (int i = 0; i < 200; ++i)
    client.client->check("https://" + std::to_string(i) + ".stuck.test/hook", "merch_1", [](const auto&) {});
  CHECK(client.check("https://inside.test/hook", "merch_2") == "inside.test leads to 10.1.2.3, a private address");
  release.set_value();
}

TEST_CASE("one tenant's names that never resolve leave threads for other tenants, also for the same names") {
  scripted_server server{answer_all};
  std::promise<void> release;
  const auto released = release.get_future().share();
  test_client client{[](settings& s) { s.webhook_connect_timeout = tests::hang_timeout; },
                     {[released](const std::string& name) {
                       if (name.ends_with("stuck.test")) released.wait();
                       return test_names{}(name);
                     }}};
  const auto post = [&](const std::string& url, const std::string& owner) {
    auto reported = std::make_shared<std::promise<delivery_attempt>>();
    auto answer = reported->get_future();
    client.client->post({url, {}, "{}", owner},
                        [reported](delivery_attempt seen) { reported->set_value(std::move(seen)); });
    return answer;
  };
  std::vector<std::future<delivery_attempt>> stuck;
  for (int i = 0; i < 200; ++i)
    stuck.push_back(post(server.url(std::to_string(i) + ".stuck.test"), i % 2 == 0 ? "merch_1" : "merch_2"));
  stuck.push_back(post(server.url("hooks.test"), "merch_1"));
  CHECK(post(server.url("hooks.test"), "merch_3").get().result == attempt_result::delivered);
  release.set_value();
  for (auto& each : stuck) each.wait();
  CHECK(stuck.back().get().result == attempt_result::delivered);
}

TEST_CASE("http to a name outside this machine is refused, also if the name may resolve later") {
  test_client client;
  CHECK(client.check("http://shop.example/hook") ==
        "http is for this machine only, and shop.example does not lead to it");
  CHECK_FALSE(client.check("http://hooks.test/hook"));
  CHECK_FALSE(client.check("https://shop.example/hook"));
}

TEST_CASE("the system's resolver resolves this machine's names") {
  const auto found = resolve_by_system("localhost");
  REQUIRE_FALSE(found.addresses.empty());
  for (const auto& address : found.addresses) CHECK(address.is_loopback());
}
