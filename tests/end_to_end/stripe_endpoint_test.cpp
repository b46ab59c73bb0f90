// The operator's commands about the endpoint at Stripe that sends events to the gateway, against Stripe's stand-in.
#include <catch2/catch.hpp>

#include "stripe_fixture.hpp"

using namespace gateway::e2e;

TEST_CASE("stripe: the endpoint for notifications is registered once, and checked") {
  stripe_process stripe;
  const auto store = GENERATE(from_range(stores()));
  const gateway_process gateway{beside(stripe, store)};
  const auto ctl = [&](const std::string& command) {
    return gateway.ctl({"provider", command, "stripe", "--mode", "test"});
  };
  CHECK(gateway.run_ctl({"provider", "check", "stripe", "--mode", "test"}).code == 1);  // it is not configured
  configure_stripe(gateway, stripe);

  const auto fault = gateway.run_ctl({"provider", "check", "stripe", "--mode", "test"});
  CHECK(fault.code == 1);
  auto seen = json::parse(fault.out);
  CHECK(seen["ok"] == false);
  CHECK(seen["problems"].size() == 1);
  CHECK(seen["problems"].at(0).text().find("register-notifications") != std::string::npos);

  const auto made = ctl("register-notifications");
  CHECK(made["status"] == "made");
  CHECK(made["secret"] == "stored");
  CHECK(made["endpoint"].text().starts_with("we_"));
  seen = ctl("check");
  CHECK(seen["ok"] == true);
  CHECK(seen["endpoint"] == made["endpoint"].text());
  CHECK(seen["missing_types"].size() == 0);

  const auto again = ctl("register-notifications");
  CHECK(again["status"] == "unchanged");
  CHECK(again["endpoint"] == made["endpoint"].text());
  CHECK(again["secret"] == "stored");

  // The settings are replaced by those that the operator has, so the gateway no longer knows the secret's endpoint.
  configure_stripe(gateway, stripe);
  const auto replaced = ctl("register-notifications");
  CHECK(replaced["status"] == "unchanged");
  CHECK(replaced["secret"] == "unknown");
  CHECK(replaced["note"].text().find("only when it is made") != std::string::npos);
}
