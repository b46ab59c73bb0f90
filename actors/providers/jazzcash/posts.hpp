// What JazzCash posts: the customer's browser on its way back, and its own notification of a payment (IPN).
// Sources: README.md beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "gateway/provider_adapter.hpp"

namespace gateway::actors::jazzcash {

/// Which payment it is, as the form's ppmpf_1, which the browser brings back under the hash: letters and digits.
/// Nothing if that would be longer than such a field may be.
std::optional<std::string> payment_field(const entity_key& key);
std::optional<entity_key> read_payment_field(std::string_view text);

/// Either post. Its hash is checked before anything else of it.
std::variant<receive_notification, notification_fault> read_post(const incoming_notification& in,
                                                                 std::string_view merchant_id, std::string_view salt,
                                                                 environment env);

/// An IPN names the transaction only, and no payment: such a one is about nothing that is known here.
notification_subject subject_of(const notification& what);

}  // namespace gateway::actors::jazzcash
