// Portal sessions. The browser keeps 32 random bytes in a cookie; the store keeps their hash. A session ends after
// `portal-session-idle` without use, after 12 hours in all, by sign-out, and when the person's password changes.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/fwd.hpp"
#include "http/message.hpp"
#include "visit.hpp"

namespace gateway::http {

inline constexpr std::string_view session_cookie_name = "__Host-session";
inline constexpr std::size_t session_cookie_digits = 64;
inline constexpr duration_ms session_lifetime = std::chrono::hours{12};
/// A session's last use is written at most this often, so a session may end this much too early.
constexpr duration_ms session_touched_every(duration_ms idle) noexcept {
  return std::min<duration_ms>(std::chrono::minutes{1}, idle / 4);
}
/// Takes a stored_session or a listed_session.
template <class Session>
bool is_session_valid(const Session& session, time_point now, duration_ms idle) {
  return now < session.ends_at && now < session.used_at + idle;
}

struct session_cookie {
  std::string text;  ///< for the browser
  std::string hash;  ///< for the store
};
session_cookie make_session_cookie();
/// The store's key for the session of this cookie.
std::string session_hash(std::string_view cookie);

/// The person; monostate if the browser is not signed in; or the page to show if the store does not answer.
using session_found = std::variant<signed_in, std::monostate, response>;
boost::asio::awaitable<session_found> find_signed_in(call& c);

/// The person, or the answer to send instead: a redirect to the sign-in page, which leads back here, or a page for a
/// busy gateway. `local` is the current page and must satisfy is_local_target().
boost::asio::awaitable<std::variant<signed_in, response>> require_session(call& c, std::string local);

// The page to show after sign-in is in the sign-in page's address as `next=`. Anyone can write that, so it may name
// only a page of this gateway, by the gateway's own path. It is encoded in base64url, after unescaping bytes beyond
// ASCII: escaped twice, a long `state` of a consent screen would exceed the limit of a request line.

inline constexpr std::string_view authorize_path = "/connect/authorize";
inline constexpr std::string_view portal_path = "/portal";
inline constexpr std::string_view account_page_path = "/portal/account";

/// Whether it is `/connect/authorize?…` or `/portal/…`.
bool is_local_target(std::string_view path_and_query);
/// The URL of a local target for browsers.
std::string public_url(const services& shared, std::string_view local);
/// The address of the sign-in page that continues to `local`. If `local` is empty, it continues to the person's only
/// merchant, or else to the account.
std::string sign_in_url(const services& shared, std::string_view local);
/// The target in such a `next`, byte for byte; empty if it is not a local target.
std::string target_of_next(std::string_view next);

}  // namespace gateway::http
