#include "search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/operator/searches.hpp"
#include "search_sections.hpp"

namespace gateway::http {
namespace {

constexpr std::uint32_t most_found = 20;
constexpr std::uint32_t most_customers = 1'000;

/// One search in progress: what it has found, and whether a look-up failed.
struct console_search {
  worker& here;
  std::string csrf;
  std::vector<blocks::section> found{};
  bool incomplete = false;

  void add(blocks::section what) { found.push_back(std::move(what)); }
};

/// The store's answer; nullopt, and the search is incomplete, if there is none.
template <class Query>
auto look_up_in_store(console_search& in, Query query)
    -> boost::asio::awaitable<std::optional<typename decltype(ask(in.here, query))::value_type::value_type>> {
  auto asking = ask(in.here, std::move(query));
  auto reply = co_await std::move(asking);
  if (!reply) {
    in.incomplete = true;
    co_return std::nullopt;
  }
  co_return std::move(*reply);
}

boost::asio::awaitable<void> make_known_for(console_search& in, directory_name what) {
  auto making = make_known(in.here, std::move(what));
  const auto failed = co_await std::move(making);
  if (failed) in.incomplete = true;
}

boost::asio::awaitable<void> list_what_belongs_to(console_search& in, std::string owner, find_grants which) {
  find_destinations destinations{std::move(owner), {}, most_found};
  auto asking = look_up_in_store(in, std::move(destinations));
  const auto found = co_await std::move(asking);
  if (found && !found->destinations.empty()) in.add(destination_list_section(*found));
  which.limit = most_found;
  auto asking_grants = look_up_in_store(in, std::move(which));
  const auto grants = co_await std::move(asking_grants);
  if (grants && !grants->grants.empty()) in.add(grants_section(*grants));
}

boost::asio::awaitable<void> look_for_merchant(console_search& in, std::string id) {
  auto knowing = make_known_for(in, directory_name{directory_name::kind::merchant, id});
  co_await std::move(knowing);
  const auto who = in.here.shared.merchants.find_merchant(merchant_id{id});
  if (!who) co_return;
  in.add(merchant_section(*who));
  find_grants which;
  which.merchant = who->id;
  auto listing = list_what_belongs_to(in, id, std::move(which));
  co_await std::move(listing);
  find_events recent{who->id};
  recent.limit = most_found;
  auto asking = look_up_in_store(in, std::move(recent));
  const auto events = co_await std::move(asking);
  if (events && !events->events.empty()) in.add(events_section(events->events));
}

boost::asio::awaitable<void> look_for_platform(console_search& in, std::string id) {
  const auto& known = in.here.shared.merchants;
  auto who = known.find_platform(platform_id{id});
  if (!who) who = known.find_platform_by_slug(id);
  if (!who) co_return;
  in.add(platform_section(*who, in.csrf));
  find_grants which;
  which.platform = who->id;
  auto listing = list_what_belongs_to(in, who->id.value, std::move(which));
  co_await std::move(listing);
}

boost::asio::awaitable<void> look_for_key(console_search& in, std::string id) {
  auto knowing = make_known_for(in, directory_name{directory_name::kind::key, id});
  co_await std::move(knowing);
  const auto& known = in.here.shared.merchants;
  if (const auto key = known.find_key(key_id{id})) in.add(key_section(*key));
  if (const auto key = known.find_platform_key(key_id{id})) in.add(key_section(*key));
}

boost::asio::awaitable<void> look_for_destination(console_search& in, std::string id) {
  auto knowing = make_known_for(in, directory_name{directory_name::kind::destination, id});
  co_await std::move(knowing);
  const auto where = in.here.shared.merchants.find_destination(destination_id{id});
  if (!where) co_return;
  find_deliveries newest;
  newest.to = where->what.id;
  newest.limit = most_found;
  auto asking = look_up_in_store(in, std::move(newest));
  const auto found = co_await std::move(asking);
  in.add(destination_section(*where, found ? found->jobs : std::vector<delivery_job>{}, in.csrf));
}

boost::asio::awaitable<void> look_for_delivery(console_search& in, std::string text) {
  const auto id = parse_whole(text, 1, std::numeric_limits<std::int64_t>::max());
  if (!id) co_return;
  find_deliveries one;
  one.id = *id;
  auto asking = look_up_in_store(in, std::move(one));
  const auto found = co_await std::move(asking);
  if (found && !found->jobs.empty()) in.add(delivery_section(found->jobs.front(), in.csrf));
}

void add_row(console_search& in, const entity_row& row) {
  if (const auto* payment = std::get_if<payment_ptr>(&row)) in.add(payment_section(**payment, in.csrf));
  if (const auto* subscription = std::get_if<subscription_ptr>(&row)) in.add(subscription_section(**subscription));
}

boost::asio::awaitable<void> look_for_entity(console_search& in, entity_key key) {
  find_entity query{key};
  auto asking = look_up_in_store(in, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found || !found->found) co_return;
  add_row(in, *found->found);
  find_timeline history{key};
  auto asking_history = look_up_in_store(in, std::move(history));
  const auto past = co_await std::move(asking_history);
  if (past && !past->entries.empty()) {
    in.add(timeline_section(past->entries));
  }
}

boost::asio::awaitable<void> look_for_grant(console_search& in, std::string id) {
  find_grant query{grant_id{id}};
  auto asking = look_up_in_store(in, std::move(query));
  const auto named = co_await std::move(asking);
  if (!named || !named->binding) co_return;
  find_grants which;
  which.merchant = named->binding->merchant;
  which.platform = platform_id{named->binding->id};
  auto listing = look_up_in_store(in, std::move(which));
  const auto grants = co_await std::move(listing);
  if (grants) in.add(grants_section(*grants));
}

boost::asio::awaitable<void> look_for_subscription(console_search& in, std::string id) {
  find_subscription_keys query{id};
  query.limit = most_found;
  auto asking = look_up_in_store(in, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return;
  for (const auto& key : found->keys) {
    auto looking = look_for_entity(in, key);
    co_await std::move(looking);
  }
}

boost::asio::awaitable<void> look_for_customer(console_search& in, merchant_id merchant, std::string ref) {
  find_customers all{std::move(merchant)};
  all.limit = most_customers;
  auto asking = look_up_in_store(in, std::move(all));
  const auto found = co_await std::move(asking);
  if (!found) co_return;
  for (const auto& each : found->customers)
    if (each->ref == ref || each->provider_id == ref ||
        std::ranges::find(each->other_names, ref, &customer_name::id) != each->other_names.end())
      in.add(customer_section(*each));
}

/// Finds the merchant's payments and subscriptions with this id in both modes, and its customer.
boost::asio::awaitable<void> look_within_merchant(console_search& in, merchant_id merchant, std::string id) {
  for (const auto env : {environment::live, environment::test}) {
    for (const auto kind : {entity_kind::payment, entity_kind::subscription}) {
      entity_key key{merchant, env, kind, id};
      auto looking = look_for_entity(in, std::move(key));
      co_await std::move(looking);
    }
  }
  auto looking = look_for_customer(in, std::move(merchant), std::move(id));
  co_await std::move(looking);
}

/// The key of the only match of this kind; nullopt if there is none, or more than one.
std::optional<entity_key> only_one(const std::vector<search_result>& found, entity_kind kind) {
  std::optional<entity_key> key;
  for (const auto& one : found) {
    if (one.kind != to_string(kind)) continue;
    if (key) return std::nullopt;
    key = {merchant_id{one.merchant}, parse_environment(one.mode).value_or(environment::live), kind, one.id};
  }
  return key;
}

/// Adds a list of all matches, and the details of a payment or subscription that is the only match of its kind.
boost::asio::awaitable<void> look_everywhere(console_search& in, std::string text, bool shows_subscriptions) {
  auto searching = search_everything(in.here, std::string{trimmed(text)});
  const auto results = co_await std::move(searching);
  if (results.incomplete) in.incomplete = true;
  if (results.found.empty()) co_return;
  in.add(results_section(results.found));
  for (const auto kind : {entity_kind::payment, entity_kind::subscription}) {
    if (kind == entity_kind::subscription && shows_subscriptions) continue;
    const auto key = only_one(results.found, kind);
    if (!key) continue;
    auto looking = look_for_entity(in, *key);
    co_await std::move(looking);
  }
}

blocks::section not_whole() {
  blocks::callout words{blocks::tone::bad, "This may not be all",
                        "The database did not answer every question. Look at its state, then search again."};
  return {"incomplete", {}, {std::move(words)}};
}

using look_for = boost::asio::awaitable<void> (*)(console_search&, std::string);
constexpr look_for of_any_kind[] = {look_for_delivery,    look_for_merchant, look_for_platform,    look_for_key,
                                    look_for_destination, look_for_grant,    look_for_subscription};

}  // namespace

boost::asio::awaitable<std::vector<blocks::section>> search_for(worker& here, std::string query, std::string csrf) {
  console_search in{here, std::move(csrf)};
  const auto blank = query.find(' ');
  if (blank != query.npos) {
    merchant_id merchant{query.substr(0, blank)};
    auto looking = look_within_merchant(in, std::move(merchant), query.substr(blank + 1));
    co_await std::move(looking);
  } else if (!query.empty()) {
    for (const auto look_for_it : of_any_kind) {
      auto looking = look_for_it(in, query);
      co_await std::move(looking);
    }
  }
  // A name may contain blanks, so the whole text is searched for, too.
  const bool shows_subscriptions =
      std::ranges::any_of(in.found, [](const blocks::section& one) { return one.id == "subscription"; });
  if (query.size() <= longest_search) {
    auto looking = look_everywhere(in, query, shows_subscriptions);
    co_await std::move(looking);
  }
  if (in.incomplete) in.found.insert(in.found.begin(), not_whole());
  // There may be several sections of one kind, but an id must be unique in a page.
  for (std::size_t i = 0; i < in.found.size(); ++i) in.found[i].id += "-" + std::to_string(i);
  co_return std::move(in.found);
}

}  // namespace gateway::http
