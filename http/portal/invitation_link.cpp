#include "invitation_link.hpp"

#include <algorithm>

#include "http/access/expiring_note.hpp"

namespace gateway::http {

std::string invitation_url(const invitation& what, std::string_view portal_url, const crypto::derived_keys& key) {
  const boost::json::object fields{
      {"merchant", what.merchant.value}, {"user", what.user.value}, {"email", what.email}, {"id", what.id}};
  std::string url{portal_url};
  return url.append("/invitation?token=").append(sign_note(key, {}, fields, what.expires));
}

std::optional<invitation> read_invitation(std::string_view token, const crypto::derived_keys& key, time_point now) {
  const auto note = signed_note::read(token, {}, key, now);
  if (!note) return std::nullopt;
  invitation read{merchant_id{note->text("merchant")}, user_id{note->text("user")}, note->text("email"),
                  note->text("id"), note->expires()};
  if (read.merchant.empty() || read.user.empty() || read.id.empty()) return std::nullopt;
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
  return by.by == invited_by::operators || (!person.has_password && (by.mailed || !person.is_member));
}

bool may_accept(const invitations_lookup& person, const stored_invitation& what) {
  return what.by == invited_by::owner && (person.shown_to.empty() || person.shown_to == what.merchant);
}

}  // namespace gateway::http
