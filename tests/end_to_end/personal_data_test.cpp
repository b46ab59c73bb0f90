// Erasure of personal data: afterwards no row, file or free page of the database has them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "subscribing.hpp"
#include "text.hpp"

using namespace gateway::e2e;

namespace {

/// No other text contains one of these.
struct marked_texts {
  std::string run = new_uuid().substr(0, 8);
  std::string name = "NAME-ZQX-" + run;
  std::string email = "mail-zqx-" + run + "@lovelace.example";
  std::string mobile = "+49170" + std::to_string(1'000'000 + std::hash<std::string>{}(run) % 9'000'000);
  std::string description = "DESCRIPTION-ZQX-" + run;
  std::string metadata = "METADATA-ZQX-" + run;
  std::string query = "QUERY-ZQX-" + run;
  std::string answer = "ANSWER-ZQX-" + run;
  std::string reason = "REASON-ZQX-" + run;
  std::string posted = "POSTED-ZQX-" + run;
  std::string words = "WORDS-ZQX-" + run;

  std::vector<std::string> all() const {
    return {name, email, mobile, description, metadata, query, answer, reason, posted, words};
  }
};

object with_texts(object body, const marked_texts& texts) {
  return body.set("description", texts.description)
      .set("customer_name", texts.name)
      .set("customer_email", texts.email)
      .set("customer_mobile", texts.mobile)
      .set("success_url", "https://shop.example/thanks?for=" + texts.query)
      .set("cancel_url", "https://shop.example/back?for=" + texts.query)
      .raw("metadata", R"({"order":")" + texts.metadata + R"("})");
}

/// `table.column` of every column in which one of the texts stands.
std::set<std::string> places_of(const gateway_process& gateway, const std::vector<std::string>& texts) {
  const bool sqlite = gateway.store() == store_kind::sqlite;
  const auto columns =
      gateway.sql(sqlite ? "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                           "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%';"
                         : "SELECT CONCAT(table_name, '.', column_name) FROM information_schema.columns "
                           "WHERE table_schema = DATABASE();");
  std::string queries;
  for (const auto& place : lines_of(columns)) {
    const auto dot = place.find('.');
    queries += "SELECT '" + place + "' FROM `" + place.substr(0, dot) + "` WHERE 0";
    for (const auto& text : texts) queries += " OR INSTR(`" + place.substr(dot + 1) + "`, '" + text + "') > 0";
    queries += " LIMIT 1;\n";
  }
  std::set<std::string> places;
  for (const auto& found : lines_of(gateway.sql(queries))) places.insert(found);
  return places;
}

/// The files of the data directory, other than logs, whose bytes contain one of the texts.
std::set<std::string> files_with(const gateway_process& gateway, const std::vector<std::string>& texts) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{gateway.data_dir()}) {
    if (!entry.is_regular_file() || entry.path().extension() == ".jsonl") continue;
    const auto bytes = read_file(entry.path());
    for (const auto& text : texts)
      if (bytes.find(text) != bytes.npos) files.insert(entry.path().filename().string() + ": " + text);
  }
  return files;
}

/// Payments of others before, between and after, so that rows move between pages of the database's file.
void sell_to_others(api& merchant, int count) {
  for (int i = 0; i < count; ++i) {
    auto body = server_payment(new_payment_id(), i % 5 == 0 ? "pm_card_riskBlocked" : "pm_card_visa");
    body.set("description", std::string(static_cast<std::size_t>(37 * i % 900 + 1), 'o'));
    const auto answer = merchant.create(body);
    REQUIRE(answer.status == 200);
  }
}

std::vector<std::string> whose(const std::string& merchant, const std::string& payment) {
  return {"--merchant", merchant, "--mode", "test", "--payment", payment};
}

std::vector<std::string> personal_data(const std::string& what, const std::vector<std::string>& of) {
  std::vector<std::string> command{"personal-data", what};
  command.insert(command.end(), of.begin(), of.end());
  return command;
}

/// As a provider's post that was applied.
void insert_notification(const gateway_process& gateway, const std::string& about, const std::string& mode,
                         const std::string& posted) {
  const auto id = new_uuid();
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto at = std::to_string(now.time_since_epoch().count());
  gateway.sql(
      "INSERT INTO notifications (environment, notification_id, provider, event_id, event_type, account, body, "
      "state, about, attempts, received_at, settled_at, version) VALUES ('" +
      mode + "', 'stripe:" + id + "', 'stripe', '" + id + "', 'charge.succeeded', '', '{\"id\":\"" + id +
      "\",\"billing_details\":{\"name\":\"" + posted + "\"}}', 'applied', '" + about + "', 1, " + at + ", " + at +
      ", 2);");
}

bool holds_none(const std::string& text, const marked_texts& texts) {
  return std::ranges::none_of(texts.all(), [&](const auto& each) { return text.find(each) != text.npos; });
}

gateway_options quiet_gateway(store_kind store) {
  gateway_options options;
  options.store = store;
  return options;
}

}  // namespace

TEST_CASE("an erased payment's personal data stand nowhere: no row, no free page, no log; the rest stays") {
  gateway_process gateway{quiet_gateway(GENERATE(from_range(stores())))};
  const bool sqlite = gateway.store() == store_kind::sqlite;
  const auto shop = new_merchant(gateway);
  const auto id = new_payment_id();
  const marked_texts texts;
  // No other process may write to the embedded store while the gateway runs.
  gateway.terminate();
  insert_notification(gateway, "payment " + shop.id + "/test/" + id, "test", texts.posted);
  gateway.start();
  api merchant{gateway, shop.test};
  webhook_receiver receiver, broken;
  // Posts of other payments, and of erased ones, are answered without a text.
  const auto is_marked = [&texts](const webhook_post& post) {
    return post.body.find(texts.metadata) != post.body.npos;
  };
  receiver.answers("/hooks", [&](const webhook_post& post, unsigned) {
    return webhook_answer{.status = 200, .body = is_marked(post) ? "Thanks " + texts.answer : "ok"};
  });
  broken.answers("/hooks", [&](const webhook_post& post, unsigned) {
    return is_marked(post) ? webhook_answer{.status = 503, .body = "later, " + texts.answer} : webhook_answer{};
  });
  const auto to = set_destination(gateway, shop, receiver.url());
  const auto down = set_destination(gateway, shop, broken.url());

  sell_to_others(merchant, 60);
  REQUIRE(summary_of(merchant.create(with_texts(server_payment(id), texts))) == "200 authorized");
  REQUIRE(summary_of(merchant.capture(id)).starts_with("200 captured"));
  const auto refund_key = new_uuid();
  const auto refund_body = object{}.set("amount", 1200).set("reason", texts.reason).text();
  REQUIRE(merchant.refund(id, refund_body, {.key = refund_key}).status == 200);
  gateway.ctl({"payment", "record-refund", id, "--merchant", shop.id, "--mode", "test", "--amount", "100",
               "--reference", "by-hand", "--reason", texts.words});
  const auto declined = new_payment_id();
  REQUIRE(summary_of(merchant.create(with_texts(server_payment(declined, "pm_card_riskBlocked"), texts))) ==
          "200 failed");
  sell_to_others(merchant, 60);
  // Of each 60 payments of others 12 fail, and each failure is an event; four events are of the marked payments.
  REQUIRE(deliveries_come_to(gateway, to.id, "delivered", 28));
  REQUIRE(deliveries_come_to(gateway, down.id, "delivered", 24));
  REQUIRE(eventually([&] {
    const auto waiting = deliveries_to(gateway, down.id, "pending");
    return waiting.size() == 4 &&
           std::ranges::all_of(waiting, [](const json& each) { return each["attempts"].number() > 0; });
  }));

  // What the erasure has to find: the list of places.
  const auto before = places_of(gateway, texts.all());
  for (const auto* place : {"payments.details", "payments.records", "events.data", "commands.reason",
                            "deliveries.last_excerpt", "notifications.body", "audit_log.subject"}) {
    INFO(place);
    CHECK(before.contains(place));
  }
  if (sqlite) CHECK_FALSE(files_with(gateway, texts.all()).empty());
  const auto shown_before = merchant.payment(id);
  const auto exported = gateway.run_ctl(personal_data("export", whose(shop.id, id)));
  INFO(exported.err);
  REQUIRE(exported.code == 0);
  for (const auto& each : texts.all()) {
    INFO(each);
    const bool is_operators = each == texts.words;
    CHECK((exported.out.find(each) != std::string::npos || is_operators));
  }

  for (const auto& each : {id, declined}) {
    const auto erased = gateway.run_ctl(personal_data("erase", whose(shop.id, each)));
    INFO(erased.err);
    REQUIRE(erased.code == 0);
    CHECK(json::parse(erased.out)["payments"] == 1);
    CHECK(json::parse(erased.out)["free_pages"] == (sqlite ? "cleared" : "left to the database"));
  }
  CHECK(places_of(gateway, texts.all()) == std::set<std::string>{});
  if (sqlite) CHECK(files_with(gateway, texts.all()) == std::set<std::string>{});

  // Amounts, states and references stay, and each event has its place in the log.
  const auto shown = merchant.payment(id);
  for (const auto* field : {"state", "amount", "currency", "captured_amount", "refunded_amount"}) {
    INFO(field);
    CHECK(shown[field].dump() == shown_before[field].dump());
  }
  CHECK(shown["provider.provider_ref"].dump() == shown_before["provider.provider_ref"].dump());
  CHECK(merchant.refund(id, refund_body, {.key = refund_key}).status == 200);
  const auto events = merchant.get("/v1/events?limit=100");
  CHECK(events.status == 200);
  CHECK(holds_none(events.body, texts));
  CHECK(events.body.find(id) != std::string::npos);

  // Deliveries that wait send the erased event under its id, signed.
  const auto count = broken.count();
  for (const auto& each : deliveries_to(gateway, down.id))
    if (each["payment_id"] == id || each["payment_id"] == declined)
      gateway.ctl({"delivery", "redeliver", each["id"].dump()});
  REQUIRE(deliveries_come_to(gateway, down.id, "delivered", 28));
  const auto posts = broken.posts();
  REQUIRE(posts.size() > count);
  bool seen = false;
  for (auto at = count; at < posts.size(); ++at) {
    CHECK(holds_none(posts[at].body, texts));
    CHECK(signature_fault(posts[at], down.secret).empty());
    seen |= posts[at].body.find(id) != std::string::npos;
  }
  CHECK(seen);

  // The actor that knew the payment writes nothing back, and neither does a restart.
  CHECK(merchant.refund(id, 100).status == 200);
  gateway.terminate();
  gateway.start();
  api again{gateway, shop.test};
  CHECK(holds_none(again.view(id).body + again.timeline(id).body, texts));
  CHECK(places_of(gateway, texts.all()) == std::set<std::string>{});
  if (sqlite) CHECK(files_with(gateway, texts.all()) == std::set<std::string>{});

  // Erasing twice is harmless; the audit log says that it happened, and its chain holds.
  CHECK(gateway.run_ctl(personal_data("erase", whose(shop.id, id))).code == 0);
  const auto log = gateway.run_ctl({"audit", "list", "--merchant", shop.id}).out;
  CHECK(log.find("erase personal data") != log.npos);
  CHECK(holds_none(log, texts));
  CHECK(gateway.run_ctl({"audit", "verify"}).code == 0);
}

TEST_CASE("a platform's customer is erased with all payments and subscriptions; customer_ref stays") {
  gateway_process gateway{quiet_gateway(GENERATE(from_range(stores())))};
  subscribing s{gateway};
  const marked_texts texts;
  const auto id = s.new_id();
  const auto ref = "ref-" + id;
  auto checkout = s.checkout(id);
  checkout.set("description", texts.description).raw("metadata", R"({"order":")" + texts.metadata + R"("})");
  const auto opened = s.open(checkout);
  REQUIRE(opened.status == 200);
  hosted_page page{gateway, json::parse(opened.body)["hosted_url"].text()};
  page.act("pay");
  REQUIRE(eventually([&] { return s.status(id) == "active"; }));
  const auto payment = new_payment_id();
  auto body = with_texts(server_payment(payment), texts).set("currency", "EUR").set("customer_ref", ref);
  body.set("setup_future_usage", "off_session");
  REQUIRE(s.platform.post("/v1/payment_intents", body.text(), s.as()).status == 200);
  const auto before = places_of(gateway, texts.all());
  for (const auto* place : {"payments.details", "subscriptions.document", "enrollments.document", "events.data"}) {
    INFO(place);
    CHECK(before.contains(place));
  }

  const std::vector<std::string> customer{"--platform", s.who.id, "--merchant", s.shop.id, "--customer-ref", ref};
  const auto exported = gateway.ctl(personal_data("export", customer));
  CHECK(exported["customer.customer_ref"] == ref);
  CHECK(exported["subscriptions"].at(0)["description"] == texts.description);
  REQUIRE(exported["payments"].size() >= 2);

  const auto erased = gateway.ctl(personal_data("erase", customer));
  CHECK(erased["payments"].number() == static_cast<std::int64_t>(exported["payments"].size()));
  CHECK(erased["subscriptions"] == 1);
  CHECK(places_of(gateway, texts.all()) == std::set<std::string>{});
  if (gateway.store() == store_kind::sqlite) CHECK(files_with(gateway, texts.all()) == std::set<std::string>{});
  CHECK(s.payment(payment)["customer_ref"] == ref);
  CHECK(s.platform.get("/v1/customers/by_ref?ref=" + percent_encode(ref), s.as()).status == 200);

  // The next cycle brings nothing back.
  s.move({id, "--merchant", s.shop.id, "--cycle", "paid"});
  CHECK(places_of(gateway, texts.all()) == std::set<std::string>{});
  CHECK(gateway.run_ctl(personal_data("erase", customer)).code == 0);
  const auto unknown = gateway.run_ctl(
      personal_data("erase", {"--platform", s.who.id, "--merchant", s.shop.id, "--customer-ref", "nobody"}));
  CHECK(unknown.code == 1);
}

TEST_CASE("a payment that waits for its customer is not erased: the refusal names the reason, and nothing changes") {
  gateway_process& gateway = shared_gateway(GENERATE(from_range(stores())));
  const auto shop = new_merchant(gateway);
  api merchant{gateway, shop.test};
  const marked_texts texts;
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(with_texts(redirect_payment(id), texts))) == "200 processing");
  const auto before = places_of(gateway, texts.all());
  const auto refused = gateway.run_ctl(personal_data("erase", whose(shop.id, id)));
  CHECK(refused.code == 1);
  CHECK((refused.out + refused.err).find("is processing") != std::string::npos);
  CHECK((refused.out + refused.err).find("Nothing was erased") != std::string::npos);
  CHECK(places_of(gateway, texts.all()) == before);
  const auto unknown = gateway.run_ctl(personal_data("erase", whose(shop.id, new_payment_id())));
  CHECK(unknown.code == 1);
  REQUIRE(merchant.cancel(id).status == 200);
  CHECK(gateway.run_ctl(personal_data("erase", whose(shop.id, id))).code == 0);
  CHECK(places_of(gateway, texts.all()) == std::set<std::string>{});
}
