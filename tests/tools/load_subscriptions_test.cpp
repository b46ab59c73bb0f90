// A year of subscriptions, as far as it needs no gateway: the plan, the expected outcome, the expected events.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "subscriptions/plan.hpp"
#include "subscriptions/subject_events.hpp"

using namespace gateway::load;

namespace {

using words = std::vector<std::string_view>;

subscription_plan three_cycles() {
  subscription_plan plan;
  plan.amount = 1'900;
  plan.cycles = 3;
  return plan;
}

/// activated, updated, canceled, invoice_paid, invoice_failed, partially refunded.
std::vector<std::uint32_t> event_counts(const subscription_plan& plan) {
  const auto events = events_of(plan);
  CHECK(events.payment_succeeded == events.invoice_paid);
  CHECK(events.payment_failed == events.invoice_failed);
  return {events.activated,    events.updated,        events.canceled,
          events.invoice_paid, events.invoice_failed, events.payment_partially_refunded};
}

boost::json::object envelope(const std::string& text) { return boost::json::parse(text).as_object(); }

}  // namespace

TEST_CASE("the same seed plans the same year, and another seed another year") {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto one = plan_of(7, i, 12), again = plan_of(7, i, 12);
    CHECK(moves_of(one) == moves_of(again));
    CHECK(one.amount == again.amount);
  }
  std::size_t same = 0;
  for (std::uint64_t i = 0; i < 200; ++i)
    if (plan_of(7, i, 12).amount == plan_of(8, i, 12).amount) ++same;
  CHECK(same < 5);
}

TEST_CASE("a year has every ending, and no plan exceeds its months") {
  std::map<ending, std::size_t> endings;
  std::size_t trials = 0, failing = 0, refunded = 0, repeated = 0, reordered = 0;
  constexpr std::uint32_t months = 12;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto plan = plan_of(1, i, months);
    ++endings[plan.ends];
    if (plan.trial_days > 0) ++trials;
    if (plan.repeat > 1) ++repeated;
    if (plan.reorder) ++reordered;
    if (plan.ends == ending::abandoned) {
      CHECK(plan.cycles == 0);
      continue;
    }
    CHECK((plan.ends == ending::none ? plan.cycles == months : plan.cycles >= 1 && plan.cycles < months));
    CHECK(plan.failing <= plan.cycles);
    CHECK((plan.failing > 0) == (plan.failures > 0));
    CHECK(plan.failures < sandbox_attempts);
    // The customer's payment on the page cannot fail: no subscription exists that an operator could move.
    if (plan.trial_days == 0) CHECK(plan.failing != 1);
    if (plan.failing > 0) ++failing;
    CHECK(plan.refunded <= plan.cycles);
    CHECK(plan.refund < plan.amount);
    if (plan.refunded > 0) ++refunded;
  }
  CHECK(endings.size() == 6);
  for (const auto& [which, count] : endings) CHECK(count > 100);
  CHECK(std::min({trials, failing, refunded, repeated, reordered}) > 300);
}

TEST_CASE("the operator's moves, the events, and the end, for each kind of plan") {
  auto plan = three_cycles();
  CHECK(moves_of(plan) == words{"paid", "paid"});
  CHECK(event_counts(plan) == std::vector<std::uint32_t>{1, 0, 0, 3, 0, 0});
  CHECK(status_of(plan) == "active");

  plan.trial_days = 14;
  CHECK(moves_of(plan) == words{"paid", "paid", "paid"});
  CHECK(event_counts(plan) == std::vector<std::uint32_t>{1, 1, 0, 3, 0, 0});

  plan.failing = 1;
  plan.failures = 2;
  CHECK(moves_of(plan) == words{"failed", "failed", "paid", "paid", "paid"});
  CHECK(event_counts(plan) == std::vector<std::uint32_t>{1, 2, 0, 3, 2, 0});

  plan = three_cycles();
  plan.failing = 3;
  plan.failures = 1;
  plan.refunded = 2;
  CHECK(moves_of(plan) == words{"paid", "failed", "paid"});
  CHECK(event_counts(plan) == std::vector<std::uint32_t>{1, 2, 0, 3, 1, 1});

  plan = three_cycles();
  plan.ends = ending::merchant;
  CHECK(moves_of(plan) == words{"paid", "paid"});
  CHECK(event_counts(plan) == std::vector<std::uint32_t>{1, 0, 1, 3, 0, 0});
  CHECK(status_of(plan) == "canceled");

  plan.ends = ending::provider;
  CHECK(moves_of(plan) == words{"paid", "paid", "delete"});
  CHECK(event_counts(plan) == std::vector<std::uint32_t>{1, 0, 1, 3, 0, 0});
  CHECK(status_of(plan) == "canceled");

  plan.ends = ending::expired;
  CHECK(moves_of(plan) == words{"paid", "paid", "expire"});
  CHECK(status_of(plan) == "incomplete_expired");

  plan.ends = ending::exhausted;
  CHECK(moves_of(plan) == words{"paid", "paid", "exhausted"});
  CHECK(event_counts(plan) == std::vector<std::uint32_t>{1, 1, 1, 3, sandbox_attempts, 0});
  CHECK(status_of(plan) == "canceled");

  plan = {};
  plan.ends = ending::abandoned;
  CHECK(moves_of(plan) == words{"expire"});
  CHECK(events_of(plan).all() == 0);
  CHECK(status_of(plan) == "incomplete_expired");
}

TEST_CASE("events are kept by their object, and one that is repeated or wrongly signed is a fault") {
  subject_events events;
  const auto paid =
      envelope(R"({"id":"evt_1","type":"subscription.invoice_paid","data":{"subscription_id":"sub_m_1","amount":1900,)"
               R"("period_start":"2026-01-01T00:00:00Z","period_end":"2026-02-01T00:00:00Z"}})");
  events.take(paid, true);
  events.take(envelope(R"({"id":"evt_2","type":"payment.succeeded","data":{"payment_id":"pay_1","amount":1900}})"),
              true);
  CHECK(events.faults().empty());
  CHECK(events.subjects() == 2);
  CHECK(events.events() == 2);
  REQUIRE(events.of("sub_m_1").size() == 1);
  CHECK(events.of("sub_m_1").front().type == "subscription.invoice_paid");
  CHECK(events.of("sub_m_1").front().period_end == "2026-02-01T00:00:00Z");
  CHECK(events.of("pay_1").front().amount == 1900);
  CHECK(events.of("pay_2").empty());

  events.take(paid, true);
  events.take(envelope(R"({"id":"evt_3","type":"payment.failed","data":{"payment_id":"pay_1"}})"), false);
  events.take(envelope(R"({"id":"evt_4","type":"payment.failed"})"), true);
  CHECK(events.faults().size() == 3);
  CHECK(events.of("sub_m_1").size() == 1);
  CHECK(events.of("pay_1").size() == 1);
}
