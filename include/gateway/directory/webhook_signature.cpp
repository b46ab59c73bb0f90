#include "gateway/directory/webhook_signature.hpp"

#include <algorithm>
#include <chrono>

#include "gateway/base/crypto.hpp"

namespace gateway {

static void append_signature(std::string& header, std::string_view secret, std::string_view signed_text) {
  header += ",v1=";
  header += crypto::hex(crypto::hmac_sha256(secret, signed_text));
}

static std::string seconds_of(time_point at) {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count());
}

static bool signs_with_both(const webhook_endpoint& to, time_point now) {
  return !to.previous_secret.empty() && now < to.previous_until;
}

std::string webhook_signature(const webhook_endpoint& to, std::string_view body, time_point now) {
  const auto seconds = seconds_of(now);
  std::string signed_text;
  signed_text.reserve(seconds.size() + 1 + body.size());
  signed_text.append(seconds).append(1, '.').append(body);
  auto header = "t=" + seconds;
  append_signature(header, to.secret, signed_text);
  if (signs_with_both(to, now)) append_signature(header, to.previous_secret, signed_text);
  return header;
}

/// `v1,<base64>`, after a space if there is one before it. The gateway's secrets are `whsec_` and 64 hexadecimal
/// digits, which are also base64. A secret that is not base64 makes no signature, because its key would be empty and
/// anyone could sign with it.
static void append_standard_signature(std::string& header, std::string_view secret, std::string_view signed_text) {
  static constexpr std::string_view prefix = "whsec_";
  if (secret.starts_with(prefix)) secret.remove_prefix(prefix.size());
  const auto key = crypto::from_base64url(secret);
  if (!key || key->empty()) return;
  auto text = crypto::base64url(crypto::to_text(crypto::hmac_sha256(*key, signed_text)));
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  header.append(header.empty() ? "v1," : " v1,").append(text).append("=");  // 32 bytes take 43 digits and one pad
}

std::vector<std::pair<std::string, std::string>> standard_webhook_headers(const webhook_endpoint& to,
                                                                          const std::string& event_id,
                                                                          std::string_view body, time_point now) {
  if (!to.what.standard_webhooks) return {};
  const auto seconds = seconds_of(now);
  std::string signed_text;
  signed_text.reserve(event_id.size() + seconds.size() + 2 + body.size());
  signed_text.append(event_id).append(1, '.').append(seconds).append(1, '.').append(body);
  std::string signatures;
  append_standard_signature(signatures, to.secret, signed_text);
  if (signs_with_both(to, now)) append_standard_signature(signatures, to.previous_secret, signed_text);
  if (signatures.empty()) return {};
  return {{"webhook-id", event_id}, {"webhook-timestamp", seconds}, {"webhook-signature", std::move(signatures)}};
}

}  // namespace gateway
