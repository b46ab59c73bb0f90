// Ten tasks that merchants do all day, in a real browser, each with the number of its clicks and pages. A task begins
// at the overview, signed in. Clicks on links, buttons and folds count, typing does not; every page that the browser
// loads counts.
#include <catch2/catch.hpp>

#include <chrono>

#include "browser.hpp"
#include "paths.hpp"
#include "subscribing.hpp"
#include "text.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;

namespace {

/// The most that a task may take.
struct task_limit {
  std::string_view task;
  int clicks, pages;
};
/// The limit is the documented path of a well-known product, where one was found: Stripe's Dashboard for payments and
/// people, Svix's App Portal for webhooks. There a menu or a dialog counts as a page, because it must be read and
/// answered like one. Where no path was found, the limit is what the portal takes, so that it does not grow.
constexpr task_limit limits[] = {
    // No single path is documented: the list, a filter by status, by day and by customer.
    {"find a customer's failed payments of a day", 3, 3},
    // docs.svix.com, Replaying Messages: endpoint, Options, Recover Failed Messages, a time window, confirm.
    {"resend what an endpoint missed", 5, 4},
    // Stripe, refunds: Payments, the payment's menu, Refund payment, a reason, Refund.
    {"refund a part with a reason", 5, 4},
    // No path is documented: the endpoint, the message, its answer.
    {"find why a webhook fails", 3, 3},
    // No path is documented.
    {"rotate a destination's secret", 4, 3},
    // No path is documented.
    {"add a destination", 2, 2},
    // No path is documented. One of the pages asks before it revokes.
    {"revoke a key", 3, 3},
    // Stripe, Start a team: Settings, Team, New member, a role, Send invites.
    {"invite a person", 5, 4},
    // Stripe, cancel subscriptions: Subscriptions, the subscription, Actions, Cancel subscription, when, confirm.
    {"cancel a subscription", 6, 4},
    // Stripe, export payments: Payments, Export, the range of dates, its end, Export. The last click loads the file.
    {"export a month of payments", 5, 3}};

gateway_options with_one_attempt() {
  gateway_options options;
  options.arguments = {"--webhook-attempts=1"};  // failed deliveries are not retried
  return options;
}

/// A merchant with payments, a subscription and a server that takes webhooks, and its owner's browser.
struct merchant_day {
  gateway_process gateway{with_one_attempt()};
  subscribing shop{gateway};
  webhook_receiver hooks;
  browser eyes;
  api program{gateway, shop.shop.live};
  int clicks = 0, pages = 0;

  merchant_day() {
    set_route(gateway, shop.shop.id, "sandbox", "EUR,HKD", "card,recurring_card", "live");
    add_person(gateway, shop.shop.id, "mia@lantern.example");
    eyes.open(gateway.base_url() + "/portal/sign-in");
    eyes.type("#email", "mia@lantern.example");
    eyes.type("#password", std::string{owner_password});
    eyes.click("button[value=sign-in]");
    REQUIRE(eyes.arrives_at(url("")));
  }

  std::string url(const std::string& page) const {
    return gateway.base_url() + "/portal/" + shop.shop.id + "/live/" + page;
  }
  std::string pay(const std::string& method, const std::string& customer) {
    const auto id = new_payment_id();
    program.create(server_payment(id, method).set("customer_name", customer));
    return id;
  }

  /// Does the task from the overview on, and checks what it took.
  template <class Steps>
  void task(std::string_view name, Steps steps) {
    CAPTURE(name);
    const auto limit = std::ranges::find(limits, name, &task_limit::task);
    REQUIRE(limit != std::end(limits));
    eyes.open(url(""));
    clicks = pages = 0;
    steps();
    CAPTURE(clicks, pages);
    CHECK(clicks <= limit->clicks);
    CHECK(pages <= limit->pages);
    eyes.screenshot(work_folder() / ("task-" + std::to_string(limit - std::begin(limits)) + ".png"));
  }
  /// A click that loads a page.
  void follow(const std::string& selector) {
    eyes.click(selector);
    ++clicks;
    ++pages;
  }
  void go_to(const std::string& place) { follow("nav.places a[href$='/live/" + place + "']"); }
  void press(const std::string& action) { follow("button[value=" + action + "]"); }
  void unfold(const std::string& action) {
    eyes.click("details:has(button[value=" + action + "]) > summary");
    ++clicks;
  }
  void show_days(const std::string& from, const std::string& until) {
    eyes.type("input[name=from]", from);
    eyes.type("input[name=until]", until);
    follow("form[method=get] button");
  }
  bool shows(const std::string& text) { return eyes.text_of("main").find(text) != std::string::npos; }
};

std::string text_of_day(std::chrono::year_month_day day) {
  // As a person of the browser's locale, en-US, types it into the field.
  char text[16];
  std::snprintf(text, sizeof text, "%02u%02u%04d", static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                static_cast<int>(day.year()));
  return text;
}

void do_webhook_tasks(merchant_day& d) {
  d.hooks.answers("/hooks", webhook_answer{500, {}, "out of paper"});
  d.task("add a destination", [&] {
    d.go_to("destinations");
    d.eyes.type("input[name=url]", d.hooks.url());
    d.press("add");
    CHECK(d.shows("whsec_"));
  });
  const auto paid = d.pay("pm_card_visa", "Ada Wong");
  REQUIRE(summary_of(d.program.capture(paid)) == "200 captured");
  REQUIRE(d.hooks.comes_to(1));
  REQUIRE(eventually([&] {
    d.eyes.open(d.url("destinations"));
    d.eyes.click("a[href*='/destinations/dest_']");
    return d.shows("Failed");
  }));
  d.task("find why a webhook fails", [&] {
    d.go_to("destinations");
    d.follow("a[href*='/destinations/dest_']");
    d.follow("a[href*='/deliveries/']");
    CHECK(d.shows("Answered 500"));
    CHECK(d.shows("out of paper"));
  });
  d.hooks.answers("/hooks", webhook_answer{});
  const auto before = d.hooks.count();
  d.task("resend what an endpoint missed", [&] {
    d.go_to("destinations");
    d.follow("a[href*='/destinations/dest_']");
    d.press("redeliver-failed");
    CHECK(d.hooks.comes_to(before + 1));
  });
  d.task("rotate a destination's secret", [&] {
    d.go_to("destinations");
    d.follow("a[href*='/destinations/dest_']");
    d.unfold("rotate");
    d.press("rotate");
    CHECK(d.shows("whsec_"));
  });
}

void do_payment_tasks(merchant_day& d) {
  // The payments are of today: a test cannot wait until they are of yesterday, and the steps are the same.
  const auto today =
      std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  const auto failed = d.pay("pm_card_chargeDeclined", "Eve Chan");
  const auto others = d.pay("pm_card_chargeDeclined", "Ada Wong"), paid = d.pay("pm_card_visa", "Eve Chan");
  REQUIRE(summary_of(d.program.capture(paid)) == "200 captured");
  d.task("find a customer's failed payments of a day", [&] {
    d.go_to("payments");
    d.follow("nav.tabs a[href*='state=failed']");
    d.eyes.type("input[name=q]", "Eve Chan");
    d.show_days(text_of_day(today), text_of_day(today));
    CHECK(d.shows(failed));
    CHECK_FALSE(d.shows(others));
    CHECK_FALSE(d.shows(paid));
  });
  d.task("refund a part with a reason", [&] {
    d.go_to("payments");
    d.follow("a[href$='/payments/" + paid + "']");
    d.unfold("refund");
    d.eyes.clear("input[name=amount]");
    d.eyes.type("input[name=amount]", "10.50");
    d.eyes.type("input[name=reason]", "one of three was torn");
    d.press("refund");
    CHECK(d.program.payment(paid)["refunded_total"] == 1050);
    CHECK(d.shows("one of three was torn"));
  });
  d.task("export a month of payments", [&] {
    const std::chrono::year_month_day first{today.year(), today.month(), std::chrono::day{1}};
    const std::chrono::year_month_day last{today.year() / today.month() / std::chrono::last};
    d.go_to("payments");
    d.show_days(text_of_day(first), text_of_day(last));
    // A click on it loads a file and no page, for which click() would wait.
    CHECK(d.eyes.text_of("nav.pager a[href*='payments.csv'][href*='from='][href*='until=']") == "Download as CSV");
    ++d.clicks;
  });
}

void do_other_tasks(merchant_day& d) {
  const auto key = mint_key(d.gateway, d.shop.shop.id, "live").key_id;
  d.task("revoke a key", [&] {
    d.go_to("keys");
    d.follow("form:has(input[value='" + key + "']) button[value=revoke]");
    d.press("revoke");
    CHECK(d.eyes.url() == d.url("keys?done=revoke"));
  });
  d.task("invite a person", [&] {
    d.go_to("team");
    d.eyes.type("input[name=email]", "vic@lantern.example");
    d.press("invite");
    CHECK(d.shows("vic@lantern.example"));
  });
  const auto box = d.shop.subscribe(subscribing::new_id());
  REQUIRE(eventually([&] { return d.shop.status(box) == "active"; }));
  d.task("cancel a subscription", [&] {
    d.go_to("subscriptions");
    d.follow("a[href$='/subscriptions/" + box + "']");
    d.unfold("cancel");
    d.press("cancel");
    CHECK(d.shop.status(box) == "canceled");
  });
}

}  // namespace

TEST_CASE("ten tasks of a merchant take no more clicks and pages than the products that people know") {
  merchant_day d;
  do_webhook_tasks(d);
  do_payment_tasks(d);
  do_other_tasks(d);
}
