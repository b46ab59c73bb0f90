// Injected faults: which of the next requests fail, and how.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::stripe_stand_in {

enum class fault_kind : unsigned char {
  error_500_before,  ///< not executed, nothing kept: the same request may succeed next
  error_500_stored,  ///< not executed, and the 500 is kept under the idempotency key
  error_500_after,   ///< executed; a 500 is answered and kept under the idempotency key
  cut_before,        ///< not executed; the connection ends
  cut_after,         ///< executed; the connection ends without an answer
  rate_limited,      ///< 429; not executed, nothing kept
  slow,              ///< executed after `ms`, and answered normally
  garbage,           ///< executed; the body of the 200 is not JSON
};

struct fault {
  fault_kind what = fault_kind::slow;
  std::chrono::milliseconds wait{0};
};

class fault_plan {
 public:
  /// Replaces all rules. Each rule: `fault` (a word, or several of which one is drawn), `path` (a pattern with `*`),
  /// `method`, `next` (how many requests; without it: all) or `probability` with `seed`, `ms`. Throws std::exception if
  /// a rule is invalid.
  void set(const boost::json::array& rules);
  std::optional<fault> next_for(std::string_view method, const std::string& path);
  /// How often each fault has occurred.
  boost::json::object counts() const;

 private:
  struct rule {
    std::vector<fault_kind> kinds;
    std::string path = "*";
    std::string method;
    std::int64_t left = -1;  ///< -1: unlimited
    double probability = 1;
    std::chrono::milliseconds wait{0};
    std::mt19937 random;
  };
  std::vector<rule> rules_;
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(8);
};

}  // namespace gateway::stripe_stand_in
