#include "overview_view.hpp"

#include <algorithm>
#include <utility>

#include "connections_view.hpp"
#include "dispute_table.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

std::string told_total(const day_total& of) {
  if (of.count == 0) return "none";
  return of.amount + " (" + std::to_string(of.count) + ")";
}

std::string most_of(const overview_currency& what) {
  const day_total* most = nullptr;
  for (const auto& day : what.days)
    for (const auto* each : {&day.captured, &day.refunded, &day.failed})
      if (!most || each->minor > most->minor) most = each;
  return most ? most->amount : std::string{};
}

std::string words_of_period(const overview_view& view) { return "the last " + std::to_string(view.period) + " days"; }

chart chart_of(const overview_view& view) {
  const auto& what = view.chosen;
  chart drawn;
  drawn.title = what.currency + " captured, refunded and failed on each day of " + words_of_period(view);
  drawn.most = most_of(what);
  drawn.series = {{"Captured", "captured"}, {"Refunded", "refunded"}, {"Failed", "failed"}};
  for (const auto& day : what.days) {
    chart_group group{day.name, day.short_name, {}};
    for (const auto* each : {&day.captured, &day.refunded, &day.failed})
      group.values.push_back({static_cast<double>(each->minor), told_total(*each)});
    if (!day.date.empty())
      group.url = with_query(
          member_url(view.frame, "payments"),
          {{"from", day.date}, {"until", day.date}, {"currency", what.currency}, {"zone", view.is_zoned ? "UTC" : ""}});
    drawn.groups.push_back(std::move(group));
  }
  return drawn;
}

/// Links to the same page with another period or currency.
tabs choices_of(const overview_view& view, bool of_period) {
  tabs made{of_period ? "Period" : "Currency", {}};
  const auto add = [&](std::string text, const std::string& days, const std::string& currency, bool here) {
    made.items.push_back(
        {std::move(text), {}, with_query(member_url(view.frame, ""), {{"days", days}, {"currency", currency}}), here});
  };
  if (of_period) {
    for (const int days : overview_periods)
      add(std::to_string(days) + " days", std::to_string(days), view.chosen.currency, days == view.period);
    return made;
  }
  for (const auto& each : view.currencies) add(each, std::to_string(view.period), each, each == view.chosen.currency);
  return made;
}

figures figures_of(const overview_view& view) {
  const auto& of = view.chosen;
  figures shown;
  for (const auto& [name, each] :
       {std::pair{"Captured", &of.captured}, {"Refunded", &of.refunded}, {"Failed", &of.failed}}) {
    const auto& now = each->now;
    auto detail = now.count == 0 ? std::string{} : counted(now.count, "payment", "payments");
    if (!each->change.empty()) detail.append(detail.empty() ? "" : ". ").append(each->change);
    shown.items.push_back({name, now.count == 0 ? "None" : now.amount, std::move(detail)});
  }
  const bool decided = !view.success_rate.empty();
  auto detail = decided ? "Of " + counted(view.decided, "decided payment", "decided payments") + ", all currencies"
                        : std::string{"No payment was decided"};
  if (!view.success_change.empty()) detail.append(". ").append(view.success_change);
  shown.items.push_back({"Success rate", decided ? view.success_rate : "None yet", std::move(detail)});
  return shown;
}

std::string trouble_with(const troubled_destination& what) {
  if (what.disabled)
    return what.disabled_reason.empty() ? "It is disabled, and its events wait."
                                        : "It is disabled, and its events wait: " + what.disabled_reason;
  if (!what.failing_since.empty())
    return "Everything that was sent to it has failed since " + what.failing_since +
           ". If nothing succeeds, it will be disabled.";
  return counted(what.failed, "event", "events") +
         " could not be delivered, and will be sent again only if you resend.";
}

std::string due_sentence(const pressing_dispute& of) {
  if (of.status == dispute_status::under_review) return "The evidence is with the cardholder's bank.";
  return of.due_day.empty() ? "The provider names no day by which evidence is due."
                            : "Evidence is due by " + of.due_day + ".";
}

section trouble_section(const overview_view& view) {
  section of;
  of.id = "trouble";
  of.title = "Needs your attention";
  list items;
  for (const auto& each : view.disputes)
    items.items.push_back(
        {described{each.amount + " is disputed", due_sentence(each)}, dispute_badge(each.status),
         member_link(view.frame, "Open the payment", "payments/" + percent_encoded(each.payment_id))});
  if (view.open_disputes > view.disputes.size())
    items.items.push_back({counted(view.open_disputes, "dispute is", "disputes are") + " open.",
                           member_link(view.frame, "All disputes", "disputes")});
  for (const auto& each : view.connections)
    items.items.push_back({described{each.name, "It takes no payments."}, connection_badge(each.status),
                           member_link(view.frame, "Open the connections", "connections")});
  for (const auto& each : view.destinations)
    items.items.push_back({described{each.url, trouble_with(each)},
                           member_link(view.frame, each.disabled ? "Open the destination" : "Open its deliveries",
                                       "destinations/" + percent_encoded(each.id))});
  of.blocks.push_back(std::move(items));
  return of;
}

/// The steps before the first payment.
empty_state first_steps(const overview_view& view) {
  if (!view.charges)
    return {"No payments yet", "First connect a payment provider: without one no payment can be taken.",
            member_link(view.frame, "Connect a provider", "connections")};
  if (!view.has_keys)
    return {"No payments yet", "A provider is connected. Now create a key for the program that takes your payments.",
            member_link(view.frame, "Create a key", "keys")};
  return {"No payments in " + words_of_period(view), "Payments appear here as soon as your programs make them.", {}};
}

}  // namespace

response overview_page(const overview_view& view) {
  member_page page;
  page.title = "Overview";
  if (!view.disputes.empty() || !view.connections.empty() || !view.destinations.empty())
    page.sections.push_back(trouble_section(view));
  section summary{"summary", "In " + words_of_period(view), {choices_of(view, true)}};
  if (view.currencies.empty()) {
    summary.blocks.push_back(first_steps(view));
  } else {
    if (view.currencies.size() > 1) summary.blocks.push_back(choices_of(view, false));
    summary.blocks.push_back(figures_of(view));
    summary.blocks.push_back(chart_of(view));
    if (view.is_zoned)
      summary.blocks.push_back(paragraph{{"The days are those of UTC. A bar leads to its day's payments."}});
    summary.blocks.push_back(pager{"Further", {member_link(view.frame, "All payments", "payments")}});
  }
  page.sections.push_back(std::move(summary));
  return member_response(view.frame, page);
}

}  // namespace gateway::http
