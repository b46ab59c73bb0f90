#include "operator_link.hpp"

#include "gateway/base/crypto.hpp"
#include "http/access/expiring_note.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view operator_link_purpose = "operator set-up";

}  // namespace

std::string make_operator_link_id() { return crypto::random_hex(16); }

std::string operator_setup_url(const operator_link& what, time_point ends_at, std::string_view console_url,
                               const crypto::derived_keys& signing_key) {
  const boost::json::object fields{{"operator", what.key}, {"id", what.id}};
  std::string url{console_url};
  return url.append("/setup?token=").append(sign_note(signing_key, operator_link_purpose, fields, ends_at));
}

std::optional<operator_link> read_operator_link(std::string_view token, const crypto::derived_keys& signing_key,
                                                time_point now) {
  const auto note = signed_note::read(token, operator_link_purpose, signing_key, now);
  if (!note) return std::nullopt;
  operator_link read{note->text("operator"), note->text("id")};
  if (read.key.empty() || read.id.empty()) return std::nullopt;
  return read;
}

bool is_in_force(const operator_link& what, const stored_operator& who, time_point now) {
  return operator_key_of(who.name) == what.key && who.setup_id == what.id && now < who.setup_ends_at;
}

}  // namespace gateway::http
