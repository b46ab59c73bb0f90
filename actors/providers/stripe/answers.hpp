// Readers of Stripe's answers, for what the gateway needs. The bytes are untrusted: a member that is missing or not of
// the documented type reads as empty, and a body that is not a JSON object as nothing. Throws only std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/time.hpp"
#include "gateway/ports/http_client.hpp"

namespace gateway::actors::stripe {

/// An error, or the error of a payment's last failed attempt.
struct stripe_error {
  std::string type, code, decline_code, param, message;
  std::string intent_id;  ///< of the payment that it concerns, if it names one

  bool operator==(const stripe_error&) const = default;
};

/// A Charge. Amounts are in Stripe's unit; nullopt if the answer has none.
struct made_charge {
  std::int64_t amount = 0;  ///< authorized
  std::int64_t captured = 0;
  std::optional<std::int64_t> refunded;  ///< may include the amount that a partial capture released
  std::optional<bool> disputed;
  std::optional<time_point> capture_before;  ///< when the authorization ends

  bool operator==(const made_charge&) const = default;
};

/// A PaymentIntent.
struct intent {
  std::string id, status, client_secret, customer, payment_method;
  std::string redirect_url;  ///< https; where the customer approves the payment
  std::string key;  ///< the provider key that created it
  std::string charge;  ///< the last one attempted, which has the balance transaction
  std::int64_t received = 0;  ///< in Stripe's unit
  std::optional<stripe_error> last_error;
  std::string cancellation_reason;
  std::string merchant, payment;  ///< the gateway's marks: the merchant, and the payment's id
  std::optional<made_charge> whole_charge;  ///< if the charge was requested with the payment

  bool operator==(const intent&) const = default;
};

/// A Checkout Session.
struct checkout {
  std::string id, status, payment_status, customer;
  std::string url;  ///< https; empty once the session is not open
  std::string intent_id;  ///< empty until the customer pays
  std::string subscription_id;  ///< if it sells a subscription: empty until the customer has paid
  std::optional<intent> expanded;  ///< if the payment was requested with the session
};

struct refund {
  std::string id, status, failure_reason;
  std::string reason;
  std::string key;  ///< the provider key that created it
  std::int64_t amount = 0;  ///< in Stripe's unit
  std::optional<time_point> created;
  bool moved_money = false;  ///< it has a balance transaction
};

struct made_dispute {
  std::string id, status, reason;
  std::string unit;  ///< currency of its amount: ISO 4217 in lower case
  std::int64_t amount = 0;  ///< in Stripe's unit
  std::int64_t balance = 0;  ///< the sum of its withdrawals and returns, in the account's own currency
  std::optional<time_point> created, due_by;
};

struct made_customer {
  std::string id;
  std::string key;  ///< the customer key that created it
};

/// A page of a list.
template <class Each>
struct page {
  std::vector<Each> all;
  bool has_more = false;
};

std::optional<intent> read_intent(std::string_view body);
std::optional<checkout> read_checkout(std::string_view body);
std::optional<refund> read_refund(std::string_view body);
std::optional<page<intent>> read_intents(std::string_view body);
std::optional<page<refund>> read_refunds(std::string_view body);
std::optional<page<made_dispute>> read_disputes(std::string_view body);
std::optional<page<made_customer>> read_customers(std::string_view body);
std::optional<stripe_error> read_error(std::string_view body);
/// The id of an object of any type, if it has the form of a Stripe id.
std::optional<std::string> read_id(std::string_view body);

enum class reply_kind : unsigned char {
  success,  ///< the body is for the reader of the requested object
  rejected,  ///< Stripe refused: `error`
  credentials,  ///< not examined: the key is invalid, or not valid for this account
  throttled,  ///< not examined: too many requests
  other_call,  ///< the idempotency key belongs to another request, or to one in progress
  server_fault,  ///< Stripe failed: the request may have been executed
  unclear,  ///< no answer, or an unreadable one: the request may have been executed
  unsent,  ///< the request was not sent
};

struct reply {
  reply_kind kind = reply_kind::unclear;
  std::string_view body{};
  std::optional<stripe_error> error{};
  /// The request was sent twice. If the second was not examined, the first may still have been executed.
  bool second = false;
  /// Stripe has stored this answer under the key, and repeats it instead of executing the request.
  bool replayed = false;
};

/// `received` must outlive the reply. Null: no outcome.
reply read_reply(const http_outcome* received);

}  // namespace gateway::actors::stripe
