// A platform's customer at one merchant: what the provider calls it, and the payment methods that are saved for it.
// Pure functions: time is an argument.
//
// A customer is made by payments. Whatever a payment's provider told of it is recorded here before the payment's own
// outcome is stored, so that an answer never names a customer that is not there.
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

struct customer {
  entity_key key;
  std::int64_t version = 0;  ///< every durable change is a compare-and-swap on this
  platform_id platform;
  std::string ref;          ///< the platform's name for the customer
  provider_kind provider = provider_kind::sandbox;  ///< which has it
  std::string provider_id;  ///< what the provider calls the customer
  std::vector<std::string> methods;  ///< the provider's tokens, each once, the one saved last at the end
  time_point created_at{};

  bool operator==(const customer&) const = default;
};

/// Past these the method that was saved first makes room.
inline constexpr std::size_t most_saved_methods = 100;

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

/// What a payment's provider has told of its customer.
struct record_customer {
  platform_id platform;
  std::string ref;
  provider_kind provider = provider_kind::sandbox;
  std::string provider_id;
  std::string saved_method;  ///< empty: none
  entity_key payment{};      ///< that saves it
};

/// The customer as it must be stored, by its next version; nothing if it says all of it already. `known` is null if it
/// is not there. The provider's first name for it stays.
inline std::optional<customer> recorded(const customer* known, const entity_key& key, const record_customer& news,
                                        time_point now) {
  customer next = known ? *known : customer{key, 0, news.platform, news.ref, news.provider, news.provider_id, {}, now};
  if (!news.saved_method.empty() && (next.methods.empty() || next.methods.back() != news.saved_method)) {
    std::erase(next.methods, news.saved_method);
    if (next.methods.size() >= most_saved_methods) next.methods.erase(next.methods.begin());
    next.methods.push_back(news.saved_method);
  } else if (known) {
    return std::nullopt;
  }
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
      now.platform, now.ref, after.provider, now.provider_id, saved ? now.saved_method : std::string{}, after.key};
}

/// Who pays, and by which method, settled before the payment begins.
struct payer {
  payment_customer customer;
  std::string payment_method;
};

/// `named`: the method that the request names, or empty. `known` is null if there is no such customer yet.
inline std::variant<payer, problem> payer_of(const wanted_customer& wanted, std::string named, const customer* known) {
  payer who;
  who.customer.platform = wanted.platform;
  who.customer.ref = wanted.ref;
  who.customer.saves_method = wanted.saves_method;
  if (known) who.customer.provider_id = known->provider_id;
  if (named.empty() && wanted.off_session) {
    if (!known || known->methods.empty()) return problem::no_saved_method;
    named = known->methods.back();
  }
  who.customer.charges_saved = known && has_saved(*known, named);
  if (who.customer.charges_saved && !wanted.saves_method) who.customer.saved_method = named;
  who.payment_method = std::move(named);
  return who;
}

}  // namespace gateway
