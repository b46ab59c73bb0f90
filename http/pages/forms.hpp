// Forms that browsers post: their fields, the cookies beside them, and the proof that a post comes from a page that
// this browser was shown. The cookie is random; the page's hidden field `csrf` is an HMAC over the cookie and over what
// the page is for, so that the field of one page does not serve another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/authorize_request.hpp"
#include "http/message.hpp"

namespace gateway::http {

inline constexpr std::size_t most_form_bytes = 16 * 1024;

/// The fields of a post. Those that nobody asks for do no harm.
class form {
 public:
  /// Nothing if the body is not what browsers make of a form, or longer than `most_bytes`.
  static std::optional<form> read(std::string_view body, std::size_t most_bytes = most_form_bytes);

  bool has(std::string_view name) const;

  /// The field's value, empty if it is not there. Nothing if it is there twice.
  std::optional<std::string> one(std::string_view name) const;
  /// The same where twice counts as not at all.
  std::string text(std::string_view name) const { return one(name).value_or(std::string{}); }
  /// Each value of a field that may be there several times, such as a box that is checked.
  std::vector<std::string> all(std::string_view name) const;

 private:
  std::vector<query_parameter> fields_;
};

/// The fields of a post. One that is no form has none, and so no token: it is refused as a form without one.
form read_form(const request& in);

/// Of application/x-www-form-urlencoded.
bool is_form_request(std::optional<std::string_view> content_type) noexcept;

/// The value of the first cookie of this name that consists of `digits` lower-case hexadecimal digits, which is what
/// ours do; nothing if there is none.
std::optional<std::string> find_hex_cookie(std::optional<std::string_view> header, std::string_view name,
                                           std::size_t digits);
/// The value of the first cookie of this name, whatever it is.
std::optional<std::string> find_cookie(std::optional<std::string_view> header, std::string_view name);

/// A Set-Cookie for a `__Host-` cookie that no script reads and no other site's post carries. It lasts as long as the
/// browser does, or for `seconds`; 0 removes it.
std::string host_cookie(std::string_view name, std::string_view value, std::optional<int> seconds = std::nullopt);

/// 64 lower-case hexadecimal digits.
std::string csrf_token(std::string_view key, std::string_view cookie, std::string_view bound_to);
/// Whether there is a token, whosever it is. Where a session is needed and has ended, only who has one is sent to sign
/// in anew; whoever has none was shown no page.
bool carries_token(const form& sent);
/// Whether the form has the token that a page for `bound_to` was given in the browser that holds this cookie.
bool is_genuine(const form& sent, std::string_view key, std::string_view cookie, std::string_view bound_to);

/// The cookie of forms that are filled in before anybody has signed in.
inline constexpr std::string_view form_cookie_name = "__Host-form";
inline constexpr std::size_t form_cookie_digits = 32;

/// Goes on to `url`, by GET.
response redirect_to(std::string url);

}  // namespace gateway::http
