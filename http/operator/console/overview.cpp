#include "overview.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <variant>

#include "console.hpp"
#include "gateway/domain/destination_health.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "overview_sections.hpp"

namespace gateway::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_looked_at = 200;  ///< payments per time span
constexpr std::size_t most_unknown_shown = 25;
constexpr std::size_t most_destinations_shown = 50;
constexpr std::uint32_t most_failed_shown = 20;
constexpr auto late_after = 1min;  ///< a delivery due for longer is considered late, not just queued

blocks::section unanswered(std::string id, std::string title) {
  blocks::callout words{blocks::tone::bad, "This could not be looked up", "The database does not answer."};
  return {std::move(id), std::move(title), {std::move(words)}};
}

boost::asio::awaitable<blocks::section> show_console_nodes(worker& here, std::string csrf) {
  const auto& own = here.shared.nodes;
  nodes_view view{own.name(), own.lease_left(), {}};
  if (here.shared.keeper) {
    auto asking = ask(here, list_nodes{});
    auto found = co_await std::move(asking);
    if (!found) co_return unanswered("nodes", "Nodes");
    view.nodes = std::move(found->nodes);
  }
  co_return nodes_section(view, csrf);
}

/// Whether the outcome is unknown. It is not while a new operation may still get its first answer.
bool is_unknown(const payment& what, time_point now, std::chrono::milliseconds provider_timeout) {
  return what.open && (what.open->answered || what.open->asked > 0 || what.open->begun_at + provider_timeout < now);
}

boost::asio::awaitable<blocks::section> show_unknown(worker& here) {
  const auto& config = here.shared.config;
  const auto now = here.shared.clock.now();
  // Operations under way are due soon after they begin; those with an unknown outcome are overdue, or due later. The
  // three spans are read separately, so that many operations under way cannot fill the limit and hide the others.
  const auto soon = now + config.reconcile_first + config.provider_timeout;
  const std::pair<time_point, time_point> spans[] = {
      {time_point::min(), now}, {now, soon}, {soon, now + config.reconcile_longest + 24h}};
  unknown_view view;
  for (const auto& [after, until] : spans) {
    find_due query{until, most_looked_at, true, after};
    auto asking = ask(here, query);
    const auto due = co_await std::move(asking);
    if (!due) co_return unanswered("unknown", "Payments whose outcome is unknown");
    for (const auto& key : due->keys) {
      if (key.kind != entity_kind::payment) continue;
      find_entity one{key};
      auto looking = ask(here, std::move(one));
      const auto found = co_await std::move(looking);
      if (!found) co_return unanswered("unknown", "Payments whose outcome is unknown");
      const auto* row = found->found ? std::get_if<payment_ptr>(&*found->found) : nullptr;
      if (row && is_unknown(**row, now, config.provider_timeout)) view.oldest.push_back(*row);
    }
    view.more = view.more || due->keys.size() >= most_looked_at;
  }
  view.count = view.oldest.size();
  std::ranges::sort(view.oldest, {}, [](const payment_ptr& each) { return each->open->begun_at; });
  if (view.oldest.size() > most_unknown_shown) view.oldest.resize(most_unknown_shown);
  co_return unknown_section(view);
}

boost::asio::awaitable<blocks::section> show_troubled(worker& here, std::map<std::string, int> breakers,
                                                      std::string csrf) {
  auto asking = ask(here, find_backlog{});
  auto backlog = co_await std::move(asking);
  if (!backlog) co_return unanswered("destinations", "Destinations in trouble");
  auto& waiting = backlog->destinations;
  std::ranges::sort(waiting, std::greater{}, &destination_backlog::pending);
  const auto late = here.shared.clock.now() - late_after;
  std::vector<destination_in_trouble> view;
  std::size_t left_out = 0;
  for (const auto& each : waiting) {
    auto making = make_known(here, directory_name{directory_name::kind::destination, each.to.value});
    // Without its directory entry, a disabled destination would look healthy and be left out.
    if (co_await std::move(making)) co_return unanswered("destinations", "Destinations in trouble");
    destination_in_trouble row;
    row.id = each.to;
    row.pending = each.pending;
    row.next_attempt_at = each.next_attempt_at;
    if (const auto at = breakers.find(each.to.value); at != breakers.end()) row.breaker = at->second;
    if (const auto known = here.shared.merchants.find_destination(each.to)) {
      row.url = known->what.url;
      row.owner = known->what.owner;
      row.disabled = known->what.status == destination_status::disabled;
      row.disabled_reason = known->what.disabled_reason;
    }
    if (!row.disabled && row.breaker == 0 && each.next_attempt_at > late) continue;
    if (view.size() < most_destinations_shown && row.next_attempt_at && !row.owner.empty()) {
      find_destination_health query{row.owner, each.to};
      auto looking = ask(here, std::move(query));
      const auto health = co_await std::move(looking);
      if (!health) co_return unanswered("destinations", "Destinations in trouble");
      const auto known = health->of.empty() ? destination_health{} : health->of.front();
      row.next_attempt_at = next_attempt(known, *row.next_attempt_at, here.shared.clock.now());
    }
    if (view.size() < most_destinations_shown)
      view.push_back(std::move(row));
    else
      ++left_out;
  }
  co_return destinations_section(view, left_out, csrf);
}

boost::asio::awaitable<blocks::section> show_failed(worker& here, std::string csrf) {
  find_deliveries query;
  query.status = delivery_status::failed;
  query.limit = most_failed_shown;
  auto asking = ask(here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return unanswered("failed", "Failed deliveries");
  co_return failed_deliveries_section(found->jobs, csrf);
}

}  // namespace

boost::asio::awaitable<std::vector<blocks::section>> read_overview(worker& here, std::string csrf) {
  std::vector<blocks::section> out;
  const auto sample = take_sample(here.shared.meters, std::chrono::steady_clock::now());
  const auto now = here.shared.console->traffic.look(sample);
  out.push_back(load_section(now));
  out.push_back(providers_section(now));
  auto nodes = show_console_nodes(here, csrf);
  auto nodes_shown = co_await std::move(nodes);
  out.push_back(std::move(nodes_shown));
  auto unknown = show_unknown(here);
  auto unknown_shown = co_await std::move(unknown);
  out.push_back(std::move(unknown_shown));
  auto troubled = show_troubled(here, sample.breakers, csrf);
  auto troubled_shown = co_await std::move(troubled);
  out.push_back(std::move(troubled_shown));
  auto failed = show_failed(here, csrf);
  auto failed_shown = co_await std::move(failed);
  out.push_back(std::move(failed_shown));
  co_return out;
}

}  // namespace gateway::http
