// Providers other than the gateway's own: inquiries when the customer may have acted, and the effects of an open
// breaker.
#include <catch2/catch.hpp>

#include "../captured_stderr.hpp"
#include "gateway/domain/provider_truth.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;
using lines = std::vector<std::string>;

namespace {

settings patient() {
  auto config = unhurried();
  config.provider_timeout = 10s;
  return config;
}

/// The merchant is connected to a provider over HTTPS, which the sandbox stands for here.
class world_with_stripe : public world {
 public:
  explicit world_with_stripe(bool sandbox_too = false) : world{std::make_shared<failing_store>(), patient()} {
    published().publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
    auto who = demo_merchant();
    who.connections = {{environment::test, provider_kind::stripe, connection_status::connected, "acct_1"}};
    who.routes = {{environment::test, provider_kind::stripe, 1, {}, {payment_method_kind::card}}};
    if (sandbox_too) {
      const auto usual = demo_merchant();
      who.connections.push_back(usual.connections.front());
      who.routes.push_back(usual.routes.front());
    }
    publish(who);
  }

  void provider_says(provider_status status, std::optional<provider_error> error = std::nullopt) {
    calls().says = provider_result{status, {}, {}, std::move(error)};
  }
  std::string answer_of(std::string_view id) { return ask({key_of(id), std::nullopt, ask_provider{}}); }
  payment_state state_of(std::string_view id) { return read(id)->state; }
  bool is_away() { return board().state_of(provider_kind::stripe, environment::test) == provider_state::away; }

  /// Ten payments in a little over five seconds, which the provider answers with the error, or not at all; returns a
  /// moment after the last would have timed out.
  void fail_for_a_while(const std::optional<provider_error>& error = std::nullopt) {
    calls().silent = !error;
    for (int i = 0; i < 10; ++i) {
      if (error) calls().says_once = provider_result{provider_status::declined, {}, {}, error};
      send(create("pay_lost" + std::to_string(i), "lost" + std::to_string(i)));
      advance(600ms, 100ms);
    }
    advance(9'500ms, 100ms);
    calls().silent = false;
  }
};

}  // namespace

TEST_CASE("when a provider has posted a notification, the truth is its answer to an inquiry") {
  world_with_stripe w;
  w.ask(w.create("pay_1", "k1", "", flow::redirect));
  REQUIRE(w.state_of("pay_1") == payment_state::processing);

  SECTION("it still waits: nothing changes, and there is no event") {
    w.provider_says(provider_status::pending);
    CHECK(w.answer_of("pay_1") == "view");
    CHECK(w.state_of("pay_1") == payment_state::processing);
    CHECK(w.timeline("pay_1") == lines{"hosted_session pending"});
  }
  SECTION("it is paid: captured, once") {
    w.provider_says(provider_status::approved);
    w.answer_of("pay_1");
    CHECK_FALSE(w.calls().inquiries.front().compares);
    // It waits no more, so it is compared at once, and again when it is asked for again: the provider says the same.
    CHECK(w.calls().inquiries.back().compares);
    CHECK(w.calls().inquiries.size() == 2);
    w.calls().says.reset();
    CHECK(w.answer_of("pay_1") == "view");
    CHECK(w.state_of("pay_1") == payment_state::captured);
    CHECK(w.timeline("pay_1") == lines{"hosted_session pending", "charge approved", "payment.captured published"});
    CHECK(w.calls().inquiries.size() == 3);
    CHECK(w.calls().inquiries.back().compares);
  }
  SECTION("it is declined: failed, for that reason") {
    w.provider_says(provider_status::declined,
                    provider_error{error_category::provider, "card_declined", "No.", false, false});
    w.answer_of("pay_1");
    CHECK(w.state_of("pay_1") == payment_state::failed);
    CHECK(w.read("pay_1")->error->code == "card_declined");
  }
  SECTION("unknown: it waits on") {
    w.provider_says(provider_status::unknown);
    w.answer_of("pay_1");
    CHECK(w.state_of("pay_1") == payment_state::processing);
  }
  SECTION("for a payment that does not exist, the answer is that") {
    CHECK(w.answer_of("pay_2") == text_of(problem::payment_not_found));
    CHECK(w.calls().inquiries.empty());
  }
}

// The reconciler closes a sandbox's page when it is due.
TEST_CASE("a refresh of a payment that waits on the gateway's own page asks nothing, and the page stays open as long") {
  world w;
  w.ask(w.create("pay_1", "k1", "", flow::redirect));
  const auto before = w.read("pay_1");
  REQUIRE(before->state == payment_state::processing);
  CHECK(w.ask({w.key_of("pay_1"), std::nullopt, ask_provider{}}) == "view");
  CHECK(*w.read("pay_1") == *before);
  CHECK(w.calls().inquiries.empty());
}

TEST_CASE(
    "an operation with an unknown outcome is repeated at once under its key when its provider posts a notification") {
  world_with_stripe w;
  auto p = w.send(w.create("pay_1", "k1", "pm_card_timeout"));
  w.advance(11s);
  REQUIRE(p.done());
  REQUIRE(w.read("pay_1")->open);
  CHECK(w.answer_of("pay_1") == "view");
  CHECK(w.state_of("pay_1") == payment_state::authorized);
  CHECK(w.calls().calls.back().asked_again);
  CHECK(w.calls().calls.back().provider_key == w.calls().calls.front().provider_key);
}

// A provider does not remember what it has refused: repeated under the same key, it executes it.
TEST_CASE("a late answer that nothing was executed loses its claim once the provider is asked again") {
  world_with_stripe w;
  const provider_error not_reached{error_category::provider, "provider_unavailable", "Nothing was done.", true, false};
  w.calls().says_once = provider_result{provider_status::declined, {}, {}, not_reached};
  w.rows().faults = {fault::none, fault::held_up};
  CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::store_unavailable));
  CHECK(w.answer_of("pay_1") == "view");
  CHECK(w.calls().count(operation::create, "pay_1") == 2);
  w.rows().land();
  CHECK(w.state_of("pay_1") == payment_state::authorized);
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
}

TEST_CASE("a lost notification only delays the result: the provider is asked from time to time") {
  world_with_stripe w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1", "", flow::redirect));
  w.provider_says(provider_status::pending);
  w.advance(30min, 10s);
  const auto asked = w.calls().inquiries.size();
  CHECK(asked >= 5);
  CHECK(asked <= 10);
  w.provider_says(provider_status::approved);
  w.advance(20min, 10s);
  CHECK(w.state_of("pay_1") == payment_state::captured);
}

TEST_CASE("an abandoned checkout is closed at the provider before it fails") {
  world_with_stripe w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1", "", flow::redirect));
  w.provider_says(provider_status::pending);
  w.advance(24h - 1min, 1min);
  CHECK(std::ranges::none_of(w.calls().inquiries, &provider_inquiry::closes));
  w.advance(5min, 10s);
  REQUIRE(w.calls().inquiries.back().closes);
  CHECK(w.state_of("pay_1") == payment_state::processing);  // it could not be closed
  CHECK(w.read("pay_1")->error->code == "checkout_outcome_unknown");
  SECTION("closed: expired") {
    w.provider_says(provider_status::declined);
    w.advance(61min, 10s);
    CHECK(w.state_of("pay_1") == payment_state::failed);
    CHECK(w.read("pay_1")->error->code == "checkout_expired");
  }
  SECTION("paid at the last moment: captured") {
    w.provider_says(provider_status::approved);
    w.advance(61min, 10s);
    CHECK(w.state_of("pay_1") == payment_state::captured);
  }
}

TEST_CASE("a payment that was paid after it had failed becomes captured, although no notification comes") {
  world_with_stripe w;
  w.start_reconciler();
  w.ask(w.create("pay_1", "k1", "", flow::redirect));
  w.provider_says(provider_status::declined);
  w.answer_of("pay_1");
  REQUIRE(w.state_of("pay_1") == payment_state::failed);
  provider_truth truth;
  truth.charge = charge_state::captured;
  truth.captured = 4200;
  w.provider_says(provider_status::approved);
  w.calls().says->truth = std::make_shared<const provider_truth>(truth);
  const auto before = w.calls().inquiries.size();
  w.advance(50min, 1min);
  CHECK(w.calls().inquiries.size() == before);
  w.advance(20min, 1min);
  CHECK(w.calls().inquiries.size() == before + 1);
  CHECK(w.calls().inquiries.back().compares);
  CHECK(w.state_of("pay_1") == payment_state::captured);
  CHECK(w.read("pay_1")->records.paid_late);
  w.advance(48h, 10min);
  CHECK(w.calls().inquiries.size() == before + 1);
}

TEST_CASE("when the customer went on to the provider's page is stored, and part of each inquiry from then on") {
  world_with_stripe w;
  w.ask(w.create("pay_1", "k1", "", flow::redirect));
  w.provider_says(provider_status::pending);
  const auto ref = w.read("pay_1")->provider_ref;
  w.answer_of("pay_1");
  CHECK_FALSE(w.calls().inquiries.back().subject.handed_over_at);
  w.advance(3h, 1min);
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::sent, "of another page"}});
  CHECK_FALSE(w.read("pay_1")->handed_over_at);
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::sent, ref}});
  const auto first = w.read("pay_1")->handed_over_at;
  REQUIRE(first);
  w.advance(2min);
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::sent, ref}});
  CHECK(w.read("pay_1")->handed_over_at == *first + 2min);
  w.answer_of("pay_1");
  CHECK(w.calls().inquiries.back().subject.handed_over_at == *first + 2min);
  CHECK(w.timeline("pay_1") == lines{"hosted_session pending"});
  w.provider_says(provider_status::approved);
  w.answer_of("pay_1");
  w.ask({w.key_of("pay_1"), std::nullopt, hosted_result{hosted_signal::sent, ref}});
  CHECK(w.read("pay_1")->handed_over_at == *first + 2min);
}

TEST_CASE("a provider that has failed for a while is away: no operation begins there, and the next route takes it") {
  const auto sandbox_too = GENERATE(false, true);
  world_with_stripe w{sandbox_too};
  w.ask(w.create("pay_before", "before"));
  CHECK_FALSE(w.is_away());
  w.fail_for_a_while();
  REQUIRE(w.is_away());
  CHECK(w.meters().provider_breaker("stripe", "test").Value() == 1);

  if (sandbox_too) {
    CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
    CHECK(w.read("pay_1")->provider == provider_kind::sandbox);
    return;
  }
  const auto calls = w.calls().calls.size();
  CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::provider_unavailable));
  CHECK_FALSE(w.read("pay_1"));
  CHECK(w.ask(w.capture("pay_before", "k2")) == text_of(problem::provider_unavailable));
  CHECK_FALSE(w.read("pay_before")->open);
  CHECK(w.calls().calls.size() == calls);

  SECTION("after a pause the next one shows that it is back, with the same key") {
    w.advance(2s);
    CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
    CHECK_FALSE(w.is_away());
    CHECK(w.meters().provider_breaker("stripe", "test").Value() == 0);
    CHECK(w.ask(w.capture("pay_before", "k2")) == "capture captured 0/0");
  }
  SECTION("or that it is not: then the pause is twice as long") {
    w.advance(2s);
    w.calls().silent = true;
    auto p = w.send(w.create("pay_1", "k1"));
    w.advance(11s);
    REQUIRE(p.done());
    w.calls().silent = false;
    CHECK(w.is_away());
    w.advance(500ms);
    CHECK(w.is_away());
    w.advance(2s);
    CHECK_FALSE(w.is_away());
  }
  SECTION("operations that have begun are settled all the same, and show it, too") {
    w.start_reconciler();
    w.advance(700ms, 100ms);
    CHECK_FALSE(w.is_away());
    CHECK(w.state_of("pay_lost0") == payment_state::authorized);
  }
}

TEST_CASE("the log's line about a provider that is away says what its last answer to a call was") {
  struct row {
    std::optional<provider_error> error;
    std::string_view category, code, cause;
  };
  const row rows[] = {{{}, "timeout", "provider_timeout", "The provider did not answer in time."},
                      {provider_error{error_category::auth, "provider_unavailable",
                                      "It does not accept the credentials.", false, false},
                       "auth", "provider_unavailable", "It does not accept the credentials."}};
  for (const auto& each : rows) {
    CAPTURE(each.code);
    world_with_stripe w;
    gateway::testing::captured_stderr log;
    w.fail_for_a_while(each.error);
    lines away;
    for (const auto& line : log.lines())
      if (line.find("\"event\":\"provider_is_away\"") != line.npos) away.push_back(line);
    REQUIRE(away.size() == 1);
    for (const auto& [name, value] : {std::pair{"provider", std::string_view{"stripe"}},
                                      {"environment", "test"},
                                      {"call", "create"},
                                      {"category", each.category},
                                      {"code", each.code},
                                      {"cause", each.cause}})
      CHECK(away[0].find('"' + std::string{name} + "\":\"" + std::string{value} + '"') != std::string::npos);
  }
}

TEST_CASE("failures of a sandbox are requested ones: it is never away") {
  world w;
  w.calls().silent = true;
  for (int i = 0; i < 12; ++i) {
    w.send(w.create("pay_" + std::to_string(i), "k" + std::to_string(i)));
    w.advance(600ms);
  }
  w.advance(11s);
  w.calls().silent = false;
  CHECK(w.ask(w.create("pay_next", "next")) == "create authorized 0/0");
}
