// The questions about entities, payments and the ledger.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "gateway/domain/payment_machine.hpp"
#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

entity_lookup memory_store::run(const find_entity& what) const {
  const auto look_in = [&]<class Row>(const std::map<entity_row_key, Row>& rows) -> entity_lookup {
    const auto row = rows.find(id(what.key));
    if (row == rows.end()) return {};
    return {entity_row{std::make_shared<const Row>(row->second)}};
  };
  switch (what.key.kind) {
    case entity_kind::payment: return look_in(payments);
    case entity_kind::grant: return look_in(bindings);
    case entity_kind::customer: return look_in(customers);
    case entity_kind::subscription: return look_in(subscriptions);
    case entity_kind::enrollment: return look_in(enrollments);
    case entity_kind::notification: return look_in(notifications);
  }
  return {};
}

command_lookup memory_store::run(const find_command& what) const {
  const auto row = commands.find(id(what.key));
  return {row == commands.end() ? std::nullopt : std::optional{row->second}};
}

/// The filters that only the lists of the API have.
static bool satisfies(const payment& row, const find_payments& what) {
  if (!what.any_of.empty() && std::ranges::count(what.any_of, row.state) == 0) return false;
  if (!what.provider_ref.empty() && (row.provider_ref != what.provider_ref || row.hides_provider)) return false;
  if (what.customer_ref.empty()) return true;
  return row.customer && row.customer->ref == what.customer_ref && row.customer->platform == what.platform;
}

payments_lookup memory_store::run(const find_payments& what) const {
  const auto position = [](const payment& p) { return payment_position{p.created_at, p.key.id}; };
  payments_lookup found;
  for (const auto& [key, row] : payments) {
    if (row.key.merchant != what.merchant || row.key.env != what.env) continue;
    if (what.state && row.state != *what.state) continue;
    if (!what.currency.empty() && row.amount.unit.code() != what.currency) continue;
    if (what.from && row.created_at < *what.from) continue;
    if (what.until && row.created_at >= *what.until) continue;
    if (what.before && position(row) >= *what.before) continue;
    if (what.after && position(row) <= *what.after) continue;
    if (!satisfies(row, what)) continue;
    found.payments.push_back(std::make_shared<const payment>(row));
  }
  std::ranges::sort(found.payments, std::greater{}, [&](const payment_ptr& p) { return position(*p); });
  const bool back = what.after && !what.before;
  found.more = found.payments.size() > what.limit;
  if (found.more && back) found.payments.erase(found.payments.begin(), found.payments.end() - what.limit);
  if (found.more && !back) found.payments.resize(what.limit);
  if (what.most_bytes > 0) cut_to_bytes(found, what.most_bytes);
  return found;
}

payment_counts memory_store::run(const count_payments& what) const {
  payment_counts counted;
  find_payments all{what.merchant, what.env, std::nullopt, what.currency, what.from, what.until};
  all.limit = std::numeric_limits<std::uint32_t>::max();
  for (const auto& each : run(all).payments) {
    auto& of = counted.by_state.at(static_cast<std::size_t>(each->state));
    if (of.payments < what.most)
      ++of.payments;
    else
      of.more = true;
  }
  return counted;
}

payments_lookup memory_store::run(const find_payments_by_ref& what) const {
  find_payments all{what.merchant, what.env};
  all.limit = std::numeric_limits<std::uint32_t>::max();
  auto found = run(all);
  std::erase_if(found.payments, [&](const payment_ptr& p) {
    return what.provider_ref.empty() || p->provider_ref != what.provider_ref;
  });
  found.more = found.payments.size() > what.limit;
  if (found.more) found.payments.resize(what.limit);
  return found;
}

/// Ordered by merchant; each merchant's live payments first, newest first.
payments_of_merchants_lookup memory_store::run(const find_payments_of_merchants& what) const {
  const auto place = [](const merchant_id& merchant, environment env, const payment_position& at) {
    return std::tuple{merchant.value, env == environment::test, -to_unix_ms(at.created_at), at.payment_id};
  };
  const auto place_of = [&](const payment& p) { return place(p.key.merchant, p.key.env, {p.created_at, p.key.id}); };
  const auto is_before = [](const auto& a, const auto& b) {
    const auto head = [](const auto& of) { return std::tuple{std::get<0>(of), std::get<1>(of), std::get<2>(of)}; };
    return head(a) != head(b) ? head(a) < head(b) : std::get<3>(a) > std::get<3>(b);
  };
  payments_of_merchants_lookup found;
  for (const auto& [key, row] : payments) {
    if (!what.merchant.empty() && row.key.merchant != what.merchant) continue;
    if (what.env && row.key.env != *what.env) continue;
    if (what.state && row.state != *what.state) continue;
    if (what.until && row.created_at >= *what.until) continue;
    if (what.after && !is_before(place(what.after->merchant, what.after->env, what.after->behind), place_of(row)))
      continue;
    found.payments.push_back(std::make_shared<const payment>(row));
  }
  std::ranges::sort(found.payments, is_before, [&](const payment_ptr& p) { return place_of(*p); });
  if (found.payments.size() > what.limit) {
    found.payments.resize(what.limit);
    const auto& last = *found.payments.back();
    found.next = merchants_payment_position{last.key.merchant, last.key.env, {last.created_at, last.key.id}};
  }
  return found;
}

payments_lookup memory_store::run(const find_unknown_payments& what) const {
  payments_lookup found;
  for (const auto& [key, row] : payments)
    if ((what.merchant.empty() || row.key.merchant == what.merchant) && (!what.env || row.key.env == *what.env) &&
        row.due_at && has_unknown_outcome(row))
      found.payments.push_back(std::make_shared<const payment>(row));
  std::ranges::stable_sort(found.payments, {}, [](const payment_ptr& p) { return *p->due_at; });
  found.more = found.payments.size() > what.limit;
  if (found.more) found.payments.resize(what.limit);
  return found;
}

payment_key_lookup memory_store::run(const find_payment_key& what) const {
  if (what.provider_ref.empty()) return {};
  for (const auto& [key, row] : directory_.connections) {
    if (row.link.provider != what.provider || row.link.env != what.env) continue;
    for (const auto& p : run(find_payments_by_ref{row.merchant, what.env, what.provider_ref}).payments)
      if (p->provider == what.provider) return {p->key};
  }
  return {};
}

daily_totals_lookup memory_store::run(const find_daily_totals& what) const {
  daily_totals_lookup found;
  for (const auto& [key, total] : totals)
    if (std::get<0>(key) == what.merchant.value && std::get<1>(key) == text(what.env) && total.day >= what.from_day &&
        total.day < what.until_day)
      found.totals.push_back(total);
  return found;
}

ledger_sums_lookup memory_store::run(const find_ledger_sums& what) const {
  std::map<std::tuple<std::chrono::sys_days, std::string, std::string, std::string>, ledger_sum> sums;
  for (const auto& [key, entry] : ledger) {
    const auto day = std::chrono::floor<std::chrono::days>(entry.at);
    const auto& merchant = entry.payment.merchant;
    if (entry.payment.env != what.env || day < what.from_day || day >= what.until_day ||
        (what.merchant.empty() ? merchant <= what.after : merchant != what.merchant))
      continue;
    auto& sum =
        sums[{day, std::string{entry.amount.unit.code()}, text(entry.provider), std::string{to_string(entry.what)}}];
    sum = {day, entry.provider, entry.what, sum.count + 1, {sum.amount.minor + entry.amount.minor, entry.amount.unit}};
  }
  ledger_sums_lookup found;
  for (const auto& [key, sum] : sums) found.sums.push_back(sum);
  return found;
}

ledger_lookup memory_store::run(const find_ledger& what) const {
  ledger_lookup found;
  auto left = what.limit;
  for (const auto& [key, entry] : ledger) {
    const auto& merchant = entry.payment.merchant;
    if (entry.payment.env != what.env || entry.at < what.from || entry.at >= what.until ||
        (!what.merchant.empty() && merchant != what.merchant))
      continue;
    const auto position = std::tie(merchant.value, entry.at, entry.payment.id, entry.seq);
    if (what.after &&
        position <= std::tie(what.after->merchant.value, what.after->at, what.after->payment_id, what.after->seq))
      continue;
    if (entry.provider == what.provider) found.entries.push_back(entry);
    if (--left == 0) {
      found.next = ledger_position{merchant, entry.at, entry.payment.id, entry.seq};
      break;
    }
  }
  return found;
}

timeline_lookup memory_store::run(const find_timeline& what) const {
  timeline_lookup found;
  if (const auto rows = timelines.find(id(what.key)); rows != timelines.end())
    for (const auto& [seq, entry] : rows->second) found.entries.push_back(entry);
  return found;
}

due_lookup memory_store::run(const find_due& what) const {
  due_lookup found;
  const auto look_in = [&](const auto& rows, auto is_open) {
    std::multimap<time_point, entity_key> due;
    for (const auto& [key, row] : rows)
      if (row.due_at && *row.due_at <= what.now && (!what.open_only || (is_open(row) && *row.due_at > what.later_than)))
        due.emplace(*row.due_at, row.key);
    auto left = what.limit;
    for (const auto& [at, key] : due) {
      if (left-- == 0) break;
      found.keys.push_back(key);
    }
  };
  look_in(payments, [](const payment& p) { return p.open.has_value(); });
  look_in(subscriptions, [](const subscription& s) { return s.open.has_value(); });
  look_in(enrollments, [](const sandbox_enrollment&) { return false; });
  look_in(notifications, [](const notification&) { return false; });
  return found;
}

grant_lookup memory_store::run(const find_grant& what) const {
  for (const auto& [key, row] : bindings)
    if (row.newest.value().id == what.id) return {row.key, false};
  if (const auto row = past_grants.find(what.id.value); row != past_grants.end()) return {row->second.binding, true};
  return {};
}

grants_lookup memory_store::run(const find_grants& what) const {
  grants_lookup found;
  const auto add = [&](const entity_key& binding, const grant& one) {
    if (!what.merchant.empty() && binding.merchant != what.merchant) return;
    if (!what.platform.empty() && binding.id != what.platform.value) return;
    if (what.before && std::tie(one.granted_at, one.id) >= std::tie(*what.before, what.before_id)) return;
    found.grants.emplace_back(binding, one);
  };
  for (const auto& [key, row] : bindings) add(row.key, row.newest.value());
  for (const auto& [key, row] : past_grants) add(row.binding, row.what);
  std::ranges::sort(found.grants, std::greater{},
                    [](const auto& one) { return std::tuple{one.second.granted_at, one.second.id}; });
  if (found.grants.size() > what.limit) found.grants.resize(what.limit);
  return found;
}

customers_lookup memory_store::run(const find_customers& what) const {
  customers_lookup found;
  for (const auto& [key, row] : customers) {
    if (found.customers.size() == what.limit) break;
    if (row.key.merchant == what.merchant && row.key.env == environment::live && row.key.id > what.after)
      found.customers.push_back(std::make_shared<const customer>(row));
  }
  return found;
}

customer_keys_lookup memory_store::run(const find_customer_keys& what) const {
  customer_keys_lookup found;
  for (const auto& [key, row] : customers)
    if (!what.provider_id.empty() && row.provider_id == what.provider_id) found.keys.push_back(row.key);
  std::ranges::sort(found.keys, {},
                    [](const entity_key& k) { return std::tuple{k.merchant.value, text(k.env), k.id}; });
  if (found.keys.size() > what.limit) found.keys.resize(what.limit);
  return found;
}

/// Ordered by the names of the environments, as in the databases.
subscription_keys_lookup memory_store::run(const find_subscription_keys& what) const {
  subscription_keys_lookup found;
  for (const auto& [key, row] : subscriptions)
    if (what.provider_id.empty() ? row.key.id == what.id : row.provider_subscription_id == what.provider_id)
      found.keys.push_back(row.key);
  std::ranges::sort(found.keys, {},
                    [](const entity_key& k) { return std::tuple{k.merchant.value, text(k.env), k.id}; });
  if (found.keys.size() > what.limit) found.keys.resize(what.limit);
  return found;
}

subscriptions_lookup memory_store::run(const find_subscriptions& what) const {
  subscriptions_lookup found;
  for (const auto& [key, row] : subscriptions) {
    if (found.subscriptions.size() == what.limit) break;
    if (row.key.merchant == what.merchant && row.key.env == environment::live && row.key.id > what.after)
      found.subscriptions.push_back(std::make_shared<const subscription>(row));
  }
  return found;
}

customers_page memory_store::run(const find_customers_of_platform& what) const {
  const auto position = [](const customer& c) { return listed_position{c.created_at, c.key.id}; };
  customers_page page;
  for (const auto& [key, row] : customers)
    if (row.key.merchant == what.merchant && row.key.env == environment::live && row.platform == what.platform &&
        (!what.before || position(row) < *what.before))
      page.customers.push_back(std::make_shared<const customer>(row));
  std::ranges::sort(page.customers, std::greater{}, [&](const customer_ptr& c) { return position(*c); });
  page.more = page.customers.size() > what.limit;
  if (page.more) page.customers.resize(what.limit);
  return page;
}

subscriptions_page memory_store::run(const find_subscriptions_of_platform& what) const {
  const auto position = [](const subscription& s) { return listed_position{s.created_at, s.key.id}; };
  subscriptions_page page;
  for (const auto& [key, row] : subscriptions)
    if (row.key.merchant == what.merchant && row.key.env == environment::live && row.platform == what.platform &&
        (!what.status || row.state.status == *what.status) &&
        (what.customer_ref.empty() || row.details.customer_ref == what.customer_ref) &&
        (!what.before || position(row) < *what.before))
      page.subscriptions.push_back(std::make_shared<const subscription>(row));
  std::ranges::sort(page.subscriptions, std::greater{}, [&](const subscription_ptr& s) { return position(*s); });
  if (page.subscriptions.size() > what.limit) {
    page.subscriptions.resize(what.limit);
    page.next = position(*page.subscriptions.back());
  }
  return page;
}

/// As in the databases: the disputes of one payment are read from its row, and lists from the rows that find disputes.
disputes_lookup memory_store::run(const find_disputes& what) const {
  struct listed {
    time_point opened_at;
    disputes_lookup::found one;
  };
  std::vector<listed> all;
  const auto take = [&](const payment& of, std::string_view dispute_id, time_point opened_at) {
    if (what.before &&
        std::tuple{opened_at, std::string{dispute_id}} >= std::tuple{what.before->opened_at, what.before->dispute_id})
      return;
    all.push_back({opened_at, {std::make_shared<const payment>(of), std::string{dispute_id}}});
  };
  if (!what.payment_id.empty()) {
    const auto row = payments.find(id(payment_key(what.merchant, what.env, payment_id{what.payment_id})));
    if (row == payments.end()) return {};
    for (const auto& each : row->second.records.disputes)
      if ((!what.status || each.status == *what.status) && (what.dispute_id.empty() || each.id == what.dispute_id))
        take(row->second, each.id, each.opened_at);
  } else {
    for (const auto& [key, entry] : disputes) {
      if (entry.merchant != what.merchant || entry.env != what.env) continue;
      if (what.dispute_id.empty() ? what.status && entry.status != *what.status : entry.dispute_id != what.dispute_id)
        continue;
      const auto row = payments.find(id(payment_key(what.merchant, what.env, payment_id{entry.payment_id})));
      if (row != payments.end()) take(row->second, entry.dispute_id, entry.opened_at);
    }
  }
  std::ranges::sort(all, std::greater{}, [](const listed& l) { return std::tie(l.opened_at, l.one.dispute_id); });
  disputes_lookup found;
  found.more = all.size() > what.limit;
  if (found.more) all.resize(what.limit);
  for (auto& each : all) found.disputes.push_back(std::move(each.one));
  return found;
}

notifications_lookup memory_store::run(const find_notifications& what) const {
  notifications_lookup found;
  for (const auto& [key, row] : notifications) {
    if (what.provider && row.provider != *what.provider) continue;
    if (what.env && row.key.env != *what.env) continue;
    if (what.state && row.state != *what.state) continue;
    if (what.before && std::tie(row.received_at, row.key.id) >= std::tie(*what.before, what.before_id)) continue;
    auto listed = row;
    listed.body.clear();
    found.notifications.push_back(std::make_shared<const notification>(std::move(listed)));
  }
  std::ranges::sort(found.notifications, std::greater{},
                    [](const notification_ptr& n) { return std::tie(n->received_at, n->key.id); });
  if (found.notifications.size() > what.limit) found.notifications.resize(what.limit);
  return found;
}

}  // namespace gateway::testing
