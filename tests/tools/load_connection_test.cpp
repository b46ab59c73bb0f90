// Requests, answers, connections that break, and certificates.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

#include "load_engine_fixture.hpp"

using namespace gateway::load;
using namespace gateway::load::testing;
using namespace std::chrono_literals;

TEST_CASE("An answer's status, body and headers are passed to the scenario") {
  test_server server{[](std::size_t number, const std::string&) -> std::string {
    switch (number) {
      case 0: return ok("first", "REQUEST-ID: req_1 \r\nidempotent-replayed: true\r\nretry-after:5\r\n");
      case 1: return "HTTP/1.1 204 No Content\r\n\r\n";
      default:
        return "HTTP/1.1 409 Conflict\r\nRequest-Id: req_3\r\ncontent-length: 38\r\n\r\n{\"error\":\"request already "
               "processing\"}";
    }
  }};
  numbered requests{4};
  const auto result = run(server, closed(), {&requests});
  CHECK(requests.statuses == std::vector{200, 204, 409, 409});
  CHECK(requests.bodies[0] == "first");
  CHECK(requests.bodies[1].empty());
  CHECK(requests.ids == std::vector<std::string>{"req_1", "", "req_3", "req_3"});
  CHECK(requests.replayed == std::vector{true, false, false, false});
  CHECK(requests.retry_after == std::vector{true, false, false, false});
  CHECK(outcomes(result) ==
        std::map<std::string, std::uint64_t>{{"200 replayed", 1}, {"204", 1}, {"409 request already processing", 2}});
  CHECK(result.measured.errors == std::map<std::string, std::string>{{"409 request already processing", "req_3"}});
}

TEST_CASE("The request is sent as given, signed, with the target as its host") {
  std::string seen;
  test_server server{[&](std::size_t, const std::string& text) {
    seen = text;
    return ok();
  }};
  numbered requests{1};
  run(server, closed(), {&requests});
  CHECK(seen.starts_with("POST /v1/payment_intents HTTP/1.1\r\nHost: 127.0.0.1:"));
  CHECK(seen.find("\r\nX-Service-Key-Id: mk_test_1\r\n") != std::string::npos);
  CHECK(seen.ends_with("\r\n\r\n{\"n\":0}"));
}

TEST_CASE("An answer of many TLS records is read whole, up to a mebibyte") {
  const std::string large(700'000, 'x');
  test_server server{[&](std::size_t, const std::string&) { return ok(large); }};
  numbered requests{2};
  run(server, closed(), {&requests});
  REQUIRE(requests.bodies.size() == 2);
  CHECK(requests.bodies[0] == large);
  CHECK(requests.bodies[1] == large);
}

TEST_CASE("Malformed answers are losses, and the connection is opened again") {
  const std::string first = "HTTP/1.1 200 OK\r\n";
  const std::string bad = GENERATE_COPY(values<std::string>(
      {first + "\r\nno length", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
       "HTTP/1.1 200 OK\nContent-Length: 1\r\n\r\nx", first + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       first + "Content-Length: -1\r\n\r\n", first + "Content-Length: 1\r\n\r\nxy",
       first + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", first + "Content-Length: 2000000\r\n\r\n",
       first + "Content-Length: 18446744073709551615\r\n\r\n", std::string(1'100'000, 'x')}));
  CAPTURE(bad.substr(0, 80));
  test_server server{[&](std::size_t number, const std::string&) { return number == 0 ? bad : ok(); }};
  numbered requests{2};
  const auto result = run(server, closed(), {&requests});
  CHECK(requests.losses == std::vector{loss::bad_answer, loss::none});
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 1}, {"bad_answer", 1}});
  CHECK(server.connections() == 2);
}

TEST_CASE("A request whose connection breaks is lost: it is not sent again") {
  test_server server{[](std::size_t number, const std::string&) { return number % 3 == 1 ? std::string{} : ok(); }};
  numbered requests{30};
  const auto result = run(server, GENERATE(true, false) ? closed(2) : open(2000, 60 * second, 2), {&requests});
  CHECK(server.requests() == 30);
  CHECK(requests.each_answered_once());
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 20}, {"connection_broken", 10}});
  CHECK(result.measured.answered() == 20);
}

TEST_CASE("A server that closes after its answer is connected to again") {
  test_server server{[](std::size_t, const std::string&) { return ok("{}", "Connection: close\r\n"); }};
  numbered requests{10};
  const auto result = run(server, closed(), {&requests});
  CHECK(result.measured.answered() == 10);
  CHECK(server.connections() >= 10);
}

TEST_CASE("A request without an answer in time is lost, and its connection is opened again") {
  test_server server{stalls_once(0, 400ms)};
  numbered requests{2};
  auto plan = closed();
  plan.timeout = 100ms;
  const auto result = run(server, plan, {&requests});
  CHECK(requests.losses == std::vector{loss::timed_out, loss::none});
  CHECK(outcomes(result) == std::map<std::string, std::uint64_t>{{"200", 1}, {"timed_out", 1}});
  CHECK(server.connections() == 2);
}

TEST_CASE("The server's certificate is checked") {
  test_server server{[](std::size_t, const std::string&) { return ok(); }};
  numbered requests{1};
  target_options options;
  options.url = server.url();
  const std::atomic<bool> stop{false};
  const auto go = [&] {
    const target to{options};
    return run_load({&to, 1}, signer{to.authority(), key}, closed(), {&requests}, stop).measured.answered();
  };
  SECTION("one without a trusted issuer is refused") {
    CHECK_THROWS_WITH(go(), Catch::StartsWith("cannot connect: its certificate is not trusted"));
  }
  const auto folder = std::filesystem::temp_directory_path() / ("load_engine_test." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream{folder / "dev-certificate.pem"} << server.certificate();
  SECTION("one in the named file is accepted") {
    options.ca_file = folder / "dev-certificate.pem";
    CHECK(go() == 1);
  }
  SECTION("so is the development certificate of the data directory") {
    options.data_dir = folder;
    CHECK(go() == 1);
  }
  SECTION("under another name it is refused") {
    options.ca_file = folder / "dev-certificate.pem";
    options.url.replace(options.url.find("127.0.0.1"), 9, "localhost");
    // localhost may resolve to ::1, which has no listener.
    CHECK_THROWS_WITH(go(), Catch::StartsWith("cannot connect: "));
  }
  SECTION("a file without certificates is an error") {
    options.ca_file = folder / "none.pem";
    CHECK_THROWS_WITH(go(), Catch::StartsWith("no certificate can be read from"));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("Malformed targets, and those on other machines, are rejected") {
  const auto made = [](const std::string& url, bool allow_remote = false, bool insecure = false) {
    target_options options;
    options.url = url;
    options.allow_remote = allow_remote;
    options.insecure = insecure;
    return target{options}.url();
  };
  CHECK(made("https://127.0.0.1:8443") == "https://127.0.0.1:8443");
  CHECK(made("https://127.0.0.1:8443/") == "https://127.0.0.1:8443");
  CHECK(made("https://127.3.2.1") == "https://127.3.2.1");
  CHECK(made("https://[::1]:8443") == "https://[::1]:8443");
  for (const auto* bad :
       {"", "127.0.0.1:8443", "http://127.0.0.1", "https://", "https://127.0.0.1:", "https://127.0.0.1:0",
        "https://127.0.0.1:70000", "https://127.0.0.1/v1", "https://a b", "https://[::1", "https://user@127.0.0.1"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(made(bad), std::invalid_argument);
  }
  CHECK_THROWS_WITH(made("https://192.0.2.1"),
                    "192.0.2.1 is not this machine: --allow-remote says that you may load it");
  CHECK(made("https://192.0.2.1", true) == "https://192.0.2.1");
  CHECK_THROWS_WITH(made("https://192.0.2.1", true, true), Catch::StartsWith("--insecure is for this machine only"));
}

TEST_CASE("The code of an error is found in each form of errors") {
  CHECK(error_code_of(R"({"error":"unauthorized","error_description":"…"})") == "unauthorized");
  CHECK(error_code_of(R"({"error":{"code":"currency_unknown","message":"m","docs_url":"d"}})") == "currency_unknown");
  CHECK(error_code_of(R"({ "error" : { "message" : "a \"quoted\" }" , "code" : "late" } })") == "late");
  CHECK(
      error_code_of(
          R"({"a":-1.5e3,"b":[1,{"b":null}],"provider":{"error":{"code":"inner"}},"error":"provider outcome unknown"})") ==
      "provider outcome unknown");
  for (const auto* none : {"", "[]", "{}", "null", R"({"error":)", R"({"error":{)", R"({"error":5})", R"({"a":")",
                           R"({"a\)", R"({"a":{"error":"x"}})", R"({"error":{"code":7}})", "}{", "{,"}) {
    CAPTURE(none);
    CHECK(error_code_of(none).empty());
  }
}
