// The sandbox's report about a payment, an operator's acts at the sandbox, and the payment after them.
#include "gateway/domain/sandbox_truth.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "followed_payment.hpp"

using namespace gateway;
using namespace gateway::followed;
using namespace std::chrono_literals;

namespace {

using enum sandbox_act_kind;

payment sandboxed(payment_state state, std::string method = "pm_card_visa") {
  auto p = payment_in(state, provider_kind::sandbox);
  p.details.payment_method = std::move(method);
  return p;
}

refund refund_of(std::string ref, std::int64_t amount, refund_status status = refund_status::succeeded) {
  refund r;
  r.id = "re_id_" + ref;
  r.amount = amount;
  r.status = status;
  r.created_at = now - 12h;
  r.provider_ref = std::move(ref);
  return r;
}

sandbox_act act(sandbox_act_kind what, std::int64_t amount = 0, std::string refund_id = {}) {
  return {what, amount, std::move(refund_id), now};
}

/// The payment after the acts, each followed as the gateway does. Each must be possible.
payment after(payment p, const std::vector<sandbox_act>& acts) {
  for (const auto& each : acts) {
    INFO(to_string(each.what));
    REQUIRE(can_happen(p, each));
    p.records.acts.push_back(each);
    p = follow(p, sandbox_truth(p)).after;
    CHECK(contradiction_of(p, sandbox_truth(p)).empty());
  }
  return p;
}

lines story_after(payment p, const sandbox_act& last) {
  REQUIRE(can_happen(p, last));
  p.records.acts.push_back(last);
  return follow(p, sandbox_truth(p)).story;
}

}  // namespace

TEST_CASE("the sandbox agrees with a payment that nothing was done to, in every state") {
  for (std::size_t i = 0; i < enum_count<payment_state>; ++i) {
    const auto state = static_cast<payment_state>(i);
    CAPTURE(to_string(state));
    for (const auto kind : {provider_kind::sandbox, provider_kind::sandbox_hosted, provider_kind::sandbox_wallet}) {
      auto p = sandboxed(state);
      p.provider = kind;
      p.how = kind == provider_kind::sandbox ? flow::server : flow::redirect;
      if (p.refunded > 0) p.records.refunds = {refund_of("r1", p.refunded)};
      CHECK(follow(p, sandbox_truth(p)).story.empty());
      CHECK(contradiction_of(p, sandbox_truth(p)).empty());
    }
  }
}

TEST_CASE("every act is possible in the states in which a provider could do it") {
  using enum payment_state;
  const std::set<payment_state> money{captured, partially_refunded, refunded};
  struct row {
    sandbox_act what;
    std::set<payment_state> possible;
  };
  const std::map<sandbox_act_kind, row> table{
      {dispute_open, {act(dispute_open), money}},
      {dispute_warn, {act(dispute_warn), money}},
      {dispute_update, {act(dispute_update), {}}},
      {dispute_win, {act(dispute_win), {}}},
      {dispute_lose, {act(dispute_lose), {}}},
      {refund_settle, {act(refund_settle, 0, "re_id_r1"), {}}},
      {refund_fail, {act(refund_fail, 0, "re_id_r1"), {partially_refunded, refunded}}},
      {refund_outside, {act(refund_outside, 100), {captured, partially_refunded}}},
      {authorization_expire, {act(authorization_expire), {authorized}}},
      {authorization_cancel, {act(authorization_cancel), {authorized}}},
      {capture_outside, {act(capture_outside, 4200), {authorized, failed}}},
  };
  REQUIRE(table.size() == enum_count<sandbox_act_kind>);
  for (const auto& [kind, expected] : table)
    for (std::size_t i = 0; i < enum_count<payment_state>; ++i) {
      const auto state = static_cast<payment_state>(i);
      CAPTURE(to_string(kind), to_string(state));
      auto p = sandboxed(state);
      if (p.refunded > 0) p.records.refunds = {refund_of("r1", p.refunded)};
      CHECK(can_happen(p, expected.what) == expected.possible.contains(state));
      p.open = open_operation{};
      CHECK_FALSE(can_happen(p, expected.what));
    }
}

TEST_CASE("an act on a dispute depends on the dispute's status") {
  struct row {
    std::vector<sandbox_act> before;
    const char* what;
    std::vector<sandbox_act_kind> possible;
  };
  const row table[] = {
      {{}, "none", {dispute_open, dispute_warn}},
      {{act(dispute_warn)}, "a warning", {dispute_open, dispute_update, dispute_win}},
      {{act(dispute_open)}, "open", {dispute_update, dispute_win, dispute_lose}},
      {{act(dispute_open), act(dispute_update)}, "under review", {dispute_win, dispute_lose}},
      {{act(dispute_open), act(dispute_win)}, "won", {dispute_open, dispute_warn}},
      {{act(dispute_open), act(dispute_lose)}, "lost, all of it", {}},
      {{act(dispute_open, 1000), act(dispute_lose)}, "lost, a part", {dispute_open, dispute_warn}},
  };
  for (const auto& r : table) {
    CAPTURE(r.what);
    const auto p = after(sandboxed(payment_state::captured), r.before);
    for (const auto kind : {dispute_open, dispute_warn, dispute_update, dispute_win, dispute_lose}) {
      CAPTURE(to_string(kind));
      CHECK(can_happen(p, act(kind)) == (std::ranges::count(r.possible, kind) == 1));
    }
  }
}

TEST_CASE("amounts go up to what a provider could take") {
  const auto captured = sandboxed(payment_state::captured);
  CHECK(can_happen(captured, act(dispute_open, 4200)));
  CHECK_FALSE(can_happen(captured, act(dispute_open, 4201)));
  CHECK(can_happen(captured, act(refund_outside, 4200)));
  CHECK_FALSE(can_happen(captured, act(refund_outside, 4201)));
  CHECK_FALSE(can_happen(captured, act(refund_outside, 0)));
  CHECK_FALSE(can_happen(captured, act(refund_outside, -1)));
  const auto authorized = sandboxed(payment_state::authorized);
  CHECK(can_happen(authorized, act(capture_outside, 1)));
  CHECK_FALSE(can_happen(authorized, act(capture_outside, 4201)));
  CHECK_FALSE(can_happen(authorized, act(capture_outside, 0)));
  // What was lost, or is disputed, is not refunded.
  const auto lost = after(captured, {act(dispute_open, 1000), act(dispute_lose)});
  CHECK(can_happen(lost, act(refund_outside, 3200)));
  CHECK_FALSE(can_happen(lost, act(refund_outside, 3201)));
  CHECK(can_happen(lost, act(dispute_open, 3200)));
  CHECK_FALSE(can_happen(lost, act(dispute_open, 3201)));
  CHECK_FALSE(can_happen(after(captured, {act(dispute_open, 1000)}), act(refund_outside, 1)));
  CHECK(can_happen(after(captured, {act(dispute_warn, 1000)}), act(refund_outside, 1)));
}

TEST_CASE("wallets have no disputes and no refunds, and a payment has a limited number of acts") {
  auto wallet = sandboxed(payment_state::captured);
  wallet.provider = provider_kind::sandbox_wallet;
  wallet.how = flow::redirect;
  for (const auto kind : {dispute_open, dispute_warn, refund_outside}) CHECK_FALSE(can_happen(wallet, act(kind, 100)));
  auto busy = sandboxed(payment_state::captured);
  busy.records.acts.assign(most_sandbox_acts - 1, act(dispute_update));
  CHECK(can_happen(busy, act(dispute_open)));
  busy.records.acts.push_back(act(dispute_update));
  CHECK_FALSE(can_happen(busy, act(dispute_open)));
}

TEST_CASE("a payment becomes what was done at the sandbox") {
  const auto captured = sandboxed(payment_state::captured), authorized = sandboxed(payment_state::authorized);
  struct row {
    payment before;
    sandbox_act what;
    lines story;
  };
  const auto warned = after(captured, {act(dispute_warn, 1000)}), opened = after(captured, {act(dispute_open, 1000)});
  auto refunding = sandboxed(payment_state::partially_refunded, std::string{slow_refund_card});
  refunding.records.refunds = {refund_of("r1", 1200, refund_status::pending)};
  const row table[] = {
      {authorized, act(authorization_expire), {"void expired, payment.voided published"}},
      {authorized, act(authorization_cancel), {"void cancelled, payment.voided published"}},
      {authorized, act(capture_outside, 3000), {"capture approved, payment.captured published / captured 3000"}},
      {sandboxed(payment_state::failed, "pm_card_chargeDeclined"),
       act(capture_outside, 4200),
       {"charge approved, payment.captured published / captured 4200"}},
      {captured, act(dispute_open), {"dispute needs_response, dispute.opened published / dispute_opened 4200"}},
      {captured, act(dispute_open, 1000), {"dispute needs_response, dispute.opened published / dispute_opened 1000"}},
      {captured, act(dispute_warn), {"dispute warning, dispute.opened published"}},
      {warned, act(dispute_open), {"dispute needs_response, dispute.updated published / dispute_opened 1000"}},
      {warned, act(dispute_open, 700), {"dispute needs_response, dispute.updated published / dispute_opened 700"}},
      {warned, act(dispute_win), {"dispute won, dispute.closed published"}},
      {opened, act(dispute_update), {"dispute under_review, dispute.updated published"}},
      {opened, act(dispute_win), {"dispute won, dispute.closed published / dispute_won 1000"}},
      {opened, act(dispute_lose), {"dispute lost, dispute.closed published / dispute_lost 1000"}},
      // The captured amount, without what is already lost.
      {after(opened, {act(dispute_lose)}),
       act(dispute_open),
       {"dispute needs_response, dispute.opened published / dispute_opened 3200"}},
      {captured, act(refund_outside, 1200), {"refund approved, payment.partially_refunded published / refunded 1200"}},
      {captured, act(refund_outside, 4200), {"refund approved, payment.refunded published / refunded 4200"}},
      {refunding, act(refund_settle, 0, "re_id_r1"), {"refund approved"}},
      {refunding,
       act(refund_fail, 0, "re_id_r1"),
       {"refund failed, payment.refund_failed published / refund_failed 1200"}},
  };
  for (const auto& r : table) {
    CAPTURE(to_string(r.what.what), r.what.amount);
    CHECK(story_after(r.before, r.what) == r.story);
  }
}

TEST_CASE("acts add up: each follows from what the payment became by the one before") {
  SECTION("a refund outside fails later, and another is made") {
    auto p = after(sandboxed(payment_state::captured), {act(refund_outside, 1200)});
    REQUIRE(p.records.refunds.size() == 1);
    const auto first = p.records.refunds.front().id;
    CHECK(p.records.refunds.front().by == entry_origin::provider);
    p = after(p, {act(refund_fail, 0, first), act(refund_outside, 4200)});
    CHECK(p.state == payment_state::refunded);
    CHECK(p.refunded == 4200);
    CHECK(p.records.refunds.size() == 2);
    CHECK_FALSE(can_happen(p, act(refund_fail, 0, first)));
    CHECK_FALSE(can_happen(p, act(refund_settle, 0, first)));
    CHECK_FALSE(can_happen(p, act(refund_fail, 0, "re_of_another")));
  }
  SECTION("a pending refund is settled, and fails after that") {
    auto p = sandboxed(payment_state::refunded, std::string{slow_refund_card});
    p.records.refunds = {refund_of("r1", 4200, refund_status::pending)};
    p = after(p, {act(refund_settle, 0, "re_id_r1"), act(refund_fail, 0, "re_id_r1")});
    CHECK(p.state == payment_state::captured);
    CHECK(p.records.refunds.front().failure_code == "lost_or_stolen_card");
  }
  SECTION("a late success is refunded and disputed as any other") {
    const auto p = after(sandboxed(payment_state::failed, "pm_card_chargeDeclined"),
                         {act(capture_outside, 4200), act(refund_outside, 200), act(dispute_open, 1000)});
    CHECK(p.records.paid_late);
    CHECK(p.state == payment_state::partially_refunded);
    CHECK(machine::disputed(p) == 1000);
  }
  SECTION("a warning becomes a dispute that is lost, then another is won") {
    const auto p =
        after(sandboxed(payment_state::captured), {act(dispute_warn, 1000), act(dispute_open), act(dispute_update),
                                                   act(dispute_lose), act(dispute_open, 500), act(dispute_win)});
    REQUIRE(p.records.disputes.size() == 2);
    CHECK(p.records.disputes.front().status == dispute_status::lost);
    CHECK(p.records.disputes.back().status == dispute_status::won);
    CHECK(p.records.disputes.front().id != p.records.disputes.back().id);
    CHECK(machine::remaining(p) == 3200);
  }
}

TEST_CASE("the card createDispute is disputed as soon as it is captured, for all that was captured") {
  auto p = sandboxed(payment_state::authorized, std::string{disputed_card});
  CHECK(follow(p, sandbox_truth(p)).story.empty());
  p = after(p, {act(capture_outside, 3000)});
  REQUIRE(p.records.disputes.size() == 1);
  CHECK(p.records.disputes.front().amount == 3000);
  CHECK(p.records.disputes.front().status == dispute_status::needs_response);
  CHECK(p.records.disputes.front().evidence_due_by == now + 24h * 7);
  CHECK_FALSE(can_happen(p, act(dispute_open)));
  p = after(p, {act(dispute_win)});
  CHECK(machine::disputed(p) == 0);
}

TEST_CASE("what an operator settled against the sandbox is corrected by it, and what one recorded stays") {
  const auto timed_out = sandboxed(payment_state::failed, "pm_card_timeout");
  CHECK(follow(timed_out, sandbox_truth(timed_out)).after.state == payment_state::authorized);
  const auto declined = sandboxed(payment_state::authorized, "pm_card_timeoutDeclined");
  CHECK(follow(declined, sandbox_truth(declined)).after.state == payment_state::voided);
  auto recorded = sandboxed(payment_state::partially_refunded);
  recorded.records.refunds = {refund_of("by hand", 1200)};
  recorded.records.refunds.front().by = entry_origin::operator_;
  CHECK(follow(recorded, sandbox_truth(recorded)).after == recorded);
  // A refund that an operator concluded has no reference: it is taken as made.
  auto concluded = sandboxed(payment_state::partially_refunded);
  concluded.records.refunds = {refund_of("", 1200)};
  CHECK(follow(concluded, sandbox_truth(concluded)).after.refunded == 1200);
}
