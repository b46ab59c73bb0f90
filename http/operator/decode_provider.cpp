#include "decode_provider.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "http/codec/json_body.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_provider_name = 64;

void append_to_list(std::string& list, std::string_view name) {
  if (!list.empty()) list += ", ";
  list += name;
}

std::string names_of_adapters(const provider_adapters& adapters) {
  std::string list;
  for (const auto& each : adapters)
    if (each) append_to_list(list, to_string(each->kind()));
  return list.empty() ? "none" : list;
}

std::string names_of_settings(const provider_adapter& of) {
  std::string list;
  for (const auto& row : of.settings()) append_to_list(list, row.name);
  return list;
}

/// Null if the name was rejected.
const provider_adapter* read_adapter(field_reader& fields, const provider_adapters& adapters) {
  const auto name = fields.required_text("provider", most_provider_name);
  if (name.empty()) return nullptr;
  const auto kind = parse_provider_kind(name);
  const auto* adapter = kind ? adapters[static_cast<std::size_t>(*kind)].get() : nullptr;
  if (!adapter)
    fields.reject("provider", "'" + name + "' " + (kind ? "takes no settings" : "is not a provider of this gateway") +
                                  "; those that take settings: " + names_of_adapters(adapters));
  return adapter;
}

environment read_provider_mode(field_reader& fields) {
  const auto mode = parse_environment(fields.required_text("mode", most_provider_name));
  if (!mode) fields.reject("mode", "must be test or live");
  return mode.value_or(environment::test);
}

/// The name as the operator wrote it. A long name may be a secret in the wrong place, so it is not repeated.
std::string quoted(std::string_view name) {
  if (name.size() > most_provider_name) return "a name of " + std::to_string(name.size()) + " bytes";
  return std::string{"'"}.append(name).append("'");
}

/// What is wrong with a value, phrased to follow its name.
std::optional<std::string> fault_of_value(const simdjson::dom::element& value) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return "must be a string";
  if (text.size() > most_setting_bytes) return "must have at most " + std::to_string(most_setting_bytes) + " bytes";
  if (text.find('\0') != std::string_view::npos) return "must not contain the character NUL";
  return std::nullopt;
}

/// The settings in the order of the adapter's table.
provider_settings read_settings(field_reader& fields, const simdjson::dom::object& body, const provider_adapter& of) {
  const auto reject = [&](std::string_view name, const std::string& what) {
    fields.reject("settings", quoted(name) + " " + what + "; the settings of " + std::string{to_string(of.kind())} +
                                  " are " + names_of_settings(of));
  };
  provider_settings settings;
  simdjson::dom::object given;
  if (body.at_key("settings").get_object().get(given) != simdjson::SUCCESS) {
    fields.reject("settings", "must be an object of strings, with the names " + names_of_settings(of));
    return settings;
  }
  for (const auto member : given) {
    if (std::ranges::find(of.settings(), member.key, &provider_setting_row::name) == of.settings().end())
      reject(member.key, "is not known");
    else if (const auto fault = fault_of_value(member.value))
      reject(member.key, *fault);
  }
  for (const auto& row : of.settings()) {
    std::string_view value;
    const bool there = given.at_key(row.name).get_string().get(value) == simdjson::SUCCESS && !value.empty();
    if (there)
      settings.values.emplace_back(row.name, value);
    else if (row.required)
      reject(row.name, "is required");
  }
  // A provider without settings would no longer be configured.
  if (settings.values.empty()) fields.reject("settings", "must hold at least one");
  return settings;
}

}  // namespace

decoded<configure_provider> decode_configure_provider(std::string_view body, std::size_t json_depth,
                                                      const provider_adapters& adapters, bool dev) {
  auto parsed = parse_object(body, json_depth);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  const auto& object = std::get<simdjson::dom::object>(parsed);
  field_reader fields{object};
  configure_provider command;
  const auto* adapter = read_adapter(fields, adapters);
  command.env = read_provider_mode(fields);
  if (adapter) {
    command.provider = adapter->kind();
    command.settings = read_settings(fields, object, *adapter);
    if (fields.ok())
      if (auto fault = adapter->fault_of(command.settings, command.env, dev))
        fields.reject(error_code::invalid_request, *std::move(fault));
  }
  if (!fields.ok()) return fields.take_rejection();
  return command;
}

decoded<configure_provider> decode_remove_provider(std::string_view body, std::size_t json_depth,
                                                   const provider_adapters& adapters) {
  auto parsed = parse_object(body, json_depth);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  field_reader fields{std::get<simdjson::dom::object>(parsed)};
  configure_provider command;
  if (const auto* adapter = read_adapter(fields, adapters)) command.provider = adapter->kind();
  command.env = read_provider_mode(fields);
  if (!fields.ok()) return fields.take_rejection();
  return command;
}

decoded<backfill_events> decode_backfill(std::string_view body, std::size_t json_depth) {
  return decode_with<backfill_events>(body, json_depth, [](field_reader& fields, backfill_events& command) {
    const auto name = fields.required_text("provider", most_provider_name);
    const auto kind = parse_provider_kind(name);
    if (!kind) fields.reject("provider", "is not a provider of this gateway");
    command.provider = kind.value_or(provider_kind::sandbox);
    command.env = read_provider_mode(fields);
    command.from = read_time(fields, "from");
    command.joins = fields.boolean("join", false);
  });
}

}  // namespace gateway::http
