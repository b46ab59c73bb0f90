#include "search_sections.hpp"

#include <utility>

#include "console_pages.hpp"
#include "gateway/domain/shown_money.hpp"
#include "gateway/domain/time.hpp"
#include "http/portal/member/delivery_table.hpp"
#include "overview_sections.hpp"

namespace gateway::http {
namespace {

using blocks::badge;
using blocks::code;
using blocks::pieces;
using blocks::tone;

constexpr std::size_t most_reason_typed = 200;

/// A list of facts that omits empty values.
class fact_list {
 public:
  fact_list& add(std::string name, std::string_view text) {
    if (!text.empty()) rows_.rows.push_back({std::move(name), {std::string{text}}});
    return *this;
  }
  fact_list& add_code(std::string name, std::string_view text) {
    if (!text.empty()) rows_.rows.push_back({std::move(name), {code{std::string{text}}}});
    return *this;
  }
  fact_list& add_piece(std::string name, blocks::piece what) {
    rows_.rows.push_back({std::move(name), {std::move(what)}});
    return *this;
  }
  /// A link to the search result for the id.
  fact_list& add_link(std::string name, const std::string& id) {
    if (!id.empty()) rows_.rows.push_back({std::move(name), {console_link(id)}});
    return *this;
  }
  fact_list& add_time(std::string name, const std::optional<time_point>& at) {
    if (at) rows_.rows.push_back({std::move(name), {console_time(*at)}});
    return *this;
  }
  blocks::facts take() { return std::move(rows_); }

 private:
  blocks::facts rows_;
};

badge good_or_bad(std::string text, bool good) { return {std::move(text), good ? tone::good : tone::bad}; }

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

blocks::act_form resend_button(const std::string& csrf, const std::string& id) {
  return console_button(csrf, "redeliver", "Resend", "delivery " + id, "delivery", id);
}

blocks::table console_delivery_table(const std::vector<delivery_job>& jobs, const std::string& csrf) {
  blocks::table table{
      "Its newest deliveries", {{"Delivery"}, {"Event"}, {"State"}, {"Attempts", true}, {"Actions"}}, {}};
  for (const auto& job : jobs) {
    const auto id = std::to_string(job.row.id);
    table.rows.push_back({{console_link(id)},
                          {job.event.type},
                          {delivery_badge(job.row.status)},
                          {std::to_string(job.row.attempts)},
                          {resend_button(csrf, id)}});
  }
  return table;
}

/// The search text that finds an event's subject.
std::string search_text_of(const entity_key& subject) { return subject.merchant.value + " " + subject.id; }

}  // namespace

blocks::section merchant_section(const merchant& who) {
  fact_list facts;
  facts.add_code("Merchant", who.id.value).add("Name", who.name).add_code("Entity", who.entity.value);
  facts.add("Kind", to_string(who.kind));
  for (const auto& link : who.connections)
    facts.add("Connection, " + std::string{to_string(link.env)},
              std::string{to_string(link.provider)} + ": " + std::string{to_string(link.status)} +
                  (link.account.empty() ? "" : " (" + link.account + ")"));
  for (const auto& way : who.routes) facts.add("Route, " + std::string{to_string(way.env)}, to_string(way.provider));
  return {"merchant", "Merchant " + who.name, {facts.take()}};
}

blocks::section key_section(const api_key& what) {
  fact_list facts;
  facts.add_code("Key", what.id.value).add_link("Merchant", what.merchant.value).add("Mode", to_string(what.env));
  facts.add("Scopes", to_string(what.scopes));
  facts.add_piece("State", good_or_bad(what.revoked ? "Revoked" : "Active", !what.revoked));
  return {"key", "Key of a merchant", {facts.take()}};
}

blocks::section key_section(const platform_key& what) {
  fact_list facts;
  facts.add_code("Key", what.id.value).add_link("Platform", what.platform.value).add("Scopes", to_string(what.scopes));
  facts.add_piece("State", good_or_bad(what.revoked ? "Revoked" : "Active", !what.revoked));
  return {"key", "Key of a platform", {facts.take()}};
}

blocks::section platform_section(const platform& who, const std::string& csrf) {
  const bool active = who.status == platform_status::active;
  fact_list facts;
  facts.add_code("Platform", who.id.value).add_code("Client id", who.slug).add("Name", who.name);
  facts.add("Contact", who.contact).add_piece("State", good_or_bad(std::string{to_string(who.status)}, active));
  facts.add("Redirect URIs", joined(who.redirect_uris)).add("Return origins", joined(who.return_origins));
  auto act = active ? console_button(csrf, "suspend", "Suspend", who.name, "platform", who.id.value)
                    : console_button(csrf, "resume", "Resume", who.name, "platform", who.id.value);
  return {"platform", "Platform " + who.name, {facts.take(), std::move(act)}};
}

blocks::section destination_section(const webhook_endpoint& where, const std::vector<delivery_job>& newest,
                                    const std::string& csrf) {
  const auto& what = where.what;
  const bool enabled = what.status == destination_status::enabled;
  fact_list facts;
  facts.add_code("Destination", what.id.value).add_code("URL", what.url).add_link("Owner", what.owner);
  facts.add("Mode", to_string(what.env)).add("Events", what.events.empty() ? "the default ones" : joined(what.events));
  facts.add_piece("State", good_or_bad(std::string{to_string(what.status)}, enabled))
      .add("Reason", what.disabled_reason);
  if (where.held) facts.add("Held", "its platform is suspended");
  facts.add_time("Created", what.created_at);
  blocks::section out{"destination", "Destination", {facts.take()}};
  if (enabled) {
    auto act = console_button(csrf, "disable", "Disable", what.id.value, "destination", what.id.value);
    act.inputs.push_back({blocks::input_kind::text,
                          "reason",
                          "Reason",
                          "For the next operator who reads this.",
                          {},
                          {},
                          most_reason_typed});
    out.blocks.push_back(std::move(act));
  } else {
    out.blocks.push_back(console_button(csrf, "enable", "Enable", what.id.value, "destination", what.id.value));
  }
  out.blocks.push_back(
      console_button(csrf, "redeliver", "Resend all failed", what.id.value, "destination", what.id.value));
  if (!newest.empty()) out.blocks.push_back(console_delivery_table(newest, csrf));
  return out;
}

blocks::section destination_list_section(const destinations_lookup& found) {
  blocks::table table{"Destinations", {{"Destination"}, {"URL"}, {"Mode"}, {"State"}}, {}};
  for (const auto& each : found.destinations) {
    const auto& what = each.what;
    table.rows.push_back(
        {{console_link(what.id.value)},
         {code{what.url}},
         {std::string{to_string(what.env)}},
         {good_or_bad(std::string{to_string(what.status)}, what.status == destination_status::enabled)}});
  }
  return {"destinations", "Destinations", {std::move(table)}};
}

blocks::section delivery_section(const delivery_job& job, const std::string& csrf) {
  const auto id = std::to_string(job.row.id);
  fact_list facts;
  facts.add_code("Delivery", id).add_code("Event", job.event.id).add("Type", job.event.type);
  facts.add_piece("Of", console_link(job.row.subject.id, search_text_of(job.row.subject)));
  facts.add_link("Merchant", job.row.subject.merchant.value).add_link("Destination", job.row.to.value);
  facts.add_piece("State", delivery_badge(job.row.status)).add("Attempts", std::to_string(job.row.attempts));
  facts.add_time("Created", job.row.created_at).add_time("Next attempt", job.row.next_attempt_at);
  if (const auto& last = job.row.last) {
    facts.add_time("Last attempt", last->at).add("Its result", to_string(last->result));
    if (last->status != 0) facts.add("Its status", std::to_string(last->status));
    facts.add("It took", std::to_string(last->took_ms) + " ms").add_code("It was answered", last->excerpt);
  }
  return {"delivery", "Delivery " + id, {facts.take(), resend_button(csrf, id)}};
}

blocks::section grants_section(const grants_lookup& found) {
  blocks::table table{"Grants, newest first",
                      {{"Grant"}, {"Platform"}, {"Merchant"}, {"Mode"}, {"Scopes"}, {"State"}, {"Granted"}},
                      {}};
  for (const auto& [key, what] : found.grants) {
    pieces state{good_or_bad(what.revoked_at ? "Revoked" : "Active", !what.revoked_at)};
    if (!what.revoke_reason.empty()) state.push_back(what.revoke_reason);
    table.rows.push_back({{console_link(what.id.value)},
                          {console_link(key.id)},
                          {console_link(key.merchant.value)},
                          {std::string{to_string(key.env)}},
                          {to_string(what.scopes)},
                          std::move(state),
                          {console_time(what.granted_at)}});
  }
  return {"grants", "Grants", {std::move(table)}};
}

namespace {

blocks::act_form payment_button(const payment& what, const std::string& csrf, std::string action, std::string label) {
  auto form =
      console_button(csrf, std::move(action), std::move(label), "payment " + what.key.id, "payment", what.key.id);
  form.hidden.push_back({"merchant_id", what.key.merchant.value});
  form.hidden.push_back({"mode", std::string{to_string(what.key.env)}});
  return form;
}

/// Folded, because settling moves money and cannot be undone.
blocks::act_form settle_form(const payment& what, const std::string& csrf) {
  auto form = payment_button(what, csrf, "settle", "End the operation");
  form.id = "settle-" + what.key.merchant.value + "-" + std::string{to_string(what.key.env)} + "-" + what.key.id;
  form.folded = "The provider will not say what happened";
  blocks::input as{blocks::input_kind::radios, "as", "What happened there", {}, {}, {}, 0, true};
  as.options = {{"approved", "It was approved", {}, false}, {"declined", "It was declined", {}, false}};
  form.inputs.push_back(std::move(as));
  form.inputs.push_back({blocks::input_kind::text,
                         "reason",
                         "Reason",
                         "How you know it. It stands in the timeline.",
                         {},
                         {},
                         most_reason_typed,
                         true});
  return form;
}

}  // namespace

blocks::section payment_section(const payment& what, const std::string& csrf) {
  fact_list facts;
  facts.add_code("Payment", what.key.id).add_link("Merchant", what.key.merchant.value);
  facts.add("Mode", to_string(what.key.env))
      .add("State", to_string(what.state))
      .add("Amount", amount_text(what.amount));
  if (what.captured != 0) facts.add("Captured", amount_text({what.captured, what.amount.unit}));
  if (what.refunded != 0) facts.add("Refunded", amount_text({what.refunded, what.amount.unit}));
  facts.add("Provider", to_string(what.provider)).add_code("Its reference", what.provider_ref);
  facts.add_code("Its account", what.account).add("Its status", to_string(what.status));
  if (what.error) facts.add_code("Failure", what.error->code).add("Its words", what.error->message);
  if (what.open) {
    facts.add("Under way", std::string{to_string(what.open->what)} + (what.open->answered ? ", outcome unknown" : ""));
    facts.add_time("Since", what.open->begun_at).add("Asked again", std::to_string(what.open->asked));
  }
  facts.add_time("Looked at again", what.due_at);
  if (what.customer) {
    facts.add_link("Platform", what.customer->platform.value);
    facts.add_piece("Customer", console_link(what.customer->ref, what.key.merchant.value + " " + what.customer->ref));
  }
  facts.add_time("Created", what.created_at).add_time("Changed", what.updated_at);
  blocks::section out{
      "payment", "Payment", {facts.take(), payment_button(what, csrf, "refresh", "Ask the provider now")}};
  if (what.open) out.blocks.push_back(settle_form(what, csrf));
  return out;
}

blocks::section subscription_section(const subscription& what) {
  fact_list facts;
  facts.add_code("Subscription", what.key.id).add_link("Merchant", what.key.merchant.value);
  facts.add("Mode", to_string(what.key.env)).add("State", to_string(what.state.status));
  facts.add("Amount", amount_text(what.state.amount)).add_link("Platform", what.platform.value);
  facts.add_piece("Customer",
                  console_link(what.details.customer_ref, what.key.merchant.value + " " + what.details.customer_ref));
  facts.add("Provider", to_string(what.provider)).add_code("Its id", what.provider_subscription_id);
  if (what.error) facts.add_code("Failure", what.error->code).add("Its words", what.error->message);
  if (what.open) facts.add("Under way", "an operation whose outcome is not known yet");
  facts.add_time("Paid until", what.state.period_end).add_time("Canceled", what.state.canceled_at);
  facts.add_time("Created", what.created_at).add_time("Changed", what.updated_at);
  return {"subscription", "Subscription", {facts.take()}};
}

blocks::section customer_section(const customer& what) {
  fact_list facts;
  facts.add_code("Customer", what.ref).add_link("Merchant", what.key.merchant.value);
  facts.add_link("Platform", what.platform.value).add("Provider", to_string(what.provider));
  facts.add_code("Its id", what.provider_id).add("Saved methods", std::to_string(what.methods.size()));
  facts.add_time("Created", what.created_at);
  return {"customer", "Customer", {facts.take()}};
}

blocks::section timeline_section(const std::vector<timeline_entry>& entries) {
  blocks::timeline line;
  for (const auto& each : entries) {
    pieces text;
    if (!each.error_code.empty()) text.push_back(code{each.error_code});
    if (!each.message.empty()) text.push_back(each.message);
    line.events.push_back(
        {console_time(each.occurred_at), each.operation + ": " + each.status, tone::neutral, std::move(text)});
  }
  return {"timeline", "Timeline", {std::move(line)}};
}

blocks::section results_section(const std::vector<search_result>& found) {
  blocks::table table{"Found", {{"Kind"}, {"Id"}, {"Merchant"}, {"Mode"}, {"What"}}, {}};
  for (const auto& each : found) {
    const bool is_payment = each.kind == to_string(entity_kind::payment);
    table.rows.push_back({{each.kind},
                          {console_link(each.id, is_payment ? each.merchant + " " + each.id : each.id)},
                          each.merchant.empty() ? pieces{} : pieces{console_link(each.merchant)},
                          {each.mode},
                          {each.text}});
  }
  return {"found", "Found", {std::move(table)}};
}

blocks::section events_section(const std::vector<event_record>& events) {
  blocks::table table{"Events, newest first", {{"Event"}, {"Type"}, {"Of"}, {"At"}}, {}};
  for (const auto& each : events)
    table.rows.push_back({{code{each.id}},
                          {each.type},
                          {console_link(each.subject.id, search_text_of(each.subject))},
                          {console_time(each.created)}});
  return {"events", "Events", {std::move(table)}};
}

}  // namespace gateway::http
