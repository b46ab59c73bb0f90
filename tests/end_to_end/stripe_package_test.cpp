// Stripe's own library signs notifications as Stripe does, and the gateway accepts them unchanged.
#include <catch2/catch.hpp>

#include "npm_package.hpp"
#include "stripe_fixture.hpp"
#include "text.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

struct told_event {
  std::string body;
  std::string secret = stripe_process::webhook_secret;
  std::chrono::seconds ago{0};
};

/// The header Stripe-Signature for each.
std::vector<std::string> signed_by_package(const std::filesystem::path& folder, const std::vector<told_event>& events) {
  std::string lines;
  for (const auto& each : events)
    lines +=
        object{}.set("body", each.body).set("secret", each.secret).set("ago", each.ago.count()).text().append("\n");
  const auto said = run_command({"node", "sign.mjs"}, lines, {{}, {}, folder});
  if (said.code != 0) throw std::runtime_error("sign.mjs: " + said.err);
  auto headers = lines_of(said.out);
  REQUIRE(headers.size() == events.size());
  return headers;
}

/// An event about a paid payment: Stripe's metadata names the payment, and a text that is not ASCII is signed in its
/// bytes.
std::string event_about(const stripe_shop& s, const std::string& payment, const std::string& id) {
  return stripe_event(
      s.connected, "checkout.session.completed",
      object{}
          .set("id", "cs_test_1")
          .set("object", "checkout.session")
          .set("client_reference_id", "№ 1001 – „Bücher“ 📚")
          .set("metadata", object{}.set("gateway_merchant", s.account.id).set("gateway_payment", payment))
          .text(),
      false, id);
}

}  // namespace

TEST_CASE("stripe: what Stripe's own library signs is accepted and applied, and refused with one byte changed") {
  std::filesystem::path folder;
  try {
    folder = npm_package("stripe");
  } catch (const std::runtime_error& why) {
    WARN("NOT RUN: the npm package stripe cannot be installed: " << why.what());
    return;
  }
  auto& on = shared_stripe(GENERATE(from_range(stores())));
  stripe_shop s{on};
  auto browser = on.gateway.connect();
  // The stand-in's own events are lost: only those below can settle the payment.
  on.stripe.notifies(on.gateway, object{}.set("lose", 1));
  const auto payment = new_payment_id(), event = "evt_" + random_hex(12);
  const auto made = s.merchant.create(redirect_payment(payment, "USD"));
  REQUIRE(summary_of(made) == "200 processing");
  CHECK(on.stripe.click(json::parse(made.body)["provider.hosted_url"].text(), "pay").status == 303);

  const told_event genuine{event_about(s, payment, event)};
  auto foreign = genuine, old = genuine;
  foreign.secret = "whsec_" + random_hex(24);
  old.ago = 301s;
  const auto headers = signed_by_package(folder, {genuine, foreign, old});

  auto changed = genuine.body;
  changed.replace(changed.find("1001"), 4, "1002");
  auto later = headers[0];
  later[3] = later[3] == '9' ? '8' : '9';
  auto forged = headers[0];
  forged.back() = forged.back() == '0' ? '1' : '0';
  struct row {
    const char* what;
    const std::string& body;
    const std::string& header;
  };
  const row refused[] = {{"another body", changed, headers[0]},
                         {"another time", genuine.body, later},
                         {"another signature", genuine.body, forged},
                         {"another secret", genuine.body, headers[1]},
                         {"five minutes and a second ago", genuine.body, headers[2]}};
  for (const auto& [what, body, header] : refused) {
    CAPTURE(what);
    const auto answer = notify_of_stripe(browser, body, header);
    CHECK((answer.status >= 400 && answer.status < 500));
  }
  CHECK(notifications(on.gateway, event).empty());
  CHECK(s.merchant.state_of(payment) == "processing");

  CHECK(notify_of_stripe(browser, genuine.body, headers[0]).status == 200);
  CHECK(s.comes_to(payment, "captured"));
  const auto kept = notifications(on.gateway, event);
  REQUIRE(kept.size() == 1);
  CHECK(kept.front()["state"] == "applied");
  on.stripe.notifies(on.gateway, object{}.set("lose", 0));
}
