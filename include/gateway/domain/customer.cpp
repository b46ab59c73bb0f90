#include "gateway/domain/customer.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

bool has_saved(const customer& who, std::string_view method) noexcept {
  return std::ranges::find(who.methods, method) != who.methods.end();
}

/// Null if the method is saved under the first name, or not saved.
static const customer_name* other_name_of(const customer& who, std::string_view method) noexcept {
  const auto at = std::ranges::find_if(who.other_names, [&](const customer_name& name) {
    return std::ranges::find(name.methods, method) != name.methods.end();
  });
  return at == who.other_names.end() ? nullptr : &*at;
}

/// The provider that must charge the method. If `method` is empty or not saved: the provider that first had the
/// customer.
static provider_kind keeper_of(const customer& who, std::string_view method) noexcept {
  const auto* other = other_name_of(who, method);
  return other ? other->provider : who.provider;
}

/// Whether the first name is valid in this account.
static bool is_first_at(const customer& who, provider_kind provider, std::string_view account) noexcept {
  return !is_forgotten(who) && who.provider == provider && (who.account.empty() || who.account == account);
}

std::string name_at(const customer& who, provider_kind provider, std::string_view account) {
  const bool is_first = is_first_at(who, provider, account);
  if (is_first && !who.account.empty()) return who.provider_id;
  const auto at = std::ranges::find_if(
      who.other_names, [&](const customer_name& name) { return name.provider == provider && name.account == account; });
  if (at != who.other_names.end()) return at->id;
  return is_first ? who.provider_id : std::string{};
}

std::string name_for(const customer& who, std::string_view method, provider_kind provider, std::string_view account) {
  if (!has_saved(who, method)) return {};
  const auto* other = other_name_of(who, method);
  if (!other) return is_first_at(who, provider, account) ? who.provider_id : std::string{};
  return other->provider == provider && other->account == account ? other->id : std::string{};
}

namespace detail {

static bool is_first_name(const customer& who, const record_customer& change) noexcept {
  return is_first_at(who, change.provider, change.account) && who.provider_id == change.provider_id;
}

static void drop_method(customer& of, const std::string& method) {
  std::erase(of.methods, method);
  of.saved_at.erase(method);
  for (auto& name : of.other_names) std::erase(name.methods, method);
}

/// The other name that `change` reports, added if it is missing.
static customer_name& other_name(customer& of, const record_customer& change) {
  const auto at = std::ranges::find_if(of.other_names, [&](const customer_name& name) {
    return name.provider == change.provider && name.account == change.account && name.id == change.provider_id;
  });
  if (at != of.other_names.end()) return *at;
  if (of.other_names.size() >= most_other_names) {
    for (const auto& method : std::vector{of.other_names.front().methods}) drop_method(of, method);
    of.other_names.erase(of.other_names.begin());
  }
  return of.other_names.emplace_back(customer_name{change.provider, change.account, change.provider_id, {}});
}

void save(customer& of, const record_customer& change, time_point now) {
  drop_method(of, change.saved_method);
  if (of.methods.size() >= most_saved_methods) drop_method(of, std::string{of.methods.front()});
  of.methods.push_back(change.saved_method);
  of.saved_at[change.saved_method] = now;
  if (!is_first_name(of, change)) other_name(of, change).methods.push_back(change.saved_method);
}

}  // namespace detail

std::optional<customer> recorded(const customer* known, const entity_key& key, const record_customer& change,
                                 time_point now) {
  // A payment that began before the provider deleted the customer must not restore it.
  if (known && is_forgotten(*known) && change.generation < known->generation) return std::nullopt;
  customer next = known ? *known : customer{key, 0,   change.platform, change.ref, change.provider, change.provider_id,
                                            {},  now, change.account};
  const auto& method = change.saved_method;
  const bool saves = !method.empty() && (next.methods.empty() || next.methods.back() != method ||
                                         name_for(next, method, change.provider, change.account) != change.provider_id);
  const bool names = name_at(next, change.provider, change.account).empty();
  if (known && !saves && !names) return std::nullopt;
  if (is_forgotten(next)) {
    next.provider = change.provider;
    next.provider_id = change.provider_id;
    next.account = change.account;
  } else if (names) {
    detail::other_name(next, change);
  }
  if (saves) detail::save(next, change, now);
  // An old row does not name its account. The provider has now used the first name in this one.
  if (next.account.empty() && detail::is_first_name(next, change)) next.account = change.account;
  next.version += 1;
  return next;
}

namespace detail {

/// Drops the name with the methods saved under it. Another name takes the first one's place.
static void drop_first_name(customer& of) {
  for (const auto& method : std::vector{of.methods})
    if (!other_name_of(of, method)) drop_method(of, method);
  of.provider_id.clear();
  of.account.clear();
  if (of.other_names.empty()) return;
  const auto next = std::move(of.other_names.back());
  of.other_names.pop_back();
  of.provider = next.provider;
  of.provider_id = next.id;
  of.account = next.account;
}

}  // namespace detail

std::optional<customer> forgotten(const customer& known, const forget_at_provider& what) {
  customer next = known;
  next.version += 1;
  if (!what.method.empty()) {
    if (name_for(known, what.method, what.provider, what.account) != what.provider_id) return std::nullopt;
    detail::drop_method(next, what.method);
    return next;
  }
  next.generation += 1;
  const bool is_first = is_first_at(known, what.provider, what.account) && known.provider_id == what.provider_id;
  const auto other = std::ranges::find_if(next.other_names, [&](const customer_name& name) {
    return name.provider == what.provider && name.account == what.account && name.id == what.provider_id;
  });
  if (is_first) {
    detail::drop_first_name(next);
  } else if (other != next.other_names.end()) {
    for (const auto& method : std::vector{other->methods}) detail::drop_method(next, method);
    next.other_names.erase(other);
  } else {
    return std::nullopt;
  }
  return next;
}

std::optional<record_customer> update_of(const payment& before, const payment& after) {
  if (!after.customer || after.customer->provider_id.empty()) return std::nullopt;
  const auto& now = *after.customer;
  const bool made = !before.customer || before.customer->provider_id != now.provider_id;
  const bool saved =
      !now.saved_method.empty() && (!before.customer || before.customer->saved_method != now.saved_method);
  if (!made && !saved) return std::nullopt;
  return record_customer{
      now.platform, now.ref,       after.provider, now.provider_id, saved ? now.saved_method : std::string{},
      after.key,    after.account, now.generation};
}

std::variant<payer, problem> payer_of(const wanted_customer& wanted, std::string named, const customer* known) {
  payer who;
  who.customer.platform = wanted.platform;
  who.customer.ref = wanted.ref;
  who.customer.saves_method = wanted.saves_method;
  who.customer.saves_on_session = wanted.saves_method && wanted.on_session;
  if (named.empty() && wanted.off_session) {
    if (!known || known->methods.empty()) return problem::no_saved_method;
    named = known->methods.back();
  }
  who.customer.charges_saved = known && has_saved(*known, named);
  if (who.customer.charges_saved && !wanted.saves_method) who.customer.saved_method = named;
  if (known && !is_forgotten(*known)) who.keeper = keeper_of(*known, named);
  if (known) who.customer.generation = known->generation;
  who.payment_method = std::move(named);
  return who;
}

void call_by_name(payment_customer& who, const customer& known, std::string_view method, provider_kind provider,
                  std::string_view account) {
  if (who.charges_saved) who.provider_id = name_for(known, method, provider, account);
  if (!who.provider_id.empty()) return;
  who.charges_saved = false;
  who.saved_method.clear();
  who.provider_id = name_at(known, provider, account);
}

}  // namespace gateway
