// The forms of a destination's URL.
#include <catch2/catch.hpp>

#include <string>

#include "http/outbound/destination_url.hpp"

using namespace gateway;
using namespace gateway::http;

TEST_CASE("a destination's URL is parsed into its parts") {
  struct row {
    std::string url, host, authority, target, origin;
    int port;
    bool tls, literal;
  };
  const row rows[] = {
      {"https://hooks.example", "hooks.example", "hooks.example", "/", "https://hooks.example:443", 443, true, false},
      {"HTTPS://Hooks.Example/A?b=C", "hooks.example", "hooks.example", "/A?b=C", "https://hooks.example:443", 443,
       true, false},
      {"https://hooks.example:443/a", "hooks.example", "hooks.example", "/a", "https://hooks.example:443", 443, true,
       false},
      {"https://hooks.example:8443?q", "hooks.example", "hooks.example:8443", "/?q", "https://hooks.example:8443", 8443,
       true, false},
      {"https://hooks.example:/a%20b", "hooks.example", "hooks.example", "/a%20b", "https://hooks.example:443", 443,
       true, false},
      {"http://localhost:80/", "localhost", "localhost", "/", "http://localhost:80", 80, false, false},
      {"https://8.8.8.8/x", "8.8.8.8", "8.8.8.8", "/x", "https://8.8.8.8:443", 443, true, true},
      {"https://[2606:4700::1]:8443/x", "2606:4700::1", "[2606:4700::1]:8443", "/x", "https://[2606:4700::1]:8443",
       8443, true, true},
      {"https://[2606:4700:0::0:1]/", "2606:4700::1", "[2606:4700::1]", "/", "https://[2606:4700::1]:443", 443, true,
       true},
      {"https://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]", "/", "https://[::ffff:127.0.0.1]:443",
       443, true, true},
      {"https://127.0.0.1.example/", "127.0.0.1.example", "127.0.0.1.example", "/", "https://127.0.0.1.example:443",
       443, true, false},
      {"https://a_b.example/", "a_b.example", "a_b.example", "/", "https://a_b.example:443", 443, true, false},
  };
  for (const auto& r : rows) {
    INFO(r.url);
    const auto read = read_destination_url(r.url, true);
    INFO(read.why);
    REQUIRE(read.url);
    CHECK(read.url->host == r.host);
    CHECK(read.url->authority == r.authority);
    CHECK(read.url->target == r.target);
    CHECK(read.url->origin == r.origin);
    CHECK(read.url->port == r.port);
    CHECK(read.url->tls == r.tls);
    CHECK(read.url->literal.has_value() == r.literal);
  }
}

TEST_CASE("a URL that cannot be a destination is refused with its reason") {
  const auto why = [](const std::string& url, bool development = false) {
    const auto read = read_destination_url(url, development);
    CHECK_FALSE(read.url);
    return read.why;
  };
  for (const std::string url :
       {"", "hooks.example", "/path", "//hooks.example/", "https://a b.example/", "https://hooks.example/\r\nX: y",
        "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[::1/"}) {
    INFO(url);
    CHECK_FALSE(why(url).empty());
    CHECK_FALSE(why(url, true).empty());
  }
  CHECK(why("ftp://hooks.example/") == "the URL must begin with https://");
  CHECK(why("http://hooks.example/") == "the URL must begin with https:// (http is for --dev only)");
  CHECK(why("https:/hooks.example") == "the host is missing");
  CHECK(why("https:///path") == "the host is missing");
  CHECK(why("https://:443/") == "the host is missing");
  CHECK(why("https://user@hooks.example/") == "the URL must not hold a user name or password");
  CHECK(why("https://user:pass@hooks.example/") == "the URL must not hold a user name or password");
  CHECK(why("https://@hooks.example/") == "the URL must not hold a user name or password");
  CHECK(why("https://hooks.example/#top") == "the URL must not hold a fragment");
  CHECK(why("https://hooks.example/#") == "the URL must not hold a fragment");
  CHECK(why("https://hooks.example:0/") == "the port is not a number from 1 to 65535");
  CHECK(why("https://hooks.example:65536/") == "the port is not a number from 1 to 65535");
  CHECK(why("https://hooks..example/") == "the host is not a DNS name");
  CHECK(why("https://hooks.example./") == "the host is not a DNS name");
  CHECK(why("https://-hooks.example/") == "the host is not a DNS name");
  CHECK(why("https://hooks%2eexample/") == "the host is not a DNS name");
  CHECK(why("https://127.0.0.1%00.example/") == "the host is not a DNS name");
  CHECK(why("https://127.0.0.1-x.8/") == "the host is a number: write addresses as 192.0.2.1 or [2001:db8::1]");
  CHECK(why("https://[v1.x]/") == "the host is neither a DNS name nor an address");
  CHECK(why("https://" + std::string(64, 'a') + ".example/") == "the host is not a DNS name");
  std::string long_name;
  for (int i = 0; i < 64; ++i) long_name += "abc.";
  CHECK(why("https://" + long_name + "example/") == "the host name is too long");
}

TEST_CASE("each address has one canonical form") {
  for (const std::string host : {"2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1",
                                 "017700000001", "127.0.0.0x1", "1.2.3.4.5", "256.0.0.1", "0X7F000001", "hooks.0x"}) {
    INFO(host);
    CHECK(read_destination_url("https://" + host + "/", true).why ==
          "the host is a number: write addresses as 192.0.2.1 or [2001:db8::1]");
  }
  CHECK(read_destination_url("https://127.0.0.1./", true).why == "the host is not a DNS name");
}

TEST_CASE("a URL may be 2048 bytes long") {
  const std::string start = "https://hooks.example/";
  CHECK(read_destination_url(start + std::string(most_url_bytes - start.size(), 'a'), false).url);
  const auto longer = start + std::string(most_url_bytes - start.size() + 1, 'a');
  CHECK(read_destination_url(longer, false).why == "the URL is longer than 2048 bytes");
}
