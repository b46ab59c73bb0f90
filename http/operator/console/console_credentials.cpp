#include "console_credentials.hpp"

#include "console_access.hpp"
#include "console_person.hpp"
#include "gateway/base/crypto.hpp"

namespace gateway::http {

console_form_cookie console_form_cookie_of(const request& in) {
  auto known = console_cookie_of(in);
  if (!known.empty()) return {std::move(known), false};
  return {crypto::random_hex(console_cookie_digits / 2), true};
}

}  // namespace gateway::http
