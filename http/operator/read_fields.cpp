#include "read_fields.hpp"

#include <algorithm>

#include "gateway/domain/text.hpp"

namespace gateway::http {

std::optional<environment> read_optional_mode(field_reader& fields) {
  const auto mode = fields.text("mode", most_operator_id);
  const auto env = parse_environment(mode);
  if (!env && !mode.empty()) fields.reject("mode", "must be test or live");
  return env;
}

std::optional<time_point> read_time(field_reader& fields, std::string_view name) {
  const auto text = fields.text(name, most_operator_id);
  if (text.empty()) return std::nullopt;
  auto whole = text;
  duration_ms fraction{0};
  if (text.size() == 24 && text[19] == '.' && std::all_of(text.begin() + 20, text.begin() + 23, is_digit)) {
    fraction = duration_ms{(text[20] - '0') * 100 + (text[21] - '0') * 10 + (text[22] - '0')};
    whole.erase(19, 4);
  }
  const auto at = parse_seconds(whole);
  if (!at) fields.reject(name, "must be a time such as 2026-11-20T09:30:00Z");
  return at ? std::optional{*at + fraction} : std::nullopt;
}

named_owner read_owner(field_reader& fields) {
  const auto merchant = fields.text("merchant_id", most_operator_id),
             platform = fields.text("platform_id", most_operator_id);
  if (!merchant.empty() && !platform.empty()) fields.reject("platform_id", "may not stand beside merchant_id");
  if (!platform.empty()) return {destination_kind::platform, platform};
  return {destination_kind::merchant, merchant};
}

}  // namespace gateway::http
