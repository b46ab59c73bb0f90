// The basis of the portal's pages: forms, targets of sign-in, throttle, links.
#include <sstream>

#include <catch2/catch.hpp>

#include "gateway/base/crypto.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/html/forms.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/scope_words.hpp"
#include "http/portal/sessions.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace std::chrono_literals;

TEST_CASE("a form's field has one value, and a repeated one is rejected") {
  const auto sent = form::read("a=1&b=x+y%20z&c=&a=2&d=%C3%A9");
  REQUIRE(sent);
  CHECK_FALSE(sent->one("a"));
  CHECK(sent->text("a").empty());
  CHECK(sent->one("b") == "x y z");
  CHECK(sent->one("c") == "");
  CHECK(sent->has("c"));
  CHECK(sent->one("e") == "");
  CHECK_FALSE(sent->has("e"));
  CHECK(sent->text("d") == "\xc3\xa9");
  for (const auto* text : {"a=%", "a=%2", "a=%zz", "%g1=a"}) CHECK_FALSE(form::read(text));
  CHECK_FALSE(form::read("a=" + std::string(most_form_bytes, 'x')));
}

TEST_CASE("a form's token is bound to one cookie, one page and one key") {
  const auto token = csrf_token("key", "cookie", "page");
  CHECK(token.size() == 64);
  const auto sent = *form::read("csrf=" + token);
  CHECK(is_genuine(sent, "key", "cookie", "page"));
  CHECK_FALSE(is_genuine(sent, "key", "cookie", "another page"));
  CHECK_FALSE(is_genuine(sent, "key", "another cookie", "page"));
  CHECK_FALSE(is_genuine(sent, "another key", "cookie", "page"));
  for (const auto& text : {std::string{}, std::string{"csrf="}, "csrf=" + token + "&csrf=" + token})
    CHECK_FALSE(is_genuine(*form::read(text), "key", "cookie", "page"));
}

TEST_CASE("cookies are for this host alone, and not accessible to scripts or other sites' posts") {
  CHECK(host_cookie("__Host-x", "1") == "__Host-x=1; Path=/; Secure; HttpOnly; SameSite=Lax");
  CHECK(host_cookie("__Host-x", "", 0) == "__Host-x=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
  CHECK(find_hex_cookie("a=1; __Host-x=zz; __Host-x=00ff", "__Host-x", 4) == "00ff");
  CHECK_FALSE(find_hex_cookie("__Host-x=00FF", "__Host-x", 4));
  CHECK_FALSE(find_hex_cookie("__Host-xx=00ff", "__Host-x", 4));
  CHECK(find_cookie("__Host-x=a.b-c_d", "__Host-x") == "a.b-c_d");
}

TEST_CASE("a sign-in redirects to a page of this gateway only") {
  for (const auto* text :
       {"/connect/authorize?client_id=a&redirect_uri=https%3A%2F%2Fevil.example%2F", "/connect/authorize",
        "/portal/account", "/portal/setup?merchant_id=merch_1&mode=test", "/portal/setup?next=//evil.example"})
    CHECK(is_local_target(text));
  for (const auto* text : {"",
                           "/",
                           "//evil.example",
                           "//evil.example/portal/account",
                           "/\\evil.example",
                           "\\\\evil.example",
                           "/portal",
                           "/portal/",
                           "/portal//evil.example",
                           "/portal/../evil",
                           "/portal/%2e%2e/evil",
                           "/portal/%2F%2Fevil.example",
                           "/portal\\account",
                           "/portal/\\evil.example",
                           "/portalx/account",
                           "/portal.evil.example/account",
                           "/portal@evil.example/",
                           "/connect/authorize@evil.example",
                           "/connect/authorize.evil.example",
                           "/connect/authorize/../x",
                           "/connect//authorize?x",
                           "/CONNECT/authorize?x",
                           "https://evil.example",
                           "https:/evil.example",
                           "https:evil.example",
                           "https://pay.example/portal/account",
                           "https://pay.example@evil.example/portal/account",
                           "javascript:alert(1)",
                           "data:text/html,x",
                           " /portal/account",
                           "/portal/account ",
                           "/portal/acc\tount",
                           "/portal/account\r\nSet-Cookie: a=b",
                           "/portal/account#//evil.example",
                           "/portal/\xef\xbc\x8f\xef\xbc\x8f",
                           "/portal/account?x=\xe2\x80\xae",
                           "/portal/account?x=%zz",
                           "portal/account",
                           "./portal/account",
                           "?next=x",
                           "/v1/payment_intents"}) {
    CAPTURE(text);
    CHECK_FALSE(is_local_target(text));
  }
  CHECK_FALSE(is_local_target(std::string{"/portal/a\0b", 11}));
  CHECK_FALSE(is_local_target("/connect/authorize?x=" + std::string(most_form_bytes, 'a')));
}

TEST_CASE("the target that sign-in carries is unchanged to the byte, or absent") {
  const std::string escaped = "/connect/authorize?state=%E2%82%AC%25%E2x&y=%e2%82%ac%7F";
  const std::string carried = "/connect/authorize?state=\xe2\x82\xac%25\xe2x&y=%e2%82%ac%7F";
  CHECK(target_of_next(crypto::base64url(carried)) == escaped);
  CHECK(target_of_next(crypto::base64url("/portal/account")) == "/portal/account");
  for (const std::string text :
       {"", "/", "//evil.example", "https://evil.example", "/portal/\xef\xbc\x8f", "/portal/a b",
        "/portal/account\r\nX: y", "/portal/%2e%2e/evil", "/portal/account?x=%zz"}) {
    CAPTURE(text);
    CHECK(target_of_next(crypto::base64url(text)).empty());
  }
  for (const auto* text : {"", "!", "/portal/account", "L3BvcnRhbC9hY2NvdW50=", "L3BvcnRhbC9hY2NvdW5"})
    CHECK(target_of_next(text).empty());
}

TEST_CASE("the eleventh attempt for an account waits, from any address, until the first is 15 minutes old") {
  sign_in_throttle throttle;
  const sign_in_throttle::time start{};
  for (int i = 0; i < 10; ++i)
    CHECK_FALSE(throttle.begin("ada@example.com", "192.0.2." + std::to_string(i), start + i * 1s));
  CHECK(throttle.begin("ada@example.com", "192.0.2.99", start + 10s) == 15min - 10s);
  CHECK_FALSE(throttle.begin("bob@example.com", "192.0.2.99", start + 10s));
  CHECK(throttle.begin("ada@example.com", "192.0.2.99", start + 15min - 1ms) == 1s);
  CHECK_FALSE(throttle.begin("ada@example.com", "192.0.2.99", start + 15min));
  CHECK(throttle.begin("ada@example.com", "192.0.2.99", start + 15min) == 1s);
}

TEST_CASE("the eleventh attempt from an address waits, for any account") {
  sign_in_throttle throttle;
  const sign_in_throttle::time start{};
  for (int i = 0; i < 10; ++i) CHECK_FALSE(throttle.begin("user" + std::to_string(i), "192.0.2.1", start));
  CHECK(throttle.begin("another", "192.0.2.1", start) == 15min);
  CHECK_FALSE(throttle.begin("another", "192.0.2.2", start));
  SECTION("an IPv6 /64 network is one address") {
    for (int i = 0; i < 10; ++i)
      CHECK_FALSE(throttle.begin("v6-" + std::to_string(i), "2001:db8::" + std::to_string(i + 1), start));
    CHECK(throttle.begin("v6", "2001:db8:0:0:ffff::1", start));
    CHECK_FALSE(throttle.begin("v6", "2001:db8:0:1::1", start));
  }
}

TEST_CASE("neighbouring IPv6 networks have allowances of their own, which a whole /48 cannot exceed") {
  sign_in_throttle throttle;
  const sign_in_throttle::time start{};
  int allowed = 0;
  // Each attempt is from another /64 network and for another account.
  const auto guess_in = [&](int house, int net) {
    std::ostringstream address;
    address << "2001:db8:7:" << std::hex << (house << 8 | net) << "::1";
    allowed += !throttle.begin("user" + std::to_string(house << 8 | net), address.str(), start);
  };
  for (int net = 0; net < 256; ++net) guess_in(0, net);
  CHECK(allowed == 30);
  for (int house = 1; house < 256; ++house) guess_in(house, 0);
  CHECK(allowed == 100);
  CHECK_FALSE(throttle.begin("ada", "2001:db8:8::1", start));
  CHECK(throttle.begin("ada", "2001:db8:7:ffff::1", start) == 15min);
  CHECK_FALSE(throttle.begin("ada", "2001:db8:7:ffff::1", start + 15min));
}

TEST_CASE("a known browser is delayed by its own failures only, which also count for others") {
  sign_in_throttle throttle;
  const sign_in_throttle::time start{};
  for (int i = 0; i < 10; ++i) CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start));
  CHECK(throttle.begin("ada", "192.0.2.1", start));
  CHECK(throttle.begin("ada", "192.0.2.2", start));
  for (int i = 0; i < 9; ++i) CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start + 1s, "browser"));
  SECTION("its count restarts once it has signed in, and others' counts do not") {
    CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start + 2s, "browser"));
    throttle.passed("ada", "192.0.2.1", "browser");
    CHECK(throttle.begin("ada", "192.0.2.2", start + 3s));
    for (int i = 0; i < 10; ++i) CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start + 3s, "browser"));
    CHECK(throttle.begin("ada", "192.0.2.1", start + 3s, "browser") == 15min);
  }
  SECTION("its failures delay unknown browsers at the account") {
    sign_in_throttle other;
    for (int i = 0; i < 10; ++i) CHECK_FALSE(other.begin("bob", "192.0.2.9", start, "bob's"));
    CHECK(other.begin("bob", "192.0.2.8", start));
    CHECK(other.begin("ada", "192.0.2.9", start));
  }
  SECTION("another browser has an allowance of its own") {
    CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start + 1s, "browser"));
    CHECK(throttle.begin("ada", "192.0.2.1", start + 1s, "browser"));
    CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start + 1s, "another"));
  }
  SECTION("known browsers together wait after 30 failures of their account, and other accounts' do not") {
    for (int i = 9; i < 30; ++i)
      CHECK_FALSE(throttle.begin("ada", "192.0.2." + std::to_string(i), start + 1s, "browser" + std::to_string(i)));
    CHECK(throttle.begin("ada", "192.0.2.50", start + 1s, "another") == 15min);
    CHECK_FALSE(throttle.begin("bob", "192.0.2.50", start + 1s, "bob's"));
    throttle.take_back("ada", "192.0.2.10", "browser10");
    CHECK_FALSE(throttle.begin("ada", "192.0.2.50", start + 1s, "another"));
  }
  SECTION("known browsers together wait after 100 failures at their address, not counting those of unknown browsers") {
    for (int i = 9; i < 100; ++i) {
      const auto number = std::to_string(i);
      throttle.begin("stranger" + number, "192.0.2.1", start + 1s);
      CHECK_FALSE(throttle.begin("account" + number, "192.0.2.1", start + 1s, "browser" + number));
    }
    CHECK(throttle.begin("bob", "192.0.2.1", start + 1s, "bob's") == 15min);
    CHECK_FALSE(throttle.begin("bob", "192.0.2.2", start + 1s, "bob's"));
  }
}

TEST_CASE("a successful sign-in is not counted as a guess, and an attempt that was not checked does not count") {
  sign_in_throttle throttle;
  const sign_in_throttle::time start{};
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start));
    if (i % 2)
      throttle.passed("ada", "192.0.2.1");
    else
      throttle.take_back("ada", "192.0.2.1");
  }
  for (int i = 0; i < 9; ++i) CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start));
  throttle.passed("ada", "192.0.2.1");
  // The account's count restarts; the address keeps its count, minus this attempt, because it may have guessed at other
  // accounts.
  for (int i = 0; i < 2; ++i) CHECK_FALSE(throttle.begin("ada", "192.0.2.1", start));
  CHECK(throttle.begin("ada", "192.0.2.1", start));
}

TEST_CASE("a flood of names removes only those that failed longest ago") {
  sign_in_throttle throttle{4};
  const sign_in_throttle::time start{};
  for (int i = 0; i < 10; ++i) CHECK_FALSE(throttle.begin("ada", "a" + std::to_string(i % 4), start));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(throttle.begin("x" + std::to_string(i), "b" + std::to_string(i), start));
  CHECK(throttle.begin("ada", "c", start));
  CHECK_FALSE(throttle.begin("x9", "b9", start));
  CHECK_FALSE(throttle.begin("ada", "c", start));
}

TEST_CASE("a name without a failure for 15 minutes is removed") {
  sign_in_throttle throttle;
  const sign_in_throttle::time start{};
  for (int i = 0; i < 100; ++i) {
    const auto number = std::to_string(i);
    CHECK_FALSE(throttle.begin("user" + number, "192.0.2." + number, start + i * 1s));
  }
  CHECK_FALSE(throttle.begin("user0", "192.0.2.0", start + 100s));
  CHECK(throttle.names() == 200);
  // The last failures of user1 to user50 are 15 minutes old, user0's is not.
  CHECK_FALSE(throttle.begin("ada", "192.0.2.200", start + 15min + 50s));
  CHECK(throttle.names() == 2 * (1 + 49 + 1));
  CHECK_FALSE(throttle.begin("bob", "192.0.2.201", start + 60min));
  CHECK(throttle.names() == 2);
}

TEST_CASE("an invitation names its person for seven days, and cannot be forged") {
  const auto now = *parse_seconds("2026-11-20T12:00:00Z");
  const invitation made{merchant_id{"merch_1"}, user_id{"user_1"}, "ada@example.com", std::string(32, '1'),
                        now + invitation_lifetime};
  const auto url = invitation_url(made, "https://pay.example/portal", "key");
  const std::string begin = "https://pay.example/portal/invitation?token=";
  REQUIRE(url.starts_with(begin));
  const auto token = url.substr(begin.size());
  const auto read = read_invitation(token, "key", now + invitation_lifetime - 1ms);
  REQUIRE(read);
  CHECK(read->merchant.value == "merch_1");
  CHECK(read->user.value == "user_1");
  CHECK(read->email == "ada@example.com");
  CHECK(read->id == made.id);
  CHECK_FALSE(read_invitation(token, "key", now + invitation_lifetime));
  CHECK_FALSE(read_invitation(token, "another key", now));
  CHECK_FALSE(read_invitation(token + "A", "key", now));
  CHECK_FALSE(read_invitation("", "key", now));
  CHECK_FALSE(read_invitation(crypto::sign_token("key", "{}"), "key", now));
}

TEST_CASE("every scope that can be requested has a description") {
  for (const auto& row : scope_names) {
    if (row.value == scope::all) continue;
    CAPTURE(row.name);
    const auto at = std::ranges::find(scope_table, row.value, &scope_words::value);
    REQUIRE(at != std::end(scope_table));
    CHECK_FALSE(at->title.empty());
    CHECK_FALSE(at->detail.empty());
  }
}
