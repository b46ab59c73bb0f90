// Fields that several operator commands share, and the frame of their decoders. For sources of this folder only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"
#include "http/codec/decoded.hpp"
#include "http/codec/json_body.hpp"

namespace gateway::http {

inline constexpr std::size_t most_operator_id = 64;

inline merchant_id read_named_merchant(field_reader& fields) {
  return merchant_id{fields.required_text("merchant_id", most_operator_id)};
}

std::optional<environment> read_optional_mode(field_reader& fields);
/// Reads whole seconds or three fractional digits. nullopt if absent.
std::optional<time_point> read_time(field_reader& fields, std::string_view name);

/// A merchant or a platform, depending on which member names it.
struct named_owner {
  destination_kind kind = destination_kind::merchant;
  std::string id;
};

named_owner read_owner(field_reader& fields);

/// Parses the object and lets `read` fill the command. Returns the command or the first fault.
template <class Command, class Read>
decoded<Command> decode_with(std::string_view body, std::size_t json_depth, Read read) {
  auto parsed = parse_object(body, json_depth);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  field_reader fields{std::get<simdjson::dom::object>(parsed)};
  Command command;
  read(fields, command);
  if (!fields.ok()) return fields.take_rejection();
  return command;
}

}  // namespace gateway::http
