#include <utility>

#include "gateway/domain/provider_kind.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/html/shown_money.hpp"
#include "http/portal/member_page.hpp"
#include "payments_query.hpp"
#include "payments_view.hpp"

namespace gateway::http {
namespace {

payment_row row_of_payment(const call& c, const payment& each) {
  payment_row row;
  row.payment_id = each.key.id;
  row.state = to_string(each.state);
  row.amount = amount_text(each.amount);
  row.description = each.details.description;
  row.created_at = shown(c, each.created_at);
  if (each.hides_provider) return row;
  row.provider = traits_of(each.provider).display_name;
  row.provider_ref = each.provider_ref;
  return row;
}

}  // namespace

boost::asio::awaitable<response> show_payments(call& c) {
  auto wanted = read_payments_query(c);
  payments_view view;
  view.frame = frame_of(c, member_place::payments);
  view.q.value = wanted.q;
  view.state = wanted.state;
  view.from = wanted.from;
  view.until = wanted.until;
  view.currency = wanted.currency;
  view.at_newest = !wanted.filter.before;
  if (wanted.is_faulty()) co_return refused_form(payments_page(view));

  if (!wanted.q.empty()) {
    auto searching = search_payments(c, wanted.q);
    const auto found = co_await std::move(searching);
    if (!found) co_return error_page(page_error::busy);
    for (const auto& each : *found) view.rows.push_back(row_of_payment(c, *each));
    co_return payments_page(view);
  }
  auto asking = ask(c.here, std::move(wanted.filter));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  for (const auto& each : found->payments) view.rows.push_back(row_of_payment(c, *each));
  if (found->more) view.older = cursor_of(*found->payments.back());
  co_return payments_page(view);
}

}  // namespace gateway::http
