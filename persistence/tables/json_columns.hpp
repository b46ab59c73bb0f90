// The values that are stored as JSON text. They are read and written as a whole, and never searched.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/customer.hpp"
#include "gateway/domain/destination_health.hpp"
#include "gateway/domain/grant.hpp"
#include "gateway/domain/payment.hpp"

namespace gateway::persistence {

std::string to_json(const payment_details& details);
std::string to_json(const payment_customer& customer);
std::string to_json(const payment_records& records);
std::string to_json(const provider_error& error);
/// Without merchant and environment, which are the payment's.
std::string to_json(const open_operation& open);
std::string to_json(const std::vector<std::string>& texts);
std::string to_json(const std::vector<auth_code>& codes);
std::string to_json(const std::vector<customer_name>& names);
/// Times by name.
std::string to_json(const std::map<std::string, time_point, std::less<>>& times);
std::string to_json(const std::vector<delivery_attempt>& attempts);
std::string to_json(const std::vector<attempts_of_hour>& hours);

// Throw corrupt_row.
payment_details details_from_json(std::string_view text);
payment_customer customer_from_json(std::string_view text);
payment_records records_from_json(std::string_view text);
provider_error error_from_json(std::string_view text);
open_operation open_operation_from_json(std::string_view text, const entity_key& of);
std::vector<std::string> texts_from_json(std::string_view text);
std::vector<auth_code> codes_from_json(std::string_view text);
std::vector<customer_name> names_from_json(std::string_view text);
std::map<std::string, time_point, std::less<>> times_from_json(std::string_view text);
std::vector<delivery_attempt> attempts_from_json(std::string_view text);
std::vector<attempts_of_hour> hours_from_json(std::string_view text);

}  // namespace gateway::persistence
