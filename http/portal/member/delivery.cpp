// The page of one delivery.
#include <utility>

#include "deliveries.hpp"
#include "delivery_view.hpp"
#include "destinations.hpp"
#include "gateway/directory/webhook_signature.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/encode_event.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"

namespace gateway::http {
namespace {

attempt_row row_of_attempt(const call& c, const delivery_attempt& made) {
  return {shown(c, made.at), words_of_result(made), made.result == attempt_result::delivered, made.took_ms,
          made.excerpt};
}

/// Quotes the text as one word of a shell command.
std::string quoted_for_shell(std::string_view text) {
  std::string word = "'";
  for (const char sign : text) {
    if (sign == '\'')
      word += R"('\'')";
    else
      word += sign;
  }
  return word += '\'';
}

std::string curl_of(const delivery_view& view) {
  std::string command = "curl -X POST " + quoted_for_shell(view.url);
  for (const auto& header : view.headers) command += " -H " + quoted_for_shell(header);
  return command += " --data-binary " + quoted_for_shell(view.body);
}

/// A viewer gets no signature, because a signed request could be sent as a new delivery, which the destination would
/// accept.
void tell_request(const call& c, delivery_view& view, const delivery_job& job, const destination& to) {
  view.url = to.url;
  view.body = make_event_encoder()->envelope(job.event, to.kind, c.visit->who->entity, job.row.partial);
  view.headers = {"Content-Type: application/json", "User-Agent: Service-Webhooks/1",
                  "X-Service-Delivery: " + std::to_string(job.row.id)};
  const auto endpoint = c.here.shared.merchants.find_destination(to.id);
  view.is_signed = c.visit->may_act() && endpoint && to.status != destination_status::deleted;
  if (view.is_signed) {
    const auto now = c.here.shared.clock.now();
    view.headers.push_back("X-Service-Signature: " + webhook_signature(*endpoint, view.body, now));
    for (const auto& [name, value] : standard_webhook_headers(*endpoint, job.event.id, view.body, now))
      view.headers.push_back(name + ": " + value);
  }
  view.curl = curl_of(view);
}

bool is_of_page(const call& c, const delivery& row) { return std::to_string(row.id) == c.path.id; }

}  // namespace

boost::asio::awaitable<response> show_delivery_of_member(call& c) {
  const auto number = delivery_number(std::string{c.path.id});
  if (!number) co_return error_page(page_error::nothing_here);
  find_deliveries query;
  query.id = *number;
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  if (found->jobs.empty()) co_return error_page(page_error::nothing_here);
  const auto& job = found->jobs.front();
  const bool own = job.row.subject.merchant == c.visit->who->id && job.row.subject.env == c.visit->env;
  const auto to = own ? own_destination(c, job.row.to) : std::nullopt;
  if (!to) co_return error_page(page_error::nothing_here);
  auto reading = read_health(c, to->id);
  const auto health = co_await std::move(reading);
  if (!health) co_return error_page(page_error::busy);

  delivery_view view;
  view.frame = frame_of(c, member_place::destinations);
  auto rows = delivery_rows(c, found->jobs, *health);
  if (rows.empty()) co_return error_page(page_error::nothing_here);
  view.of = std::move(rows.front());
  view.event_id = job.event.id;
  view.created_at = shown(c, job.event.created);
  if (job.row.last) view.attempts.push_back(row_of_attempt(c, *job.row.last));
  for (auto each = job.row.earlier.rbegin(); each != job.row.earlier.rend(); ++each)
    view.attempts.push_back(row_of_attempt(c, *each));
  tell_request(c, view, job, *to);
  co_return delivery_page(view);
}

boost::asio::awaitable<response> act_on_delivery(call& c) {
  if (c.visit->sent.text("action") == "redeliver") return redeliver_here(c, is_of_page);
  return unknown_action();
}

}  // namespace gateway::http
