// Operators' export and erasure of personal data: what is read, what is sent to the entities, and what is refused.
#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>

#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

constexpr auto adas_payment = R"({"merchant_id":"merch_1","mode":"test","payment_id":"pay_1"})";

payment payment_of_ada(payment_state state = payment_state::captured) {
  auto p = *waiting_payment(state);
  p.version = 3;
  p.details.customer_name = "Ada";
  p.details.metadata = {{"who", "Ada"}};
  return p;
}

timeline_entry entry_of(std::uint32_t seq, timeline_kind kind) {
  timeline_entry e;
  e.seq = seq;
  e.kind = kind;
  e.occurred_at = noon;
  if (kind == timeline_kind::event) {
    e.operation = "payment.captured";
    e.event_id = "evt_1";
    e.event_data = R"({"amount":4200,"metadata":{"who":"Ada"}})";
  } else {
    e.operation = "capture";
    e.message = "Ada's card";
  }
  return e;
}

delivery refused_delivery(std::int64_t id, delivery_status status) {
  delivery d;
  d.id = id;
  d.subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  d.event_seq = 2;
  d.to = destination_id{"dest_1"};
  d.status = status;
  d.attempts = 2;
  d.version = 4;
  d.last = delivery_attempt{noon, attempt_result::rejected, 500, 3, "no, Ada", std::nullopt};
  d.earlier = {*d.last};
  if (status == delivery_status::pending) d.next_attempt_at = noon;
  return d;
}

notification_ptr a_post(notification_state state = notification_state::applied) {
  notification n;
  n.key = notification_key(provider_kind::stripe, environment::test, "evt_7");
  n.event_id = "evt_7";
  n.state = state;
  n.body = R"({"id":"evt_7","name":"Ada"})";
  return std::make_shared<const notification>(std::move(n));
}

struct personal_data : gateway_fixture {
  personal_data() {
    scene.router = [this](const entity_request& what) -> entity_reply {
      if (!command_if<erase_payment_data>(what.what)) return {entity_row{row}};
      sent.push_back(command_if<erase_payment_data>(what.what)->what);
      if (sent.size() <= refusals) return {refuses};
      return {entity_row{row}};
    };
    scene.of<find_timeline>() = [](const find_timeline&) {
      return timeline_lookup{{entry_of(1, timeline_kind::attempt), entry_of(2, timeline_kind::event)}};
    };
    scene.deliveries = [](const find_deliveries&) {
      return deliveries_lookup{
          {{refused_delivery(9, delivery_status::pending), {}}, {refused_delivery(8, delivery_status::failed), {}}}};
    };
    scene.of<find_personal_texts>() = [this](const find_personal_texts& what) {
      CHECK(what.reference == "cs_1");
      command_record c;
      c.key = {what.of.merchant, what.of.env, "", "key-1"};
      c.operation = "refund";
      c.reason = "Ada asked";
      c.created_at = noon;
      c.result = answer{200, R"({"state":"refunded"})"};
      return personal_texts{{c}, posts};
    };
    scene.commits = [this](const unit_of_work& unit) {
      for (const auto& each : unit.inserts)
        if (const auto* note = std::get_if<save_audit>(&each)) notes.push_back(note->action + " " + note->subject);
      for (const auto& each : unit.claims)
        if (const auto* text = std::get_if<replace_text>(&each)) bodies.push_back(*text);
      return commit_outcome::committed;
    };
  }
  response ask_about(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", std::string{"/operator/personal-data/"}.append(path), body), handle_operator);
  }

  payment_ptr row = std::make_shared<const payment>(payment_of_ada());
  std::vector<notification_ptr> posts{a_post()};
  std::vector<erasure> sent;
  std::size_t refusals = 0;
  problem refuses = problem::request_in_progress;
  std::vector<std::string> notes;
  std::vector<replace_text> bodies;
};

}  // namespace

TEST_CASE_METHOD(personal_data,
                 "an erasure replaces every text of the payment, and the audit log says that it happened") {
  const auto out = ask_about("erase", adas_payment);
  CHECK(out.sent_body() == R"({"payments":1,"subscriptions":0,"notifications":1,"free_pages":"cleared"})");
  CHECK(notes == std::vector<std::string>{"erase personal data pay_1"});
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].version == 3);
  const auto& key = row->key;
  CHECK(sent[0].texts == std::vector<replace_text>{
                             {erased_column::attempt_message, key, 1, {}, {}, ""},
                             {erased_column::event_data, key, 2, {}, {}, R"({"amount":4200,"metadata":{}})"},
                             {erased_column::answer, key, 0, "", "key-1", R"({"state":"refunded"})"},
                             {erased_column::audit_texts, key, 0, {}, {}, ""},
                         });
  REQUIRE(sent[0].deliveries.size() == 2);
  for (const auto& each : sent[0].deliveries) {
    CHECK(each.version == 5);
    CHECK(each.last->excerpt.empty());
    CHECK(each.earlier.at(0).excerpt.empty());
    CHECK(each.last->status == 500);
  }
  REQUIRE(bodies.size() == 1);
  CHECK(bodies[0].of == posts[0]->key);
  CHECK(bodies[0].text == R"({"id":"evt_7"})");
}

TEST_CASE_METHOD(personal_data, "MariaDB clears no free pages, and the answer says so; the embedded store must") {
  scene.clears = {false, false};
  CHECK(ask_about("erase", adas_payment).sent_body().find(R"("free_pages":"left to the database")") !=
        std::string::npos);
  scene.clears = {false, true};
  const auto out = ask_about("erase", adas_payment);
  CHECK(out.sent_status() == 503);
  CHECK(out.sent_body().find("Repeat the command") != std::string::npos);
}

TEST_CASE_METHOD(personal_data, "an entity that changes meanwhile is read again, a few times") {
  refusals = 2;
  CHECK(ask_about("erase", adas_payment).sent_status() == 200);
  CHECK(sent.size() == 3);
  sent.clear();
  refusals = 100;
  CHECK(ask_about("erase", adas_payment).sent_status() == 503);
  CHECK(sent.size() == 5);
  sent.clear();
  refuses = problem::store_unavailable;
  CHECK(ask_about("erase", adas_payment).sent_status() == 503);
  CHECK(sent.size() == 1);
}

TEST_CASE_METHOD(personal_data, "what needs its data is refused with the reason, and nothing is written") {
  auto waiting = payment_of_ada(payment_state::processing);
  auto open = payment_of_ada();
  open.open.emplace();
  struct row_of_table {
    payment p;
    const char* words;
  };
  for (const auto& each : {row_of_table{waiting, "is processing"}, row_of_table{open, "operation under way"}}) {
    row = std::make_shared<const payment>(each.p);
    const auto out = ask_about("erase", adas_payment);
    CHECK(out.sent_status() == 409);
    CHECK(out.sent_body().find(each.words) != std::string::npos);
  }
  CHECK(notes.empty());
  CHECK(sent.empty());
  row = std::make_shared<const payment>(payment_of_ada());
  posts = {a_post(notification_state::waiting)};
  const auto out = ask_about("erase", adas_payment);
  CHECK(out.sent_status() == 409);
  CHECK(out.sent_body().find("has not been applied yet") != std::string::npos);
  CHECK(sent.empty());
  CHECK(bodies.empty());
}

TEST_CASE_METHOD(personal_data, "an export holds all that an erasure would replace") {
  const auto out = ask_about("export", adas_payment);
  REQUIRE(out.sent_status() == 200);
  const auto body = boost::json::parse(std::string{out.sent_body()});
  const auto& one = body.at("payments").at(0);
  CHECK(one.at("customer_name") == "Ada");
  CHECK(one.at("metadata").at("who") == "Ada");
  CHECK(one.at("events").at(0).at("data").at("metadata").at("who") == "Ada");
  CHECK(one.at("attempts").at(0).at("message") == "Ada's card");
  CHECK(one.at("commands").at(0).at("reason") == "Ada asked");
  CHECK(one.at("deliveries").at(0).at("answers").as_array().size() == 2);
  CHECK(one.at("notifications").at(0).at("body") == R"({"id":"evt_7","name":"Ada"})");
  CHECK(body.at("customer").is_null());
  CHECK(notes == std::vector<std::string>{"export personal data pay_1"});
}

TEST_CASE_METHOD(personal_data, "the subject is a payment with its mode, or a platform's customer") {
  for (const auto* body : {R"({"merchant_id":"merch_1"})", R"({"merchant_id":"merch_1","payment_id":"pay_1"})",
                           R"({"mode":"test","payment_id":"pay_1"})",
                           R"({"merchant_id":"merch_1","mode":"test","payment_id":"pay_1","customer_ref":"c"})",
                           R"({"merchant_id":"merch_1","mode":"test","payment_id":"pay_1","platform_id":"plat_1"})",
                           R"({"merchant_id":"merch_1","customer_ref":"c"})",
                           R"({"merchant_id":"merch_1","mode":"test","platform_id":"plat_1","customer_ref":"c"})"})
    for (const auto* path : {"erase", "export"}) {
      INFO(path << ' ' << body);
      CHECK(ask_about(path, body).sent_status() == 400);
    }
  CHECK(sent.empty());
  scene.router = [](const entity_request& what) {
    return entity_reply{what.key.kind == entity_kind::customer ? problem::customer_not_found
                                                               : problem::payment_not_found};
  };
  CHECK(ask_about("erase", adas_payment).sent_status() == 404);
  CHECK(ask_about("erase", R"({"merchant_id":"merch_1","platform_id":"plat_1","customer_ref":"c"})").sent_status() ==
        404);
  CHECK(ask_about("erase", R"({"merchant_id":"merch_9","mode":"test","payment_id":"pay_1"})").sent_status() == 404);
}
