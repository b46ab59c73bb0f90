// Valid registrations of a platform.
#include <catch2/catch.hpp>

#include <string>

#include "gateway/domain/on_behalf.hpp"
#include "gateway/domain/platform.hpp"

using namespace gateway;

TEST_CASE("a slug is 2 to 63 lower-case letters, digits and dashes, and does not begin with a dash") {
  for (const auto* good : {"ab", "0-", "a1", "my-platform", "a--b"}) CHECK(is_platform_slug(good));
  CHECK(is_platform_slug("a" + std::string(62, 'x')));
  CHECK_FALSE(is_platform_slug("a" + std::string(63, 'x')));
  for (const auto* bad : {"", "a", "-a", "Ab", "aB", "a_b", "a.b", "a b", "a/b", "\xc3\xa4\xc3\xa4", "a\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_platform_slug(bad));
  }
}

TEST_CASE("a name has a visible character, and no control characters") {
  for (const auto* good : {"Acme", "Acme & S\xc3\xb6hne", "\xe5\xb9\xb3\xe5\x8f\xb0", "a"})
    CHECK(is_platform_name(good));
  for (const auto* bad : {"", " ", "   ", "A\nB", "A\x1b[31m", "A\x7f"}) CHECK_FALSE(is_platform_name(bad));
  CHECK(is_platform_name(std::string(200, 'x')));
  CHECK_FALSE(is_platform_name(std::string(201, 'x')));
}

TEST_CASE("a platform's key is mk_platform_ and eight lower-case hexadecimal digits") {
  CHECK(is_platform_key_id("mk_platform_0123cdef"));
  for (const auto* bad : {"", "mk_platform_", "mk_platform_0123cde", "mk_platform_0123cdef0", "mk_platform_0123CDEF",
                          "mk_platform_0123cdeg", "mk_test_0123cdef", "xmk_platform_0123cdef"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_platform_key_id(bad));
  }
}

TEST_CASE("a key without named scopes gets four, none of them the star") {
  const auto scopes = parse_scopes(default_platform_scopes);
  REQUIRE(scopes);
  for (const auto given :
       {scope::payments_write, scope::payments_read, scope::customers_write, scope::webhooks_configure})
    CHECK(scopes->permits(given));
  for (const auto held_back : {scope::customers_read, scope::refunds_write, scope::payouts_read, scope::mcp_read})
    CHECK_FALSE(scopes->permits(held_back));
}

TEST_CASE("a redirect_uri is absolute https without fragment and user, or http to this machine") {
  for (const auto* good :
       {"https://p.example/callback", "https://p.example", "https://p.example:8443/cb?tenant=1&x=%20",
        "https://P.example/", "https://[2001:db8::1]/cb", "http://localhost/cb", "http://localhost:3000/cb",
        "http://127.0.0.1:3000/cb", "http://[::1]:3000/cb", "https://localhost/cb"}) {
    CAPTURE(good);
    CHECK(is_redirect_uri(good));
  }
  for (const auto* bad : {"",
                          "p.example/cb",
                          "/cb",
                          "//p.example/cb",
                          "ftp://p.example/cb",
                          "javascript:alert(1)",
                          "data:text/html,x",
                          "myapp://cb",
                          "HTTPS://p.example/cb",
                          "https:p.example",
                          "https://",
                          "https:///cb",
                          "https://p.example/cb#",
                          "https://p.example/cb#part",
                          "https://user@p.example/cb",
                          "https://user:word@p.example/cb",
                          "https://@p.example/cb",
                          "https://p.example\\cb",
                          "https://p.example/c b",
                          "https://p.example/cb\n",
                          "https://p.example/c\x01"
                          "b",
                          "https://p\xc3\xb6.example/cb",
                          "https://p.example/\xe2\x80\xae",
                          "https://p.example/%",
                          "https://p.example/%0g",
                          "https://p.example:port/cb",
                          "https://p.example:65536/cb",
                          "https://[::1/cb",
                          "https://p%2eexample/cb",
                          "http://p.example/cb",
                          "http://localhost.evil.example/cb",
                          "http://127.0.0.1.evil.example/cb",
                          "http://localhost@evil.example/cb",
                          "http://127.1/cb",
                          "http://0.0.0.0/cb",
                          "http://LOCALHOST/cb",
                          "https://*.p.example/cb*\"",
                          "https://p.example/<script>"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_redirect_uri(bad));
  }
  const std::string base = "https://p.example/";
  CHECK(is_redirect_uri(base + std::string(most_url_bytes - base.size(), 'a')));
  CHECK_FALSE(is_redirect_uri(base + std::string(most_url_bytes - base.size() + 1, 'a')));
  CHECK_FALSE(is_redirect_uri(std::string_view{"https://p.example/\0", 19}));
}

TEST_CASE("a return origin is an https origin in its canonical form") {
  for (const auto* good : {"https://app.example", "https://app.example:8443"}) CHECK(is_return_origin(good));
  for (const auto* bad : {"", "https://app.example/", "https://app.example:443", "https://APP.example",
                          "http://app.example", "http://localhost", "https://app.example/back", "https://app.example?",
                          "https://u@app.example", "*", "https://*.app.example"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_return_origin(bad));
  }
}

TEST_CASE("a platform is registered only if complete, and its fault names the field") {
  const platform good{platform_id{"plat_1"},
                      "acme",
                      "Acme",
                      "security@acme.example",
                      platform_status::active,
                      {"https://p.example/cb"},
                      {"https://app.example"}};
  CHECK_FALSE(fault_of(good));
  const auto field_of = [&](auto change) {
    auto changed = good;
    change(changed);
    const auto why = fault_of(changed);
    return why ? why->substr(0, why->find(':')) : std::string{};
  };
  CHECK(field_of([](platform& p) { p.slug = "A"; }) == "slug");
  CHECK(field_of([](platform& p) { p.name = ""; }) == "name");
  CHECK(field_of([](platform& p) { p.redirect_uris.clear(); }) == "redirect_uris");
  CHECK(field_of([](platform& p) { p.redirect_uris.push_back("http://p.example/cb"); }) == "redirect_uris");
  CHECK(field_of([](platform& p) { p.redirect_uris.resize(33, p.redirect_uris[0]); }) == "redirect_uris");
  CHECK(field_of([](platform& p) { p.redirect_uris.resize(32, p.redirect_uris[0]); }) == "");
  CHECK(field_of([](platform& p) { p.return_origins.push_back("https://app.example/"); }) == "return_origins");
  CHECK(field_of([](platform& p) { p.return_origins.resize(33, p.return_origins[0]); }) == "return_origins");
  CHECK(field_of([](platform& p) { p.return_origins.clear(); }) == "");
}
