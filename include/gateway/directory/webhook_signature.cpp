#include "gateway/directory/webhook_signature.hpp"

#include <chrono>

#include "gateway/base/crypto.hpp"

namespace gateway {

static void append_signature(std::string& header, std::string_view secret, std::string_view signed_text) {
  header += ",v1=";
  header += crypto::hex(crypto::hmac_sha256(secret, signed_text));
}

std::string webhook_signature(const webhook_endpoint& to, std::string_view body, time_point now) {
  const auto seconds = std::to_string(std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  std::string signed_text;
  signed_text.reserve(seconds.size() + 1 + body.size());
  signed_text.append(seconds).append(1, '.').append(body);
  auto header = "t=" + seconds;
  append_signature(header, to.secret, signed_text);
  if (!to.previous_secret.empty() && now < to.previous_until) append_signature(header, to.previous_secret, signed_text);
  return header;
}

}  // namespace gateway
