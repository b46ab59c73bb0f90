#include "mail_texts.hpp"

#include <cstring>  // ctemplate uses strlen without including it: keep this first

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include <ctemplate/template.h>

#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "http/html/fill.hpp"
#include "http/html/shown_time.hpp"
#include "http/html/templates.hpp"
#include "http/portal/invitation_link.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view mail_eyebrow = "Payments gateway";
constexpr std::size_t text_width = 76;

/// The value in one line, so that a merchant's name cannot add lines to a mail.
std::string value_of(const mail_content& what, std::string_view name) {
  std::string value{what.value(name)};
  std::ranges::replace_if(value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return value;
}

time_point time_value(const mail_content& what, std::string_view name) {
  using limits = std::numeric_limits<std::int64_t>;
  return from_unix_ms(parse_whole(what.value(name), limits::min(), limits::max()).value_or(0));
}

std::string shown_value(const mail_content& what, std::string_view name) {
  return show_time(time_value(what, name), {}).utc;
}

/// Values: merchant, merchant_id, user, invitation, expires, role, by.
mail_text invitation_text(const mail_content& what, const mail_addresses& known) {
  const auto merchant = value_of(what, "merchant");
  mail_text text;
  text.subject = "You are invited to " + merchant;
  text.paragraphs = {"You are invited to the team of " + merchant +
                     " in the merchant portal. Open the link to accept. If you have no password yet, you choose one "
                     "there."};
  text.facts = {{"Role", what.value("role") == "owner" ? "Owner" : "Viewer"},
                {"Address", what.to},
                {"Valid until", shown_value(what, "expires")}};
  text.link = invitation_url({merchant_id{value_of(what, "merchant_id")}, user_id{value_of(what, "user")}, what.to,
                              value_of(what, "invitation"), time_value(what, "expires")},
                             known.portal_url, known.invitation_key);
  text.label = "Open the invitation";
  text.closing = {
      "The link is for you alone: anyone who has it can choose your password. If you did not expect this mail, "
      "you can delete it: nothing happens."};
  return text;
}

/// Values: token, expires, address.
mail_text forgotten_text(const mail_content& what, const mail_addresses& known) {
  mail_text text;
  text.subject = "Choose a new password";
  text.paragraphs = {
      "Somebody asked for a new password for this address at the merchant portal. Open the link to choose one. It "
      "works once, within an hour."};
  text.facts = {{"Address", what.to},
                {"Requested from", value_of(what, "address")},
                {"Valid until", shown_value(what, "expires")}};
  text.link = known.portal_url + "/forgotten?token=" + percent_encoded(what.value("token"));
  text.label = "Choose a password";
  text.closing = {"If that was not you, you can delete this mail: your password stays as it is."};
  return text;
}

/// When a change of an account was made, and from where. Values: at, address, browser; the last two may be absent.
std::vector<mail_fact> facts_of_change(const mail_content& what) {
  std::vector<mail_fact> facts{{"Account", what.to}, {"When", shown_value(what, "at")}};
  if (!what.value("address").empty()) facts.push_back({"From", value_of(what, "address")});
  if (!what.value("browser").empty()) facts.push_back({"Browser", value_of(what, "browser")});
  return facts;
}

mail_text account_text(const mail_content& what, const mail_addresses& known, std::string subject, std::string said) {
  mail_text text;
  text.subject = std::move(subject);
  text.paragraphs = {std::move(said)};
  text.facts = facts_of_change(what);
  text.link = known.portal_url + "/account";
  text.label = "Open your account";
  text.closing = {"If that was you, there is nothing to do. If it was not, choose a new password at once: " +
                  known.portal_url + "/forgotten"};
  return text;
}

/// Values: merchant, merchant_id, mode, id, url, since or reason.
mail_text destination_text(const mail_content& what, const mail_addresses& known) {
  const bool disabled = what.kind == mail_kind::destination_disabled;
  const auto merchant = value_of(what, "merchant");
  mail_text text;
  text.subject = (disabled ? "A webhook destination of " : "Webhooks of ") + merchant +
                 (disabled ? " is disabled" : " do not arrive");
  if (disabled)
    text.paragraphs = {
        "The gateway no longer sends anything to this destination. Events for it are kept, and are sent "
        "once you enable it again."};
  else
    text.paragraphs = {
        "Every delivery to this destination has failed for an hour or more. The gateway keeps trying. "
        "If nothing arrives for some days, it disables the destination."};
  text.facts = {{"Merchant", merchant}, {"Mode", value_of(what, "mode")}, {"Destination", value_of(what, "url")}};
  if (!disabled) text.facts.push_back({"Failing since", shown_value(what, "since")});
  if (disabled) text.facts.push_back({"Reason", value_of(what, "reason")});
  text.link = known.portal_url + '/' + percent_encoded(what.value("merchant_id")) + '/' + value_of(what, "mode") +
              "/destinations/" + percent_encoded(what.value("id"));
  text.label = "Open the destination";
  text.closing = {"You get this mail because you are an owner of " + merchant + '.'};
  return text;
}

void add_wrapped(std::string& to, std::string_view paragraph) {
  std::size_t width = 0;
  while (!paragraph.empty()) {
    auto word = paragraph.substr(0, paragraph.find(' '));
    if (width > 0 && width + 1 + word.size() > text_width) {
      to += '\n';
      width = 0;
    }
    if (width > 0) to += ' ';
    to += word;
    width += word.size() + (width > 0 ? 1 : 0);
    paragraph.remove_prefix(std::min(word.size() + 1, paragraph.size()));
  }
  to += '\n';
}

ctemplate::TemplateString mail_template() {
  static const std::string_view name = "mail";
  static const bool loaded = ctemplate::StringToTemplateCache(
      ctemplate::TemplateString(name.data(), name.size()), std::string{template_named(name)}, ctemplate::DO_NOT_STRIP);
  if (!loaded) throw std::logic_error{"the template of mails does not parse"};
  return {name.data(), name.size()};
}

/// Replaces each character beyond ASCII by its reference, so that the HTML part is sent as it is (mime_message.hpp).
std::string with_references(std::string_view html) {
  std::string out;
  out.reserve(html.size());
  for (std::size_t i = 0; i < html.size();) {
    const auto byte = static_cast<unsigned char>(html[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length == 1) {
      out += html[i++];
      continue;
    }
    if (length == 0 || i + length > html.size()) {
      out += '?';
      ++i;
      continue;
    }
    std::uint32_t point = byte & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) point = point << 6 | (static_cast<unsigned char>(html[i + k]) & 0x3fU);
    out.append("&#").append(std::to_string(point)).append(";");
    i += length;
  }
  return out;
}

}  // namespace

mail_text text_of_mail(const mail_content& what, const mail_addresses& known) {
  switch (what.kind) {
    case mail_kind::invitation: return invitation_text(what, known);
    case mail_kind::forgotten_password: return forgotten_text(what, known);
    case mail_kind::new_password:
      return account_text(what, known, "Your password was set",
                          "A new password was set for your account at the merchant portal.");
    case mail_kind::second_factor_on:
      return account_text(what, known, "Your second factor is on",
                          "A second factor was turned on for your account at the merchant portal. From now on a "
                          "sign-in asks for a code.");
    case mail_kind::second_factor_off:
      return account_text(what, known, "Your second factor is off",
                          "The second factor of your account at the merchant portal was turned off. From now on the "
                          "password alone is enough to sign in.");
    case mail_kind::new_browser:
      return account_text(
          what, known, "A sign-in from a new browser",
          "Somebody signed in to your account at the merchant portal from a browser that was not used before.");
    case mail_kind::destination_failing:
    case mail_kind::destination_disabled: return destination_text(what, known);
  }
  throw std::logic_error{"a kind of mail has no text"};
}

std::string mail_as_text(const mail_text& what) {
  std::string out;
  add_wrapped(out, what.subject);
  for (const auto& paragraph : what.paragraphs) {
    out += '\n';
    add_wrapped(out, paragraph);
  }
  if (!what.facts.empty()) out += '\n';
  for (const auto& fact : what.facts) out.append(fact.name).append(": ").append(fact.value) += '\n';
  if (!what.link.empty()) out.append("\n").append(what.label).append(":\n").append(what.link) += '\n';
  for (const auto& paragraph : what.closing) {
    out += '\n';
    add_wrapped(out, paragraph);
  }
  return out;
}

std::string mail_as_html(const mail_text& what) {
  ctemplate::TemplateDictionary values{"mail"};
  set(values, "EYEBROW", mail_eyebrow);
  set(values, "TITLE", what.subject);
  for (const auto& paragraph : what.paragraphs) set(*values.AddSectionDictionary("PARAGRAPH"), "TEXT", paragraph);
  if (!what.facts.empty()) {
    auto& facts = *values.AddSectionDictionary("FACTS");
    for (const auto& fact : what.facts) {
      auto& row = *facts.AddSectionDictionary("FACT");
      set(row, "NAME", fact.name);
      set(row, "VALUE", fact.value);
    }
  }
  if (!what.link.empty()) {
    auto& action = *values.AddSectionDictionary("ACTION");
    set(action, "LINK", what.link);
    set(action, "LINK_SHOWN", what.link);
    set(action, "LABEL", what.label);
  }
  for (const auto& paragraph : what.closing) set(*values.AddSectionDictionary("CLOSING"), "TEXT", paragraph);
  std::string html;
  if (!ctemplate::ExpandTemplate(mail_template(), ctemplate::DO_NOT_STRIP, &values, &html))
    throw std::logic_error{"the template of mails does not expand"};
  return with_references(html);
}

}  // namespace gateway::http
