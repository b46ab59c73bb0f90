// Whether a destination takes what is sent to it.
#include <catch2/catch.hpp>

#include "gateway/domain/destination_health.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

const time_point test_start = from_unix_ms(1'800'000'000'000);

destination a_destination(destination_status status = destination_status::enabled) {
  destination d;
  d.id = destination_id{"dest_1"};
  d.owner = "merch_1";
  d.status = status;
  d.created_at = test_start - 24h;
  return d;
}

destination_health after(std::initializer_list<std::pair<duration_ms, bool>> attempts) {
  destination_health health;
  for (const auto& [at, delivered] : attempts) note_attempt(health, delivered, test_start + at);
  return health;
}

}  // namespace

TEST_CASE("a destination is in trouble once everything has failed for an hour, and no longer after one success") {
  const auto what = a_destination();
  auto health = after({{0min, true}, {10min, false}, {40min, false}});
  CHECK(failing_since(health, what) == test_start + 10min);
  CHECK_FALSE(is_in_trouble(health, what, test_start + 69min));
  CHECK(is_in_trouble(health, what, test_start + 70min));
  note_attempt(health, true, test_start + 71min);
  CHECK_FALSE(failing_since(health, what));
  CHECK_FALSE(is_in_trouble(health, what, test_start + 71min));
}

TEST_CASE("failures from before a destination was enabled, or given another URL, do not count") {
  auto what = a_destination();
  auto health = after({{0min, false}, {30min, false}});
  what.enabled_at = test_start + 31min;
  CHECK_FALSE(failing_since(health, what));
  CHECK(condition_of(health, what, test_start + 32min) == destination_condition::healthy);
  note_attempt(health, false, test_start + 40min);
  CHECK(failing_since(health, what) == test_start + 31min);
  CHECK_FALSE(is_in_trouble(health, what, test_start + 90min));
  CHECK(is_in_trouble(health, what, test_start + 91min));
}

TEST_CASE("a destination's condition follows from its status and its attempts") {
  using enum destination_condition;
  const auto now = test_start + 30min;
  auto open = after({{0min, false}});
  open.paused_until = now + 10s;
  auto probed = open;
  probed.paused_until = now - 10s;
  struct {
    std::string_view what;
    destination_status status;
    destination_health health;
    destination_condition expected;
  } const rows[] = {
      {"nothing was sent", destination_status::enabled, {}, healthy},
      {"all succeed", destination_status::enabled, after({{0min, true}, {1min, true}}), healthy},
      {"the last failed", destination_status::enabled, after({{0min, true}, {1min, false}}), failing},
      {"one of three failed", destination_status::enabled, after({{0min, true}, {1min, false}, {2min, true}}), healthy},
      {"half failed", destination_status::enabled, after({{1min, false}, {2min, true}}), failing},
      {"half failed a day ago", destination_status::enabled, after({{-24h, false}, {-24h, true}}), healthy},
      {"the breaker is open", destination_status::enabled, open, paused},
      {"the pause is over", destination_status::enabled, probed, failing},
      {"disabled", destination_status::disabled, open, disabled},
      {"deleted", destination_status::deleted, open, deleted},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(condition_of(row.health, a_destination(row.status), now) == row.expected);
  }
}

TEST_CASE("the next attempt is neither in the past nor in a pause") {
  destination_health health;
  CHECK(next_attempt(health, test_start - 1h, test_start) == test_start);
  CHECK(next_attempt(health, test_start + 1h, test_start) == test_start + 1h);
  health.paused_until = test_start + 30s;
  CHECK(next_attempt(health, test_start - 1h, test_start) == test_start + 30s);
  CHECK(next_attempt(health, test_start + 1h, test_start) == test_start + 1h);
}

TEST_CASE("attempts are counted by the hour for a day, also if the clock is set back") {
  destination_health health;
  for (int hour = 0; hour < 60; ++hour) {
    note_attempt(health, true, test_start + hour * 1h);
    note_attempt(health, hour % 2 == 0, test_start + hour * 1h);
  }
  CHECK(health.hours.size() == hours_of_health);
  const auto day = last_day(health, test_start + 59h);
  CHECK(day.attempts == 48);
  CHECK(day.failures == 12);
  note_attempt(health, false, test_start + 40h);
  CHECK(std::ranges::is_sorted(health.hours, {}, &attempts_of_hour::hour));
  CHECK(last_day(health, test_start + 59h).failures == 13);
}

TEST_CASE("what was stored and what was seen meanwhile are joined") {
  const auto stored = after({{0min, true}, {1min, false}});
  const auto failed_since = joined(stored, after({{2min, false}}));
  CHECK(failed_since.failing_since == test_start + 1min);
  CHECK(failed_since.last_failure_at == test_start + 2min);
  CHECK(last_day(failed_since, test_start + 2min).attempts == 3);
  const auto succeeded = joined(stored, after({{2min, false}, {3min, true}, {4min, false}}));
  CHECK(succeeded.failing_since == test_start + 4min);
  CHECK(succeeded.last_success_at == test_start + 3min);
  CHECK_FALSE(joined(stored, after({{3min, true}})).failing_since);
}

TEST_CASE("a delivery keeps its newest attempts, with shorter excerpts") {
  delivery row;
  for (int i = 0; i < 14; ++i) {
    delivery_attempt made;
    made.at = test_start + i * 1min;
    made.result = attempt_result::rejected;
    made.status = 500;
    made.excerpt = std::string(most_earlier_excerpt_bytes - 1, 'a') + "\xc3\xa9 and more";
    row = after_attempt(std::move(row), made, destination_kind::merchant, {.merchant_attempts = 100}, made.at);
  }
  REQUIRE(row.earlier.size() == most_earlier_attempts);
  CHECK(row.earlier.front().at == test_start + 3min);
  CHECK(row.earlier.back().at == test_start + 12min);
  CHECK(row.last->at == test_start + 13min);
  CHECK(row.last->excerpt.size() > most_earlier_excerpt_bytes);
  // The character that does not fit is left out whole.
  CHECK(row.earlier.back().excerpt == std::string(most_earlier_excerpt_bytes - 1, 'a'));
}

TEST_CASE("a deleted destination gets no events, and what is pending for it ends as failed") {
  auto what = a_destination(destination_status::deleted);
  what.env = environment::live;
  CHECK_FALSE(is_for(what, environment::live, "payment.captured"));
  what.status = destination_status::disabled;
  CHECK(is_for(what, environment::live, "payment.captured"));
  delivery row;
  row.next_attempt_at = test_start;
  const auto ended = dropped(row);
  CHECK(ended.status == delivery_status::failed);
  CHECK_FALSE(ended.next_attempt_at);
  CHECK(ended.version == row.version + 1);
}
