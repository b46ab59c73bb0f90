#include "connections_view.hpp"

#include <utility>

namespace gateway::http {

using namespace blocks;

namespace {

std::string_view told_status(connection_status status) noexcept {
  switch (status) {
    case connection_status::not_connected: return "No payment can be taken through it yet.";
    case connection_status::in_progress: return "It was begun and is not finished. Go on where you stopped.";
    case connection_status::connected: return "It takes payments.";
    case connection_status::unavailable: return "The provider has stopped it. Reconnect to take payments again.";
  }
  return {};
}

act_form connect_button(const connections_view& view, const connection_row& row) {
  const bool first = row.status == connection_status::not_connected;
  const bool begun = row.status == connection_status::in_progress;
  auto hidden = view.hidden;
  hidden.push_back({"provider", row.provider});
  auto form = act_button(view.frame, first || begun ? "connect" : "reconnect",
                         first   ? "Connect"
                         : begun ? "Go on"
                                 : "Reconnect",
                         row.name, std::move(hidden));
  form.buttons.front().primary = row.status != connection_status::connected;
  return form;
}

table connection_table(const connections_view& view) {
  const bool acts = may_act(view.frame);
  table list{"Connections", {{"Provider"}, {"Status"}, {"Account"}}, {}};
  if (acts) list.columns.push_back({"Action"});
  for (const auto& row : view.rows) {
    std::vector<pieces> cells{
        {row.name}, {connection_badge(row.status), std::string{told_status(row.status)}}, {code{row.account}}};
    if (acts && row.offered) cells.push_back({connect_button(view, row)});
    if (acts && !row.offered) cells.push_back({std::string{"Not offered in this environment"}});
    list.rows.push_back(std::move(cells));
  }
  return list;
}

section back_section(const connections_view& view, const way_back& back) {
  section of{"back", "Back to " + back.platform, {}};
  if (back.origin.empty()) {
    of.blocks.push_back(callout{tone::bad, "There is no way back from here",
                                "The address that " + back.platform +
                                    " gave for going back is not one of its own. When you are done here, open " +
                                    back.platform + " yourself."});
  } else if (back.ready) {
    of.blocks.push_back(
        paragraph{{std::string{"A connection can take payments. Your browser goes to "} + back.origin + "."}});
    auto form = act_button(view.frame, "return", "Go back to " + back.platform, {}, view.hidden);
    form.buttons.front().primary = true;
    of.blocks.push_back(std::move(form));
  } else {
    of.blocks.push_back(paragraph{{back.platform +
                                   " sent you here because it could not take a payment for you. Once a "
                                   "connection below can, your browser goes back to " +
                                   back.origin + "."}});
  }
  return of;
}

section choice_section(const merchant_choice& choice) {
  act_form form;
  form.asks = true;
  form.hidden = choice.query;
  input merchant{input_kind::radios, "merchant_id", "For which merchant?", {}, {}, {}};
  for (const auto& each : choice.merchants)
    merchant.options.push_back({each.id, each.name, {}, each.id == choice.chosen});
  input mode{input_kind::radios, "mode", "In which environment?", {}, {}, {}};
  for (const auto env : {environment::live, environment::test})
    mode.options.push_back({std::string{to_string(env)},
                            env == environment::live ? "Live: real payments" : "Test: no money moves",
                            {},
                            env == choice.env});
  form.inputs = {std::move(merchant), std::move(mode)};
  form.buttons.push_back({{}, "Show the connections", true});
  return {"choice", "Which connections?", {std::move(form)}};
}

}  // namespace

badge connection_badge(connection_status status) {
  switch (status) {
    case connection_status::not_connected: return {"Not connected", tone::neutral};
    case connection_status::in_progress: return {"In progress", tone::waiting};
    case connection_status::connected: return {"Connected", tone::good};
    case connection_status::unavailable: return {"Unavailable", tone::bad};
  }
  return {};
}

response connections_page(const connections_view& view) {
  member_page page;
  page.title = "Connections";
  if (view.back) page.sections.push_back(back_section(view, *view.back));
  if (view.choice) page.sections.push_back(choice_section(*view.choice));
  section list{"providers", "Payment providers", {}};
  if (view.rows.empty()) {
    list.blocks.push_back(empty_state{"No provider is offered here", "Ask the operator of this gateway for one.", {}});
  } else {
    list.blocks.push_back(connection_table(view));
    if (!may_act(view.frame))
      list.blocks.push_back(paragraph{{std::string{"An owner can connect a provider, and reconnect it."}}});
  }
  page.sections.push_back(std::move(list));
  return member_response(view.frame, page, {view.form_targets, {}});
}

}  // namespace gateway::http
