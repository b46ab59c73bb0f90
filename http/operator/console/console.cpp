#include "console.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "console_acts.hpp"
#include "console_commands.hpp"
#include "console_pages.hpp"
#include "console_person.hpp"
#include "console_setup.hpp"
#include "console_sign_in.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/url.hpp"
#include "http/call/serve.hpp"
#include "http/errors.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "http/portal/page_forms.hpp"
#include "operators_screen.hpp"
#include "overview.hpp"
#include "parts_screen.hpp"
#include "search.hpp"

namespace gateway::http {
namespace {

/// The query parameter that names the completed act on the page shown afterwards.
constexpr std::string_view done_query = "done";

/// Executes the command. Returns why it failed, in words; nullopt on success.
boost::asio::awaitable<std::optional<std::string>> carry_out_act(call& c, console_act what, console_post posted) {
  auto sending = send_console_command(c, posted.who.name, what.path, command_body(what, posted.sent));
  const auto answer = co_await std::move(sending);
  log::info("console_action", {{"request_id", c.in.request_id},
                               {"from", c.in.remote_address},
                               {"operator", std::string_view{posted.who.name}},
                               {"action", what.action},
                               {std::string_view{what.field}, posted.sent.text(what.field)},
                               {"status", answer.sent_status()}});
  if (answer.sent_status() == status::ok) co_return std::nullopt;
  co_return words_of_error(answer, c.here.shared.config.http.json_depth);
}

// ---- pages ----------------------------------------------------------------------------------------

using console_view = boost::asio::awaitable<response> (*)(call&, console_frame);

boost::asio::awaitable<response> overview_screen(call& c, console_frame frame) {
  auto looking = read_overview(c.here, frame.csrf);
  auto sections = co_await std::move(looking);
  frame.at_overview = true;
  co_return console_page(frame, "Overview", std::move(sections));
}

boost::asio::awaitable<response> search_screen(call& c, console_frame frame) {
  frame.query = parameter(query_of(c.in), "q");
  auto looking = search_for(c.here, frame.query, frame.csrf);
  auto sections = co_await std::move(looking);
  if (sections.empty()) {
    blocks::empty_state nothing{"Nothing is found",
                                "Ids and providers' references are compared as a whole; of names and e-mail "
                                "addresses a part is enough.",
                                {}};
    sections.push_back({"nothing", {}, {std::move(nothing)}});
  }
  co_return console_page(frame, "What is known of " + frame.query, std::move(sections));
}

/// Redirects to the page, which then shows the result, so that a reload does not repeat the action.
response back_from(const call& c, const console_act& what) {
  auto url = std::string{c.in.path};
  char mark = '?';
  if (const auto looked_for = parameter(query_of(c.in), "q"); !looked_for.empty()) {
    url.append(1, mark).append("q=").append(percent_encoded(looked_for));
    mark = '&';
  }
  return redirect_to(url.append(1, mark).append(done_query).append("=").append(name_of_act(what)));
}

template <console_view Page>
boost::asio::awaitable<response> show_view(call& c) {
  auto finding = find_console_person(c);
  const auto who = co_await std::move(finding);
  if (!who) co_return redirect_to(std::string{console_sign_in_path});
  if (auto refusal = refusal_of(c, *who, console_permission::look)) co_return *std::move(refusal);
  auto frame = frame_of_console(c, *who);
  frame.notice = words_of_done_act(parameter(query_of(c.in), done_query));
  auto showing = Page(c, std::move(frame));
  co_return co_await std::move(showing);
}

/// Executes the act and redirects to the page. A refusal is shown without a redirect.
template <console_view Page>
boost::asio::awaitable<response> act_and_go_back(call& c) {
  auto admitting = admit_console_form(c);
  auto admitted = co_await std::move(admitting);
  if (auto* page = std::get_if<response>(&admitted)) co_return std::move(*page);
  const auto& posted = std::get<console_post>(admitted);
  const auto* what = act_of(posted.sent);
  if (!what) co_return error_page(page_error::malformed_form);
  if (auto refusal = refusal_of(c, posted.who, what->needs)) co_return *std::move(refusal);
  auto acting = carry_out_act(c, *what, posted);
  auto why_not_done = co_await std::move(acting);
  if (!why_not_done) co_return back_from(c, *what);
  auto frame = frame_of_console(c, posted.who);
  frame.fault = *std::move(why_not_done);
  auto showing = Page(c, std::move(frame));
  auto page = co_await std::move(showing);
  page.status = row_of(page_error::refused_form).status;
  co_return page;
}

constexpr auto console_table = std::to_array<endpoint>({
    {"GET", "/console", show_view<overview_screen>},
    {"POST", "/console", act_and_go_back<overview_screen>},
    {"GET", "/console/search", show_view<search_screen>},
    {"POST", "/console/search", act_and_go_back<search_screen>},
    {"GET", "/console/operators", show_operators},
    {"POST", "/console/operators", act_on_operators},
    {"GET", "/console/parts", show_parts},
    {"POST", "/console/parts", act_on_parts},
    {"GET", "/console/setup", show_console_setup},
    {"POST", "/console/setup", set_up_on_console},
    {"GET", "/console/sign-in", show_console_sign_in},
    {"POST", "/console/sign-in", sign_in_to_console},
    {"POST", "/console/sign-out", sign_out_of_console},
});

}  // namespace

bool is_for_console(const worker& here, const request& in) {
  return here.shared.console && (in.path == console_path || in.path.starts_with("/console/")) &&
         is_from_this_machine(in.remote_address);
}

/// An unknown address gets an error page with a link to the overview.
boost::asio::awaitable<response> handle_console(worker& here, request& in) {
  auto serving = serve(here, in, console_table);
  auto out = co_await std::move(serving);
  if (!out.error || out.error->code != error_code::not_found || out.route != response{}.route) co_return out;
  auto page = error_page(page_error::nothing_here);
  add_way_on(page, {std::string{console_path}, "Go to the overview"});
  co_return page;
}

}  // namespace gateway::http
