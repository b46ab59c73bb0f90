#include "decode_operator.hpp"

#include <algorithm>

#include "decode.hpp"
#include "json_body.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_name = 200;
constexpr std::size_t most_email = 320;
constexpr std::size_t most_id = 64;
constexpr std::size_t most_scopes = 256;
constexpr std::size_t least_password = 8;
constexpr std::size_t most_password = 1024;
constexpr std::size_t most_account = 255;
constexpr std::size_t most_currencies = 200;
constexpr std::size_t most_methods = 8;

environment read_mode(field_reader& fields) {
  const auto mode = fields.required_text("mode", most_id);
  if (mode == "live") return environment::live;
  if (mode != "test") fields.reject("mode", "must be test or live");
  return environment::test;
}

merchant_id read_merchant(field_reader& fields) { return merchant_id{fields.required_text("merchant_id", most_id)}; }

provider_kind read_provider(field_reader& fields) {
  const auto kind = parse_provider_kind(fields.required_text("provider", most_id));
  if (!kind) fields.reject("provider", "is not a provider of this gateway");
  return kind.value_or(provider_kind::sandbox);
}

void check_email(field_reader& fields, std::string_view name, std::string_view value) {
  if (!value.empty() && !looks_like_email(value)) fields.reject(name, "must be an e-mail address");
}

std::vector<currency> read_currencies(field_reader& fields) {
  std::vector<currency> list;
  for (const auto& code : fields.text_list("currencies", most_currencies, most_id)) {
    const auto unit = currency::parse(code);
    if (!unit)
      fields.reject("currencies", "must be ISO 4217 codes in force");
    else if (std::ranges::find(list, *unit) == list.end())
      list.push_back(*unit);
  }
  return list;
}

std::vector<payment_method_kind> read_methods(field_reader& fields) {
  std::vector<payment_method_kind> list;
  for (const auto& name : fields.text_list("methods", most_methods, most_id)) {
    const auto method = name == "pkr_wallet" ? payment_method_kind::pkr_wallet : payment_method_kind::card;
    if (name != to_string(method))
      fields.reject("methods", "must be card or pkr_wallet");
    else if (std::ranges::find(list, method) == list.end())
      list.push_back(method);
  }
  if (list.empty()) fields.reject("methods", "is required");
  return list;
}

/// Parses the object, lets `read` fill the command, and tells the first thing that was wrong.
template <class Command, class Read>
decoded<Command> decode_with(std::string_view body, std::size_t json_depth, Read read) {
  auto parsed = parse_object(body, json_depth);
  if (auto* wrong = std::get_if<bad_request>(&parsed)) return std::move(*wrong);
  field_reader fields{std::get<simdjson::dom::object>(parsed)};
  Command command;
  read(fields, command);
  if (!fields.ok()) return fields.take_problem();
  return command;
}

}  // namespace

decoded<create_merchant> decode_create_merchant(std::string_view body, std::size_t json_depth) {
  return decode_with<create_merchant>(body, json_depth, [](field_reader& fields, create_merchant& command) {
    command.name = fields.required_text("name", most_name);
    const auto kind = fields.text("entity", most_id);
    if (kind == "wallet") command.kind = entity_kind::wallet;
    else if (!kind.empty() && kind != "standard") fields.reject("entity", "must be standard or wallet");
    command.owner_email = fields.text("owner_email", most_email);
    check_email(fields, "owner_email", command.owner_email);
  });
}

decoded<mint_key> decode_mint_key(std::string_view body, std::size_t json_depth) {
  return decode_with<mint_key>(body, json_depth, [](field_reader& fields, mint_key& command) {
    command.merchant = read_merchant(fields);
    command.env = read_mode(fields);
    const auto names = fields.text("scopes", most_scopes);
    const auto scopes = parse_scopes(names.empty() ? default_merchant_scopes : std::string_view{names});
    if (!scopes) fields.reject("scopes", "must be names of scopes, with blanks between them");
    command.scopes = scopes.value_or(scope_set{});
  });
}

decoded<revoke_key> decode_revoke_key(std::string_view body, std::size_t json_depth) {
  return decode_with<revoke_key>(body, json_depth, [](field_reader& fields, revoke_key& command) {
    command.id = key_id{fields.required_text("key_id", most_id)};
  });
}

decoded<add_user> decode_add_user(std::string_view body, std::size_t json_depth) {
  return decode_with<add_user>(body, json_depth, [](field_reader& fields, add_user& command) {
    command.merchant = read_merchant(fields);
    command.email = fields.required_text("email", most_email);
    check_email(fields, "email", command.email);
    command.password = fields.required_text("password", most_password);
    if (count_characters(command.password) < least_password) fields.reject("password", "must have at least 8 characters");
  });
}

decoded<set_connection> decode_set_connection(std::string_view body, std::size_t json_depth) {
  return decode_with<set_connection>(body, json_depth, [](field_reader& fields, set_connection& command) {
    command.merchant = read_merchant(fields);
    command.link.env = read_mode(fields);
    command.link.provider = read_provider(fields);
    const auto status = parse_connection_status(fields.required_text("status", most_id));
    if (!status) fields.reject("status", "must be not_connected, in_progress, connected or unavailable");
    command.link.status = status.value_or(connection_status::not_connected);
    command.link.account = fields.text("account", most_account);
  });
}

decoded<set_route> decode_set_route(std::string_view body, std::size_t json_depth) {
  return decode_with<set_route>(body, json_depth, [](field_reader& fields, set_route& command) {
    command.merchant = read_merchant(fields);
    command.way.env = read_mode(fields);
    command.way.provider = read_provider(fields);
    command.way.currencies = read_currencies(fields);
    command.way.methods = read_methods(fields);
  });
}

}  // namespace gateway::http
