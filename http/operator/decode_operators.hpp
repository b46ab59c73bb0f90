// The operator's commands about operators, from the JSON that gatewayctl sends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/domain/operator_role.hpp"
#include "http/codec/decoded.hpp"

namespace gateway::http {

struct new_operator {
  std::string name;
  operator_role role = operator_role::viewer;
};

decoded<new_operator> decode_add_operator(std::string_view body, std::size_t json_depth);
/// Reads the operator's name.
decoded<std::string> decode_named_operator(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
