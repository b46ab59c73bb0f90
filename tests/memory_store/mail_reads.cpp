// Reads of mails and of the links in them.
#include <algorithm>

#include "memory_store.hpp"

namespace gateway::testing {

mail_lookup memory_store::run(const find_due_mail& what) const {
  mail_lookup found;
  for (const auto& [id, mail] : directory_.mails) {
    const bool is_leased = mail.leased_until && *mail.leased_until > what.now;
    if (mail.status == mail_status::pending && mail.due_at <= what.now && !is_leased) found.mails.push_back(mail);
  }
  std::ranges::stable_sort(found.mails, {}, &queued_mail::due_at);
  if (found.mails.size() > what.limit) found.mails.resize(what.limit);
  return found;
}

mail_lookup memory_store::run(const find_mail& what) const {
  mail_lookup found;
  for (const auto& [id, mail] : directory_.mails) {
    if (!what.id.empty() && id != what.id) continue;
    if (what.status && mail.status != *what.status) continue;
    if (what.before && (mail.created_at > *what.before || (mail.created_at == *what.before && id >= what.before_id)))
      continue;
    found.mails.push_back(mail);
  }
  std::ranges::sort(found.mails, [](const queued_mail& a, const queued_mail& b) {
    return std::tie(a.created_at, a.id) > std::tie(b.created_at, b.id);
  });
  if (what.id.empty() && found.mails.size() > what.limit) found.mails.resize(what.limit);
  return found;
}

password_link_lookup memory_store::run(const find_password_link& what) const {
  password_link_lookup answer;
  for (const auto& [user, link] : directory_.password_links) {
    if (link.hash != what.hash) continue;
    const auto who =
        std::ranges::find_if(directory_.users, [&](const auto& one) { return one.second.id == link.user; });
    if (who != directory_.users.end()) answer.found = {link.user, who->second.email, link.expires};
  }
  return answer;
}

}  // namespace gateway::testing
