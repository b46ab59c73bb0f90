#include "authentication.hpp"

#include <optional>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/platform.hpp"

namespace gateway::http {
namespace {

/// A request with an unknown key is verified against this, so that it takes as long as one with a known key.
constexpr std::string_view nobodys_secret = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr std::size_t longest_key_id = 64;
constexpr char no_digit_of_an_id = '-';

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
  // The header has whole seconds, so the clock is rounded down to whole seconds too.
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto skew = second > *signed_at ? second - *signed_at : *signed_at - second;
  if (skew > allowed_clock_skew)
    return unauthorized("X-Service-Timestamp is more than 5 minutes away from the gateway's clock, which says " +
                        format_seconds(now) + ".");
  return std::nullopt;
}

bool is_genuine(std::string_view signature, std::string_view secret, std::string_view canonical) {
  const auto expected = crypto::hex(crypto::hmac_sha256(secret, canonical));
  return crypto::equal_constant_time(expected, signature);
}

/// The key if it is usable and made the signature. An unusable key takes as long.
template <class Key>
std::shared_ptr<const Key> signing_key(std::shared_ptr<const Key> found, const request& in,
                                       std::string_view canonical) {
  const bool usable = found && !found->revoked;
  const bool genuine = is_genuine(*in.signature, usable ? std::string_view{found->secret} : nobodys_secret, canonical);
  return usable && genuine ? std::move(found) : nullptr;
}

/// An id that is too long is not looked up.
key_id named_key(const request& in) {
  return in.key_id->size() > longest_key_id ? key_id{} : key_id{std::string{*in.key_id}};
}

rejection not_the_signer(error_code code) {
  return {code, "The key is not known, or the signature does not fit the request."};
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

std::optional<key_id> key_to_look_for(const request& in, const directory& keys, time_point now) {
  if (check_headers(in) || check_timestamp(*in.timestamp, now)) return std::nullopt;
  if (!in.key_id->starts_with(key_prefix) || in.key_id->starts_with(platform_key_prefix)) return std::nullopt;
  auto named = named_key(in);
  if (named.empty()) return std::nullopt;
  if (keys.find_key(named)) named.value.back() = no_digit_of_an_id;
  return named;
}

std::variant<caller, rejection> authenticate(const request& in, const directory& keys, time_point now,
                                             std::string& body_sha256) {
  if (auto rejected = check_headers(in)) return *std::move(rejected);
  if (auto rejected = check_timestamp(*in.timestamp, now)) return *std::move(rejected);

  if (body_sha256.empty()) body_sha256 = crypto::hex(crypto::sha256(in.body));
  const auto canonical = canonical_request(in.method, in.path, *in.timestamp, body_sha256);
  if (in.key_id->starts_with(platform_key_prefix)) {
    const auto key = signing_key(keys.find_platform_key(named_key(in)), in, canonical);
    if (!key) return not_the_signer(error_code::platform_key_invalid);
    if (key->suspended) return rejection{error_code::platform_suspended, {}};
    keys.note_use(*key, now);
    return platform_caller{key->id, key->platform, key->scopes};
  }
  const auto key = signing_key(keys.find_key(named_key(in)), in, canonical);
  if (!key) return not_the_signer(error_code::unauthorized);
  keys.note_use(*key, now);
  return merchant_key{key->id, key->merchant, key->env, key->scopes};
}

}  // namespace gateway::http
