// The client under test, with names that resolve to a test's addresses, and waits that time out.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>

#include "../base/hang_timeout.hpp"
#include "http/outbound/webhook_client.hpp"
#include "outbound_server.hpp"

namespace gateway::http::testing {

using namespace std::chrono_literals;

/// Names for tests that resolve to loopback addresses; every other name is not found.
struct test_names {
  std::map<std::string, std::vector<std::string>> addresses{{"hooks.test", {"127.0.0.1"}},
                                                            {"localhost", {"127.0.0.1"}}};
  found_addresses operator()(const std::string& name) const;
};

settings quick_settings(const std::function<void(settings&)>& adjust = {});

struct test_client {
  explicit test_client(const std::function<void(settings&)>& adjust = {}, outbound_options options = {test_names{}});

  std::future<delivery_attempt> begin(const std::string& url, const std::string& body = "{}");
  delivery_attempt post(const std::string& url, const std::string& body = "{}") { return begin(url, body).get(); }
  std::optional<std::string> check(const std::string& url, const std::string& owner = {});

  settings config;
  std::unique_ptr<webhook_client> client;
};

bool soon(const std::function<bool()>& condition);

}  // namespace gateway::http::testing
