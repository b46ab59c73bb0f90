// JazzCash's two posts: the post of the customer's browser when it returns, and JazzCash's own notification of a
// payment (IPN). Sources: README.md beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "gateway/ports/provider_adapter.hpp"

namespace gateway::actors::jazzcash {

/// The payment's key as the form's field ppmpf_1, which the hash covers and the browser returns: letters and digits.
/// nullopt if it would exceed the length of such a field.
std::optional<std::string> payment_field(const entity_key& key);
std::optional<entity_key> read_payment_field(std::string_view text);

/// Reads either post. The hash is checked before any other field.
std::variant<receive_notification, notification_fault> read_post(const incoming_notification& in,
                                                                 std::string_view merchant_id, std::string_view salt,
                                                                 environment env);

/// The payment whose key the post contains. An IPN contains only the transaction's reference, by which the payment must
/// be looked up.
notification_subject subject_of(const notification& what);

}  // namespace gateway::actors::jazzcash
