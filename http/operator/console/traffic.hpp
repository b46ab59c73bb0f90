// The load that the console shows: the difference between two samples of the metrics. Pure, except take_sample().
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/base/metrics.hpp"

namespace gateway::http {

/// Counts of one route: answers by the first digit of their status, and by response time, cumulative.
struct route_counts {
  std::map<int, double> by_class;  ///< 2: 2xx
  std::vector<std::pair<double, double>> within;  ///< seconds, and the number of answers within them; ascending
};

/// Calls to one provider, by result.
using call_counts = std::map<std::string, double>;

struct traffic_sample {
  std::chrono::steady_clock::time_point at{};
  std::map<std::string, route_counts> routes;
  std::map<std::string, double> shed;  ///< by reason
  std::map<std::string, call_counts> providers;
  std::map<std::string, int> breakers;  ///< of destinations: 0 closed, 1 open, 2 probing
};

traffic_sample take_sample(metrics& of, std::chrono::steady_clock::time_point now);

struct route_traffic {
  std::string route;
  double per_second = 0;
  double answered = 0;
  double failed = 0;  ///< 5xx
  std::optional<double> p50;  ///< seconds; nullopt without answers, or above the last bucket
  std::optional<double> p99;
};
struct provider_traffic {
  std::string provider;
  call_counts results;
};
struct traffic {
  std::chrono::duration<double> over{};
  std::vector<route_traffic> routes;  ///< busiest first; without routes that had no requests
  std::vector<std::pair<std::string, double>> shed;  ///< by reason; without zeros
  std::vector<provider_traffic> providers;
};
traffic traffic_between(const traffic_sample& before, const traffic_sample& now);

/// The value below which `share` of `all` lies, interpolated linearly within its bucket.
std::optional<double> quantile(const std::vector<std::pair<double, double>>& within, double all, double share);

/// Keeps the sample with which the next one is compared: the newest that is old enough for a rate, or else the
/// process's start. Any thread.
class traffic_memory {
 public:
  traffic look(const traffic_sample& now);

 private:
  std::mutex lock_;
  traffic_sample older_{std::chrono::steady_clock::now(), {}, {}, {}, {}};
  traffic_sample newer_ = older_;
};

}  // namespace gateway::http
