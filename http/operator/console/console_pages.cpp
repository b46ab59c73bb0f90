#include "console_pages.hpp"

#include "gateway/domain/url.hpp"
#include "http/html/fill.hpp"
#include "http/html/page.hpp"

namespace gateway::http {
namespace {

const page_policy console_policy{"'self'", {}};

constexpr std::size_t most_query = 512;
constexpr std::size_t most_token_typed = 1'024;

}  // namespace

response console_page(const console_frame& frame, std::string_view title,
                      const std::vector<blocks::section>& sections) {
  ctemplate::TemplateDictionary values{"console"};
  values.ShowSection("FRAMED");
  set(values, "TITLE", title);
  auto& top = *values.AddSectionDictionary("SIGNED_IN");
  set(top, "QUERY", frame.query);
  set(top, "CSRF", frame.csrf);
  if (frame.at_overview) top.ShowSection("AT_OVERVIEW");
  set_if_any(top, "OF_NODE", "NODE", frame.node);
  set_if_any(values, "NOTICE", "TEXT", frame.notice);
  set_if_any(values, "FAULT", "TEXT", frame.fault);
  show_sections(values, sections);
  return page_response(render(page_template::console, values), console_policy);
}

response console_sign_in_page(const std::string& csrf, const std::string& fault) {
  blocks::input token{
      blocks::input_kind::password, "token", "Operator token", {}, {{}, fault}, {}, most_token_typed, true};
  token.hint = "It is in the file that the setting console-token-file names.";
  blocks::act_form form;
  form.csrf = csrf;
  form.inputs.push_back(std::move(token));
  form.buttons.push_back({"sign-in", "Sign in", true});
  ctemplate::TemplateDictionary values{"console"};
  values.ShowSection("SIGNED_OUT");
  set(values, "TITLE", "Sign in");
  show_sections(values, {{"sign-in", {}, {std::move(form)}}});
  return page_response(render(page_template::console, values), console_policy);
}

blocks::link console_link(const std::string& id) { return console_link(id, id); }

blocks::link console_link(std::string text, const std::string& query) {
  return {std::move(text), std::string{console_search_path} + "?q=" + percent_encoded(query.substr(0, most_query))};
}

blocks::act_form console_button(const std::string& csrf, std::string action, std::string label, std::string about,
                                std::string field, std::string value) {
  return blocks::one_button(csrf, std::move(action), std::move(label), std::move(about),
                            {{std::move(field), std::move(value)}});
}

}  // namespace gateway::http
