// Requests of the payments interface, from headers and bytes to typed commands. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decoded.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/payment.hpp"

namespace gateway::http {

/// Who asks, and within which bounds.
struct decode_context {
  const merchant_id& caller;
  environment env = environment::test;
  std::size_t json_depth = 32;
};

struct create_body {
  payment_id id;
  create_payment command;
};

decoded<create_body> decode_create(std::string_view body, const decode_context& context);
/// These three accept an empty body.
decoded<capture_payment> decode_capture(std::string_view body, const decode_context& context);
decoded<refund_payment> decode_refund(std::string_view body, const decode_context& context);
decoded<void_payment> decode_void(std::string_view body, const decode_context& context);

/// The token of POST /v1/public/onboarding/exchange-setup-token.
decoded<std::string> decode_setup_token(std::string_view body, std::size_t json_depth);

/// The Idempotency-Key as a lower-case UUID.
decoded<std::string> decode_idempotency_key(std::optional<std::string_view> header);
/// Whether a request with this body and Content-Type may be read as JSON.
bool is_json_request(std::string_view body, std::optional<std::string_view> content_type) noexcept;

/// One `@` between a local part and a domain, and nothing that an address cannot hold.
bool looks_like_email(std::string_view text) noexcept;

}  // namespace gateway::http
