// The one table of errors: each code's status, body shape and words, whether its result is kept under the idempotency
// key, and the paragraph that /docs/errors tells about it. The connection's own errors, those of requests and of
// business rules, and the pages that people see instead of them all take their status and text from here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gateway/directory_commands.hpp"
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
  oauth_invalid_request,  ///< invalid_request of the token endpoint, which describes it
  invalid_grant,
  // 401, 403
  unauthorized,
  platform_key_invalid,
  platform_suspended,
  invalid_client,
  forbidden,
  not_granted,  ///< GRANT_NOT_FOUND of a platform that acts for a merchant
  grant_elsewhere,
  scope_denied,
  scope_not_granted,
  // 404 to 431, of the protocol
  not_found,
  payment_not_found,
  customer_not_found,
  subscription_not_found,
  grant_not_found,  ///< GRANT_NOT_FOUND of the revoke endpoint
  method_not_allowed,
  request_timeout,
  token_unusable,
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
  not_refundable,
  payment_outcome_pending,
  subscription_outcome_pending,
  conflict,  ///< an operator's command that names something in the way
  // 422
  merchant_not_charge_capable,
  no_eligible_provider,
  platform_key_required,
  wallet_not_available,
  test_customer_mappings_unavailable,
  provider_operation_unsupported,
  refund_exceeds_captured,
  // 5xx
  internal_error,
  account_lookup_failed,
  provider_outcome_unknown,
  checkout_failed,  ///< of a subscription; its body has no code of ours
  cancel_rejected,
  cancel_outcome_unknown,
  refund_not_supported,
  void_not_supported,
  refund_rejected,
  void_rejected,
  overloaded,
  provider_unavailable,
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
  bool stored;               ///< kept under the idempotency key, so that a retry gets it again
  std::string_view text;     ///< the code or text that callers see
  std::string_view message;  ///< when there is nothing more exact to say
  std::string_view about;    ///< for /docs/errors
};

std::span<const error_row> error_catalogue() noexcept;
const error_row& row_of(error_code code) noexcept;

/// Which code a problem of the domain has.
error_code code_of(problem why) noexcept;
error_code code_of(subscription_problem why) noexcept;
/// The operation that a problem is about, where its body says so: `capture` or `void`.
std::optional<std::string_view> operation_of(problem why) noexcept;

/// The fragment of /docs/errors that tells about a code: its text, blanks as underscores. Codes of one text share it.
std::string anchor_of(const error_row& row);
std::string docs_url(std::string_view base_url, const error_row& row);

/// The body of every shape but `envelope`, whose payment the encoder has to hand. An empty message means the row's own.
std::string error_body(error_code code, std::string_view message, std::string_view base_url,
                       std::string_view operation = {});

/// Why a request is turned away before it reaches the rules of the business: it could not be read, or its caller may
/// not do what it asks for.
struct rejection {
  error_code code = error_code::invalid_request;
  std::string message;  ///< empty: the code's own
};

/// A whole answer. `base_url` matters to the typed shape only.
response error_response(error_code code, std::string_view message = {}, std::string_view base_url = {});
response error_response(const rejection& why);
/// For problems that are not stored, merchant_not_charge_capable apart (its body needs the merchant: setup_link.hpp).
response error_response(problem why, std::string_view base_url);
/// The directory's own words.
response error_response(const operator_problem& why);

/// What goes wrong for people in a browser, who are shown a page.
enum class page_error : unsigned char {
  incomplete_form,  ///< of a payment page
  doubtful_return,  ///< what a browser brings from a provider's page does not carry the provider's signature
  malformed_form,  ///< of any other
  authorize_link,  ///< the message says which fault
  stale_form,  ///< of a payment page
  forged_form,  ///< of any other
  not_an_owner,
  nothing_here,  ///< no page of the portal, or another's
  unknown_page,  ///< of a payment
  unknown_document,  ///< of /docs
  closed_page,  ///< of a payment
  unusable_link,  ///< an invitation or a setup link that is used, expired or forged
  closed_onboarding,
  silent_provider,  ///< where an account was to be opened
  refused_form,  ///< the form's page again
  slowed_down,
  busy,
  too_many_requests,  ///< from one address
};

struct page_error_row {
  page_error what;
  int status;
  std::string_view title;
  std::string_view message;
};
const page_error_row& row_of(page_error what) noexcept;

/// Tells a client whose request can succeed later when to come back. Other answers stay as they are.
void add_retry_after(response& out);

}  // namespace gateway::http
