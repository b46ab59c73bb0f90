// Port: posts webhooks to addresses that merchants and platforms chose. http/ implements it.
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
  std::vector<std::pair<std::string, std::string>> headers;  ///< besides Host, User-Agent and the body's headers
  std::string body;
  std::string owner{};  ///< the owner of the destination
};

class webhook_client {
 public:
  virtual ~webhook_client() = default;

  /// Calls `done` exactly once, on a thread of the client, never from within post(). It always ends, by the answer or
  /// by the connect and answer timeouts of the settings. Redirects are not followed. The result's `at` is not set.
  virtual void post(outgoing_post request, std::function<void(delivery_attempt)> done) = 0;

  /// Checks whether the URL may be posted to: its form, and the addresses that its name resolves to now. The name is
  /// looked up for `owner`, the destination's owner. `done` receives nullopt, or the reason against it, as a text for
  /// an operator. It is called as in post(), within the connect timeout.
  virtual void check(std::string url, std::string owner, std::function<void(std::optional<std::string>)> done) = 0;
};

}  // namespace gateway
