#include "decode_lists.hpp"

#include <algorithm>

#include "gateway/domain/money.hpp"
#include "gateway/domain/text.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::int64_t most_listed = 1'000;
constexpr std::int64_t most_number = (std::int64_t{1} << 53) - 1;

/// `sub_<merchant>_<provider's id>`.
constexpr std::size_t most_subscription_id = 255;
/// `<provider>:<provider's event id>`.
constexpr std::size_t longest_notification_id = 255;
constexpr std::int64_t most_repeats = 100;

std::uint32_t read_limit(field_reader& fields) {
  return static_cast<std::uint32_t>(fields.integer("limit", 1, most_listed).value_or(100));
}

}  // namespace

decoded<destination_filter> decode_destination_filter(std::string_view body, std::size_t json_depth) {
  return decode_with<destination_filter>(body, json_depth, [](field_reader& fields, destination_filter& filter) {
    filter.owner = read_owner(fields).id;
    filter.env = read_optional_mode(fields);
  });
}

decoded<find_customers> decode_find_customers(std::string_view body, std::size_t json_depth) {
  return decode_with<find_customers>(body, json_depth, [](field_reader& fields, find_customers& query) {
    query.merchant = merchant_id{fields.required_text("merchant_id", most_operator_id)};
    query.limit = static_cast<std::uint32_t>(fields.integer("limit", 1, 10 * most_listed).value_or(most_listed));
  });
}

decoded<find_subscriptions> decode_find_subscriptions(std::string_view body, std::size_t json_depth) {
  return decode_with<find_subscriptions>(body, json_depth, [](field_reader& fields, find_subscriptions& query) {
    query.merchant = merchant_id{fields.required_text("merchant_id", most_operator_id)};
    query.limit = static_cast<std::uint32_t>(fields.integer("limit", 1, 10 * most_listed).value_or(most_listed));
  });
}

decoded<named_subscription> decode_show_subscription(std::string_view body, std::size_t json_depth) {
  return decode_with<named_subscription>(body, json_depth, [](field_reader& fields, named_subscription& query) {
    query.id = fields.required_text("subscription_id", most_subscription_id);
    query.merchant = merchant_id{fields.text("merchant_id", most_operator_id)};
  });
}

decoded<moved_subscription> decode_move_subscription(std::string_view body, std::size_t json_depth) {
  return decode_with<moved_subscription>(body, json_depth, [](field_reader& fields, moved_subscription& query) {
    query.id = fields.required_text("subscription_id", most_subscription_id);
    query.merchant = merchant_id{fields.text("merchant_id", most_operator_id)};
    const auto move = fields.required_text("move", most_operator_id);
    const auto known = parse_sandbox_move(move);
    if (!known) fields.reject("move", "must be paid, failed, action, exhausted, update, expire or delete");
    query.what.to = known.value_or(sandbox_move{});
    query.what.how.repeat = static_cast<std::size_t>(fields.integer("repeat", 1, most_repeats).value_or(1));
    query.what.how.reorder = fields.boolean("reorder", false);
    query.what.amount = fields.integer("amount", 0, max_amount);
    if (query.what.amount && query.what.to != sandbox_move::cycle_paid)
      fields.reject("amount", "goes with the move paid");
  });
}

decoded<find_deliveries> decode_find_deliveries(std::string_view body, std::size_t json_depth) {
  return decode_with<find_deliveries>(body, json_depth, [](field_reader& fields, find_deliveries& query) {
    query.to = destination_id{fields.text("destination_id", most_operator_id)};
    const auto status = fields.text("status", most_operator_id);
    query.status = parse_delivery_status(status);
    if (!status.empty() && !query.status) fields.reject("status", "must be pending, delivered or failed");
    query.before = fields.integer("before", 1, most_number).value_or(0);
    query.limit = read_limit(fields);
  });
}

decoded<find_deliveries> decode_show_delivery(std::string_view body, std::size_t json_depth) {
  return decode_with<find_deliveries>(body, json_depth, [](field_reader& fields, find_deliveries& query) {
    query.id = fields.integer("id", 1, most_number).value_or(0);
    if (query.id == 0) fields.reject("id", "is required");
    query.limit = 1;
  });
}

decoded<redeliver> decode_redeliver(std::string_view body, std::size_t json_depth) {
  return decode_with<redeliver>(body, json_depth, [](field_reader& fields, redeliver& command) {
    command.id = fields.integer("id", 1, most_number).value_or(0);
    command.to = destination_id{fields.text("destination_id", most_operator_id)};
    command.from = read_time(fields, "from");
    command.until = read_time(fields, "until");
    if ((command.id != 0) == !command.to.empty()) fields.reject("id", "or destination_id is required, and not both");
    if (command.id != 0 && (command.from || command.until)) fields.reject("from", "and until go with destination_id");
    if (command.from && command.until && *command.until <= *command.from) fields.reject("until", "must be after from");
  });
}

decoded<find_notifications> decode_find_notifications(std::string_view body, std::size_t json_depth) {
  return decode_with<find_notifications>(body, json_depth, [](field_reader& fields, find_notifications& query) {
    const auto provider = fields.text("provider", most_operator_id), state = fields.text("state", most_operator_id);
    query.provider = parse_provider_kind(provider);
    if (!provider.empty() && !query.provider) fields.reject("provider", "is not a provider of this gateway");
    query.env = read_optional_mode(fields);
    query.state = parse_notification_state(state);
    if (!state.empty() && !query.state) fields.reject("state", "must be waiting, applied, ignored or expired");
    query.before = read_time(fields, "before");
    query.before_id = fields.text("before_id", longest_notification_id);
    if (!query.before && !query.before_id.empty()) fields.reject("before_id", "goes with before");
    query.limit = read_limit(fields);
  });
}

decoded<named_notification> decode_replay_notification(std::string_view body, std::size_t json_depth) {
  return decode_with<named_notification>(body, json_depth, [](field_reader& fields, named_notification& wanted) {
    wanted.id = fields.required_text("id", longest_notification_id);
    wanted.env = read_optional_mode(fields);
  });
}

decoded<retire_master_key> decode_retire_master_key(std::string_view body, std::size_t json_depth) {
  return decode_with<retire_master_key>(body, json_depth, [](field_reader& fields, retire_master_key& command) {
    command.id = fields.required_text("id", most_operator_id);
  });
}

decoded<drain_node> decode_drain_node(std::string_view body, std::size_t json_depth) {
  return decode_with<drain_node>(body, json_depth, [](field_reader& fields, drain_node& command) {
    command.name = fields.required_text("node", most_operator_id);
  });
}

decoded<find_events> decode_find_events(std::string_view body, std::size_t json_depth) {
  return decode_with<find_events>(body, json_depth, [](field_reader& fields, find_events& query) {
    query.merchant = read_named_merchant(fields);
    query.env = read_optional_mode(fields);
    query.subject = fields.text("payment_id", most_operator_id);
    query.before = read_time(fields, "before");
    query.limit = read_limit(fields);
  });
}

}  // namespace gateway::http
