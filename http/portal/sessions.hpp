// Who is signed in. The browser carries 32 random bytes in a cookie; the store keeps their hash. A session ends after
// 30 minutes without use, after 12 hours in all, by sign-out, and when the person's password changes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/routes/table.hpp"
#include "visit.hpp"

namespace gateway::http {

inline constexpr std::string_view session_cookie_name = "__Host-session";
inline constexpr std::size_t session_cookie_digits = 64;
inline constexpr duration_ms session_unused = std::chrono::minutes{30};
inline constexpr duration_ms session_lifetime = std::chrono::hours{12};
/// That a session was used is written down no more often than this.
inline constexpr duration_ms session_touched_every = std::chrono::minutes{1};

struct session_cookie {
  std::string text;  ///< for the browser
  std::string hash;  ///< for the store
};
session_cookie make_session_cookie();
/// What the store knows the session of this cookie by.
std::string session_hash(std::string_view cookie);

/// The person, nothing if nobody is signed in, or the page to show where the store does not answer.
using session_found = std::variant<signed_in, std::monostate, response>;
boost::asio::awaitable<session_found> find_signed_in(call& c);

/// The person, or what to answer instead: the way to the sign-in page and back here, or that the gateway is busy.
/// `local` is the present page as is_local_target() has it.
boost::asio::awaitable<std::variant<signed_in, response>> require_session(call& c, std::string local);

// Where somebody goes after signing in. It is carried in the sign-in page's address, `next=`, which anybody can write:
// so it names one of this gateway's own pages by the path that the gateway knows it by, and nothing else. It is written
// in base64url, and bytes beyond ASCII, which a page's address has escaped, stand in it as they are: escaped twice, a
// long `state` of a consent screen would be longer than a request line may be.

inline constexpr std::string_view authorize_path = "/connect/authorize";
inline constexpr std::string_view portal_path = "/portal";
inline constexpr std::string_view account_page_path = "/portal/account";

/// `/connect/authorize?…` or `/portal/…`.
bool is_local_target(std::string_view path_and_query);
/// The address that browsers reach this page by. Only for local targets.
std::string public_url(const services& shared, std::string_view local);
/// The address of the sign-in page, from which the way leads to `local`; empty: to the person's one merchant, or to
/// their account.
std::string sign_in_url(const services& shared, std::string_view local);
/// Where the `next` of such an address leads to, to the byte; empty if that is no local target.
std::string target_of_next(std::string_view next);

}  // namespace gateway::http
