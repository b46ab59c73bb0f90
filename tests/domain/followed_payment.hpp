// Payments that are compared with their provider, and the changes that this makes, in words.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "gateway/domain/ledger.hpp"
#include "gateway/domain/provider_truth.hpp"

namespace gateway::followed {

inline const time_point now = from_unix_ms(1'795'167'000'125);

using lines = std::vector<std::string>;

/// A payment of 4200 at a provider that separates approval and capture. A refunded amount has no refund objects.
inline payment payment_in(payment_state state, provider_kind provider = provider_kind::stripe,
                          flow how = flow::server) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.version = 7;
  p.state = state;
  p.amount = {4200, *currency::parse("HKD")};
  p.how = how;
  p.provider = provider;
  p.account = "acct_1";
  p.provider_ref = "pi_1";
  p.next_seq = 3;
  p.created_at = p.updated_at = now - std::chrono::hours{48};
  using enum payment_state;
  if (state == captured || state == partially_refunded || state == refunded) {
    p.captured = 4200;
    p.captured_at = now - std::chrono::hours{24};
  }
  if (state == partially_refunded) p.refunded = 1200;
  if (state == refunded) p.refunded = 4200;
  if (state == failed) p.error = provider_error{error_category::provider, "card_declined", "No.", false, false};
  return p;
}

/// `capture approved, payment.captured published / captured 4200`: the entries of a change, and what it moves.
inline std::string story_of(const payment& before, const transition& t) {
  std::string text;
  for (const auto& entry : t.entries) text += (text.empty() ? "" : ", ") + entry.operation + " " + entry.status;
  for (const auto& moved : movements_of(&before, t.next))
    text += " / " + std::string{to_string(moved.what)} + " " + std::to_string(moved.minor);
  return text;
}

/// What holds for every change that follows the provider.
inline void check_step(const payment& before, const transition& t) {
  CHECK(t.next.version == before.version + 1);
  CHECK(t.next.updated_at == now);
  CHECK(t.next.key == before.key);
  CHECK(t.next.amount == before.amount);
  CHECK(t.result.after == t.next);
  CHECK_FALSE(t.next.open);
  CHECK(t.by == entry_origin::provider);
  auto seq = before.next_seq;
  std::size_t events = 0;
  for (const auto& entry : t.entries) {
    CHECK(entry.seq == seq++);
    CHECK(entry.by == entry_origin::provider);
    CHECK(entry.occurred_at == now);
    events += entry.kind == timeline_kind::event;
  }
  CHECK(t.next.next_seq == seq);
  CHECK(events <= 1);
  const auto moved = movements_of(&before, t.next);
  REQUIRE(moved.size() <= 1);
  if (moved.empty()) return;
  // The entry of the ledger has the number of the event that reports it, which is the last.
  REQUIRE_FALSE(t.entries.empty());
  CHECK(t.entries.back().kind == timeline_kind::event);
  CHECK(entry_of(moved.front(), t.next, {}).seq == t.entries.back().seq);
}

struct followed {
  payment after;
  lines story;
};

/// Applies all differences. Afterwards there is none.
inline followed follow(const payment& p, const provider_truth& truth) {
  followed seen{p, {}};
  for (auto& step : differences(p, truth, now)) {
    check_step(seen.after, step);
    seen.story.push_back(story_of(seen.after, step));
    seen.after = std::move(step.next);
  }
  CHECK_FALSE(next_difference(seen.after, truth, now));
  return seen;
}

}  // namespace gateway::followed
