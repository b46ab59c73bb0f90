// Parsing of URLs, and appending parameters.
#include <catch2/catch.hpp>

#include <string>

#include "gateway/domain/url.hpp"

using namespace gateway;

TEST_CASE("two https URLs have the same origin if, and only if, its canonical form is the same") {
  struct row {
    const char* url;
    const char* origin;
  };
  for (const auto& [url, origin] :
       {row{"https://shop.example", "https://shop.example"}, row{"https://shop.example/", "https://shop.example"},
        row{"https://shop.example/back?a=b#c", "https://shop.example"},
        row{"https://SHOP.Example:443/back", "https://shop.example"},
        row{"https://shop.example:0443", "https://shop.example"},
        row{"https://shop.example:8443/back", "https://shop.example:8443"},
        row{"https://shop.example?next=https://evil.example", "https://shop.example"},
        row{"https://shop.example./back", "https://shop.example."},
        row{"https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"}}) {
    CAPTURE(url);
    CHECK(https_origin_of(url) == origin);
  }
}

TEST_CASE("a text that a browser could read as another origin has none") {
  for (const auto* url : {"",
                          "https://",
                          "https:///back",
                          "http://shop.example",
                          "HTTPS://shop.example",
                          "//shop.example",
                          "https:/shop.example",
                          "https:\\\\shop.example",
                          "https://shop.example\\@evil.example",
                          "https://shop.example@evil.example",
                          "https://user:word@shop.example",
                          "https://shop.example:https",
                          "https://shop.example:65536",
                          "https://shop.example:0",
                          "https://shop.example:-1",
                          "https://[::1",
                          "https://[::1]evil.example",
                          "https://sh%6fp.example",
                          "https://shop.example;evil.example",
                          "https://shop.example ",
                          " https://shop.example",
                          "https://shop\t.example",
                          "https://shop.example/\n",
                          "https://sh\xc3\xb6p.example",
                          "https://shop\xe3\x80\x82"
                          "example",
                          "javascript:alert(1)//https://a.example",
                          "https://shop.example/%",
                          "https://shop.example/%2",
                          "https://shop.example/%zz"}) {
    CAPTURE(url);
    CHECK_FALSE(https_origin_of(url));
  }
  CHECK_FALSE(https_origin_of(std::string_view{"https://shop.example/\0", 22}));
  const std::string base = "https://shop.example/";
  CHECK(https_origin_of(base + std::string(most_url_bytes - base.size(), 'a')));
  CHECK_FALSE(https_origin_of(base + std::string(most_url_bytes - base.size() + 1, 'a')));
}

TEST_CASE("an encoded value holds only letters, digits, and characters that every parser keeps") {
  CHECK(percent_encoded("aZ09-._~") == "aZ09-._~");
  CHECK(percent_encoded("a b+c&d=e%f#g/h?i\"j'k") == "a%20b%2Bc%26d%3De%25f%23g%2Fh%3Fi%22j%27k");
  CHECK(percent_encoded("\xc3\xb6\r\n") == "%C3%B6%0D%0A");
  CHECK(percent_encoded(std::string_view{"\0\xff", 2}) == "%00%FF");
}

TEST_CASE("a form's names and values are decoded, and what escapes nothing stays") {
  for (const auto& [text, decoded] :
       {std::pair{"", ""}, std::pair{"a+b%20c", "a b c"}, std::pair{"%2B%26%3d%25", "+&=%"},
        std::pair{"%C3%a9", "\xC3\xA9"}, std::pair{"100%", "100%"}, std::pair{"%4", "%4"},
        std::pair{"%zz%4g", "%zz%4g"}, std::pair{"%%41", "%A"}, std::pair{"%25%34", "%4"}})
    CHECK(form_decoded(text) == decoded);
  CHECK(form_decoded("%00b") == std::string("\0b", 2));
  CHECK(form_decoded(percent_encoded("a b+c/~\xff")) == "a b+c/~\xff");
}

TEST_CASE("parameters are appended to the query that the URL has") {
  struct row {
    const char* url;
    const char* with;
  };
  for (const auto& [url, with] : {row{"https://p.example/cb", "https://p.example/cb?code=c&state=s"},
                                  row{"https://p.example", "https://p.example?code=c&state=s"},
                                  row{"https://p.example/cb?", "https://p.example/cb?code=c&state=s"},
                                  row{"https://p.example/cb?a=b", "https://p.example/cb?a=b&code=c&state=s"},
                                  row{"https://p.example/cb?a=b&", "https://p.example/cb?a=b&code=c&state=s"},
                                  row{"https://p.example/cb?a=%3F+x", "https://p.example/cb?a=%3F+x&code=c&state=s"}}) {
    CAPTURE(url);
    CHECK(with_parameters(url, {{"code", "c"}, {"state", "s"}}) == with);
  }
  CHECK(with_parameters("https://p.example/cb", {{"state", "a&code=mine#"}}) ==
        "https://p.example/cb?state=a%26code%3Dmine%23");
}
