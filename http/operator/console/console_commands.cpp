#include "console_commands.hpp"

#include <utility>

#include "http/call/call.hpp"
#include "http/codec/json_body.hpp"
#include "http/html/page.hpp"
#include "http/operator/table.hpp"

namespace gateway::http {

boost::asio::awaitable<console_post_found> admit_console_form(call& c) {
  auto finding = find_console_person(c);
  auto who = co_await std::move(finding);
  auto sent = read_form(c.in);
  if (!who) {
    if (!carries_token(sent)) co_return error_page(page_error::forged_form);
    co_return redirect_to(std::string{console_sign_in_path});
  }
  if (!is_genuine(sent, c.here.shared.form_key, who->cookie, console_form_name))
    co_return error_page(page_error::forged_form);
  co_return console_post{*std::move(who), std::move(sent)};
}

boost::asio::awaitable<response> send_console_command(call& c, std::string name, std::string_view path,
                                                      std::string body) {
  request command;
  command.method = "POST";
  command.path = path;
  command.body = body;
  command.request_id = c.in.request_id;
  command.remote_address = c.in.remote_address;
  command.console_operator = name;
  auto carrying = handle_operator(c.here, command);
  co_return co_await std::move(carrying);
}

std::string words_of_error(const response& failed, std::size_t json_depth) {
  auto body = parse_object(failed.sent_body(), json_depth);
  auto* object = std::get_if<simdjson::dom::object>(&body);
  std::string words;
  if (object) words = field_reader{*object}.free_text("message");
  return words.empty() ? "It was not done." : words;
}

}  // namespace gateway::http
