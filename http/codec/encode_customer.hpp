// Customers as JSON.
#pragma once

#include <string>
#include <vector>

#include "gateway/ports/store/entity_rows.hpp"

namespace gateway::http {

/// For the customer's platform.
std::string encode_customer(const customer& subject);
/// For operators, who also see the saved methods.
std::string encode_customers(const std::vector<customer_ptr>& customers);

}  // namespace gateway::http
