// A platform's customer at one merchant: what the provider calls it, and the payment methods that are saved for it.
// Pure functions: time is an argument.
//
// A customer is made by payments. Whatever a payment's provider told of it is recorded here before the payment's own
// outcome is stored, so that an answer never names a customer that is not there.
//
// A provider's name for a customer means something in one account of one provider only, and a method can be charged
// only under the name that it was saved under. Nearly every customer has one name. Two payments of a new customer at
// two providers, or a merchant that has changed its account, give it another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/problem.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// A name of a customer beside the first.
struct customer_name {
  provider_kind provider = provider_kind::sandbox;
  std::string account;  ///< the merchant's, at the provider
  std::string id;       ///< what the provider calls the customer there
  std::vector<std::string> methods;  ///< those of the customer's that are saved under this name

  bool operator==(const customer_name&) const = default;
};

struct customer {
  entity_key key;
  std::int64_t version = 0;  ///< every durable change is a compare-and-swap on this
  platform_id platform;
  std::string ref;          ///< the platform's name for the customer
  provider_kind provider = provider_kind::sandbox;  ///< which had it first
  std::string provider_id;  ///< what that provider calls the customer: its first name
  std::vector<std::string> methods;  ///< the providers' tokens, each once, the one saved last at the end
  time_point created_at{};
  std::string account{};  ///< the merchant's, in which the first name means something; empty: any, as in old rows
  std::vector<customer_name> other_names{};  ///< the one that was made last at the end

  bool operator==(const customer&) const = default;
};

/// Past these the method that was saved first makes room.
inline constexpr std::size_t most_saved_methods = 100;
/// Past these the name that was made first of them makes room, with the methods that were saved under it.
inline constexpr std::size_t most_other_names = 8;

inline constexpr std::size_t most_customer_ref = 128;  ///< characters

/// `utf8` is valid UTF-8. Control characters are those of Unicode's category Cc.
constexpr bool is_customer_ref(std::string_view utf8) noexcept {
  if (utf8.empty() || count_characters(utf8) > most_customer_ref) return false;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x20 || byte == 0x7F) return false;
    // U+0080 to U+009F
    if (byte == 0xC2 && i + 1 < utf8.size() && static_cast<unsigned char>(utf8[i + 1]) < 0xA0) return false;
  }
  return true;
}

inline bool has_saved(const customer& who, std::string_view method) noexcept {
  return std::ranges::find(who.methods, method) != who.methods.end();
}

/// Null: the method is saved under the first name, or not at all.
inline const customer_name* other_name_of(const customer& who, std::string_view method) noexcept {
  const auto at = std::ranges::find_if(who.other_names, [&](const customer_name& name) {
    return std::ranges::find(name.methods, method) != name.methods.end();
  });
  return at == who.other_names.end() ? nullptr : &*at;
}

/// The provider that a charge of the method has to go to. `method` empty, or not saved: the one that had the customer
/// first.
inline provider_kind keeper_of(const customer& who, std::string_view method) noexcept {
  const auto* other = other_name_of(who, method);
  return other ? other->provider : who.provider;
}

/// Whether the first name means something there.
inline bool is_first_at(const customer& who, provider_kind provider, std::string_view account) noexcept {
  return who.provider == provider && (who.account.empty() || who.account == account);
}

/// What the provider calls the customer in that account; empty if it has no such customer.
inline std::string name_at(const customer& who, provider_kind provider, std::string_view account) {
  const bool is_first = is_first_at(who, provider, account);
  if (is_first && !who.account.empty()) return who.provider_id;
  const auto at = std::ranges::find_if(
      who.other_names, [&](const customer_name& name) { return name.provider == provider && name.account == account; });
  if (at != who.other_names.end()) return at->id;
  return is_first ? who.provider_id : std::string{};
}

/// Under which name the method can be charged there; empty if it cannot.
inline std::string name_for(const customer& who, std::string_view method, provider_kind provider,
                            std::string_view account) {
  if (!has_saved(who, method)) return {};
  const auto* other = other_name_of(who, method);
  if (!other) return is_first_at(who, provider, account) ? who.provider_id : std::string{};
  return other->provider == provider && other->account == account ? other->id : std::string{};
}

/// What a payment's provider has told of its customer.
struct record_customer {
  platform_id platform;
  std::string ref;
  provider_kind provider = provider_kind::sandbox;
  std::string provider_id;
  std::string saved_method;  ///< empty: none
  entity_key payment{};      ///< that saves it
  std::string account{};     ///< the payment's, at the provider
};

namespace detail {

inline bool is_first_name(const customer& who, const record_customer& news) noexcept {
  return is_first_at(who, news.provider, news.account) && who.provider_id == news.provider_id;
}

inline void drop_method(customer& of, const std::string& method) {
  std::erase(of.methods, method);
  for (auto& name : of.other_names) std::erase(name.methods, method);
}

/// The other name that the news are under, made where it is not there.
inline customer_name& other_name(customer& of, const record_customer& news) {
  const auto at = std::ranges::find_if(of.other_names, [&](const customer_name& name) {
    return name.provider == news.provider && name.account == news.account && name.id == news.provider_id;
  });
  if (at != of.other_names.end()) return *at;
  if (of.other_names.size() >= most_other_names) {
    for (const auto& method : std::vector{of.other_names.front().methods}) drop_method(of, method);
    of.other_names.erase(of.other_names.begin());
  }
  return of.other_names.emplace_back(customer_name{news.provider, news.account, news.provider_id, {}});
}

inline void save(customer& of, const record_customer& news) {
  drop_method(of, news.saved_method);
  if (of.methods.size() >= most_saved_methods) drop_method(of, std::string{of.methods.front()});
  of.methods.push_back(news.saved_method);
  if (!is_first_name(of, news)) other_name(of, news).methods.push_back(news.saved_method);
}

}  // namespace detail

/// The customer as it must be stored, by its next version; nothing if it says all of it already. `known` is null if it
/// is not there. Its first name stays; a method that is saved under another is kept with that one.
inline std::optional<customer> recorded(const customer* known, const entity_key& key, const record_customer& news,
                                        time_point now) {
  customer next = known ? *known : customer{key, 0,   news.platform, news.ref, news.provider, news.provider_id,
                                            {},  now, news.account};
  const auto& method = news.saved_method;
  const bool saves = !method.empty() && (next.methods.empty() || next.methods.back() != method ||
                                         name_for(next, method, news.provider, news.account) != news.provider_id);
  const bool names = name_at(next, news.provider, news.account).empty();
  if (known && !saves && !names) return std::nullopt;
  if (names) detail::other_name(next, news);
  if (saves) detail::save(next, news);
  // Of an old row: in this account the provider has just gone by that name.
  if (next.account.empty() && detail::is_first_name(next, news)) next.account = news.account;
  next.version += 1;
  return next;
}

/// What a change of a payment tells of its customer; nothing if nothing is new.
inline std::optional<record_customer> news_of(const payment& before, const payment& after) {
  if (!after.customer || after.customer->provider_id.empty()) return std::nullopt;
  const auto& now = *after.customer;
  const bool made = !before.customer || before.customer->provider_id != now.provider_id;
  const bool saved =
      !now.saved_method.empty() && (!before.customer || before.customer->saved_method != now.saved_method);
  if (!made && !saved) return std::nullopt;
  return record_customer{
      now.platform, now.ref,      after.provider, now.provider_id, saved ? now.saved_method : std::string{},
      after.key,    after.account};
}

/// Who pays, and by which method, settled before the payment begins.
struct payer {
  payment_customer customer;
  std::string payment_method;
  std::optional<provider_kind> keeper{};  ///< the only provider that can take the payment, as choose_route() has it
};

/// `named`: the method that the request names, or empty. `known` is null if there is no such customer yet. What the
/// provider calls the customer is only known for the account that the payment will go to: see call_by_name().
inline std::variant<payer, problem> payer_of(const wanted_customer& wanted, std::string named, const customer* known) {
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
  if (known) who.keeper = keeper_of(*known, named);
  who.payment_method = std::move(named);
  return who;
}

/// The payment goes to that account: there its customer has the name under which its method was saved, or, where it
/// charges none of those, the one that the provider has given. A method that was saved elsewhere cannot be charged
/// there: for this payment it is not saved.
inline void call_by_name(payment_customer& who, const customer& known, std::string_view method, provider_kind provider,
                         std::string_view account) {
  if (who.charges_saved) who.provider_id = name_for(known, method, provider, account);
  if (!who.provider_id.empty()) return;
  who.charges_saved = false;
  who.saved_method.clear();
  who.provider_id = name_at(known, provider, account);
}

}  // namespace gateway
