// Changes that people make to their own accounts. Each command takes a form's fields, and either commits the change
// together with its audit entry, or returns the reason why not. It renders no page.
//
// A wrong password or code counts as a failed sign-in (sign_in_throttle.hpp), so that a browser left signed in cannot
// be used to guess either.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/portal/sessions.hpp"

namespace gateway::http {

enum class account_refusal : unsigned char {
  wrong_password,        ///< the current password
  short_password,        ///< the new one has fewer than 12 characters
  unusable_password,     ///< the new one is too long, or has a forbidden character
  wrong_code,            ///< or a code that was used before
  offer_over,            ///< the offer has expired; the set-up of the second factor must be restarted
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
/// The message for the faulty field, or for the page.
std::string_view description_of(account_refusal why) noexcept;

struct account_problem {
  account_refusal why = account_refusal::busy;
  std::chrono::seconds wait{};  ///< for slowed_down: Retry-After
};
struct account_changed {
  std::string cookie{};  ///< of the session that replaces the current one; empty: the current one continues
  std::string known{};   ///< a Set-Cookie (known_browser.hpp) if the credentials changed
};
using account_result = std::variant<account_changed, account_problem>;

/// Ends all of the person's sessions. The current one is replaced by one with a new cookie, so that a stolen cookie is
/// signed out, too.
boost::asio::awaitable<account_result> change_password(call& c, signed_in person, std::string password,
                                                       std::string new_password);

// ---- the second factor ----------------------------------------------------------------------------

inline constexpr std::chrono::minutes offer_lifetime{15};

/// A new secret for the person's app. The page's form carries it, sealed. It is stored only after a code has proven
/// that an app has it.
struct second_factor_offer {
  std::string secret;  ///< base32
  std::string uri;  ///< for a QR code
  std::string sealed;  ///< for the form
};
using offer_result = std::variant<second_factor_offer, account_problem>;
/// Requires the password, so that a later step need not ask for it.
boost::asio::awaitable<offer_result> begin_second_factor(call& c, signed_in person, std::string password);
/// The same offer, shown again after a wrong code; nullopt if it has expired or is another person's.
std::optional<second_factor_offer> read_offer(const services& shared, const signed_in& person, std::string_view sealed);

/// New recovery codes, which are shown only once.
struct new_recovery_codes {
  std::vector<std::string> texts;
  std::string known{};  ///< as in account_changed
};
using recovery_result = std::variant<new_recovery_codes, account_problem>;
boost::asio::awaitable<recovery_result> turn_on_second_factor(call& c, signed_in person, std::string sealed_offer,
                                                              std::string code);
/// Invalidates the earlier codes.
boost::asio::awaitable<recovery_result> renew_recovery_codes(call& c, signed_in person, std::string password);
boost::asio::awaitable<account_result> turn_off_second_factor(call& c, signed_in person, std::string password);

// ---- other changes --------------------------------------------------------------------------------

/// Accepts an owner's invitation for this person. If `id` is given, only while the invitation has this id.
boost::asio::awaitable<account_result> accept_own_invitation(call& c, signed_in person, merchant_id merchant,
                                                             std::string id = {});
boost::asio::awaitable<account_result> choose_time_zone(call& c, signed_in person, std::string zone);
/// `hash` must be the hash of one of the person's sessions.
boost::asio::awaitable<account_result> end_own_session(call& c, signed_in person, std::string hash);
boost::asio::awaitable<account_result> end_other_sessions(call& c, signed_in person);

}  // namespace gateway::http
