#include "operators_screen.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console_commands.hpp"
#include "console_pages.hpp"
#include "console_person.hpp"
#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/json_body.hpp"
#include "http/codec/json_writer.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"

namespace gateway::http {
namespace {

struct operator_verb {
  std::string_view action;
  std::string_view path;
};
constexpr auto operator_verbs = std::to_array<operator_verb>({{"add", "/operator/operators/add"},
                                                              {"reset", "/operator/operators/reset"},
                                                              {"remove", "/operator/operators/remove"}});

std::string_view path_of_verb(std::string_view action) {
  for (const auto& each : operator_verbs)
    if (each.action == action) return each.path;
  return {};
}

std::string verb_body(const std::string& name, const std::string& role) {
  std::string text;
  {
    json_object body{text};
    body.text("name", name);
    body.text_if("role", role);
  }
  return text;
}

/// The page's state after a post.
struct operators_outcome {
  std::string notice{};
  std::string fault{};
  std::string link_for{};  ///< the operator of the new link
  std::string link{};
};

boost::asio::awaitable<response> operators_page_for(call& c, console_person who, operators_outcome after) {
  auto asking = ask(c.here, find_operators{});
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  auto frame = frame_of_console(c, who);
  frame.at_operators = true;
  frame.notice = std::move(after.notice);
  frame.fault = std::move(after.fault);
  const operators_view view{frame.csrf, found->operators, who.name, after.link_for, after.link};
  co_return console_page(frame, "Operators", operators_sections(view));
}

/// Sends the command, and reads the new link from its answer.
boost::asio::awaitable<operators_outcome> change_operators(call& c, console_person who, std::string action,
                                                           std::string name, std::string role) {
  auto sending = send_console_command(c, who.name, path_of_verb(action), verb_body(name, role));
  const auto answer = co_await std::move(sending);
  const auto depth = c.here.shared.config.http.json_depth;
  operators_outcome after;
  if (answer.sent_status() != status::ok) {
    after.fault = words_of_error(answer, depth);
    co_return after;
  }
  if (action == "remove") {
    after.notice = name + " is removed.";
    co_return after;
  }
  auto body = parse_object(answer.sent_body(), depth);
  if (auto* object = std::get_if<simdjson::dom::object>(&body))
    after.link = field_reader{*object}.free_text("setup_url");
  after.link_for = name;
  after.notice = action == "add" ? name + " is added." : name + " has to set a new password and second factor.";
  co_return after;
}

}  // namespace

boost::asio::awaitable<response> show_operators(call& c) {
  auto finding = find_console_person(c);
  auto who = co_await std::move(finding);
  if (!who) co_return redirect_to(std::string{console_sign_in_path});
  if (auto refusal = refusal_of(c, *who, console_permission::manage_operators)) co_return *std::move(refusal);
  auto showing = operators_page_for(c, *std::move(who), {});
  co_return co_await std::move(showing);
}

boost::asio::awaitable<response> act_on_operators(call& c) {
  auto admitting = admit_console_form(c);
  auto admitted = co_await std::move(admitting);
  if (auto* page = std::get_if<response>(&admitted)) co_return std::move(*page);
  auto& posted = std::get<console_post>(admitted);
  if (auto refusal = refusal_of(c, posted.who, console_permission::manage_operators)) co_return *std::move(refusal);
  const auto action = posted.sent.text("action");
  if (path_of_verb(action).empty()) co_return error_page(page_error::malformed_form);
  std::string name{trimmed(posted.sent.text("name"))};
  operators_outcome after;
  if (action == "remove" && operator_key_of(name) == operator_key_of(posted.who.name)) {
    after.fault = "You cannot remove yourself. Another admin can, or gatewayctl.";
  } else {
    auto changing =
        change_operators(c, posted.who, action, name, action == "add" ? posted.sent.text("role") : std::string{});
    after = co_await std::move(changing);
  }
  const bool refused = !after.fault.empty();
  auto showing = operators_page_for(c, posted.who, std::move(after));
  auto page = co_await std::move(showing);
  if (refused && page.status == status::ok) page.status = row_of(page_error::refused_form).status;
  co_return page;
}

}  // namespace gateway::http
