// Operators of the console: how they sign in and set themselves up, how long a session lasts, and what their roles
// permit.
#include "console_fixture.hpp"
#include "http/operator/console/console_permissions.hpp"
#include "http/operator/operator_link.hpp"
#include "http/operator/operator_name.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

/// The setup link in an answer to gatewayctl, without the console's address.
std::string setup_token_in(const response& answer) {
  const auto body = boost::json::parse(std::string{answer.sent_body()}).as_object();
  const std::string url{body.at("setup_url").as_string()};
  const std::string start = "http://127.0.0.1:9443/console/setup?token=";
  REQUIRE(url.starts_with(start));
  return url.substr(start.size());
}

/// Base32 of 20 bytes, in groups of four.
std::string secret_in(const response& page) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const auto at = page.body.find("secret=");
  REQUIRE(at != page.body.npos);
  std::string bytes;
  std::uint32_t gathered = 0;
  unsigned bits = 0;
  for (const char c : page.body.substr(at + 7, 32)) {
    gathered = (gathered << 5) | static_cast<std::uint32_t>(alphabet.find(c));
    bits += 5;
    if (bits >= 8) bytes += static_cast<char>(gathered >> (bits -= 8) & 0xff);
  }
  return bytes;
}

struct setup_fixture : console_fixture {
  setup_fixture() {
    scene.verifies = [](const verify_password& what) {
      return what.stored == "hash" || what.stored == "hash of " + what.password;
    };
  }
  response open_link(const std::string& token) { return ask_console("GET", "/console/setup", {}, "token=" + token); }
  response use_link(const std::string& token, const std::string& password, const std::string& typed) {
    const auto csrf = hidden_value_in(open_link(token), "csrf");
    return ask_console("POST", "/console/setup",
                       "csrf=" + csrf + "&action=set-password&password=" + percent_encoded(password) + "&code=" + typed,
                       "token=" + token);
  }
};

bool has_button(const response& page, std::string_view action) {
  return page.body.find(std::string{"value=\""}.append(action).append("\"")) != page.body.npos;
}

}  // namespace

TEST_CASE("what each role may do on the console") {
  struct row {
    console_permission what;
    bool admin, support, viewer;
  };
  constexpr row rows[] = {
      {console_permission::look, true, true, true},
      {console_permission::act_on_deliveries, true, true, false},
      {console_permission::act_on_payments, true, true, false},
      {console_permission::change_destinations, true, false, false},
      {console_permission::change_platforms, true, false, false},
      {console_permission::drain_nodes, true, false, false},
      {console_permission::manage_operators, true, false, false},
  };
  static_assert(std::size(rows) == console_permission_count);
  for (const auto& [what, admin, support, viewer] : rows) {
    CAPTURE(static_cast<int>(what));
    CHECK(may(operator_role::admin, what) == admin);
    CHECK(may(operator_role::support, what) == support);
    CHECK(may(operator_role::viewer, what) == viewer);
  }
}

TEST_CASE_METHOD(console_fixture, "each button of the console works for the roles that it is for, and for no other") {
  std::size_t commands = 0;
  scene.operators = [&](const operator_command&) -> operator_result {
    return ++commands, named_result{"id", "status"};
  };
  scene.redelivers = [&](const redeliver&) { return ++commands, redeliver_result{1}; };
  scene.deliveries = [](const find_deliveries&) { return deliveries_lookup{{delivery_job{}}}; };
  destination hooks;
  hooks.id = destination_id{"dest_1"};
  merchants.publish(std::make_shared<const webhook_endpoint>(webhook_endpoint{std::move(hooks), "whsec", {}, {}}));
  scene.router = [&](const entity_request&) {
    ++commands;
    return entity_reply{entity_row{waiting_payment(payment_state::captured)}};
  };
  struct row {
    std::string fields;
    bool support;
    bool is_done = true;  ///< for a role that may
  };
  const row rows[] = {
      {"action=redeliver&delivery=7", true},
      {"action=redeliver&destination=dest_1", true},
      {"action=refresh&payment=pay_1&merchant_id=merch_1&mode=test", true},
      {"action=settle&payment=pay_1&merchant_id=merch_1&mode=test&as=declined&reason=so", true},
      {"action=disable&destination=dest_1", false},
      {"action=enable&destination=dest_1", false},
      {"action=suspend&platform=plat_1", false},
      {"action=resume&platform=plat_1", false},
      {"action=drain&node=n1", false, false},  // this gateway serves alone
  };
  for (const auto& name : {"Ann", "Sue", "Vic"}) {
    cookie.clear();
    enter(name);
    for (const auto& [fields, support, is_done] : rows) {
      CAPTURE(name, fields);
      const bool permitted = name == std::string_view{"Ann"} || (support && name == std::string_view{"Sue"});
      commands = 0;
      CHECK(press(fields).status == (!permitted ? 403 : is_done ? 303 : 422));
      CHECK((commands > 0) == (permitted && is_done));
    }
    CHECK(ask_console("GET", "/console/operators").status == (name == std::string_view{"Ann"} ? 200 : 403));
  }
}

TEST_CASE_METHOD(console_fixture, "a page has the buttons that the operator's role permits") {
  delivery_job given_up;
  given_up.row.id = 7;
  given_up.row.status = delivery_status::failed;
  scene.deliveries = [&](const find_deliveries&) { return deliveries_lookup{{given_up}}; };
  platform shopfront;
  shopfront.id = platform_id{"plat_1"};
  shopfront.slug = "shopfront";
  merchants.publish(std::make_shared<const platform>(std::move(shopfront)));
  scene.rows = [](const find_entity& what) {
    return what.key == waiting_payment()->key ? entity_lookup{waiting_payment()} : entity_lookup{};
  };
  for (const auto& [name, support, admin] :
       {std::tuple{"Ann", true, true}, std::tuple{"Sue", true, false}, std::tuple{"Vic", false, false}}) {
    CAPTURE(name);
    cookie.clear();
    enter(name);
    const auto overview = ask_console("GET", "/console");
    CHECK(has_button(overview, "redeliver") == support);
    CHECK((overview.body.find("/console/operators") != std::string::npos) == admin);
    CHECK(overview.body.find(std::string{"Signed in as "} + name) != std::string::npos);
    CHECK(has_button(ask_console("GET", "/console/search", {}, "q=shopfront"), "suspend") == admin);
    CHECK(has_button(ask_console("GET", "/console/search", {}, "q=merch_1%20pay_1"), "refresh") == support);
  }
}

TEST_CASE_METHOD(console_fixture, "a name, a password and a code open the console, and each code does so once") {
  const auto page = ask_console("GET", "/console/sign-in");
  CHECK(header(page, "Content-Security-Policy").find("script-src 'none'") != std::string::npos);
  CHECK(header(page, "Set-Cookie").ends_with("; Path=/console; HttpOnly; SameSite=Strict"));
  for (const auto* name : {"name", "password", "code"})
    CHECK(page.body.find(std::string{"name=\""} + name + "\"") != std::string::npos);
  CHECK(page.body.find("name=\"token\"") == std::string::npos);
  CHECK(ask_console("POST", "/console/sign-in",
                    "action=sign-in&name=Ann&password=" + percent_encoded(operator_password) + "&code=" + code())
            .status == 403);

  struct row {
    const char* what;
    std::string name, password, code;
  };
  for (const auto& [what, name, password, typed] :
       {row{"another password", "Ann", "another long password", code()}, row{"no password", "Ann", "", code()},
        row{"another code", "Ann", operator_password, code() == "123456" ? "123457" : "123456"},
        row{"no code", "Ann", operator_password, ""}, row{"an unknown name", "Abe", operator_password, code()},
        row{"no name", "", operator_password, code()}}) {
    CAPTURE(what);
    const auto out = try_sign_in(name, password, typed);
    CHECK(out.status == 422);
    CHECK(out.body.find("The name, the password or the code is not right.") != std::string::npos);
    CHECK(out.body.find(operator_password) == std::string::npos);
    CHECK(ask_console("GET", "/console").status == 303);
  }
  const auto before = cookie;
  const auto welcomed = try_right("aNN");
  CHECK(welcomed.status == 303);
  CHECK(header(welcomed, "Location") == "/console");
  CHECK(cookie != before);
  CHECK(ask_console("GET", "/console").body.find("Signed in as Ann, admin") != std::string::npos);

  CHECK(press("action=sign-out", "/console/sign-out").status == 303);
  CHECK(ask_console("GET", "/console").status == 303);
  CHECK(try_right("Ann").status == 422);
  clock.at += 30s;
  CHECK(try_right("Ann").status == 303);
}

TEST_CASE_METHOD(console_fixture,
                 "wrong sign-ins to the console are slowed down, for existing and unknown names alike") {
  const std::string name = GENERATE("Ann", "nobody");
  for (std::size_t i = 0; i < most_failures; ++i) CHECK(try_sign_in(name, "wrong password", code()).status == 422);
  const auto slowed = try_right(name);
  CHECK(slowed.status == 429);
  CHECK_FALSE(header(slowed, "Retry-After").empty());
}

TEST_CASE_METHOD(console_fixture, "one operator's failures do not keep the others out, but many names' failures do") {
  const auto fail_as = [this](const std::string& name) {
    for (std::size_t i = 0; i < most_failures; ++i) CHECK(try_sign_in(name, "wrong password", code()).status == 422);
  };
  fail_as("Sue");
  CHECK(try_right("Sue").status == 429);
  CHECK(try_right("Ann").status == 303);
  for (std::size_t i = 1; i < operators_at_one_address; ++i) fail_as("nobody" + std::to_string(i));
  CHECK(try_right("Vic").status == 429);
}

TEST_CASE_METHOD(console_fixture, "a sign-in that could not be checked counts as none") {
  for (std::size_t i = 0; i < most_failures; ++i) {
    scene.verifies = [](const verify_password&) -> caf::result<bool> { return make_error(actor_errc::overloaded); };
    CHECK(try_right("Ann").status == 503);
  }
  scene.commits = [](const unit_of_work&) { return commit_outcome::unavailable; };
  scene.verifies = [](const verify_password&) { return true; };
  CHECK(try_right("Ann").status == 503);
  scene.commits = [this](const unit_of_work& unit) { return apply(unit); };
  CHECK(try_right("Ann").status == 303);
}

TEST_CASE("a session of the console ends unused, at its time limit, and when there are too many") {
  console_access access{15min};
  const console_access::time start{1h};
  const console_access::signed_in ann{"Ann", "credentials"};
  const auto one = access.begin(ann, start);
  REQUIRE(access.use(one, start + 14min));
  CHECK(access.use(one, start + 14min)->name == "Ann");
  CHECK(access.use(one, start + 28min));
  CHECK_FALSE(access.use(one, start + 43min));
  CHECK_FALSE(access.use(one, start));
  const auto busy = access.begin(ann, start);
  for (auto at = start; at < start + console_lifetime; at += 10min) CHECK(access.use(busy, at));
  CHECK_FALSE(access.use(busy, start + console_lifetime));
  const auto first = access.begin(ann, start);
  for (std::size_t i = 0; i < most_console_sessions; ++i) access.begin(ann, start + 1s);
  CHECK_FALSE(access.use(first, start + 2s));
  CHECK_FALSE(access.use("", start));
}

TEST_CASE_METHOD(console_fixture, "a session follows its operator: the role, a reset, and the removal") {
  enter();
  operators.at("ann").role = operator_role::viewer;
  CHECK(ask_console("GET", "/console").body.find("Signed in as Ann, viewer") != std::string::npos);
  CHECK(press("action=suspend&platform=plat_1").status == 403);
  operators.at("ann").sealed_totp = "sealed anew, under another master key";
  CHECK(ask_console("GET", "/console").status == 200);

  const std::string ending = GENERATE("remove", "reset");
  CHECK(command("/operator/operators/" + ending, R"({"name":"ann"})").status == 200);
  CHECK(ask_console("GET", "/console").status == 303);
  // The session is over, and does not come back with the operator.
  add("Ann", operator_role::admin);
  CHECK(ask_console("GET", "/console").status == 303);
}

TEST_CASE_METHOD(console_fixture, "while the database does not answer an operator only looks") {
  enter();
  scene.of<find_operator>() = [](const find_operator&) -> caf::expected<operator_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(ask_console("GET", "/console").body.find("Signed in as Ann, viewer") != std::string::npos);
  CHECK(press("action=drain&node=n1").status == 403);
  cookie.clear();
  CHECK(try_right("Ann").status == 503);
}

TEST_CASE_METHOD(setup_fixture, "an operator is added, sets a password and a second factor by the link, and signs in") {
  const auto made = command("/operator/operators/add", R"({"name":"Eve Lee","role":"support"})");
  REQUIRE(made.status == 200);
  const auto body = boost::json::parse(std::string{made.sent_body()}).as_object();
  CHECK(body.size() == 3);
  CHECK(body.at("name").as_string() == "Eve Lee");
  CHECK(body.at("role").as_string() == "support");
  const auto token = setup_token_in(made);
  CHECK(try_sign_in("Eve Lee", operator_password, code()).status == 422);

  const auto page = open_link(token);
  REQUIRE(page.status == 200);
  CHECK(page.body.find("<svg") != std::string::npos);
  CHECK(page.body.find("otpauth://totp/") != std::string::npos);
  const auto offered = secret_in(page);
  const auto right = totp_code(offered, totp_step_at(clock.now()));
  CHECK(secret_in(open_link(token)) == offered);  // a page that is loaded again offers the same

  CHECK(ask_console("POST", "/console/setup",
                    "action=set-password&password=" + percent_encoded(operator_password) + "&code=" + right,
                    "token=" + token)
            .status == 403);
  const auto weak = use_link(token, "short", right);
  CHECK(weak.status == 422);
  CHECK(weak.body.find("Use at least 12 characters.") != std::string::npos);
  const auto unproven = use_link(token, operator_password, right == "123456" ? "123457" : "123456");
  CHECK(unproven.status == 422);
  CHECK(unproven.body.find("The code is not right.") != std::string::npos);
  CHECK(operators.at("eve lee").password_hash.empty());

  const auto done = use_link(token, operator_password, right);
  CHECK(done.status == 303);
  CHECK(header(done, "Location") == "/console/sign-in?done=set-up&name=Eve%20Lee");
  CHECK(operators.at("eve lee").sealed_totp.find(offered) == std::string::npos);
  CHECK(open_link(token).status == 410);
  CHECK(use_link(token, operator_password, right).status == 410);
  CHECK(try_sign_in("Eve Lee", operator_password, right).status == 303);
  CHECK(ask_console("GET", "/console").status == 200);
}

TEST_CASE_METHOD(setup_fixture, "a link is dead after a day, once a newer one is made, and with its operator") {
  const auto token = setup_token_in(command("/operator/operators/add", R"({"name":"Eve","role":"viewer"})"));
  CHECK(open_link(token).status == 200);
  clock.at += 24h - 1ms;
  CHECK(open_link(token).status == 200);
  clock.at += 1ms;
  CHECK(open_link(token).status == 410);

  const auto second = setup_token_in(command("/operator/operators/reset", R"({"name":"EVE"})"));
  const auto third = setup_token_in(command("/operator/operators/reset", R"({"name":"eve"})"));
  CHECK(open_link(second).status == 410);
  CHECK(open_link(third).status == 200);
  CHECK(command("/operator/operators/remove", R"({"name":"eve"})").status == 200);
  CHECK(open_link(third).status == 410);
  for (const std::string wrong : {"", "x", "x.y"}) CHECK(open_link(wrong).status == 410);
}

TEST_CASE_METHOD(setup_fixture, "resetting an operator ends the password and the second factor at once") {
  const auto reset = command("/operator/operators/reset", R"({"name":"sue"})");
  REQUIRE(reset.status == 200);
  const auto body = boost::json::parse(std::string{reset.sent_body()}).as_object();
  CHECK(body.at("name").as_string() == "Sue");
  CHECK(body.at("role").as_string() == "support");
  CHECK(try_right("Sue").status == 422);
  const auto token = setup_token_in(reset);
  const auto fresh = totp_code(secret_in(open_link(token)), totp_step_at(clock.now()));
  REQUIRE(use_link(token, operator_password, fresh).status == 303);
  CHECK(try_right("Sue").status == 422);
  CHECK(try_sign_in("Sue", operator_password, fresh).status == 303);
}

TEST_CASE_METHOD(console_fixture, "commands about operators say what they cannot do") {
  struct row {
    const char* path;
    const char* body;
    int status;
  };
  const std::string long_name(65, 'a');
  const auto too_long = R"({"name":")" + long_name + R"(","role":"admin"})";
  for (const auto& [path, body, status] :
       {row{"add", R"({"name":"ANN","role":"admin"})", 409}, row{"add", R"({"name":"Eve","role":"king"})", 400},
        row{"add", R"({"name":"Eve"})", 400}, row{"add", R"({"role":"admin"})", 400},
        row{"add", R"({"name":"","role":"admin"})", 400}, row{"add", R"({"name":" Eve","role":"admin"})", 400},
        row{"add", R"({"name":"E\nve","role":"admin"})", 400}, row{"add", R"({"name":"Zoë","role":"admin"})", 400},
        row{"add", R"({"name":"gateway","role":"admin"})", 400}, row{"add", too_long.c_str(), 400},
        row{"remove", R"({"name":"Eve"})", 404}, row{"reset", R"({"name":"Eve"})", 404}}) {
    CAPTURE(path, body);
    CHECK(command(std::string{"/operator/operators/"} + path, body).status == status);
  }
  CHECK(operators.size() == 3);
  CHECK(
      command("/operator/operators/list", "{}").sent_body() ==
      R"({"operators":[{"name":"Ann","role":"admin"},{"name":"Sue","role":"support"},{"name":"Vic","role":"viewer"}]})");
  CHECK(command("/operator/operators/remove", R"({"name":"VIC"})").sent_body() ==
        R"({"name":"Vic","status":"removed"})");
  shared.console_url.clear();
  const auto without = command("/operator/operators/add", R"({"name":"Eve","role":"admin"})");
  CHECK(without.status == 409);
  CHECK(without.sent_body().find("operator-listen") != std::string_view::npos);
  scene.commits = [](const unit_of_work&) { return commit_outcome::unavailable; };
  CHECK(command("/operator/operators/remove", R"({"name":"Ann"})").status == 503);
}

TEST_CASE_METHOD(setup_fixture, "an admin adds, resets and removes operators on the console") {
  enter();
  const auto added = press("action=add&name=Eve&role=viewer", "/console/operators");
  CHECK(added.status == 200);
  const auto at = added.body.find("http://127.0.0.1:9443/console/setup?token=");
  REQUIRE(at != std::string::npos);
  CHECK(operators.at("eve").role == operator_role::viewer);
  CHECK(ask_console("GET", "/console/operators").body.find("/console/setup?token=") == std::string::npos);

  CHECK(press("action=add&name=Eve&role=admin", "/console/operators").status == 422);
  CHECK(press("action=add&name=Abe&role=king", "/console/operators").status == 422);
  CHECK(press("action=reset&name=Sue", "/console/operators").body.find("/console/setup?token=") != std::string::npos);
  CHECK(operators.at("sue").password_hash.empty());
  CHECK(press("action=remove&name=Vic", "/console/operators").status == 200);
  CHECK_FALSE(operators.contains("vic"));
  CHECK(press("action=remove&name=ann", "/console/operators").status == 422);
  CHECK(operators.contains("ann"));
  CHECK(press("action=promote&name=Sue", "/console/operators").status == 400);
  CHECK(ask_console("POST", "/console/operators", "action=remove&name=Sue").status == 403);
  CHECK(operators.contains("sue"));
}

TEST_CASE("a command from the console is recorded under the operator's name") {
  request in;
  in.console_operator = "Ann";
  in.peer_uid = 0;
  CHECK(operator_name(in) == "Ann");
  in.console_operator = {};
  CHECK(operator_name(in) == "root");
}
