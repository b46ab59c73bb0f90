// What operators see and do about webhooks: the allowed addresses, the outcome of each delivery, and redelivery.
#include <catch2/catch.hpp>

#include <algorithm>

#include "destinations.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using words = std::vector<std::string>;

gateway_options of_one_attempt(store_kind store) {
  gateway_options options;
  options.store = store;
  options.operator_listener = true;
  options.arguments = {"--webhook-attempts=1"};
  return options;
}

struct fixture {
  gateway_process gateway;
  merchant_account account = new_merchant(gateway);
  api merchant{gateway, account.test};
  webhook_receiver receiver;

  explicit fixture(store_kind store) : gateway{of_one_attempt(store)} {}

  std::string declined() {
    const auto id = new_payment_id();
    REQUIRE(summary_of(merchant.create(server_payment(id, "pm_card_riskBlocked"))) == "200 failed");
    return id;
  }
  words ids(const std::string& destination, const std::string& status = {}) const {
    words list;
    for (const auto& row : deliveries_to(gateway, destination, status)) list.push_back(row["id"].dump());
    return list;
  }
};

/// Checks for one line and exit 1; returns the line.
std::string refusal(const gateway_process& gateway, const words& command) {
  const auto result = gateway.run_ctl(command);
  CAPTURE(result.out, result.err);
  CHECK(result.code == 1);
  CHECK(result.out.empty());
  CHECK(std::ranges::count(result.err, '\n') == 1);
  CHECK(result.err.size() > 10);
  CHECK(result.err.size() < 400);
  return result.err;
}

std::string refused_url(const gateway_process& gateway, const merchant_account& merchant, const std::string& url) {
  return refusal(gateway, {"destination", "set", "--merchant", merchant.id, "--mode", "test", "--url", url});
}

/// The value of one sample, by its full name with labels; -1 if it is not there.
double sample(const gateway_process& gateway, const std::string& name) {
  for (const auto& line : lines_of(plain_http(gateway.operator_address(), {"GET", "/metrics", {}, {}}).body))
    if (line.starts_with(name + ' ')) return std::stod(line.substr(name.size() + 1));
  return -1;
}

bool has_lines_about(const gateway_process& gateway, const std::string& event, const std::string& who) {
  const auto log = lines_of(gateway.log());
  return std::ranges::any_of(log, [&](const auto& line) {
    return line.find('"' + event + '"') != line.npos && line.find(who) != line.npos && line.find("\"warn") != line.npos;
  });
}

}  // namespace

TEST_CASE(
    "nothing may be sent to internal addresses: special addresses and plain http are refused, an unresolved name is "
    "not") {
  auto options = gateway_options{};
  options.dev = false;
  const gateway_process gateway{options};
  const auto account = new_merchant(gateway);
  for (const std::string url : {"https://127.0.0.1/hooks",
                                "https://127.8.9.10:8443/hooks",
                                "https://localhost/hooks",
                                "https://[::1]/hooks",
                                "https://[::ffff:127.0.0.1]/hooks",
                                "https://10.0.0.1/hooks",
                                "https://172.16.3.4/hooks",
                                "https://192.168.1.1/hooks",
                                "https://169.254.169.254/latest/meta-data/",
                                "https://[fe80::1]/hooks",
                                "https://[fd00::1]/hooks",
                                "https://0.0.0.0/hooks",
                                "https://[::]/hooks",
                                "https://100.64.0.1/hooks",
                                "https://224.0.0.1/hooks",
                                "https://255.255.255.255/hooks",
                                "https://[::ffff:10.0.0.1]/hooks",
                                "https://[64:ff9b::10.0.0.1]/hooks",
                                "http://93.184.215.14/hooks",
                                "http://127.0.0.1/hooks",
                                "https://2130706433/hooks",
                                "https://0x7f.1/hooks",
                                "https://127.1/hooks"}) {
    CAPTURE(url);
    CHECK(refused_url(gateway, account, url).find("url") != std::string::npos);
  }
  CHECK(gateway.ctl({"destination", "list"})["destinations"].size() == 0);
  CHECK_NOTHROW(set_destination(gateway, account, "https://nobody.invalid/hooks"));
}

TEST_CASE("in development webhooks may go to loopback, also in plain text, and to no other internal address") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  const auto account = new_merchant(gateway);
  const webhook_receiver receiver;
  CHECK_NOTHROW(set_destination(gateway, account, receiver.url()));
  const auto port = std::to_string(endpoint::of_url(receiver.url()).port);
  CHECK_NOTHROW(set_destination(gateway, account, "http://localhost:" + port + "/local"));
  CHECK_NOTHROW(set_destination(gateway, account, "https" + receiver.url("/tls").substr(4)));
  for (const std::string url : {"https://10.0.0.1/hooks", "https://169.254.169.254/", "http://192.168.1.1/hooks",
                                "http://93.184.215.14/hooks", "https://[fe80::1]/hooks", "https://0.0.0.0/hooks"}) {
    CAPTURE(url);
    refused_url(gateway, account, url);
  }
}

TEST_CASE("an invalid URL, event type, merchant or destination is refused in one line") {
  auto& gateway = shared_gateway(store_kind::sqlite);
  const auto account = new_merchant(gateway);
  const webhook_receiver receiver;
  for (const std::string url :
       {"hooks", "ftp://127.0.0.1/hooks", "https://", "https:///hooks", "https://user:secret@shop.example/hooks",
        "http://127.0.0.1:99999/hooks", "http://127.0.0.1/hooks#part", "http://127.0.0.1/a b", "javascript:alert(1)"}) {
    CAPTURE(url);
    refused_url(gateway, account, url);
  }
  refused_url(gateway, account, receiver.url("/" + std::string(3'000, 'x')));
  const auto set = [&](const std::string& merchant, const std::string& events) {
    return refusal(gateway, {"destination", "set", "--merchant", merchant, "--mode", "test", "--url", receiver.url(),
                             "--events", events});
  };
  CHECK(set(account.id, "payment.captured,payment.painted").find("payment.painted") != std::string::npos);
  CHECK(set("merch_nobody", "payment.captured").find("merch_nobody") != std::string::npos);
  const auto platform =
      refusal(gateway, {"destination", "set", "--platform", "plat_nobody", "--mode", "test", "--url", receiver.url()});
  CHECK(platform.find("plat_nobody") != std::string::npos);
  for (const auto& command :
       {words{"destination", "enable", "dest_nobody"}, words{"destination", "disable", "dest_nobody"},
        words{"destination", "rotate-secret", "dest_nobody"}, words{"delivery", "show", "1"},
        words{"delivery", "redeliver", "1"}, words{"delivery", "redeliver", "--destination", "dest_nobody"},
        words{"event", "list", "--merchant", "merch_nobody"}}) {
    CAPTURE(command);
    refusal(gateway, command);
  }
  for (const auto& command : {words{"destination", "set", "--merchant", account.id, "--mode", "test"},
                              words{"destination", "set", "--mode", "test", "--url", receiver.url()},
                              words{"destination", "set", "--merchant", account.id, "--platform", "plat_1", "--mode",
                                    "test", "--url", receiver.url()},
                              words{"delivery", "redeliver"}, words{"delivery", "show", "one"},
                              words{"delivery", "list", "--status", "lost"}}) {
    CAPTURE(command);
    CHECK(gateway.run_ctl(command).code == 2);
  }
}

TEST_CASE("a destination that is set again keeps its id and secret, takes the new events, and is enabled") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto account = new_merchant(gateway, {"Lantern Books", "standard", "", true});
  const webhook_receiver receiver;
  const auto first = set_destination(gateway, account, receiver.url());
  CHECK(gateway.ctl({"destination", "disable", first.id, "--reason", "moving house"})["status"] == "disabled");
  auto seen = shown_destination(gateway, first.id);
  CHECK(seen["status"] == "disabled");
  CHECK(seen["disabled_reason"] == "moving house");
  const auto again = set_destination(gateway, account, receiver.url(), "test", "payment.voided,payment.captured");
  CHECK(again.id == first.id);
  CHECK(again.secret == first.secret);
  seen = shown_destination(gateway, first.id);
  CHECK(seen["status"] == "enabled");
  CHECK(seen["disabled_reason"] == "");
  CHECK(seen["events"].size() == 2);
  CHECK(seen["kind"] == "merchant");
  CHECK(seen["owner"] == account.id);
  CHECK(seen["mode"] == "test");
  CHECK(seen["url"] == receiver.url());
  const auto other = set_destination(gateway, account, receiver.url("/other"));
  const auto live = set_destination(gateway, account, receiver.url(), "live");
  CHECK(other.id != first.id);
  CHECK(live.id != first.id);
  const auto list = [&](words more) {
    words command{"destination", "list", "--merchant", account.id};
    command.insert(command.end(), more.begin(), more.end());
    return gateway.ctl(command)["destinations"].size();
  };
  CHECK(list({}) == 3);
  CHECK(list({"--mode", "test"}) == 2);
  CHECK(list({"--mode", "live"}) == 1);
}

// tests/actors/webhook_test.cpp tests in virtual time that answers of 410 for a minute disable the destination.
TEST_CASE("an endpoint that answers 410 three times in a moment stays enabled, and a re-enabled one gets what waited") {
  fixture s{store_kind::sqlite};
  s.receiver.answers("/hooks", webhook_answer{.status = 410});
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  for (int i = 0; i < 3; ++i) s.declined();
  REQUIRE(eventually([&] { return s.receiver.count() == 3; }));
  CHECK(shown_destination(s.gateway, to.id)["status"] == "enabled");
  // An attempt is recorded some milliseconds after its answer.
  CHECK(eventually([&] { return deliveries_to(s.gateway, to.id).front()["last_result"] == "gone"; }));
  CHECK(deliveries_to(s.gateway, to.id).front()["last_status"] == 410);
  const auto fourth = s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "failed", 4));
  CHECK(shown_destination(s.gateway, to.id)["status"] == "enabled");
  CHECK(s.gateway.ctl({"destination", "disable", to.id, "--reason", "answers 410"})["status"] == "disabled");

  s.receiver.answers("/hooks", webhook_answer{});
  const auto before = s.receiver.count();
  const auto fifth = s.declined();
  std::this_thread::sleep_for(300ms);
  CHECK(s.receiver.count() == before);
  CHECK(s.ids(to.id, "pending").size() == 1);
  // The destination stays disabled over a restart.
  s.gateway.kill();
  s.gateway.start();
  CHECK(shown_destination(s.gateway, to.id)["status"] == "disabled");
  CHECK(s.receiver.count() == before);

  CHECK(s.gateway.ctl({"destination", "enable", to.id})["status"] == "enabled");
  s.receiver.wait_for("payment.failed", fifth);
  // The other deliveries had one attempt only, and can be redelivered.
  const auto failed = s.ids(to.id, "failed");
  CHECK(failed.size() == 4);
  for (const auto& id : failed) CHECK(s.gateway.ctl({"delivery", "redeliver", id})["redelivered"] == 1);
  s.receiver.wait_for("payment.failed", fourth);
  CHECK(deliveries_come_to(s.gateway, to.id, "delivered", 5));
}

TEST_CASE("a failed delivery is kept, and redelivered at an operator's command") {
  fixture s{GENERATE(from_range(stores()))};
  s.receiver.answers("/hooks", webhook_answer{.status = 500, .body = "out of paper"});
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  const auto id = s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "failed", 1));
  const auto number = s.ids(to.id).front();
  CHECK(number == s.receiver.posts().front().delivery());

  // This attempt fails, too.
  CHECK(s.gateway.ctl({"delivery", "redeliver", number})["redelivered"] == 1);
  REQUIRE(s.receiver.comes_to(2));
  REQUIRE(deliveries_come_to(s.gateway, to.id, "failed", 1));
  CHECK(deliveries_to(s.gateway, to.id).front()["attempts"] == 2);

  s.receiver.answers("/hooks", webhook_answer{});
  s.gateway.kill();
  s.gateway.start();
  CHECK(s.gateway.ctl({"delivery", "redeliver", number})["redelivered"] == 1);
  REQUIRE(deliveries_come_to(s.gateway, to.id, "delivered", 1));
  const auto posts = s.receiver.posts();
  REQUIRE(posts.size() == 3);
  for (const auto& post : posts) {
    CHECK(post.delivery() == number);
    CHECK(post.body == posts.front().body);
    CHECK(signature_fault(post, to.secret) == "");
  }

  const auto shown = s.gateway.ctl({"delivery", "show", number});
  CHECK(shown["id"].dump() == number);
  CHECK(shown["destination_id"] == to.id);
  CHECK(shown["event_id"] == posts.front().event());
  CHECK(shown["type"] == "payment.failed");
  CHECK(shown["status"] == "delivered");
  CHECK(shown["attempts"] == 3);
  CHECK(shown["last_status"] == 200);
  CHECK(shown["payment_id"] == id);
  CHECK(shown["event"].dump() == json::parse(posts.front().body).dump());
  // A delivered one may be redelivered, too.
  CHECK(s.gateway.ctl({"delivery", "redeliver", number})["redelivered"] == 1);
  CHECK(s.receiver.comes_to(4));
}

TEST_CASE("all failed deliveries of a destination within a time range are redelivered, and no others") {
  fixture s{GENERATE(from_range(stores()))};
  s.receiver.answers("/hooks", webhook_answer{.status = 500});
  s.receiver.answers("/other", webhook_answer{.status = 500});
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  const auto other = set_destination(s.gateway, s.account, s.receiver.url("/other"));
  for (int i = 0; i < 3; ++i) s.declined();
  // The command takes whole seconds: a new second begins between these payments and those.
  const auto before = timestamp();
  REQUIRE(eventually([&] { return timestamp() != before; }));
  const auto middle = timestamp();
  for (int i = 0; i < 4; ++i) s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "failed", 7));
  REQUIRE(deliveries_come_to(s.gateway, other.id, "failed", 7));
  s.receiver.answers("/hooks", webhook_answer{});
  s.receiver.answers("/other", webhook_answer{});
  s.declined();
  REQUIRE(deliveries_come_to(s.gateway, to.id, "delivered", 1));

  const words all{"delivery", "redeliver", "--destination", to.id};
  const auto within = [&](words more) {
    auto command = all;
    command.insert(command.end(), more.begin(), more.end());
    return s.gateway.ctl(command)["redelivered"].number();
  };
  CHECK(within({"--from", timestamp(-2h), "--until", timestamp(-1h)}) == 0);
  CHECK(within({"--until", middle}) == 3);
  CHECK(deliveries_come_to(s.gateway, to.id, "delivered", 4));
  CHECK(within({"--from", middle, "--until", timestamp(1h)}) == 4);
  CHECK(deliveries_come_to(s.gateway, to.id, "delivered", 8));
  CHECK(within({}) == 0);
  CHECK(s.receiver.count() == 7 + 1 + 7);
  CHECK(s.ids(other.id, "failed").size() == 7);
}

TEST_CASE("delivery list, delivery show and event list answer as the contract says, newest first and page by page") {
  fixture s{GENERATE(from_range(stores()))};
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  words payments;
  for (int i = 0; i < 5; ++i) payments.push_back(s.declined());
  REQUIRE(deliveries_come_to(s.gateway, to.id, "delivered", 5));
  s.gateway.ctl({"destination", "disable", to.id});
  payments.push_back(s.declined());
  REQUIRE(deliveries_come_to(s.gateway, to.id, "pending", 1));

  const auto rows = deliveries_to(s.gateway, to.id);
  REQUIRE(rows.size() == 6);
  CHECK(rows.front()["status"] == "pending");
  CHECK(is_timestamp_in_millis(rows.front()["next_attempt_at"].text()));
  CHECK(rows.front()["last_status"].dump() == "null");
  CHECK(rows.front()["attempts"] == 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    for (const auto* name :
         {"id", "destination_id", "event_id", "type", "status", "attempts", "next_attempt_at", "last_status"}) {
      CAPTURE(name);
      CHECK(row[name].present());
    }
    CHECK(row["destination_id"] == to.id);
    CHECK(row["payment_id"] == payments[payments.size() - 1 - i]);
    CHECK(row["type"] == "payment.failed");
    if (i > 0) CHECK(row["id"].number() < rows[i - 1]["id"].number());
    if (i > 0) CHECK(row["next_attempt_at"].dump() == "null");
    if (i > 0) CHECK(row["last_status"] == 200);
    if (i > 0) CHECK(row["attempts"] == 1);
    // Concurrent deliveries may arrive in any order.
    if (i > 0)
      CHECK(row["event_id"] == s.receiver.wait_for("payment.failed", payments[payments.size() - 1 - i]).event());
  }
  const auto second = rows[1]["id"].dump();
  const auto page =
      s.gateway.ctl({"delivery", "list", "--destination", to.id, "--limit", "2", "--before", second})["deliveries"];
  REQUIRE(page.size() == 2);
  CHECK(page.at(0)["id"].dump() == rows[2]["id"].dump());
  CHECK(page.at(1)["id"].dump() == rows[3]["id"].dump());

  const auto events = s.gateway.ctl({"event", "list", "--merchant", s.account.id})["events"];
  REQUIRE(events.size() == 6);
  CHECK(events.at(0)["payment_id"] == payments.back());
  CHECK(events.at(0)["id"] == rows[0]["event_id"].text());
  CHECK(events.at(0)["type"] == "payment.failed");
  CHECK(events.at(0)["mode"] == "test");
  CHECK(is_timestamp_in_millis(events.at(0)["created"].text()));
  CHECK(events.at(0)["data.failure_code"] == "risk_blocked");
  CHECK(s.gateway.ctl({"event", "list", "--merchant", s.account.id, "--payment", payments[2]})["events"].size() == 1);
  CHECK(s.gateway.ctl({"event", "list", "--merchant", s.account.id, "--mode", "live"})["events"].size() == 0);
  CHECK(s.gateway.ctl({"event", "list", "--merchant", s.account.id, "--limit", "2"})["events"].size() == 2);
}

TEST_CASE(
    "metrics of each destination: what waits and for how long, what is under way, results of attempts, the breaker") {
  fixture s{GENERATE(from_range(stores()))};
  const auto good = set_destination(s.gateway, s.account, s.receiver.url("/good"));
  const auto bad = set_destination(s.gateway, s.account, s.receiver.url("/bad"));
  const auto hung = set_destination(s.gateway, s.account, s.receiver.url("/hung"));
  s.receiver.answers("/bad", webhook_answer{.status = 500});
  s.receiver.answers("/hung", webhook_answer{.how = webhook_answer::ending::hang});
  for (int i = 0; i < 12; ++i) s.declined();
  REQUIRE(deliveries_come_to(s.gateway, good.id, "delivered", 12));
  REQUIRE(deliveries_come_to(s.gateway, bad.id, "failed", 12));
  const auto of = [&](const std::string& metric, const webhook_destination& to, const std::string& more = {}) {
    return sample(s.gateway, "gateway_webhook_" + metric + "{destination=\"" + to.id + "\"" + more + "}");
  };
  CHECK(of("attempts_total", good, ",result=\"delivered\"") == 12);
  CHECK(of("attempts_total", bad, ",result=\"rejected\"") == 12);
  // Gauges are updated every few seconds.
  CHECK(eventually(
      [&] { return of("pending", hung) == 12 && of("in_flight", hung) >= 1 && of("oldest_seconds", hung) > 0; }));
  CHECK(of("pending", good) == 0);
  CHECK(of("pending", bad) == 0);
  CHECK(of("in_flight", good) == 0);
  CHECK(of("breaker", good) == 0);
  CHECK(of("breaker", hung) == 0);
  CHECK(sample(s.gateway, "gateway_webhook_workers_busy") >= 1);
  CHECK(sample(s.gateway, "gateway_webhook_worker_restarts_total") == 0);
  CHECK(sample(s.gateway, "gateway_webhook_commit_to_arrival_seconds_count") == 12);
  CHECK(sample(s.gateway, "gateway_webhook_attempt_seconds_count") == 24);
}

TEST_CASE("a destination that keeps failing is paused for a while, and reported in log and metrics") {
  fixture s{store_kind::sqlite};
  s.receiver.answers("/hooks", webhook_answer{.status = 500});
  const auto to = set_destination(s.gateway, s.account, s.receiver.url());
  const auto breaker = "gateway_webhook_breaker{destination=\"" + to.id + "\"}";
  std::size_t made = 0;
  // The breaker opens after many failures in a row, over some seconds.
  CHECK(eventually([&] {
    s.declined();
    made += 1;
    return sample(s.gateway, breaker) >= 1;
  }));
  CHECK(has_lines_about(s.gateway, "destination_is_failing", to.id));
  for (int i = 0; i < 5; ++i) s.declined();
  made += 5;
  CHECK(s.receiver.count() < made);
  // Except for an occasional probe.
  CHECK(eventually([&] {
    const auto posts = s.receiver.count();
    return posts < made && s.ids(to.id, "pending").size() == made - posts;
  }));
  s.receiver.answers("/hooks", webhook_answer{});
  CHECK(deliveries_come_to(s.gateway, to.id, "pending", 0));
  CHECK(eventually([&] { return sample(s.gateway, breaker) == 0; }));
  CHECK(s.gateway.log().find("destination_is_back") != std::string::npos);
}
