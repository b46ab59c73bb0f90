// Operators of the console, as gatewayctl prints them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/ports/store/operator_questions.hpp"

namespace gateway::http {

/// Includes the link by which the operator sets a password and a second factor.
std::string encode_operator(std::string_view name, operator_role role, std::string_view setup_url);
/// For an audit entry.
std::string role_as_json(operator_role role);
std::string encode_removed_operator(std::string_view name);
/// `{"operators":[…]}`.
std::string encode_operators(const std::vector<listed_operator>& all);

}  // namespace gateway::http
