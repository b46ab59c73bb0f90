#include "fields.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <boost/json.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/base/json_text.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::actors::jazzcash {

namespace {

constexpr std::string_view hash_name = "pp_SecureHash";
constexpr std::size_t hash_digits = 64;
constexpr std::chrono::hours ahead_of_utc{5};

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), to_upper);
  return text;
}

bool is_hashed(std::string_view name) noexcept {
  return name.size() > 2 && to_upper(name[0]) == 'P' && to_upper(name[1]) == 'P' && name != hash_name;
}

/// False if the message is full or already has a field of that name.
bool put(pp_fields& message, std::string name, std::string value) {
  return message.size() < most_fields && message.emplace(std::move(name), std::move(value)).second;
}

/// The documentation has strings and nulls; an integer is read as its digits.
std::optional<std::string> text_of(const boost::json::value& value) {
  if (const auto* text = value.if_string()) return std::string{text->data(), text->size()};
  if (const auto* number = value.if_int64()) return std::to_string(*number);
  return value.is_null() ? std::optional{std::string{}} : std::nullopt;
}

}  // namespace

std::string_view field(const pp_fields& message, std::string_view name) noexcept {
  const auto at = message.find(name);
  return at == message.end() ? std::string_view{} : std::string_view{at->second};
}

std::string secure_hash(const pp_fields& message, std::string_view salt) {
  std::string text{salt};
  for (const auto& [name, value] : message)
    if (is_hashed(name) && !value.empty()) text.append(1, '&').append(value);
  return upper_case(crypto::hex(crypto::hmac_sha256(salt, text)));
}

bool is_genuine(const pp_fields& message, std::string_view salt) {
  const auto given = field(message, hash_name);
  return given.size() == hash_digits &&
         crypto::equal_constant_time(upper_case(std::string{given}), secure_hash(message, salt));
}

std::optional<pp_fields> read_form(std::string_view body) {
  if (body.size() > most_message_bytes) return std::nullopt;
  pp_fields message;
  while (!body.empty()) {
    const auto pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    if (pair.empty()) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    if (!put(message, form_decoded(pair.substr(0, equals)),
             form_decoded(pair.substr(std::min(equals + 1, pair.size())))))
      return std::nullopt;
  }
  return message;
}

std::string form_of(const pp_fields& message) {
  std::string form;
  for (const auto& [name, value] : message) {
    if (!form.empty()) form += '&';
    form.append(percent_encoded(name)).append(1, '=').append(percent_encoded(value));
  }
  return form;
}

std::optional<pp_fields> read_json(std::string_view body) {
  namespace json = boost::json;
  if (body.size() > most_message_bytes) return std::nullopt;
  json::error_code failed;
  const auto value = json::parse({body.data(), body.size()}, failed);
  if (failed || !value.is_object()) return std::nullopt;
  pp_fields message;
  for (const auto& member : value.get_object()) {
    std::string name{member.key().data(), member.key().size()};
    auto text = text_of(member.value());
    if (!text || !put(message, std::move(name), *std::move(text))) return std::nullopt;
  }
  return message;
}

std::string json_of(const pp_fields& message) {
  std::string text{"{"};
  for (const auto& [name, value] : message) {
    if (text.size() > 1) text += ',';
    append_json_string(text, name);
    text += ':';
    append_json_string(text, value);
  }
  return text += '}';
}

std::string pakistan_time(time_point at) {
  const auto f = gateway::detail::calendar(at + ahead_of_utc);
  char text[48];
  const int n =
      std::snprintf(text, sizeof text, "%04d%02u%02u%02d%02d%02d", f.year, f.month, f.day, f.hour, f.minute, f.second);
  return {text, static_cast<std::size_t>(n)};
}

std::optional<time_point> read_pakistan_time(std::string_view text) {
  if (text.size() != 14) return std::nullopt;
  std::string spelled{text};
  spelled.insert(12, ":").insert(10, ":").insert(8, "T").insert(6, "-").insert(4, "-").append("Z");
  const auto as_if_utc = parse_seconds(spelled);
  if (!as_if_utc) return std::nullopt;
  return *as_if_utc - ahead_of_utc;
}

bool is_alphanumeric(std::string_view text) noexcept { return std::ranges::all_of(text, is_letter_or_digit); }

}  // namespace gateway::actors::jazzcash
