#include "payments_query.hpp"

#include <utility>

#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/html/shown_time.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_search = 255;  ///< bytes: the longest reference

}  // namespace

payments_query read_payments_query(const call& c) {
  const auto query = query_of(c.in);
  const auto& zone = c.visit->person.who.time_zone;
  payments_query wanted;
  wanted.q = parameter(query, "q").substr(0, most_search);
  wanted.state = parameter(query, "state");
  wanted.from.value = parameter(query, "from");
  wanted.until.value = parameter(query, "until");
  wanted.currency.value = parameter(query, "currency");

  auto& filter = wanted.filter;
  filter.merchant = c.visit->who->id;
  filter.env = c.visit->env;
  filter.limit = rows_of_a_page;
  filter.state = parse_payment_state(wanted.state);
  if (!wanted.from.value.empty()) {
    filter.from = read_day(wanted.from.value, zone);
    if (!filter.from) wanted.from.fault = "Write a day as 2026-11-24.";
  }
  if (!wanted.until.value.empty()) {
    filter.until = read_day(wanted.until.value, zone, 1);
    if (!filter.until) wanted.until.fault = "Write a day as 2026-11-24.";
  }
  if (!wanted.currency.value.empty()) {
    const auto unit = currency::parse(wanted.currency.value);
    if (unit)
      filter.currency = unit->code();
    else
      wanted.currency.fault = "Write a currency as EUR.";
  }
  if (const auto at = read_cursor(parameter(query, "cursor"))) filter.before = {from_unix_ms(at->first), at->second};
  return wanted;
}

boost::asio::awaitable<std::optional<std::vector<payment_ptr>>> search_payments(call& c, std::string q) {
  std::vector<payment_ptr> found;
  if (is_payment_id(q)) {
    entity_request wanted{payment_key(c.visit->who->id, c.visit->env, payment_id{q}), std::nullopt,
                          common_command{view_entity{}}};
    auto asking = ask(c, std::move(wanted));
    const auto reply = co_await std::move(asking);
    if (!reply || is_unread(*reply)) co_return std::nullopt;
    if (const auto* row = std::get_if<entity_row>(&reply->what))
      if (const auto* one = std::get_if<payment_ptr>(row)) found.push_back(*one);
  }
  if (found.empty() && c.visit->who->kind != merchant_kind::wallet) {
    find_payments_by_ref query{c.visit->who->id, c.visit->env, q};
    auto asking = ask(c.here, std::move(query));
    const auto reply = co_await std::move(asking);
    if (!reply) co_return std::nullopt;
    found = reply->payments;
  }
  co_return found;
}

payment_position position_of(const payment& last) { return {last.created_at, last.key.id}; }

std::string cursor_of(const payment& last) { return make_cursor(to_unix_ms(last.created_at), last.key.id); }

}  // namespace gateway::http
