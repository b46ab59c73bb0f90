#include "webhook_attempt.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <variant>

#include "gateway/base/retry_after.hpp"
#include "http/status.hpp"

namespace gateway::http {

namespace {

struct character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: the text does not begin with a valid character
};

/// By the table of RFC 3629: the first byte determines how many follow, and restricts the second.
character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xc2 && lead <= 0xdf   ? 2
                            : (lead & 0xf0) == 0xe0        ? 3
                            : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                           : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return {};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  return {code, bytes};
}

bool is_control_character(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

constexpr std::string_view replacement = "\xef\xbf\xbd";

}  // namespace

std::string excerpt_of(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const auto next = first_character(bytes);
    const auto shown = next.bytes == 0                   ? replacement
                       : is_control_character(next.code) ? std::string_view{" "}
                                                         : bytes.substr(0, next.bytes);
    if (out.size() + shown.size() > most_excerpt_bytes) break;
    out += shown;
    bytes.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return out;
}

attempt_result result_of(std::uint16_t status) noexcept {
  if (status::is_success(status)) return attempt_result::delivered;
  return status == status::gone ? attempt_result::gone : attempt_result::rejected;
}

attempt_result result_of(http_fault what) noexcept {
  switch (what) {
    case http_fault::bad_address:
    case http_fault::forbidden_address: return attempt_result::forbidden_address;
    case http_fault::connect_timeout: return attempt_result::connect_timeout;
    case http_fault::tls_failed: return attempt_result::tls_failed;
    case http_fault::answer_timeout: return attempt_result::answer_timeout;
    case http_fault::garbage:
    case http_fault::too_large: return attempt_result::bad_answer;
    case http_fault::bad_request:
    case http_fault::lookup_failed:
    case http_fault::connect_failed:
    case http_fault::send_failed:
    case http_fault::broken:
    case http_fault::overloaded:
    case http_fault::stopping:
    case http_fault::internal: break;
  }
  return attempt_result::unreachable;
}

delivery_attempt attempt_of(const http_outcome& outcome, time_point now) {
  delivery_attempt seen;
  if (const auto* failure = std::get_if<http_failure>(&outcome)) {
    seen.result = result_of(failure->what);
    return seen;
  }
  const auto& answer = std::get<http_answer>(outcome);
  seen.result = result_of(answer.status);
  seen.status = answer.status;
  seen.excerpt = excerpt_of(answer.body);
  if (const auto asked = answer.headers.find("Retry-After")) seen.retry_after = read_retry_after(*asked, now);
  return seen;
}

}  // namespace gateway::http
