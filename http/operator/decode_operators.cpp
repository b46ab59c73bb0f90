#include "decode_operators.hpp"

#include "read_fields.hpp"

namespace gateway::http {

decoded<new_operator> decode_add_operator(std::string_view body, std::size_t json_depth) {
  return decode_with<new_operator>(body, json_depth, [](field_reader& fields, new_operator& wanted) {
    wanted.name = fields.required_text("name", most_operator_name);
    if (!is_operator_name(wanted.name))
      fields.reject("name", "must be up to 64 visible ASCII characters, without a blank at either end, not `gateway`");
    const auto role = parse_operator_role(fields.required_text("role", most_operator_id));
    if (!role) fields.reject("role", "must be admin, support or viewer");
    wanted.role = role.value_or(operator_role::viewer);
  });
}

decoded<std::string> decode_named_operator(std::string_view body, std::size_t json_depth) {
  return decode_with<std::string>(body, json_depth, [](field_reader& fields, std::string& name) {
    name = fields.required_text("name", most_operator_name);
  });
}

}  // namespace gateway::http
