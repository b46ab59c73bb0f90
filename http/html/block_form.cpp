// Forms, and their fields.
#include <utility>

#include "block_parts.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

/// A field's attributes for browsers, password managers and on-screen keyboards.
struct input_traits {
  std::string_view type;
  std::string_view autocomplete;
  std::string_view inputmode;
};
constexpr input_traits traits_of_input(input_kind kind) noexcept {
  switch (kind) {
    case input_kind::user_name: return {"text", "username", ""};
    case input_kind::search: return {"search", "off", ""};
    case input_kind::email: return {"email", "off", "email"};
    case input_kind::url: return {"url", "off", "url"};
    case input_kind::date: return {"date", "", ""};
    case input_kind::decimal: return {"text", "off", "decimal"};
    case input_kind::code: return {"text", "one-time-code", "numeric"};
    case input_kind::password: return {"password", "current-password", ""};
    case input_kind::new_password: return {"password", "new-password", ""};
    case input_kind::radios: return {"radio", "", ""};
    case input_kind::checks: return {"checkbox", "", ""};
    case input_kind::text:
    case input_kind::choice:
    case input_kind::picture: break;
  }
  return {"text", "off", ""};
}

constexpr const char* part_of_input(input_kind kind) noexcept {
  if (kind == input_kind::choice) return "part_choice";
  if (kind == input_kind::picture) return "part_picture";
  return kind == input_kind::checks || kind == input_kind::radios ? "part_boxes" : "part_input";
}

constexpr bool is_secret_input(input_kind kind) noexcept {
  return kind == input_kind::password || kind == input_kind::new_password;
}

void show_options(TemplateDictionary& part, const std::vector<option>& options) {
  for (const auto& each : options) {
    auto& item = *part.AddSectionDictionary("OPTION");
    set(item, "VALUE", each.value);
    set(item, "TEXT", each.text);
    if (each.chosen) item.ShowSection("CHOSEN");
    set_if_any(item, "DETAILED", "DETAIL", each.detail);
  }
}

void show_input(TemplateDictionary& part, const std::string& id, const input& what) {
  const auto traits = traits_of_input(what.kind);
  set(part, "ID", id);
  set(part, "NAME", what.name);
  set(part, "LABEL", what.label);
  set(part, "TYPE", traits.type);
  if (!is_secret_input(what.kind)) set(part, "VALUE", what.now.value);
  set_if_any(part, "COMPLETED", "BY", traits.autocomplete);
  set_if_any(part, "TYPED", "ON", traits.inputmode);
  if (what.most > 0) set(*part.AddSectionDictionary("LONGEST"), "MOST", std::to_string(what.most));
  if (what.required) part.ShowSection("REQUIRED");
  std::string described;
  if (!what.hint.empty()) {
    described = id + "-hint";
    set_if_any(part, "HINTED", "HINT", what.hint);
  }
  if (!what.now.fault.empty()) {
    described += (described.empty() ? "" : " ") + id + "-fault";
    part.ShowSection("WRONG");
    set_if_any(part, "FAULTY", "FAULT", what.now.fault);
  }
  set_if_any(part, "DESCRIBED", "BY", described);
  show_options(part, what.options);
}

bool is_faulty(const act_form& what) {
  if (!what.fault.empty()) return true;
  for (const auto& each : what.inputs)
    if (!each.now.fault.empty()) return true;
  return false;
}

void show_hidden(TemplateDictionary& part, std::string_view name, std::string_view value) {
  auto& item = *part.AddSectionDictionary("HIDDEN");
  set(item, "NAME", name);
  set(item, "VALUE", value);
}

}  // namespace

void show_form(TemplateDictionary& part, const act_form& what) {
  if (!what.folded.empty()) {
    auto& fold = *part.AddSectionDictionary("FOLD");
    set(fold, "SUMMARY", what.folded);
    if (is_faulty(what)) fold.ShowSection("OPEN");
    part.ShowSection("FOLDED");
  }
  part.ShowSection(what.asks ? "ASKS" : "POSTS");
  if (!what.fault.empty()) {
    part.ShowSection("FAULTY");
    set(part, "FAULT", what.fault);
    set(part, "FAULT_ID", what.id + "-form-fault");
  }
  if (!what.asks) show_hidden(part, "csrf", what.csrf);
  for (const auto& each : what.hidden) show_hidden(part, each.name, each.value);
  for (const auto& each : what.inputs) {
    if (each.kind == input_kind::picture) part.ShowSection("UPLOADS");
    auto& at = *part.AddSectionDictionary("INPUT");
    show_input(include_part(at, "PART", part_of_input(each.kind)),
               what.id.empty() ? each.name : what.id + "-" + each.name, each);
  }
  for (const auto& each : what.buttons) {
    auto& item = *part.AddSectionDictionary("BUTTON");
    set(item, "LABEL", each.label);
    if (each.primary) item.ShowSection("PRIMARY");
    set_if_any(item, "ACTS", "ACTION", each.action);
    set_if_any(item, "ABOUT", "TEXT", what.about);
  }
  for (const auto& to : what.links) show_link(part, "LINK", to);
}

act_form blocks::one_button(std::string csrf, std::string action, std::string label, std::string about,
                            std::vector<hidden_field> hidden) {
  act_form made;
  made.csrf = std::move(csrf);
  made.hidden = std::move(hidden);
  made.buttons.push_back({std::move(action), std::move(label)});
  made.about = std::move(about);
  return made;
}

}  // namespace gateway::http
