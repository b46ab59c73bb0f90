// The operator socket's lists of merchants and of what belongs to them, and its search.
#include "http/operator/searches.hpp"

#include <algorithm>

#include "gateway/domain/timed_id.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

const merchant_id tea{"merch_1"};

struct searches_fixture : gateway_fixture {
  std::pair<int, std::string> ask_socket(std::string_view path, std::string_view body) {
    const auto out = run(unsigned_request("POST", path, body), handle_operator);
    return {out.status, out.body};
  }
  std::string found_by(const std::string& text) {
    const auto [status, body] = ask_socket("/operator/search", R"({"text":")" + text + R"("})");
    CHECK(status == 200);
    return body;
  }
};

save_merchant a_shop(const std::string& id, std::int64_t minute) {
  return {merchant_id{id},       entity_id{"ent_" + id}, "Tea \"&\" Co",
          merchant_kind::wallet, "o@tea.example",        noon + minute * 1min};
}

/// The whole entry of the merchant, with secrets that no answer may have.
directory_lookup whole_entry() {
  directory_lookup entry;
  entry.merchants.push_back(a_shop("merch_1", 0));
  stored_key newer{
      {key_id{"mk_live_2"}, tea, environment::live, *parse_scopes("payments:read"), "sealed-one", noon + 1h}, true};
  stored_key older{{key_id{"mk_test_9"}, tea, environment::test, *parse_scopes("payments:read"), "sealed-two", noon}};
  older.key.name = "till";
  older.key.created_by = "ada@tea.example";
  older.last_used_on = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};
  entry.keys = {newer, older};
  route way{environment::test, provider_kind::sandbox, 3, {*currency::parse("HKD")}, {payment_method_kind::card}};
  entry.routes.push_back({tea, way, "route_1"});
  entry.connections.push_back(
      {tea, {environment::test, provider_kind::sandbox, connection_status::connected, ""}, "conn_1"});
  stored_destination hooks;
  hooks.what = {destination_id{"dest_1"},
                destination_kind::merchant,
                "merch_1",
                environment::test,
                "https://tea.example/hooks",
                {"payment.captured"},
                destination_status::enabled,
                {},
                noon};
  hooks.sealed_secret = "sealed-three";
  entry.destinations.push_back(hooks);
  entry.users = {{user_id{"user_1"}, "ada@tea.example", true}, {user_id{"user_2"}, "ben@tea.example", false}};
  entry.memberships = {{tea, user_id{"user_1"}, member_role::owner, noon}};
  entry.invitations = {
      {tea, user_id{"user_2"}, "secret-id", invited_by::owner, member_role::viewer, noon + 1h, noon + 2h}};
  return entry;
}

constexpr std::string_view whole_keys =
    R"("keys":[{"key_id":"mk_test_9","name":"till","mode":"test","scopes":"payments:read",)"
    R"("created_at":"2026-11-20T12:00:00.000Z","created_by":"ada@tea.example","last_used_on":"2026-11-20","status":"active"},)"
    R"({"key_id":"mk_live_2","name":null,"mode":"live","scopes":"payments:read","created_at":"2026-11-20T13:00:00.000Z",)"
    R"("created_by":null,"last_used_on":null,"status":"revoked"}])";
constexpr std::string_view whole_routes =
    R"("routes":[{"id":"route_1","mode":"test","provider":"sandbox","position":3,"currencies":["HKD"],"methods":["card"]}])";
constexpr std::string_view whole_connections =
    R"("connections":[{"id":"conn_1","mode":"test","provider":"sandbox","status":"connected","account":null}])";
constexpr std::string_view whole_users =
    R"("users":[{"user_id":"user_1","email":"ada@tea.example","role":"owner","status":"active","created_at":"2026-11-20T12:00:00.000Z"},)"
    R"({"user_id":"user_2","email":"ben@tea.example","role":"viewer","status":"invited","created_at":"2026-11-20T13:00:00.000Z"}])";

}  // namespace

TEST_CASE_METHOD(searches_fixture, "merchants are listed by the page, and `next` leads to the next one") {
  std::vector<find_merchants> asked;
  scene.of<find_merchants>() = [&](const find_merchants& what) {
    asked.push_back(what);
    merchants_lookup out;
    for (std::uint32_t i = 0; i < what.limit; ++i) out.merchants.push_back(a_shop("merch_" + std::to_string(i), -i));
    out.next = merchant_position{out.merchants.back().created_at, out.merchants.back().id};
    return out;
  };
  const auto [status, body] = ask_socket("/operator/merchants/list", R"({"search":"tea","limit":1})");
  CHECK(status == 200);
  const auto next = std::to_string(to_unix_ms(noon)) + "/merch_0";
  CHECK(body ==
        R"({"merchants":[{"merchant_id":"merch_0","entity_id":"ent_merch_0","name":"Tea \"&\" Co","entity":"wallet",)"
        R"("owner_email":"o@tea.example","created_at":"2026-11-20T12:00:00.000Z"}],"next":")" +
            next + R"("})");
  REQUIRE(asked.size() == 1);
  CHECK(asked.front().search == "tea");
  CHECK_FALSE(asked.front().after);
  ask_socket("/operator/merchants/list", R"({"after":")" + next + R"("})");
  CHECK(asked.back().after == merchant_position{noon, merchant_id{"merch_0"}});
  CHECK(asked.back().limit == 51);
  for (const auto* wrong : {R"({"limit":0})", R"({"limit":101})", R"({"after":"merch_0"})", R"({"after":"7/"})"})
    CHECK(ask_socket("/operator/merchants/list", wrong).first == 400);
}

TEST_CASE_METHOD(searches_fixture, "a search among merchants continues until its page is full or all are read") {
  int asked = 0;
  scene.of<find_merchants>() = [&](const find_merchants& what) {
    merchants_lookup out;
    if (++asked == 3) out.merchants.push_back(a_shop("merch_7", 0));
    if (asked < 4) out.next = merchant_position{noon - asked * 1min, merchant_id{"merch_x"}};
    CHECK(what.after.has_value() == (asked > 1));
    return out;
  };
  const auto body = ask_socket("/operator/merchants/list", R"({"search":"tea"})").second;
  CHECK(asked == 4);
  CHECK(body.find("merch_7") != body.npos);
  CHECK(body.ends_with(R"(],"next":null})"));
  scene.of<find_merchants>() = [](const find_merchants&) -> caf::expected<merchants_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(ask_socket("/operator/merchants/list", "{}").first == 503);
}

TEST_CASE_METHOD(searches_fixture, "a merchant is shown with all that belongs to it, and each part has a list") {
  scene.entries = [](const find_directory& what) {
    return what.of.front().text == "merch_1" ? whole_entry() : directory_lookup{};
  };
  const std::string of_merchant = R"({"merchant_id":"merch_1"})";
  const auto shown = ask_socket("/operator/merchants/show", of_merchant).second;
  for (const auto part : {whole_keys, whole_routes, whole_connections, whole_users}) {
    CAPTURE(shown);
    CHECK(shown.find(part) != shown.npos);
  }
  CHECK(shown.starts_with(
      R"({"merchant_id":"merch_1","entity_id":"ent_merch_1","name":"Tea \"&\" Co","entity":"wallet",)"));
  CHECK(shown.find(R"("destinations":[{"id":"dest_1","mode":"test","url":"https://tea.example/hooks")") != shown.npos);
  CHECK(shown.find("sealed") == shown.npos);
  CHECK(shown.find("secret") == shown.npos);
  CHECK(shown.find("branding") == shown.npos);
  scene.entries = [](const find_directory& what) {
    if (what.of.front().text != "merch_1") return directory_lookup{};
    auto entry = whole_entry();
    entry.brandings.push_back({merchant_id{"merch_1"}, {"Tea House", "#0a7d4f", "", "0123"}});
    return entry;
  };
  CHECK(ask_socket("/operator/merchants/show", of_merchant)
            .second.find(R"("branding":{"shop_name":"Tea House","colour":"#0a7d4f","logo_sha256":"0123"})") !=
        std::string::npos);
  const auto wrapped = [](std::string_view part) { return std::pair{200, "{" + std::string{part} + "}"}; };
  CHECK(ask_socket("/operator/keys/list", of_merchant) == wrapped(whole_keys));
  CHECK(ask_socket("/operator/routes/list", of_merchant) == wrapped(whole_routes));
  CHECK(ask_socket("/operator/connections/list", of_merchant) == wrapped(whole_connections));
  CHECK(ask_socket("/operator/users/list", of_merchant) == wrapped(whole_users));
  for (const auto* path : {"/operator/merchants/show", "/operator/keys/list", "/operator/routes/list",
                           "/operator/connections/list", "/operator/users/list"}) {
    INFO(path);
    CHECK(ask_socket(path, R"({"merchant_id":"merch_x"})").first == 404);
    CHECK(ask_socket(path, "{}").first == 400);
  }
  CHECK(ask_socket("/operator/keys/list", R"({"merchant_id":"merch_1","platform_id":"plat_1"})").first == 400);
}

TEST_CASE_METHOD(searches_fixture, "the keys of a platform have no mode") {
  scene.entries = [](const find_directory& what) {
    directory_lookup entry;
    if (what.of.front() != directory_name{directory_name::kind::platform, "plat_1"}) return entry;
    entry.platforms.push_back({platform_id{"plat_1"}, "tea", "Tea"});
    entry.platform_keys.push_back(
        {{key_id{"mk_platform_00000001"}, platform_id{"plat_1"}, *parse_scopes("payments:read"), "sealed", noon},
         true});
    return entry;
  };
  CHECK(ask_socket("/operator/keys/list", R"({"platform_id":"plat_1"})").second ==
        R"({"keys":[{"key_id":"mk_platform_00000001","name":null,"mode":null,"scopes":"payments:read",)"
        R"("created_at":"2026-11-20T12:00:00.000Z","created_by":null,"last_used_on":null,"status":"revoked"}]})");
  CHECK(ask_socket("/operator/keys/list", R"({"platform_id":"plat_2"})").first == 404);
}

TEST_CASE_METHOD(searches_fixture,
                 "a search shows a payment of every merchant, and what a request and an event were about") {
  auto elsewhere = *waiting_payment();
  elsewhere.key.merchant = merchant_id{"merch_2"};
  scene.of<find_payments_everywhere>() = [&](const find_payments_everywhere& what) {
    payments_everywhere_lookup out;
    if (what.text != "pay_1" && what.text != "cs_1") return out;
    // Two parts: the second is asked for behind the first.
    if (what.after.empty()) {
      out.payments.push_back(waiting_payment());
      out.next = merchant_id{"merch_1"};
    } else {
      out.payments.push_back(std::make_shared<const payment>(elsewhere));
    }
    return out;
  };
  const std::string both =
      R"({"results":[{"kind":"payment","id":"pay_1","merchant_id":"merch_1","mode":"test","text":"processing, HKD 42.00, sandbox cs_1"},)"
      R"({"kind":"payment","id":"pay_1","merchant_id":"merch_2","mode":"test","text":"processing, HKD 42.00, sandbox cs_1"}]})";
  CHECK(found_by("pay_1") == both);
  CHECK(found_by(" cs_1 ") == both);
  CHECK(found_by("pay_2") == R"({"results":[]})");

  scene.rows = [](const find_entity& what) {
    entity_lookup out;
    if (what.key == waiting_payment()->key) out.found = waiting_payment();
    return out;
  };
  scene.of<find_events_by_id>() = [](const find_events_by_id& what) {
    events_by_id_lookup out;
    if (what.event_id == "evt_1")
      out.events.push_back({"evt_1", waiting_payment()->key, 2, "payment.captured", noon, std::string{"{}"}});
    return out;
  };
  const std::string payment_row =
      R"({"kind":"payment","id":"pay_1","merchant_id":"merch_1","mode":"test","text":"processing, HKD 42.00, sandbox cs_1"})";
  CHECK(
      found_by("evt_1") ==
      R"({"results":[{"kind":"event","id":"evt_1","merchant_id":"merch_1","mode":"test","text":"payment.captured of pay_1"},)" +
          payment_row + "]}");

  const auto made = system_wall_clock{}.now();
  const auto request = timed_id("req_", made, "00112233445566778899");
  scene.of<find_requests>() = [&](const find_requests& what) {
    requests_lookup out;
    // The gateway's clock stands at noon: the span of time is by its clock.
    if (what.request_id == request && what.from < noon && noon < what.until)
      out.requests.push_back({tea, environment::test, "create", "payment", "pay_1", noon});
    return out;
  };
  CHECK(found_by(request) == R"({"results":[{"kind":"request","id":")" + request +
                                 R"(","merchant_id":"merch_1","mode":"test","text":"create of pay_1"},)" + payment_row +
                                 "]}");
}

TEST_CASE_METHOD(searches_fixture, "a search finds by names, addresses and the directory's ids, without secrets") {
  auto entry = whole_entry();
  entry.platforms.push_back({platform_id{"plat_1"}, "tea-time", "Tea Time", "security@tea.example"});
  entry.platform_keys.push_back(
      {{key_id{"mk_platform_00000001"}, platform_id{"plat_1"}, *parse_scopes("payments:read"), "sealed", noon}});
  scene.entries = [&](const find_directory&) { return entry; };
  scene.of<find_merchants>() = [](const find_merchants& what) {
    merchants_lookup out;
    if (what.search == "TEA" || what.entity == "ent_merch_1") out.merchants.push_back(a_shop("merch_1", 0));
    return out;
  };
  scene.of<find_people>() = [](const find_people& what) {
    people_lookup out;
    if (what.search == "TEA")
      out.people.push_back({user_id{"user_1"}, "ada@tea.example", {tea, merchant_id{"merch_2"}}});
    return out;
  };
  scene.of<find_operators>() = [](const find_operators&) {
    return operators_lookup{{{"ada", operator_role::admin, true}, {"steam", operator_role::viewer, true}}};
  };
  const std::string shop =
      R"({"kind":"merchant","id":"merch_1","merchant_id":"merch_1","mode":null,"text":"Tea \"&\" Co, o@tea.example"})";
  CHECK(
      found_by("TEA") ==
      R"({"results":[{"kind":"platform","id":"plat_1","merchant_id":null,"mode":null,"text":"Tea Time, security@tea.example, active"},)" +
          shop +
          R"(,{"kind":"user","id":"user_1","merchant_id":"merch_1","mode":null,"text":"ada@tea.example"},)"
          R"({"kind":"user","id":"user_1","merchant_id":"merch_2","mode":null,"text":"ada@tea.example"},)"
          R"({"kind":"operator","id":"steam","merchant_id":null,"mode":null,"text":"viewer"}]})");
  CHECK(found_by("ent_merch_1") == R"({"results":[)" + shop + "]}");
  struct row {
    const char* text;
    const char* result;
  };
  for (const auto& [text, result] :
       {row{"merch_1", R"("kind":"merchant","id":"merch_1")"},
        row{"mk_test_9",
            R"("kind":"key","id":"mk_test_9","merchant_id":"merch_1","mode":"test","text":"till: payments:read")"},
        row{"mk_live_2", R"("text":"payments:read, revoked")"},
        row{"mk_platform_00000001", R"("text":"plat_1: payments:read")"},
        row{"dest_1", R"("kind":"destination","id":"dest_1","merchant_id":"merch_1","mode":"test")"}}) {
    const auto body = found_by(text);
    CAPTURE(text, body);
    CHECK(body.find(result) != body.npos);
    CHECK(body.find("sealed") == body.npos);
  }
}

TEST_CASE_METHOD(searches_fixture, "a search returns at most 50 results, refuses blanks, and is whole or fails") {
  scene.of<find_merchants>() = [](const find_merchants& what) {
    merchants_lookup out;
    for (std::uint32_t i = 0; i < what.limit; ++i) out.merchants.push_back(a_shop("merch_" + std::to_string(i), -i));
    out.next = merchant_position{noon, tea};
    return out;
  };
  const auto body = found_by("tea");
  std::size_t rows = 0;
  for (auto at = body.find("{\"kind\""); at != body.npos; at = body.find("{\"kind\"", at + 1)) ++rows;
  CHECK(rows == most_search_results);
  for (const auto& wrong : {std::string{}, std::string{"  "}, std::string(longest_search + 1, 'x')})
    CHECK(ask_socket("/operator/search", R"({"text":")" + wrong + R"("})").first == 400);
  CHECK(ask_socket("/operator/search", "{}").first == 400);
  scene.grants = [](const find_grant&) -> caf::expected<grant_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(ask_socket("/operator/search", R"({"text":"tea"})").first == 503);
}
