#include "expiring_note.hpp"

#include <limits>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/domain/text.hpp"

namespace gateway::http {

std::string sign_note(const crypto::derived_keys& key, std::string_view purpose, const boost::json::object& fields,
                      time_point expires) {
  boost::json::object payload;
  if (!purpose.empty()) payload["purpose"] = purpose;
  for (const auto& each : fields) payload[each.key()] = each.value();
  payload["expires"] = to_unix_ms(expires);
  return key.sign(boost::json::serialize(payload));
}

signed_note::signed_note(boost::json::object fields, time_point expires)
    : fields_(std::move(fields)), expires_(expires) {}

std::optional<signed_note> signed_note::read(std::string_view token, std::string_view purpose,
                                             const crypto::derived_keys& key, time_point now) {
  const auto payload = key.verify(token);
  if (!payload) return std::nullopt;
  boost::system::error_code failure;
  auto document = boost::json::parse(*payload, failure);
  if (failure || !document.is_object()) return std::nullopt;
  const auto* expires = document.get_object().if_contains("expires");
  if (!expires || !expires->is_int64()) return std::nullopt;
  const auto ends_at = from_unix_ms(expires->get_int64());
  signed_note note{std::move(document.get_object()), ends_at};
  if (ends_at <= now || note.text("purpose") != purpose) return std::nullopt;
  return note;
}

std::string signed_note::text(std::string_view name) const {
  const auto* value = fields_.if_contains(name);
  return value && value->is_string() ? std::string{std::string_view{value->get_string()}} : std::string{};
}

std::string seal_note(const crypto::derived_keys& key, std::string_view purpose, std::string_view text,
                      time_point expires) {
  return key.seal(std::to_string(to_unix_ms(expires)).append(1, '\n').append(text), purpose);
}

std::optional<std::string> open_note(const crypto::derived_keys& key, std::string_view purpose, std::string_view sealed,
                                     time_point now) {
  const auto note = key.open(sealed, purpose);
  if (!note) return std::nullopt;
  std::string_view rest = *note;
  if (has_expired(cut_before(rest, '\n'), now)) return std::nullopt;
  return std::string{rest};
}

bool has_expired(std::string_view expires, time_point now) {
  const auto ms = parse_whole(expires, 0, std::numeric_limits<std::int64_t>::max());
  return !ms || from_unix_ms(*ms) <= now;
}

}  // namespace gateway::http
