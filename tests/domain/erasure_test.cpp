// What erasure of personal data leaves of each value.
#include <catch2/catch.hpp>

#include <string>

#include "gateway/domain/erasure.hpp"

using namespace gateway;

TEST_CASE("the erasure of a JSON text drops the personal members however deep, and keeps everything else as it is") {
  struct row {
    const char* before;
    const char* after;
  };
  const auto r = GENERATE(values<row>({
      {R"({"payment_id":"pay_1","amount":4200})", R"({"payment_id":"pay_1","amount":4200})"},
      {R"({"amount":1,"metadata":{"a":"Ada"},"customer_ref":"c-1"})",
       R"({"amount":1,"metadata":{},"customer_ref":"c-1"})"},
      {R"({"subscription_metadata":{"a":{"b":["Ada"]}}})", R"({"subscription_metadata":{}})"},
      {R"({"description":"Ada's box","id":"pi_1"})", R"({"id":"pi_1"})"},
      {R"({"id":"pi_1","description":"Ada's box"})", R"({"id":"pi_1"})"},
      {R"({"name":"Ada"})", "{}"},
      {R"({ "Email" : "a@b.example" , "state" : "paid" })", R"({"state":"paid"})"},
      {R"({"error":{"code":"card_declined","message":"Ada's card"}})",
       R"({"error":{"code":"card_declined","message":""}})"},
      {R"({"data":{"object":[{"billing_details":{"name":"Ada"},"id":"ch_1"},1,true,null,-2.5e3]}})",
       R"({"data":{"object":[{"id":"ch_1"},1,true,null,-2.5e3]}})"},
      // A name with an escape may spell any name.
      {R"({"\u006eame":"Ada","id":"1"})", R"({"id":"1"})"},
      {R"({"id":"a \"name\":\"x\" \\"})", R"({"id":"a \"name\":\"x\" \\"})"},
      {R"({"empty":{},"list":[]})", R"({"empty":{},"list":[]})"},
      // What cannot be read cannot be shown to be free of personal data.
      {"", "{}"},
      {"Ada", "{}"},
      {R"(["Ada"])", "{}"},
      {R"({"id":"Ada)", "{}"},
      {R"({"id":"Ada"} Ada)", "{}"},
      {R"({"id" "Ada"})", "{}"},
      {R"({"id":})", "{}"},
      {R"({"id":1,})", "{}"},
  }));
  INFO(r.before);
  CHECK(json_without_personal_data(r.before) == r.after);
  CHECK(json_without_personal_data(r.after) == r.after);
}

TEST_CASE("a JSON text that is nested too deeply is emptied, and exhausts no stack") {
  const std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + '}';
  CHECK(json_without_personal_data(deep) == "{}");
}

TEST_CASE("the erasure of a provider's form empties the fields with personal data") {
  CHECK(post_without_personal_data("pp_TxnRefNo=T1&pp_MobileNumber=03001234567&pp_Amount=100&ppmpf_1=Ada&pp_CNIC=1") ==
        "pp_TxnRefNo=T1&pp_MobileNumber=&pp_Amount=100&ppmpf_1=&pp_CNIC=");
  CHECK(post_without_personal_data(R"({"id":"evt_1","name":"a=b"})") == R"({"id":"evt_1"})");
  CHECK(post_without_personal_data("Ada Lovelace") == "{}");
}

TEST_CASE("a reference is found as a whole word only") {
  CHECK(names_reference(R"({"id":"pi_1"})", "pi_1"));
  CHECK(names_reference("pp_TxnRefNo=T1&x=1", "T1"));
  CHECK(names_reference("pi_12 pi_1", "pi_1"));
  CHECK_FALSE(names_reference(R"({"id":"pi_12"})", "pi_1"));
  CHECK_FALSE(names_reference(R"({"id":"xpi_1"})", "pi_1"));
  CHECK_FALSE(names_reference("anything", ""));
}

TEST_CASE("a payment keeps its amounts, states and references, and none of what describes its customer") {
  payment p;
  p.state = payment_state::refunded;
  p.amount = {4200, *currency::parse("HKD")};
  p.captured = p.refunded = 4200;
  p.provider_ref = "pi_1";
  p.customer = payment_customer{platform_id{"plat_1"}, "c-1", "cus_1", false, false, {}};
  p.error = provider_error{error_category::provider, "card_declined", "Ada's card"};
  p.details = {"pm_1",
               "https://shop.example/thanks?for=Ada#x",
               "https://shop.example/back",
               "Ada's box",
               "a@b.example",
               "Ada",
               "0300",
               true,
               {{"who", "Ada"}},
               platform_id{"plat_1"}};
  p.records.refunds = {{"re_1", 4200, refund_status::succeeded, entry_origin::api, {}, "Ada asked", "", "ref_1"}};
  auto expected = p;
  expected.error->message = "";
  expected.details = {"pm_1", "https://shop.example/thanks", "https://shop.example/back", "", "", "", "", true,
                      {},     platform_id{"plat_1"}};
  expected.records.refunds.front().reason = "";
  CHECK(without_personal_data(p) == expected);
  CHECK(without_personal_data(expected) == expected);
}

TEST_CASE("a payment or a subscription that needs its data is not erased") {
  struct row {
    payment_state state;
    bool open;
    erasure_obstacle expected;
  };
  using enum payment_state;
  const auto r = GENERATE(values<row>({{created, false, erasure_obstacle::not_ended},
                                       {processing, false, erasure_obstacle::not_ended},
                                       {authorized, false, erasure_obstacle::none},
                                       {captured, false, erasure_obstacle::none},
                                       {partially_refunded, false, erasure_obstacle::none},
                                       {refunded, false, erasure_obstacle::none},
                                       {failed, false, erasure_obstacle::none},
                                       {voided, false, erasure_obstacle::none},
                                       {created, true, erasure_obstacle::open_operation},
                                       {authorized, true, erasure_obstacle::open_operation},
                                       {captured, true, erasure_obstacle::open_operation}}));
  payment p;
  p.state = r.state;
  if (r.open) p.open.emplace();
  INFO(to_string(r.state));
  CHECK(obstacle_to_erasure(p) == r.expected);

  subscription s;
  CHECK(obstacle_to_erasure(s) == erasure_obstacle::not_ended);
  s.state.status = subscription_status::active;
  CHECK(obstacle_to_erasure(s) == erasure_obstacle::none);
  s.open.emplace();
  CHECK(obstacle_to_erasure(s) == erasure_obstacle::open_operation);
}

TEST_CASE("a subscription and the sandbox's side of it lose what describes their customer, also in what waits") {
  subscription_notification waiting;
  waiting.event_id = "evt_1";
  waiting.state.metadata = {{"who", "Ada"}};
  waiting.invoice.emplace().failure_message = "Ada's card";
  cycle_charge owed;
  owed.customer_ref = "c-1";
  owed.description = "Ada's box";
  owed.metadata = {{"who", "Ada"}};
  owed.invoice.failure_message = "Ada's card";
  subscription s;
  s.details = {"c-1", 7, "https://shop.example/?n=Ada", "https://shop.example/", "Ada's box"};
  s.error = provider_error{error_category::provider, "x", "Ada"};
  s.state.metadata = {{"who", "Ada"}};
  s.waiting = {waiting};
  s.owed = {owed};
  const auto erased = without_personal_data(s);
  CHECK(erased.details == subscription_details{"c-1", 7, "https://shop.example/", "https://shop.example/", ""});
  CHECK(erased.error->message.empty());
  CHECK(erased.state.metadata.empty());
  CHECK(erased.waiting.front().event_id == "evt_1");
  CHECK(erased.waiting.front().state.metadata.empty());
  CHECK(erased.waiting.front().invoice->failure_message.empty());
  CHECK(erased.owed.front().customer_ref == "c-1");
  CHECK(erased.owed.front().description.empty());
  CHECK(erased.owed.front().metadata.empty());
  CHECK(erased.owed.front().invoice.failure_message.empty());

  sandbox_enrollment e;
  e.what.metadata = {{"who", "Ada"}};
  e.undelivered = {waiting};
  const auto there = without_personal_data(e);
  CHECK(there.what.metadata.empty());
  CHECK(there.undelivered.front().state.metadata.empty());
}
