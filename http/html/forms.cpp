#include "forms.hpp"

#include <algorithm>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "http/codec/query.hpp"

namespace gateway::http {
namespace {

bool is_lower_hex(std::string_view text) { return std::ranges::all_of(text, is_lower_hex_digit); }

/// Browsers write a percent sign only before two hexadecimal digits.
bool is_well_escaped(std::string_view text) {
  for (auto at = text.find('%'); at != text.npos; at = text.find('%', at + 1))
    if (text.size() - at < 3 || !is_hex_digit(text[at + 1]) || !is_hex_digit(text[at + 2])) return false;
  return true;
}

/// The first cookie with this name whose value satisfies `fits`.
template <class Fits>
std::optional<std::string> find_fitting(std::string_view rest, std::string_view name, Fits fits) {
  while (!rest.empty()) {
    const auto end = rest.find(';');
    auto pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (!pair.starts_with(name)) continue;
    pair.remove_prefix(name.size());
    if (!pair.starts_with('=')) continue;
    pair.remove_prefix(1);
    if (fits(pair)) return std::string{pair};
  }
  return std::nullopt;
}

std::string csrf_text(std::string_view cookie, std::string_view bound_to) {
  std::string text = "csrf\n";
  text.append(cookie).append("\n").append(bound_to);
  return text;
}

}  // namespace

std::optional<form> form::read(std::string_view body, std::size_t most_bytes) {
  if (body.size() > most_bytes || !is_well_escaped(body)) return std::nullopt;
  auto fields = read_query(body);
  if (!fields) return std::nullopt;
  form sent;
  sent.fields_ = std::move(*fields);
  return sent;
}

bool form::has(std::string_view name) const {
  return std::ranges::find(fields_, name, &query_parameter::name) != fields_.end();
}

std::optional<std::string> form::one(std::string_view name) const {
  const auto first = std::ranges::find(fields_, name, &query_parameter::name);
  if (first == fields_.end()) return std::string{};
  if (std::find_if(first + 1, fields_.end(), [&](const auto& each) { return each.name == name; }) != fields_.end())
    return std::nullopt;
  return first->value;
}

std::vector<std::string> form::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& each : fields_)
    if (each.name == name) values.push_back(each.value);
  return values;
}

form read_form(const request& in) {
  auto sent = is_form_request(in.content_type) ? form::read(in.body) : std::nullopt;
  return std::move(sent).value_or(form{});
}

bool is_form_request(std::optional<std::string_view> content_type) noexcept {
  return content_type && content_type->substr(0, content_type->find(';')) == "application/x-www-form-urlencoded";
}

std::optional<std::string> find_hex_cookie(std::optional<std::string_view> header, std::string_view name,
                                           std::size_t digits) {
  return find_fitting(header.value_or(""), name,
                      [&](std::string_view value) { return value.size() == digits && is_lower_hex(value); });
}

std::optional<std::string> find_cookie(std::optional<std::string_view> header, std::string_view name) {
  return find_fitting(header.value_or(""), name, [](std::string_view) { return true; });
}

std::string host_cookie(std::string_view name, std::string_view value, std::optional<int> seconds) {
  std::string text{name};
  text.append("=").append(value).append("; Path=/; Secure; HttpOnly; SameSite=Lax");
  if (seconds) text.append("; Max-Age=").append(std::to_string(*seconds));
  return text;
}

std::string csrf_token(const crypto::derived_keys& key, std::string_view cookie, std::string_view bound_to) {
  return crypto::hex(key.mac(csrf_text(cookie, bound_to)));
}

bool carries_token(const form& sent) { return sent.has("csrf") && sent.one("csrf"); }

bool is_genuine(const form& sent, const crypto::derived_keys& key, std::string_view cookie, std::string_view bound_to) {
  return is_csrf_token(key, sent.text("csrf"), cookie, bound_to);
}

bool is_csrf_token(const crypto::derived_keys& key, std::string_view token, std::string_view cookie,
                   std::string_view bound_to) {
  const auto text = csrf_text(cookie, bound_to);
  return key.first_of([&](std::string_view each) {
    return crypto::equal_constant_time(crypto::hex(crypto::hmac_sha256(each, text)), token);
  });
}

namespace {

response redirect(int status, std::string url) {
  response out;
  out.status = status;
  out.content_type = "text/plain; charset=utf-8";
  out.headers.emplace_back("Location", std::move(url));
  out.headers.emplace_back("Referrer-Policy", "no-referrer");
  return out;
}

}  // namespace

response redirect_to(std::string url) { return redirect(status::see_other, std::move(url)); }

response pass_on_to(std::string url) { return redirect(status::temporary_redirect, std::move(url)); }

}  // namespace gateway::http
