// The ledger compared with a settlement report: what is missing, extra, or different.
#include <catch2/catch.hpp>

#include "gateway/domain/time.hpp"
#include "reconciliation.hpp"

using namespace gateway;
using namespace gateway::ctl;

namespace {

const auto first_day = parse_day("2026-11-20").value();
const reconciled_period of_two_days{first_day, first_day + std::chrono::days{1}};
const auto hkd = currency::parse("HKD").value();
constexpr auto captured = ledger_kind::captured, refunded = ledger_kind::refunded;

settlement_line line(std::uint64_t number, ledger_kind what, std::int64_t minor, std::string ref,
                     std::vector<std::string> of_payment = {}, int hour = 9) {
  return {number,
          what,
          minor,
          hkd,
          time_point{first_day} + std::chrono::hours{hour},
          std::move(ref),
          std::move(of_payment)};
}

ledger_entry entry(ledger_kind what, std::int64_t minor, std::string movement_ref, std::string payment_ref = "pi",
                   int hour = 9) {
  ledger_entry e;
  e.payment = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_1"});
  e.at = time_point{first_day} + std::chrono::hours{hour};
  e.what = what;
  e.amount = {minor, hkd};
  e.provider = provider_kind::stripe;
  e.payment_ref = std::move(payment_ref);
  e.movement_ref = std::move(movement_ref);
  return e;
}

struct outcome_of_sides {
  std::vector<std::string> differences;
  reconciliation_counts counts;
};

outcome_of_sides reconciled(const std::vector<settlement_line>& lines, const std::vector<ledger_entry>& entries) {
  reconciliation sides;
  for (const auto& each : lines) sides.add(each);
  outcome_of_sides found;
  sides.begin(of_two_days, [&](const difference& d) {
    auto text = std::string{to_string(d.kind)} + ' ' + d.ref;
    if (d.entry) text += " ledger " + std::to_string(d.entry->amount.minor);
    if (d.report) text += " line " + std::to_string(d.line) + ' ' + std::to_string(d.report->minor);
    found.differences.push_back(text);
  });
  for (const auto& each : entries) sides.compare(each);
  found.counts = sides.end();
  return found;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("sides that agree have no differences, and failures move nothing") {
  const auto found =
      reconciled({line(2, captured, 4200, "ch_1"), line(3, refunded, 100, "re_1"), line(4, refunded, 100, "re_2")},
                 {entry(captured, 4200, "ch_1"), entry(refunded, 100, "re_2"), entry(refunded, 100, "re_1"),
                  entry(ledger_kind::failed, 7, "")});
  CHECK(found.differences.empty());
  CHECK(found.counts.agree == 3);
  CHECK(found.counts.all_agree());
}

TEST_CASE("each difference is reported once, under its reference") {
  const auto found =
      reconciled({line(2, captured, 4200, "ch_1"), line(3, captured, 70, "ch_extra"), line(4, refunded, 101, "re_1"),
                  line(5, captured, 4200, "ch_1")},
                 {entry(captured, 4200, "ch_1"), entry(captured, 55, "ch_missing"), entry(refunded, 100, "re_1")});
  CHECK(found.differences == texts{"missing ch_missing ledger 55", "differs re_1 ledger 100 line 4 101",
                                   "extra ch_extra line 3 70", "extra ch_1 line 5 4200"});
  CHECK(found.counts.agree == 1);
  CHECK(found.counts.missing == 1);
  CHECK(found.counts.differs == 1);
  CHECK(found.counts.extra == 2);
  CHECK_FALSE(found.counts.all_agree());
}

TEST_CASE("another currency or another kind under one reference is a difference") {
  auto dollars = line(2, captured, 4200, "ch_1");
  dollars.unit = currency::parse("USD").value();
  CHECK(reconciled({dollars}, {entry(captured, 4200, "ch_1")}).counts.differs == 1);
  dollars.unit.reset();
  CHECK(reconciled({dollars}, {entry(captured, 4200, "ch_1")}).counts.agree == 1);
  CHECK(reconciled({line(2, refunded, 4200, "ch_1")}, {entry(captured, 4200, "ch_1")}).counts.differs == 1);
}

TEST_CASE(
    "a movement without a reference of its own is matched by its payment's, of its kind and preferably of its amount") {
  const std::vector lines{line(2, captured, 900, "ch_1", {"pi_1", "in_1"}),
                          line(3, refunded, 100, "re_1", {"pi_1", "in_1"}),
                          line(4, refunded, 200, "re_2", {"pi_1", "in_1"})};
  const auto found = reconciled(
      lines, {entry(captured, 900, "", "in_1"), entry(refunded, 200, "", "in_1"), entry(refunded, 100, "", "in_1")});
  CHECK(found.differences.empty());
  CHECK(found.counts.agree == 3);
  // A movement with a reference is never matched with another one of its payment.
  CHECK(reconciled({lines[1]}, {entry(refunded, 100, "re_9", "pi_1")}).differences ==
        texts{"missing re_9 ledger 100", "extra re_1 line 3 100"});
  // A wallet's transaction has one reference for all movements.
  CHECK(reconciled({line(2, captured, 5, "T1")}, {entry(captured, 5, "", "T1")}).counts.agree == 1);
}

TEST_CASE("outside the period only counterparts are matched") {
  const auto found = reconciled(
      {line(2, captured, 1, "ch_1", {}, 0), line(3, captured, 2, "ch_2", {}, 47), line(4, captured, 3, "ch_3", {}, 48)},
      {entry(captured, 1, "ch_1", "pi", -1), entry(captured, 9, "ch_9", "pi", -1),
       entry(captured, 2, "ch_2", "pi", 50)});
  CHECK(found.differences.empty());
  CHECK(found.counts.agree == 2);
  CHECK(found.counts.outside == 1);
}

TEST_CASE("payments on a sandbox's page, which the gateway serves, are in no report") {
  auto paid = entry(captured, 5, "", "cs_1");
  paid.provider = provider_kind::sandbox;
  const auto found = reconciled({}, {paid});
  CHECK(found.differences.empty());
  CHECK(found.counts.not_reported == 1);
}

TEST_CASE("the report's period is the days of its lines") {
  reconciliation sides;
  auto timeless = line(2, captured, 1, "ch_1");
  timeless.at.reset();
  sides.add(timeless);
  CHECK_FALSE(sides.period_of_report());
  sides.add(line(3, captured, 1, "ch_2", {}, 30));
  sides.add(line(4, captured, 1, "ch_3", {}, 1));
  const auto period = sides.period_of_report();
  REQUIRE(period);
  CHECK(period->from == first_day);
  CHECK(period->to == first_day + std::chrono::days{1});
}

TEST_CASE("failed refunds and disputes are matched by the reference of the refund or the dispute") {
  using enum ledger_kind;
  const std::vector lines{line(2, refunded, 100, "re_1"), line(3, refund_failed, 100, "re_1"),
                          line(4, dispute_opened, 70, "dp_1"), line(5, dispute_won, 70, "dp_1"),
                          line(6, dispute_opened, 30, "dp_2")};
  const std::vector entries{entry(refunded, 100, "re_1"),      entry(refund_failed, 100, "re_1"),
                            entry(dispute_opened, 70, "dp_1"), entry(dispute_won, 70, "dp_1"),
                            entry(dispute_opened, 30, "dp_2"), entry(dispute_lost, 30, "dp_2")};
  const auto whole = reconciled(lines, entries);
  CHECK(whole.differences.empty());
  CHECK(whole.counts.agree == 5);

  // Each line, and each entry that moves money, is missed if it has no counterpart.
  for (std::size_t left_out = 0; left_out < lines.size(); ++left_out) {
    INFO(left_out);
    auto fewer_lines = lines;
    fewer_lines.erase(fewer_lines.begin() + static_cast<std::ptrdiff_t>(left_out));
    const auto without_line = reconciled(fewer_lines, entries);
    CHECK(without_line.counts.missing == 1);
    CHECK(without_line.counts.agree == 4);
    CHECK_FALSE(without_line.counts.all_agree());
    auto fewer_entries = entries;
    fewer_entries.erase(fewer_entries.begin() + static_cast<std::ptrdiff_t>(left_out));
    const auto without_entry = reconciled(lines, fewer_entries);
    CHECK(without_entry.counts.extra == 1);
    CHECK(without_entry.counts.agree == 4);
    CHECK_FALSE(without_entry.counts.all_agree());
  }
}

TEST_CASE("a dispute of another amount differs") {
  using enum ledger_kind;
  CHECK(reconciled({line(2, dispute_opened, 70, "dp_1")}, {entry(dispute_opened, 60, "dp_1")}).differences ==
        texts{"differs dp_1 ledger 60 line 2 70"});
}

TEST_CASE("a partial capture is reported as a charge and the reversal of its rest") {
  auto rest = line(3, refunded, 1200, "re_1");
  rest.reduces = "ch_1";
  const auto found = reconciled({line(2, captured, 4200, "ch_1"), rest}, {entry(captured, 3000, "ch_1")});
  CHECK(found.differences.empty());
  CHECK(found.counts.agree == 1);
  // Of a charge that the report does not have.
  CHECK(reconciled({rest}, {}).differences == texts{"extra re_1 line 3 1200"});
}

TEST_CASE("what an operator had the sandbox do is in none of its reports") {
  using enum ledger_kind;
  const std::pair<ledger_kind, std::string> rows[] = {{refunded, "re_outside_1"},
                                                      {refund_failed, "re_1"},
                                                      {dispute_opened, "dp_sandbox_1"},
                                                      {dispute_won, "dp_sandbox_1"}};
  for (const auto& [what, ref] : rows) {
    INFO(to_string(what));
    auto made = entry(what, 100, ref);
    made.provider = provider_kind::sandbox;
    const auto found = reconciled({}, {made});
    CHECK(found.counts.not_reported == 1);
    CHECK(found.counts.all_agree());
  }
  auto of_call = entry(refunded, 100, "re_1");
  of_call.provider = provider_kind::sandbox;
  CHECK(reconciled({}, {of_call}).counts.missing == 1);
}
