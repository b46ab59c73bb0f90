// A real HAProxy in front, which passes TLS through and sends each client's address by the PROXY protocol.
#include <catch2/catch.hpp>

#include <fstream>

#include "gateway_process.hpp"

using namespace gateway::e2e;

namespace {

/// Starts HAProxy with the gateway as its one server, reached with `option`.
child_process start_haproxy(const gateway_process& gateway, const std::string& option, std::uint16_t port) {
  const auto file = gateway.folder() / ("haproxy-" + option + ".cfg");
  std::ofstream{file} << "defaults\n  mode tcp\n  timeout connect 10s\n  timeout client 90s\n  timeout server 90s\n"
                      << "listen clients\n  bind 127.0.0.1:" << port << "\n  server gateway "
                      << gateway.address().authority() << ' ' << option << '\n';
  return child_process{{"haproxy", "-f", file.string()}, {.error_log = gateway.folder() / "haproxy.log"}};
}

/// The statuses of that many requests in a row, from an address of this machine.
std::string statuses(const gateway_process& gateway, std::uint16_t port, const std::string& from, int count) {
  return run_command({"curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code} ", "--interface", from,
                      "--cacert", gateway.certificate().string(),
                      "https://127.0.0.1:" + std::to_string(port) + "/docs/errors?[1-" + std::to_string(count) + "]"})
      .out;
}

}  // namespace

TEST_CASE("behind HAProxy each client has its own limits, and a direct connection without a PROXY header is refused") {
  gateway_options options;
  options.arguments = {"--proxy-protocol-from=127.0.0.1", "--rate-limit-address=1", "--rate-limit-address-burst=2"};
  gateway_process gateway{options};
  int host = 2;
  for (const auto* option : {"send-proxy", "send-proxy-v2", "send-proxy-v2-ssl-cn"}) {
    CAPTURE(option);
    const auto port = free_port();
    auto balancer = start_haproxy(gateway, option, port);
    REQUIRE(eventually([&] { return accepts_connections({"127.0.0.1", port}); }));
    const auto greedy = "127.0.0." + std::to_string(host++), other = "127.0.0." + std::to_string(host++);
    const auto reported = statuses(gateway, port, greedy, 40);
    CHECK(reported.starts_with("200 "));
    CHECK(reported.find("429") != std::string::npos);
    CHECK(statuses(gateway, port, other, 1) == "200 ");
  }
  CHECK(statuses(gateway, gateway.address().port, "127.0.0.1", 1) == "000 ");
  CHECK(eventually([&] { return gateway.log().find("\"event\":\"proxy_header_refused\"") != std::string::npos; }));
}
