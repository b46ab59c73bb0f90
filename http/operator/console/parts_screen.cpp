#include "parts_screen.hpp"

#include <utility>
#include <variant>

#include "console_commands.hpp"
#include "console_pages.hpp"
#include "console_person.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/payment_records.hpp"
#include "gateway/domain/shown_money.hpp"
#include "http/call/call.hpp"
#include "http/html/page.hpp"
#include "http/html/qr_code.hpp"
#include "http/html/shown_time.hpp"
#include "http/portal/member/connections_view.hpp"
#include "http/portal/member/delivery_table.hpp"
#include "http/portal/member/destinations_view.hpp"
#include "http/portal/member/dispute_table.hpp"
#include "http/portal/member/payment_view.hpp"
#include "http/portal/member/subscriptions_view.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

constexpr std::string_view parts_path = "/console/parts";
const std::string long_id = "pay_" + std::string(60, '0') + "1042";

link to_parts(std::string text) { return {std::move(text), std::string{parts_path}}; }
shown_time some_time() { return show_time(time_point{std::chrono::hours{24 * 366 * 57}}, "Asia/Hong_Kong"); }
std::string some_amount(std::int64_t minor) { return amount_text({minor, *currency::parse("HKD")}); }

/// A form that posts to the page.
act_form parts_form(const std::string& csrf, std::string id) {
  act_form form;
  form.id = std::move(id);
  form.csrf = csrf;
  return form;
}

section buttons_part(const std::string& csrf) {
  auto several = parts_form(csrf, "several");
  several.buttons = {{"first", "The primary button", true}, {"second", "Another"}};
  several.links = {to_parts("A link beside them")};
  auto folded = parts_form(csrf, "folded");
  folded.folded = "A folded form: unfold it";
  folded.buttons.push_back({"unfold", "Inside the fold"});
  return {"buttons",
          "Buttons",
          {std::move(several), one_button(csrf, "alone", "A button alone", "of the parts", {}), std::move(folded)}};
}

/// A badge for each value of an enumeration, made by the function that the pages use.
template <class Enum, class Badge>
std::vector<pieces> row_of_badges(std::string of, std::size_t count, Badge badge_of) {
  pieces all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(badge_of(static_cast<Enum>(i)));
  return {{std::move(of)}, std::move(all)};
}

section badges_part() {
  table all{"Badges", {{"Of"}, {"In each state"}}, {}};
  all.rows.push_back(row_of_badges<tone>("A tone", 4, [](tone how) {
    constexpr std::string_view names[] = {"Neutral", "Good", "Waiting", "Bad"};
    return badge{std::string{names[static_cast<std::size_t>(how)]}, how};
  }));
  all.rows.push_back(row_of_badges<payment_state>("A payment", enum_count<payment_state>,
                                                  [](payment_state state) { return payment_badge(to_string(state)); }));
  all.rows.push_back(row_of_badges<dispute_status>("A dispute", enum_count<dispute_status>, dispute_badge));
  all.rows.push_back(
      row_of_badges<subscription_status>("A subscription", enum_count<subscription_status>, subscription_badge));
  all.rows.push_back(row_of_badges<destination_condition>(
      "A destination", static_cast<std::size_t>(destination_condition::deleted) + 1, destination_badge));
  all.rows.push_back(row_of_badges<delivery_status>("A delivery", enum_count<delivery_status>, delivery_badge));
  all.rows.push_back(row_of_badges<connection_status>("A connection", enum_count<connection_status>, connection_badge));
  return {"badges", "Badges", {std::move(all)}};
}

section notices_part() {
  return {"notices",
          "Notices",
          {callout{tone::neutral, "Something to know", "A sentence that says more."},
           callout{tone::good, "Something has succeeded", {}},
           callout{tone::waiting, "Something waits", "It says for whom, and since when."},
           callout{tone::bad, "Something is wrong", "It says what to do about it."}}};
}

section tables_part(const std::string& csrf) {
  table rows{"Rows", {{"Name"}, {"Amount", true}, {"State"}, {"What it is"}, {"At"}, {"Actions"}}, {}};
  rows.rows = {{{to_parts("A link"), code{long_id}},
                {some_amount(123456789)},
                {badge{"Good", tone::good}},
                {described{"Two words", "and what they mean, at some length"}},
                {some_time()},
                {one_button(csrf, "row", "Act", "on the first row", {})}},
               {{std::string{"Plain text"}},
                {some_amount(0)},
                {badge{"Failed", tone::bad}},
                {std::string{"A first value"}, std::string{"and one below it"}},
                {},
                {}}};
  table brief{
      "Rows of one line", {{"Payment"}, {"Amount", true}, {"Customer"}, {"State"}, {"Failure"}, {"Created"}}, {}, true};
  brief.rows = {{{to_parts(long_id)},
                 {some_amount(4200)},
                 {"Ada Wong, whose name is longer than the column of a narrow page"},
                 {payment_badge("captured")},
                 {},
                 {some_time()}},
                {{to_parts("pay_1")},
                 {some_amount(100)},
                 {"ada@lantern.example"},
                 {payment_badge("failed")},
                 {"The card was declined"},
                 {some_time()}}};
  return {"tables", "Tables", {std::move(rows), std::move(brief)}};
}

section tabs_part() {
  const std::string here{parts_path};
  return {"tabs",
          "Tabs and ways on",
          {tabs{"Tabs", {{"All", {}, here, true}, {"Captured", "1000+", here}, {"Failed", "12", here}}},
           pager{"Pages", {to_parts("Newest"), to_parts("Older"), to_parts("Download as CSV")}}}};
}

chart_group day_of_chart(int day, bool leads_on) {
  const auto number = std::to_string(day);
  chart_group group{number + " Nov 2026", day % 2 == 1 ? number : std::string{}, {}};
  for (const int size : {day * 7 % 11, day % 3, day % 2})
    group.values.push_back({static_cast<double>(size), some_amount(size * 1'000)});
  if (leads_on) group.url = parts_path;
  return group;
}

section charts_part() {
  section out{"charts",
              "Figures and charts",
              {figures{{{"Captured", some_amount(123456789), "12 % more than the 7 days before"},
                        {"Failed", "3", {}},
                        {"Success rate", "98.4 %", "the same as before"}}}}};
  for (const bool leads_on : {false, true}) {
    chart drawn;
    drawn.title = leads_on ? "A chart whose bars lead on" : "A chart";
    drawn.most = some_amount(10'000);
    drawn.series = {{"Captured", "captured"}, {"Refunded", "refunded"}, {"Failed", "failed"}};
    for (int day = 1; day <= 14; ++day) drawn.groups.push_back(day_of_chart(day, leads_on));
    out.blocks.push_back(std::move(drawn));
  }
  return out;
}

section values_part() {
  timeline line;
  for (const auto how : {tone::neutral, tone::good, tone::waiting, tone::bad})
    line.events.push_back({some_time(), "An event", how, {std::string{"What is known of it."}, code{long_id}}});
  return {"values",
          "Values",
          {facts{{{"A text", {std::string{"Some words"}}},
                  {"An id", {code{long_id}}},
                  {"A link", {to_parts("to this page")}},
                  {"A time", {some_time()}},
                  {"Several", {badge{"Active", tone::good}, described{"A name", "and its meaning"}}}}},
           paragraph{{std::string{"A paragraph: a sentence or two."}}},
           list{{{std::string{"An item of a list"}}, {to_parts("An item that leads on")}}}, std::move(line),
           secret{"A secret, shown once", {std::string(64, 'a')}},
           own_markup{qr_code("otpauth://totp/parts?secret=AAAA", "A code for an app"), "A drawing of the gateway"}}};
}

section empty_states_part() {
  return {"empty-states",
          "Empty states",
          {empty_state{"Nothing yet", "What appears here, and when.", to_parts("What to do first")},
           empty_state{"Nothing matches", "Ask for less.", {}}}};
}

constexpr std::pair<input_kind, std::string_view> text_inputs[] = {
    {input_kind::text, "Text"},         {input_kind::user_name, "Name of an account"},
    {input_kind::search, "Search"},     {input_kind::email, "E-mail address"},
    {input_kind::url, "URL"},           {input_kind::date, "Day"},
    {input_kind::decimal, "Amount"},    {input_kind::code, "Code"},
    {input_kind::password, "Password"}, {input_kind::new_password, "New password"},
    {input_kind::picture, "Picture"}};

/// A form with every kind of input. `fault` is shown at each of them; empty: none.
act_form form_with_inputs(const std::string& csrf, std::string id, const std::string& fault) {
  auto form = parts_form(csrf, std::move(id));
  for (const auto& [kind, label] : text_inputs) {
    // The server refuses a file where it expects none.
    if (kind == input_kind::picture && fault.empty()) continue;
    input one{kind, "input" + std::to_string(form.inputs.size()), std::string{label}, {}, {{}, fault}, {}};
    if (form.inputs.size() % 2 == 0) one.hint = "A hint says what is expected.";
    form.inputs.push_back(std::move(one));
  }
  for (const auto& [kind, label] : {std::pair{input_kind::choice, "A choice"},
                                    {input_kind::checks, "Boxes"},
                                    {input_kind::radios, "One of several"}}) {
    input one{kind, "input" + std::to_string(form.inputs.size()), label, "A hint.", {{}, fault}, {}};
    one.options = {{"a", "The first", "with its meaning", true}, {"b", "The second", {}, false}};
    form.inputs.push_back(std::move(one));
  }
  form.buttons.push_back({"send", "Send", true});
  return form;
}

section forms_part(const std::string& csrf) {
  auto refused = form_with_inputs(csrf, "refused", "This is what is wrong, and what to write instead.");
  refused.fault = "A fault of the whole form stands above its fields.";
  return {"forms", "Forms", {form_with_inputs(csrf, "fresh", {}), std::move(refused)}};
}

response parts_page(const call& c, const console_person& who) {
  auto frame = frame_of_console(c, who);
  frame.notice = "What was done stands here after an action.";
  frame.fault = "Why an action changed nothing stands here.";
  return console_page(frame, "Parts", parts_sections(frame.csrf));
}

}  // namespace

std::vector<section> parts_sections(const std::string& csrf) {
  return {buttons_part(csrf), badges_part(), notices_part(),   tabs_part(),        tables_part(csrf),
          charts_part(),      values_part(), forms_part(csrf), empty_states_part()};
}

boost::asio::awaitable<response> show_parts(call& c) {
  if (!c.here.shared.config.dev) co_return error_page(page_error::nothing_here);
  auto finding = find_console_person(c);
  const auto who = co_await std::move(finding);
  if (!who) co_return redirect_to(std::string{console_sign_in_path});
  co_return parts_page(c, *who);
}

boost::asio::awaitable<response> act_on_parts(call& c) {
  if (!c.here.shared.config.dev) co_return error_page(page_error::nothing_here);
  auto admitting = admit_console_form(c);
  auto admitted = co_await std::move(admitting);
  if (auto* page = std::get_if<response>(&admitted)) co_return std::move(*page);
  auto page = parts_page(c, std::get<console_post>(admitted).who);
  page.status = row_of(page_error::refused_form).status;
  co_return page;
}

}  // namespace gateway::http
