#include "webhook_signature.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::cli {

namespace {

constexpr std::size_t signature_digits = 64;

struct signature_header {
  std::string_view time;  ///< as written, because these bytes are signed
  std::int64_t time_s = 0;
  std::vector<std::string_view> signatures;  ///< each v1
};

/// Returns the fault; empty if there is none.
std::string read_header(std::string_view text, signature_header& into) {
  text = trimmed(text);
  if (text.empty()) return "the header X-Service-Signature is empty";
  while (!text.empty()) {
    auto value = trimmed(cut_before(text, ','));
    const auto name = cut_before(value, '=');
    if (name == "v1") {
      if (value.size() != signature_digits || !std::ranges::all_of(value, is_lower_hex_digit))
        return "a v1 in the header is not 64 lower-case hexadecimal digits";
      into.signatures.push_back(value);
    }
    if (name != "t") continue;
    if (!into.time.empty()) return "the header has more than one t";
    const auto seconds = parse_whole(value, 0, std::numeric_limits<std::int64_t>::max());
    if (!seconds) return "the header's t is not a time in whole seconds since 1970";
    into.time = value;
    into.time_s = *seconds;
  }
  if (into.time.empty()) return "the header has no t=<unix seconds>";
  if (into.signatures.empty()) return "the header has no v1=<signature>";
  return {};
}

std::string signature_over(std::string_view secret, std::string_view time, std::string_view body) {
  std::string signed_text;
  signed_text.reserve(time.size() + 1 + body.size());
  signed_text.append(time).append(1, '.').append(body);
  return crypto::hex(crypto::hmac_sha256(secret, signed_text));
}

/// Compares with every signature, in a time that does not depend on which one matches.
bool matches(const signature_header& header, std::string_view secret, std::string_view body) {
  const auto expected = signature_over(secret, header.time, body);
  bool found = false;
  for (const auto given : header.signatures) found |= crypto::equal_constant_time(given, expected);
  return found;
}

std::string_view without_line_end(std::string_view body) noexcept {
  if (body.ends_with('\n')) body.remove_suffix(1);
  if (body.ends_with('\r')) body.remove_suffix(1);
  return body;
}

}  // namespace

std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t now_s) {
  const auto time = std::to_string(now_s);
  return "t=" + time + ",v1=" + signature_over(secret, time, body);
}

verification verify_webhook(std::string_view secret, std::string_view header_text, std::string_view body,
                            std::int64_t tolerance_s, std::int64_t now_s) {
  signature_header header;
  if (auto fault = read_header(header_text, header); !fault.empty()) return {false, std::move(fault)};
  if (!matches(header, secret, body)) {
    if (const auto shorter = without_line_end(body); shorter != body && matches(header, secret, shorter))
      return {false, "the body has a line end that was not signed: verify the bytes as they were received"};
    return {false, "the signature does not match: another secret, or another body than the one that was signed"};
  }
  const auto age_s = now_s - header.time_s;
  if (age_s > tolerance_s)
    return {false, "the signature matches, but is " + std::to_string(age_s) + " s old, more than the tolerance of " +
                       std::to_string(tolerance_s) + " s"};
  if (-age_s > tolerance_s)
    return {false, "the signature matches, but its time is " + std::to_string(-age_s) +
                       " s ahead, more than the tolerance of " + std::to_string(tolerance_s) + " s"};
  return {true};
}

}  // namespace gateway::cli
