// One I/O thread's request metrics. Looking up a series takes a lock, so each thread keeps its own references.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gateway/base/metrics.hpp"

namespace gateway::http {

class request_meter {
 public:
  explicit request_meter(metrics& shared) : shared_(shared) {}

  void connection_opened() { shared_.connections.Increment(); }
  void connection_closed() { shared_.connections.Decrement(); }
  void request_begun() { shared_.requests_in_flight.Increment(); }
  void request_ended() { shared_.requests_in_flight.Decrement(); }
  /// `route` is a pattern, so the number of series is bounded by the number of routes.
  void answered(std::string_view route, int status, double seconds);

 private:
  struct route_series {
    prometheus::Histogram* seconds = nullptr;
    std::vector<std::pair<int, prometheus::Counter*>> by_status;  ///< few, so a linear scan is fastest
  };
  struct text_hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  prometheus::Counter& counter(route_series& of, std::string_view route, int status);

  metrics& shared_;
  std::unordered_map<std::string, route_series, text_hash, std::equal_to<>> routes_;
};

}  // namespace gateway::http
