// Forms that browsers post: their fields, their cookies, and the proof that a post comes from a page that this browser
// was shown. The cookie is random; the page's hidden field `csrf` is an HMAC over the cookie and the page's purpose, so
// that one page's field is invalid on another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/keyring.hpp"
#include "gateway/domain/authorize_request.hpp"
#include "http/message.hpp"

namespace gateway::http {

inline constexpr std::size_t most_form_bytes = 16 * 1024;

/// The fields of a post. Unknown fields are ignored.
class form {
 public:
  /// Nothing if the body is not a valid form, or longer than `most_bytes`.
  static std::optional<form> read(std::string_view body, std::size_t most_bytes = most_form_bytes);

  /// The same for multipart/form-data (RFC 7578), as browsers send it; a file's value is its content. Nothing if the
  /// body is malformed, or has more than a few parts.
  static std::optional<form> read_parts(std::string_view body, std::string_view boundary);

  bool has(std::string_view name) const;

  /// The field's value, empty if absent. Nothing if it is repeated.
  std::optional<std::string> one(std::string_view name) const;
  /// The same, but empty if repeated.
  std::string text(std::string_view name) const { return one(name).value_or(std::string{}); }
  /// All values of a field that may be repeated, such as checked boxes.
  std::vector<std::string> all(std::string_view name) const;

 private:
  std::vector<query_parameter> fields_;
};

/// The fields of a post. A malformed form has no fields, so it has no token and is refused.
form read_form(const request& in);

/// The same for a form with a file. Only the server's limit for bodies applies to its length.
form read_upload(const request& in);

/// Whether the content type is multipart/form-data.
bool is_upload(std::optional<std::string_view> content_type) noexcept;
/// Whether the content type is application/x-www-form-urlencoded.
bool is_form_request(std::optional<std::string_view> content_type) noexcept;

/// The value of the first cookie with this name whose value is `digits` lower-case hexadecimal digits; nothing if there
/// is none.
std::optional<std::string> find_hex_cookie(std::optional<std::string_view> header, std::string_view name,
                                           std::size_t digits);
/// The value of the first cookie with this name, in any form.
std::optional<std::string> find_cookie(std::optional<std::string_view> header, std::string_view name);

/// A Set-Cookie for a `__Host-` cookie that is hidden from scripts and from other sites' posts. It lasts until the
/// browser closes, or for `seconds`; 0 removes it.
std::string host_cookie(std::string_view name, std::string_view value, std::optional<int> seconds = std::nullopt);

/// 64 lower-case hexadecimal digits.
std::string csrf_token(const crypto::derived_keys& key, std::string_view cookie, std::string_view bound_to);
/// Whether the token was made with the current key or an older one.
bool is_csrf_token(const crypto::derived_keys& key, std::string_view token, std::string_view cookie,
                   std::string_view bound_to);
/// Whether the form has a token, valid or not. If a session has ended, only a post with a token is redirected to
/// sign-in; a post without one comes from no page of the portal.
bool carries_token(const form& sent);
/// Whether the form's token is the one of a page for `bound_to` in the browser with this cookie.
bool is_genuine(const form& sent, const crypto::derived_keys& key, std::string_view cookie, std::string_view bound_to);

/// The cookie of forms before sign-in.
inline constexpr std::string_view form_cookie_name = "__Host-form";
inline constexpr std::size_t form_cookie_digits = 32;

/// Redirects to `url`, by GET.
response redirect_to(std::string url);
/// Makes the browser post the form that it has posted here to `url`, unchanged.
response pass_on_to(std::string url);

}  // namespace gateway::http
