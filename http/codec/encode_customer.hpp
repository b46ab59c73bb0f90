// Customers as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/ports/store/entity_rows.hpp"

namespace gateway::http {

/// For the customer's platform.
std::string encode_customer(const customer& subject);
/// The body of GET /v1/customers; each customer's newest method comes first. `next`: the cursor of the next page; empty
/// on the last page.
std::string encode_customer_list(const std::vector<customer_ptr>& customers, std::string_view next);
/// For operators, who also see the saved methods.
std::string encode_customers(const std::vector<customer_ptr>& customers);

}  // namespace gateway::http
