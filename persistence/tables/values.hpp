// How a value of each type is stored in a column: put() appends its cell, get() reads it back and throws corrupt_row
// for a cell that put() could not have written. A type that only one table has is in that table's file.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "persistence/connection/row_cursor.hpp"
#include "persistence/tables/json_columns.hpp"

namespace gateway::persistence {

// ---- writing ------------------------------------------------------------------------------------
// Texts are borrowed, so a type that holds its text is taken by reference.

inline void put(row_buffer& to, const std::string& text) { to.add(text); }
inline void put(row_buffer& to, std::string&& text) { to.keep(std::move(text)); }
inline void put(row_buffer& to, std::string_view text) { to.add(text); }
inline void put(row_buffer& to, time_point at) { to.add(at); }
inline void put(row_buffer& to, std::chrono::sys_days day) { to.add(day_number(day)); }
inline void put(row_buffer& to, const currency& unit) { to.add(unit.code()); }
inline void put(row_buffer& to, const scope_set& scopes) { to.keep(to_string(scopes)); }
template <class Tag>
void put(row_buffer& to, const strong_id<Tag>& id) {
  to.add(id.value);
}
template <std::integral Number>
void put(row_buffer& to, Number number) {
  to.add(static_cast<std::int64_t>(number));
}
template <class Enum>
  requires std::is_enum_v<Enum>
void put(row_buffer& to, Enum value) {
  to.add(to_string(value));
}
template <class Json>
  requires requires(const Json& value) {
    { to_json(value) } -> std::same_as<std::string>;
  }
void put(row_buffer& to, const Json& value) {
  to.keep(to_json(value));
}
template <class Value>
void put(row_buffer& to, const std::optional<Value>& value) {
  value ? put(to, *value) : static_cast<void>(to.null());
}

// ---- reading ------------------------------------------------------------------------------------

inline void get(cursor& in, std::string& text, const char*) { text = in.text(); }
inline void get(cursor& in, shared_text& text, const char*) { text = in.text(); }
template <class Tag>
void get(cursor& in, strong_id<Tag>& id, const char*) {
  id.value = in.text();
}
inline void get(cursor& in, time_point& at, const char*) { at = in.time(); }
/// The days from first_ms to last_ms.
inline void get(cursor& in, std::chrono::sys_days& day, const char* name) {
  constexpr std::int64_t day_ms = 86'400'000;
  day = std::chrono::sys_days{std::chrono::days{in.number(name, first_ms / day_ms, last_ms / day_ms)}};
}
inline void get(cursor& in, bool& flag, const char* name) { flag = in.flag(name); }
template <std::integral Number>
void get(cursor& in, Number& number, const char* name, std::int64_t least = 0,
         std::int64_t most = std::numeric_limits<Number>::max()) {
  number = in.number<Number>(name, least, most);
}

template <class Value>
auto parser_among(std::initializer_list<Value> values) {
  return [values](std::string_view text) -> std::optional<Value> {
    for (const auto v : values)
      if (to_string(v) == text) return v;
    return std::nullopt;
  };
}

inline void get(cursor& in, environment& v, const char*) { v = in.named(parse_environment, "environment"); }
inline void get(cursor& in, entity_kind& v, const char*) { v = in.named(parse_entity_kind, "kind of entity"); }
inline void get(cursor& in, currency& v, const char*) {
  v = in.named([](std::string_view text) { return currency::parse(text); }, "currency");
}
inline void get(cursor& in, payment_state& v, const char*) { v = in.named(parse_payment_state, "payment state"); }
inline void get(cursor& in, flow& v, const char*) {
  v = in.named(parser_among({flow::server, flow::redirect, flow::embedded}), "flow");
}
inline void get(cursor& in, provider_kind& v, const char*) { v = in.named(parse_provider_kind, "provider"); }
inline void get(cursor& in, provider_status& v, const char*) { v = in.named(parse_provider_status, "provider status"); }
inline void get(cursor& in, daily_counter& v, const char*) { v = in.named(parse_daily_counter, "daily counter"); }
inline void get(cursor& in, entry_origin& v, const char*) { v = in.named(parse_entry_origin, "origin"); }
inline void get(cursor& in, dispute_status& v, const char*) {
  v = in.named(parse_dispute_status, "status of a dispute");
}
inline void get(cursor& in, sandbox_act_kind& v, const char*) {
  v = in.named(parse_sandbox_act_kind, "act of the sandbox");
}
inline void get(cursor& in, ledger_kind& v, const char*) { v = in.named(parse_ledger_kind, "kind of ledger entry"); }
inline void get(cursor& in, merchant_kind& v, const char*) {
  v = in.named(parser_among({merchant_kind::standard, merchant_kind::wallet}), "entity kind");
}
inline void get(cursor& in, member_role& v, const char*) { v = in.named(parse_member_role, "role"); }
inline void get(cursor& in, operator_role& v, const char*) { v = in.named(parse_operator_role, "role of an operator"); }
inline void get(cursor& in, invited_by& v, const char*) { v = in.named(parse_invited_by, "made_by"); }
inline void get(cursor& in, platform_status& v, const char*) { v = in.named(parse_platform_status, "platform status"); }
inline void get(cursor& in, connection_status& v, const char*) {
  v = in.named(parse_connection_status, "connection status");
}
inline void get(cursor& in, destination_kind& v, const char*) {
  v = in.named(parser_among({destination_kind::merchant, destination_kind::platform}), "destination kind");
}
inline void get(cursor& in, destination_status& v, const char*) {
  v = in.named(parse_destination_status, "destination status");
}
inline void get(cursor& in, delivery_status& v, const char*) { v = in.named(parse_delivery_status, "delivery status"); }
inline void get(cursor& in, attempt_result& v, const char*) { v = in.named(parse_attempt_result, "attempt result"); }
inline void get(cursor& in, subscription_status& v, const char*) {
  v = in.named(parse_subscription_status, "subscription status");
}
inline void get(cursor& in, notification_state& v, const char*) {
  v = in.named(parse_notification_state, "state of a notification");
}
inline void get(cursor& in, directory_change::kind& v, const char*) {
  v = in.named(parse_change_kind, "kind of change");
}
inline void get(cursor& in, master_key_status& v, const char*) {
  v = in.named(parse_master_key_status, "status of a master key");
}
inline void get(cursor& in, mail_kind& v, const char*) { v = in.named(parse_mail_kind, "kind of mail"); }
inline void get(cursor& in, mail_status& v, const char*) { v = in.named(parse_mail_status, "status of a mail"); }
inline void get(cursor& in, node_status& v, const char*) { v = in.named(parse_node_status, "node status"); }

/// The scopes of a key. The text is empty for a key that was made without scopes.
inline void get(cursor& in, scope_set& scopes, const char*) {
  const auto text = in.text();
  const auto parsed = text.empty() ? scope_set{} : parse_scopes(text);
  if (!parsed) throw corrupt_row("unknown scope");
  scopes = *parsed;
}

inline void get(cursor& in, payment_details& v, const char*) { v = details_from_json(in.text()); }
inline void get(cursor& in, payment_customer& v, const char*) { v = customer_from_json(in.text()); }
inline void get(cursor& in, payment_records& v, const char*) { v = records_from_json(in.text()); }
inline void get(cursor& in, provider_error& v, const char*) { v = error_from_json(in.text()); }
/// The operation of the payment `of`.
inline void get(cursor& in, open_operation& v, const char*, const entity_key& of) {
  v = open_operation_from_json(in.text(), of);
}
inline void get(cursor& in, std::vector<std::string>& v, const char*) { v = texts_from_json(in.text()); }
inline void get(cursor& in, std::vector<auth_code>& v, const char*) { v = codes_from_json(in.text()); }
inline void get(cursor& in, std::vector<customer_name>& v, const char*) { v = names_from_json(in.text()); }
inline void get(cursor& in, std::map<std::string, time_point, std::less<>>& v, const char*) {
  v = times_from_json(in.text());
}
inline void get(cursor& in, std::vector<delivery_attempt>& v, const char*) { v = attempts_from_json(in.text()); }
inline void get(cursor& in, std::vector<attempts_of_hour>& v, const char*) { v = hours_from_json(in.text()); }

template <class Value, class... More>
void get(cursor& in, std::optional<Value>& value, const char* name, const More&... more) {
  if (in.skip_null())
    value.reset();
  else
    get(in, value.emplace(), name, more...);
}

/// Reads an entity's key from the columns of a list of keys: merchant, environment, id.
inline entity_key read_key(cursor& in, entity_kind kind) {
  entity_key key;
  get(in, key.merchant, "merchant_id");
  get(in, key.env, "environment");
  key.kind = kind;
  get(in, key.id, "id");
  return key;
}

// ---- values that a table stores in a form of its own --------------------------------------------

/// An empty list is NULL, as in rows that are older than the column.
template <class List>
struct null_if_empty {
  List& list;
};
template <class List>
null_if_empty(List&) -> null_if_empty<List>;
template <class List>
void put(row_buffer& to, const null_if_empty<List>& value) {
  value.list.empty() ? to.null() : to.keep(to_json(value.list));
}
template <class List>
void get(cursor& in, const null_if_empty<List>& value, const char* name) {
  if (!in.skip_null()) get(in, value.list, name);
}

/// A flag that is 1 or NULL, as in rows that are older than the column.
template <class Flag>
struct one_or_null {
  static constexpr bool nullable = true;
  Flag& flag;
};
template <class Flag>
one_or_null(Flag&) -> one_or_null<Flag>;
template <class Flag>
void put(row_buffer& to, const one_or_null<Flag>& value) {
  value.flag ? to.add(std::int64_t{1}) : to.null();
}
template <class Flag>
void get(cursor& in, const one_or_null<Flag>& value, const char* name) {
  value.flag = !in.skip_null() && in.number(name, 1, 1) == 1;
}

/// A list of words, separated by spaces. `name` returns an item's word, and `parse` throws for an unknown one.
template <class List, class Name, class Parse>
struct word_list {
  List& list;
  Name name;
  Parse parse;
};
template <class List, class Name, class Parse>
word_list(List&, Name, Parse) -> word_list<List, Name, Parse>;
template <class List, class Name, class Parse>
void put(row_buffer& to, const word_list<List, Name, Parse>& value) {
  std::string text;
  for (const auto& item : value.list) {
    if (!text.empty()) text += ' ';
    text += value.name(item);
  }
  to.keep(std::move(text));
}
template <class List, class Name, class Parse>
void get(cursor& in, const word_list<List, Name, Parse>& value, const char*) {
  const auto stored = in.text();
  for (std::string_view text = stored; !text.empty();) {
    const auto end = text.find(' ');
    value.list.push_back(value.parse(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

}  // namespace gateway::persistence
