// Which addresses are refused: both ends of every range, and the addresses just outside.
#include <catch2/catch.hpp>

#include <string>

#include "http/outbound/address_policy.hpp"

using namespace gateway::http;
namespace ip = boost::asio::ip;

namespace {

bool refused(const std::string& text, loopback_rule loopback = loopback_rule::refused) {
  return why_forbidden(ip::make_address(text), loopback).has_value();
}

/// The last 32 bits of an IPv6 address, and 32 bits in its middle.
std::string hex_pair(const std::string& v4) {
  const auto bytes = ip::make_address_v4(v4).to_bytes();
  char text[16];
  std::snprintf(text, sizeof text, "%x:%x", bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]);
  return text;
}

struct range {
  const char* before;  ///< "": another refused range, or nothing, is adjacent
  const char* first;
  const char* last;
  const char* after;
};

}  // namespace

TEST_CASE("every special-purpose IPv4 range is refused, including both ends") {
  const range ranges[] = {
      {"", "0.0.0.0", "0.255.255.255", "1.0.0.0"},
      {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
      {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
      {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
      {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
      {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
      {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
      {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
      {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
      {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
      {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
      {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
      {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
      {"223.255.255.255", "224.0.0.0", "239.255.255.255", ""},
      {"", "240.0.0.0", "255.255.255.255", ""},
  };
  for (const auto& r : ranges) {
    for (const std::string in : {r.first, r.last}) {
      INFO(in);
      CHECK(refused(in));
      // In every IPv6 form of it.
      CHECK(refused("::ffff:" + in));
      CHECK(refused("::" + in));
      CHECK(refused("::ffff:0:" + in));
      CHECK(refused("64:ff9b::" + in));
      CHECK(refused("2002:" + hex_pair(in) + "::1"));
    }
    for (const std::string out : {r.before, r.after}) {
      if (out.empty()) continue;
      INFO(out);
      CHECK_FALSE(refused(out));
      CHECK_FALSE(refused("::ffff:" + out));
      CHECK_FALSE(refused("64:ff9b::" + out));
      CHECK_FALSE(refused("2002:" + hex_pair(out) + "::1"));
    }
  }
}

TEST_CASE("every special-purpose IPv6 range is refused, including both ends") {
  for (const std::string in : {"::",
                               "::1",
                               "64:ff9b:1::",
                               "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
                               "100::",
                               "100::ffff:ffff:ffff:ffff",
                               "100:0:0:1::",
                               "2001::",
                               "2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
                               "2001:0:808:808::f7f7:f7f7",
                               "2001:1::",
                               "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
                               "2001:db8::",
                               "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                               "3fff::",
                               "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
                               "5f00::",
                               "fc00::",
                               "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                               "fe80::",
                               "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                               "fec0::",
                               "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                               "ff00::",
                               "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                               "1fff::",
                               "4000::",
                               "fe00::",
                               "fd00:ec2::254"}) {
    INFO(in);
    CHECK(refused(in));
  }
  for (const std::string out : {"2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2606:4700:4700::1111",
                                "2a00:1450::1", "3ffe::1", "3fff:1000::", "2003::"}) {
    INFO(out);
    CHECK_FALSE(refused(out));
  }
}

TEST_CASE("development opens loopback only") {
  for (const std::string in :
       {"127.0.0.1", "127.0.0.0", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::ffff:127.255.255.255"}) {
    INFO(in);
    CHECK(is_loopback(ip::make_address(in)));
    CHECK(refused(in));
    CHECK_FALSE(refused(in, loopback_rule::allowed));
  }
  for (const std::string in : {"10.0.0.1", "0.0.0.0", "::", "169.254.169.254", "192.168.1.1", "::ffff:10.0.0.1",
                               "::127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "fe80::1", "126.255.255.255"}) {
    INFO(in);
    CHECK_FALSE(is_loopback(ip::make_address(in)));
    CHECK(refused(in, loopback_rule::allowed) == refused(in));
  }
}

TEST_CASE("a refusal says what the address is") {
  CHECK(why_forbidden(ip::make_address("169.254.169.254"), loopback_rule::refused) == "a link-local address");
  CHECK(why_forbidden(ip::make_address("::ffff:10.1.2.3"), loopback_rule::refused) == "a private address");
  CHECK(why_forbidden(ip::make_address("255.255.255.255"), loopback_rule::refused) == "the broadcast address");
  CHECK(why_forbidden(ip::make_address("ff02::1"), loopback_rule::refused) == "a multicast address");
}

TEST_CASE("operators' own addresses are unrestricted, but http is allowed to this machine only") {
  struct row {
    const char* address;
    bool tls;
    bool public_only, public_and_loopback, any;
  };
  const row rows[] = {
      {"93.184.216.34", true, true, true, true}, {"93.184.216.34", false, false, false, false},
      {"10.1.2.3", true, false, false, true},    {"10.1.2.3", false, false, false, false},
      {"fd00::1", true, false, false, true},     {"127.0.0.1", true, false, true, true},
      {"127.0.0.1", false, false, true, true},   {"::1", false, false, true, true},
  };
  for (const auto& r : rows) {
    INFO(r.address << (r.tls ? " by https" : " by http"));
    const auto address = ip::make_address(r.address);
    CHECK(why_refused(r.tls, address, destination_rule::public_only).has_value() != r.public_only);
    CHECK(why_refused(r.tls, address, destination_rule::public_and_loopback).has_value() != r.public_and_loopback);
    CHECK(why_refused(r.tls, address, destination_rule::any).has_value() != r.any);
  }
}
