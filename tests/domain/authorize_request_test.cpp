// The consent screen's query: when an error page is shown, when the browser is redirected with an error, and when the
// user is asked.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "gateway/domain/authorize_request.hpp"

using namespace gateway;

namespace {

using query = std::vector<query_parameter>;

const auto platforms = [] {
  platform acme{platform_id{"plat_acme"},
                "acme",
                "Acme",
                "security@acme.example",
                platform_status::active,
                {"https://p.example/cb", "https://p.example/cb?tenant=1", "http://localhost:3000/cb"},
                {}};
  auto halted = acme;
  halted.id = platform_id{"plat_halted"};
  halted.slug = "halted";
  halted.status = platform_status::suspended;
  return std::vector{acme, halted};
}();

const platform* find_platform(std::string_view slug) {
  const auto at = std::ranges::find(platforms, slug, &platform::slug);
  return at == platforms.end() ? nullptr : &*at;
}

authorize_verdict judge(const query& sent) { return judge_authorize_query(sent, find_platform); }

/// The verdict as text: `page: why`, `back: <location>`, or `ask: mode scopes`.
std::string verdict(const query& sent) {
  const auto judged = judge(sent);
  if (const auto* why = std::get_if<authorize_fault>(&judged)) {
    switch (*why) {
      case authorize_fault::client_id_missing: return "page: client_id missing";
      case authorize_fault::unknown_client: return "page: unknown client";
      case authorize_fault::client_suspended: return "page: suspended";
      case authorize_fault::redirect_uri_missing: return "page: redirect_uri missing";
      case authorize_fault::redirect_uri_not_registered: return "page: not registered";
    }
  }
  if (const auto* why = std::get_if<authorize_rejection>(&judged)) return "back: " + location_with_error(*why);
  const auto& asked = std::get<authorize_request>(judged);
  return "ask: " + std::string{to_string(asked.env)} + " " + to_string(asked.scopes);
}

const query good{{"client_id", "acme"},
                 {"redirect_uri", "https://p.example/cb"},
                 {"state", "s1"},
                 {"scope", "payments:write payments:read"}};

query with(std::string_view name, std::string value) {
  auto sent = good;
  const auto at = std::ranges::find(sent, name, &query_parameter::name);
  if (at == sent.end())
    sent.push_back({std::string{name}, std::move(value)});
  else
    at->value = std::move(value);
  return sent;
}
query lacking(std::string_view name) {
  auto sent = good;
  std::erase_if(sent, [&](const auto& each) { return each.name == name; });
  return sent;
}
query repeating(std::string_view name, std::string value) {
  auto sent = good;
  sent.push_back({std::string{name}, std::move(value)});
  return sent;
}

}  // namespace

TEST_CASE("a complete request asks the user") {
  const auto judged = judge(good);
  const auto* asked = std::get_if<authorize_request>(&judged);
  REQUIRE(asked);
  CHECK(asked->platform == platform_id{"plat_acme"});
  CHECK(asked->env == environment::live);
  CHECK(asked->redirect_uri == "https://p.example/cb");
  CHECK(asked->state == "s1");
  CHECK(to_string(asked->scopes) == "payments:write payments:read");
}

TEST_CASE("the result of each query, of which the first fault decides") {
  struct row {
    query sent;
    const char* expected;
  };
  const row table[] = {
      // Error pages: no redirect.
      {{}, "page: client_id missing"},
      {lacking("client_id"), "page: client_id missing"},
      {with("client_id", ""), "page: unknown client"},
      {with("client_id", "nobody"), "page: unknown client"},
      {with("client_id", "Acme"), "page: unknown client"},
      {with("client_id", "plat_acme"), "page: unknown client"},
      {repeating("client_id", "acme"), "page: client_id missing"},
      {with("client_id", "halted"), "page: suspended"},
      {lacking("redirect_uri"), "page: redirect_uri missing"},
      {repeating("redirect_uri", "https://p.example/cb"), "page: redirect_uri missing"},
      {with("redirect_uri", ""), "page: not registered"},
      {{{"client_id", "acme"}, {"redirect_uri", "https://evil.example"}}, "page: not registered"},
      {{{"client_id", "acme"}}, "page: redirect_uri missing"},
      // Redirects to the platform.
      {lacking("state"), "back: https://p.example/cb?error=invalid_request"},
      {with("state", ""), "back: https://p.example/cb?error=invalid_request"},
      {repeating("state", "s2"), "back: https://p.example/cb?error=invalid_request"},
      {with("state", std::string(1'025, 'x')), "back: https://p.example/cb?error=invalid_request"},
      {lacking("scope"), "back: https://p.example/cb?error=invalid_request&state=s1"},
      {with("scope", ""), "back: https://p.example/cb?error=invalid_request&state=s1"},
      {with("scope", "  "), "back: https://p.example/cb?error=invalid_request&state=s1"},
      {repeating("scope", "payments:read"), "back: https://p.example/cb?error=invalid_request&state=s1"},
      {with("mode", ""), "back: https://p.example/cb?error=invalid_request&state=s1"},
      {with("mode", "LIVE"), "back: https://p.example/cb?error=invalid_request&state=s1"},
      {with("mode", "both"), "back: https://p.example/cb?error=invalid_request&state=s1"},
      {with("scope", "*"), "back: https://p.example/cb?error=invalid_scope&state=s1"},
      {with("scope", "* *"), "back: https://p.example/cb?error=invalid_scope&state=s1"},
      {with("scope", "payments"), "back: https://p.example/cb?error=invalid_scope&state=s1"},
      {with("scope", "payments:read bogus"), "back: https://p.example/cb?error=invalid_scope&state=s1"},
      {with("scope", "payments:read,payments:write"), "back: https://p.example/cb?error=invalid_scope&state=s1"},
      {with("scope", "payments:read\tpayments:write"), "back: https://p.example/cb?error=invalid_scope&state=s1"},
      // The user is asked.
      {good, "ask: live payments:write payments:read"},
      {with("mode", "live"), "ask: live payments:write payments:read"},
      {with("mode", "test"), "ask: test payments:write payments:read"},
      {with("scope", "* payments:read"), "ask: live payments:read"},
      {with("scope", " payments:read  payments:read "), "ask: live payments:read"},
      {with("state", std::string(1'024, 'x')), "ask: live payments:write payments:read"},
      {with("redirect_uri", "http://localhost:3000/cb"), "ask: live payments:write payments:read"},
      {repeating("utm", "a"), "ask: live payments:write payments:read"},
  };
  for (const auto& [sent, expected] : table) CHECK(verdict(sent) == expected);
}

TEST_CASE("an unused parameter may occur once, and not twice") {
  auto sent = repeating("utm", "a");
  sent.push_back({"utm", "b"});
  CHECK(verdict(sent) == "back: https://p.example/cb?error=invalid_request&state=s1");
}

TEST_CASE("mode twice is a repeat, even of the same value") {
  auto sent = with("mode", "test");
  sent.push_back({"mode", "test"});
  CHECK(verdict(sent) == "back: https://p.example/cb?error=invalid_request&state=s1");
}

TEST_CASE("a repeated state is returned to no address, since neither value is known to be the platform's") {
  const auto judged = judge(repeating("state", "s2"));
  CHECK(std::get<authorize_rejection>(judged).state.empty());
}

TEST_CASE("state is counted in characters") {
  std::string euros;
  for (int i = 0; i < 1'024; ++i) euros += "\xe2\x82\xac";
  CHECK(verdict(with("state", euros)) == "ask: live payments:write payments:read");
  CHECK(verdict(with("state", euros + "x")) == "back: https://p.example/cb?error=invalid_request");
}

TEST_CASE("no form of an open redirect counts as a registered address") {
  for (const auto* address : {"https://p.example",
                              "https://p.example/",
                              "https://p.example/cb/",
                              "https://p.example/cb?",
                              "https://p.example/cb#",
                              "https://p.example/cb#@evil.example",
                              "https://p.example/cb?next=https://evil.example",
                              "https://p.example/cb?tenant=2",
                              "https://p.example/cb?tenant=1&x",
                              "https://p.example/CB",
                              "https://P.example/cb",
                              "HTTPS://p.example/cb",
                              "http://p.example/cb",
                              "https://p.example:443/cb",
                              "https://p.example:8443/cb",
                              "https://p.example./cb",
                              "https://p.example.evil.example/cb",
                              "https://evil.example/cb",
                              "https://evil.example/https://p.example/cb",
                              "https://evil.example?https://p.example/cb",
                              "https://evil.example#https://p.example/cb",
                              "https://p.example@evil.example/cb",
                              "https://p.example:x@evil.example/cb",
                              "https://user@p.example/cb",
                              "https://p.example\\@evil.example/cb",
                              "https://evil.example\\p.example/cb",
                              "https:\\\\p.example\\cb",
                              "https:/p.example/cb",
                              "https:p.example/cb",
                              "//p.example/cb",
                              "/cb",
                              "p.example/cb",
                              "https://p.example/./cb",
                              "https://p.example/x/../cb",
                              "https://p.example/cb/..",
                              "https://p.example/%63b",
                              "https://p.example/%2e%2e/cb",
                              "https://p.example/cb/%2e%2e/evil",
                              "https://p.example/cb%2f..%2fevil",
                              "https://p.example/cb%00",
                              "https://p.example/cb%0d%0aLocation:%20https://evil.example",
                              "https://p.example/cb\r\nLocation: https://evil.example",
                              "https://p%2eexample/cb",
                              "https://p\xe3\x80\x82"
                              "example/cb",
                              "https://p\xef\xbc\x8e"
                              "example/cb",
                              "https://\xd1\x80.example/cb",
                              "https://p.example\xef\xbc\x8f"
                              "cb",
                              "https://p.example/cb\xe2\x80\x8b",
                              " https://p.example/cb",
                              "https://p.example/cb ",
                              "\thttps://p.example/cb",
                              "https://p.example/cb\n",
                              "javascript:alert(1)",
                              "data:text/html,<script>",
                              "http://localhost:3001/cb",
                              "http://127.0.0.1:3000/cb",
                              "http://localhost.evil.example:3000/cb",
                              "http://localhost:3000@evil.example/cb",
                              "https://p.example/cbhttps://p.example/cb",
                              "https://p.example/cb,https://evil.example",
                              "https://p.example/c"}) {
    CAPTURE(address);
    CHECK(verdict(with("redirect_uri", address)) == "page: not registered");
  }
  CHECK(verdict(with("redirect_uri", std::string{"https://p.example/cb\0", 21})) == "page: not registered");
}

TEST_CASE("the redirect keeps the registered query, and contains code and state unchanged") {
  const auto judged = judge(with("redirect_uri", "https://p.example/cb?tenant=1"));
  auto asked = std::get<authorize_request>(judged);
  CHECK(location_with_code(asked, "abc") == "https://p.example/cb?tenant=1&code=abc&state=s1");
  asked.state = "a b+c&code=mine#\r\n\xc3\xb6";
  CHECK(location_with_code(asked, "abc") ==
        "https://p.example/cb?tenant=1&code=abc&state=a%20b%2Bc%26code%3Dmine%23%0D%0A%C3%B6");
  CHECK(location_with_error(refused_by_user(asked)) ==
        "https://p.example/cb?tenant=1&error=access_denied&state=a%20b%2Bc%26code%3Dmine%23%0D%0A%C3%B6");
}
