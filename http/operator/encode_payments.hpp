// Payments as operators see them: with their merchant, and always with their provider.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/ports/store/entity_rows.hpp"

namespace gateway::http {

/// `{"payments":[…]}`. `rest` has further members, each preceded by a comma.
std::string encode_listed_payments(const std::vector<payment_ptr>& payments, duration_ms hosted_expiry,
                                   std::string_view rest = {});

/// The members of GET /v1/payment_intents/{payment_id} and those of the list. `provider` is an object, as in GET.
std::string encode_payment_for_operator(const payment& subject, duration_ms hosted_expiry);

}  // namespace gateway::http
