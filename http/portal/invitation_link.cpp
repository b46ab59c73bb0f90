#include "invitation_link.hpp"

#include <algorithm>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/base/crypto.hpp"

namespace gateway::http {
namespace {

std::string text_of(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string{std::string_view{value->get_string()}} : std::string{};
}

}  // namespace

std::string invitation_url(const invitation& what, std::string_view portal_url, std::string_view key) {
  const boost::json::object payload{{"merchant", what.merchant.value},
                                    {"user", what.user.value},
                                    {"email", what.email},
                                    {"id", what.id},
                                    {"expires", to_unix_ms(what.expires)}};
  std::string url{portal_url};
  return url.append("/invitation?token=").append(crypto::sign_token(key, boost::json::serialize(payload)));
}

std::optional<invitation> read_invitation(std::string_view token, std::string_view key, time_point now) {
  const auto payload = crypto::verify_token(key, token);
  if (!payload) return std::nullopt;
  boost::system::error_code failure;
  const auto document = boost::json::parse(*payload, failure);
  if (failure || !document.is_object()) return std::nullopt;
  const auto& object = document.get_object();
  const auto* expires = object.if_contains("expires");
  if (!expires || !expires->is_int64()) return std::nullopt;
  invitation read{merchant_id{text_of(object, "merchant")}, user_id{text_of(object, "user")}, text_of(object, "email"),
                  text_of(object, "id"), from_unix_ms(expires->get_int64())};
  if (read.expires <= now || read.merchant.empty() || read.user.empty() || read.id.empty()) return std::nullopt;
  return read;
}

const named_invitation* find_standing(const invitations_lookup& person, const merchant_id& merchant, time_point now) {
  const auto at = std::ranges::find_if(person.invitations, [&](const named_invitation& each) {
    return each.what.merchant == merchant && each.what.expires > now;
  });
  return at == person.invitations.end() ? nullptr : &*at;
}

bool is_new_address(const invitations_lookup& person, const merchant_id& merchant, time_point now) {
  const bool is_known_elsewhere = std::ranges::any_of(person.invitations, [&](const named_invitation& each) {
    return each.what.merchant != merchant && each.what.expires > now;
  });
  return !person.is_member && !is_known_elsewhere && (person.shown_to.empty() || person.shown_to == merchant);
}

bool may_choose_password(const invitations_lookup& person, const stored_invitation& by) {
  return by.by == invited_by::operators || (!person.has_password && !person.is_member);
}

bool may_accept(const invitations_lookup& person, const stored_invitation& what) {
  return what.by == invited_by::owner && (person.shown_to.empty() || person.shown_to == what.merchant);
}

}  // namespace gateway::http
