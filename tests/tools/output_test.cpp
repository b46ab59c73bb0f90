#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>

#include "output.hpp"

using namespace gateway::ctl;

TEST_CASE("an answer is shown as aligned lines in its own order") {
  const auto answer = boost::json::parse(
      R"({"key_id":"mk_test_1","secret":"ab","scopes":["payments:read","mcp:read"],"count":2,"gone":null})");
  CHECK(as_lines(answer.get_object()) ==
        "key_id: mk_test_1\n"
        "secret: ab\n"
        "scopes: payments:read mcp:read\n"
        "count:  2\n"
        "gone:   null\n");
  CHECK(as_lines({}).empty());
}

TEST_CASE("a list is shown as a table, with readable times and last answers") {
  const auto answer = boost::json::parse(R"({"deliveries":[
    {"id":12345,"destination_id":"dest_1","event_id":"evt_1","type":"payment.captured","status":"pending","attempts":2,
     "next_attempt_at":"2026-11-20T12:00:00.125Z","last_status":500,"last_result":"rejected","last_took_ms":120,"last_answer":"line one\nline two\u001b[2J",
     "payment_id":"pay_1","created_at":"2026-11-20T11:00:00.000Z"},
    {"id":7,"destination_id":"dest_1","event_id":"evt_1","type":"payment.failed","status":"delivered","attempts":0,"next_attempt_at":null,
     "last_status":null,"last_result":null,"last_answer":null,"payment_id":"pay_1","created_at":"2026-11-20T11:00:00.000Z"}]})");
  CHECK(as_text(answer.get_object()) ==
        "ID     DESTINATION  TYPE              PAYMENT  STATUS     ATTEMPTS  CREATED               NEXT ATTEMPT        "
        "  LAST RESULT  HTTP  MS   "
        "LAST ANSWER\n"
        "12345  dest_1       payment.captured  pay_1    pending    2         2026-11-20 11:00:00Z  2026-11-20 "
        "12:00:00Z  rejected     500   120  "
        "line one line two [2J\n"
        "7      dest_1       payment.failed    pay_1    delivered  0         2026-11-20 11:00:00Z  -                   "
        "  -            -     -    "
        "-\n");
}

TEST_CASE("platforms are shown as a table, their addresses separated by spaces") {
  const auto answer = boost::json::parse(R"({"platforms":[{"platform_id":"plat_1","client_id":"tea","name":"Tea Time",
    "status":"suspended","redirect_uris":["https://a.example/","https://b.example/"],"return_origins":[],"contact":"s@a.example"}]})");
  CHECK(as_text(answer.get_object()) ==
        "ID      CLIENT ID  NAME      STATUS     REDIRECT URIS                          RETURN ORIGINS  CONTACT\n"
        "plat_1  tea        Tea Time  suspended  https://a.example/ https://b.example/  -               s@a.example\n");
  CHECK(as_text(boost::json::parse(R"({"platforms":[]})").get_object()) == "no platforms\n");
}

TEST_CASE("grants, customers and subscriptions are shown as tables, and an empty list has a message") {
  const auto text_of = [](const std::string& answer) { return as_text(boost::json::parse(answer).get_object()); };
  CHECK(
      text_of(R"({"grants":[{"grant_id":"grant_1","platform_id":"plat_1","merchant_id":"merch_1","mode":"test",)"
              R"("scopes":["payments:write","payments:read"],"status":"active","granted_at":"2026-11-20T11:00:00Z",)"
              R"("revoked_at":null,"reason":null}]})") ==
      "ID       PLATFORM  MERCHANT  MODE  STATUS  SCOPES                        GRANTED               REVOKED  REASON\n"
      "grant_1  plat_1    merch_1   test  active  payments:write payments:read  2026-11-20T11:00:00Z  -        -\n");
  CHECK(text_of(R"({"customers":[{"customer_ref":"tea","platform_id":"plat_1","provider_customer_id":"cus_1",)"
                R"("methods":["pm_1","pm_2"]}]})") ==
        "CUSTOMER  PLATFORM  AT THE PROVIDER  METHODS\n"
        "tea       plat_1    cus_1            pm_1 pm_2\n");
  CHECK(text_of(R"({"subscriptions":[{"subscription_id":"box-17","status":"pending","platform_id":"plat_1",)"
                R"("customer_ref":"tea"}]})") ==
        "SUBSCRIPTION  ID  STATUS   PLATFORM  CUSTOMER\n"
        "box-17        -   pending  plat_1    tea\n");
  for (const std::string name : {"grants", "customers", "subscriptions"})
    CHECK(text_of(R"({")" + name + R"(":[]})") == "no " + name + "\n");
}

TEST_CASE("payments are shown as a table, and where the list continues") {
  const auto text_of = [](const std::string& answer) { return as_text(boost::json::parse(answer).get_object()); };
  CHECK(text_of(R"({"payments":[{"payment_id":"pay_1","merchant_id":"merch_1","mode":"live","state":"authorized",)"
                R"("amount":4200,"currency":"HKD","open_operation":"capture",)"
                R"("unknown_since":"2026-11-20T12:00:00.125Z","provider":"stripe","provider_ref":"pi_1"}],)"
                R"("next":"merch_1/live/7/pay_1"})") ==
        "PAYMENT  MERCHANT  MODE  STATE       AMOUNT     OPEN OPERATION  UNKNOWN SINCE         PROVIDER  AT THE "
        "PROVIDER\n"
        "pay_1    merch_1   live  authorized  HKD 42.00  capture         2026-11-20 12:00:00Z  stripe    pi_1\n"
        "next: merch_1/live/7/pay_1\n");
  CHECK(text_of(R"({"payments":[]})") == "no payments\n");
  CHECK(text_of(R"({"payments":[],"next":"merch_9/test/0/"})") == "no payments\nnext: merch_9/test/0/\n");
}

TEST_CASE("amounts in a table are in the currency's major unit, or stay as they are without a currency") {
  const column columns[] = {{"id", "ID"}, money_column("amount", "AMOUNT")};
  const auto rows = boost::json::parse(R"([{"id":1,"amount":123456789,"currency":"KWD"},
    {"id":2,"amount":4200,"currency":"JPY"},{"id":3,"amount":5,"currency":"EUR"},{"id":4,"amount":0,"currency":"HKD"},
    {"id":5,"amount":4200},{"id":6,"amount":4200,"currency":"XXX"},{"id":7,"amount":4200,"currency":null},
    {"id":8,"amount":null,"currency":"EUR"},{"id":9,"currency":"EUR"},{"id":10,"amount":"4200","currency":"EUR"}])");
  CHECK(as_table(columns, rows.get_array()) ==
        "ID  AMOUNT\n"
        "1   KWD 123,456.789\n"
        "2   JPY 4,200\n"
        "3   EUR 0.05\n"
        "4   HKD 0.00\n"
        "5   4200\n"
        "6   4200\n"
        "7   4200\n"
        "8   -\n"
        "9   -\n"
        "10  4200\n");
}

TEST_CASE("providers are shown as a table, with complete addresses") {
  const auto url = "https://payments.example.com/v1/public/providers/stripe/test/notifications";
  const auto answer = boost::json::parse(
      R"({"providers":[{"provider":"stripe","mode":"test","status":"configured","settings":{"api_base":"https://a.example"},)"
      R"("secrets":["secret_key","webhook_secret"],"notifications_url":")" +
      std::string{url} + R"("},{"provider":"jazzcash","mode":"live","status":"not_configured","settings":{},)" +
      R"("secrets":[],"notifications_url":"https://b.example/n"}]})");
  CHECK(
      as_text(answer.get_object()) ==
      "PROVIDER  MODE  STATUS          SECRETS                    SETTINGS                          NOTIFICATIONS TO\n"
      "stripe    test  configured      secret_key webhook_secret  {\"api_base\":\"https://a.example\"}  " +
          std::string{url} +
          "\n"
          "jazzcash  live  not_configured  -                          -                                 "
          "https://b.example/n\n");
}

TEST_CASE("an empty list has a message, and an answer that is not a list is shown as lines") {
  CHECK(as_text(boost::json::parse(R"({"deliveries":[]})").get_object()) == "no deliveries\n");
  CHECK(as_text(boost::json::parse(R"({"notifications":[{"id":"stripe:evt_1","provider":"stripe","mode":"live",
      "event_id":"evt_1","type":"charge.captured","account":"","state":"waiting","about":"","attempts":2,
      "received_at":"2026-11-20T12:00:00.123Z"}]})")
                    .get_object()) ==
        "ID            MODE  RECEIVED              TYPE             ACCOUNT  STATE    ATTEMPTS  ABOUT\n"
        "stripe:evt_1  live  2026-11-20 12:00:00Z  charge.captured  -        waiting  2         -\n");
  CHECK(as_text(boost::json::parse(R"({"redelivered":12,"destination_id":"dest_1"})").get_object()) ==
        "redelivered:    12\n"
        "destination_id: dest_1\n");
  CHECK(as_text({}).empty());
}

TEST_CASE("a cell that is too wide is cut between characters, and columns count characters") {
  const auto answer =
      boost::json::parse(R"({"destinations":[{"id":"dest_1","url":"https://ä.example","disabled_reason":")" + [] {
        std::string many;
        for (int i = 0; i < 80; ++i) many += "ö";
        return many;
      }() + R"("}],"left_out":3})");
  const auto text = as_text(answer.get_object());
  std::string kept;
  for (int i = 0; i < 59; ++i) kept += "ö";
  CHECK(text.find("  " + kept + "…\n") != std::string::npos);
  CHECK(text.find("https://ä.example  -") != std::string::npos);
  CHECK(text.ends_with("left_out: 3\n"));
}

TEST_CASE("a check that found a fault fails the command, whatever else it says") {
  const auto status = [](std::string_view text) {
    return exit_status_of(boost::json::parse({text.data(), text.size()}).get_object());
  };
  CHECK(status(R"({"ok":false,"problems":["no endpoint"]})") == 1);
  CHECK(status(R"({"ok":true})") == 0);
  CHECK(status(R"({"ok":"false"})") == 0);
  CHECK(status("{}") == 0);
}

TEST_CASE("an error is shown with the gateway's text, or by its status") {
  struct row {
    std::string body, message;
  };
  const row rows[] = {
      {R"({"error":"not_found","message":"merchant merch_1 is unknown"})", "merchant merch_1 is unknown"},
      {R"({"error":"overloaded"})", "overloaded"},
      {R"({"error":{"code":"x"}})", "the gateway answered with status 503"},
      {"", "the gateway answered with status 503"},
      {"<html>", "the gateway answered with status 503"}};
  for (const auto& r : rows) CHECK(message_of(503, r.body) == r.message);
}

TEST_CASE("what operators find is shown as a table, and the end of a list adds no line") {
  const auto text_of = [](const std::string& answer) { return as_text(boost::json::parse(answer).get_object()); };
  CHECK(text_of(R"({"merchants":[{"merchant_id":"merch_1","entity_id":"ent_1","name":"Tea","entity":"wallet",)"
                R"("owner_email":null,"created_at":"2026-11-20T12:00:00.125Z"}],"next":null})") ==
        "MERCHANT  ENTITY  KIND    CREATED               OWNER  NAME\n"
        "merch_1   ent_1   wallet  2026-11-20 12:00:00Z  -      Tea\n");
  CHECK(text_of(R"({"merchants":[],"next":"7/merch_1"})") == "no merchants\nnext: 7/merch_1\n");
  CHECK(
      text_of(
          R"({"results":[{"kind":"payment","id":"pay_1","merchant_id":"merch_1","mode":"test","text":"captured"}]})") ==
      "KIND     ID     MERCHANT  MODE  WHAT\n"
      "payment  pay_1  merch_1   test  captured\n");
  CHECK(text_of(R"({"results":[]})") == "no results\n");
}

TEST_CASE("a merchant is shown as lines, with a table for each of its lists") {
  const auto answer = boost::json::parse(R"({"merchant_id":"merch_1","name":"Tea","keys":[{"key_id":"mk_test_1",
    "name":null,"mode":"test","scopes":"payments:read","created_at":"2026-11-20T12:00:00.125Z","created_by":null,
    "last_used_on":null,"status":"revoked"}],"routes":[]})");
  CHECK(as_text(answer.get_object()) ==
        "merchant_id: merch_1\n"
        "name:        Tea\n"
        "\n"
        "KEY        MODE  STATUS   CREATED               LAST USED  MADE BY  NAME  SCOPES\n"
        "mk_test_1  test  revoked  2026-11-20 12:00:00Z  -          -        -     payments:read\n"
        "\n"
        "no routes\n");
}
