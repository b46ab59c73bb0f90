#include "console_acts.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>

#include "gateway/domain/text.hpp"
#include "http/codec/json_writer.hpp"

namespace gateway::http {
namespace {

constexpr auto console_acts = std::to_array<console_act>({
    {"redeliver", "delivery", "/operator/deliveries/redeliver", "id", "The delivery is resent.",
     console_permission::act_on_deliveries},
    {"redeliver", "destination", "/operator/deliveries/redeliver", "destination_id",
     "All failed deliveries of the destination are resent.", console_permission::act_on_deliveries},
    {"refresh",
     "payment",
     "/operator/payments/refresh",
     "payment_id",
     "The provider was asked. What it answered is in the payment.",
     console_permission::act_on_payments,
     {},
     {"merchant_id", "mode"}},
    {"settle",
     "payment",
     "/operator/payments/settle",
     "payment_id",
     "The operation has ended.",
     console_permission::act_on_payments,
     {},
     {"merchant_id", "mode", "as", "reason"}},
    {"disable",
     "destination",
     "/operator/destinations/disable",
     "destination_id",
     "The destination is disabled.",
     console_permission::change_destinations,
     {},
     {"reason"}},
    {"enable", "destination", "/operator/destinations/enable", "destination_id", "The destination is enabled.",
     console_permission::change_destinations},
    {"suspend", "platform", "/operator/platforms/status", "platform_id", "The platform is suspended.",
     console_permission::change_platforms, "suspended"},
    {"resume", "platform", "/operator/platforms/status", "platform_id", "The platform is active again.",
     console_permission::change_platforms, "active"},
    {"drain", "node", "/operator/nodes/drain", "node", "The node was asked to drain.", console_permission::drain_nodes},
});

/// The act of a form, by its button and its hidden fields. Null if the form is not an act, such as a search.
const console_act* act_of(const blocks::act_form& shown) {
  for (const auto& button : shown.buttons)
    for (const auto& field : shown.hidden)
      for (const auto& each : console_acts)
        if (each.action == button.action && each.field == field.name) return &each;
  return nullptr;
}

bool is_forbidden(const blocks::act_form& shown, operator_role role) {
  const auto* what = act_of(shown);
  return what && !may(role, what->needs);
}

void leave_permitted(blocks::pieces& cell, operator_role role) {
  std::erase_if(cell, [&](const blocks::piece& each) {
    const auto* shown = std::get_if<blocks::act_form>(&each);
    return shown && is_forbidden(*shown, role);
  });
}

/// The text of a copied field. A form without a reason field gets a fixed reason.
std::string copied_text(const form& sent, std::string_view name) {
  return name == "reason" && !sent.has(name) ? "from the console" : sent.text(name);
}

}  // namespace

const console_act* act_of(const form& sent) {
  const auto action = sent.text("action");
  const auto at = std::ranges::find_if(
      console_acts, [&](const console_act& each) { return each.action == action && !sent.text(each.field).empty(); });
  return at == console_acts.end() ? nullptr : &*at;
}

std::string command_body(const console_act& what, const form& sent) {
  const auto subject = sent.text(what.field);
  using limits = std::numeric_limits<std::int64_t>;
  const auto number = what.field == "delivery" ? parse_whole(subject, limits::min(), limits::max()) : std::nullopt;
  std::string text;
  {
    json_object body{text};
    if (number)
      body.number(what.member, *number);
    else
      body.text(what.member, subject);
    body.text_if("status", what.status);
    for (const auto name : what.copied)
      if (!name.empty()) body.text(name, copied_text(sent, name));
  }
  return text;
}

std::string name_of_act(const console_act& what) { return std::string{what.action}.append("-").append(what.field); }

std::string words_of_done_act(std::string_view name) {
  for (const auto& each : console_acts)
    if (name_of_act(each) == name) return std::string{each.done};
  return {};
}

void leave_permitted(std::vector<blocks::section>& page, operator_role role) {
  for (auto& section : page) {
    std::erase_if(section.blocks, [&](const blocks::block& each) {
      const auto* shown = std::get_if<blocks::act_form>(&each);
      return shown && is_forbidden(*shown, role);
    });
    for (auto& block : section.blocks)
      if (auto* table = std::get_if<blocks::table>(&block))
        for (auto& row : table->rows)
          for (auto& cell : row) leave_permitted(cell, role);
  }
}

}  // namespace gateway::http
