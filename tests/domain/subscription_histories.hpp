// Shared by the tests of subscriptions: rows, notifications, histories as a provider makes them, and the fold that an
// actor and its store perform.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gateway/domain/subscription_machine.hpp"

namespace gateway::testing {

inline const time_point now = from_unix_ms(1'795'167'000'125);
inline const machine_timing timing{};
inline const merchant_id the_merchant{"merch_1"};
inline const command_key command{the_merchant, environment::live, "plat_acme", "00000000-0000-4000-8000-000000000001"};
inline constexpr const char* provider_sub = "sub_9";

inline open_subscription_checkout wanted_checkout() {
  open_subscription_checkout wanted;
  wanted.platform = platform_id{"plat_acme"};
  wanted.amount = {1500, *currency::parse("EUR")};
  wanted.every = {billing_interval::month, 1};
  wanted.details = {"customer 7", 0, "https://shop.example/ok", "https://shop.example/back", "Magazine"};
  wanted.metadata = {{"schedule", "s1"}, {"cycle_number", "1"}};
  wanted.provider_customer_id = "cus_7";
  return wanted;
}

inline subscription begun_checkout() {
  return begin_checkout(subscription_key(the_merchant, environment::live, "magazine-7"), wanted_checkout(),
                        {provider_kind::sandbox, "acct_1", false}, command, now, timing);
}

inline subscription pending_checkout() {
  subscription_answer opened;
  opened.status = provider_status::pending;
  opened.checkout_session_id = "cs_9";
  opened.hosted_url = "https://gateway/page";
  return conclude(begun_checkout(), opened, now, timing).next;
}

/// A notification of the provider's, at this second of its history.
inline subscription_notification notification(std::string event_id, notification_kind kind, subscription_status status,
                                              int second, std::uint64_t sequence = 0) {
  subscription_notification n;
  n.event_id = std::move(event_id);
  n.kind = kind;
  n.at = now + std::chrono::seconds{second};
  n.sequence = sequence;
  n.provider_subscription_id = provider_sub;
  n.state.status = status;
  n.state.provider_customer_id = "cus_7";
  n.state.amount = {1500, *currency::parse("EUR")};
  n.state.every = {billing_interval::month, 1};
  n.state.period_start = now + std::chrono::seconds{second};
  n.state.metadata = {{"schedule", "s1"}};
  if (is_final(status)) n.state.canceled_at = n.at;
  if (kind == notification_kind::invoice_paid || kind == notification_kind::invoice_failed) {
    n.invoice = subscription_invoice{"in_9_1", n.state.amount, n.state.period_start, {}, 1, false, {}, {}};
    if (kind == notification_kind::invoice_failed) {
      n.invoice->failure_code = "card_declined";
      n.invoice->failure_message = "The card was declined.";
    }
  }
  return n;
}

/// The resulting subscription, and all events published of it.
struct fold {
  subscription row;
  std::set<std::string> counted;       ///< the event ids that the store has counted
  std::vector<std::string> event_ids;  ///< of the subscription and of its cycles' payments, in the order of publication
  std::map<std::string, payment> payments;

  void hear(const subscription_notification& n) {
    const auto outcome = apply(row, n, counted.contains(n.event_id), now);
    const auto* t = std::get_if<subscription_transition>(&outcome);
    if (!t) return;
    counted.insert(n.event_id);
    row = t->next;
    for (const auto& event : t->events) event_ids.push_back(event.event_id);
    for (const auto& charge : t->charges) {
      const auto at = payments.find(charge.payment.id);
      const auto known = at == payments.end() ? std::nullopt : std::optional{at->second};
      const auto settled = settle_cycle(known, charge, now);
      if (!settled) continue;
      payments.insert_or_assign(charge.payment.id, settled->next);
      event_ids.push_back(settled->entries.back().event_id);
    }
  }
};

/// The row without its version.
inline subscription comparable(subscription row) {
  row.version = 0;
  row.updated_at = {};
  row.next_seq = 0;
  return row;
}

inline std::map<std::string, std::pair<payment_state, std::int64_t>> states_of(
    const std::map<std::string, payment>& payments) {
  std::map<std::string, std::pair<payment_state, std::int64_t>> states;
  for (const auto& [id, p] : payments) states[id] = {p.state, p.captured};
  return states;
}

inline std::vector<std::string> sorted(std::vector<std::string> list) {
  std::ranges::sort(list);
  return list;
}

}  // namespace gateway::testing
