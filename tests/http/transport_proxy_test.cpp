// Connections through a proxy: the header that the proxy sends first, and the client that it names.
#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include "http/server/connection_limits.hpp"
#include "http/server/proxy_header.hpp"
#include "http/server/remote_address.hpp"
#include "transport_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using header_state = proxy_header::state;
using namespace std::string_literals;

namespace {

const std::string v2_signature = "\r\n\r\n\0\r\nQUIT\n"s;

/// Version 2: its 13th and 14th byte, and the bytes after the length.
std::string binary(unsigned char command, unsigned char family, const std::string& rest) {
  return v2_signature + static_cast<char>(command) + static_cast<char>(family) + static_cast<char>(rest.size() >> 8) +
         static_cast<char>(rest.size() & 0xff) + rest;
}

const std::string v4_addresses =
    "\xc0\x00\x02\x07\x0a\x00\x00\x01\xdc\x04\x01\xbb"s;  // 192.0.2.7:56324 to 10.0.0.1:443
const std::string v6_addresses =
    "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x07"s + "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01"s + "\xdc\x04\x01\xbb"s;
// PP2_TYPE_AUTHORITY, and one of an undefined type.
const std::string tlvs = "\x02\x00\x0b"s + "api.example" + "\xee\x01\x2c"s + std::string(300, 'x');

struct header_row {
  const char* what;
  std::string bytes;
  header_state comes_to;
  std::string client;  ///< empty: the header names no client
};

const header_row header_rows[] = {
    {"v1 TCP4", "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n", header_state::whole, "192.0.2.7"},
    {"v1 TCP6", "PROXY TCP6 2001:db8::7 2001:db8::1 56324 443\r\n", header_state::whole, "2001:db8::7"},
    {"v1 TCP6 of an IPv4 address", "PROXY TCP6 ::ffff:192.0.2.7 ::ffff:10.0.0.1 56324 443\r\n", header_state::whole,
     "192.0.2.7"},
    {"v1, the longest",
     "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
     header_state::whole, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"v1 UNKNOWN", "PROXY UNKNOWN\r\n", header_state::whole, ""},
    {"v1 UNKNOWN with more", "PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n", header_state::whole, ""},
    {"v1, ports of nought", "PROXY TCP4 192.0.2.7 10.0.0.1 0 0\r\n", header_state::whole, "192.0.2.7"},
    {"v1, lower case", "proxy TCP4 192.0.2.7 10.0.0.1 56324 443\r\n", header_state::malformed, ""},
    {"v1, another family", "PROXY UDP4 192.0.2.7 10.0.0.1 56324 443\r\n", header_state::malformed, ""},
    {"v1, an address of the other family", "PROXY TCP4 2001:db8::7 10.0.0.1 56324 443\r\n", header_state::malformed,
     ""},
    {"v1, a broken address", "PROXY TCP4 192.0.2.256 10.0.0.1 56324 443\r\n", header_state::malformed, ""},
    {"v1, a broken destination", "PROXY TCP4 192.0.2.7 10.0.0 56324 443\r\n", header_state::malformed, ""},
    {"v1, a name", "PROXY TCP4 shop.example 10.0.0.1 56324 443\r\n", header_state::malformed, ""},
    {"v1, a NUL byte", "PROXY TCP4 192.0.2.7\0x 10.0.0.1 56324 443\r\n"s, header_state::malformed, ""},
    {"v1, a port too high", "PROXY TCP4 192.0.2.7 10.0.0.1 65536 443\r\n", header_state::malformed, ""},
    {"v1, a port with a sign", "PROXY TCP4 192.0.2.7 10.0.0.1 +1 443\r\n", header_state::malformed, ""},
    {"v1, a port with a zero in front", "PROXY TCP4 192.0.2.7 10.0.0.1 01 443\r\n", header_state::malformed, ""},
    {"v1, a port missing", "PROXY TCP4 192.0.2.7 10.0.0.1 56324\r\n", header_state::malformed, ""},
    {"v1, too many words", "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443 1\r\n", header_state::malformed, ""},
    {"v1, two blanks", "PROXY TCP4  192.0.2.7 10.0.0.1 56324 443\r\n", header_state::malformed, ""},
    {"v1, a bare line feed", "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\n", header_state::malformed, ""},
    {"v1, nothing", "PROXY \r\n", header_state::malformed, ""},
    {"v1, without an end", "PROXY UNKNOWN " + std::string(93, 'x'), header_state::malformed, ""},
    {"v1, cut off", "PROXY TCP4 192.0.2.7 10.0", header_state::partial, ""},
    {"v2 TCP4", binary(0x21, 0x11, v4_addresses), header_state::whole, "192.0.2.7"},
    {"v2 TCP6", binary(0x21, 0x21, v6_addresses), header_state::whole, "2001:db8::7"},
    {"v2 TCP4 with TLVs", binary(0x21, 0x11, v4_addresses + tlvs), header_state::whole, "192.0.2.7"},
    {"v2 TCP6 with TLVs", binary(0x21, 0x21, v6_addresses + tlvs), header_state::whole, "2001:db8::7"},
    {"v2, the longest", binary(0x21, 0x11, v4_addresses + std::string(4'096 - 28, 'x')), header_state::whole,
     "192.0.2.7"},
    {"v2 LOCAL", binary(0x20, 0x00, ""), header_state::whole, ""},
    {"v2 LOCAL with addresses", binary(0x20, 0x11, v4_addresses), header_state::whole, ""},
    {"v2 unspecified", binary(0x21, 0x00, tlvs), header_state::whole, ""},
    {"v2 UDP over IPv4", binary(0x21, 0x12, v4_addresses), header_state::whole, ""},
    {"v2 a Unix socket", binary(0x21, 0x31, std::string(216, 'u')), header_state::whole, ""},
    {"v2, too long", binary(0x21, 0x11, v4_addresses + std::string(4'096 - 27, 'x')), header_state::malformed, ""},
    {"v2, the longest that can be said", v2_signature + "\x21\x11\xff\xff"s, header_state::malformed, ""},
    {"v2, shorter than its addresses", binary(0x21, 0x11, v4_addresses.substr(1)), header_state::malformed, ""},
    {"v2, IPv6 that is as long as IPv4", binary(0x21, 0x21, v4_addresses), header_state::malformed, ""},
    {"v2, version 1", binary(0x11, 0x11, v4_addresses), header_state::malformed, ""},
    {"v2, another command", binary(0x22, 0x11, v4_addresses), header_state::malformed, ""},
    {"v2, another family", binary(0x21, 0x41, v4_addresses), header_state::malformed, ""},
    {"v2, another protocol", binary(0x21, 0x13, v4_addresses), header_state::malformed, ""},
    {"v2, cut off in its signature", v2_signature.substr(0, 11), header_state::partial, ""},
    {"v2, cut off in its addresses", v2_signature + "\x21\x11\x00\x0c\xc0\x00"s, header_state::partial, ""},
    {"v2, cut off in its TLVs", binary(0x21, 0x11, v4_addresses + tlvs).substr(0, 60), header_state::partial, ""},
    {"TLS", "\x16\x03\x01\x02\x00\x01"s, header_state::malformed, ""},
    {"HTTP", "GET / HTTP/1.1\r\n", header_state::malformed, ""},
    {"nothing", "", header_state::partial, ""},
};

reply from_where(test_server& server, std::string_view first, std::size_t piece = 0) {
  client::tls_options options;
  options.first = first;
  options.piece = piece;
  client caller{server.running->port(), options};
  return caller.ask(get("/from")).value_or(reply{});
}

const auto from_here = [](settings& s) { s.proxy_protocol_from = "127.0.0.0/8"; };

}  // namespace

TEST_CASE("a PROXY header is read however it is split, and nothing after it is consumed") {
  for (const auto& row : header_rows) {
    CAPTURE(row.what);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{16}, std::size_t{5'000}}) {
      const auto bytes = row.comes_to == header_state::whole ? row.bytes + "behind" : row.bytes;
      proxy_header header;
      auto now = header_state::partial;
      std::string_view rest = bytes, left;
      while (!rest.empty() && now == header_state::partial) {
        left = rest.substr(0, piece);
        rest.remove_prefix(left.size());
        now = header.take(left);
      }
      CHECK(now == row.comes_to);
      if (now != header_state::whole) continue;
      CHECK(std::string{left}.append(rest) == "behind");
      CHECK((header.client() ? address_text(*header.client()) : "") == row.client);
      CHECK(header.take(left) == header_state::whole);
    }
  }
}

TEST_CASE("behind a proxy the client is the one that the header names, or else the proxy") {
  test_server server(from_here);
  CHECK(from_where(server, "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n").body == "192.0.2.7");
  CHECK(from_where(server, "PROXY TCP6 2001:db8::7 2001:db8::1 56324 443\r\n").body == "2001:db8::7");
  CHECK(from_where(server, binary(0x21, 0x21, v6_addresses + tlvs), 1).body == "2001:db8::7");
  CHECK(from_where(server, "PROXY UNKNOWN\r\n").body == "127.0.0.1");
  CHECK(from_where(server, binary(0x20, 0x00, "")).body == "127.0.0.1");
}

TEST_CASE("a missing, malformed or late header from a proxy closes the connection") {
  test_server server([](settings& s) {
    s.proxy_protocol_from = "127.0.0.1";
    s.http.request_timeout = 300ms;
  });
  CHECK_FALSE(server.connect().handshake_done());
  CHECK(from_where(server, "PROXY TCP4 192.0.2.256 10.0.0.1 56324 443\r\n").status == 0);
  CHECK(from_where(server, binary(0x21, 0x11, v4_addresses.substr(1))).status == 0);
  auto silent = client::plain(server.running->port());
  REQUIRE(silent.send("PROXY TCP4 "));
  CHECK(silent.ends());
  CHECK(from_where(server, "PROXY UNKNOWN\r\n").status == 200);
}

TEST_CASE("a header from any other address is a bad request, and its address is not used") {
  test_server server([](settings& s) { s.proxy_protocol_from = "192.0.2.0/24"; });
  CHECK(from_where(server, "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n").status == 0);
  CHECK(from_where(server, binary(0x21, 0x11, v4_addresses)).status == 0);
  CHECK(from_where(server, "").body == "127.0.0.1");
}

TEST_CASE("operators' listeners accept no header") {
  test_server server(from_here);
  auto caller = client::plain(server.operator_port);
  CHECK(caller.ask(get("/metrics"))->body == "metrics /metrics");
}

TEST_CASE("behind a proxy connections are limited by the client's address, and not by the proxy's") {
  test_server server([](settings& s) {
    s.proxy_protocol_from = "127.0.0.1";
    s.http.connections_per_address = 1;
  });
  const auto waits_from = [&](std::string_view header) {
    client::tls_options options;
    options.first = header;
    client caller{server.running->port(), options};
    caller.send(get("/wait"));
    return caller;
  };
  auto first = waits_from("PROXY TCP4 192.0.2.1 10.0.0.1 1 443\r\n");
  auto second = waits_from("PROXY TCP4 192.0.2.2 10.0.0.1 1 443\r\n");
  CHECK(eventually([] { return waiting == 2; }));
  CHECK(from_where(server, "PROXY TCP4 192.0.2.1 10.0.0.1 2 443\r\n").status == 0);
  CHECK(server.meters.connections_refused.Value() == 1);
  CHECK(from_where(server, "PROXY TCP4 192.0.2.3 10.0.0.1 2 443\r\n").status == 200);
  gate = true;
  CHECK(first.receive()->status == 200);
  CHECK(second.receive()->status == 200);
}
