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

#include <cstddef>
#include <cstdint>
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

bool has_saved(const customer& who, std::string_view method) noexcept;

/// What the provider calls the customer in that account; empty if it has no such customer.
std::string name_at(const customer& who, provider_kind provider, std::string_view account);

/// Under which name the method can be charged there; empty if it cannot.
std::string name_for(const customer& who, std::string_view method, provider_kind provider, std::string_view account);

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

void save(customer& of, const record_customer& news);

}  // namespace detail

/// The customer as it must be stored, by its next version; nothing if it says all of it already. `known` is null if it
/// is not there. Its first name stays; a method that is saved under another is kept with that one.
std::optional<customer> recorded(const customer* known, const entity_key& key, const record_customer& news,
                                 time_point now);

/// What a change of a payment tells of its customer; nothing if nothing is new.
std::optional<record_customer> news_of(const payment& before, const payment& after);

/// Who pays, and by which method, settled before the payment begins.
struct payer {
  payment_customer customer;
  std::string payment_method;
  std::optional<provider_kind> keeper{};  ///< the only provider that can take the payment, as choose_route() has it
};

/// `named`: the method that the request names, or empty. `known` is null if there is no such customer yet. What the
/// provider calls the customer is only known for the account that the payment will go to: see call_by_name().
std::variant<payer, problem> payer_of(const wanted_customer& wanted, std::string named, const customer* known);

/// The payment goes to that account: there its customer has the name under which its method was saved, or, where it
/// charges none of those, the one that the provider has given. A method that was saved elsewhere cannot be charged
/// there: for this payment it is not saved.
void call_by_name(payment_customer& who, const customer& known, std::string_view method, provider_kind provider,
                  std::string_view account);

}  // namespace gateway
