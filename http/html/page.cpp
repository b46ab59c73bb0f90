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
    case page_template::outcome: return "outcome";
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

/// Loads a page's template between its begin and its end. `end`: the template of the end, unless the page has its own.
bool load_between(std::string_view begin_name, std::string_view style, page_template which, std::string_view end) {
  static constexpr std::string_view style_begin = "<style>";
  const auto begin = template_named(begin_name);
  const auto at = begin.find(style_begin) + style_begin.size();
  std::string text{begin.substr(0, at)};
  text += style;
  text += begin.substr(at);
  text += template_named(file_of(which));
  if (!end.empty()) text += template_named(end);
  return ctemplate::StringToTemplateCache(name_of(which), text, ctemplate::DO_NOT_STRIP);
}

bool load(page_template which, std::string_view end = {}) { return load_between("begin", page_style(), which, end); }

bool load_for_customers(page_template which) {
  return load_between("customer_begin", customer_style(), which, "customer_end");
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
      load_parts() && load_for_customers(page_template::checkout) && load_for_customers(page_template::wallet) &&
      load_for_customers(page_template::outcome) && load(page_template::notice) && load(page_template::document) &&
      load(page_template::sign_in, "portal_end") && load(page_template::forgotten, "portal_end") &&
      load(page_template::invitation, "portal_end") && load(page_template::consent, "portal_end") &&
      load(page_template::buttons, "portal_end") && load(page_template::member) && load(page_template::console);
  if (!loaded) throw std::logic_error{"a page template does not parse"};
}

/// `'sha256-…'` of a style, in standard base64 as policies require.
std::string source_of(std::string_view style) {
  const auto hash = crypto::to_text(crypto::sha256(style));
  auto text = crypto::base64url(hash);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return "'sha256-" + text + "'";
}

const std::string& source_of(page_styles style) {
  static const std::string people = source_of(page_style()), customers = source_of(customer_style());
  return style == page_styles::customers ? customers : people;
}

/// Inserts the style at the end of the head. No other text can hold `</head>` before it: texts in the head are escaped.
void insert_style(std::string& body, std::string_view style) {
  const auto end = body.find("</head>");
  if (end == body.npos) throw std::logic_error{"a page has no head"};
  body.insert(end, std::string{"<style>"}.append(style).append("</style>\n"));
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
  std::string text{"default-src 'none'; script-src "};
  text += policy.scripts ? "'self'" : "'none'";
  text += "; style-src ";
  text += source_of(policy.style);
  if (!policy.own_style.empty()) text += ' ' + source_of(policy.own_style);
  if (policy.images) text += "; img-src 'self'";
  text += "; base-uri 'none'; form-action ";
  text += or_none(policy.form_targets);
  text += "; frame-ancestors ";
  return text += or_none(policy.frame_ancestors);
}

response page_response(std::string body, const page_policy& policy) {
  response out;
  out.content_type = "text/html; charset=utf-8";
  if (!policy.own_style.empty()) insert_style(body, policy.own_style);
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
