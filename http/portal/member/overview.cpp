#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "destinations.hpp"
#include "disputes.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/html/shown_money.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/member_page.hpp"
#include "overview_view.hpp"

namespace gateway::http {
namespace {

constexpr int days_shown = 14;
constexpr std::size_t disputes_shown = 5;

struct day_names {
  std::string name;        ///< `24 November`
  std::string short_name;  ///< `24`
};

day_names names_of_day(std::chrono::sys_days day) {
  constexpr std::array<std::string_view, 12> months{"January",   "February", "March",    "April",
                                                    "May",       "June",     "July",     "August",
                                                    "September", "October",  "November", "December"};
  const std::chrono::year_month_day date{day};
  auto number = std::to_string(static_cast<unsigned>(date.day()));
  auto name = number + ' ' + std::string{months.at(static_cast<unsigned>(date.month()) - 1)};
  return {std::move(name), std::move(number)};
}

day_total& total_of(overview_day& day, daily_counter what) {
  return what == daily_counter::captured ? day.captured : what == daily_counter::refunded ? day.refunded : day.failed;
}

void add_to(day_total& total, const daily_total& added, const currency& unit) {
  total.minor += added.amount.minor;
  total.count += static_cast<std::uint64_t>(added.count);
  total.amount = amount_text({total.minor, unit});
}

overview_currency empty_currency(const currency& unit, std::chrono::sys_days first) {
  overview_currency all;
  all.currency = unit.code();
  const day_total none{0, 0, amount_text({0, unit})};
  all.captured = all.refunded = all.failed = none;
  for (int i = 0; i < days_shown; ++i) {
    auto names = names_of_day(first + std::chrono::days{i});
    all.days.push_back({std::move(names.name), std::move(names.short_name), none, none, none});
  }
  return all;
}

std::vector<overview_currency> by_currency(const std::vector<daily_total>& totals, std::chrono::sys_days first) {
  std::map<std::string, overview_currency, std::less<>> all;
  for (const auto& each : totals) {
    if (each.what == daily_counter::authorized) continue;
    const auto& unit = each.amount.unit;
    auto& mine = all.try_emplace(std::string{unit.code()}, empty_currency(unit, first)).first->second;
    const auto at = static_cast<std::size_t>((each.day - first).count());
    add_to(total_of(mine.days.at(at), each.what), each, unit);
    add_to(each.what == daily_counter::captured   ? mine.captured
           : each.what == daily_counter::refunded ? mine.refunded
                                                  : mine.failed,
           each, unit);
  }
  std::vector<overview_currency> list;
  list.reserve(all.size());
  for (auto& [code, each] : all) list.push_back(std::move(each));
  return list;
}

void tell_success(overview_view& view, const std::vector<daily_total>& totals) {
  std::uint64_t good = 0;
  for (const auto& each : totals) {
    const auto count = static_cast<std::uint64_t>(each.count);
    if (each.what == daily_counter::authorized) good += count;
    if (each.what == daily_counter::authorized || each.what == daily_counter::failed) view.decided += count;
  }
  if (view.decided == 0) return;
  // Rounded down, so that 100 % means all.
  const auto tenths = good * 1'000 / view.decided;
  view.success_rate = std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " %";
}

void tell_disputes(const call& c, overview_view& view, const std::vector<dispute_of_payment>& open) {
  view.open_disputes = open.size();
  for (const auto& each : open) {
    if (view.disputes.size() == disputes_shown) return;
    view.disputes.push_back({each.of->key.id, amount_text({each.what.amount, each.of->amount.unit}), each.what.status,
                             shown_day(c, each.what.evidence_due_by).text});
  }
}

}  // namespace

boost::asio::awaitable<response> go_to_overview(call& c) {
  co_return redirect_to(page_address(c.here.shared, *c.visit, {}));
}

boost::asio::awaitable<response> show_overview(call& c) {
  const auto& who = *c.visit->who;
  const auto today = std::chrono::floor<std::chrono::days>(c.here.shared.clock.now());
  const auto first = today - std::chrono::days{days_shown - 1};
  find_daily_totals query{who.id, c.visit->env, first, today + std::chrono::days{1}};
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  overview_view view;
  view.frame = frame_of(c, member_place::overview);
  view.period = "the last 14 days";
  view.currencies = by_currency(found->totals, first);
  tell_success(view, found->totals);

  auto looking = read_open_disputes(c);
  const auto open = co_await std::move(looking);
  if (!open) co_return error_page(page_error::busy);
  tell_disputes(c, view, *open);
  for (const auto& each : who.connections) {
    if (each.env != c.visit->env) continue;
    if (each.status == connection_status::connected) view.charges = true;
    const auto& row = traits_of(each.provider);
    if (each.status == connection_status::unavailable || each.status == connection_status::in_progress)
      view.connections.push_back({std::string{row.wallet ? "Wallet" : row.display_name}, each.status});
  }
  auto judging = read_health(c);
  const auto health = co_await std::move(judging);
  if (!health) co_return error_page(page_error::busy);
  for (const auto& each : who.destinations) {
    if (each.env != c.visit->env) continue;
    auto counting = count_failed(c, each.id);
    const auto failed = co_await std::move(counting);
    if (!failed) co_return error_page(page_error::busy);
    const bool disabled = each.status == destination_status::disabled;
    const auto mine = health_of(*health, each);
    const bool troubled = is_in_trouble(mine, each, c.here.shared.clock.now());
    if (disabled || troubled || *failed > 0)
      view.destinations.push_back({each.id.value, each.name.empty() ? each.url : each.name, each.disabled_reason,
                                   disabled, *failed,
                                   troubled ? shown(c, failing_since(mine, each)).text : std::string{}});
  }
  auto reading = entries_of_merchant(c);
  const auto entries = co_await std::move(reading);
  if (const auto* page = std::get_if<response>(&entries)) co_return *page;
  view.has_keys = std::ranges::any_of(std::get<directory_lookup>(entries).keys, [&](const stored_key& each) {
    return !each.revoked && each.key.env == c.visit->env;
  });
  co_return overview_page(view);
}

}  // namespace gateway::http
