// Port: webhooks, posted to addresses that strangers chose. The room that speaks HTTP implements it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/domain/webhook.hpp"

namespace gateway {

struct outgoing_post {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  ///< beside Host, User-Agent and those of the body
  std::string body;
  std::string owner{};  ///< of the destination
};

class webhook_client {
 public:
  virtual ~webhook_client() = default;

  /// Calls `done` exactly once, on a thread of the client, never from within post(). Always ends: by the answer, or by
  /// the connect and answer timeouts of the settings. No redirect is followed; `at` of what it tells is not set.
  virtual void post(outgoing_post request, std::function<void(delivery_attempt)> done) = 0;

  /// Whether anything may be sent there: the form of the URL, and where its name leads now. The name is looked up for
  /// `owner`, the destination's. `done` gets nothing, or why not, in words for an operator. Called as in post(), within
  /// the connect timeout.
  virtual void check(std::string url, std::string owner, std::function<void(std::optional<std::string>)> done) = 0;
};

}  // namespace gateway
