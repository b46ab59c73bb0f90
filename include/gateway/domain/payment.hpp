// The payment: its stored form, and the commands that change it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/money.hpp"
#include "gateway/domain/payment_records.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

enum class payment_state : unsigned char {
  created,
  processing,
  authorized,
  captured,
  partially_refunded,
  refunded,
  failed,
  voided
};

template <>
inline constexpr auto enum_table<payment_state> =
    enum_names<payment_state>({{payment_state::created, "created"},
                               {payment_state::processing, "processing"},
                               {payment_state::authorized, "authorized"},
                               {payment_state::captured, "captured"},
                               {payment_state::partially_refunded, "partially_refunded"},
                               {payment_state::refunded, "refunded"},
                               {payment_state::failed, "failed"},
                               {payment_state::voided, "voided"}});
inline constexpr auto parse_payment_state = parse_name<payment_state>;

/// What a client can request of a payment. A charge creates it from a method saved for a customer; a cancel ends its
/// checkout.
enum class operation : unsigned char { create, capture, refund, void_payment, charge, cancel };

template <>
inline constexpr auto enum_table<operation> = enum_names<operation>({{operation::create, "create"},
                                                                     {operation::capture, "capture"},
                                                                     {operation::refund, "refund"},
                                                                     {operation::void_payment, "void"},
                                                                     {operation::charge, "charge"},
                                                                     {operation::cancel, "cancel"}});
inline constexpr auto parse_operation = parse_name<operation>;

enum class error_category : unsigned char { auth, validation, provider, timeout, risk, internal };

template <>
inline constexpr auto enum_table<error_category> =
    enum_names<error_category>({{error_category::auth, "auth"},
                                {error_category::validation, "validation"},
                                {error_category::provider, "provider"},
                                {error_category::timeout, "timeout"},
                                {error_category::risk, "risk"},
                                {error_category::internal, "internal"}});
inline constexpr auto parse_error_category = parse_name<error_category>;

struct provider_error {
  error_category category = error_category::provider;
  std::string code;
  std::string message;
  bool retryable = false;
  bool outcome_unknown = false;  ///< must be reconciled before a new attempt

  bool operator==(const provider_error&) const = default;
};

/// The provider's answer to an operation. `none` until there is one.
enum class provider_status : unsigned char { none, pending, approved, declined, unknown };

template <>
inline constexpr auto enum_table<provider_status> =
    enum_names<provider_status>({{provider_status::none, "none"},
                                 {provider_status::pending, "pending"},
                                 {provider_status::approved, "approved"},
                                 {provider_status::declined, "declined"},
                                 {provider_status::unknown, "unknown"}});
inline constexpr auto parse_provider_status = parse_name<provider_status>;

/// An operation whose provider call may have been sent and whose outcome is not yet stored.
/// Made durable before the call; a payment with one accepts no other operation.
struct open_operation {
  command_key command;
  operation what = operation::create;
  std::int64_t amount = 0;  ///< minor units
  bool answered = false;    ///< its client was answered that the outcome is unknown
  unsigned asked = 0;       ///< calls to the provider without an answer
  std::int64_t claim = 0;   ///< the payment's version that claimed it: unique to each operation
  time_point begun_at{};  ///< values that depend on the date use this time, however late the call is repeated
  std::string node{};  ///< with several nodes: the process that runs it (membership::incarnation)
  std::string reason{};  ///< as its client gave it
  bool compares = false;  ///< a comparison with the provider was due when the operation began, and is made after it

  bool operator==(const open_operation&) const = default;
};

using metadata_map = std::vector<std::pair<std::string, std::string>>;

/// What the caller stated at creation. Never changes; holds personal data: never logged.
struct payment_details {
  std::string payment_method;
  std::string success_url;
  std::string cancel_url;
  std::string description;
  std::string customer_email;
  std::string customer_name;
  std::string customer_mobile;
  bool captures_at_once = false;  ///< even if the route would capture separately
  metadata_map metadata;
  platform_id made_by{};  ///< the platform whose key requested it; empty: a merchant's own key, or an old row

  bool operator==(const payment_details&) const = default;
};

/// The payment's customer, if a platform has named one.
struct payment_customer {
  platform_id platform;
  std::string ref;          ///< the platform's id of the customer
  std::string provider_id;  ///< the provider's id of the customer; empty until it is known
  bool saves_method = false;     ///< once the payment is approved, its method is saved
  bool charges_saved = false;    ///< payment_method is one that was saved before
  std::string saved_method;  ///< the provider's token of the method saved for the customer; empty until it is saved
  bool saves_on_session = false;  ///< the saved method is meant to be charged while the customer is present
  unsigned generation = 0;  ///< how often a provider has deleted the customer before: part of the key that makes it

  bool operator==(const payment_customer&) const = default;
};

struct payment {
  entity_key key;
  std::int64_t version = 0;  ///< every durable change is a compare-and-swap on this
  payment_state state = payment_state::created;
  money amount;
  flow how = flow::server;
  provider_kind provider = provider_kind::sandbox;
  std::string account;  ///< the merchant's account at the provider
  bool hides_provider = false;  ///< a wallet entity's payment: answers do not name the provider
  std::string provider_ref;
  provider_status status = provider_status::none;
  std::optional<provider_error> error;
  std::string hosted_url;
  std::int64_t captured = 0;  ///< minor units, below `amount` after a partial capture
  std::int64_t refunded = 0;  ///< minor units, cumulative, never above captured
  std::optional<time_point> captured_at;
  std::optional<open_operation> open;
  std::optional<time_point> due_at;  ///< when the reconciler must handle it again
  std::uint32_t next_seq = 1;  ///< for its timeline
  time_point created_at{};
  time_point updated_at{};
  std::optional<payment_customer> customer;
  payment_details details;
  payment_records records{};
  /// When the customer's browser last posted the form of the hosted page to the provider.
  std::optional<time_point> handed_over_at{};

  bool operator==(const payment&) const = default;
};

/// Whether the payment has parts that other platforms of the merchant may not see: the customer's reference and method,
/// and the metadata.
inline bool has_private_parts(const payment& p) noexcept { return p.customer || !p.details.metadata.empty(); }

/// The error of a payment whose checkout was cancelled.
inline constexpr std::string_view checkout_cancelled = "checkout_cancelled";
inline bool is_cancelled(const payment& p) noexcept {
  return p.state == payment_state::failed && p.error && p.error->code == checkout_cancelled;
}

/// Whether that platform made the payment, and may see all of it. Old rows name their platform only with their
/// customer.
inline bool is_made_by(const payment& p, const platform_id& platform) noexcept {
  const auto& maker = p.details.made_by.empty() && p.customer ? p.customer->platform : p.details.made_by;
  return maker == platform;
}

enum class timeline_kind : unsigned char { attempt, event };

/// One row of a payment's history. Attempts are calls to the provider; events are sent to destinations.
struct timeline_entry {
  std::uint32_t seq = 0;
  timeline_kind kind = timeline_kind::attempt;
  std::string operation;  ///< `authorize`, `charge`, …; for events the event type
  std::string status;  ///< of the attempt; `published` for events
  std::string error_code;
  std::string message;
  time_point occurred_at{};
  std::string event_id;  ///< events: evt_<id>
  std::string event_data;  ///< events: the JSON object of the envelope's `data`
  entry_origin by = entry_origin::api;

  bool operator==(const timeline_entry&) const = default;
};

// ---- commands -------------------------------------------------------------------------------

/// The platform's customer of a payment. Only platforms may name one: `platform` is empty where a merchant's own key
/// signed.
struct wanted_customer {
  platform_id platform;
  std::string ref;
  bool saves_method = false;  ///< setup_future_usage: save the charged method
  bool off_session = false;  ///< no method is named: charge the one saved last
  bool on_session = false;  ///< the saved method is meant to be charged while the customer is present
};

struct create_payment {
  money amount;
  flow how = flow::server;
  bool wallet_selected = false;  ///< payment_method_type pkr_wallet
  std::optional<wanted_customer> customer;
  payment_details details;
};

/// Charges a method that is saved for a customer: `details.payment_method`.
struct charge_saved {
  money amount;
  wanted_customer customer;
  payment_details details;
};

struct capture_payment {
  std::int64_t amount = 0;  ///< minor units; 0 is all that was authorized. The rest of the authorization is released
};

struct refund_payment {
  std::int64_t amount = 0;  ///< minor units; 0 is all that remains
  std::string reason;
};

struct void_payment {
  std::string reason;
};

/// Ends a payment that waits for its customer.
struct cancel_payment {
  std::string reason;
};

/// From an operator: the outcome of an operation, or of a wait for the customer, if the provider does not report it.
struct settle_payment {
  bool approved = false;
  std::string reason;
};

/// From an operator: a refund that was made elsewhere and that the provider does not report.
struct record_refund {
  std::int64_t amount = 0;  ///< minor units
  std::string reference;  ///< names the refund; each counts once
  std::string reason;
};

/// From an operator: the sandbox does this to the payment.
struct act_in_sandbox {
  sandbox_act what;
};

/// What the customer did on a page. `sent`: the gateway's page sent the customer to the provider's.
enum class hosted_signal : unsigned char { paid, declined, sent };

}  // namespace gateway
