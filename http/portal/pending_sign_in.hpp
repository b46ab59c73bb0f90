// The state between the right password and the second factor's code. The browser keeps a sealed note that names the
// account, so that the password is sent once; the gateway stores nothing. The note is valid for a few minutes, and only
// while the password and the second factor are unchanged.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/ports/store/people_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

inline constexpr std::string_view pending_cookie_name = "__Host-pending";
inline constexpr std::chrono::seconds pending_lifetime = std::chrono::minutes{5};

struct pending_sign_in {
  std::string email;
  std::string made_for;  ///< of_credentials()
};

/// A digest of the person's password hash and second factor. Resealing the second factor does not change it.
std::string of_credentials(const services& shared, const stored_person& who);
/// A Set-Cookie with a note that this person's password was right.
std::string pending_cookie(const services& shared, const stored_person& who);
/// A Set-Cookie that removes the note.
std::string no_pending_cookie();
/// The browser's note; nullopt if it is absent, forged or expired.
std::optional<pending_sign_in> find_pending(const call& c);
/// Whether the person's password and second factor are unchanged since the note was made.
bool is_of(const services& shared, const pending_sign_in& note, const stored_person& who);

}  // namespace gateway::http
