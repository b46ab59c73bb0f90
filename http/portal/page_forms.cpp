#include "page_forms.hpp"

#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/url.hpp"
#include "http/call/call.hpp"

namespace gateway::http {

std::string parameter(std::span<const query_parameter> query, std::string_view name) {
  return std::string{detail::or_empty(detail::find_parameter(query, name))};
}

std::vector<query_parameter> query_of(const request& in) {
  return read_query(in.query).value_or(std::vector<query_parameter>{});
}

std::string canonical_query(std::span<const query_parameter> query) {
  std::string text;
  for (const auto& each : query) {
    if (!text.empty()) text += '&';
    text.append(percent_encoded(each.name)).append(1, '=').append(percent_encoded(each.value));
  }
  return text;
}

form_cookie form_cookie_of(const request& in) {
  if (auto known = find_hex_cookie(in.cookie, form_cookie_name, form_cookie_digits)) return {*std::move(known), false};
  return {crypto::random_hex(form_cookie_digits / 2), true};
}

std::string form_cookie::csrf(const services& shared, std::string_view bound_to) const {
  return csrf_token(shared.form_key, value, bound_to);
}

response form_cookie::with(response page) const {
  if (fresh) page.headers.emplace_back("Set-Cookie", host_cookie(form_cookie_name, value));
  return page;
}

bool is_genuine(const call& c, const form& sent, std::string_view bound_to) {
  const auto cookie = find_hex_cookie(c.in.cookie, form_cookie_name, form_cookie_digits);
  return cookie && is_genuine(sent, c.here.shared.form_key, *cookie, bound_to);
}

std::string csrf_of(const services& shared, const signed_in& person, std::string_view bound_to) {
  return csrf_token(shared.form_key, person.cookie, bound_to);
}

bool is_genuine(const services& shared, const signed_in& person, const form& sent, std::string_view bound_to) {
  return is_genuine(sent, shared.form_key, person.cookie, bound_to);
}

page_user shown_user(const services& shared, const signed_in& person) {
  return {person.who.email, shared.portal_url + "/sign-out", csrf_of(shared, person, sign_out_form)};
}

}  // namespace gateway::http
