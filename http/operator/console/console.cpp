#include "console.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "console_pages.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "http/call/serve.hpp"
#include "http/codec/json_body.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "http/html/forms.hpp"
#include "http/operator/table.hpp"
#include "http/portal/page_forms.hpp"
#include "overview.hpp"
#include "search.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view before_sign_in = "console sign-in";
constexpr std::string_view console_form_name = "console";
constexpr std::string_view the_operator = "operator";  ///< the account name for counting wrong tokens

std::string cookie_of(const request& in) {
  return find_hex_cookie(in.cookie, console_cookie_name, console_cookie_digits).value_or(std::string{});
}

/// The cookie of a valid session; nothing if there is none.
std::optional<std::string> console_session(call& c) {
  auto cookie = cookie_of(c.in);
  if (cookie.empty() || !c.here.shared.console->access.use(cookie, std::chrono::steady_clock::now()))
    return std::nullopt;
  return cookie;
}

// ---- signing in and out ---------------------------------------------------------------------------

/// The cookie that the sign-in form's token is bound to. It does not authenticate.
response console_sign_in(const call& c, const std::string& fault) {
  auto cookie = cookie_of(c.in);
  const bool fresh = cookie.empty();
  if (fresh) cookie = crypto::random_hex(console_cookie_digits / 2);
  auto page = console_sign_in_page(csrf_token(c.here.shared.form_key, cookie, before_sign_in), fault);
  if (fresh) page.headers.emplace_back("Set-Cookie", console_cookie(cookie));
  return page;
}

response refused_token(const call& c, page_error why, const std::string& fault) {
  auto page = console_sign_in(c, fault);
  page.status = row_of(why).status;
  return page;
}

boost::asio::awaitable<response> show_console_sign_in(call& c) { co_return console_sign_in(c, {}); }

boost::asio::awaitable<response> sign_in_to_console(call& c) {
  auto& console = c.here.shared.console->access;
  const auto sent = read_form(c.in);
  if (!is_genuine(sent, c.here.shared.form_key, cookie_of(c.in), before_sign_in))
    co_return error_page(page_error::forged_form);
  const auto from = c.in.remote_address;
  if (const auto wait = console.throttle.begin(the_operator, from, std::chrono::steady_clock::now())) {
    auto page =
        refused_token(c, page_error::slowed_down, "Too many attempts have failed. Wait a while, or use gatewayctl.");
    page.headers.emplace_back("Retry-After", std::to_string(wait->count()));
    co_return page;
  }
  if (!console.is_token(sent.text("token"))) {
    log::warn("console_sign_in_refused", {{"request_id", c.in.request_id}, {"from", from}});
    co_return refused_token(c, page_error::refused_form, "This is not the operator token.");
  }
  console.throttle.passed(the_operator, from);
  log::info("console_sign_in", {{"request_id", c.in.request_id}, {"from", from}});
  auto out = redirect_to(std::string{console_path});
  out.headers.emplace_back("Set-Cookie", console_cookie(console.begin(std::chrono::steady_clock::now())));
  co_return out;
}

boost::asio::awaitable<response> sign_out_of_console(call& c) {
  const auto cookie = console_session(c);
  if (!cookie) co_return redirect_to(std::string{console_sign_in_path});
  if (!is_genuine(read_form(c.in), c.here.shared.form_key, *cookie, console_form_name))
    co_return error_page(page_error::forged_form);
  c.here.shared.console->access.end(*cookie);
  auto out = redirect_to(std::string{console_sign_in_path});
  out.headers.emplace_back("Set-Cookie", console_cookie({}));
  co_return out;
}

// ---- actions ---------------------------------------------------------------------------------------

/// A button's action: the operator's command, as gatewayctl sends it.
struct console_act {
  std::string_view action;
  std::string_view field;  ///< the form's field with the subject
  std::string_view path;
  std::string_view member;  ///< the command's member for the subject
  std::string_view done;    ///< the message after success
  std::string_view status = {};  ///< an additional member
};
constexpr auto console_acts = std::to_array<console_act>({
    {"redeliver", "delivery", "/operator/deliveries/redeliver", "id", "The delivery is attempted again."},
    {"redeliver", "destination", "/operator/deliveries/redeliver", "destination_id",
     "The destination's failed deliveries are attempted again."},
    {"disable", "destination", "/operator/destinations/disable", "destination_id", "The destination is disabled."},
    {"enable", "destination", "/operator/destinations/enable", "destination_id", "The destination is enabled."},
    {"suspend", "platform", "/operator/platforms/status", "platform_id", "The platform is suspended.", "suspended"},
    {"resume", "platform", "/operator/platforms/status", "platform_id", "The platform is active again.", "active"},
    {"drain", "node", "/operator/nodes/drain", "node", "The node was asked to drain."},
});

/// The query parameter that names the completed action on the page shown afterwards: `ACTION-FIELD`.
constexpr std::string_view done_query = "done";

std::string name_of_act(const console_act& what) { return std::string{what.action}.append("-").append(what.field); }

std::string words_of_done_act(std::string_view name) {
  for (const auto& each : console_acts)
    if (name_of_act(each) == name) return std::string{each.done};
  return {};
}

const console_act* act_of(const form& sent) {
  const auto action = sent.text("action");
  const auto at = std::ranges::find_if(
      console_acts, [&](const console_act& each) { return each.action == action && !sent.text(each.field).empty(); });
  return at == console_acts.end() ? nullptr : &*at;
}

std::string command_body(const console_act& what, const form& sent) {
  const auto subject = sent.text(what.field);
  using limits = std::numeric_limits<std::int64_t>;
  const auto number = what.field == "delivery" ? parse_whole(subject, limits::min(), limits::max()) : std::nullopt;
  std::string text;
  {
    json_object body{text};
    if (number)
      body.number(what.member, *number);
    else
      body.text(what.member, subject);
    body.text_if("status", what.status);
    if (what.action == "disable") body.text("reason", sent.has("reason") ? sent.text("reason") : "from the console");
  }
  return text;
}

/// The message in an error's body.
std::string words_of_error(const response& failed, std::size_t json_depth) {
  auto body = parse_object(failed.sent_body(), json_depth);
  auto* object = std::get_if<simdjson::dom::object>(&body);
  std::string words;
  if (object) words = field_reader{*object}.free_text("message");
  return words.empty() ? "It was not done." : words;
}

/// Executes the command. Returns why it failed, in words; nothing on success.
boost::asio::awaitable<std::optional<std::string>> carry_out_act(call& c, console_act what, form sent) {
  const auto body = command_body(what, sent);
  const auto subject = sent.text(what.field);
  request command;
  command.method = "POST";
  command.path = what.path;
  command.body = body;
  command.request_id = c.in.request_id;
  command.remote_address = c.in.remote_address;
  auto carrying = handle_operator(c.here, command);
  const auto answer = co_await std::move(carrying);
  log::info("console_action", {{"request_id", c.in.request_id},
                               {"from", c.in.remote_address},
                               {"action", what.action},
                               {std::string_view{what.field}, subject},
                               {"status", answer.sent_status()}});
  if (answer.sent_status() == status::ok) co_return std::nullopt;
  co_return words_of_error(answer, c.here.shared.config.http.json_depth);
}

// ---- pages ----------------------------------------------------------------------------------------

using console_view = boost::asio::awaitable<response> (*)(call&, console_frame);

boost::asio::awaitable<response> overview_screen(call& c, console_frame frame) {
  auto looking = read_overview(c.here, frame.csrf);
  const auto sections = co_await std::move(looking);
  frame.at_overview = true;
  co_return console_page(frame, "Overview", sections);
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
  co_return console_page(frame, "What is known of " + frame.query, sections);
}

console_frame frame_of(const call& c, const std::string& cookie) {
  console_frame frame;
  frame.node = c.here.shared.nodes.name();
  frame.csrf = csrf_token(c.here.shared.form_key, cookie, console_form_name);
  if (c.in.method == "GET") frame.notice = words_of_done_act(parameter(query_of(c.in), done_query));
  return frame;
}

/// Redirects to the page by GET, which then shows what was done, so that a reload does not repeat the action.
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
  const auto cookie = console_session(c);
  if (!cookie) co_return redirect_to(std::string{console_sign_in_path});
  auto showing = Page(c, frame_of(c, *cookie));
  co_return co_await std::move(showing);
}

/// Executes the action and redirects to the page. A refusal changed nothing, and is shown at once.
template <console_view Page>
boost::asio::awaitable<response> act_and_go_back(call& c) {
  const auto cookie = console_session(c);
  const auto sent = read_form(c.in);
  if (!cookie) {
    if (!carries_token(sent)) co_return error_page(page_error::forged_form);
    co_return redirect_to(std::string{console_sign_in_path});
  }
  if (!is_genuine(sent, c.here.shared.form_key, *cookie, console_form_name))
    co_return error_page(page_error::forged_form);
  const auto* what = act_of(sent);
  if (!what) co_return error_page(page_error::malformed_form);
  auto acting = carry_out_act(c, *what, sent);
  auto why_not_done = co_await std::move(acting);
  if (!why_not_done) co_return back_from(c, *what);
  auto frame = frame_of(c, *cookie);
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
    {"GET", "/console/sign-in", show_console_sign_in},
    {"POST", "/console/sign-in", sign_in_to_console},
    {"POST", "/console/sign-out", sign_out_of_console},
});

}  // namespace

bool is_for_console(const worker& here, const request& in) {
  return here.shared.console && here.shared.console->access.enabled() &&
         (in.path == console_path || in.path.starts_with("/console/")) && is_from_this_machine(in.remote_address);
}

boost::asio::awaitable<response> handle_console(worker& here, request& in) { return serve(here, in, console_table); }

}  // namespace gateway::http
