#include "audit_kinds.hpp"

#include <algorithm>
#include <array>

#include "http/portal/member_frame.hpp"

namespace gateway::http {
namespace {

constexpr auto kinds_listed = std::to_array<audit_kind>({{"payments", "Payments and refunds"},
                                                         {"subscriptions", "Subscriptions"},
                                                         {"keys", "Keys"},
                                                         {"destinations", "Destinations and deliveries"},
                                                         {"connections", "Connections and routes"},
                                                         {"platforms", "Platforms"},
                                                         {"team", "Team"},
                                                         {"other", "Other"}});

struct kind_word {
  std::string_view word;  ///< part of the action's name
  std::string_view kind;
};
/// The first word that the action's name contains decides: `connect platform` is about a platform, and `cancel
/// subscription` about a subscription.
constexpr auto kind_words = std::to_array<kind_word>({{"platform", "platforms"},
                                                      {"grant", "platforms"},
                                                      {" key", "keys"},
                                                      {"destination", "destinations"},
                                                      {"redeliver", "destinations"},
                                                      {"subscription", "subscriptions"},
                                                      {"connect", "connections"},
                                                      {"route", "connections"},
                                                      {"chargeable", "connections"},
                                                      {"setup token", "connections"},
                                                      {"account", "connections"},
                                                      {"invit", "team"},
                                                      {"role", "team"},
                                                      {"member", "team"},
                                                      {"user", "team"},
                                                      {"accept", "team"},
                                                      {"capture", "payments"},
                                                      {"refund", "payments"},
                                                      {"void", "payments"},
                                                      {"cancel", "payments"},
                                                      {"settle", "payments"},
                                                      {"refresh", "payments"},
                                                      {"payment", "payments"}});

struct action_words {
  std::string_view action;
  std::string_view words;
};
constexpr auto button_words = std::to_array<action_words>(
    {{"mint key", "Create key"}, {"redeliver", "Resend"}, {"redeliver all failed", "Resend all failed"}});

}  // namespace

std::span<const audit_kind> audit_kinds() noexcept { return kinds_listed; }

std::string_view kind_of_action(std::string_view action) noexcept {
  for (const auto& each : kind_words)
    if (action.find(each.word) != action.npos) return each.kind;
  return "other";
}

std::string words_of_action(std::string_view action) {
  const auto at = std::ranges::find(button_words, action, &action_words::action);
  return at == button_words.end() ? in_sentence_case(std::string{action}) : std::string{at->words};
}

}  // namespace gateway::http
