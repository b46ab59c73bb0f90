#include "page.hpp"

#include <cstring>  // ctemplate uses strlen without including it: keep this first

#include <algorithm>
#include <stdexcept>

#include <ctemplate/template.h>

#include "gateway/base/crypto.hpp"
#include "http/errors.hpp"
#include "templates.hpp"

namespace gateway::http {
namespace {

std::string_view file_of(page_template which) {
  switch (which) {
    case page_template::checkout: return "checkout";
    case page_template::wallet: return "wallet";
    case page_template::notice: return "notice";
    case page_template::document: return "document";
    case page_template::sign_in: return "sign_in";
    case page_template::forgotten: return "forgotten";
    case page_template::invitation: return "invitation";
    case page_template::consent: return "consent";
    case page_template::buttons: return "buttons";
    case page_template::member: return "member";
    case page_template::console: return "console";
  }
  return "notice";
}

ctemplate::TemplateString name_of(page_template which) {
  const auto file = file_of(which);
  return {file.data(), file.size()};
}

/// Loads a page's template between the common begin and end. `end`: the template of the end, unless the page has its
/// own.
bool load(page_template which, std::string_view end = {}) {
  static constexpr std::string_view style_begin = "<style>";
  const auto begin = template_named("begin");
  const auto at = begin.find(style_begin) + style_begin.size();
  std::string text{begin.substr(0, at)};
  text += page_style();
  text += begin.substr(at);
  text += template_named(file_of(which));
  if (!end.empty()) text += template_named(end);
  return ctemplate::StringToTemplateCache(name_of(which), text, ctemplate::DO_NOT_STRIP);
}

/// The parts that pages include, by file name.
bool load_parts() {
  for (const auto& part : known_templates()) {
    if (!part.name.starts_with("part_")) continue;
    std::string text{R"({{%AUTOESCAPE context="HTML"}})"};
    text += part.text;
    if (!ctemplate::StringToTemplateCache(ctemplate::TemplateString(part.name.data(), part.name.size()), text,
                                          ctemplate::DO_NOT_STRIP))
      return false;
  }
  return true;
}

/// Once per process: ctemplate owns the cache, which all threads may read.
void load_all() {
  static const bool loaded =
      load_parts() && load(page_template::checkout) && load(page_template::wallet) && load(page_template::notice) &&
      load(page_template::document) && load(page_template::sign_in, "portal_end") &&
      load(page_template::forgotten, "portal_end") && load(page_template::invitation, "portal_end") &&
      load(page_template::consent, "portal_end") && load(page_template::buttons, "portal_end") &&
      load(page_template::member) && load(page_template::console);
  if (!loaded) throw std::logic_error{"a page template does not parse"};
}

/// `'sha256-…'` of the style, in standard base64 as policies require.
std::string style_source() {
  const auto hash = crypto::to_text(crypto::sha256(page_style()));
  auto text = crypto::base64url(hash);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return "'sha256-" + text + "'";
}

std::string_view or_none(std::string_view sources) { return sources.empty() ? std::string_view{"'none'"} : sources; }

}  // namespace

std::string render(page_template which, const ctemplate::TemplateDictionary& values) {
  load_all();
  std::string html;
  if (!ctemplate::ExpandTemplate(name_of(which), ctemplate::DO_NOT_STRIP, &values, &html))
    throw std::logic_error{"a page template does not expand"};
  return html;
}

std::string content_security_policy(const page_policy& policy) {
  static const std::string fixed =
      "default-src 'none'; script-src 'none'; style-src " + style_source() + "; base-uri 'none'; form-action ";
  std::string text = fixed;
  text += or_none(policy.form_targets);
  text += "; frame-ancestors ";
  return text += or_none(policy.frame_ancestors);
}

response page_response(std::string body, const page_policy& policy) {
  response out;
  out.content_type = "text/html; charset=utf-8";
  out.body = std::move(body);
  out.headers.emplace_back("Content-Security-Policy", content_security_policy(policy));
  out.headers.emplace_back("X-Content-Type-Options", "nosniff");
  out.headers.emplace_back("Referrer-Policy", "no-referrer");
  return out;
}

response notice_page(std::string_view title, std::string_view message, const page_policy& policy,
                     const page_link& onward) {
  ctemplate::TemplateDictionary values{"notice"};
  values.SetValue("TITLE", ctemplate::TemplateString(title.data(), title.size()));
  values.SetValue("MESSAGE", ctemplate::TemplateString(message.data(), message.size()));
  if (!onward.address.empty()) {
    values.ShowSection("ONWARD");
    values.SetValue("ADDRESS", ctemplate::TemplateString(onward.address.data(), onward.address.size()));
    values.SetValue("LABEL", ctemplate::TemplateString(onward.label.data(), onward.label.size()));
  }
  return page_response(render(page_template::notice, values), policy);
}

response error_page(page_error what) {
  const auto& row = row_of(what);
  auto out = notice_page(row.title, row.message);
  out.status = row.status;
  out.error_page = &row;
  add_retry_after(out);
  return out;
}

void add_way_on(response& page, const page_link& onward) {
  if (page.error_page) page.body = notice_page(page.error_page->title, page.error_page->message, {}, onward).body;
}

}  // namespace gateway::http
