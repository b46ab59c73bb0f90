// What Stripe's answers say, as far as the gateway needs it. Every byte of them may be anything: whatever is missing or
// of another type than documented reads as empty, and what is no JSON object reads as nothing. Throws std::bad_alloc
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/http_client.hpp"

namespace gateway::actors::stripe {

/// Of an error, or of a payment's last failed attempt.
struct stripe_error {
  std::string type, code, decline_code, param, message;
  std::string intent_id;  ///< of the payment that it is about, where it names one

  bool operator==(const stripe_error&) const = default;
};

/// A PaymentIntent.
struct intent {
  std::string id, status, client_secret, customer, payment_method;
  std::string redirect_url;  ///< https; where the customer approves the payment
  std::string key;  ///< the provider key by which it was made
  std::string charge;  ///< the last one that was attempted: what its balance transaction is of
  std::int64_t received = 0;  ///< in Stripe's unit
  std::optional<stripe_error> last_error;

  bool operator==(const intent&) const = default;
};

/// A Checkout Session.
struct checkout {
  std::string id, status, payment_status, customer;
  std::string url;  ///< https; empty once it is not open
  std::string intent_id;  ///< empty until the customer pays
  std::string subscription_id;  ///< of one that sells a subscription: empty until the customer has paid
  std::optional<intent> expanded;  ///< where the payment was asked for with it
};

struct refund {
  std::string id, status, failure_reason;
  std::string key;  ///< the provider key by which it was made
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
std::optional<stripe_error> read_error(std::string_view body);
/// The id of whatever it is, if Stripe could have made that id.
std::optional<std::string> read_id(std::string_view body);

enum class reply_kind : unsigned char {
  success,  ///< the body is for the reader of what was asked for
  rejected,  ///< Stripe has said no: `error`
  credentials,  ///< it was not looked at: our key is not valid, or not for this account
  throttled,  ///< it was not looked at: too many requests
  other_call,  ///< the key stands for another request, or for one that is under way
  server_fault,  ///< Stripe failed: it may have done something
  unclear,  ///< no answer, or none that makes sense: it may have done something
  unsent,  ///< nothing has left
};

struct reply {
  reply_kind kind = reply_kind::unclear;
  std::string_view body{};
  std::optional<stripe_error> error{};
  /// The request went out twice. That the second was not looked at says nothing of the first.
  bool second = false;
};

/// `heard` outlives the reply. Null: nothing was heard.
reply read_reply(const http_outcome* heard);

}  // namespace gateway::actors::stripe
