// The limits of this node on how much each caller may ask: by key, by platform, by address. Each is off unless it is
// set.
//
// An address is judged before anything else is done for its request, the signature included. A key and its platform are
// judged once the signature has shown who asks: whoever only knows a key's id takes nothing from its bucket.
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

/// What the limits that apply to a request say. Where one of them turns it away, only that one is told of.
struct rate_verdict {
  bool passed = true;
  std::array<rate_standing, 2> limits{};
  std::size_t count = 0;

  std::span<const rate_standing> standings() const noexcept { return {limits.data(), count}; }
};

class caller_limits {
 public:
  using clock = rate_limit::clock;

  /// `config` has been checked: the networks can be read.
  caller_limits(const settings& config, metrics& meters, clock::time_point (*now)() = [] { return clock::now(); });

  /// The number under which requests from an address are counted, an IPv6 address with its whole network of 64 bits.
  /// Nothing if they are not limited. To be asked once per connection.
  std::optional<std::uint64_t> number_of_address(std::string_view remote_address) const;
  rate_verdict pass_address(std::uint64_t number);

  /// Whether any of those is limited whom pass_signer judges.
  bool limit_signers() const noexcept { return key_.limit.limits() || platform_.limit.limits(); }
  /// Of a platform's key both its own limit and the platform's, or neither is used.
  rate_verdict pass_signer(const caller& who);

  /// Carries the numbers of buckets over to the metrics.
  void count_buckets() const;

 private:
  struct one_limit {
    one_limit(std::string_view kind, std::size_t per_second, std::size_t burst, metrics& meters);
    rate_standing standing(std::uint32_t left) const noexcept { return {name, limit.rule(), left}; }
    void turn_away(rate_verdict& out) const;

    std::string_view name;
    rate_limit limit;
    prometheus::Counter* turned_away = nullptr;  ///< null where there is no limit
    prometheus::Gauge* buckets = nullptr;
  };

  clock::time_point (*now_)();
  one_limit key_, platform_, address_;
  networks exempt_;
  std::string number_key_;  ///< so that nobody can choose addresses whose numbers fall together
};

/// Whether requests for a path are never limited by their address: a probe of a load balancer's must not fail because
/// of others behind it. (Nor are notifications, http/routes/notifications.hpp.)
bool is_free_of_limits(std::string_view path) noexcept;

}  // namespace gateway::http
