#include "pending_sign_in.hpp"

#include <charconv>
#include <system_error>

#include "gateway/base/crypto.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view pending_purpose = "pending sign-in";
constexpr std::size_t most_note_bytes = 4'096;

std::string_view cut_note_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end);
  rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
  return line;
}

}  // namespace

std::string of_credentials(const stored_person& who) {
  return crypto::hex(crypto::sha256(who.id.value + '\n' + who.password_hash + '\n' + who.sealed_totp));
}

std::string pending_cookie(const services& shared, const stored_person& who) {
  const auto ends_at = shared.clock.now() + pending_lifetime;
  const auto note = std::to_string(to_unix_ms(ends_at)) + '\n' + of_credentials(who) + '\n' + who.email;
  const crypto::master_key key{shared.second_factor_key};
  return host_cookie(pending_cookie_name, key.seal(note, pending_purpose), static_cast<int>(pending_lifetime.count()));
}

std::string no_pending_cookie() { return host_cookie(pending_cookie_name, {}, 0); }

std::optional<pending_sign_in> find_pending(const call& c) {
  const auto sealed = find_cookie(c.in.cookie, pending_cookie_name);
  if (!sealed || sealed->size() > most_note_bytes) return std::nullopt;
  const auto note = crypto::master_key{c.here.shared.second_factor_key}.open(*sealed, pending_purpose);
  if (!note) return std::nullopt;
  std::string_view rest = *note;
  const auto ends_at = cut_note_line(rest);
  const auto made_for = cut_note_line(rest);
  std::int64_t ends_at_ms = 0;
  const auto read = std::from_chars(ends_at.data(), ends_at.data() + ends_at.size(), ends_at_ms);
  if (read.ec != std::errc{} || to_unix_ms(c.here.shared.clock.now()) >= ends_at_ms) return std::nullopt;
  return pending_sign_in{std::string{rest}, std::string{made_for}};
}

bool is_of(const pending_sign_in& note, const stored_person& who) {
  return !who.sealed_totp.empty() && crypto::equal_constant_time(note.made_for, of_credentials(who));
}

}  // namespace gateway::http
