#include "known_browser.hpp"

#include <string_view>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/person.hpp"
#include "http/access/expiring_note.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"
#include "pending_sign_in.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t browser_digits = 32, seal_digits = 64;

/// Each account has its own cookie, whose name does not reveal the account.
std::string browser_cookie_name(std::string_view key, const stored_person& who) {
  constexpr std::size_t digits = 16;
  const auto account = email_key_of(who.email);
  const auto digest = crypto::hmac_sha256(key, std::string{"name of a known browser\n"}.append(account));
  return "__Host-known-" + crypto::hex(digest).substr(0, digits);
}

std::string browser_seal(std::string_view key, std::string_view credentials, std::string_view id_and_end) {
  std::string text{"known browser\n"};
  text.append(id_and_end).append("\n").append(credentials);
  return crypto::hex(crypto::hmac_sha256(key, text));
}

/// known_browser() for one key.
std::string browser_of_key(std::string_view key, const call& c, const stored_person& who) {
  const auto& shared = c.here.shared;
  const auto cookie = find_cookie(c.in.cookie, browser_cookie_name(key, who));
  if (!cookie || cookie->size() < browser_digits + seal_digits + 2) return {};
  const std::string_view value{*cookie};
  const auto signed_part = value.substr(0, value.size() - seal_digits - 1);
  const auto seal = value.substr(signed_part.size() + 1);
  if (!crypto::equal_constant_time(browser_seal(key, of_credentials(shared, who), signed_part), seal)) return {};
  if (has_expired(signed_part.substr(browser_digits + 1), shared.clock.now())) return {};
  return std::string{signed_part.substr(0, browser_digits)};
}

}  // namespace

std::string known_browser_cookie(const services& shared, const stored_person& who) {
  const auto keys = shared.form_key.all();
  const std::string_view key = keys->front().bytes;
  const auto ends_at = shared.clock.now() + known_browser_lifetime;
  auto value = crypto::random_hex(browser_digits / 2) + '.' + std::to_string(to_unix_ms(ends_at));
  value += '.' + browser_seal(key, of_credentials(shared, who), value);
  return host_cookie(browser_cookie_name(key, who), value, static_cast<int>(known_browser_lifetime.count()));
}

std::string known_browser(const call& c, const stored_person& who) {
  for (const auto keys = c.here.shared.form_key.all(); const auto& each : *keys)
    if (auto found = browser_of_key(each.bytes, c, who); !found.empty()) return found;
  return {};
}

}  // namespace gateway::http
