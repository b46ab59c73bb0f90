#include <algorithm>
#include <chrono>
#include <utility>

#include "destinations.hpp"
#include "disputes.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/shown_money.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"
#include "overview_totals.hpp"
#include "overview_view.hpp"

namespace gateway::http {
namespace {

constexpr int usual_period = 14;
constexpr std::size_t disputes_shown = 5;

/// The period in the query's `days`; an unknown one gives the usual period.
overview_period period_of(const call& c) {
  const auto wished = parameter(query_of(c.in), "days");
  overview_period period{std::chrono::floor<std::chrono::days>(c.here.shared.clock.now()), usual_period};
  for (const int days : overview_periods)
    if (wished == std::to_string(days)) period.days = days;
  return period;
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
  const auto period = period_of(c);
  find_daily_totals query{who.id, c.visit->env, period.before(), period.today + std::chrono::days{1}};
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  overview_view view;
  view.frame = frame_of(c, member_place::overview);
  view.is_zoned = view.frame.zone != "UTC";
  fill_totals(view, found->totals, period, parameter(query_of(c.in), "currency"));

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
