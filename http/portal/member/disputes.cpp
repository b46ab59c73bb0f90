#include "disputes.hpp"

#include <algorithm>
#include <utility>

#include "disputes_view.hpp"
#include "gateway/domain/shown_money.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

const dispute* found_dispute(const disputes_lookup::found& each) {
  const auto& all = each.of->records.disputes;
  const auto at = std::ranges::find(all, each.dispute_id, &dispute::id);
  return at == all.end() ? nullptr : &*at;
}

find_disputes query_for_disputes(const call& c) {
  find_disputes query;
  query.merchant = c.visit->who->id;
  query.env = c.visit->env;
  query.limit = rows_of_a_page;
  return query;
}

bool is_due_earlier(const dispute_of_payment& a, const dispute_of_payment& b) {
  const auto& [left, right] = std::pair{a.what.evidence_due_by, b.what.evidence_due_by};
  if (left && right) return *left < *right;
  return left.has_value() && !right;
}

}  // namespace

dispute_row row_of_dispute(const call& c, const payment& of, const dispute& each) {
  dispute_row row;
  row.dispute_id = each.id;
  row.payment_id = of.key.id;
  row.amount = amount_text({each.amount, of.amount.unit});
  row.reason = each.reason;
  row.status = each.status;
  row.evidence_due_by = shown_day(c, each.evidence_due_by);
  row.opened_at = shown(c, each.opened_at);
  row.closed_at = shown(c, each.closed_at);
  return row;
}

boost::asio::awaitable<std::optional<std::vector<dispute_of_payment>>> read_open_disputes(call& c) {
  std::vector<dispute_of_payment> all;
  for (const auto status : {dispute_status::needs_response, dispute_status::under_review, dispute_status::warning}) {
    auto query = query_for_disputes(c);
    query.status = status;
    for (std::size_t read = 0; read < most_open_disputes;) {
      auto page_query = query;
      auto asking = ask(c.here, std::move(page_query));
      const auto found = co_await std::move(asking);
      if (!found) co_return std::nullopt;
      const dispute* last = nullptr;
      for (const auto& each : found->disputes) {
        const auto* what = found_dispute(each);
        if (!what) continue;
        all.push_back({each.of, *what});
        last = what;
      }
      read += found->disputes.size();
      if (!found->more || !last) break;
      query.before = {last->opened_at, last->id};
    }
  }
  std::ranges::stable_sort(all, is_due_earlier);
  co_return all;
}

boost::asio::awaitable<response> show_disputes(call& c) {
  const auto parameters = query_of(c.in);
  disputes_view view;
  view.frame = frame_of(c, member_place::disputes);
  view.status = parameter(parameters, "status");
  auto query = query_for_disputes(c);
  query.status = parse_dispute_status(view.status);
  if (!query.status && !view.status.empty())
    view.frame.fault = ignored_filter("status", std::exchange(view.status, {}));
  if (const auto at = read_cursor(parameter(parameters, "cursor")))
    query.before = {from_unix_ms(at->first), at->second};
  view.at_newest = !query.before;
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  for (const auto& each : found->disputes) {
    const auto* what = found_dispute(each);
    if (!what) continue;
    view.rows.push_back(row_of_dispute(c, *each.of, *what));
    if (found->more) view.older = make_cursor(to_unix_ms(what->opened_at), what->id);
  }
  co_return disputes_page(view);
}

}  // namespace gateway::http
