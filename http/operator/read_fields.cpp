#include "read_fields.hpp"

namespace gateway::http {

std::optional<environment> read_optional_mode(field_reader& fields) {
  const auto mode = fields.text("mode", most_operator_id);
  const auto env = parse_environment(mode);
  if (!env && !mode.empty()) fields.reject("mode", "must be test or live");
  return env;
}

named_owner read_owner(field_reader& fields) {
  const auto merchant = fields.text("merchant_id", most_operator_id),
             platform = fields.text("platform_id", most_operator_id);
  if (!merchant.empty() && !platform.empty()) fields.reject("platform_id", "may not stand beside merchant_id");
  if (!platform.empty()) return {destination_kind::platform, platform};
  return {destination_kind::merchant, merchant};
}

}  // namespace gateway::http
