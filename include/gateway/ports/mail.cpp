#include "gateway/ports/mail.hpp"

#include <algorithm>

#include "gateway/ports/sealed_texts.hpp"

namespace gateway {

namespace {

/// A line for each value: its name, '=', and the value in base64url.
std::string text_of(const mail_content& what) {
  std::string text;
  for (const auto& [name, value] : what.values) text.append(name).append("=").append(crypto::base64url(value)) += '\n';
  return text;
}

}  // namespace

std::string_view mail_content::value(std::string_view name) const noexcept {
  const auto at = std::ranges::find(values, name, &std::pair<std::string, std::string>::first);
  return at == values.end() ? std::string_view{} : std::string_view{at->second};
}

save_mail mail_sealer::seal(const mail_content& what, time_point now, time_point expires, std::string id) const {
  queued_mail mail;
  mail.id = id.empty() ? "mail_" + crypto::random_hex(16) : std::move(id);
  mail.kind = what.kind;
  mail.to = what.to;
  mail.sealed = keys_.seal(text_of(what), bound_to(sealed_column::mail, mail.id));
  mail.created_at = mail.due_at = now;
  mail.expires_at = expires;
  return {std::move(mail)};
}

std::optional<mail_content> mail_sealer::open(const queued_mail& mail) const {
  const auto text = keys_.open(mail.sealed, bound_to(sealed_column::mail, mail.id));
  if (!text) return std::nullopt;
  mail_content what{mail.kind, mail.to, {}};
  std::string_view rest{*text};
  while (!rest.empty()) {
    const auto end = rest.find('\n'), sign = rest.find('=');
    if (end == rest.npos || sign > end) return std::nullopt;
    auto value = crypto::from_base64url(rest.substr(sign + 1, end - sign - 1));
    if (!value) return std::nullopt;
    what.values.emplace_back(rest.substr(0, sign), *std::move(value));
    rest.remove_prefix(end + 1);
  }
  return what;
}

}  // namespace gateway
