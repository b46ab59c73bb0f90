// The questions about the providers' lists of events.
#include <algorithm>
#include <set>
#include <tuple>

#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

event_lists_lookup memory_store::run(const find_event_lists& what) const {
  std::set<std::string> accounts;
  for (const auto& [key, row] : directory_.connections)
    if (row.link.provider == what.provider && row.link.env == what.env && row.link.account > what.after)
      accounts.insert(row.link.account);
  const auto position_of = [&](const std::string& account) {
    const auto at = event_positions.find({text(what.provider), text(what.env), account});
    return at == event_positions.end() ? std::nullopt : std::optional{at->second};
  };
  event_lists_lookup found;
  for (const auto& account : accounts)
    if (found.accounts.size() < what.limit) found.accounts.push_back({account, position_of(account)});
  found.own_read_to = position_of({});
  return found;
}

sandbox_events_lookup memory_store::run(const find_sandbox_events& what) const {
  sandbox_events_lookup found;
  for (const auto& event : sandbox_events) {
    const bool is_behind = event.at > what.from || event.event_id > what.after;
    if (event.provider == what.provider && event.env == what.env && event.at >= what.from && event.at < what.until &&
        is_behind)
      found.events.push_back(event);
  }
  std::ranges::sort(found.events, {}, [](const auto& event) { return std::tie(event.at, event.event_id); });
  if (found.events.size() > what.limit) found.events.resize(what.limit);
  return found;
}

}  // namespace gateway::testing
