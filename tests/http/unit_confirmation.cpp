// Actions of the portal that cannot be taken back: the first post is answered with a page that asks, and only the token
// of that page, in the same session, for the same verb and object, makes the second post act.
#include <map>

#include "gateway/domain/url.hpp"
#include "http/html/forms.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view form_type = "application/x-www-form-urlencoded";
const std::string test_pages = "/portal/merch_1/test/";

/// An action, the fields that name its object, and those that name another object of the same kind.
struct asked_action {
  std::string page, verb, object, another;
};
const asked_action asked_actions[] = {
    {"keys", "revoke", "key_id=mk_test_0000000000000001", "key_id=mk_test_0000000000000002"},
    {"platforms", "revoke", "grant_id=grant_1", "grant_id=grant_2"},
    {"destinations/dest_1", "disable", "reason=new+office", ""},
    {"team", "remove", "user_id=user_2", "user_id=user_3"},
};

struct confirmation_fixture : gateway_fixture {
  const std::string first_cookie = std::string(64, 'a'), second_cookie = std::string(64, 'b');
  std::vector<operator_command> commands;
  member_role role = member_role::owner;

  confirmation_fixture() {
    scene.sessions = [this](const find_session& what) {
      auto found = session_found_by(what, first_cookie, noon + 11h, role);
      return found.found ? found : session_found_by(what, second_cookie, noon + 11h, role);
    };
    scene.operators = [this](const operator_command& what) -> caf::result<operator_result> {
      commands.push_back(what);
      if (std::holds_alternative<withdraw_invitation>(what)) return operator_result{no_such("invitation", "of user_2")};
      return operator_result{named_result{"thing", "done"}};
    };
    scene.router = [](const entity_request&) {
      return entity_reply{entity_row{std::make_shared<const grant_binding>()}};
    };
    scene.grants = [](const find_grant& what) {
      grant_lookup found;
      if (what.id.value != "grant_9")
        found.binding = binding_key(merchant_id{"merch_1"}, environment::test, platform_id{"plat_1"});
      return found;
    };
    scene.entries = [](const find_directory&) {
      directory_lookup rows;
      for (const std::string n : {"1", "2", "3"}) {
        rows.users.push_back({user_id{"user_" + n}, "person" + n + "@example.com", true});
        rows.memberships.push_back({merchant_id{"merch_1"}, user_id{"user_" + n}, member_role::owner, noon});
      }
      stored_key key{{key_id{"mk_test_0000000000000001"},
                      merchant_id{"merch_1"},
                      environment::test,
                      {},
                      "sealed",
                      noon,
                      "till <1>",
                      "ada@example.com"},
                     false,
                     std::chrono::floor<std::chrono::days>(noon)};
      rows.keys.push_back(std::move(key));
      return rows;
    };
    publish_key("mk_test_0000000000000002", default_merchant_scopes);
    auto shop = *merchants.find_merchant(merchant_id{"merch_1"});
    for (const std::string id : {"dest_1", "dest_2"}) {
      destination to;
      to.id = destination_id{id};
      to.owner = "merch_1";
      to.url = "https://shop.example/" + id;
      shop.destinations.push_back(std::move(to));
    }
    merchants.publish(std::make_shared<const merchant>(std::move(shop)));
  }

  response post(const std::string& page, const std::string& cookie, const std::string& fields) {
    const auto path = test_pages + page;
    const auto body = "csrf=" + csrf_token(shared.form_key, cookie, "page\n" + path) + '&' + fields;
    auto in = unsigned_request("POST", path, body, form_type);
    const auto jar = "__Host-session=" + cookie;
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  response press(const asked_action& what, const std::string& fields, const std::string& token = {}) {
    return post(what.page, first_cookie, fields_of(what, fields, token));
  }
  static std::string fields_of(const asked_action& what, const std::string& fields, const std::string& token) {
    return "action=" + what.verb + '&' + fields + (token.empty() ? "" : "&confirm=" + token);
  }
  bool has_acted() const { return !commands.empty() || !scene.seen.empty(); }
};

std::string token_in(const response& page) {
  const std::string_view before = "name=\"confirm\" value=\"";
  const auto at = page.body.find(before);
  if (at == std::string::npos) return {};
  return page.body.substr(at + before.size(), page.body.find('"', at + before.size()) - at - before.size());
}

bool contains_text(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(confirmation_fixture, "an action that cannot be taken back asks first, and its own page makes it") {
  for (const auto& each : asked_actions) {
    CAPTURE(each.page);
    commands.clear();
    scene.seen.clear();
    const auto asking = press(each, each.object);
    CHECK(asking.status == 200);
    CHECK_FALSE(has_acted());
    CHECK(contains_text(asking, "name=\"action\" value=\"" + each.verb + '"'));
    const auto field = each.object.substr(0, each.object.find('='));
    CHECK(contains_text(asking, "type=\"hidden\" name=\"" + field + '"'));
    const auto token = token_in(asking);
    CHECK(token.size() == 64);
    CHECK(token_in(press(each, each.object)) == token);
    const auto done = press(each, each.object, token);
    CHECK(done.status == 303);
    CHECK(header(done, "Location") == "https://pay.example" + test_pages + each.page + "?done=" + each.verb);
    CHECK(has_acted());
  }
}

TEST_CASE_METHOD(confirmation_fixture,
                 "a token that is missing, invented, another's or repeated asks again and changes nothing") {
  std::map<std::string, std::string> tokens;
  for (const auto& each : asked_actions) tokens[each.page] = token_in(press(each, each.object));
  for (const auto& each : asked_actions) {
    CAPTURE(each.page);
    std::vector<std::string> wrong{"", "x", std::string(64, '0'), tokens[each.page].substr(1), tokens[each.page] + '0'};
    for (const auto& [page, token] : tokens)
      if (page != each.page) wrong.push_back(token);
    if (!each.another.empty()) wrong.push_back(token_in(press(each, each.another)));
    wrong.push_back(token_in(post(each.page, second_cookie, fields_of(each, each.object, {}))));
    wrong.push_back(tokens[each.page] + "&confirm=" + tokens[each.page]);
    const auto path = test_pages + each.page;
    wrong.push_back(csrf_token(shared.form_key, first_cookie, "page\n" + path));
    for (const auto& token : wrong) {
      CAPTURE(token);
      const auto asking = press(each, each.object + "&confirm=" + token);
      CHECK(asking.status == 200);
      CHECK(token_in(asking) == tokens[each.page]);
      CHECK_FALSE(has_acted());
    }
  }
}

TEST_CASE_METHOD(confirmation_fixture, "a destination's token is not valid for the other destination") {
  const asked_action first{"destinations/dest_1", "disable", "", ""}, second{"destinations/dest_2", "disable", "", ""};
  const auto token = token_in(press(first, "reason="));
  CHECK(press(second, "reason=", token).status == 200);
  CHECK_FALSE(has_acted());
}

TEST_CASE_METHOD(confirmation_fixture, "the page that asks needs the page's token and an owner, as the action does") {
  for (const auto& each : asked_actions) {
    CAPTURE(each.page);
    const auto token = token_in(press(each, each.object));
    const auto path = test_pages + each.page;
    auto forged = unsigned_request("POST", path);
    const auto body = "csrf=" + std::string(64, '0') + '&' + fields_of(each, each.object, token);
    forged.body = body;
    forged.content_type = form_type;
    const auto jar = "__Host-session=" + first_cookie;
    forged.cookie = jar;
    CHECK(run(forged).status == 403);
    role = member_role::viewer;
    CHECK(press(each, each.object, token).status == 403);
    role = member_role::owner;
    CHECK_FALSE(has_acted());
  }
}

TEST_CASE_METHOD(confirmation_fixture, "what does not exist is not asked about") {
  CHECK(press(asked_actions[0], "key_id=mk_test_0000000000000009").status == 404);
  CHECK(press(asked_actions[1], "grant_id=grant_9").status == 404);
  CHECK(press({"destinations/dest_9", "disable", "", ""}, "reason=").status == 404);
  CHECK(press(asked_actions[3], "user_id=user_9").status == 404);
  CHECK_FALSE(has_acted());
}

TEST_CASE_METHOD(confirmation_fixture, "the page that asks names what ends, and what was typed goes on with it") {
  const auto key = press(asked_actions[0], asked_actions[0].object);
  CHECK(contains_text(key, "till &lt;1&gt;"));
  CHECK(contains_text(key, "ada@example.com"));
  CHECK(contains_text(key, "href=\"https://pay.example" + test_pages + "keys\">Keep the key<"));
  const auto person = press(asked_actions[3], asked_actions[3].object);
  CHECK(contains_text(person, "Remove person2@example.com?"));
  const auto destination = press(asked_actions[2], asked_actions[2].object);
  CHECK(contains_text(destination, "https://shop.example/dest_1"));
  CHECK(contains_text(destination, "name=\"reason\" value=\"new office\""));
  press(asked_actions[2], "reason=new+office", token_in(destination));
  REQUIRE(commands.size() == 1);
  CHECK(std::get<disable_destination>(commands[0]).reason == "new office");
}

TEST_CASE_METHOD(confirmation_fixture, "a key made in the portal has the name that was typed and its maker's address") {
  const auto mint = [&](const std::string& name) {
    commands.clear();
    return post("keys", first_cookie, "action=mint&scopes=payments:read&name=" + percent_encoded(name));
  };
  scene.operators = [&](const operator_command& what) -> caf::result<operator_result> {
    commands.push_back(what);
    return operator_result{minted_key{key_id{"mk_test_9"}, "secret", {}}};
  };
  const auto page = mint("The till & co");
  CHECK(page.status == 200);
  CHECK(contains_text(page, "The till &amp; co"));
  REQUIRE(commands.size() == 1);
  CHECK(std::get<mint_key>(commands[0]).name == "The till & co");
  CHECK(std::get<mint_key>(commands[0]).created_by == "ada@example.com");
  CHECK(mint({}).status == 200);
  std::string longest;
  for (std::size_t i = 0; i < most_key_name; ++i) longest += "\xe5\xba\x97";
  CHECK(mint(longest).status == 200);
  for (const auto& wrong : {longest + "x", std::string{"two\nlines"}}) {
    const auto refused = mint(wrong);
    CHECK(refused.status == 422);
    CHECK(contains_text(refused, "id=\"mint-name-fault\" role=\"alert\">"));
    CHECK(commands.empty());
  }
}

TEST_CASE_METHOD(confirmation_fixture, "the list of keys has each key's name, its maker and the day of its last use") {
  auto in = unsigned_request("GET", test_pages + "keys");
  const auto path = test_pages + "keys", jar = "__Host-session=" + first_cookie;
  in.path = path;
  in.cookie = jar;
  const auto page = run(in);
  CHECK(page.status == 200);
  CHECK(contains_text(page, "till &lt;1&gt;"));
  CHECK(contains_text(page, "ada@example.com"));
  CHECK(contains_text(page, "datetime=\"2026-11-20\""));
  CHECK(contains_text(page, "20 Nov 2026"));
}
