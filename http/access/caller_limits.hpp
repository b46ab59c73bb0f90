// This node's rate limits per key, per platform and per address. Each is off unless it is set.
//
// An address is counted first, before the signature is checked. A key and its platform are counted only after the
// signature has been verified, so that knowing a key's id does not suffice to use up its bucket.
// Concurrency: any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "caller.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/base/networks.hpp"
#include "gateway/settings.hpp"
#include "rate_limit.hpp"
#include "rate_limit_headers.hpp"

namespace gateway::http {

/// The outcome of the limits that apply to a request. If one of them rejects it, only that one is listed.
struct rate_verdict {
  bool passed = true;
  std::array<rate_standing, 2> limits{};
  std::size_t count = 0;

  std::span<const rate_standing> standings() const noexcept { return {limits.data(), count}; }
};

class caller_limits {
 public:
  using clock = rate_limit::clock;

  /// `config` has been validated: its networks can be parsed.
  caller_limits(const settings& config, metrics& meters, clock::time_point (*now)() = [] { return clock::now(); });

  /// The number under which requests from an address are counted; all IPv6 addresses of a /64 network share one.
  /// Nothing if they are not limited. Call once per connection.
  std::optional<std::uint64_t> number_of_address(std::string_view remote_address) const;
  rate_verdict pass_address(std::uint64_t number);

  /// Whether pass_signer() limits anything.
  bool limit_signers() const noexcept { return key_.limit.limits() || platform_.limit.limits(); }
  /// A platform's key uses both its own limit and the platform's, or neither.
  rate_verdict pass_signer(const caller& who);

  /// Copies the numbers of buckets to the metrics.
  void count_buckets() const;

 private:
  struct one_limit {
    one_limit(std::string_view kind, std::size_t per_second, std::size_t burst, metrics& meters);
    rate_standing standing(std::uint32_t left) const noexcept { return {name, limit.rule(), left}; }
    void turn_away(rate_verdict& out) const;

    std::string_view name;
    rate_limit limit;
    prometheus::Counter* refused = nullptr;  ///< null where there is no limit
    prometheus::Gauge* buckets = nullptr;
  };

  clock::time_point (*now_)();
  one_limit key_, platform_, address_;
  networks exempt_;
  std::string number_key_;  ///< keyed hash: callers cannot choose addresses whose numbers collide
};

/// Whether requests for a path are exempt from the limit per address: a load balancer's probe must not fail because of
/// other clients behind the same address. (Notifications are exempt too, http/api/notifications.hpp.)
bool is_free_of_limits(std::string_view path) noexcept;

}  // namespace gateway::http
