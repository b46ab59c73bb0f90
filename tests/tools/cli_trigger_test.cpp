// What gateway-cli makes to cause each type of event.
#include <catch2/catch.hpp>

#include <map>
#include <sstream>
#include <string>

#include "tools/gateway-cli/trigger.hpp"

using namespace gateway::cli;
using Catch::Contains;
using gateway::event_type;

TEST_CASE("each type of event has requests that cause it, or a reason why a test key cannot cause it") {
  const std::map<std::string, std::string> methods{{"payment.captured", "pm_card_visa"},
                                                   {"payment.failed", "pm_card_chargeDeclined"},
                                                   {"payment.partially_refunded", "pm_card_visa"},
                                                   {"payment.refunded", "pm_card_visa"},
                                                   {"payment.voided", "pm_card_visa"},
                                                   {"dispute.opened", "pm_card_createDispute"}};
  std::size_t possible = 0;
  for (const auto& each : gateway::event_catalogue) {
    CAPTURE(each.name);
    const auto plan = plan_of(each.type);
    CHECK(plan.payment_method.empty() != plan.why_not.empty());
    CHECK(plan.payment_method.empty() == plan.state.empty());
    const auto known = methods.find(std::string{each.name});
    CHECK((known == methods.end() ? std::string{} : known->second) == plan.payment_method);
    possible += plan.payment_method.empty() ? 0 : 1;
  }
  CHECK(possible == methods.size());
}

TEST_CASE("a live key, and a platform's key without the test environment, make nothing") {
  for (const auto& [key_id, environment] :
       {std::pair{"mk_live_1", ""}, {"mk_platform_1", ""}, {"mk_platform_1", "live"}}) {
    // The address refuses connections, so a request would fail with another message.
    api_client client{{"http://127.0.0.1:9", key_id, "secret"}, {"", environment}};
    for (const auto& each : gateway::event_catalogue) {
      std::ostringstream out;
      trigger_options options;
      options.type = each.type;
      CHECK_THROWS_WITH(trigger(client, options, out), Contains("made nothing"));
      CHECK(out.str().empty());
    }
  }
}

TEST_CASE("a type that a test key cannot cause is refused with the reason, and makes nothing") {
  api_client client{{"http://127.0.0.1:9", "mk_test_1", "secret"}, {}};
  for (const auto type :
       {event_type::payment_refund_failed, event_type::dispute_closed, event_type::subscription_invoice_paid}) {
    std::ostringstream out;
    trigger_options options;
    options.type = type;
    options.name = std::string{to_string(type)};
    CHECK_THROWS_WITH(trigger(client, options, out), Contains(options.name) && Contains("gatewayctl sandbox"));
    CHECK(out.str().empty());
  }
}
