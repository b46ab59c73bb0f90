// The spans of a payment's request, and their parents.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

constexpr trace_context caller{
    {0x4bf92f3577b34da6, 0xa3ce929d0e0e4736}, 0x00f067aa0ba902b7, trace_context::sampled, true};

entity_request traced(entity_request request, trace_context by = caller) {
  request.trace = by;
  request.traced_from = trace_now();
  return request;
}

std::vector<std::string> names_of(const std::vector<span>& spans) {
  std::vector<std::string> names;
  for (const auto& one : spans) names.push_back(one.name);
  return names;
}

std::map<std::string, std::string> texts_of(const span& one) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : one.attributes)
    if (const auto* text = std::get_if<std::string>(&value)) all.emplace(name, *text);
  return all;
}

struct traced_world {
  metrics meters;
  tracing traces{{}, meters};
  world w{std::make_shared<failing_store>(), unhurried(), 0ms, membership::alone(), traces};
};

using names = std::vector<std::string>;
using texts = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("a payment's request waits, begins, calls its provider and finishes: each is a span of the caller's trace") {
  traced_world at;
  at.w.ask(traced(world::create("pay_1", "key_1")));
  const auto spans = at.traces.take(100);
  REQUIRE(names_of(spans) == names{"wait", "begin", "provider", "finish"});
  std::vector<std::uint64_t> ids;
  for (const auto& one : spans) {
    CAPTURE(one.name);
    CHECK(one.where.trace == caller.trace);
    CHECK(one.parent == caller.span);
    CHECK(std::ranges::find(ids, one.where.span) == ids.end());
    ids.push_back(one.where.span);
    CHECK(one.begun > 0);
    CHECK(one.begun <= one.ended);
    CHECK_FALSE(one.failed);
    CHECK(texts_of(one).at("gateway.payment_id") == "pay_1");
    CHECK(texts_of(one).at("gateway.merchant_id") == "merch_1");
  }
  for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i - 1].ended <= spans[i].begun);
  CHECK(texts_of(spans[1]).at("gateway.outcome") == "committed");
  CHECK(spans[2].kind == span_kind::client);
  CHECK(texts_of(spans[2]) == texts{{"gateway.entity", "payment"},
                                    {"gateway.merchant_id", "merch_1"},
                                    {"gateway.payment_id", "pay_1"},
                                    {"gateway.provider", "sandbox"},
                                    {"gateway.operation", "create"},
                                    {"gateway.outcome", "approved"}});
}

TEST_CASE("the provider gets the trace, with the span of its own call") {
  traced_world at;
  at.w.ask(traced(world::create("pay_1", "key_1")));
  REQUIRE(at.w.calls().calls.size() == 1);
  const auto passed = at.w.calls().calls.front().trace;
  const auto spans = at.traces.take(100);
  CHECK(passed.trace == caller.trace);
  CHECK(passed.span == spans.at(2).where.span);
}

TEST_CASE("a trace that is not recorded is passed to the provider unchanged, and makes no span") {
  auto passed_on = caller;
  passed_on.recorded = false;
  SECTION("while tracing is on") {
    traced_world at;
    auto request = world::create("pay_1", "key_1");
    request.trace = passed_on;
    at.w.ask(std::move(request));
    CHECK(at.w.calls().calls.at(0).trace == passed_on);
    CHECK(at.traces.queued() == 0);
  }
  SECTION("and while it is off, also one that another node records") {
    passed_on.recorded = GENERATE(false, true);
    world w;
    w.ask(traced(world::create("pay_1", "key_1"), passed_on));
    CHECK(w.calls().calls.at(0).trace.trace == passed_on.trace);
    CHECK(tracing::off().queued() == 0);
  }
}

TEST_CASE("a request without a trace makes no span, also after one that had one") {
  traced_world at;
  at.w.ask(traced(world::create("pay_1", "key_1")));
  at.traces.take(100);
  at.w.ask(world::capture("pay_1", "key_2"));
  CHECK(at.traces.queued() == 0);
  CHECK_FALSE(at.w.calls().calls.back().trace.present());
}

TEST_CASE("a decline is an outcome, and a provider without an answer a failure") {
  traced_world at;
  at.w.ask(traced(world::create("pay_1", "key_1", "pm_card_chargeDeclined")));
  auto spans = at.traces.take(100);
  CHECK(texts_of(spans.at(2)).at("gateway.outcome") == "declined");
  CHECK_FALSE(texts_of(spans.at(2)).at("gateway.error_category").empty());
  CHECK_FALSE(spans.at(2).failed);
  at.w.calls().silent = true;
  at.w.send(traced(world::create("pay_2", "key_2")));
  at.w.settle();
  at.w.advance(11s);
  spans = at.traces.take(100);
  CHECK(texts_of(spans.at(2)).at("gateway.outcome") == "unknown");
  CHECK(spans.at(2).failed);
}

TEST_CASE("a delivery is a span of the request that made its event") {
  traced_world at;
  destination to;
  to.id = destination_id{"dest_1"};
  to.owner = "merch_1";
  to.url = "https://shop.test/hooks";
  to.env = environment::test;
  at.w.subscribe(to);
  at.w.office().answer = [](const outgoing_post&) { return post_office::says(500); };
  at.w.ask(world::create("pay_1", "key_1"));
  at.w.ask(traced(world::capture("pay_1", "key_2")));
  const auto spans = at.traces.take(100);
  const auto found = std::ranges::find(spans, "delivery", &span::name);
  REQUIRE(found != spans.end());
  CHECK(found->where.trace == caller.trace);
  CHECK(found->parent == caller.span);
  CHECK(found->kind == span_kind::client);
  CHECK(found->failed);
  CHECK(texts_of(*found).at("gateway.destination_id") == "dest_1");
  CHECK(texts_of(*found).at("gateway.event_type") == "payment.captured");
  CHECK(texts_of(*found).at("gateway.outcome") == "rejected");
}
