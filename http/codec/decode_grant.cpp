#include "decode_grant.hpp"

#include <span>
#include <utility>

#include "body_fields.hpp"
#include "json_body.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_id = 64;
constexpr std::size_t most_code = 1024;
constexpr std::size_t most_grants = 10'000;
constexpr std::size_t usually_listed_grants = 1'000;

/// Returns `read`'s result, or the faults of the body. `known`: all of its fields, for bodies from platforms.
template <class T, class Read>
decoded<T> read_fields(std::string_view body, std::size_t json_depth, Read read,
                       std::span<const std::string_view> known = {}) {
  auto parsed = parse_fields(body, json_depth, known);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  auto& fields = std::get<field_reader>(parsed);
  T value = read(fields);
  if (!fields.ok()) return fields.take_rejection();
  return value;
}

}  // namespace

decoded<token_body> decode_token(std::string_view body, std::size_t json_depth) {
  return read_fields<token_body>(
      body, json_depth,
      [](field_reader& fields) {
        if (fields.word("grant_type") != "authorization_code")
          fields.reject(error_code::invalid_request, "grant_type", "grant_type must be 'authorization_code'");
        token_body read;
        read.code = fields.required_text("code", most_code);
        read.redirect_uri = fields.required_text("redirect_uri", most_url_bytes);
        return read;
      },
      body_fields::token);
}

decoded<std::string> decode_revoke_reason(std::string_view body, std::size_t json_depth) {
  if (body.empty()) return std::string{};
  return read_fields<std::string>(
      body, json_depth, [](field_reader& fields) { return fields.text("reason", most_revoke_reason); },
      body_fields::revoke);
}

std::optional<rejection> check_no_fields(std::string_view body, std::size_t json_depth) {
  if (body.empty()) return std::nullopt;
  auto parsed = parse_object(body, json_depth);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  return std::nullopt;
}

decoded<operators_revoke> decode_revoke_grant(std::string_view body, std::size_t json_depth) {
  return read_fields<operators_revoke>(body, json_depth, [](field_reader& fields) {
    operators_revoke read;
    read.id = grant_id{fields.required_text("grant_id", most_id)};
    read.reason = fields.text("reason", most_revoke_reason);
    return read;
  });
}

decoded<find_grants> decode_find_grants(std::string_view body, std::size_t json_depth) {
  return read_fields<find_grants>(body, json_depth, [](field_reader& fields) {
    find_grants read;
    read.merchant = merchant_id{fields.text("merchant_id", most_id)};
    read.platform = platform_id{fields.text("platform_id", most_id)};
    read.limit = static_cast<std::uint32_t>(fields.integer("limit", 1, most_grants).value_or(usually_listed_grants));
    return read;
  });
}

}  // namespace gateway::http
