#include "authentication.hpp"

#include <optional>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/platform.hpp"

namespace gateway::http {
namespace {

/// An unknown key's request is checked against this, so that it takes as long as a known key's.
constexpr std::string_view nobodys_secret = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr std::size_t longest_key_id = 64;

rejection unauthorized(std::string why) { return {error_code::unauthorized, std::move(why)}; }

std::optional<rejection> check_headers(const request& in) {
  if (in.repeated) return unauthorized("A header of the request was sent more than once.");
  if (!in.key_id || in.key_id->empty()) return unauthorized("The X-Service-Key-Id header is missing.");
  if (!in.timestamp || in.timestamp->empty()) return unauthorized("The X-Service-Timestamp header is missing.");
  if (!in.signature || in.signature->empty()) return unauthorized("The X-Service-Signature header is missing.");
  return std::nullopt;
}

std::optional<rejection> check_timestamp(std::string_view text, time_point now) {
  const auto signed_at = parse_seconds(text);
  if (!signed_at)
    return unauthorized("X-Service-Timestamp must be RFC 3339 in UTC with whole seconds, as in 2026-11-20T09:30:00Z.");
  const auto skew = now > *signed_at ? now - *signed_at : *signed_at - now;
  if (skew > allowed_clock_skew)
    return unauthorized("X-Service-Timestamp is more than 5 minutes away from the gateway's clock, which says " +
                        format_seconds(now) + ".");
  return std::nullopt;
}

std::shared_ptr<const api_key> usable_key(const directory& keys, std::string_view id) {
  if (id.size() > longest_key_id) return nullptr;
  auto found = keys.find_key(key_id{std::string{id}});
  return found && !found->revoked ? found : nullptr;
}

}  // namespace

std::string canonical_request(std::string_view method, std::string_view path, std::string_view timestamp,
                              std::string_view body_sha256) {
  std::string text;
  text.reserve(method.size() + path.size() + timestamp.size() + body_sha256.size() + 3);
  text.append(method).append(1, '\n').append(path).append(1, '\n').append(timestamp).append(1, '\n').append(
      body_sha256);
  return text;
}

std::variant<authenticated, rejection> authenticate(const request& in, const directory& keys, time_point now) {
  if (auto rejected = check_headers(in)) return *std::move(rejected);
  if (auto rejected = check_timestamp(*in.timestamp, now)) return *std::move(rejected);

  const auto key = usable_key(keys, *in.key_id);
  auto body_sha256 = crypto::hex(crypto::sha256(in.body));
  const auto canonical = canonical_request(in.method, in.path, *in.timestamp, body_sha256);
  const auto expected =
      crypto::hex(crypto::hmac_sha256(key ? std::string_view{key->secret} : nobodys_secret, canonical));
  const bool genuine = crypto::equal_constant_time(expected, *in.signature);
  if (!genuine || !key) {
    const bool platform = in.key_id->starts_with(platform_key_prefix);
    return rejection{platform ? error_code::platform_key_invalid : error_code::unauthorized,
                     "The key is not known, or the signature does not fit the request."};
  }
  return authenticated{merchant_key{key->id, key->merchant, key->env, key->scopes}, std::move(body_sha256)};
}

}  // namespace gateway::http
