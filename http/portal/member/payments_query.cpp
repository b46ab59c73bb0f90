#include "payments_query.hpp"

#include "http/call/call.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_search = 255;  ///< bytes: the longest reference

}  // namespace

payments_query read_payments_query(const call& c) {
  const auto query = query_of(c.in);
  payments_query wanted;
  if (parameter(query, "zone") == utc_days) wanted.zone = utc_days;
  const auto& zone = wanted.zone.empty() ? c.visit->person.who.time_zone : wanted.zone;
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
  filter.from = filter_day(wanted.from, zone);
  filter.until = filter_day(wanted.until, zone, 1);
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

payment_position position_of(const payment& last) { return {last.created_at, last.key.id}; }

std::string cursor_of(const payment_position& last) {
  return make_cursor(to_unix_ms(last.created_at), last.payment_id);
}

}  // namespace gateway::http
