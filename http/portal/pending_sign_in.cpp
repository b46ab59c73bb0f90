#include "pending_sign_in.hpp"

#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "http/access/expiring_note.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"
#include "second_factor.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view pending_purpose = "pending sign-in";
constexpr std::size_t most_note_bytes = 4'096;

}  // namespace

std::string of_credentials(const services& shared, const stored_person& who) {
  const auto factor =
      who.sealed_totp.empty()
          ? std::string{}
          : open_totp_secret(shared.second_factor_key, who.id, who.sealed_totp).value_or(who.sealed_totp);
  return crypto::hex(crypto::sha256(who.id.value + '\n' + who.password_hash + '\n' + factor));
}

std::string pending_cookie(const services& shared, const stored_person& who) {
  const auto note = seal_note(shared.second_factor_key, pending_purpose, of_credentials(shared, who) + '\n' + who.email,
                              shared.clock.now() + pending_lifetime);
  return host_cookie(pending_cookie_name, note, static_cast<int>(pending_lifetime.count()));
}

std::string no_pending_cookie() { return host_cookie(pending_cookie_name, {}, 0); }

std::optional<pending_sign_in> find_pending(const call& c) {
  const auto sealed = find_cookie(c.in.cookie, pending_cookie_name);
  if (!sealed || sealed->size() > most_note_bytes) return std::nullopt;
  const auto& shared = c.here.shared;
  const auto note = open_note(shared.second_factor_key, pending_purpose, *sealed, shared.clock.now());
  if (!note) return std::nullopt;
  std::string_view rest = *note;
  std::string made_for{cut_before(rest, '\n')};
  return pending_sign_in{std::string{rest}, std::move(made_for)};
}

bool is_of(const services& shared, const pending_sign_in& note, const stored_person& who) {
  return !who.sealed_totp.empty() && crypto::equal_constant_time(note.made_for, of_credentials(shared, who));
}

}  // namespace gateway::http
