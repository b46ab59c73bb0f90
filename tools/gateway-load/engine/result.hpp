// The measurements of one run, which the table, the JSON file and the HTML report show (report/report.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "histogram.hpp"
#include "scenario.hpp"

namespace gateway::load {

/// One kind of operation, over the whole run (without its warm-up).
struct operation_result {
  std::string name;                           ///< of operation_names
  std::uint64_t sent = 0;
  std::map<std::string, std::uint64_t>
      outcomes;  ///< "200", "200 replayed", "409 request already processing", "timed_out"
  histogram latency;                          ///< of answers, from the intended start, in nanoseconds
};

/// One second of the run.
struct second_result {
  double at_s = 0;             ///< its begin, from the begin of the run
  std::uint64_t intended = 0;  ///< requests due in it by the schedule (in a closed run: requests sent in it)
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;    ///< lost, or answered with 5xx
  double p50_ms = 0, p90_ms = 0, p99_ms = 0, most_ms = 0;  ///< of the answers that arrived in it
  std::uint64_t waiting = 0;   ///< requests that had no free connection, at its end
};

/// The results of one month over all subscriptions of a run: of the first cycle of each, of the second, and so on.
struct month_result {
  std::uint64_t paid = 0;      ///< cycles that are captured
  std::uint64_t failed = 0;    ///< attempts at a cycle that failed
  std::uint64_t ended = 0;     ///< subscriptions that ended after it
  std::int64_t charged = 0;    ///< in the currency's minor unit
  std::int64_t refunded = 0;
};

struct run_result {
  std::string name;            ///< shown where runs are compared; --name, else the scenario
  std::string scenario;        ///< "create", "lifecycle:3 replay:1"
  std::string schedule;        ///< as it was given: "constant 2000/s", "closed, 256 connections"
  std::string target;          ///< without credentials
  std::string began_at;        ///< UTC, RFC 3339
  unsigned connections = 0;
  unsigned threads = 1;
  unsigned merchants = 1;      ///< whose payments were created in turn
  bool random_ids = false;     ///< payments' ids are random, not sequential
  std::map<std::string, double> labels;  ///< further numbers that describe the run: --label
  double seconds =
      0;  ///< from the first intended start to the last answer; in a closed run with a warm-up: to the last start
  double intended_per_second = 0;  ///< of an open run's schedule
  std::vector<operation_result> operations;
  histogram latency;  ///< of all operations together
  histogram
      lateness;  ///< from the intended start to the sending: the part of the latency that is the wait for a connection
  std::vector<second_result> timeline;
  std::map<std::string, std::string> errors;  ///< an outcome that is not a success → the Request-Id of its first answer
  verification checked;
  std::vector<month_result> months;  ///< of a run of subscriptions

  std::uint64_t sent() const {
    std::uint64_t all = 0;
    for (const auto& of : operations) all += of.sent;
    return all;
  }
  std::uint64_t answered() const { return latency.count(); }
  double answered_per_second() const { return seconds > 0 ? static_cast<double>(answered()) / seconds : 0; }
};

}  // namespace gateway::load
