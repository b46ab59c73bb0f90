// The totals to which a change of a payment adds: for each state and each possible result.
#include <catch2/catch.hpp>

#include "gateway/domain/cycle_payment.hpp"
#include "gateway/domain/daily_total.hpp"

using namespace gateway;

namespace {

using enum payment_state;
using counter = daily_counter;

struct standing {
  payment_state state;
  std::int64_t captured = 0;
  std::int64_t refunded = 0;
};

payment standing_at(const standing& s) {
  payment p;
  p.amount = {1'000, currency::parse("HKD").value()};
  p.state = s.state;
  p.captured = s.captured;
  p.refunded = s.refunded;
  return p;
}

struct added {
  daily_counter what;
  std::int64_t minor;
  bool operator==(const added&) const = default;
};

std::vector<added> added_by(const std::optional<standing>& from, const standing& to) {
  std::optional<payment> before;
  if (from) before = standing_at(*from);
  std::vector<added> found;
  for (const auto& total : totals_of(before ? &*before : nullptr, standing_at(to))) {
    CHECK(total.count == 1);
    CHECK(total.amount.unit.code() == "HKD");
    found.push_back({total.what, total.amount.minor});
  }
  return found;
}

}  // namespace

TEST_CASE("a change of a payment adds to the totals of the amounts that it moves") {
  struct row {
    const char* what;
    std::optional<standing> from;
    standing to;
    std::vector<added> expected;
  };
  const row table[] = {
      {"begun", std::nullopt, {created}, {}},
      {"an unknown outcome", standing{created}, {processing}, {}},
      {"authorized", standing{created}, {authorized}, {{counter::authorized, 1'000}}},
      {"authorized later", standing{processing}, {authorized}, {{counter::authorized, 1'000}}},
      {"captured at once",
       standing{created},
       {captured, 1'000},
       {{counter::authorized, 1'000}, {counter::captured, 1'000}}},
      {"paid on a page",
       standing{processing},
       {captured, 1'000},
       {{counter::authorized, 1'000}, {counter::captured, 1'000}}},
      {"declined", standing{created}, {failed}, {{counter::failed, 1'000}}},
      {"expired", standing{processing}, {failed}, {{counter::failed, 1'000}}},
      {"claimed for a capture", standing{authorized}, {authorized}, {}},
      {"captured", standing{authorized}, {captured, 1'000}, {{counter::captured, 1'000}}},
      {"voided", standing{authorized}, {voided}, {}},
      {"claimed for a refund", standing{captured, 1'000}, {captured, 1'000}, {}},
      {"refunded in part", standing{captured, 1'000}, {partially_refunded, 1'000, 300}, {{counter::refunded, 300}}},
      {"refunded further",
       standing{partially_refunded, 1'000, 300},
       {partially_refunded, 1'000, 400},
       {{counter::refunded, 100}}},
      {"refunded whole",
       standing{partially_refunded, 1'000, 400},
       {refunded, 1'000, 1'000},
       {{counter::refunded, 600}}},
      {"a cycle that is paid",
       std::nullopt,
       {captured, 1'000},
       {{counter::authorized, 1'000}, {counter::captured, 1'000}}},
      {"a cycle that fails", std::nullopt, {failed}, {{counter::failed, 1'000}}},
      {"a cycle that fails again", standing{failed}, {failed}, {}},
      {"a cycle that is paid late",
       standing{failed},
       {captured, 1'000},
       {{counter::authorized, 1'000}, {counter::captured, 1'000}}},
  };
  for (const auto& each : table) {
    INFO(each.what);
    CHECK(added_by(each.from, each.to) == each.expected);
  }
}

TEST_CASE("a change counts on its UTC day") {
  auto after = standing_at({captured, 1'000});
  using namespace std::chrono;
  const auto midnight = sys_days{2026y / November / 25};
  for (const auto& [at, day] : {std::pair{gateway::time_point{midnight}, midnight},
                                std::pair{gateway::time_point{midnight} - milliseconds{1}, midnight - days{1}}}) {
    after.updated_at = at;
    for (const auto& total : totals_of(nullptr, after)) CHECK(total.day == day);
  }
}

TEST_CASE("a refund that comes back counts against the refunds of its day") {
  const auto before = standing_at({partially_refunded, 1'000, 400}), after = standing_at({captured, 1'000});
  const auto totals = totals_of(&before, after);
  REQUIRE(totals.size() == 1);
  CHECK(totals.front().what == counter::refunded);
  CHECK(totals.front().count == -1);
  CHECK(totals.front().amount.minor == -400);
}

TEST_CASE("disputes count in no total, and neither does a capture of what was voided as another approval") {
  const auto plain = standing_at({captured, 1'000});
  for (std::size_t i = 0; i < enum_count<dispute_status>; ++i) {
    auto disputed = plain;
    disputed.records.disputes = {{"dp_1", 1'000, {}, static_cast<dispute_status>(i), {}, {}, {}, "d_1"}};
    CHECK(totals_of(&plain, disputed).empty());
    CHECK(totals_of(&disputed, plain).empty());
  }
  CHECK(added_by(standing{voided}, {captured, 1'000}) == std::vector<added>{{counter::captured, 1'000}});
  CHECK(added_by(standing{failed}, {authorized}) == std::vector<added>{{counter::authorized, 1'000}});
}
