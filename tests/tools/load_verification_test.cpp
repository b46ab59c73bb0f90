// The workload finds each fault of a faulty gateway.
#include <catch2/catch.hpp>

#include <algorithm>

#include "load_fake_gateway.hpp"
#include "workload/model.hpp"
#include "workload/verifier.hpp"

using namespace gateway::load;
using namespace gateway::load::testing;

TEST_CASE("each fault is found") {
  const auto [what, mix, shows] = GENERATE(table<fault, const char*, const char*>({
      {fault::executes_a_key_twice, "replay", "two executions of one key"},
      {fault::executes_a_key_twice, "storm", "two executions of one key"},
      {fault::executes_twice_and_calls_it_a_replay, "replay", "its creation was not executed once"},
      {fault::executes_twice_and_calls_it_a_replay, "storm", "its creation was not executed once"},
      {fault::forgets_to_mark_replays, "replay", "two executions of one key"},
      {fault::replays_other_bytes, "replay", "another answer than the first one"},
      {fault::replays_other_bytes, "storm", "another answer than the first one"},
      {fault::replays_other_bytes, "hosted", "another answer than the first one"},
      {fault::calls_a_first_answer_a_replay, "create", "every answer says that it is a replay"},
      {fault::loses_a_refund, "lifecycle", "instead of"},
      {fault::loses_a_refund, "hot", "refunded_total is"},
      {fault::counts_a_refund_twice, "hot", "refunded_total is"},
      {fault::refunds_more_than_was_captured, "hot", "its sums are wrong"},
      {fault::refuses_a_refund_that_fits, "hot", "was refused as too much"},
      {fault::accepts_a_reused_key, "reuse", "its key was used for another request"},
      {fault::takes_the_amount_of_a_reused_key, "reuse", "instead of"},
      {fault::creates_the_payment_of_a_reused_key, "reuse",
       "exists, although it was only requested under the key of another payment"},
      {fault::captures_by_a_reused_key, "reuse", "capture"},
      {fault::denies_a_key_that_is_the_same, "replay", "409 IDEMPOTENCY_KEY_REUSED to a request that is the same"},
      {fault::loses_a_payment, "create", "is not there (404)"},
      {fault::authorizes_twice, "create", "its creation was not executed once"},
      {fault::approves_what_it_should_decline, "webhooks", "which does not follow from the request"},
      {fault::shows_no_hosted_page, "hosted", "which does not follow from the request"},
      {fault::answers_with_another_payment, "create", "its answer is of another payment"},
      {fault::fails_after_it_answered_authorized, "create",
       "which does not follow from what its operations were answered"},
      {fault::leaves_an_event_out_of_the_timeline, "webhooks", "do not follow from the attempts"},
      {fault::charges_a_saved_method_twice, "saved", "its creation was not executed once"},
      {fault::captures_what_should_wait, "saved", "which does not follow from the request"},
      {fault::calls_a_charge_by_another_status, "saved", "which does not follow from the request"},
      {fault::executes_a_key_twice, "saved", "two executions of one key"},
      {fault::replays_other_bytes, "saved", "another answer than the first one"},
      {fault::makes_a_customer_twice, "saved", "is another customer of the provider than before"},
      {fault::gives_two_customers_one_name, "saved", "is the same customer of the provider as"},
      {fault::forgets_a_customer, "saved", "is not there (404)"},
      {fault::finds_another_customer, "saved", "its answer is no customer, or another one"},
  }));
  CAPTURE(mix, shows);
  // Each fault must be found alone, in the mix of all scenarios, and among lost and refused requests, which are not
  // faults.
  const bool failing_often = GENERATE(false, true);
  const bool mixed = GENERATE(false, true);
  fake_gateway gateway{
      what, failing_often ? failure_rates{.lost_before = 3, .lost_after = 3, .overloaded = 3} : failure_rates{}};
  // Only a payment that many requests have refunded shows this one.
  const bool rare = what == fault::refunds_more_than_was_captured;
  const auto result = checked(mixed ? among_all(mix) : mix, gateway, (rare ? 4'000 : 1'000) + (mixed ? 1'000 : 0));
  CHECK(result.violations > 0);
  CHECK(result.shown.size() == std::min<std::uint64_t>(result.violations, 100));
  if (!mixed && !failing_often) {
    const auto has_text = [&, text = std::string{shows}](const violation& one) {
      return one.what.find(text) != std::string::npos;
    };
    CAPTURE(first_of(result));
    const auto found = std::ranges::find_if(result.shown, has_text);
    REQUIRE(found != result.shown.end());
    CHECK_FALSE(found->request_ids.empty());
    CHECK(std::ranges::all_of(found->request_ids,
                              [](const auto& id) { return id.size() == 36 && id.starts_with("req_"); }));
  }
}

TEST_CASE("two executions are reported with the Request-Ids of both answers") {
  fake_gateway gateway{fault::executes_a_key_twice};
  const auto result = checked("replay", gateway, 100);
  REQUIRE(result.violations > 0);
  REQUIRE(result.shown.front().request_ids.size() == 2);
  CHECK(result.shown.front().request_ids[0] != result.shown.front().request_ids[1]);
  CHECK(result.shown.front().what.starts_with("create of pay_r1_"));
}

namespace {

struct workload_events {
  std::unique_ptr<workload> work;
  std::vector<received_event> events;
};

workload_events correct_events() {
  fake_gateway gateway;
  workload_events made{make_workload(mix_options("webhooks lifecycle", 1000)), {}};
  drive(*made.work, gateway);
  drive(*made.work->settle(), gateway);
  drive(*made.work->read_back(), gateway);
  made.events = gateway.events();
  REQUIRE(made.work->events_expected() == made.events.size());
  return made;
}

}  // namespace

TEST_CASE("repeated events, in any order, and those of other payments are no violations") {
  auto correct = correct_events();
  const auto count = correct.events.size();
  correct.events.push_back(correct.events[3]);
  std::ranges::reverse(correct.events);
  correct.events.push_back({"evt_x", "payment.captured", "pay_of_another_run_1", "x", "x", false});
  const auto result = correct.work->conclude(correct.events);
  CAPTURE(first_of(result));
  CHECK(result.violations == 0);
  CHECK(result.events == count);
}

TEST_CASE("each fault of a webhook is found") {
  auto correct = correct_events();
  auto& events = correct.events;
  std::string shows;
  SECTION("an event is missing") {
    events.erase(events.begin() + 5);
    shows = "did not arrive";
  }
  SECTION("an event is signed wrongly") {
    events[5].rightly_signed = false;
    shows = "signature";
  }
  SECTION("a delivery is repeated with another body") {
    events.push_back(events[5]);
    events.back().body_hash = "other";
    shows = "arrived with different bodies";
  }
  SECTION("a payment's event is sent as two") {
    events.push_back(events[5]);
    events.back().event_id = "evt_second";
    events.back().delivery_id = "second";
    shows = "but its timeline has";
  }
  SECTION("an event has another type") {
    events[5].type = "payment.voided";
    shows = "an event that the destination did not list";
  }
  SECTION("an event is about a payment that was never requested") {
    events.push_back({"evt_stray", "payment.captured", "pay_r1_999999", "stray", "stray", true});
    shows = "never requested";
  }
  const auto result = correct.work->conclude(events);
  CHECK(result.violations > 0);
  CHECK(std::ranges::any_of(result.shown,
                            [&](const violation& one) { return one.what.find(shows) != std::string::npos; }));
}

TEST_CASE("without a receiver events are not checked") {
  auto correct = correct_events();
  const auto result = correct.work->conclude(std::nullopt);
  CHECK(result.violations == 0);
  CHECK(result.events == 0);
}

TEST_CASE("payments that could not be read back are reported, not ignored") {
  fake_gateway gateway;
  const auto work = make_workload(mix_options("create", 50));
  drive(*work, gateway);
  const auto reads = work->read_back();
  drive(*reads, gateway, 20);
  const auto result = work->conclude(std::nullopt);
  CHECK(result.payments == 10);
  REQUIRE(result.violations == 1);
  CHECK(first_of(result) == "40 payments could not be read back");
}

TEST_CASE("a request that is never answered is given up, and reported") {
  const auto options = mix_options("create", 0);
  model known{options};
  progress_of_verification progress;
  const auto lost = known.create(known.begin_payment(0, payment_kind::card, 1000));
  known.take(lost, {});
  const auto settlement = settle_in_doubt(known, progress, {.tries = 3, .time = {}});
  std::vector<request> out;
  for (int i = 0; i < 3; ++i) {
    out.clear();
    settlement->next(out);
    REQUIRE(out.size() == 1);
    CHECK(out.front().idempotency_key == lost.idempotency_key);
    CHECK(out.front().body == lost.body);
    settlement->on_answer(out.front(), {});
  }
  out.clear();
  settlement->next(out);
  CHECK(out.empty());
  CHECK(known.found().count() == 1);
  CHECK(progress.settled == 0);
}
