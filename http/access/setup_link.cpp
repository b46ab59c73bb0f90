#include "setup_link.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "expiring_note.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/directory/connected_account.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view link_purpose = "psp_setup";
constexpr std::string_view session_purpose = "setup_session";
constexpr std::string_view onboarding_purpose = "onboarding";
constexpr std::string_view account_purpose = "account";

std::string sign(const crypto::derived_keys& key, std::string_view purpose, const setup_token& token) {
  const boost::json::object fields{
      {"merchant", token.merchant.value}, {"user", token.user.value}, {"id", token.id}, {"mode", to_string(token.env)}};
  return sign_note(key, purpose, fields, token.expires);
}

/// Live unless the mode is test: older tokens have no mode and are live.
environment mode_of(const signed_note& note) {
  return note.text("mode") == to_string(environment::test) ? environment::test : environment::live;
}

std::optional<setup_token> read_token(std::string_view token, std::string_view purpose, const crypto::derived_keys& key,
                                      time_point now) {
  const auto note = signed_note::read(token, purpose, key, now);
  if (!note) return std::nullopt;
  setup_token read{merchant_id{note->text("merchant")}, user_id{note->text("user")}, note->text("id"), note->expires(),
                   mode_of(*note)};
  if (read.merchant.empty() || read.id.empty()) return std::nullopt;
  return read;
}

std::string sign_link(const onboarding_link& link, std::string_view purpose, const crypto::derived_keys& key) {
  const boost::json::object fields{{"merchant", link.merchant.value},
                                   {"mode", to_string(link.env)},
                                   {"provider", to_string(link.provider)},
                                   {"back", link.back}};
  return sign_note(key, purpose, fields, link.expires);
}

std::optional<onboarding_link> read_link(std::string_view token, std::string_view purpose,
                                         const crypto::derived_keys& key, time_point now) {
  const auto note = signed_note::read(token, purpose, key, now);
  const auto provider = note ? parse_provider_kind(note->text("provider")) : std::nullopt;
  if (!provider) return std::nullopt;
  return onboarding_link{merchant_id{note->text("merchant")}, mode_of(*note), *provider, note->text("back"),
                         note->expires()};
}

/// Empty for a wallet merchant, which must not know its provider.
boost::json::array offered_providers(const merchant& who, environment env, bool signed_link,
                                     const provider_states& states) {
  boost::json::array list;
  if (who.kind == merchant_kind::wallet) return list;
  for (const auto& row : provider_catalogue) {
    if (row.wallet || states[row.kind] == provider_state::absent) continue;
    list.push_back(boost::json::object{{"id", row.public_id},
                                       {"display_name", row.display_name},
                                       {"status", to_string(status_at(who, env, row.kind))},
                                       {"source", signed_link ? "global" : "platform_allowlist"}});
  }
  return list;
}

}  // namespace

setup_link make_setup_link(const merchant& who, environment env, std::string_view portal_url,
                           const crypto::derived_keys& key, time_point now) {
  const auto expires = now + setup_link_lifetime;
  std::string url{portal_url};
  if (who.owner.empty()) return {(url += "/setup?merchant_id=") += who.id.value, format_seconds(expires), false};
  const setup_token token{who.id, who.owner, crypto::random_hex(16), expires, env};
  return {(url += "/setup?token=") += sign(key, link_purpose, token), format_millis(expires), true};
}

std::optional<setup_token> read_setup_token(std::string_view token, const crypto::derived_keys& key, time_point now) {
  return read_token(token, link_purpose, key, now);
}

std::optional<setup_token> read_setup_session(std::string_view token, const crypto::derived_keys& key, time_point now) {
  return read_token(token, session_purpose, key, now);
}

bool is_still_bound(const merchant* who, const setup_token& token) {
  return who && !who->owner.empty() && who->owner == token.user;
}

connection_status status_at(const merchant& who, environment env, provider_kind provider) {
  const auto* at = find_connection(who, env, provider);
  return at ? at->status : connection_status::not_connected;
}

std::string make_onboarding_token(const onboarding_link& link, const crypto::derived_keys& key) {
  return sign_link(link, onboarding_purpose, key);
}

std::optional<onboarding_link> read_onboarding_link(std::string_view token, const crypto::derived_keys& key,
                                                    time_point now) {
  return read_link(token, onboarding_purpose, key, now);
}

std::string make_account_token(const onboarding_link& link, const crypto::derived_keys& key) {
  return sign_link(link, account_purpose, key);
}

std::optional<onboarding_link> read_account_link(std::string_view token, const crypto::derived_keys& key,
                                                 time_point now) {
  return read_link(token, account_purpose, key, now);
}

setup_session make_setup_session(const setup_token& redeemed, const crypto::derived_keys& key, time_point now) {
  auto session = redeemed;
  session.id = crypto::random_hex(16);
  session.expires = now + setup_link_lifetime;
  return {sign(key, session_purpose, session), format_millis(session.expires)};
}

std::string not_charge_capable_body(const merchant& who, environment env, const setup_link& link,
                                    std::string_view base_url, const provider_states& states) {
  const auto& row = row_of(error_code::merchant_not_charge_capable);
  boost::json::object body;
  auto& error = body["error"].emplace_object();
  error["type"] = row.text;
  error["code"] = row.text;
  error["message"] = row.message;
  error["merchant_id"] = who.id.value;
  error["setup_url"] = link.url;
  error["setup_url_expires_at"] = link.expires_at;
  error["providers"] = offered_providers(who, env, link.is_signed, states);
  error["docs_url"] = docs_url(base_url, row);
  return boost::json::serialize(body);
}

}  // namespace gateway::http
