// The one table of errors: each code's status, body shape and text, and whether its result is stored under the
// idempotency key. Errors of the connection, of requests and of business rules take their status and text from here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/directory/commands.hpp"
#include "gateway/domain/problem.hpp"
#include "gateway/domain/subscription_machine.hpp"
#include "message.hpp"

namespace gateway::http {

enum class error_code : unsigned char {
  // 400
  bad_request,  ///< not HTTP/1.1 at all
  invalid_request,
  merchant_id_mismatch,
  idempotency_key_required,
  idempotency_key_invalid,
  currency_not_supported,
  server_flow_requires_payment_method,
  invalid_environment,
  service_merchant_required,
  oauth_invalid_request,  ///< the token endpoint's invalid_request, with the described body
  invalid_grant,
  // 401, 403
  unauthorized,
  platform_key_invalid,
  platform_suspended,
  invalid_client,
  forbidden,
  not_granted,  ///< GRANT_NOT_FOUND for a platform that acts for a merchant
  grant_elsewhere,
  scope_denied,
  scope_not_granted,
  // 404 to 431, except 409 and 422
  not_found,
  payment_not_found,
  customer_not_found,
  subscription_not_found,
  dispute_not_found,
  event_not_found,
  grant_not_found,  ///< GRANT_NOT_FOUND from the revoke endpoint
  method_not_allowed,
  request_timeout,
  token_unusable,
  cursor_expired,
  body_too_large,
  unsupported_media_type,
  rate_limited,
  headers_too_large,
  // 409
  request_in_progress,
  idempotency_key_reused,
  payment_already_exists,
  subscription_already_exists,
  not_capturable,
  not_voidable,
  not_cancellable,
  not_refundable,
  payment_disputed,
  payment_outcome_pending,
  subscription_outcome_pending,
  conflict,  ///< an operator's command conflicts with something that exists
  // 422
  merchant_not_charge_capable,
  no_eligible_provider,
  platform_key_required,
  wallet_not_available,
  test_customer_mappings_unavailable,
  provider_operation_unsupported,
  refund_exceeds_captured,
  capture_exceeds_authorized,
  // 5xx
  internal_error,
  account_lookup_failed,
  provider_outcome_unknown,
  checkout_failed,  ///< of a subscription; its body has no error code
  cancel_rejected,
  cancel_outcome_unknown,
  refund_not_supported,
  void_not_supported,
  refund_rejected,
  void_rejected,
  overloaded,
  provider_unavailable,
  recovery_required,  ///< the database lacks writes that were answered
  store_unavailable,
  stopping,
  answer_timeout,
  not_ready,
};

enum class body_shape : unsigned char {
  described,  ///< {"error","error_description"}
  plain,      ///< {"error","message"}
  bare,       ///< {"error"}
  typed,      ///< {"error":{"code","message","docs_url",…}}
  envelope,   ///< the payment's envelope plus "error"
};

struct error_row {
  error_code code;
  int status;
  body_shape shape;
  bool stored;               ///< stored under the idempotency key: a retry gets the same answer
  std::string_view text;     ///< the code or text that callers see
  std::string_view message;  ///< the default message
};

std::span<const error_row> error_catalogue() noexcept;
const error_row& row_of(error_code code) noexcept;

/// The code of a domain problem.
error_code code_of(problem why) noexcept;
error_code code_of(subscription_problem why) noexcept;
/// The operation that a problem's body names, if it names one: `capture` or `void`.
std::optional<std::string_view> operation_of(problem why) noexcept;

/// The fragment of /docs/errors that describes a code: its text with spaces as underscores. Codes with the same text
/// share it.
std::string anchor_of(const error_row& row);
std::string docs_url(std::string_view base_url, const error_row& row);

/// The whole body; it has a `docs_url` unless its shape is `bare`. Not for `envelope`: only the encoder has the
/// payment. An empty message means the row's own.
std::string error_body(error_code code, std::string_view message, std::string_view base_url,
                       std::string_view operation = {});

/// What is wrong with one field of a request's body.
struct field_fault {
  std::string name;     ///< a nested field has the name of the outermost
  std::string message;  ///< names the field, too
};

/// Why a request is rejected before it reaches the business rules: it cannot be read, or its caller may not do what it
/// asks for.
struct rejection {
  error_code code = error_code::invalid_request;
  std::string message;  ///< empty: the row's own
  std::vector<field_fault> fields = {};  ///< set if fields of the body are the reason; `message` is the first one's
};

/// A whole answer. Only the typed shape uses `base_url`. The server adds `docs_url` to plain and described bodies
/// (add_docs_url), because most callers do not have the address.
response error_response(error_code code, std::string_view message = {}, std::string_view base_url = {});
response error_response(const rejection& why);
/// For problems that are not stored, except merchant_not_charge_capable (its body needs the merchant: setup_link.hpp).
response error_response(problem why, std::string_view base_url);
/// Uses the directory's own message.
response error_response(const operator_problem& why);

/// The one field of the body that the code is about, for codes that are always about the same one; otherwise empty.
std::string_view field_of(error_code code) noexcept;
/// That field as a list of faults. An empty message means the row's own.
std::vector<field_fault> faults_of(error_code code, std::string_view message = {});

/// Adds `docs_url` to an error's body, if it has none yet.
void add_docs_url(response& out, std::string_view base_url);

/// Adds Retry-After where a later retry can succeed. Leaves other answers unchanged.
void add_retry_after(response& out);

}  // namespace gateway::http
