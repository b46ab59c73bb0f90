#include "caller_limits.hpp"

#include <cstring>
#include <functional>
#include <variant>

#include "gateway/base/crypto.hpp"
#include "sign_in_throttle.hpp"

namespace gateway::http {

namespace {

rate_rule rule_of(std::size_t per_second, std::size_t burst) noexcept {
  return {static_cast<std::uint32_t>(per_second), static_cast<std::uint32_t>(burst == 0 ? per_second : burst)};
}

/// The gateway generates the ids of keys and platforms, so callers cannot choose ids whose numbers collide.
std::uint64_t number_of(std::string_view id) noexcept { return std::hash<std::string_view>{}(id); }

}  // namespace

caller_limits::one_limit::one_limit(std::string_view kind, std::size_t per_second, std::size_t burst, metrics& meters)
    : name(kind), limit(rule_of(per_second, burst)) {
  if (!limit.limits()) return;
  refused = &meters.rate_limited(kind);
  buckets = &meters.rate_limit_buckets(kind);
}

void caller_limits::one_limit::turn_away(rate_verdict& out) const {
  refused->Increment();
  out = {false, {standing(0)}, 1};
}

caller_limits::caller_limits(const settings& config, metrics& meters, clock::time_point (*now)())
    : now_(now),
      key_("key", config.rates.key, config.rates.key_burst, meters),
      platform_("platform", config.rates.platform, config.rates.platform_burst, meters),
      address_("address", config.rates.address, config.rates.address_burst, meters) {
  if (!address_.limit.limits()) return;
  exempt_ = std::get<networks>(networks::parse(config.rates.exempt));
  number_key_ = crypto::random_bytes(32);
}

std::optional<std::uint64_t> caller_limits::number_of_address(std::string_view remote_address) const {
  if (!address_.limit.limits() || remote_address.empty() || exempt_.contains(remote_address)) return std::nullopt;
  const auto digest = crypto::hmac_sha256(number_key_, slowed_address(remote_address));
  std::uint64_t number = 0;
  std::memcpy(&number, digest.data(), sizeof number);
  return number;
}

rate_verdict caller_limits::pass_address(std::uint64_t number) {
  rate_verdict out;
  const auto verdict = address_.limit.take(number, now_());
  if (verdict.passed)
    out = {true, {address_.standing(verdict.left)}, 1};
  else
    address_.turn_away(out);
  return out;
}

rate_verdict caller_limits::pass_signer(const caller& who) {
  rate_verdict out;
  const auto now = now_();
  const auto* platform = std::get_if<platform_caller>(&who);
  const auto key = number_of(platform ? platform->id.value : std::get<merchant_key>(who).id.value);
  if (key_.limit.limits()) {
    const auto verdict = key_.limit.take(key, now);
    if (!verdict.passed) {
      key_.turn_away(out);
      return out;
    }
    out.limits[out.count++] = key_.standing(verdict.left);
  }
  if (!platform || !platform_.limit.limits()) return out;
  const auto verdict = platform_.limit.take(number_of(platform->platform.value), now);
  if (verdict.passed) {
    out.limits[out.count++] = platform_.standing(verdict.left);
    return out;
  }
  if (key_.limit.limits()) key_.limit.give_back(key);
  platform_.turn_away(out);
  return out;
}

void caller_limits::count_buckets() const {
  const auto now = now_();
  for (const auto* one : {&key_, &platform_, &address_})
    if (one->buckets) one->buckets->Set(static_cast<double>(one->limit.in_use(now)));
}

bool is_free_of_limits(std::string_view path) noexcept { return path == "/healthz" || path == "/readyz"; }

}  // namespace gateway::http
