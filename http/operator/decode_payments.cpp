#include "decode_payments.hpp"

#include <limits>

#include "gateway/domain/money.hpp"
#include "gateway/domain/text.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::int64_t most_listed_payments = 10'000;
constexpr std::int64_t longest_age_ms = 100 * 366 * std::int64_t{86'400'000};
constexpr std::size_t longest_cursor = 256, longest_reason = 512, longest_reference = 128, longest_refund_id = 64;

void read_named_payment(field_reader& fields, named_payment& into) {
  const auto id = fields.required_text("payment_id", most_operator_id);
  auto merchant = read_named_merchant(fields);
  const auto env = parse_environment(fields.required_text("mode", most_operator_id));
  if (!env) fields.reject("mode", "must be test or live");
  into.key = payment_key(std::move(merchant), env.value_or(environment::test), payment_id{id});
}

bool takes_amount(sandbox_act_kind act) noexcept {
  using enum sandbox_act_kind;
  return act == dispute_open || act == dispute_warn || act == refund_outside || act == capture_outside;
}

bool names_refund(sandbox_act_kind act) noexcept {
  return act == sandbox_act_kind::refund_settle || act == sandbox_act_kind::refund_fail;
}

}  // namespace

decoded<payment_filter> decode_list_payments(std::string_view body, std::size_t json_depth) {
  return decode_with<payment_filter>(body, json_depth, [](field_reader& fields, payment_filter& filter) {
    filter.merchant = merchant_id{fields.text("merchant_id", most_operator_id)};
    filter.env = read_optional_mode(fields);
    const auto state = fields.text("state", most_operator_id);
    filter.state = parse_payment_state(state);
    if (!state.empty() && !filter.state) fields.reject("state", "is not a state of payments");
    filter.unknown = fields.boolean("unknown", false);
    if (const auto age = fields.integer("older_than_ms", 0, longest_age_ms)) filter.older_than = duration_ms{*age};
    const auto after = fields.text("after", longest_cursor);
    filter.after = parse_list_cursor(after);
    if (!after.empty() && !filter.after) fields.reject("after", "must be the `next` of a list");
    if (filter.after && filter.unknown) fields.reject("after", "may not stand beside unknown");
    if (filter.after && !filter.merchant.empty() && filter.after->merchant != filter.merchant)
      fields.reject("after", "must be the `next` of this merchant's list");
    filter.limit = static_cast<std::uint32_t>(fields.integer("limit", 1, most_listed_payments).value_or(1'000));
  });
}

/// `merchant/mode/ms/payment_id`: none of the first three contains a slash.
std::optional<merchants_payment_position> parse_list_cursor(std::string_view text) {
  const auto merchant = cut_before(text, '/');
  const auto env = parse_environment(cut_before(text, '/'));
  const auto at = parse_whole(cut_before(text, '/'), 0, std::numeric_limits<std::int64_t>::max());
  if (merchant.empty() || !env || !at) return std::nullopt;
  return merchants_payment_position{merchant_id{std::string{merchant}}, *env, {from_unix_ms(*at), std::string{text}}};
}

std::string list_cursor(const merchants_payment_position& at) {
  return std::string{at.merchant.value}
      .append("/")
      .append(to_string(at.env))
      .append("/")
      .append(std::to_string(to_unix_ms(at.behind.created_at)))
      .append("/")
      .append(at.behind.payment_id);
}

decoded<named_payment> decode_named_payment(std::string_view body, std::size_t json_depth) {
  return decode_with<named_payment>(body, json_depth, read_named_payment);
}

decoded<settled_payment> decode_settle_payment(std::string_view body, std::size_t json_depth) {
  return decode_with<settled_payment>(body, json_depth, [](field_reader& fields, settled_payment& wanted) {
    read_named_payment(fields, wanted);
    const auto as = fields.required_text("as", most_operator_id);
    if (as != "approved" && as != "declined") fields.reject("as", "must be approved or declined");
    wanted.how.approved = as == "approved";
    wanted.how.reason = fields.required_text("reason", longest_reason);
  });
}

decoded<recorded_refund> decode_record_refund(std::string_view body, std::size_t json_depth) {
  return decode_with<recorded_refund>(body, json_depth, [](field_reader& fields, recorded_refund& wanted) {
    read_named_payment(fields, wanted);
    wanted.what.amount = fields.integer("amount", 1, max_amount).value_or(0);
    if (wanted.what.amount == 0) fields.reject("amount", "is required");
    wanted.what.reference = fields.required_text("reference", longest_reference);
    wanted.what.reason = fields.required_text("reason", longest_reason);
  });
}

decoded<acted_payment> decode_act_in_sandbox(std::string_view body, std::size_t json_depth) {
  return decode_with<acted_payment>(body, json_depth, [](field_reader& fields, acted_payment& wanted) {
    read_named_payment(fields, wanted);
    const auto act = parse_sandbox_act_kind(fields.required_text("act", most_operator_id));
    if (!act) return fields.reject("act", "is not an act of the sandbox");
    auto& what = wanted.what;
    what.what = *act;
    what.amount = fields.integer("amount", 1, max_amount).value_or(0);
    what.refund_id = fields.text("refund_id", longest_refund_id);
    if (what.amount != 0 && !takes_amount(*act)) fields.reject("amount", "does not go with this act");
    const bool needs_amount = *act == sandbox_act_kind::refund_outside || *act == sandbox_act_kind::capture_outside;
    if (what.amount == 0 && needs_amount) fields.reject("amount", "is required");
    if (what.refund_id.empty() == names_refund(*act))
      fields.reject("refund_id", names_refund(*act) ? "is required" : "does not go with this act");
  });
}

}  // namespace gateway::http
