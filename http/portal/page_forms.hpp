// What the portal's routes do with every form: which cookie its CSRF token goes with, and who is shown to be signed in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/codec/query.hpp"
#include "http/pages/forms.hpp"
#include "http/pages/portal.hpp"
#include "sessions.hpp"

namespace gateway::http {

/// The parameter's one value; empty if it is not there, or there twice.
std::string parameter(std::span<const query_parameter> query, std::string_view name);
/// The query's parameters; none if it cannot be read.
std::vector<query_parameter> query_of(const request& in);
/// A query of these parameters, each written in one way: from it is_local_target() can tell.
std::string canonical_query(std::span<const query_parameter> query);

/// A form for somebody who has not signed in. The browser's cookie, or a new one.
struct form_cookie {
  std::string value;
  bool fresh = false;

  std::string csrf(const services& shared, std::string_view bound_to) const;
  /// The page gives a fresh cookie to the browser.
  response with(response page) const;
};
form_cookie form_cookie_of(const request& in);
/// Whether a post comes from the page that was shown to this browser.
bool is_genuine(const call& c, const form& sent, std::string_view bound_to);

/// The same for somebody who has: the session's cookie serves.
std::string csrf_of(const services& shared, const signed_in& person, std::string_view bound_to);
bool is_genuine(const services& shared, const signed_in& person, const form& sent, std::string_view bound_to);

page_user shown_user(const services& shared, const signed_in& person);
inline constexpr std::string_view sign_out_form = "sign-out";

}  // namespace gateway::http
