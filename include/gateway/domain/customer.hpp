// A platform's customer at one merchant: its names (its ids at providers), and the payment methods saved for it. Pure
// functions: time is an argument.
//
// Payments create customers. What a payment's provider reports about its customer is recorded here before the payment's
// own outcome is stored, so that no answer names a customer that does not exist.
//
// A provider's name for a customer is valid in one account of one provider only, and a method can be charged only under
// the name that it was saved under. Nearly every customer has one name. A customer gets another one if two of its first
// payments go to two providers, or if the merchant's account changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/problem.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// A further name of a customer: its id in another account.
struct customer_name {
  provider_kind provider = provider_kind::sandbox;
  std::string account;  ///< the merchant's account at the provider
  std::string id;  ///< the provider's id of the customer there
  std::vector<std::string> methods;  ///< the customer's methods that are saved under this name

  bool operator==(const customer_name&) const = default;
};

struct customer {
  entity_key key;
  std::int64_t version = 0;  ///< every durable change is a compare-and-swap on this
  platform_id platform;
  std::string ref;  ///< the platform's id of the customer
  provider_kind provider = provider_kind::sandbox;  ///< the provider that had the customer first
  std::string provider_id;  ///< the customer's id at that provider, its first name; empty: see is_forgotten()
  std::vector<std::string> methods;  ///< the providers' tokens, each once, the latest saved at the end
  time_point created_at{};
  std::string account{};  ///< the merchant's account in which the first name is valid; empty: any, as in old rows
  std::vector<customer_name> other_names{};  ///< the latest added at the end
  unsigned generation = 0;  ///< how often a provider has deleted it
  /// When each method was last saved; without the methods of old rows.
  std::map<std::string, time_point, std::less<>> saved_at{};

  bool operator==(const customer&) const = default;
};

/// Whether the provider has deleted the customer, and no payment has created it again. Callers then see no customer.
inline bool is_forgotten(const customer& who) noexcept { return who.provider_id.empty(); }

/// Beyond this number the method that was saved first is dropped.
inline constexpr std::size_t most_saved_methods = 100;
/// Beyond this number the oldest of these names is dropped, with the methods that were saved under it.
inline constexpr std::size_t most_other_names = 8;

inline constexpr std::size_t most_customer_ref = 128;  ///< characters

/// `utf8` must be valid UTF-8. Control characters are those of Unicode's category Cc.
constexpr bool is_customer_ref(std::string_view utf8) noexcept {
  if (utf8.empty() || count_characters(utf8) > most_customer_ref) return false;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (is_control(utf8[i])) return false;
    // U+0080 to U+009F
    if (utf8[i] == '\xC2' && i + 1 < utf8.size() && static_cast<unsigned char>(utf8[i + 1]) < 0xA0) return false;
  }
  return true;
}

bool has_saved(const customer& who, std::string_view method) noexcept;

/// The provider's id of the customer in that account; empty if there is none.
std::string name_at(const customer& who, provider_kind provider, std::string_view account);

/// The name under which the method can be charged there; empty if it cannot be charged there.
std::string name_for(const customer& who, std::string_view method, provider_kind provider, std::string_view account);

/// What a payment's provider has reported about its customer.
struct record_customer {
  platform_id platform;
  std::string ref;
  provider_kind provider = provider_kind::sandbox;
  std::string provider_id;
  std::string saved_method;  ///< empty: none
  entity_key payment{};  ///< the payment that saves it
  std::string account{};  ///< the payment's account at the provider
  unsigned generation = 0;  ///< of the customer when the payment began
};

/// A provider has deleted a saved method, or the customer itself.
struct forget_at_provider {
  provider_kind provider = provider_kind::sandbox;
  std::string account;
  std::string provider_id;  ///< the provider's id of the customer
  std::string method;  ///< empty: the customer, with all its methods
};

/// The customer to store, as its next version; nullopt if it does not have the method or the name, or has the method
/// under another name.
std::optional<customer> forgotten(const customer& known, const forget_at_provider& what);

namespace detail {

void save(customer& of, const record_customer& change, time_point now);

}  // namespace detail

/// The customer to store, as its next version; nullopt if `known` already holds all of it. `known` is null if the
/// customer does not exist yet. The first name stays; a method saved under another name is stored with that name.
std::optional<customer> recorded(const customer* known, const entity_key& key, const record_customer& change,
                                 time_point now);

/// What a change of a payment reports about its customer; nullopt if there is nothing new.
std::optional<record_customer> update_of(const payment& before, const payment& after);

/// The customer and the method of a payment, determined before it begins.
struct payer {
  payment_customer customer;
  std::string payment_method;
  std::optional<provider_kind> keeper{};  ///< the only provider that can take the payment: choose_route()'s `keeper`
};

/// `named`: the method that the request names, or empty. `known` is null if the customer does not exist yet. The
/// provider's id of the customer depends on the account that the payment goes to: see call_by_name().
std::variant<payer, problem> payer_of(const wanted_customer& wanted, std::string named, const customer* known);

/// Sets the customer's name for a payment that goes to that account: the name under which its method was saved, or, if
/// it charges no saved method, the provider's id there. A method that was saved elsewhere cannot be charged there: for
/// this payment it does not count as saved.
void call_by_name(payment_customer& who, const customer& known, std::string_view method, provider_kind provider,
                  std::string_view account);

}  // namespace gateway
