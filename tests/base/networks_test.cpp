// Valid lists of networks, and the addresses in them.
#include <catch2/catch.hpp>

#include <string>

#include "gateway/base/networks.hpp"

using gateway::networks;

namespace {

networks read(std::string_view text) {
  auto list = networks::parse(text);
  if (const auto* fault = std::get_if<std::string>(&list)) FAIL(*fault);
  return std::get<networks>(std::move(list));
}

}  // namespace

TEST_CASE("an address is in a network if it begins with the network's prefix") {
  struct {
    const char* list;
    const char* address;
    bool inside;
  } const rows[] = {
      {"10.0.0.0/8", "10.255.0.1", true},
      {"10.0.0.0/8", "11.0.0.0", false},
      {"192.0.2.128/25", "192.0.2.127", false},
      {"192.0.2.128/25", "192.0.2.128", true},
      {"192.0.2.7", "192.0.2.7", true},
      {"192.0.2.7", "192.0.2.8", false},
      {"0.0.0.0/0", "203.0.113.9", true},
      {"0.0.0.0/0", "2001:db8::1", false},
      {"10.0.0.0/8", "::ffff:10.1.2.3", true},
      {"2001:db8::/32", "2001:db8:ffff::1", true},
      {"2001:db8::/32", "2001:db9::", false},
      {"2001:db8::/33", "2001:db8:8000::", false},
      {"::1", "::1", true},
      {"::/0", "10.0.0.1", true},
      {" 10.0.0.0/8 , 192.0.2.0/24 ", "192.0.2.1", true},
      {"10.0.0.0/8,192.0.2.0/24", "198.51.100.1", false},
      {"", "10.0.0.1", false},
      {"0.0.0.0/0", "", false},
      {"0.0.0.0/0", "a name", false},
  };
  for (const auto& row : rows) {
    INFO(row.list << " and " << row.address);
    CHECK(read(row.list).contains(row.address) == row.inside);
  }
  CHECK(read(" ").empty());
  CHECK_FALSE(read("::1").empty());
}

TEST_CASE("an invalid network is named, with what is wrong") {
  struct {
    const char* list;
    const char* fault;
  } const rows[] = {
      {"10.0.0.0/8,", "'' is no IP address or network"},
      {"10.0.0.0/8,,::1", "'' is no IP address or network"},
      {"example.com", "'example.com' is no IP address or network"},
      {"10.0.0/8", "'10.0.0/8' is no IP address or network"},
      {"10.0.0.0/", "'10.0.0.0/' has no prefix from 0 to 32"},
      {"10.0.0.0/33", "'10.0.0.0/33' has no prefix from 0 to 32"},
      {"10.0.0.0/-1", "'10.0.0.0/-1' has no prefix from 0 to 32"},
      {"::1, 2001:db8::/129", "'2001:db8::/129' has no prefix from 0 to 128"},
      {"10.0.0.1/8", "'10.0.0.1/8' has bits behind its prefix"},
      {"2001:db8::1/64", "'2001:db8::1/64' has bits behind its prefix"},
  };
  for (const auto& row : rows) {
    INFO(row.list);
    const auto list = networks::parse(row.list);
    REQUIRE(std::holds_alternative<std::string>(list));
    CHECK(std::get<std::string>(list) == row.fault);
  }
}
