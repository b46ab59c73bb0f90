// The gateway's events from a point on, each once and in order, also while the gateway restarts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api_client.hpp"
#include "event_page.hpp"

namespace gateway::cli {

struct feed_options {
  std::string types{};  ///< with commas between; empty: all
  std::string from{};   ///< a time; empty: from now on
};

class event_feed {
 public:
  /// `notice` gets a line when the gateway stops answering, and when it answers again. `client` must outlive the feed.
  event_feed(api_client& client, feed_options options, std::function<void(std::string_view)> notice);

  /// Finds the place to begin at, so that later events are not missed. Throws refused, no_answer, was_stopped.
  void begin();
  /// Waits for events, for as long as it takes. Throws refused, was_stopped.
  std::vector<received_event> next();

 private:
  api_request request() const;
  api_answer answer_of_a_running_gateway();

  api_client& client_;
  const feed_options options_;
  std::function<void(std::string_view)> notice_;
  std::string cursor_;  ///< empty: from options_.from
};

}  // namespace gateway::cli
