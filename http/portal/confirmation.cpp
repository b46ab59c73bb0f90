#include "confirmation.hpp"

#include <utility>

#include "gateway/base/crypto.hpp"
#include "http/call/call.hpp"
#include "member_page.hpp"
#include "page_forms.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view confirm_field = "confirm";

/// Unambiguous, because ids have no line breaks.
std::string bound_to_action(const call& c, std::string_view verb, std::string_view object) {
  std::string bound_to = "confirm\n";
  bound_to.append(c.visit->page).append(1, '\n').append(verb).append(1, '\n').append(object);
  return bound_to;
}

std::string confirmation_token(const call& c, std::string_view verb, std::string_view object) {
  return csrf_of(c.here.shared, c.visit->person, bound_to_action(c, verb, object));
}

}  // namespace

bool is_confirmed(const call& c, std::string_view verb, std::string_view object) {
  return is_csrf_token(c.here.shared.form_key, c.visit->sent.text(confirm_field), c.visit->person.cookie,
                       bound_to_action(c, verb, object));
}

response confirmation_page(const call& c, const confirmation& what) {
  const auto frame = frame_of(c, what.at);
  auto form = act_form_of(frame, "confirm");
  form.hidden = what.hidden;
  form.hidden.push_back({std::string{confirm_field}, confirmation_token(c, what.verb, what.object)});
  form.buttons.push_back({what.verb, what.label, true});
  form.links.push_back(what.back);
  blocks::section asks{"confirm", {}, {}};
  asks.blocks.push_back(blocks::callout{blocks::tone::waiting, "Nothing has changed yet", what.consequence});
  if (!what.shown.rows.empty()) asks.blocks.push_back(what.shown);
  asks.blocks.push_back(std::move(form));
  member_page page;
  page.title = what.title;
  page.sections.push_back(std::move(asks));
  return member_response(frame, page);
}

}  // namespace gateway::http
