#include <utility>

#include "gateway/domain/shown_money.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "payment_facts.hpp"
#include "payment_search.hpp"
#include "payments_query.hpp"
#include "payments_view.hpp"

namespace gateway::http {
namespace {

payment_row row_of_payment(const call& c, const payment& each) {
  payment_row row;
  row.payment_id = each.key.id;
  row.state = to_string(each.state);
  row.amount = amount_text(each.amount);
  row.customer = customer_of_payment(each);
  if (each.error) row.failure = words_of_code((each.hides_provider ? neutral_error(*each.error) : *each.error).code);
  row.created_at = shown_minute(c, each.created_at);
  return row;
}

/// The tabs; nullopt if the store does not answer.
boost::asio::awaitable<std::optional<std::vector<payment_tab>>> count_tabs(call& c, count_payments query) {
  auto asking = ask(c.here, std::move(query));
  const auto counted = co_await std::move(asking);
  if (!counted) co_return std::nullopt;
  std::vector<payment_tab> tabs;
  for (std::size_t i = 0; i < counted->by_state.size(); ++i) {
    const auto& of = counted->by_state[i];
    auto count = std::to_string(of.payments);
    if (of.more) count += '+';
    tabs.push_back({std::string{to_string(static_cast<payment_state>(i))}, std::move(count)});
  }
  co_return tabs;
}

std::string sentence_about(const call& c, const payments_found& found) {
  if (found.by_name) return "Found by its id or its reference at the provider; the filter does not apply.";
  constexpr std::string_view fields =
      " by amount, customer, e-mail address, description, metadata and id, without regard to case";
  auto text = "Searched " + std::to_string(found.searched) + (found.searched == 1 ? " payment" : " payments");
  text.append(fields);
  if (found.complete) return text + ": the rest of this list.";
  text += ", back to " + shown_minute(c, found.last->created_at).text;
  return text + ". The link Older searches further back.";
}

boost::asio::awaitable<response> show_found(call& c, payments_view view, payments_query wanted) {
  auto searching = search_payments(c, std::move(wanted.q), std::move(wanted.filter));
  const auto found = co_await std::move(searching);
  if (!found) co_return error_page(page_error::busy);
  for (const auto& each : found->payments) view.rows.push_back(row_of_payment(c, *each));
  view.searched = sentence_about(c, *found);
  if (!found->complete && found->last) view.older = cursor_of(*found->last);
  co_return payments_page(view);
}

}  // namespace

boost::asio::awaitable<response> show_payments(call& c) {
  auto wanted = read_payments_query(c);
  payments_view view;
  view.frame = frame_of(c, member_place::payments);
  view.q.value = wanted.q;
  if (wanted.has_unknown_state())
    view.frame.fault = ignored_filter("state", wanted.state);
  else
    view.state = wanted.state;
  view.from = wanted.from;
  view.until = wanted.until;
  view.currency = wanted.currency;
  view.zone = wanted.zone;
  view.at_newest = !wanted.filter.before;
  if (wanted.filter.before) view.cursor = cursor_of(*wanted.filter.before);
  if (wanted.is_faulty()) co_return refused_form(payments_page(view));

  const auto& filter = wanted.filter;
  auto counting = count_tabs(c, {filter.merchant, filter.env, filter.currency, filter.from, filter.until});
  auto tabs = co_await std::move(counting);
  if (!tabs) co_return error_page(page_error::busy);
  view.tabs = *std::move(tabs);
  if (!wanted.q.empty()) {
    auto showing = show_found(c, std::move(view), std::move(wanted));
    co_return co_await std::move(showing);
  }
  auto asking = ask(c.here, std::move(wanted.filter));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  for (const auto& each : found->payments) view.rows.push_back(row_of_payment(c, *each));
  if (found->more) view.older = cursor_of(position_of(*found->payments.back()));
  co_return payments_page(view);
}

}  // namespace gateway::http
