// The command line of gatewayctl, and the resulting call to the gateway.
#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>

#include "command_line.hpp"

using namespace gateway::ctl;
using Catch::Contains;

namespace {

command_line parsed(const std::vector<std::string>& words, const std::string& input = {}) {
  std::vector<const char*> argv{"gatewayctl"};
  for (const auto& w : words) argv.push_back(w.c_str());
  std::istringstream in{input};
  return parse_command_line(static_cast<int>(argv.size()), argv.data(), in);
}

using words = std::vector<std::string>;

/// A command, and the call that it becomes.
struct command_row {
  words arguments;
  std::string path, body;
};

void check_calls(const std::vector<command_row>& rows) {
  for (const auto& row : rows) {
    const auto command = parsed(row.arguments);
    INFO(command.text);
    REQUIRE(command.what == action::call);
    CHECK(command.call.path == row.path);
    CHECK(boost::json::serialize(command.call.body) == row.body);
  }
}

}  // namespace

TEST_CASE("each command about merchants, platforms and keys becomes one call of the operator socket") {
  check_calls(
      {{{"merchant", "create", "--name", "Shop"}, "/operator/merchants", R"({"name":"Shop","entity":"standard"})"},
       {{"merchant", "create", "--name=Kiosk \"1\"", "--entity=wallet", "--owner-email=o@example.com"},
        "/operator/merchants",
        R"({"name":"Kiosk \"1\"","entity":"wallet","owner_email":"o@example.com"})"},
       {{"merchant", "key", "mint", "--merchant", "merch_1", "--mode", "test"},
        "/operator/keys",
        R"({"merchant_id":"merch_1","mode":"test"})"},
       {{"merchant", "key", "mint", "--merchant", "merch_1", "--mode", "live", "--scopes", "payments:read mcp:read"},
        "/operator/keys",
        R"({"merchant_id":"merch_1","mode":"live","scopes":"payments:read mcp:read"})"},
       {{"platform", "create", "--name=Tea", "--slug=tea", "--contact=s@tea.example",
         "--redirect-uri=https://tea.example/a"},
        "/operator/platforms",
        R"({"slug":"tea","name":"Tea","contact":"s@tea.example","redirect_uris":["https://tea.example/a"]})"},
       {{"platform", "create", "--name", "Tea", "--slug", "tea", "--contact", "s@tea.example", "--redirect-uri",
         "https://tea.example/a", "--redirect-uri", "https://tea.example/b,c?d=e", "--return-origin",
         "https://tea.example", "https://cake.example"},
        "/operator/platforms",
        R"({"slug":"tea","name":"Tea","contact":"s@tea.example","redirect_uris":["https://tea.example/a","https://tea.example/b,c?d=e"],"return_origins":["https://tea.example","https://cake.example"]})"},
       {{"platform", "set", "--platform=plat_1"}, "/operator/platforms/set", R"({"platform_id":"plat_1"})"},
       {{"platform", "set", "--platform=plat_1", "--name=Cake", "--contact=c@tea.example",
         "--redirect-uri=https://tea.example/c", "--return-origin", ""},
        "/operator/platforms/set",
        R"({"platform_id":"plat_1","name":"Cake","contact":"c@tea.example","redirect_uris":["https://tea.example/c"],"return_origins":[]})"},
       {{"platform", "list"}, "/operator/platforms/list", "{}"},
       {{"platform", "suspend", "plat_1"},
        "/operator/platforms/status",
        R"({"platform_id":"plat_1","status":"suspended"})"},
       {{"platform", "resume", "plat_1"},
        "/operator/platforms/status",
        R"({"platform_id":"plat_1","status":"active"})"},
       {{"platform", "key", "mint", "--platform=plat_1"}, "/operator/platform-keys", R"({"platform_id":"plat_1"})"},
       {{"platform", "key", "mint", "--platform=plat_1", "--scopes", "payments:read *"},
        "/operator/platform-keys",
        R"({"platform_id":"plat_1","scopes":"payments:read *"})"},
       {{"merchant", "list"}, "/operator/merchants/list", R"({"limit":50})"},
       {{"merchant", "list", "--search", "100% tea", "--limit=100", "--after", "7/merch_1"},
        "/operator/merchants/list",
        R"({"search":"100% tea","after":"7/merch_1","limit":100})"},
       {{"merchant", "show", "merch_1"}, "/operator/merchants/show", R"({"merchant_id":"merch_1"})"},
       {{"merchant", "branding", "--merchant=merch_1"}, "/operator/merchants/branding", R"({"merchant_id":"merch_1"})"},
       {{"merchant", "branding", "--merchant=merch_1", "--shop-name=Tea House", "--colour", "#2350c8", "--support", "",
         "--logo", ""},
        "/operator/merchants/branding",
        R"({"merchant_id":"merch_1","shop_name":"Tea House","colour":"#2350c8","support":"","logo":""})"},
       {{"key", "list", "--merchant", "merch_1"}, "/operator/keys/list", R"({"merchant_id":"merch_1"})"},
       {{"key", "list", "--platform=plat_1"}, "/operator/keys/list", R"({"platform_id":"plat_1"})"},
       {{"route", "list", "--merchant=merch_1"}, "/operator/routes/list", R"({"merchant_id":"merch_1"})"},
       {{"connection", "list", "--merchant=merch_1"}, "/operator/connections/list", R"({"merchant_id":"merch_1"})"},
       {{"user", "list", "--merchant=merch_1"}, "/operator/users/list", R"({"merchant_id":"merch_1"})"},
       {{"operator", "add", "ann", "--role=support"}, "/operator/operators/add", R"({"name":"ann","role":"support"})"},
       {{"operator", "list"}, "/operator/operators/list", "{}"},
       {{"operator", "remove", "ann"}, "/operator/operators/remove", R"({"name":"ann"})"},
       {{"operator", "reset", "Ann Lee"}, "/operator/operators/reset", R"({"name":"Ann Lee"})"},
       {{"search", "pay_1"}, "/operator/search", R"({"text":"pay_1"})"},
       {{"platform", "key", "mint", "--platform=plat_1", "--name", "their front"},
        "/operator/platform-keys",
        R"({"platform_id":"plat_1","name":"their front"})"},
       {{"merchant", "key", "mint", "--merchant=merch_1", "--mode=test", "--name=the till"},
        "/operator/keys",
        R"({"merchant_id":"merch_1","mode":"test","name":"the till"})"},
       {{"key", "revoke", "mk_test_1"}, "/operator/keys/revoke", R"({"key_id":"mk_test_1"})"},
       {{"key", "revoke", "mk_platform_1"}, "/operator/keys/revoke", R"({"key_id":"mk_platform_1"})"}});
}

TEST_CASE("each command about providers and subscriptions becomes one call of the operator socket") {
  check_calls(
      {{{"provider", "remove", "--provider=stripe", "--mode=live"},
        "/operator/providers/remove",
        R"({"provider":"stripe","mode":"live"})"},
       {{"provider", "list"}, "/operator/providers/list", "{}"},
       {{"provider", "check", "stripe", "--mode=live"},
        "/operator/providers/check",
        R"({"provider":"stripe","mode":"live"})"},
       {{"provider", "register-notifications", "stripe", "--mode=test"},
        "/operator/providers/register-notifications",
        R"({"provider":"stripe","mode":"test"})"},
       {{"provider", "backfill", "sandbox", "--mode=test"},
        "/operator/providers/backfill",
        R"({"provider":"sandbox","mode":"test"})"},
       {{"provider", "backfill", "stripe", "--mode=live", "--from=2026-11-20T09:30:00Z"},
        "/operator/providers/backfill",
        R"({"provider":"stripe","mode":"live","from":"2026-11-20T09:30:00Z"})"},
       {{"connection", "set", "--merchant=merch_1", "--mode=live", "--provider=sandbox_hosted", "--status=in_progress",
         "--account=acct_9"},
        "/operator/connections",
        R"({"merchant_id":"merch_1","mode":"live","provider":"sandbox_hosted","status":"in_progress","account":"acct_9"})"},
       {{"route", "set", "--merchant=merch_1", "--mode=test", "--provider=sandbox_wallet", "--currencies=PKR",
         "--methods=card,pkr_wallet"},
        "/operator/routes",
        R"({"merchant_id":"merch_1","mode":"test","provider":"sandbox_wallet","currencies":["PKR"],"methods":["card","pkr_wallet"]})"},
       {{"route", "set", "--merchant=merch_1", "--mode=live", "--provider=sandbox", "--currencies=EUR",
         "--methods=card,recurring_card"},
        "/operator/routes",
        R"({"merchant_id":"merch_1","mode":"live","provider":"sandbox","currencies":["EUR"],"methods":["card","recurring_card"]})"},
       {{"subscription", "list", "--merchant=merch_1"},
        "/operator/subscriptions/list",
        R"({"merchant_id":"merch_1","limit":1000})"},
       {{"subscription", "show", "sub_merch_1_sub_9"},
        "/operator/subscriptions/show",
        R"({"subscription_id":"sub_merch_1_sub_9"})"},
       {{"subscription", "show", "box-17", "--merchant=merch_1"},
        "/operator/subscriptions/show",
        R"({"subscription_id":"box-17","merchant_id":"merch_1"})"},
       {{"sandbox", "subscription", "box-17", "--cycle=exhausted"},
        "/operator/sandbox/subscription",
        R"({"subscription_id":"box-17","move":"exhausted","repeat":1,"reorder":false})"},
       {{"sandbox", "subscription", "box-17", "--update", "--repeat=3"},
        "/operator/sandbox/subscription",
        R"({"subscription_id":"box-17","move":"update","repeat":3,"reorder":false})"},
       {{"sandbox", "subscription", "box-17", "--expire"},
        "/operator/sandbox/subscription",
        R"({"subscription_id":"box-17","move":"expire","repeat":1,"reorder":false})"},
       {{"sandbox", "subscription", "box-17", "--merchant=merch_1", "--delete", "--reorder"},
        "/operator/sandbox/subscription",
        R"({"subscription_id":"box-17","merchant_id":"merch_1","move":"delete","repeat":1,"reorder":true})"}});
}

TEST_CASE("each command about webhooks becomes one call of the operator socket") {
  check_calls(
      {{{"destination", "set", "--merchant=merch_1", "--mode=test", "--url=https://a.example/h",
         "--events=payment.captured,payment.voided"},
        "/operator/destinations",
        R"({"merchant_id":"merch_1","mode":"test","url":"https://a.example/h","events":["payment.captured","payment.voided"]})"},
       {{"destination", "set", "--platform=plat_1", "--mode=live", "--url=https://p.example/"},
        "/operator/destinations",
        R"({"platform_id":"plat_1","mode":"live","url":"https://p.example/"})"},
       {{"destination", "list"}, "/operator/destinations/list", "{}"},
       {{"destination", "list", "--merchant=merch_1", "--mode=live"},
        "/operator/destinations/list",
        R"({"merchant_id":"merch_1","mode":"live"})"},
       {{"destination", "set", "--merchant=merch_1", "--mode=test", "--url=https://a.example/h", "--name=Till"},
        "/operator/destinations",
        R"({"merchant_id":"merch_1","mode":"test","url":"https://a.example/h","name":"Till"})"},
       {{"destination", "change", "dest_1", "--url=https://b.example/h"},
        "/operator/destinations/change",
        R"({"destination_id":"dest_1","url":"https://b.example/h"})"},
       {{"destination", "delete", "dest_1"}, "/operator/destinations/delete", R"({"destination_id":"dest_1"})"},
       {{"destination", "enable", "dest_1"}, "/operator/destinations/enable", R"({"destination_id":"dest_1"})"},
       {{"destination", "disable", "dest_1"}, "/operator/destinations/disable", R"({"destination_id":"dest_1"})"},
       {{"destination", "disable", "dest_1", "--reason=moving"},
        "/operator/destinations/disable",
        R"({"destination_id":"dest_1","reason":"moving"})"},
       {{"destination", "rotate-secret", "dest_1"},
        "/operator/destinations/rotate-secret",
        R"({"destination_id":"dest_1","overlap_hours":24})"},
       {{"destination", "rotate-secret", "dest_1", "--overlap-hours=0"},
        "/operator/destinations/rotate-secret",
        R"({"destination_id":"dest_1","overlap_hours":0})"},
       {{"delivery", "list"}, "/operator/deliveries/list", R"({"limit":100})"},
       {{"delivery", "list", "--destination=dest_1", "--status=failed", "--limit=5", "--before=9007199254740991"},
        "/operator/deliveries/list",
        R"({"destination_id":"dest_1","status":"failed","before":9007199254740991,"limit":5})"},
       {{"delivery", "show", "77"}, "/operator/deliveries/show", R"({"id":77})"},
       {{"delivery", "redeliver", "77"}, "/operator/deliveries/redeliver", R"({"id":77})"},
       {{"delivery", "redeliver", "--destination=dest_1", "--from=2026-11-20T09:30:00Z",
         "--until=2026-11-20T10:00:00Z"},
        "/operator/deliveries/redeliver",
        R"({"destination_id":"dest_1","from":"2026-11-20T09:30:00Z","until":"2026-11-20T10:00:00Z"})"},
       {{"event", "list", "--merchant=merch_1", "--mode=test", "--payment=pay_1", "--limit=3"},
        "/operator/events/list",
        R"({"merchant_id":"merch_1","mode":"test","payment_id":"pay_1","limit":3})"},
       {{"personal-data", "erase", "--merchant=merch_1", "--mode=test", "--payment=pay_1"},
        "/operator/personal-data/erase",
        R"({"merchant_id":"merch_1","payment_id":"pay_1","mode":"test"})"},
       {{"personal-data", "erase", "--platform=plat_1", "--merchant=merch_1", "--customer-ref=c 1"},
        "/operator/personal-data/erase",
        R"({"merchant_id":"merch_1","customer_ref":"c 1","platform_id":"plat_1"})"},
       {{"personal-data", "export", "--merchant=merch_1", "--mode=live", "--payment=pay_1"},
        "/operator/personal-data/export",
        R"({"merchant_id":"merch_1","payment_id":"pay_1","mode":"live"})"},
       {{"mail", "list"}, "/operator/mail/list", R"({"limit":50})"},
       {{"mail", "list", "--status=failed", "--after=1/mail_1", "--limit=3"},
        "/operator/mail/list",
        R"({"status":"failed","after":"1/mail_1","limit":3})"},
       {{"mail", "retry", "mail_1"}, "/operator/mail/retry", R"({"mail_id":"mail_1"})"},
       {{"notification", "list"}, "/operator/notifications/list", R"({"limit":100})"},
       {{"notification", "list", "--provider=stripe", "--mode=live", "--state=waiting", "--limit=5",
         "--before=2026-11-20T09:30:00Z"},
        "/operator/notifications/list",
        R"({"provider":"stripe","mode":"live","state":"waiting","before":"2026-11-20T09:30:00Z","limit":5})"},
       {{"notification", "replay", "stripe:evt_1"}, "/operator/notifications/replay", R"({"id":"stripe:evt_1"})"},
       {{"notification", "replay", "stripe:evt_1", "--mode=test"},
        "/operator/notifications/replay",
        R"({"id":"stripe:evt_1","mode":"test"})"}});
}

TEST_CASE("an invalid webhook command is a usage error") {
  for (const auto& arguments :
       {words{"destination", "set", "--mode=test", "--url=https://a.example"},
        words{"destination", "set", "--merchant=m", "--platform=p", "--mode=test", "--url=https://a.example"},
        words{"destination", "set", "--merchant=m", "--mode=test", "--url=https://a.example", "--events=a,,b"},
        words{"destination", "list", "--merchant=m", "--platform=p"},
        words{"destination", "rotate-secret", "dest_1", "--overlap-hours=721"},
        words{"destination", "rotate-secret", "dest_1", "--overlap-hours=-1"},
        words{"delivery", "list", "--status=lost"}, words{"delivery", "list", "--limit=0"},
        words{"delivery", "show", "evt_1"}, words{"delivery", "show", "0"}, words{"delivery", "redeliver"},
        words{"delivery", "redeliver", "7", "--destination=dest_1"},
        words{"delivery", "redeliver", "7", "--from=2026-11-20T09:30:00Z"}, words{"event", "list"},
        words{"notification", "replay"}, words{"notification", "list", "--state=lost"},
        words{"notification", "list", "--provider=bank"},
        words{"notification", "replay", "stripe:evt_1", "--mode=prod"}}) {
    const auto c = parsed(arguments);
    INFO(arguments[0] << ' ' << arguments[1] << " -> " << c.text);
    CHECK(c.what == action::usage_error);
  }
}

TEST_CASE("a password comes from the first line of standard input, never from the command line") {
  const words add{"merchant", "user", "add", "--merchant=merch_1", "--email=u@example.com", "--password-stdin"};
  for (const auto* input : {"long enough\n", "long enough", "long enough\r\nsecond line\n"}) {
    const auto c = parsed(add, input);
    REQUIRE(c.what == action::call);
    CHECK(c.call.path == "/operator/users");
    CHECK(boost::json::serialize(c.call.body) ==
          R"({"merchant_id":"merch_1","email":"u@example.com","password":"long enough"})");
  }
  CHECK(parsed(add, "").what == action::usage_error);
  CHECK(parsed(add, "\n").what == action::usage_error);
  CHECK(parsed({"merchant", "user", "add", "--merchant=merch_1", "--email=u@example.com"}, "p\n").what ==
        action::usage_error);
  CHECK(parsed({"merchant", "user", "add", "--merchant=merch_1", "--email=u@example.com", "--password=p"}).what ==
        action::usage_error);
}

TEST_CASE("a provider's settings are read from standard input, never from the command line") {
  const words set{"provider", "set", "--provider=stripe", "--mode=test", "--settings-stdin"};
  for (const std::string input : {R"({"secret_key":"sk_1","api_base":"https://a.example"})",
                                  "{\n  \"secret_key\": \"sk_1\",\n  \"api_base\": \"https://a.example\"\n}\n"}) {
    const auto command = parsed(set, input);
    INFO(command.text);
    REQUIRE(command.what == action::call);
    CHECK(command.call.path == "/operator/providers");
    CHECK(boost::json::serialize(command.call.body) ==
          R"({"provider":"stripe","mode":"test","settings":{"secret_key":"sk_1","api_base":"https://a.example"}})");
  }
  CHECK(parsed({"provider", "set", "--provider=stripe", "--mode=test", "--secret-key=sk_1"}).what ==
        action::usage_error);
}

TEST_CASE("an error in a provider's settings is reported without their content") {
  const words set{"provider", "set", "--provider=stripe", "--mode=test", "--settings-stdin"};
  const struct {
    std::string input, part;
  } rows[] = {{"", "no settings on standard input"},
              {"sk_secret", "expected one JSON object"},
              {R"(["sk_secret"])", "expected one JSON object"},
              {R"({"secret_key":"sk_secret")", "expected one JSON object"},
              {R"({"secret_key":"sk_secret"} {})", "expected one JSON object"},
              {R"({"secret_key":")" + std::string(256 * 1024, 's') + "\"}", "longer than 256 KiB"}};
  for (const auto& row : rows) {
    const auto command = parsed(set, row.input);
    CHECK(command.what == action::usage_error);
    CHECK_THAT(command.text, Contains(row.part) && !Contains("sk_secret"));
  }
}

TEST_CASE("a provider command names an existing provider, and a mode") {
  const std::string settings = R"({"secret_key":"sk"})";
  for (const words& arguments : {words{"provider", "set", "--mode=test", "--settings-stdin"},
                                 {"provider", "set", "--provider=stripe", "--settings-stdin"},
                                 {"provider", "set", "--provider=stripe", "--mode=test"},
                                 {"provider", "set", "--provider=paypal", "--mode=test", "--settings-stdin"},
                                 {"provider", "set", "--provider=stripe", "--mode=both", "--settings-stdin"},
                                 {"provider", "remove", "--provider=stripe"},
                                 {"provider", "remove", "--mode=test"},
                                 {"provider", "list", "--mode=test"},
                                 {"provider", "check", "stripe"},
                                 {"provider", "check", "paypal", "--mode=test"},
                                 {"provider", "register-notifications", "--mode=test"},
                                 {"provider", "backfill", "stripe"},
                                 {"provider", "backfill", "paypal", "--mode=test"},
                                 {"provider"}})
    CHECK(parsed(arguments, settings).what == action::usage_error);
}

TEST_CASE("a user is invited or added with a role, which is owner or viewer") {
  const auto invited = parsed({"merchant", "user", "invite", "--merchant=merch_1", "--email=u@example.com"});
  REQUIRE(invited.what == action::call);
  CHECK(invited.call.path == "/operator/users/invite");
  CHECK(boost::json::serialize(invited.call.body) == R"({"merchant_id":"merch_1","email":"u@example.com"})");
  const auto viewer =
      parsed({"merchant", "user", "invite", "--merchant=merch_1", "--email=u@example.com", "--role=viewer"});
  CHECK(boost::json::serialize(viewer.call.body) ==
        R"({"merchant_id":"merch_1","email":"u@example.com","role":"viewer"})");
  CHECK(parsed({"merchant", "user", "invite", "--merchant=merch_1", "--email=u@e.com", "--role=king"}).what ==
        action::usage_error);
  for (const auto* command : {"add", "invite"})
    CHECK(parsed({"merchant", "user", command, "--help"}).text.find("[the present role, else owner]") !=
          std::string::npos);
}

TEST_CASE("the data directory and --json may be before or after the command") {
  for (const auto& c : {parsed({"--data-dir=/srv/gw", "--json", "key", "revoke", "K"}),
                        parsed({"key", "revoke", "K", "--json", "--data-dir", "/srv/gw"})}) {
    CHECK(c.what == action::call);
    CHECK(c.data_dir == "/srv/gw");
    CHECK(c.json);
  }
  const auto plain = parsed({"key", "revoke", "K"});
  CHECK(plain.data_dir == "data");
  CHECK_FALSE(plain.json);
}

TEST_CASE("a usage error is one line that names what is wrong") {
  struct row {
    words arguments;
    std::string names;
  };
  const row rows[] = {
      {{}, "subcommand"},
      {{"merchant"}, "subcommand"},
      {{"platform"}, "subcommand"},
      {{"platform", "create", "--name=A", "--contact=a@b.example", "--redirect-uri=https://a.example/"}, "--slug"},
      {{"platform", "create", "--slug=a", "--contact=a@b.example", "--redirect-uri=https://a.example/"}, "--name"},
      {{"platform", "create", "--slug=a", "--name=A", "--redirect-uri=https://a.example/"}, "--contact"},
      {{"platform", "create", "--slug=a", "--name=A", "--contact=a@b.example"}, "--redirect-uri"},
      {{"platform", "set", "--name=A"}, "--platform"},
      {{"platform", "set", "--platform=plat_1", "--name", ""}, "--name"},
      {{"platform", "set", "--platform=plat_1", "--slug=tea"}, "--slug"},
      {{"platform", "suspend"}, "platform"},
      {{"platform", "resume", "plat_1", "plat_2"}, "plat_2"},
      {{"platform", "key", "mint"}, "--platform"},
      {{"merchant", "create"}, "--name"},
      {{"merchant", "create", "--name=A", "--entity=bank"}, "--entity"},
      {{"merchant", "create", "--name=A", "--name=B"}, "--name"},
      {{"merchant", "create", "--name=A", "--colour=red"}, "--colour"},
      {{"merchant", "key", "mint", "--merchant=M"}, "--mode"},
      {{"merchant", "key", "mint", "--merchant=M", "--mode=prod"}, "--mode"},
      {{"key", "revoke"}, "key"},
      {{"key", "revoke", "A", "B"}, "B"},
      {{"operator", "add", "ann"}, "--role"},
      {{"operator", "add", "ann", "--role=king"}, "--role"},
      {{"operator", "reset", "ann", "bob"}, "bob"},
      {{"subscription", "list"}, "--merchant"},
      {{"subscription", "show"}, "ID"},
      {{"sandbox", "subscription", "--update"}, "ID"},
      {{"sandbox", "subscription", "box-17"}, "--cycle"},
      {{"sandbox", "subscription", "box-17", "--cycle=lost"}, "--cycle"},
      {{"sandbox", "subscription", "box-17", "--cycle=paid", "--update"}, "--cycle"},
      {{"sandbox", "subscription", "box-17", "--expire", "--delete"}, "--delete"},
      {{"sandbox", "subscription", "box-17", "--update", "--repeat=0"}, "--repeat"},
      {{"sandbox", "subscription", "box-17", "--update", "--repeat=101"}, "--repeat"},
      {{"connection", "set", "--merchant=M", "--mode=test", "--provider=bank", "--status=connected"}, "--provider"},
      {{"connection", "set", "--merchant=M", "--mode=test", "--provider=sandbox", "--status=on"}, "--status"},
      {{"route", "set", "--merchant=M", "--mode=test", "--provider=sandbox", "--currencies=", "--methods=card"},
       "--currencies"},
      {{"route", "set", "--merchant=M", "--mode=test", "--provider=sandbox", "--currencies=USD,,EUR", "--methods=card"},
       "--currencies"},
      {{"route", "set", "--merchant=M", "--mode=test", "--provider=sandbox", "--currencies=USD", "--methods=card,"},
       "--methods"}};
  for (const auto& r : rows) {
    const auto c = parsed(r.arguments);
    INFO(c.text);
    CHECK(c.what == action::usage_error);
    CHECK_THAT(c.text, Catch::StartsWith("gatewayctl: ") && Contains(r.names));
    CHECK(c.text.find('\n') == std::string::npos);
  }
}

TEST_CASE("help is printed for the command that asks for it") {
  CHECK_THAT(parsed({"--help"}).text, Contains("merchant") && Contains("connection") && Contains("route"));
  // The program's own help names every command.
  CHECK_THAT(parsed({"--help"}).text,
             Contains("  merchant      create, list, show, branding, key mint, user add, user invite\n") &&
                 Contains("  operator      add, list, remove, reset\n") && Contains("\n  search\n") &&
                 Contains("Exit status"));
  CHECK_THAT(parsed({"merchant", "list", "--help"}).text, Contains("--search TEXT") && Contains("1 to 100"));
  const auto mint = parsed({"merchant", "key", "mint", "--help"});
  CHECK(mint.what == action::information);
  CHECK_THAT(mint.text, Contains("--scopes") && Contains("payments:write payments:read mcp:read"));
  CHECK(parsed({"--version"}).what == action::information);
}

TEST_CASE("compliance takes as many requests as necessary, and no argument") {
  CHECK(parsed({"compliance"}).what == action::compliance);
  const auto as_json = parsed({"--json", "compliance"});
  CHECK(as_json.what == action::compliance);
  CHECK(as_json.json);
  CHECK(parsed({"compliance", "3.2.1"}).what == action::usage_error);
}

TEST_CASE("backups are made and verified, and a database recovered, by as many requests as necessary") {
  const auto made = parsed({"--json", "backup", "/backup/today"});
  REQUIRE(made.what == action::make_backup);
  CHECK(made.backup.to == "/backup/today");
  CHECK(made.backup.as_json);
  CHECK(made.backup.data_dir == made.data_dir);
  const auto verified = parsed({"backup-verify", "today"});
  REQUIRE(verified.what == action::verify_backup);
  CHECK(verified.backup.to == "today");
  const auto recorded = parsed({"backup-record", "/backup/server"});
  REQUIRE(recorded.what == action::record_backup);
  CHECK(recorded.backup.to == "/backup/server");
  const auto recovered = parsed({"recover", "--from=2026-11-20T09:30:00.125Z"});
  REQUIRE(recovered.what == action::recover);
  CHECK(recovered.recover.from == "2026-11-20T09:30:00.125Z");
  CHECK_FALSE(recovered.recover.accepts_unanswered);
  CHECK(parsed({"recover", "--from=2026-11-20T09:30:00Z", "--accept-unanswered"}).recover.accepts_unanswered);
  for (const auto& wrong : std::vector<words>{{"backup"},
                                              {"backup", ""},
                                              {"backup-record"},
                                              {"backup-verify"},
                                              {"recover"},
                                              {"recover", "--from=yesterday"},
                                              {"recover", "--from=2026-11-20"}})
    CHECK(parsed(wrong).what == action::usage_error);
}

TEST_CASE("the audit log is listed by a call, and exported and verified by as many as necessary") {
  check_calls({{{"audit", "list"}, "/operator/audit/list", R"({"limit":100})"},
               {{"audit", "list", "--from=2026-11-01", "--to", "2026-11-30", "--merchant", "merch_1", "--limit=5"},
                "/operator/audit/list",
                R"({"from":"2026-11-01T00:00:00Z","to":"2026-12-01T00:00:00Z","merchant_id":"merch_1","limit":5})"},
               {{"audit", "list", "--to=2026-11-20T09:30:00Z", "--after=bmV4dA"},
                "/operator/audit/list",
                R"({"after":"bmV4dA","to":"2026-11-20T09:30:00Z","limit":100})"}});
  const auto exported = parsed({"audit", "export", "--merchant=merch_1"});
  REQUIRE(exported.what == action::export_audit);
  CHECK(boost::json::serialize(exported.audit_export.filter) == R"({"merchant_id":"merch_1"})");
  const auto verified = parsed({"--json", "audit", "verify", "--head=3:7:ab"});
  REQUIRE(verified.what == action::verify_audit);
  CHECK(verified.audit_verify.as_json);
  REQUIRE(verified.audit_verify.heads.size() == 1);
  CHECK(verified.audit_verify.heads[0].chain == 3);
  CHECK(verified.audit_verify.heads[0].number == 7);
  CHECK(verified.audit_verify.heads[0].hash == "ab");
  for (const auto& wrong : std::vector<words>{{"audit", "verify", "--head=3:7"},
                                              {"audit", "verify", "--head=x:7:ab"},
                                              {"audit", "verify", "--head=3:0:ab"},
                                              {"audit", "list", "--from=yesterday"},
                                              {"audit", "export", "--to=20261101"}})
    CHECK(parsed(wrong).what == action::usage_error);
}

TEST_CASE("a report and a reconciliation are distinguished from calls, with days of which the last counts") {
  const auto report = parsed({"report", "--from", "2026-11-01", "--to=2026-11-30", "--merchant", "merch_1"});
  REQUIRE(report.what == action::report);
  CHECK(report.report.merchant == "merch_1");
  CHECK_FALSE(report.report.env);
  CHECK((report.report.to - report.report.from).count() == 29);
  CHECK_FALSE(report.report.as_json);
  CHECK(parsed({"--json", "report", "--from=2026-11-01", "--to=2026-11-01", "--mode=test"}).report.as_json);
  CHECK(parsed({"report", "--from=2026-11-01", "--to=2026-11-01", "--format=json"}).report.as_json);
  CHECK_FALSE(parsed({"--json", "report", "--from=2026-11-01", "--to=2026-11-01", "--format=csv"}).report.as_json);

  const auto whole = parsed({"reconcile", "report.csv", "--provider", "jazzcash", "--mode", "test"});
  REQUIRE(whole.what == action::reconcile);
  CHECK(whole.reconcile.file == "report.csv");
  CHECK(whole.reconcile.provider == gateway::provider_kind::jazzcash);
  CHECK(whole.reconcile.env == gateway::environment::test);
  CHECK_FALSE(whole.reconcile.from);
  const auto by_itself = parsed({"reconcile", "report.csv"});
  REQUIRE(by_itself.what == action::reconcile);
  CHECK_FALSE(by_itself.reconcile.provider);
  CHECK_FALSE(by_itself.reconcile.env);
  CHECK(parsed({"reconcile", "r.csv", "--provider=stripe", "--from=2026-11-01", "--to=2026-11-02"}).reconcile.to);

  for (const auto& wrong : std::vector<words>{{"report"},
                                              {"report", "--from=2026-11-01"},
                                              {"report", "--from=2026-11-31", "--to=2026-12-01"},
                                              {"report", "--from=2026-11-02", "--to=2026-11-01"},
                                              {"report", "--from=2000-01-01", "--to=2026-11-01"},
                                              {"report", "--from=2026-11-01", "--to=2026-11-02", "--format=xml"},
                                              {"reconcile", "--provider=stripe"},
                                              {"reconcile", "r.csv", "--provider=bank"},
                                              {"reconcile", "r.csv", "--provider=stripe", "--from=2026-11-01"}})
    CHECK(parsed(wrong).what == action::usage_error);
}

TEST_CASE("an invalid delivery number is reported in words") {
  for (const auto& wrong : std::vector<words>{{"delivery", "show", "abc"},
                                              {"delivery", "redeliver", "abc"},
                                              {"delivery", "redeliver", "0"},
                                              {"delivery", "redeliver", "-1"},
                                              {"delivery", "redeliver", "7x"},
                                              {"delivery", "redeliver", "99999999999999999999"},
                                              {"delivery", "list", "--before=-1"}}) {
    const auto answer = parsed(wrong);
    CHECK(answer.what == action::usage_error);
    CHECK_THAT(answer.text, Contains("must be a delivery's number") && !Contains("0.000000"));
  }
}
