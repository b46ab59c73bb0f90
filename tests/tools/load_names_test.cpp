// The ids of a run's payments, and the numbers that are computed back from them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workload/names.hpp"

using namespace gateway::load;

namespace {

std::vector<std::string> first_ids(const run_names& of, std::uint64_t count) {
  std::vector<std::string> ids;
  for (std::uint64_t number = 0; number < count; ++number) ids.push_back(of.payment(number));
  return ids;
}

}  // namespace

TEST_CASE("a payment's number is read from its id, in either order") {
  for (const auto order : {id_order::sequential, id_order::random}) {
    const run_names of{"r1", order};
    for (const std::uint64_t number : {0ull, 1ull, 9ull, 16ull, 1'000'000ull, 0xffff'ffffull, 0xffff'ffff'ffff'ffffull})
      CHECK(of.number_of(of.payment(number)) == number);
    for (const auto* bad :
         {"", "pay_r1", "pay_r1_", "pay_r1_x", "pay_r2_1", "pay_r1_1_other", "pay_r1_-000000000000001"})
      CHECK(of.number_of(bad) == std::nullopt);
    CHECK(of.number_of(of.wrong_payment(7)) == std::nullopt);
    CHECK(of.is_of_run(of.wrong_payment(7)));
  }
}

TEST_CASE("random ids occur once, have equal lengths, and do not follow the order of their payments") {
  const auto ids = first_ids(run_names{"r1", id_order::random}, 10'000);
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
  CHECK(std::ranges::all_of(
      ids, [&](const std::string& id) { return id.size() == ids.front().size() && id.starts_with("pay_r1_"); }));
  // Of two consecutive ids the second sorts after the first half of the time. Sequential ids would always sort after.
  int rises = 0;
  for (std::size_t i = 1; i < ids.size(); ++i) rises += ids[i - 1] < ids[i] ? 1 : 0;
  CHECK(rises > 4'800);
  CHECK(rises < 5'200);
  CHECK(run_names{"r1"}.payment(12) == "pay_r1_12");
}
