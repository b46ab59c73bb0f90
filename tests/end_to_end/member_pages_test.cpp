// The portal's pages of a merchant, over HTTP: what an owner sees and does, by the same commands as the API.
#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

#include "counter.hpp"
#include "destinations.hpp"
#include "landing_site.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;

TEST_CASE(
    "a refund from the portal is the API's refund: one for each form, in the timeline, sent by webhook, recorded") {
  counter c;
  const webhook_receiver hooks;
  set_destination(c.gateway, c.shop, hooks.url());
  const auto id = c.captured_payment(server_payment(new_payment_id()).set("description", "Two books"));
  c.owner.open(c.page("payments/" + id));
  CHECK(c.owner.answer().status == 200);
  CHECK(c.shows("HKD 42.00"));
  CHECK(c.shows("Two books"));
  CHECK(c.shows("payment.captured"));

  for (const std::string wrong : {"", "0", "-1", "1.234", "42.01", "ten", "1,000"}) {
    CAPTURE(wrong);
    c.owner.open(c.page("payments/" + id));
    CHECK(c.owner.click("refund", {{"amount", wrong}, {"reason", "wrong"}}).status == 422);
    CHECK(json::parse(c.client.view(id).body)["refunded_total"].number() == 0);
  }
  c.owner.open(c.page("payments/" + id));
  c.owner.click("refund", {{"amount", "10.50"}, {"reason", "damaged"}});
  CHECK(c.owner.at() == c.page("payments/" + id) + "?done=refund");
  CHECK(c.shows("The refund was made."));
  CHECK(json::parse(c.client.view(id).body)["refunded_total"].number() == 1050);
  CHECK(hooks.wait_for("payment.partially_refunded", id).envelope()["data.refunded_amount"].number() == 1050);
  CHECK(c.audited("refund").find(id) != std::string::npos);
}

TEST_CASE("a money form that is sent twice moves money once") {
  counter c;
  const auto id = c.captured_payment(server_payment(new_payment_id()));
  c.owner.open(c.page("payments/" + id));
  const auto body = c.owner.answer().body;
  const auto token = c.owner.csrf();
  const std::regex keys{"name=\"key\"\\s+value=\"([0-9a-f-]{36})\""};
  std::smatch found;
  REQUIRE(std::regex_search(body, found, keys));
  const auto form = "csrf=" + token + "&action=refund&amount=5.00&reason=&key=" + found[1].str();
  for (int i = 0; i < 3; ++i) CHECK(c.owner.post(c.page("payments/" + id), form).status == 303);
  CHECK(json::parse(c.client.view(id).body)["refunded_total"].number() == 500);
  // The same key with another amount is another request.
  CHECK(c.owner.post(c.page("payments/" + id), "csrf=" + token + "&action=refund&amount=6.00&key=" + found[1].str())
            .status == 422);
  CHECK(json::parse(c.client.view(id).body)["refunded_total"].number() == 500);
}

TEST_CASE("an authorized payment is captured or voided from its page, which then has no such buttons") {
  counter c;
  for (const std::string verb : {"capture", "void"}) {
    const auto id = new_payment_id();
    REQUIRE(summary_of(c.client.create(server_payment(id))) == "200 authorized");
    c.owner.open(c.page("payments/" + id));
    c.owner.click(verb);
    CHECK(c.owner.answer().status == 200);
    CHECK(c.client.state_of(id) == (verb == "capture" ? "captured" : "voided"));
    const auto left = c.owner.actions();
    CHECK(std::find(left.begin(), left.end(), "capture") == left.end());
    CHECK(std::find(left.begin(), left.end(), "void") == left.end());
  }
}

TEST_CASE(
    "payments are filtered, searched, paged without gaps or repeats, and exported as a file that equals the list") {
  counter c;
  std::vector<std::string> ids;
  for (int i = 0; i < 120; ++i) {
    const auto id = new_payment_id();
    REQUIRE(c.client
                .create(server_payment(id, i % 10 == 0 ? "pm_card_chargeDeclined" : "pm_card_visa")
                            .set("currency", i % 3 == 0 ? "EUR" : "HKD"))
                .status < 500);
    ids.push_back(id);
  }
  const auto listed = [&](const std::string& query) {
    std::vector<std::string> all;
    auto at = c.page("payments") + (query.empty() ? "" : "?" + query);
    for (int pages = 0; pages < 20; ++pages) {
      REQUIRE(c.owner.open(at).status == 200);
      const std::regex links{"href=\"[^\"]*/payments/(pay_[A-Za-z0-9_-]+)\""};
      const auto& html = c.owner.html();
      for (auto m = std::sregex_iterator{html.begin(), html.end(), links}; m != std::sregex_iterator{}; ++m)
        if (all.empty() || all.back() != (*m)[1].str()) all.push_back((*m)[1].str());
      const auto older = found_in(html, "cursor=[A-Za-z0-9_-]+");
      if (older.empty()) break;
      at = c.page("payments") + '?' + (query.empty() ? "" : query + '&') + older;
    }
    return all;
  };
  auto all = listed("");
  CHECK(all.size() == 120);
  std::sort(all.begin(), all.end());
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  CHECK(all == sorted);
  CHECK(listed("state=failed").size() == 12);
  CHECK(listed("currency=EUR").size() == 40);
  CHECK(listed("currency=eur&state=failed").size() == 4);
  CHECK(listed("from=2020-01-01&until=2020-12-31").empty());
  CHECK(listed("q=" + ids[7]) == std::vector<std::string>{ids[7]});
  const auto ref = json::parse(c.client.view(ids[8]).body)["provider.provider_ref"].text();
  CHECK(listed("q=" + percent_encode(ref)) == std::vector<std::string>{ids[8]});
  CHECK(listed("q=nothing").empty());
  CHECK(c.owner.open(c.page("payments?from=yesterday")).status == 422);
  CHECK(c.owner.open(c.page("payments?cursor=..%2F..")).status == 200);

  c.owner.open(c.page("payments.csv?currency=EUR"));
  CHECK(c.owner.answer().header("Content-Type") == "text/csv; charset=utf-8");
  const auto& csv = c.owner.answer().body;
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 41);
  CHECK(csv.starts_with("\xef\xbb\xbfpayment_id,"));
}

TEST_CASE("customers' and merchants' text is plain text on every page, and never a formula in a file") {
  counter c;
  const std::string evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
  auto metadata = object{}.set("k", evil);
  const auto id = c.captured_payment(server_payment(new_payment_id())
                                         .set("description", "=HYPERLINK(\"https://evil.example\")" + evil)
                                         .set("metadata", metadata));
  c.owner.open(c.page("payments/" + id));
  CHECK(c.shows(evil));
  CHECK(c.owner.answer().body.find("<script") == std::string::npos);
  CHECK(c.owner.answer().body.find("<img") == std::string::npos);
  c.owner.open(c.page("payments?q=" + percent_encode(evil)));
  CHECK(c.owner.answer().body.find("<script") == std::string::npos);
  // A spreadsheet that splits cells at semicolons, for example, would see a cell that begins with the formula.
  c.captured_payment(server_payment(new_payment_id()).set("description", "tea;=1+1,@SUM(A1)\n -2\t+3 \"=4\" a-b=c"));
  c.owner.open(c.page("payments.csv"));
  const auto& csv = c.owner.answer().body;
  CHECK(csv.find("\"'=HYPERLINK") != std::string::npos);
  CHECK(csv.find("\"tea;'=1+1,'@SUM(A1)\n '-2\t'+3 \"\"'=4\"\" a-b=c\"") != std::string::npos);
}

TEST_CASE("a key is minted with its secret shown once, works, and is revoked") {
  counter c;
  c.owner.open(c.page("keys"));
  c.owner.click("mint");
  CHECK(c.owner.answer().status == 200);
  const auto id = found_in(c.owner.html(), "mk_test_[0-9A-Za-z]+");
  const auto row = c.gateway.sql("SELECT scopes FROM api_keys WHERE key_id = '" + id + "';");
  CHECK(row.find("payments:write payments:read") != std::string::npos);
  // The page's form token looks like a secret.
  const auto text = c.owner.html();
  std::string works;
  const std::regex digits{"\\b[0-9a-f]{64}\\b"};
  for (auto m = std::sregex_iterator{text.begin(), text.end(), digits}; m != std::sregex_iterator{}; ++m) {
    api fresh{c.gateway, {id, m->str()}};
    if (fresh.get("/v1/payment_intents/pay_none").status == 404) works = m->str();
  }
  CHECK_FALSE(works.empty());
  c.owner.open(c.page("keys"));
  CHECK(c.owner.html().find(works) == std::string::npos);
  CHECK(c.shows(id));
  const auto revoking = "csrf=" + c.owner.csrf() + "&action=revoke&key_id=" + id;
  for (const auto* wrong : {"", "&confirm=", "&confirm=0000"}) {
    CHECK(c.owner.post(c.page("keys"), revoking + wrong).status == 200);
    CHECK(c.shows("Revoke this key?"));
    CHECK(api{c.gateway, {id, works}}.get("/v1/payment_intents/pay_none").status == 404);
  }
  CHECK(c.owner.post_confirmed(c.page("keys"), revoking).status == 303);
  api fresh{c.gateway, {id, works}};
  CHECK(fresh.get("/v1/payment_intents/pay_none").status == 401);
  CHECK(c.audited("mint key").find(id) != std::string::npos);
  CHECK(c.audited("revoke key").find(id) != std::string::npos);
}

TEST_CASE("a destination is added, tried, changed, disabled, enabled, given a new secret and sent to again") {
  counter c;
  const webhook_receiver hooks;
  c.owner.open(c.page("destinations"));
  CHECK(c.owner.click("add", {{"url", "http://192.0.2.1/no"}}).status == 422);
  c.owner.open(c.page("destinations"));
  c.owner.click("add", {{"url", hooks.url()}});
  CHECK(c.owner.answer().status == 200);
  const auto secret = found_in(c.owner.html(), "whsec_[0-9a-f]{64}");
  const auto id = found_in(c.owner.html(), "dest_[0-9a-f]+");
  REQUIRE_FALSE(secret.empty());
  c.owner.open(c.page("destinations"));
  CHECK_FALSE(c.shows(secret));
  c.owner.click("add", {{"url", hooks.url()}});
  CHECK(c.owner.answer().status == 422);
  CHECK_FALSE(c.shows(secret));

  const auto at = c.page("destinations/" + id);
  c.owner.open(at);
  c.owner.click("test");
  REQUIRE(hooks.comes_to(1));
  CHECK(hooks.posts().front().type() == "webhook.test");
  CHECK(signature_fault(hooks.posts().front(), secret) == "");
  REQUIRE(deliveries_come_to(c.gateway, id, "delivered", 1));
  c.owner.open(at);
  CHECK(c.shows("webhook.test"));
  c.owner.click("redeliver");
  REQUIRE(hooks.comes_to(2));
  CHECK(hooks.posts()[1].delivery() == hooks.posts()[0].delivery());

  c.owner.open(at);
  c.owner.click("events", {{"events", "payment.refunded"}, {"events", "payment.captured"}});
  CHECK(shown_destination(c.gateway, id)["events"].dump().find("payment.refunded") != std::string::npos);
  c.owner.open(at);
  CHECK(c.owner.click("events", {{"events", "payment.invented"}}).status == 422);

  c.owner.open(at);
  c.owner.click("disable", {{"reason", "new office"}});
  CHECK(c.shows("Disable this destination?"));
  CHECK(shown_destination(c.gateway, id)["status"].text() == "enabled");
  c.owner.click("disable");
  CHECK(shown_destination(c.gateway, id)["status"].text() == "disabled");
  const auto payment = c.captured_payment(server_payment(new_payment_id()));
  c.owner.open(at);
  CHECK(c.shows("new office"));
  CHECK(hooks.count() == 2);
  c.owner.click("enable");
  CHECK(hooks.wait_for("payment.captured", payment).type() == "payment.captured");

  c.owner.open(at);
  c.owner.click("rotate");
  const auto second = found_in(c.owner.html(), "whsec_[0-9a-f]{64}");
  CHECK(second != secret);
  const auto later = c.captured_payment(server_payment(new_payment_id()));
  const auto reported = hooks.wait_for("payment.captured", later);
  CHECK(signed_by(reported, secret));
  CHECK(signed_by(reported, second));
}

TEST_CASE("people are added to and removed from a team, and the last owner stays") {
  counter c;
  c.owner.open(c.page("team"));
  CHECK(c.owner.click("invite", {{"email", "not an address"}, {"role", "viewer"}}).status == 422);
  c.owner.open(c.page("team"));
  c.owner.click("invite", {{"email", "vic@lantern.example"}, {"role", "viewer"}});
  CHECK(c.owner.answer().status == 200);
  const auto link = found_in(c.owner.html(), "https://[^ \"<]*/portal/invitation\\?token=[A-Za-z0-9_.=-]+");
  REQUIRE_FALSE(link.empty());
  visitor viewer{c.gateway};
  viewer.open(link);
  viewer.click("set-password", {{"password", std::string{owner_password}}});
  CHECK(viewer.at() == "/portal/sign-in");
  CHECK(viewer.html().find("Your password is set.") != std::string::npos);
  CHECK(viewer.html().find("value=\"vic@lantern.example\"") != std::string::npos);
  viewer.open("/portal/sign-in");
  CHECK(viewer.html().find("vic@lantern.example") == std::string::npos);
  counter::enter(viewer, "vic@lantern.example");
  CHECK(viewer.open(c.page("")).status == 200);
  const auto vic = c.gateway.sql("SELECT user_id FROM people WHERE email_key = 'vic@lantern.example';");
  const auto id = found_in(vic, "user_[0-9a-f]+");
  c.owner.open(c.page("team"));
  CHECK(c.owner.click("invite", {{"email", "VIC@lantern.example"}, {"role", "owner"}}).status == 422);

  const auto post = [&](const std::string& fields) {
    c.owner.open(c.page("team"));
    return c.owner.post(c.page("team"), "csrf=" + c.owner.csrf() + '&' + fields).status;
  };
  const auto remove = [&](const std::string& whom) {
    c.owner.open(c.page("team"));
    const auto removing = "csrf=" + c.owner.csrf() + "&action=remove&user_id=" + whom;
    return c.owner.post_confirmed(c.page("team"), removing).status;
  };
  CHECK(post("action=role&role=viewer&user_id=" + c.user) == 422);
  CHECK(remove(c.user) == 422);
  CHECK(post("action=role&role=king&user_id=" + id) == 422);
  CHECK(post("action=role&role=owner&user_id=" + id) == 303);
  viewer.open(c.page("keys"));
  CHECK(viewer.actions().size() > 1);
  CHECK(post("action=role&role=viewer&user_id=" + id) == 303);
  CHECK(post("action=remove&user_id=" + id) == 200);
  CHECK(viewer.open(c.page("")).status == 200);
  CHECK(remove(id) == 303);
  CHECK(viewer.open(c.page("")).status == 404);
  CHECK(c.audited("remove member").find(id) != std::string::npos);

  // The merchant's audit log has it, too, and the list of sessions says where each began.
  c.owner.open(c.page("audit"));
  CHECK(c.owner.answer().status == 200);
  for (const auto* text : {"Remove member", "Invite viewer", "vic@lantern.example", "ada@lantern.example", "127.0.0.1"})
    CHECK(c.shows(text));
  c.owner.open("/portal/account");
  CHECK(c.shows("127.0.0.1"));
}

TEST_CASE("a grant is revoked from the portal, and from then on the platform is refused") {
  counter c;
  const auto platform = new_platform(c.gateway, "front");
  const auto grant = grant_access(c.gateway, platform, "ada@lantern.example", "live");
  counter::enter(c.owner, "ada@lantern.example");
  c.owner.open(c.page("platforms", "live"));
  CHECK(c.shows("Take payments for you"));
  c.owner.click("revoke", {{"reason", "we part"}});
  api by{c.gateway, platform.key};
  CHECK(c.owner.answer().status == 200);
  CHECK(by.get("/v1/payment_intents/pay_none", on_behalf_of(c.shop.id)).status == 404);
  c.owner.click("revoke");
  CHECK(c.owner.answer().status == 200);
  CHECK(by.get("/v1/payment_intents/pay_none", on_behalf_of(c.shop.id)).status == 403);
  CHECK(c.audited("revoke grant").find(grant.id) != std::string::npos);
}

TEST_CASE("a person who comes from a platform reconnects and returns, to the platform's registered origins only") {
  counter c;
  c.gateway.ctl({"platform", "create", "--name", "Shopfront", "--slug", "shopfront", "--contact", "a@shopfront.example",
                 "--redirect-uri", "https://shopfront.example/callback", "--return-origin",
                 "https://app.shopfront.example"});
  const auto link_to = [](const std::string& url) {
    return "/portal/connections?from=shopfront&action=stripe_reconnect&return_url=" + percent_encode(url);
  };
  set_connection(c.gateway, c.shop.id, "sandbox", "unavailable", "live");
  c.owner.open(link_to("https://app.shopfront.example/done?x=1"));
  CHECK(c.owner.answer().status == 200);
  c.owner.click("reconnect");
  c.owner.click("finish");
  CHECK(c.owner.left_for() == "https://app.shopfront.example/done?x=1");

  c.owner.open(link_to("https://app.shopfront.example/again"));
  CHECK(c.owner.left_for().empty());
  c.owner.click("return");
  CHECK(c.owner.left_for() == "https://app.shopfront.example/again");

  for (const std::string foreign : {"https://evil.example/", "http://app.shopfront.example/",
                                    "https://app.shopfront.example.evil.example/", "javascript:alert(1)"}) {
    set_connection(c.gateway, c.shop.id, "sandbox", "not_connected", "live");
    c.owner.open(link_to(foreign));
    c.owner.click("connect");
    c.owner.click("finish");
    CHECK(c.owner.left_for().empty());
    CHECK(c.owner.answer().status == 200);
  }
  for (const std::string plain :
       {"/portal/connections", "/portal/connections?from=nobody&action=stripe_reconnect",
        "/portal/connections?from=shopfront&action=dance&return_url=https%3A%2F%2Fevil.example"})
    CHECK(c.owner.open(plain).status == 200);
}

TEST_CASE("the overview's sums are right, and it lists problems") {
  counter c;
  c.owner.open(c.page(""));
  CHECK(c.owner.answer().status == 200);
  const auto id = c.captured_payment(server_payment(new_payment_id()));
  c.captured_payment(server_payment(new_payment_id()));
  REQUIRE(c.client.refund(id, 1'000).status == 200);
  c.client.create(server_payment(new_payment_id(), "pm_card_chargeDeclined"));
  const auto to = set_destination(c.gateway, c.shop, "http://127.0.0.1:9/hooks");
  c.gateway.ctl({"destination", "disable", to.id, "--reason", "it hurts"});
  set_connection(c.gateway, c.shop.id, "sandbox", "unavailable");
  c.owner.open(c.page(""));
  CHECK(c.shows("HKD 84.00"));
  CHECK(c.shows("HKD 10.00"));
  CHECK(c.shows("66.6%"));
  CHECK(c.shows("it hurts"));
  CHECK(c.shows("/destinations/" + to.id));
  CHECK(c.shows("/connections"));

  // A bar leads to the payments of its day.
  const auto last = c.owner.html().rfind("payments?from=");
  REQUIRE(last != std::string::npos);
  const auto day = c.owner.html().substr(last, c.owner.html().find('"', last) - last);
  CHECK(day.find("&currency=HKD") != std::string::npos);
  c.owner.open(c.page(day));
  CHECK(c.owner.answer().status == 200);
  CHECK(c.shows("/payments/" + id + "\""));
  for (const std::string days : {"7", "14", "30", "90"}) {
    c.owner.open(c.page("?days=" + days + "&currency=HKD"));
    CHECK(c.shows("In the last " + days + " days"));
    CHECK(c.shows("HKD 84.00"));
  }
  c.owner.open(c.page("?days=8&currency=nonsense"));
  CHECK(c.owner.answer().status == 200);
  CHECK(c.shows("In the last 14 days"));
}
