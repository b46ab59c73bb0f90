#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "engine/signer.hpp"

using namespace gateway::load;

namespace {

boost::json::value vectors() {
  std::ifstream file{GATEWAY_TEST_DATA "/signing.json"};
  return boost::json::parse(std::string{std::istreambuf_iterator<char>{file}, {}});
}

std::string text(const boost::json::value& of, const char* member) { return std::string{of.at(member).as_string()}; }

std::string as_text(const signer::hex_digest& digest) { return {digest.begin(), digest.end()}; }

}  // namespace

TEST_CASE("Signatures are those that the gateway's own tests expect") {
  const auto all = vectors();
  const signer made{"localhost", {"mk_test_1", text(all, "secret")}};
  REQUIRE(!all.at("requests").as_array().empty());
  for (const auto& one : all.at("requests").as_array()) {
    CAPTURE(text(one, "name"));
    const auto target = text(one, "target");
    const auto path = target.substr(0, target.find('?'));
    CHECK(as_text(made.signature(0, text(one, "method"), path, text(one, "timestamp"), text(one, "body"))) ==
          text(one, "signature"));
  }
}

TEST_CASE("A request is written completely, and a second one over the first") {
  signer made{"127.0.0.1:8443", {"mk_test_1", text(vectors(), "secret")}};
  std::string wire = "what was there";
  request create;
  create.path = "/v1/payment_intents";
  create.body = R"({"payment_id":"pay_1001","amount":4200,"currency":"HKD","payment_method":"pm_card_visa"})";
  create.idempotency_key = "0b0c5d3e-7c1f-4a53-9f0e-0d6c5a1f2b3c";
  made.write(create, 1795167000, wire);  // 2026-11-20T09:30:00Z
  CHECK(wire ==
        "POST /v1/payment_intents HTTP/1.1\r\nHost: 127.0.0.1:8443\r\nX-Service-Key-Id: mk_test_1\r\n"
        "X-Service-Timestamp: 2026-11-20T09:30:00Z\r\n"
        "X-Service-Signature: e1df7ad77172fc5a737a4b2b0f37b3ed5caad9dd9caa573135ab0da4ed5f6457\r\n"
        "Idempotency-Key: 0b0c5d3e-7c1f-4a53-9f0e-0d6c5a1f2b3c\r\nContent-Type: application/json\r\nContent-Length: "
        "88\r\n\r\n" +
            create.body);

  request read;
  read.path = "/v1/payment_intents/pay_1001/timeline?limit=5";
  made.write(read, 1795167002, wire);
  // The query is sent but not signed.
  CHECK(wire ==
        "GET /v1/payment_intents/pay_1001/timeline?limit=5 HTTP/1.1\r\nHost: 127.0.0.1:8443\r\nX-Service-Key-Id: "
        "mk_test_1\r\n"
        "X-Service-Timestamp: 2026-11-20T09:30:02Z\r\n"
        "X-Service-Signature: 9a6df21e18e274b763bc022a4a63f591b13eab617bbb29432faca5ce0dd20b62\r\n\r\n");
}

TEST_CASE("A secret longer than the hash's block is hashed first, as HMAC requires") {
  const signer made{"h", {"k", std::string(100, 's')}};
  // As `openssl dgst -sha256 -hmac sss…` computes it.
  CHECK(as_text(made.signature(0, "GET", "/", "2026-11-20T09:30:00Z", "")) ==
        "212481d5567aeda11ece79636460b08f915a63f94c61b9b8a862cd30dc406fe0");
}

TEST_CASE("A platform's requests name merchant and environment in headers that the signature does not cover") {
  const credentials key{"mk_platform_0a1b2c3d", "secret"};
  signer own{"h", key}, acts{"h", key, {"merch_1", "live"}};
  request asked;
  for (const std::string path : {"/v1/payment_intents", "/v1/customers/by_ref?ref=reader-1"}) {
    asked.path = path;
    std::string by_merchant, by_platform;
    own.write(asked, 1795167000, by_merchant);
    acts.write(asked, 1795167000, by_platform);
    const auto put = [&](const std::string& behind, const std::string& what) {
      const auto at = by_merchant.find(behind);
      REQUIRE(at != std::string::npos);
      by_merchant.insert(at + behind.size(), what);
    };
    put("Host: h\r\n", "Service-Merchant: merch_1\r\n");
    put(path, path.find('?') == std::string::npos ? "?environment=live" : "&environment=live");
    CHECK(by_platform == by_merchant);
  }
}

TEST_CASE("Each request is signed with the key of its caller, by any copy of the signer") {
  const auto keys = std::make_shared<key_ring>();
  keys->add({"mk_test_1", "one"});
  keys->add({"mk_test_twenty_two", "two"});
  keys->add({"mk_test_3", std::string(100, 's')});
  REQUIRE(keys->size() == 3);
  signer all{"h", keys};
  auto copy = all;
  const std::vector<credentials> each{
      {"mk_test_1", "one"}, {"mk_test_twenty_two", "two"}, {"mk_test_3", std::string(100, 's')}};
  for (std::uint32_t caller = 0; caller < each.size(); ++caller) {
    request read;
    read.path = "/v1/payment_intents/pay_1";
    std::string alone, together;
    signer{"h", each[caller]}.write(read, 1795167000, alone);
    read.caller = caller;
    for (auto* by : {&all, &copy}) {
      by->write(read, 1795167000, together);
      CHECK(together == alone);
    }
    CHECK(alone.find("X-Service-Key-Id: " + each[caller].key_id + "\r\n") != std::string::npos);
  }
}
