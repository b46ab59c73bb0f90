#include "chosen_password.hpp"

#include "gateway/base/crypto.hpp"
#include "http/codec/decode.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view chosen_cookie_name = "__Host-chosen-password";
constexpr int chosen_cookie_seconds = 60;  ///< long enough for the redirect
constexpr std::size_t most_chosen_email = 320;  ///< bytes

}  // namespace

std::string chosen_password_cookie(std::string_view email) {
  return host_cookie(chosen_cookie_name, crypto::base64url(email), chosen_cookie_seconds);
}

std::string no_chosen_password_cookie() { return host_cookie(chosen_cookie_name, {}, 0); }

std::optional<std::string> find_chosen_password(const request& in) {
  const auto value = find_cookie(in.cookie, chosen_cookie_name);
  if (!value || value->size() > 2 * most_chosen_email) return std::nullopt;
  auto email = crypto::from_base64url(*value);
  if (!email || email->size() > most_chosen_email || !looks_like_email(*email)) return std::nullopt;
  return email;
}

}  // namespace gateway::http
