// Connecting a merchant's account at a provider over HTTPS: the redirect there, the return, and who may use it.
#include "gateway/directory/connected_account.hpp"
#include "http/html/forms.hpp"
#include "http/html/page_errors.hpp"
#include "http/portal/provider_connection.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

constexpr auto stripe = provider_kind::stripe;
constexpr auto live = environment::live;
const std::string page_of_connections = "/portal/merch_1/live/connections";
const std::string at_the_provider = "https://connect.provider.example/setup/1";

/// An owner of merch_1, where one provider over HTTPS is configured for live.
struct accounts_fixture : gateway_fixture {
  provider_board board{merchants, false};
  const std::string cookie = std::string(64, 'a');
  member_role role = member_role::owner;
  std::vector<operator_command> reported;  ///< commands to the directory
  connection link{live, stripe, connection_status::not_connected, {}};

  accounts_fixture() {
    shared.providers = &board;
    configure(live);
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 12h, role); };
    scene.operators = [this](const operator_command& what) -> caf::result<operator_result> {
      reported.push_back(what);
      if (const auto* set = std::get_if<set_connection>(&what)) {
        const auto kept = link.account;
        link = set->link;
        if (link.account.empty()) link.account = kept;
      }
      if (const auto* follows = std::get_if<follow_account>(&what))
        link.status = status_after(link.status, follows->standing).value_or(link.status);
      publish_link();
      return operator_result{named_result{}};
    };
  }

  void configure(environment env) {
    merchants.publish(stripe, env, std::make_shared<const provider_settings>(provider_settings{{{"secret", "s"}}}));
  }
  void publish_link(std::string owner = "user_1") {
    merchant m;
    m.id = merchant_id{"merch_1"};
    m.name = "Tea & Co";
    m.owner = user_id{std::move(owner)};
    m.connections = {link};
    merchants.publish(std::make_shared<const merchant>(std::move(m)));
  }
  void connected_as(connection_status status, std::string account) {
    link = {live, stripe, status, std::move(account)};
    publish_link();
  }
  void provider_says(account_standing standing, std::string account, std::string url = {}) {
    scene.accounts = [=](const account_question&) { return account_answer{standing, account, url, {}}; };
  }

  response visit(std::string_view path, std::string_view jar) {
    auto in = unsigned_request("GET", path);
    in.cookie = jar;
    return run(in);
  }
  response get(std::string_view path) { return visit(path, "__Host-session=" + cookie); }
  response press(std::string_view verb, std::string_view fields = "provider=stripe") {
    const auto token = csrf_token(shared.form_key, cookie, "page\n" + page_of_connections);
    const auto body = "csrf=" + token + "&action=" + std::string{verb} + '&' + std::string{fields};
    auto in = unsigned_request("POST", page_of_connections, body, "application/x-www-form-urlencoded");
    const auto jar = "__Host-session=" + cookie;
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  /// The return address of the last question to the provider.
  std::string back() const { return scene.questions.back().back_url.substr(shared.base_url.size()); }
  std::string again() const { return scene.questions.back().again_url.substr(shared.base_url.size()); }
  std::string session_of_a_setup_link(environment env = live) const {
    const setup_token token{merchant_id{"merch_1"}, user_id{"user_1"}, "1", noon + 1h, env};
    return "__Host-setup=" + make_setup_session(token, shared.setup_token_key, noon).token;
  }
  template <class Command>
  std::vector<Command> received() const {
    std::vector<Command> found;
    for (const auto& each : reported)
      if (const auto* one = std::get_if<Command>(&each)) found.push_back(*one);
    return found;
  }
};

std::string location(const response& out) { return header(out, "Location"); }
bool says(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(accounts_fixture, "a provider over HTTPS is shown only where it is configured") {
  const auto page = get(page_of_connections);
  CHECK(says(page, "Stripe"));
  CHECK_FALSE(says(page, "Sandbox"));
  // The browser checks the provider's redirects against the page's form-action.
  CHECK(header(page, "Content-Security-Policy").find("form-action 'self' https:;") != std::string::npos);
  const auto test_page = get("/portal/merch_1/test/connections");
  CHECK_FALSE(says(test_page, "Stripe"));
  CHECK(says(test_page, "Sandbox cards"));
  CHECK(header(test_page, "Content-Security-Policy").find("form-action 'self';") != std::string::npos);
  board.set_away(stripe, live, true);
  CHECK(says(get(page_of_connections), "Stripe"));
  merchants.publish(stripe, live, nullptr);
  CHECK_FALSE(says(get(page_of_connections), "Stripe"));
  const auto refused = press("connect");
  INFO(refused.body);
  CHECK(refused.status == row_of(page_error::refused_form).status);
  CHECK(scene.questions.empty());
}

TEST_CASE_METHOD(accounts_fixture, "connecting redirects to the provider once the account is durable") {
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  CHECK(location(press("connect")) == at_the_provider);
  REQUIRE(scene.questions.size() == 1);
  const auto& asked = scene.questions.front();
  CHECK(asked.merchant.value == "merch_1");
  CHECK(asked.env == live);
  CHECK(asked.provider == stripe);
  CHECK(asked.account.empty());
  CHECK(asked.onboards);
  CHECK(asked.merchant_name == "Tea & Co");
  CHECK(asked.back_url.starts_with("https://pay.example/v1/public/accounts/"));
  CHECK(asked.again_url == asked.back_url + "/again");
  const auto set = received<set_connection>();
  REQUIRE(set.size() == 1);
  CHECK(set[0].link == connection{live, stripe, connection_status::in_progress, "acct_1"});
  REQUIRE(scene.notes.size() == 1);
  CHECK(scene.notes[0].action == "connect");
  CHECK(scene.notes[0].subject == "stripe");
}

TEST_CASE_METHOD(accounts_fixture, "no browser is redirected to a provider before the account is durable") {
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  scene.operators = [](const operator_command&) -> caf::result<operator_result> {
    return make_error(actor_errc::store_unavailable);
  };
  const auto page = press("connect");
  CHECK(page.status == row_of(page_error::busy).status);
  CHECK(location(page).empty());
}

TEST_CASE_METHOD(accounts_fixture, "every attempt to make one account has the same key, and a new account another") {
  provider_says(account_standing::unknown, "");
  press("connect");
  press("connect");
  connected_as(connection_status::in_progress, "acct_1");
  press("connect");
  REQUIRE(scene.questions.size() == 3);
  const auto& asked = scene.questions;
  CHECK(asked[0].provider_key.starts_with("pk_"));
  CHECK(asked[0].provider_key == asked[1].provider_key);
  CHECK(asked[0].provider_key != asked[2].provider_key);
  CHECK(asked[2].account == "acct_1");
}

TEST_CASE_METHOD(accounts_fixture, "an account that the provider has given up is replaced by a new one") {
  connected_as(connection_status::unavailable, "acct_1");
  scene.accounts = [](const account_question& asked) {
    if (!asked.account.empty()) return account_answer{account_standing::restricted, asked.account, {}, {}};
    return account_answer{account_standing::incomplete, "acct_2", at_the_provider, {}};
  };
  CHECK(location(press("reconnect")) == at_the_provider);
  REQUIRE(scene.questions.size() == 2);
  CHECK(scene.questions[0].provider_key == scene.questions[1].provider_key);
  CHECK(link == connection{live, stripe, connection_status::in_progress, "acct_2"});
  CHECK(scene.notes.at(0).action == "reconnect");
}

TEST_CASE_METHOD(accounts_fixture, "an account that the provider has restricted is completed there") {
  connected_as(connection_status::unavailable, "acct_1");
  provider_says(account_standing::restricted, "acct_1", at_the_provider);
  CHECK(location(press("reconnect")) == at_the_provider);
  CHECK(scene.questions.size() == 1);
  CHECK(link == connection{live, stripe, connection_status::in_progress, "acct_1"});
}

TEST_CASE_METHOD(accounts_fixture, "an account that needs nothing at the provider is connected at once") {
  connected_as(connection_status::unavailable, "acct_1");
  provider_says(account_standing::ready, "acct_1");
  CHECK(location(press("reconnect")) == "https://pay.example" + page_of_connections);
  const auto follows = received<follow_account>();
  REQUIRE(follows.size() == 1);
  CHECK(follows[0].account == "acct_1");
  CHECK(link.status == connection_status::connected);
}

TEST_CASE_METHOD(accounts_fixture,
                 "where the provider does not answer nothing changes, but an account already made is kept") {
  const auto silent = row_of(page_error::silent_provider);
  struct {
    std::function<caf::result<account_answer>(const account_question&)> says;
    std::string account;
  } const rows[] = {
      {[](const account_question&) { return account_answer{}; }, ""},
      {[](const account_question&) -> caf::result<account_answer> { return caf::sec::runtime_error; }, ""},
      {[](const account_question&) { return account_answer{account_standing::incomplete, "", "", {}}; }, ""},
      {[](const account_question&) { return account_answer{account_standing::unknown, "acct_1", "", {}}; }, "acct_1"}};
  for (const auto& row : rows) {
    connected_as(connection_status::not_connected, "");
    reported.clear();
    scene.accounts = row.says;
    const auto page = press("connect");
    CHECK(page.status == silent.status);
    CHECK(says(page, silent.title));
    CHECK(link.status == connection_status::not_connected);
    CHECK(link.account == row.account);
    CHECK(reported.size() == (row.account.empty() ? 0 : 1));
  }
  CHECK(scene.notes.empty());
}

TEST_CASE_METHOD(accounts_fixture, "a provider whose breaker is open is not asked") {
  board.set_away(stripe, live, true);
  CHECK(press("connect").status == row_of(page_error::silent_provider).status);
  CHECK(scene.questions.empty());
  CHECK(reported.empty());
}

TEST_CASE_METHOD(accounts_fixture, "a connected account is not started again") {
  connected_as(connection_status::connected, "acct_1");
  CHECK(location(press("reconnect")) == "https://pay.example" + page_of_connections + "?done=connect");
  CHECK(scene.questions.empty());
}

TEST_CASE_METHOD(accounts_fixture, "a returning owner continues, and the connection follows the provider's answer") {
  struct {
    account_standing says;
    connection_status before, after;
  } const rows[] = {{account_standing::ready, connection_status::in_progress, connection_status::connected},
                    {account_standing::ready, connection_status::unavailable, connection_status::connected},
                    {account_standing::ready, connection_status::connected, connection_status::connected},
                    {account_standing::incomplete, connection_status::in_progress, connection_status::in_progress},
                    {account_standing::incomplete, connection_status::connected, connection_status::unavailable},
                    {account_standing::restricted, connection_status::in_progress, connection_status::unavailable},
                    {account_standing::unknown, connection_status::in_progress, connection_status::in_progress}};
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  press("connect");
  const auto way_back = back();
  for (const auto& row : rows) {
    connected_as(row.before, "acct_1");
    reported.clear();
    provider_says(row.says, "acct_1");
    CHECK(location(visit(way_back, "")) == "https://pay.example" + page_of_connections);
    CHECK(scene.questions.back().account == "acct_1");
    CHECK_FALSE(scene.questions.back().onboards);
    CHECK(link.status == row.after);
    CHECK(reported.size() == (row.before == row.after ? 0 : 1));
  }
}

TEST_CASE_METHOD(accounts_fixture, "a forged return address, or one whose connection was removed, leads nowhere") {
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  press("connect");
  const auto way_back = back(), way_again = again();
  connected_as(connection_status::not_connected, "acct_1");
  const auto asked = scene.questions.size();
  for (const auto& path : {way_back, way_again, std::string{"/v1/public/accounts/x.y"}, way_back + "x"}) {
    const auto page = get(path);
    CHECK(page.status == row_of(page_error::closed_onboarding).status);
    CHECK(location(page).empty());
  }
  CHECK(scene.questions.size() == asked);
}

TEST_CASE_METHOD(
    accounts_fixture,
    "a new link is made for a signed-in owner only; other people see the page there, whatever link they had") {
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  press("connect");
  const auto way_again = again();
  provider_says(account_standing::incomplete, "acct_1", "https://connect.provider.example/setup/2");
  CHECK(location(get(way_again)) == "https://connect.provider.example/setup/2");
  CHECK(scene.questions.back().account == "acct_1");
  const auto asked = scene.questions.size();
  const auto page = "https://pay.example" + page_of_connections;
  CHECK(location(visit(way_again, "")) == page);
  CHECK(location(visit(way_again, session_of_a_setup_link())) == page);
  role = member_role::viewer;
  CHECK(location(get(way_again)) == page);
  role = member_role::owner;
  connected_as(connection_status::connected, "acct_1");
  CHECK(location(get(way_again)) == page);
  CHECK(scene.questions.size() == asked);
}

TEST_CASE_METHOD(accounts_fixture,
                 "a returning owner whose session could not be read is told that the gateway is busy") {
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  press("connect");
  const auto way_again = again();
  const auto asked = scene.questions.size();
  scene.sessions = [](const find_session&) -> caf::expected<session_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(get(way_again).status == row_of(page_error::busy).status);
  CHECK(scene.questions.size() == asked);
}

TEST_CASE_METHOD(accounts_fixture,
                 "a setup link's page leads to the provider, too, and completes a restricted account") {
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  connected_as(connection_status::unavailable, "acct_1");
  const auto jar = session_of_a_setup_link() + "; __Host-session=" + cookie;
  const auto page = visit("/portal/setup", jar);
  CHECK(says(page, "Stripe"));
  CHECK(header(page, "Content-Security-Policy").find("form-action 'self' https:;") != std::string::npos);
  constexpr std::string_view mark = "name=\"csrf\" value=\"";
  const auto body =
      "csrf=" + page.body.substr(page.body.find(mark) + mark.size(), 64) + "&action=connect&provider=stripe";
  auto in = unsigned_request("POST", "/portal/setup", body, "application/x-www-form-urlencoded");
  in.cookie = jar;
  CHECK(location(run(in)) == at_the_provider);
  provider_says(account_standing::ready, "acct_1");
  CHECK(location(visit(back(), jar)) == "https://pay.example/portal/setup");
  CHECK(link.status == connection_status::connected);
}

TEST_CASE_METHOD(accounts_fixture, "a setup link opens nothing at a provider without the sign-in of its own owner") {
  provider_says(account_standing::incomplete, "acct_1", at_the_provider);
  connected_as(connection_status::not_connected, {});
  const auto press_connect = [&](const std::string& jar) {
    const auto named = "setup\nmerch_1\nlive";
    const std::string browser(32, 'b');
    const bool signed_in = jar.find("__Host-session") != std::string::npos;
    const auto body =
        "csrf=" + csrf_token(shared.form_key, signed_in ? cookie : browser, named) + "&action=connect&provider=stripe";
    auto in = unsigned_request("POST", "/portal/setup", body, "application/x-www-form-urlencoded");
    const auto all = jar + "; __Host-form=" + browser;
    in.cookie = all;
    return run(in);
  };
  const std::string sign_in = "https://pay.example/portal/sign-in?next=";
  const auto of_link = session_of_a_setup_link(), both = of_link + "; __Host-session=" + cookie;
  CHECK(location(visit("/portal/setup", of_link)).starts_with(sign_in));
  CHECK(location(press_connect(of_link)).starts_with(sign_in));
  SECTION("another owner of the merchant is not the owner of the link") {
    const setup_token token{merchant_id{"merch_1"}, user_id{"user_2"}, "1", noon + 1h, live};
    publish_link("user_2");
    const auto jar =
        "__Host-setup=" + make_setup_session(token, shared.setup_token_key, noon).token + "; __Host-session=" + cookie;
    CHECK(visit("/portal/setup", jar).status == 403);
    CHECK(press_connect(jar).status == 403);
  }
  SECTION("an owner who has become a viewer") {
    role = member_role::viewer;
    CHECK(visit("/portal/setup", both).status == 403);
    CHECK(press_connect(both).status == 403);
  }
  CHECK(scene.questions.empty());
  role = member_role::owner;
  publish_link();
  CHECK(location(press_connect(both)) == at_the_provider);
  CHECK(scene.notes.back().user.value == "user_1");
}
