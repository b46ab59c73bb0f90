// The fields of request bodies, one list for each kind of body. The decoders can read no others, and docs/openapi.json
// describes them. Add a new field here first; tests/http/unit_openapi_bodies.cpp then requires it in the document.
#pragma once

#include <array>
#include <string_view>

namespace gateway::http {

namespace body_fields {

inline constexpr auto create = std::to_array<std::string_view>(
    {"payment_id", "amount", "currency", "flow", "payment_method", "success_url", "cancel_url", "description",
     "customer_email", "customer_name", "metadata", "customer_mobile", "payment_method_type", "customer_ref",
     "setup_future_usage", "merchant_id"});
inline constexpr auto capture = std::to_array<std::string_view>({"amount", "merchant_id"});
inline constexpr auto refund = std::to_array<std::string_view>({"amount", "reason", "merchant_id"});
inline constexpr auto voiding = std::to_array<std::string_view>({"reason", "merchant_id"});
inline constexpr auto cancel = std::to_array<std::string_view>({"reason", "merchant_id"});
inline constexpr auto charge = std::to_array<std::string_view>(
    {"payment_id", "amount", "currency", "customer_ref", "payment_method_id", "off_session", "auto_capture",
     "description", "customer_email", "customer_name", "metadata", "merchant_id"});
inline constexpr auto subscription = std::to_array<std::string_view>(
    {"subscription_id", "customer_ref", "amount", "currency", "interval", "interval_count", "trial_period_days",
     "success_url", "cancel_url", "description", "metadata", "merchant_id"});
inline constexpr auto sdk_confirmation = std::to_array<std::string_view>({"client_secret", "outcome"});
inline constexpr auto setup_token = std::to_array<std::string_view>({"token"});
inline constexpr auto token = std::to_array<std::string_view>({"grant_type", "code", "redirect_uri"});
inline constexpr auto revoke = std::to_array<std::string_view>({"reason"});

}  // namespace body_fields

/// In the query of a customer's look-up, besides `environment`.
inline constexpr std::string_view customer_ref_parameter = "ref";
/// In the queries of lists, besides the parameters of every list (list_query.hpp).
inline constexpr auto payment_filters = std::to_array<std::string_view>(
    {"state", "currency", "created_from", "created_to", "customer_ref", "provider_ref"});
inline constexpr auto subscription_filters = std::to_array<std::string_view>({"status", "customer_ref"});
inline constexpr auto customer_filters = std::to_array<std::string_view>({"customer_ref"});
inline constexpr auto dispute_filters = std::to_array<std::string_view>({"status", "payment_id"});
inline constexpr auto event_filters = std::to_array<std::string_view>({"from", "types", "wait"});
/// In the query of a platform's request.
inline constexpr std::string_view environment_parameter = "environment";

}  // namespace gateway::http
