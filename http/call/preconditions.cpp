#include "preconditions.hpp"

#include <utility>

#include "http/codec/decode.hpp"

namespace gateway::http {

namespace {

rejection too_much_waits(services& shared) {
  shared.meters.shed("waiting").Increment();
  return {error_code::overloaded, {}};
}

}  // namespace

std::optional<rejection> check_room(call& c, const endpoint& way) {
  auto& shared = c.here.shared;
  if (way.needs != access::signed_write || !shared.writes.is_full()) return std::nullopt;
  return too_much_waits(shared);
}

std::optional<rejection> admit(call& c, const endpoint& way) {
  if (way.needs != access::signed_write) return std::nullopt;
  auto& shared = c.here.shared;
  c.admission = shared.writes.try_enter();
  if (c.admission) return std::nullopt;
  return too_much_waits(shared);
}

std::optional<rejection> count_signer(call& c, const caller& who) {
  auto& limits = c.here.shared.limits;
  if (!limits.limit_signers()) return std::nullopt;
  c.rates = limits.pass_signer(who);
  if (c.rates->passed) return std::nullopt;
  return rejection{error_code::rate_limited, {}};
}

std::optional<rejection> pass_brake(call& c, const endpoint& way) {
  // Requests of a platform on its own behalf cause no webhooks.
  if (way.needs != access::signed_write || way.subject == acts_as::platform) return std::nullopt;
  auto& shared = c.here.shared;
  if (shared.brake.of(c.allowed.env).admits(write_brake::clock::now())) return std::nullopt;
  shared.meters.shed("webhooks").Increment();
  return rejection{error_code::overloaded, {}};
}

std::optional<rejection> take_idempotency_key(call& c, const endpoint& way) {
  if (way.needs != access::signed_write) return std::nullopt;
  if (c.in.repeated_idempotency_key)
    return rejection{error_code::idempotency_key_invalid, "The Idempotency-Key header was sent more than once."};
  auto key = decode_idempotency_key(c.in.idempotency_key);
  if (auto* rejected = std::get_if<rejection>(&key)) return std::move(*rejected);
  c.idempotency_key = std::get<std::string>(std::move(key));
  return std::nullopt;
}

std::optional<rejection> require_json(const request& in) {
  if (is_json_request(in.body, in.content_type)) return std::nullopt;
  return rejection{error_code::unsupported_media_type, {}};
}

}  // namespace gateway::http
