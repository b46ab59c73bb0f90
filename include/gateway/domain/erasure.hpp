// Erasure of personal data. Names, e-mail addresses, mobile numbers, descriptions, metadata and free texts become
// empty; amounts, states, references and customer_ref stay. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "gateway/domain/payment.hpp"
#include "gateway/domain/sandbox_biller.hpp"
#include "gateway/domain/subscription.hpp"

namespace gateway {

/// Why a payment's data are still needed.
enum class erasure_obstacle : unsigned char {
  none,
  open_operation,  ///< an operation is under way, or its outcome is unknown
  not_ended,  ///< it waits for its customer or its provider, and still needs the data
};

erasure_obstacle obstacle_to_erasure(const payment& p) noexcept;
erasure_obstacle obstacle_to_erasure(const subscription& s) noexcept;

/// An address without its query and fragment, in which a shop may have put data of its customer.
std::string without_query(std::string_view url);

// The version stays; the caller increments it.
payment without_personal_data(payment p);
subscription without_personal_data(subscription s);
sandbox_enrollment without_personal_data(sandbox_enrollment e);

/// A JSON text without the members that hold personal data, however deep; metadata stays as an empty object, and the
/// message of an error as an empty text. A text that is not a JSON object becomes `{}`, because it may hold personal
/// data.
std::string json_without_personal_data(std::string_view json);

/// A provider's post: JSON as above, or an HTML form whose fields with personal data become empty.
std::string post_without_personal_data(std::string_view body);

/// Whether the text contains the reference as a whole word, so that `pi_1` is not found in `pi_12`.
bool names_reference(std::string_view text, std::string_view reference) noexcept;

}  // namespace gateway
