#include "deliveries.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "destinations.hpp"
#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"

namespace gateway::http {
std::string words_of_result(const delivery_attempt& last) {
  switch (last.result) {
    case attempt_result::delivered:
    case attempt_result::rejected:
    case attempt_result::gone: return "Answered " + std::to_string(last.status);
    case attempt_result::answer_timeout: return "No answer in time";
    case attempt_result::connect_timeout: return "No connection in time";
    case attempt_result::unreachable: return "Cannot be reached";
    case attempt_result::tls_failed: return "Its certificate is not to be trusted";
    case attempt_result::forbidden_address: return "Leads to an address that nothing is sent to";
    case attempt_result::bad_answer: return "What answers speaks no HTTP";
  }
  return {};
}

std::optional<std::int64_t> delivery_number(const std::string& text) {
  return parse_whole(text, 1, std::numeric_limits<std::int64_t>::max());
}

bool has_pending(const std::vector<delivery_job>& jobs) {
  return std::ranges::any_of(jobs, [](const delivery_job& job) { return job.row.status == delivery_status::pending; });
}

std::vector<delivery_row> delivery_rows(const call& c, const std::vector<delivery_job>& jobs,
                                        const std::vector<destination_health>& health) {
  const auto now = c.here.shared.clock.now();
  std::vector<delivery_row> rows;
  for (const auto& job : jobs) {
    const auto to = own_destination(c, job.row.to);
    if (!to) continue;
    delivery_row row;
    row.delivery_id = std::to_string(job.row.id);
    row.event = job.event.type;
    // A test event belongs to no payment.
    if (job.row.subject.kind == entity_kind::payment && job.event.type != test_event_type)
      row.payment_id = job.row.subject.id;
    row.destination_id = job.row.to.value;
    row.url = to->name.empty() ? to->url : to->name;
    row.status = job.row.status;
    row.attempts = job.row.attempts;
    if (job.row.last) {
      row.last_result = words_of_result(*job.row.last);
      row.last_at = shown(c, job.row.last->at);
    }
    row.to = to->status;
    if (job.row.next_attempt_at && to->status == destination_status::enabled)
      row.next_at = shown(c, next_attempt(health_of(health, *to), *job.row.next_attempt_at, now));
    rows.push_back(std::move(row));
  }
  return rows;
}

boost::asio::awaitable<response> redeliver_here(call& c, bool (*belongs)(const call& c, const delivery& row)) {
  const auto number = delivery_number(c.visit->sent.text("delivery_id"));
  if (!number) co_return error_page(page_error::malformed_form);
  find_deliveries query;
  query.id = *number;
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  const auto* row = found->jobs.empty() ? nullptr : &found->jobs.front().row;
  const bool own =
      row && row->subject.merchant == c.visit->who->id && row->subject.env == c.visit->env && belongs(c, *row);
  const auto to = own ? own_destination(c, row->to) : std::nullopt;
  if (!to || to->status == destination_status::deleted) co_return error_page(page_error::nothing_here);

  auto noting = note_alone(c, note_of(c, "redeliver", std::to_string(*number)));
  const bool noted = co_await std::move(noting);
  if (!noted) co_return error_page(page_error::busy);
  redeliver command;
  command.id = *number;
  auto redelivering = ask(c.here, std::move(command));
  const auto done = co_await std::move(redelivering);
  if (!done || done->count == 0) co_return error_page(page_error::busy);
  co_return redirect_after_success(c, "redeliver");
}

}  // namespace gateway::http
