// Open-loop load: requests are due at a constant rate and do not wait for earlier answers, as with many independent
// clients. A request's latency counts from when it was due, so that it includes the wait for a free connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "merchant.hpp"

namespace gateway::e2e {

/// Signed creates in wire form, prepared in advance because signing during the measurement would slow the load down.
std::vector<std::string> signed_creates(const gateway_process& gateway, const credentials& key, std::size_t count,
                                        const std::string& token = "pm_card_visa");

struct load_plan {
  double per_second = 0;  ///< arrivals per second; 0: each connection sends its next request as soon as it has its
                          ///< answer
  std::chrono::milliseconds lasts{1000};
  std::size_t connections = 64;
};

struct load_report {
  std::size_t offered = 0;
  std::map<int, std::size_t> answers;  ///< by status
  std::size_t broken =
      0;  ///< requests whose connection ended, or that had no answer within `hang_timeout` of the last arrival
  std::size_t without_retry_after = 0;  ///< 503 answers without Retry-After
  std::size_t most_waiting = 0;  ///< the largest number of arrivals without a free connection
  std::chrono::duration<double> took{};  ///< time until the last arrival
  std::vector<double> accepted_ms;  ///< latencies of 200 answers, sorted
  std::vector<double> refused_ms;  ///< latencies of 503 answers, sorted
  std::vector<std::size_t> accepted;  ///< indexes of the requests that were answered 200, sorted

  std::size_t count(int status) const;
  double per_second(int status) const { return static_cast<double>(count(status)) / took.count(); }
};

/// The percentile of sorted values; 0 if there are none.
double percentile(const std::vector<double>& sorted, double share);

/// Opens the connections, sends each request at most once, and returns when all sent requests are answered.
load_report run_load(const gateway_process& gateway, const std::vector<std::string>& requests, const load_plan& plan);

}  // namespace gateway::e2e
