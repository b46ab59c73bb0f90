// Disputes follow the provider: every status here with every status there, and the money that each change moves.
#include "followed_payment.hpp"

#include <map>

using namespace gateway;
using namespace gateway::followed;
using namespace std::chrono_literals;

namespace {

using enum dispute_status;

provider_truth disputed(std::vector<provider_dispute> all) {
  provider_truth truth;
  truth.charge = charge_state::captured;
  truth.captured = 4200;
  truth.disputes = std::move(all);
  return truth;
}

provider_dispute there(dispute_status status, std::int64_t amount = 1000, std::string ref = "d1") {
  provider_dispute d;
  d.ref = std::move(ref);
  d.amount = amount;
  d.reason = "fraudulent";
  d.status = status;
  return d;
}

dispute here(dispute_status status, std::int64_t amount = 1000) {
  dispute d;
  d.id = "dp_1";
  d.amount = amount;
  d.reason = "fraudulent";
  d.status = status;
  d.opened_at = now - 24h;
  if (is_closed(status)) d.closed_at = now - 1h;
  d.provider_ref = "d1";
  return d;
}

payment with(std::vector<dispute> all, payment_state state = payment_state::captured) {
  auto p = payment_in(state);
  p.records.disputes = std::move(all);
  return p;
}

}  // namespace

TEST_CASE("a dispute of every status follows every status at the provider") {
  using row = std::array<lines, 5>;
  const std::string opens = " / dispute_opened 1000", wins = " / dispute_won 1000", loses = " / dispute_lost 1000";
  const auto updated = [](const std::string& status, const std::string& moved = {}) {
    return "dispute " + status + ", dispute.updated published" + moved;
  };
  const auto closed = [](const std::string& status, const std::string& moved = {}) {
    return "dispute " + status + ", dispute.closed published" + moved;
  };
  //                  warning, needs_response, under_review, won, lost
  const std::map<dispute_status, row> table{
      {warning,
       {lines{},
        {updated("needs_response", opens)},
        {updated("under_review", opens)},
        {closed("won")},
        // A lost amount was taken back before, so that change is counted, too.
        {updated("needs_response", opens), closed("lost", loses)}}},
      {needs_response,
       {lines{updated("warning", wins)},
        {},
        {updated("under_review")},
        {closed("won", wins)},
        {closed("lost", loses)}}},
      {under_review,
       {lines{updated("warning", wins)},
        {updated("needs_response")},
        {},
        {closed("won", wins)},
        {closed("lost", loses)}}},
      // Final.
      {won, {lines{}, {}, {}, {}, {}}},
      {lost, {lines{}, {}, {}, {}, {}}},
  };
  REQUIRE(table.size() == enum_count<dispute_status>);
  for (const auto& [status, expected] : table)
    for (std::size_t i = 0; i < enum_count<dispute_status>; ++i) {
      const auto said = static_cast<dispute_status>(i);
      CAPTURE(to_string(status), to_string(said));
      const auto p = with({here(status)});
      const auto seen = follow(p, disputed({there(said)}));
      CHECK(seen.story == expected[i]);
      CHECK(seen.after.state == payment_state::captured);
      const auto& after = seen.after.records.disputes.front();
      CHECK(after.status == (is_closed(status) ? status : said));
      CHECK(after.closed_at.has_value() == is_closed(after.status));
      CHECK(after.id == "dp_1");
      CHECK(machine::disputed(seen.after) == (is_open(after.status) ? 1000 : 0));
      CHECK(machine::remaining(seen.after) == (after.status == lost ? 3200 : 4200));
    }
}

TEST_CASE("a dispute is opened when it is first seen, also if it is closed by then") {
  const auto opened = [](const std::string& status, const std::string& moved = {}) {
    return "dispute " + status + ", dispute.opened published" + moved;
  };
  const std::string opens = " / dispute_opened 1000";
  const std::map<dispute_status, lines> table{
      {warning, {opened("warning")}},
      {needs_response, {opened("needs_response", opens)}},
      {under_review, {opened("under_review", opens)}},
      {won, {opened("needs_response", opens), "dispute won, dispute.closed published / dispute_won 1000"}},
      {lost, {opened("needs_response", opens), "dispute lost, dispute.closed published / dispute_lost 1000"}},
  };
  REQUIRE(table.size() == enum_count<dispute_status>);
  for (const auto& [status, expected] : table)
    for (const auto state : {payment_state::captured, payment_state::partially_refunded, payment_state::refunded}) {
      CAPTURE(to_string(status), to_string(state));
      const auto seen = follow(payment_in(state), disputed({there(status)}));
      CHECK(seen.story == expected);
      CHECK(seen.after.state == state);
      REQUIRE(seen.after.records.disputes.size() == 1);
      const auto& made = seen.after.records.disputes.front();
      CHECK(made.status == status);
      CHECK(made.provider_ref == "d1");
      CHECK(made.id.starts_with("dp_"));
      CHECK(made.opened_at == now);
    }
}

TEST_CASE("an inquiry that is seen only when it is closed has moved no money") {
  auto closed = there(won);
  closed.is_inquiry = true;
  const auto seen = follow(payment_in(payment_state::captured), disputed({closed}));
  CHECK(seen.story == lines{"dispute warning, dispute.opened published", "dispute won, dispute.closed published"});
}

TEST_CASE("a dispute has the provider's times and reason, and keeps what the provider no longer states") {
  auto said = there(needs_response);
  said.evidence_due_by = now + 72h;
  said.opened_at = now - 2h;
  const auto opened = follow(payment_in(payment_state::captured), disputed({said})).after;
  const auto& made = opened.records.disputes.front();
  CHECK(made.evidence_due_by == now + 72h);
  CHECK(made.opened_at == now - 2h);
  CHECK(made.reason == "fraudulent");
  CHECK_FALSE(made.closed_at);

  SECTION("a new day for the evidence, or a new reason, is an update") {
    auto changed = said;
    changed.evidence_due_by = now + 96h;
    changed.reason = "duplicate";
    const auto seen = follow(opened, disputed({changed}));
    CHECK(seen.story == lines{"dispute needs_response, dispute.updated published"});
    CHECK(seen.after.records.disputes.front().evidence_due_by == now + 96h);
    CHECK(seen.after.records.disputes.front().reason == "duplicate");
  }
  SECTION("fields that are left out stay") {
    auto bare = there(needs_response);
    bare.reason.clear();
    CHECK(follow(opened, disputed({bare})).after == opened);
  }
  SECTION("it was closed when the provider says, or now") {
    auto decided = there(won);
    CHECK(follow(opened, disputed({decided})).after.records.disputes.front().closed_at == now);
    decided.closed_at = now - 1h;
    CHECK(follow(opened, disputed({decided})).after.records.disputes.front().closed_at == now - 1h);
  }
}

TEST_CASE("the amount of a dispute may change until it is closed") {
  struct row {
    const char* what;
    dispute before;
    provider_dispute said;
    lines story;
    std::int64_t amount;
  };
  const std::string updated = "dispute needs_response, dispute.updated published";
  const row table[] = {
      {"less", here(needs_response), there(needs_response, 700), {updated + " / dispute_won 300"}, 700},
      {"more", here(needs_response), there(needs_response, 1500), {updated + " / dispute_opened 500"}, 1500},
      {"of a warning", here(warning), there(warning, 700), {"dispute warning, dispute.updated published"}, 700},
      {"won with another amount",
       here(needs_response),
       there(won, 700),
       {"dispute won, dispute.closed published / dispute_won 1000"},
       700},
      {"lost with less",
       here(needs_response),
       there(lost, 700),
       {updated + " / dispute_won 300", "dispute lost, dispute.closed published / dispute_lost 700"},
       700},
      {"lost with more",
       here(under_review),
       there(lost, 1500),
       {"dispute under_review, dispute.updated published / dispute_opened 500",
        "dispute lost, dispute.closed published / dispute_lost 1500"},
       1500},
      {"a warning that is lost with more",
       here(warning),
       there(lost, 1500),
       {updated + " / dispute_opened 1500", "dispute lost, dispute.closed published / dispute_lost 1500"},
       1500},
      {"more than was captured",
       here(needs_response),
       there(needs_response, 9999),
       {updated + " / dispute_opened 3200"},
       4200},
      {"nothing", here(needs_response), there(lost, 0), {}, 1000},
      {"closed already", here(won), there(won, 700), {}, 1000},
  };
  for (const auto& r : table) {
    CAPTURE(r.what);
    const auto seen = follow(with({r.before}), disputed({r.said}));
    CHECK(seen.story == r.story);
    CHECK(seen.after.records.disputes.front().amount == r.amount);
  }
}

TEST_CASE("several disputes of one payment are separate, oldest first") {
  auto second = there(lost, 500, "d2");
  second.opened_at = now - 48h;
  const auto seen = follow(with({here(needs_response)}), disputed({there(needs_response), second}));
  REQUIRE(seen.after.records.disputes.size() == 2);
  CHECK(seen.after.records.disputes.front().provider_ref == "d2");
  CHECK(seen.after.records.disputes.front().id != seen.after.records.disputes.back().id);
  CHECK(machine::disputed(seen.after) == 1000);
  CHECK(machine::remaining(seen.after) == 3700);
}

TEST_CASE("a refund of all that a lost dispute has left makes the payment refunded, and losing the rest does not") {
  const auto refunded = [](std::int64_t minor) {
    auto truth = disputed({there(lost)});
    truth.lists_refunds = true;
    truth.refunds = {{"r1", minor, refund_status::succeeded, {}, now - 2h}};
    return truth;
  };
  const auto whole = follow(with({here(lost)}), refunded(3200));
  CHECK(whole.story == lines{"refund approved, payment.refunded published / refunded 3200"});
  CHECK(whole.after.state == payment_state::refunded);
  CHECK(machine::remaining(whole.after) == 0);

  const auto part = follow(with({here(lost)}), refunded(3199));
  CHECK(part.story == lines{"refund approved, payment.partially_refunded published / refunded 3199"});
  CHECK(part.after.state == payment_state::partially_refunded);

  // A dispute does not change the payment's state, even if nothing is left to refund once it is lost.
  const auto later = follow(with({here(needs_response)}), refunded(3200));
  CHECK(later.after.state == payment_state::partially_refunded);
  CHECK(machine::remaining(later.after) == 0);

  auto failed = refunded(3200);
  failed.refunds.front().status = refund_status::failed;
  const auto back = follow(whole.after, failed);
  CHECK(back.after.state == payment_state::captured);
  CHECK(machine::remaining(back.after) == 3200);
}

TEST_CASE("a dispute of a payment without a capture is ignored") {
  for (const auto state : {payment_state::authorized, payment_state::failed, payment_state::voided}) {
    auto truth = disputed({there(needs_response)});
    truth.charge = charge_state::unknown;
    CHECK(follow(payment_in(state), truth).story.empty());
  }
}

TEST_CASE("several differences are followed in order: the charge, then refunds, then disputes") {
  auto truth = disputed({there(lost), there(warning, 300, "d2")});
  truth.charge_ref = "ch_1";
  truth.lists_refunds = true;
  truth.refunds = {{"r1", 1200, refund_status::succeeded, {}, now - 2h},
                   {"r2", 500, refund_status::pending, {}, now - 1h}};
  const lines expected{"capture approved, payment.captured published / captured 4200",
                       "refund approved, payment.partially_refunded published / refunded 1200",
                       "refund pending, payment.partially_refunded published / refunded 500",
                       "dispute needs_response, dispute.opened published / dispute_opened 1000",
                       "dispute lost, dispute.closed published / dispute_lost 1000",
                       "dispute warning, dispute.opened published"};
  const auto seen = follow(payment_in(payment_state::authorized), truth);
  CHECK(seen.story == expected);
  CHECK(seen.after.state == payment_state::partially_refunded);
  CHECK(seen.after.version == 7 + 6);
  CHECK(seen.after.next_seq == 3 + 12);
  CHECK(seen.after.refunded == 1700);
  CHECK(machine::remaining(seen.after) == 1500);
  // next_difference() returns the first of all differences.
  const auto first = next_difference(payment_in(payment_state::authorized), truth, now);
  REQUIRE(first);
  CHECK(first->next == differences(payment_in(payment_state::authorized), truth, now).front().next);
  // A later comparison counts nothing twice.
  CHECK(differences(seen.after, truth, now + 24h).empty());
  // The sums of the entries are the payment's.
  std::int64_t customer = 0;
  payment before = payment_in(payment_state::authorized);
  for (const auto& step : differences(before, truth, now)) {
    for (const auto& moved : movements_of(&before, step.next)) customer += paid_by_customer(moved);
    before = step.next;
  }
  CHECK(customer == 4200 - 1700 - 1000);
}
