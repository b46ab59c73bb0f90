// What merchants' endpoints receive: every event of a payment, after its commit, signed, in the envelope of
// docs/served/events.md.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "destinations.hpp"
#include "hosted_page.hpp"
#include "paths.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using words = std::vector<std::string>;

struct shop {
  gateway_process& gateway;
  merchant_account account;
  api merchant;
  webhook_receiver receiver;

  explicit shop(store_kind store, const merchant_options& settings = {})
      : gateway{shared_gateway(store)}, account{new_merchant(gateway, settings)}, merchant{gateway, account.test} {}

  webhook_destination add_destination(const std::string& path = "/hooks", const std::string& events = {},
                                      const std::string& mode = "test") {
    return set_destination(gateway, account, receiver.url(path), mode, events);
  }
  /// Makes a captured payment.
  std::string captured() {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id))) == "200 authorized");
    REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
    return id;
  }
  std::string declined() {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id, "pm_card_chargeDeclined"))) == "200 failed");
    return id;
  }
};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos && text.size() <= 16;
}

std::vector<std::string> types_at(const webhook_receiver& receiver, const std::string& path) {
  std::vector<std::string> types;
  for (const auto& post : receiver.posts(path)) types.push_back(post.type());
  std::ranges::sort(types);
  return types;
}

/// A gateway on which a delivery has one attempt, unless an operator redelivers it.
gateway_options of_one_attempt(store_kind store) {
  gateway_options options;
  options.store = store;
  options.arguments = {"--webhook-attempts=1"};
  return options;
}

}  // namespace

TEST_CASE("a capture arrives at the merchant's endpoint with the specification's headers, signature and envelope") {
  shop s{GENERATE(from_range(stores()))};
  const auto to = s.add_destination();
  CHECK(to.id.starts_with("dest_"));
  CHECK(to.secret.size() >= 32);
  const auto id = new_payment_id();
  const auto payment = server_payment(id).raw("metadata", R"({"order":"1001","note":"Grüße, \"books\" 📚"})");
  REQUIRE(summary_of(s.merchant.create(payment)) == "200 authorized");
  REQUIRE(summary_of(s.merchant.capture(id)) == "200 captured");

  const auto post = s.receiver.wait_for("payment.captured", id);
  CHECK(post.header("User-Agent") == "Service-Webhooks/1");
  CHECK(post.header("Content-Type") == "application/json");
  CHECK(post.header("Host") == endpoint::of_url(s.receiver.url()).authority());
  CHECK(is_number(post.delivery()));
  CHECK(signature_fault(post, to.secret) == "");
  const auto signature = read_signature(post.header("X-Service-Signature").value_or(""));
  REQUIRE(signature);
  CHECK(signature->by.size() == 1);
  CHECK_FALSE(signed_by(post, to.secret + "0"));

  const auto envelope = post.envelope();
  CHECK(envelope.names() == words{"id", "type", "created", "merchant", "data"});
  CHECK(envelope["id"].text().starts_with("evt_"));
  CHECK(envelope["type"] == "payment.captured");
  CHECK(is_timestamp_in_millis(envelope["created"].text()));
  CHECK(std::abs(seconds_until(envelope["created"].text())) < 30);
  CHECK(envelope["merchant"].names() == words{"id", "entity_id"});
  CHECK(envelope["merchant.id"] == s.account.id);
  CHECK(envelope["merchant.entity_id"] == s.account.entity_id);
  const auto data = envelope["data"];
  CHECK(data["payment_id"] == id);
  CHECK(data["state"] == "captured");
  CHECK(data["amount"] == 4200);
  CHECK(data["currency"] == "HKD");
  CHECK(data["metadata.order"] == "1001");
  CHECK(data["metadata.note"] == "Grüße, \"books\" 📚");
  for (const auto* other : {"refunded_amount", "failure_code", "failure_category", "customer_ref"})
    CHECK_FALSE(data[other].present());
  // The timeline shows the same time.
  CHECK(json::parse(s.merchant.timeline(id).body)["timeline"].at(2)["occurred_at"] == envelope["created"].text());
}

TEST_CASE("refunds carry the cumulative amount, and each event is sent once") {
  shop s{GENERATE(from_range(stores()))};
  const auto to = s.add_destination();
  const auto id = s.captured();
  REQUIRE(summary_of(s.merchant.refund(id, 1000)) == "200 partially_refunded");
  REQUIRE(summary_of(s.merchant.refund(id, 200)) == "200 partially_refunded");
  REQUIRE(summary_of(s.merchant.refund(id)) == "200 refunded");
  REQUIRE(s.receiver.comes_to(4));
  // Deliveries may arrive out of order, so they are sorted by amount.
  auto posts = s.receiver.posts();
  std::ranges::sort(posts, {}, [](const auto& post) {
    const auto amount = post.envelope()["data.refunded_amount"];
    return amount.present() ? amount.number() : 0;
  });
  const struct {
    const char* type;
    const char* state;
    std::int64_t refunded;
  } expected[] = {{"payment.captured", "captured", 0},
                  {"payment.partially_refunded", "partially_refunded", 1000},
                  {"payment.partially_refunded", "partially_refunded", 1200},
                  {"payment.refunded", "refunded", 4200}};
  std::set<std::string> events, deliveries;
  for (std::size_t i = 0; i < posts.size(); ++i) {
    CAPTURE(posts[i].body);
    const auto envelope = posts[i].envelope();
    CHECK(envelope["type"] == expected[i].type);
    CHECK(envelope["data.state"] == expected[i].state);
    CHECK(envelope["data.amount"] == 4200);
    if (i > 0) CHECK(envelope["data.refunded_amount"] == expected[i].refunded);
    CHECK(signature_fault(posts[i], to.secret) == "");
    events.insert(envelope["id"].text());
    deliveries.insert(posts[i].delivery());
  }
  CHECK(events.size() == 4);
  CHECK(deliveries.size() == 4);
}

TEST_CASE("a failure carries its code and category") {
  shop s{GENERATE(from_range(stores()))};
  s.add_destination();
  for (const auto& [token, code, category] : {std::array{"pm_card_chargeDeclined", "card_declined", "provider"},
                                              std::array{"pm_card_riskBlocked", "risk_blocked", "risk"},
                                              std::array{"pm_card_accountInvalid", "account_invalid", "auth"}}) {
    CAPTURE(token);
    const auto id = new_payment_id();
    REQUIRE(summary_of(s.merchant.create(server_payment(id, token))) == "200 failed");
    const auto data = s.receiver.wait_for("payment.failed", id).envelope()["data"];
    CHECK(data["state"] == "failed");
    CHECK(data["failure_code"] == code);
    CHECK(data["failure_category"] == category);
    CHECK_FALSE(data["refunded_amount"].present());
    CHECK_FALSE(data["metadata"].present());
  }
}

TEST_CASE("a wallet merchant's failure stays neutral, and its captures name no provider") {
  shop s{GENERATE(from_range(stores())), {"Bazaar", "wallet", "", false}};
  s.add_destination();
  for (const std::string action : {"decline", "pay"}) {
    const auto id = new_payment_id();
    const auto created = s.merchant.create(redirect_payment(id, "PKR").set("payment_method_type", "pkr_wallet"));
    REQUIRE(summary_of(created) == "200 processing");
    hosted_page{s.gateway, json::parse(created.body)["provider.hosted_url"].text()}.act(action);
    const auto post = s.receiver.wait_for(action == "pay" ? "payment.captured" : "payment.failed", id);
    CAPTURE(post.body);
    CHECK(post.body.find("sandbox") == std::string::npos);
    CHECK(post.envelope()["data.currency"] == "PKR");
    if (action == "decline") CHECK(post.envelope()["data.failure_code"] == "PAYMENT_DECLINED");
  }
}

TEST_CASE("two destinations get the same event under its one id, each in a delivery of its own") {
  shop s{GENERATE(from_range(stores()))};
  const auto first = s.add_destination("/first"), second = s.add_destination("/second");
  CHECK(first.id != second.id);
  CHECK(first.secret != second.secret);
  const auto id = s.captured();
  const auto one = s.receiver.wait_for("payment.captured", id, "/first"),
             other = s.receiver.wait_for("payment.captured", id, "/second");
  CHECK(one.event() == other.event());
  CHECK(one.body == other.body);
  CHECK(one.delivery() != other.delivery());
  CHECK(signature_fault(one, first.secret) == "");
  CHECK(signature_fault(other, second.secret) == "");
  CHECK_FALSE(signed_by(one, second.secret));
}

TEST_CASE("a void is sent only where it is listed, and a list excludes everything else") {
  shop s{GENERATE(from_range(stores()))};
  s.add_destination("/default");
  s.add_destination("/voids", "payment.voided");
  s.add_destination("/some", "payment.voided,payment.refunded");
  s.add_destination("/succeeded", "payment.succeeded");  // the name of a capture for platforms
  const auto voided = new_payment_id();
  REQUIRE(summary_of(s.merchant.create(server_payment(voided))) == "200 authorized");
  REQUIRE(summary_of(s.merchant.void_payment(voided)) == "200 voided");
  const auto id = s.captured();
  REQUIRE(summary_of(s.merchant.refund(id)) == "200 refunded");
  REQUIRE(s.receiver.comes_to(2, "/default"));
  REQUIRE(s.receiver.comes_to(1, "/voids"));
  REQUIRE(s.receiver.comes_to(2, "/some"));
  REQUIRE(s.receiver.comes_to(1, "/succeeded"));
  std::this_thread::sleep_for(200ms);
  CHECK(types_at(s.receiver, "/default") == words{"payment.captured", "payment.refunded"});
  CHECK(types_at(s.receiver, "/voids") == words{"payment.voided"});
  CHECK(types_at(s.receiver, "/some") == words{"payment.refunded", "payment.voided"});
  CHECK(types_at(s.receiver, "/succeeded") == words{"payment.captured"});
  CHECK(s.receiver.posts("/voids").front().envelope()["data.state"] == "voided");
}

TEST_CASE("test and live are kept apart, and so are merchants: a destination gets its own events only") {
  shop s{GENERATE(from_range(stores())), {"Lantern Books", "standard", "", true}};
  shop neighbour{s.gateway.store()};
  s.add_destination("/test");
  s.add_destination("/live", {}, "live");
  set_destination(s.gateway, neighbour.account, s.receiver.url("/neighbour"));
  api live{s.gateway, s.account.live};
  const auto id = new_payment_id();  // the same id in both
  for (auto* caller : {&s.merchant, &live})
    REQUIRE(summary_of(caller->create(server_payment(id, "pm_card_riskBlocked"))) == "200 failed");
  const auto in_test = s.receiver.wait_for("payment.failed", id, "/test"),
             in_live = s.receiver.wait_for("payment.failed", id, "/live");
  CHECK(in_test.event() != in_live.event());
  CHECK(in_test.delivery() != in_live.delivery());
  std::this_thread::sleep_for(200ms);
  CHECK(s.receiver.count("/test") == 1);
  CHECK(s.receiver.count("/live") == 1);
  CHECK(s.receiver.count("/neighbour") == 0);
}

TEST_CASE("a gateway that dies before it knows the answer delivers again, under the same number, the same bytes") {
  const auto store = GENERATE(from_range(stores()));
  gateway_process gateway{{.store = store}};
  const auto account = new_merchant(gateway);
  webhook_receiver receiver;
  const auto to = set_destination(gateway, account, receiver.url());
  receiver.answers("/hooks", [](const webhook_post&, unsigned attempt) {
    return attempt <= 2 ? webhook_answer{.how = webhook_answer::ending::hang} : webhook_answer{};
  });
  api merchant{gateway, account.test};
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(
              server_payment(id, "pm_card_riskBlocked").raw("metadata", R"({"b":"2","a":"1"})"))) == "200 failed");
  for (std::size_t deaths = 1; deaths <= 2; ++deaths) {
    REQUIRE(receiver.comes_to(deaths));
    gateway.kill();
    gateway.start();
  }
  REQUIRE(receiver.comes_to(3));
  CHECK(deliveries_come_to(gateway, to.id, "delivered", 1));
  const auto posts = receiver.posts();
  for (const auto& post : posts) {
    CHECK(post.delivery() == posts.front().delivery());
    CHECK(post.body == posts.front().body);
    CHECK(signature_fault(post, to.secret) == "");
  }
}

TEST_CASE("a start among many merchants delivers what was open and what was pending, as if it had never stopped") {
  gateway_options options;
  options.store = GENERATE(from_range(stores()));
  options.arguments = {"--provider-timeout=500ms", "--reconcile-first=1s", "--reconcile-interval=100ms"};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  webhook_receiver receiver;
  const auto to = set_destination(gateway, account, receiver.url());
  receiver.answers("/hooks", webhook_answer{.how = webhook_answer::ending::hang});
  api merchant{gateway, account.test};
  REQUIRE(summary_of(merchant.create(server_payment(new_payment_id(), "pm_card_riskBlocked"))) == "200 failed");
  REQUIRE(receiver.comes_to(1));
  std::vector<std::string> open;
  for (int i = 0; i < 5; ++i) {
    open.push_back(new_payment_id());
    REQUIRE(merchant.create(server_payment(open.back(), "pm_card_timeoutDeclined")).status == 502);
    gateway.kill();
    gateway.start();
  }
  gateway.kill();
  // Many merchants make the start's reading take a moment.
  for (const std::string letter : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"})
    gateway.sql(
        "INSERT INTO merchants (merchant_id, entity_id, name, entity_kind, owner_email, created_at) SELECT"
        " REPLACE(merchant_id, 'merch_', 'merch_" +
        letter + "'), entity_id, name, entity_kind, owner_email, created_at FROM merchants;");
  receiver.answers("/hooks", webhook_answer{});
  std::this_thread::sleep_for(1'100ms);
  gateway.start();
  for (const auto& id : open) receiver.wait_for("payment.failed", id);
  CHECK(left_undelivered(gateway, account) == words{});
  CHECK(audit_deliveries(gateway, account, "test", {{receiver, to}}).broken == words{});
}

TEST_CASE("a drain lets attempts that are under way end, and cuts off hanging ones, which the next start repeats") {
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  const auto account = new_merchant(gateway);
  webhook_receiver receiver;
  const auto slow = set_destination(gateway, account, receiver.url("/slow"));
  const auto hung = set_destination(gateway, account, receiver.url("/hung"));
  receiver.answers("/slow", webhook_answer{.delay = 700ms});
  receiver.answers("/hung", webhook_answer{.how = webhook_answer::ending::hang});
  api merchant{gateway, account.test};
  REQUIRE(summary_of(merchant.create(server_payment(new_payment_id(), "pm_card_riskBlocked"))) == "200 failed");
  REQUIRE(receiver.comes_to(1, "/slow"));
  REQUIRE(receiver.comes_to(1, "/hung"));
  CHECK(gateway.terminate() == exit_result{0, 0});
  receiver.answers("/hung", webhook_answer{});
  gateway.start();
  CHECK(receiver.comes_to(2, "/hung"));
  CHECK(deliveries_come_to(gateway, hung.id, "delivered", 1));
  CHECK(deliveries_come_to(gateway, slow.id, "delivered", 1));
  CHECK(receiver.count("/slow") == 1);
}

TEST_CASE("retries to a platform follow its schedule, with the same number, the same bytes and a fresh signature") {
  const auto store = GENERATE(from_range(stores()));
  gateway_process gateway{{.store = store}};
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", "", true});
  webhook_receiver receiver;
  const auto to = set_destination(gateway, account, receiver.url(), "live");
  const auto in_test = set_destination(gateway, account, receiver.url("/test"), "test");
  turn_into_platform(gateway, in_test.id);
  turn_into_platform(gateway, to.id);
  receiver.answers("/hooks", [](const webhook_post&, unsigned attempt) {
    if (attempt == 1) return webhook_answer{.status = 503, .headers = {{"Retry-After", "3"}}, .body = "busy"};
    return webhook_answer{.status = attempt == 2 ? 404 : 204};
  });
  api live{gateway, account.live}, test{gateway, account.test};
  const auto id = new_payment_id();
  REQUIRE(summary_of(live.create(server_payment(id))) == "200 authorized");
  REQUIRE(summary_of(live.capture(id)) == "200 captured");
  REQUIRE(summary_of(test.create(server_payment(id, "pm_card_riskBlocked"))) == "200 failed");
  REQUIRE(receiver.comes_to(3, "/hooks"));

  const auto posts = receiver.posts();
  const auto seconds = [&](std::size_t n) {
    return std::chrono::duration<double>(posts[n].at - posts[n - 1].at).count();
  };
  // Checks that no retry is early; a slow machine may delay it. tests/actors/webhook_platform_test.cpp tests the
  // schedule in virtual time.
  CHECK(seconds(1) >= 2.95);  // it would be 1 s if the answer had not asked for more
  CHECK(seconds(2) >= 4.95);
  for (const auto& post : posts) {
    CHECK(post.type() == "payment.succeeded");
    CHECK(post.delivery() == posts.front().delivery());
    CHECK(post.body == posts.front().body);
    CHECK(signature_fault(post, to.secret) == "");
  }
  CHECK(read_signature(*posts[0].header("X-Service-Signature"))->at <
        read_signature(*posts[2].header("X-Service-Signature"))->at);
  CHECK(receiver.count("/test") == 0);
  CHECK(deliveries_come_to(gateway, to.id, "delivered", 1));
}

TEST_CASE(
    "Retry-After is honoured up to twelve hours when it is longer than the schedule, and never shortens the schedule") {
  const auto store = GENERATE(from_range(stores()));
  struct request {
    const char* path;
    std::string retry_after;
    double least, most;  ///< seconds from the attempt to the next
  };
  for (const auto& [path, retry_after, least, most] :
       {request{"/hour", "3600", 3'590, 3'601}, request{"/days", "172800", 12 * 3'600 - 10, 12 * 3'600 + 1},
        request{"/hurry", "1", 20, 31}, request{"/nonsense", "soon", 20, 31},
        request{"/date", "Fri, 31 Dec 2100 23:59:59 GMT", 12 * 3'600 - 10, 12 * 3'600 + 1}}) {
    CAPTURE(path);
    shop each{store};
    each.receiver.answers(path, webhook_answer{.status = 429, .headers = {{"Retry-After", retry_after}}});
    const auto to = each.add_destination(path);
    each.declined();
    REQUIRE(eventually([&] {
      const auto all = deliveries_to(each.gateway, to.id, "pending");
      return all.size() == 1 && all.front()["attempts"] == 1;
    }));
    const auto row = deliveries_to(each.gateway, to.id).front();
    CHECK(row["last_status"] == 429);
    const auto pause = seconds_until(row["next_attempt_at"].text()) - seconds_until(row["last_attempt_at"].text());
    CHECK(pause > least);
    CHECK(pause < most);
  }
}

TEST_CASE("a redirect is a refusal and is not followed") {
  shop s{GENERATE(from_range(stores()))};
  for (const int status : {301, 302, 303, 307, 308}) {
    const auto path = "/moved" + std::to_string(status);
    s.receiver.answers(path, webhook_answer{.status = status, .headers = {{"Location", s.receiver.url("/elsewhere")}}});
    const auto to = s.add_destination(path);
    s.declined();
    REQUIRE(eventually([&] {
      const auto all = deliveries_to(s.gateway, to.id, "pending");
      return all.size() == 1 && all.front()["last_status"] == status;
    }));
    CHECK(deliveries_to(s.gateway, to.id).front()["last_result"] == "rejected");
    s.gateway.ctl({"destination", "disable", to.id});
  }
  CHECK(s.receiver.count("/elsewhere") == 0);
}

TEST_CASE(
    "endpoints that close, hang or send nonsense are distinguished, and a failed attempt is kept with its answer") {
  auto options = of_one_attempt(GENERATE(from_range(stores())));
  options.arguments.insert(options.arguments.end(), {"--webhook-answer-timeout=2s", "--webhook-connect-timeout=10s"});
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  api merchant{gateway, account.test};
  webhook_receiver receiver, gone, secure{webhook_receiver::protocol::https};
  receiver.answers("/close", webhook_answer{.how = webhook_answer::ending::close});
  receiver.answers("/hang", webhook_answer{.how = webhook_answer::ending::hang});
  receiver.answers("/error", webhook_answer{.status = 500,
                                            .body = "<h1>Internal\tServer \xff Error</h1>" + std::string(1'000, 'x')});
  receiver.answers("/created", webhook_answer{.status = 201});
  receiver.answers("/long", webhook_answer{.status = 200, .body = std::string(1'000'000, 'x')});
  struct endpoint_of {
    std::string url, result, status;
    std::string id = {};
  };
  std::vector<endpoint_of> all{{receiver.url("/close"), "unreachable", "null"},
                               {receiver.url("/hang"), "answer_timeout", "null"},
                               {receiver.url("/error"), "rejected", "500"},
                               {receiver.url("/created"), "delivered", "201"},
                               {receiver.url("/long"), "delivered", "200"},
                               {gone.url(), "unreachable", "null"},
                               {"https" + receiver.url().substr(4), "tls_failed", "null"},
                               {secure.url(), "tls_failed", "null"}};
  for (auto& each : all) each.id = set_destination(gateway, account, each.url).id;
  gone.stop();
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(id, "pm_card_riskBlocked"))) == "200 failed");
  for (const auto& each : all) {
    CAPTURE(each.url);
    REQUIRE(eventually([&] {
      return deliveries_to(gateway, each.id, "pending").empty() && deliveries_to(gateway, each.id).size() == 1;
    }));
    const auto row = deliveries_to(gateway, each.id).front();
    CHECK(row["status"] == (each.result == "delivered" ? "delivered" : "failed"));
    CHECK(row["attempts"] == 1);
    CHECK(row["last_result"] == each.result);
    CHECK(row["last_status"].dump() == each.status);
    CHECK(row["next_attempt_at"].dump() == "null");
    CHECK(is_timestamp_in_millis(row["last_attempt_at"].text()));
    if (each.result == "answer_timeout") CHECK(row["last_took_ms"].number() >= 2'000);
    if (each.status == "500") {
      CHECK(row["last_answer"].text().starts_with("<h1>Internal Server \xef\xbf\xbd Error</h1>xxx"));
      CHECK(row["last_answer"].text().size() <= 256);
    }
  }
  CHECK(gateway.log().find("delivery_failed") != std::string::npos);
}

TEST_CASE("an endpoint behind TLS gets webhooks if its certificate is signed by an authority that the operator named") {
  const auto store = GENERATE(from_range(stores()));
  webhook_receiver secure{webhook_receiver::protocol::https};
  gateway_options options;
  options.store = store;
  options.arguments = {"--webhook-ca-file=" + secure.certificate().string()};
  gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  const auto to = set_destination(gateway, account, secure.url());
  api merchant{gateway, account.test};
  for (std::size_t i = 1; i <= 3; ++i) {
    REQUIRE(summary_of(merchant.create(server_payment(new_payment_id(), "pm_card_riskBlocked"))) == "200 failed");
    REQUIRE(secure.comes_to(i));
  }
  for (const auto& post : secure.posts()) CHECK(signature_fault(post, to.secret) == "");
  CHECK(deliveries_come_to(gateway, to.id, "delivered", 3));
}

TEST_CASE("during a secret's rotation both secrets sign, and without an overlap the new one alone") {
  shop s{GENERATE(from_range(stores()))};
  const auto to = s.add_destination();
  const auto rotated = s.gateway.ctl({"destination", "rotate-secret", to.id});
  const auto fresh = rotated["secret"].text();
  CHECK(rotated["destination_id"] == to.id);
  CHECK(fresh != to.secret);
  const auto both = s.receiver.wait_for("payment.failed", s.declined());
  CHECK(read_signature(*both.header("X-Service-Signature"))->by.size() == 2);
  CHECK(signature_fault(both, fresh) == "");
  CHECK(signature_fault(both, to.secret) == "");
  const auto until = shown_destination(s.gateway, to.id)["previous_secret_until"].text();
  CHECK(seconds_until(until) > 23 * 3600);
  CHECK(seconds_until(until) < 25 * 3600);

  const auto last = s.gateway.ctl({"destination", "rotate-secret", to.id, "--overlap-hours", "0"})["secret"].text();
  const auto alone = s.receiver.wait_for("payment.failed", s.declined());
  CHECK(read_signature(*alone.header("X-Service-Signature"))->by.size() == 1);
  CHECK(signature_fault(alone, last) == "");
  CHECK_FALSE(signed_by(alone, fresh));
}

TEST_CASE("secrets are sealed on disk, survive a restart, and are shown once") {
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  const auto account = new_merchant(gateway);
  webhook_receiver receiver;
  const auto to = set_destination(gateway, account, receiver.url());
  const auto fresh = gateway.ctl({"destination", "rotate-secret", to.id})["secret"].text();
  gateway.kill();
  gateway.start();
  api merchant{gateway, account.test};
  REQUIRE(summary_of(merchant.create(server_payment(new_payment_id(), "pm_card_riskBlocked"))) == "200 failed");
  REQUIRE(receiver.comes_to(1));
  const auto post = receiver.posts().front();
  CHECK(signature_fault(post, fresh) == "");
  CHECK(signature_fault(post, to.secret) == "");
  const auto rows = gateway.sql("SELECT * FROM destinations;"), list = gateway.run_ctl({"destination", "list"}).out;
  for (const auto& secret : {to.secret, fresh}) {
    CHECK(rows.find(secret) == std::string::npos);
    CHECK(rows.find(secret.substr(secret.find('_') + 1)) == std::string::npos);
    CHECK(list.find(secret) == std::string::npos);
    CHECK(gateway.log().find(secret) == std::string::npos);
  }
}
