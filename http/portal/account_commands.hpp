// What people change of their own account. Each command takes what a form said, and either commits the change together
// with its line on the audit list, or says why it did not. No pages here.
//
// A wrong password or code counts as a failed sign-in does (slowing.hpp): a browser that somebody has left open is no
// way to guess at either.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/routes/table.hpp"
#include "sessions.hpp"

namespace gateway::http {

enum class account_refusal : unsigned char {
  wrong_password,        ///< the present one
  short_password,        ///< of the new one: fewer than 12 characters
  unusable_password,     ///< of the new one: too long, or with a character that cannot be
  wrong_code,            ///< or one that was used before
  offer_over,            ///< the second factor has to be begun anew
  second_factor_is_on,
  second_factor_is_off,
  unknown_zone,
  unknown_session,
  unknown_invitation,
  replaced_credentials,  ///< between the check and the commit
  distrusted_password,   ///< another merchant's owner may know it
  slowed_down,
  busy,
};
/// In words, to stand beside the field that is at fault, or on the page.
std::string_view words_of(account_refusal why) noexcept;

struct account_problem {
  account_refusal why = account_refusal::busy;
  std::chrono::seconds wait{};  ///< of slowed_down: for Retry-After
};
struct account_changed {
  std::string cookie{};  ///< of the session that takes the present one's place; empty: the present one goes on
  std::string known{};   ///< a Set-Cookie (known_browser.hpp) where the credentials changed
};
using account_result = std::variant<account_changed, account_problem>;

/// Ends all of the person's sessions. The present one goes on as another, under a cookie of its own, so that whoever
/// has learnt the old cookie is signed out, too.
boost::asio::awaitable<account_result> change_password(call& c, signed_in person, std::string password,
                                                       std::string new_password);

// ---- the second factor ----------------------------------------------------------------------------

inline constexpr std::chrono::minutes offer_lifetime{15};

/// A fresh secret for the person's app. It is carried in the page's form, sealed, and stored nowhere until a code shows
/// that an app has it.
struct second_factor_offer {
  std::string secret;  ///< base32
  std::string uri;  ///< for a QR code
  std::string sealed;  ///< for the form
};
using offer_result = std::variant<second_factor_offer, account_problem>;
/// Whoever holds an offer has shown the password.
boost::asio::awaitable<offer_result> begin_second_factor(call& c, signed_in person, std::string password);
/// The same offer, to be shown again after a wrong code; nothing if it is over, or was made for somebody else.
std::optional<second_factor_offer> read_offer(const services& shared, const signed_in& person, std::string_view sealed);

/// The codes are shown once.
struct new_recovery_codes {
  std::vector<std::string> texts;
  std::string known{};  ///< as in account_changed
};
using recovery_result = std::variant<new_recovery_codes, account_problem>;
boost::asio::awaitable<recovery_result> turn_on_second_factor(call& c, signed_in person, std::string sealed_offer,
                                                              std::string code);
/// The codes before are worth nothing from then on.
boost::asio::awaitable<recovery_result> renew_recovery_codes(call& c, signed_in person, std::string password);
boost::asio::awaitable<account_result> turn_off_second_factor(call& c, signed_in person, std::string password);

// ---- the others -----------------------------------------------------------------------------------

/// Of an owner, for this person. An id: only while it stands with that one.
boost::asio::awaitable<account_result> accept_own_invitation(call& c, signed_in person, merchant_id merchant,
                                                             std::string id = {});
boost::asio::awaitable<account_result> choose_time_zone(call& c, signed_in person, std::string zone);
/// `hash` is that of one of the person's sessions.
boost::asio::awaitable<account_result> end_own_session(call& c, signed_in person, std::string hash);
boost::asio::awaitable<account_result> end_other_sessions(call& c, signed_in person);

}  // namespace gateway::http
