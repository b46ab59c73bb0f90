// Requests of the payments API, from headers and bytes to typed commands. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decoded.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/subscription.hpp"

namespace gateway::http {

/// What the rules for fields depend on.
struct decode_context {
  environment env = environment::test;
  std::size_t json_depth = 32;
  bool has_customers = false;  ///< whether the caller can have customers
  /// Receives the value of the header `Ignored-Fields`, if the body is valid; null outside test mode.
  std::optional<std::string>* ignored = nullptr;
};

/// A write as its body describes it. Authorization checks whether the body may name that merchant.
template <class Command>
struct write_body {
  merchant_id merchant;  ///< empty if none is named
  Command command;
};

struct create_body : write_body<create_payment> {
  payment_id id;
};

decoded<create_body> decode_create(std::string_view body, const decode_context& context);
/// These four accept an empty body.
decoded<write_body<capture_payment>> decode_capture(std::string_view body, const decode_context& context);
decoded<write_body<refund_payment>> decode_refund(std::string_view body, const decode_context& context);
decoded<write_body<void_payment>> decode_void(std::string_view body, const decode_context& context);
decoded<write_body<cancel_payment>> decode_cancel(std::string_view body, const decode_context& context);

struct charge_body : write_body<charge_saved> {
  payment_id id;
};
decoded<charge_body> decode_charge(std::string_view body, const decode_context& context);

struct subscription_body : write_body<open_subscription_checkout> {
  std::string id;
};
decoded<subscription_body> decode_subscription(std::string_view body, const decode_context& context);

/// The customer_ref that the query's `ref` names.
decoded<std::string> decode_customer_query(std::string_view query);

/// The outcome of a charge that waits for its customer, as a platform's page reports it to the sandbox. A real
/// provider's SDK would report it.
struct sdk_confirmation {
  std::string client_secret;
  hosted_signal signal = hosted_signal::paid;
};
decoded<sdk_confirmation> decode_sdk_confirmation(std::string_view body, std::size_t json_depth);

/// The token of POST /v1/public/onboarding/exchange-setup-token.
decoded<std::string> decode_setup_token(std::string_view body, std::size_t json_depth);

/// The Idempotency-Key as a lower-case UUID.
decoded<std::string> decode_idempotency_key(std::optional<std::string_view> header);
/// Whether a request with this body and Content-Type may be read as JSON.
bool is_json_request(std::string_view body, std::optional<std::string_view> content_type) noexcept;

/// Exactly one `@` between a local part and a domain, and only characters that an address can hold.
bool looks_like_email(std::string_view text) noexcept;

}  // namespace gateway::http
