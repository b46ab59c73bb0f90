// Posts the gateway's events to an address of the developer's, signed as webhooks are.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "api_client.hpp"
#include "event_feed.hpp"
#include "event_page.hpp"

namespace gateway::cli {

struct listen_options {
  std::string forward_to;
  feed_options feed;
  bool json = false;
};

/// The pause after the n-th failed attempt, from 1. Nothing: the event is given up. A receiver that accepts no
/// connection is being restarted, so it is waited for without a limit.
std::optional<std::chrono::milliseconds> pause_after_attempt(unsigned attempts, bool reached_receiver);

/// Posts one event after the other until it is interrupted, and then throws was_stopped. Also throws refused and
/// failure.
[[noreturn]] void listen(api_client& client, const listen_options& options, std::ostream& out,
                         const std::function<void(std::string_view)>& notice);

}  // namespace gateway::cli
