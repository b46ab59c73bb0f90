#include "console_pages.hpp"

#include <utility>

#include "console_acts.hpp"
#include "gateway/domain/person.hpp"
#include "gateway/domain/url.hpp"
#include "http/html/fill.hpp"
#include "http/html/page.hpp"

namespace gateway::http {
namespace {

const page_policy console_policy{"'self'", {}};

constexpr std::size_t most_query = 512;
constexpr std::size_t most_code_typed = 16;

constexpr std::string_view role_words(operator_role role) noexcept {
  switch (role) {
    case operator_role::admin: return "Everything, operators and nodes included.";
    case operator_role::support: return "Looks, and acts on payments and deliveries.";
    case operator_role::viewer: return "Sees everything, changes nothing.";
  }
  return {};
}

/// A page before sign-in.
response signed_out_page(std::string_view title, std::string_view notice, std::string_view fault,
                         const std::vector<blocks::section>& sections) {
  ctemplate::TemplateDictionary values{"console"};
  values.ShowSection("SIGNED_OUT");
  set(values, "TITLE", title);
  set_if_any(values, "NOTICE", "TEXT", notice);
  set_if_any(values, "FAULT", "TEXT", fault);
  show_sections(values, sections);
  return page_response(render(page_template::console, values), console_policy);
}

blocks::act_form add_operator_form(const std::string& csrf) {
  blocks::act_form form;
  form.csrf = csrf;
  form.inputs.push_back(
      {blocks::input_kind::text, "name", "Name", "For signing in, and in records.", {}, {}, most_operator_name, true});
  blocks::input role{blocks::input_kind::radios, "role", "Role", {}, {}, {}, 0, true};
  for (const auto each : {operator_role::viewer, operator_role::support, operator_role::admin})
    role.options.push_back({std::string{to_string(each)}, std::string{to_string(each)}, std::string{role_words(each)},
                            each == operator_role::viewer});
  form.inputs.push_back(std::move(role));
  form.buttons.push_back({"add", "Add the operator", true});
  return form;
}

}  // namespace

response console_page(const console_frame& frame, std::string_view title, std::vector<blocks::section> sections) {
  leave_permitted(sections, frame.role);
  ctemplate::TemplateDictionary values{"console"};
  values.ShowSection("FRAMED");
  set(values, "TITLE", title);
  auto& top = *values.AddSectionDictionary("SIGNED_IN");
  set(top, "QUERY", frame.query);
  set(top, "CSRF", frame.csrf);
  set(top, "USER", frame.user);
  set(top, "ROLE", to_string(frame.role));
  if (frame.at_overview) top.ShowSection("AT_OVERVIEW");
  if (may(frame.role, console_permission::manage_operators)) {
    auto& place = *top.AddSectionDictionary("MANAGES_OPERATORS");
    if (frame.at_operators) place.ShowSection("AT_OPERATORS");
  }
  set_if_any(top, "OF_NODE", "NODE", frame.node);
  set_if_any(values, "NOTICE", "TEXT", frame.notice);
  set_if_any(values, "FAULT", "TEXT", frame.fault);
  show_sections(values, sections);
  return page_response(render(page_template::console, values), console_policy);
}

response console_sign_in_page(const console_sign_in_view& view) {
  blocks::act_form form;
  form.csrf = view.csrf;
  form.inputs.push_back(
      {blocks::input_kind::user_name, "name", "Name", {}, {view.name, {}}, {}, most_operator_name, true});
  form.inputs.push_back({blocks::input_kind::password, "password", "Password", {}, {}, {}, most_password_bytes, true});
  form.inputs.push_back({blocks::input_kind::code,
                         "code",
                         "Code",
                         "The six digits that your authenticator app shows now.",
                         {},
                         {},
                         most_code_typed,
                         true});
  form.buttons.push_back({"sign-in", "Sign in", true});
  blocks::paragraph help{
      {std::string{"gatewayctl operator add NAME --role admin makes an operator, and gatewayctl "
                   "operator reset NAME a new link for one who has lost the password or the app."}}};
  return signed_out_page("Sign in", view.notice, view.fault, {{"sign-in", {}, {std::move(form), std::move(help)}}});
}

response console_setup_page(const console_setup_view& view) {
  blocks::section learn{"learn",
                        "1. Add the console to your authenticator app",
                        {blocks::own_markup{view.qr_svg, "Scan this with an authenticator app."},
                         blocks::secret{"Or type this secret into it", {view.secret}},
                         blocks::secret{"Or give this address to it", {view.uri}}}};
  blocks::act_form form;
  form.csrf = view.csrf;
  form.hidden.push_back({"name", view.name});  // so that a password manager saves it with the password
  form.inputs.push_back({blocks::input_kind::new_password,
                         "password",
                         "Password",
                         "At least 12 characters.",
                         {{}, view.password_fault},
                         {},
                         most_password_bytes,
                         true});
  form.inputs.push_back({blocks::input_kind::code,
                         "code",
                         "Code",
                         "The six digits that the app shows now.",
                         {{}, view.code_fault},
                         {},
                         most_code_typed,
                         true});
  form.buttons.push_back({"set-password", "Set the password and the second factor", true});
  blocks::section choose{"choose", "2. Choose a password, and enter the code that the app shows", {std::move(form)}};
  return signed_out_page("Welcome, " + view.name, {}, {}, {std::move(learn), std::move(choose)});
}

std::vector<blocks::section> operators_sections(const operators_view& view) {
  std::vector<blocks::section> out;
  if (!view.link.empty()) {
    blocks::secret link{"The link for " + view.link_for + ": it works once, for a day, and is not shown again",
                        {view.link}};
    out.push_back({"link", {}, {std::move(link)}});
  }
  blocks::table table{"Operators", {{"Name"}, {"Role"}, {"May"}, {"State"}, {"Actions"}}, {}};
  for (const auto& each : view.operators) {
    const blocks::badge state = each.is_set_up ? blocks::badge{"Set up", blocks::tone::good}
                                               : blocks::badge{"Link not used yet", blocks::tone::waiting};
    blocks::pieces acts{console_button(view.csrf, "reset", "Reset", each.name, "name", each.name)};
    if (each.name != view.present)
      acts.push_back(console_button(view.csrf, "remove", "Remove", each.name, "name", each.name));
    table.rows.push_back({{each.name + (each.name == view.present ? " (you)" : "")},
                          {std::string{to_string(each.role)}},
                          {std::string{role_words(each.role)}},
                          {state},
                          std::move(acts)});
  }
  out.push_back({"operators", {}, {std::move(table)}});
  out.push_back({"add", "Add an operator", {add_operator_form(view.csrf)}});
  return out;
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
