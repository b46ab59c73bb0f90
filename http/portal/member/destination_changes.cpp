#include "destination_changes.hpp"

#include <utility>

#include "destination_screen.hpp"
#include "destinations.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/confirmation.hpp"
#include "http/portal/member_page.hpp"

namespace gateway::http {

boost::asio::awaitable<response> change_url_here(call& c, destination subject) {
  field typed{c.visit->sent.text("url"), {}};
  auto checking = fault_of_url(c, typed.value, subject.id);
  auto fault = co_await std::move(checking);
  if (!fault) co_return error_page(page_error::busy);
  typed.fault = *std::move(fault);
  if (typed.fault.empty()) {
    auto changing =
        change(c, change_destination_url{subject.id, typed.value}, note_of(c, "change destination", subject.id.value));
    auto made = co_await std::move(changing);
    if (auto* page = std::get_if<response>(&made)) co_return std::move(*page);
    const auto* why = std::get_if<operator_problem>(&std::get<operator_result>(made));
    if (!why) co_return redirect_after_success(c, "change");
    typed.fault = std::string{url_is_taken};  // another destination has got the URL since the check
  }
  auto refusing = destination_refused(c, {.url = std::move(typed)});
  co_return co_await std::move(refusing);
}

boost::asio::awaitable<response> rename_here(call& c, destination subject) {
  const auto name = c.visit->sent.text("name");
  const bool fits = count_characters(name) <= most_destination_name;
  auto doing = fits ? change_destination(c, name_destination{subject.id, name}, "rename")
                    : destination_refused(c, {.name = field{name, std::string{name_too_long}}});
  co_return co_await std::move(doing);
}

boost::asio::awaitable<response> delete_here(call& c, destination subject) {
  if (is_confirmed(c, "delete", subject.id.value)) {
    auto deleting = change_destination(c, delete_destination{subject.id}, "delete");
    co_return co_await std::move(deleting);
  }
  auto looking = read_waiting(c, subject.id);
  const auto waiting = co_await std::move(looking);
  if (!waiting) co_return error_page(page_error::busy);
  destination_row row;
  tell_waiting(c, row, *waiting);
  confirmation asked{.at = member_place::destinations, .verb = "delete", .object = subject.id.value};
  asked.title = "Delete this destination?";
  asked.consequence =
      "Nothing is sent there any more, and what waits for it is dropped. What was sent can still be read. It cannot be "
      "brought back: the same URL can be added again, with another secret.";
  asked.label = "Delete the destination";
  asked.back = {"Keep it", page_address(c.here.shared, *c.visit, "destinations/" + percent_encoded(subject.id.value))};
  add_fact(asked.shown, "Name", subject.name);
  asked.shown.rows.push_back({"URL", {blocks::code{subject.url}}});
  asked.shown.rows.push_back({"Waiting", {row.waiting.empty() ? "None" : row.waiting}});
  co_return confirmation_page(c, asked);
}

boost::asio::awaitable<response> redeliver_failed_here(call& c, destination subject) {
  auto noting = note_alone(c, note_of(c, "redeliver all failed", subject.id.value));
  const bool noted = co_await std::move(noting);
  if (!noted) co_return error_page(page_error::busy);
  redeliver command;
  command.to = subject.id;
  auto redelivering = ask(c.here, std::move(command));
  const auto done = co_await std::move(redelivering);
  if (!done) co_return error_page(page_error::busy);
  co_return redirect_after_success(c, "redeliver-failed");
}

}  // namespace gateway::http
