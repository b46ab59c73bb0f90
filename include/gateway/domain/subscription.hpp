// The subscription: its stored form, and the commands that change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/domain/cycle_payment.hpp"
#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

/// Operations with the provider. The gateway itself starts `expire`: no caller waits for it.
enum class subscription_operation : unsigned char { open_checkout, cancel, expire };

template <>
inline constexpr auto enum_table<subscription_operation> =
    enum_names<subscription_operation>({{subscription_operation::open_checkout, "open_checkout"},
                                        {subscription_operation::cancel, "cancel"},
                                        {subscription_operation::expire, "expire"}});
inline constexpr auto parse_subscription_operation = parse_name<subscription_operation>;

/// An operation whose provider call may have been sent and whose outcome is not yet stored. Made durable before the
/// call.
struct open_subscription_operation {
  command_key command;  ///< empty for `expire`
  subscription_operation what = subscription_operation::open_checkout;
  bool answered = false;   ///< its client was answered that the outcome is unknown
  unsigned asked = 0;      ///< calls to the provider without an answer
  std::int64_t claim = 0;  ///< the subscription's version that claimed it: unique to each operation
  time_point begun_at{};
  std::string node{};  ///< as in open_operation

  bool operator==(const open_subscription_operation&) const = default;
};

/// What the caller stated when it opened the checkout. Never changes; may hold personal data: never logged.
struct subscription_details {
  std::string customer_ref;
  std::uint32_t trial_period_days = 0;
  std::string success_url;
  std::string cancel_url;
  std::string description;

  bool operator==(const subscription_details&) const = default;
};

/// Most stored notifications of a subscription before the notification of its creation has arrived. A provider sends
/// the creation first, so that few notifications overtake it. Beyond this number the creation counts as lost, and all
/// are applied without it.
inline constexpr std::size_t most_waiting_notifications = 256;

/// The provider's latest statement about an invoice.
struct seen_invoice {
  std::string id;
  history_position at;
  std::string hosted_url;  ///< where the customer can approve its payment; empty: no approval is needed

  bool operator==(const seen_invoice&) const = default;
};

/// A subscription bills one cycle after the other. Further invoices, for example for a change of plan, are few.
inline constexpr std::size_t most_seen_invoices = 4;

struct subscription {
  entity_key key;            ///< its id is the caller's subscription_id
  std::int64_t version = 0;  ///< every durable change is a compare-and-swap on this
  platform_id platform;      ///< owner of customer_ref
  provider_kind provider = provider_kind::sandbox;
  std::string account;  ///< the merchant's account at the provider
  subscription_details details;

  std::string checkout_session_id;
  std::string hosted_url;
  std::optional<time_point> checkout_expires_at;
  std::optional<provider_error> error;  ///< why the checkout could not be opened

  std::string provider_subscription_id;   ///< empty until the provider has given it
  /// As requested at first; then as the provider stated it at the position `known`.
  subscription_projection state;
  std::optional<history_position> known;  ///< empty until the provider has stated something
  bool activated = false;                 ///< its creation was seen, and its event made
  bool cancellation_reported = false;
  std::vector<subscription_notification> waiting;  ///< notifications that wait for the creation; oldest first
  std::vector<cycle_charge> owed;  ///< charges that their payments have not confirmed yet; oldest first
  unsigned customer_generation = 0;  ///< as in payment_customer
  std::vector<seen_invoice> invoices;  ///< the invoices with the latest statements; the latest last

  std::optional<open_subscription_operation> open;
  std::optional<time_point> due_at;  ///< when the reconciler must handle it again
  std::uint32_t next_seq = 1;        ///< for its timeline
  time_point created_at{};
  time_point updated_at{};

  bool operator==(const subscription&) const = default;
};

/// Where the customer can approve the payment of a cycle that needs it; empty: no cycle does.
std::string_view action_url_of(const subscription& s) noexcept;

/// Subscription ids as callers choose them: `[A-Za-z0-9_-]{1,64}`.
constexpr bool is_subscription_id(std::string_view text) noexcept { return text.size() <= 64 && is_provider_id(text); }

/// An event that was counted. Each id is counted once.
struct counted_event {
  merchant_id merchant;
  environment env = environment::test;
  std::string event_id;

  bool operator==(const counted_event&) const = default;
};

inline entity_key subscription_key(merchant_id merchant, environment env, std::string id) {
  return {std::move(merchant), env, entity_kind::subscription, std::move(id)};
}

/// `sub_<merchant>_<provider's id>`: the id in events. Callers may use it in place of their own.
inline std::string public_subscription_id(const merchant_id& merchant, std::string_view provider_subscription_id) {
  return std::string{"sub_"}.append(merchant.value).append("_").append(provider_subscription_id);
}

/// The provider's id within an id from an event; nullopt if the text is not such an id of this merchant.
constexpr std::optional<std::string_view> provider_subscription_id_in(std::string_view text,
                                                                      const merchant_id& merchant) noexcept {
  constexpr std::string_view prefix = "sub_";
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  if (!text.starts_with(merchant.value)) return std::nullopt;
  text.remove_prefix(merchant.value.size());
  if (!text.starts_with('_') || text.size() < 2) return std::nullopt;
  return text.substr(1);
}

// ---- commands -----------------------------------------------------------------------------------

struct open_subscription_checkout {
  platform_id platform;
  money amount;
  billing_period every;
  subscription_details details;
  metadata_map metadata;
  std::string provider_customer_id;  ///< the provider's id of customer_ref
  unsigned customer_generation = 0;  ///< as in payment_customer
};

struct cancel_subscription {};

/// From operators: expires a checkout that waits for its customer.
struct expire_subscription_checkout {};

/// What the customer did on the hosted page.
enum class checkout_choice : unsigned char { pay, decline, cancel };

}  // namespace gateway
