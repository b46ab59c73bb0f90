// What the portal's forms share: the cookie to which a CSRF token is bound, and the signed-in person shown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/codec/query.hpp"
#include "http/html/forms.hpp"
#include "sessions.hpp"
#include "views.hpp"

namespace gateway::http {

/// The parameter's value; empty if it is absent or repeated.
std::string parameter(std::span<const query_parameter> query, std::string_view name);
/// The query's parameters; none if it cannot be decoded.
std::vector<query_parameter> query_of(const request& in);
/// A query of these parameters in canonical encoding, for is_local_target().
std::string canonical_query(std::span<const query_parameter> query);

/// The cookie to which forms before sign-in are bound: the browser's, or a new one.
struct form_cookie {
  std::string value;
  bool fresh = false;

  std::string csrf(const services& shared, std::string_view bound_to) const;
  /// Adds a Set-Cookie if the cookie is fresh.
  response with(response page) const;
};
form_cookie form_cookie_of(const request& in);
/// Whether a form comes from a page that was shown to this browser.
bool is_genuine(const call& c, const form& sent, std::string_view bound_to);

/// The same for a signed-in person: bound to the session's cookie.
std::string csrf_of(const services& shared, const signed_in& person, std::string_view bound_to);
bool is_genuine(const services& shared, const signed_in& person, const form& sent, std::string_view bound_to);

page_user shown_user(const services& shared, const signed_in& person);
inline constexpr std::string_view sign_out_form = "sign-out";

}  // namespace gateway::http
