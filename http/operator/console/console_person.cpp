#include "console_person.hpp"

#include <chrono>
#include <utility>

#include "console.hpp"
#include "gateway/base/log.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"

namespace gateway::http {

std::string console_cookie_of(const request& in) {
  return find_hex_cookie(in.cookie, console_cookie_name, console_cookie_digits).value_or(std::string{});
}

boost::asio::awaitable<std::optional<console_person>> find_console_person(call& c) {
  auto& access = c.here.shared.console->access;
  auto cookie = console_cookie_of(c.in);
  if (cookie.empty()) co_return std::nullopt;
  const auto session = access.use(cookie, std::chrono::steady_clock::now());
  if (!session) co_return std::nullopt;
  auto asking = ask(c.here, find_operator{operator_key_of(session->name)});
  const auto found = co_await std::move(asking);
  if (!found) co_return console_person{session->name, operator_role::viewer, std::move(cookie)};
  if (!found->found || credentials_of(*found->found) != session->credentials) {
    access.end(cookie);
    co_return std::nullopt;
  }
  co_return console_person{found->found->name, found->found->role, std::move(cookie)};
}

std::optional<response> refusal_of(const call& c, const console_person& who, console_permission needed) {
  if (may(who.role, needed)) return std::nullopt;
  log::warn("console_refused", {{"request_id", c.in.request_id},
                                {"from", c.in.remote_address},
                                {"operator", who.name},
                                {"role", to_string(who.role)},
                                {"path", c.in.path}});
  return error_page(page_error::not_permitted);
}

console_frame frame_of_console(const call& c, const console_person& who) {
  console_frame frame;
  frame.node = c.here.shared.nodes.name();
  frame.csrf = csrf_token(c.here.shared.form_key, who.cookie, console_form_name);
  frame.user = who.name;
  frame.role = who.role;
  return frame;
}

}  // namespace gateway::http
