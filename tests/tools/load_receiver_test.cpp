// The receiver records the posts, and whether they were signed correctly.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include "../base/hang_timeout.hpp"
#include "workload/receiver.hpp"
#include "workload/webhook_signature.hpp"

using namespace gateway::load;
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

constexpr const char* secret = "whsec_of_the_test";

std::string signature_of(const std::string& body, const std::string& by, std::int64_t at) {
  const auto text = std::to_string(at) + '.' + body;
  unsigned char digest[32];
  unsigned size = 0;
  HMAC(EVP_sha256(), by.data(), static_cast<int>(by.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest, &size);
  std::string hex;
  for (const auto byte : digest) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    hex += two;
  }
  return "t=" + std::to_string(at) + ",v1=" + hex;
}

std::string event_body(int number, const std::string& type = "payment.captured") {
  const auto text = std::to_string(number);
  return R"({"id":"evt_)" + text + R"(","type":")" + type + R"(","data":{"payment_id":"pay_r1_)" + text +
         R"(","state":"captured"}})";
}

http::request<http::string_body> post_of(const std::string& body, const std::string& delivery,
                                         const std::string& signature) {
  http::request<http::string_body> post{http::verb::post, "/hooks", 11};
  post.set(http::field::host, "receiver");
  post.set(http::field::content_type, "application/json");
  post.set("X-Service-Delivery", delivery);
  post.set("X-Service-Signature", signature);
  post.body() = body;
  post.prepare_payload();
  return post;
}

std::uint16_t port_of(const receiver& to) {
  const auto url = to.url();
  return static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
}

template <class Stream>
unsigned send(Stream& over, const http::request<http::string_body>& post) {
  http::write(over, post);
  beast::flat_buffer buffer;
  http::response<http::string_body> got;
  http::read(over, buffer, got);
  return got.result_int();
}

/// One kept-alive connection.
struct poster {
  asio::io_context context;
  tcp::socket socket{context};

  explicit poster(const receiver& to) { socket.connect({asio::ip::address_v4::loopback(), port_of(to)}); }
  unsigned post(const std::string& body, const std::string& delivery, const std::string& signature) {
    return send(socket, post_of(body, delivery, signature));
  }
};

/// A self-signed certificate and its key, in files.
struct identity {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("load_receiver_" + std::to_string(::getpid()));
  std::string certificate = folder / "certificate.pem", key = folder / "key.pem";

  identity() {
    std::filesystem::create_directories(folder);
    EVP_PKEY* made = EVP_EC_gen("P-256");
    X509* cert = X509_new();
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -60);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, made);
    auto* name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("receiver"), -1, -1, 0);
    X509_set_issuer_name(cert, name);
    X509_sign(cert, made, EVP_sha256());
    FILE* file = std::fopen(certificate.c_str(), "w");
    PEM_write_X509(file, cert);
    std::fclose(file);
    file = std::fopen(key.c_str(), "w");
    PEM_write_PrivateKey(file, made, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(cert);
    EVP_PKEY_free(made);
  }
  ~identity() { std::filesystem::remove_all(folder); }
};

}  // namespace

TEST_CASE("a signature is right by the documentation alone: secret, body, and time") {
  const std::string body = R"({"id":"evt_1"})";
  const auto good = signature_of(body, secret, 1000);
  CHECK(rightly_signed(good, body, secret, 1000));
  CHECK(rightly_signed(good, body, secret, 1300));
  CHECK(rightly_signed(good, body, secret, 700));
  CHECK_FALSE(rightly_signed(good, body, secret, 1301));
  CHECK_FALSE(rightly_signed(good, body, secret, 699));
  CHECK_FALSE(rightly_signed(good, body + ' ', secret, 1000));
  CHECK_FALSE(rightly_signed(good, body, "whsec_other", 1000));
  CHECK_FALSE(rightly_signed(good, body, "", 1000));
  for (const std::string text : {"", "t=", "t=1000", "t=1000,", "t=1000,v1=", "t=x,v1=00", "v1=00,t=1000"})
    CHECK_FALSE(rightly_signed(text, body, secret, 1000));
  // While the secret is being changed there are two signatures.
  const auto old = signature_of(body, "whsec_old", 1000);
  CHECK(rightly_signed(old + good.substr(good.find(',')), body, secret, 1000));
  CHECK(rightly_signed(good + old.substr(old.find(',')), body, secret, 1000));
}

TEST_CASE("a post is answered with 200, and recorded with its ids and whether its signature was right") {
  receiver to{{}};
  to.expect_signatures_of(secret);
  poster from{to};
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  CHECK(from.post(event_body(1), "7001", signature_of(event_body(1), secret, now)) == 200);
  CHECK(from.post(event_body(2, "payment.failed"), "7002",
                  signature_of(event_body(2, "payment.failed"), "whsec_other", now)) == 200);
  const auto all = to.received();
  REQUIRE(all.size() == 2);
  CHECK(all[0].event_id == "evt_1");
  CHECK(all[0].type == "payment.captured");
  CHECK(all[0].payment_id == "pay_r1_1");
  CHECK(all[0].delivery_id == "7001");
  CHECK(all[0].rightly_signed);
  CHECK(all[1].type == "payment.failed");
  CHECK_FALSE(all[1].rightly_signed);
  CHECK(all[0].body_hash != all[1].body_hash);
}

TEST_CASE("an identical repeat is counted, and kept once; one with another body is kept as well") {
  receiver to{{}};
  to.expect_signatures_of(secret);
  poster from{to};
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  for (const auto at : {now, now + 1}) from.post(event_body(1), "7001", signature_of(event_body(1), secret, at));
  CHECK(to.count() == 2);
  CHECK(to.events() == 1);
  CHECK(to.received().size() == 1);
  from.post(event_body(1) + ' ', "7001", signature_of(event_body(1) + ' ', secret, now));
  CHECK(to.count() == 3);
  CHECK(to.events() == 1);
  REQUIRE(to.received().size() == 2);
  CHECK(to.received()[0].body_hash != to.received()[1].body_hash);
}

TEST_CASE("posts that are not events, and other methods, do no harm") {
  receiver to{{}};
  to.expect_signatures_of(secret);
  poster from{to};
  CHECK(from.post("not JSON", "1", "x") == 200);
  CHECK(from.post(R"([1])", "2", "") == 200);
  CHECK(from.post(R"({"id":5,"type":null,"data":7})", "", "") == 200);
  CHECK(to.events() == 0);
  CHECK(to.count() == 3);
  auto get = post_of("", "", "");
  get.method(http::verb::get);
  CHECK(send(from.socket, get) == 405);
}

TEST_CASE("a body above a mebibyte ends its connection, and no other") {
  receiver to{{}};
  poster rude{to}, polite{to};
  CHECK_THROWS(rude.post(std::string((1 << 20) + 1, 'x'), "1", ""));
  CHECK(polite.post(event_body(1), "1", "") == 200);
  CHECK(to.count() == 1);
}

TEST_CASE("with a certificate it speaks TLS") {
  const identity own;
  receiver to{{"127.0.0.1:0", own.certificate, own.key}};
  CHECK(to.url().starts_with("https://127.0.0.1:"));
  to.expect_signatures_of(secret);
  asio::io_context context;
  asio::ssl::context trust{asio::ssl::context::tls_client};
  beast::ssl_stream<tcp::socket> stream{context, trust};
  stream.next_layer().connect({asio::ip::address_v4::loopback(), port_of(to)});
  stream.handshake(asio::ssl::stream_base::client);
  const auto body = event_body(1);
  for (int i = 0; i < 2; ++i)
    CHECK(send(stream, post_of(body, "1", signature_of(body, secret, std::time(nullptr)))) == 200);
  REQUIRE(to.received().size() == 1);
  CHECK(to.received()[0].rightly_signed);
}

TEST_CASE("an address that cannot be used is refused with one line") {
  for (const std::string where : {"", "127.0.0.1", "localhost:1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x"})
    CHECK_THROWS_WITH(receiver({where, "", ""}), Catch::StartsWith("the receiver cannot listen on '"));
  receiver first{{}};
  const auto taken = "127.0.0.1:" + std::to_string(port_of(first));
  CHECK_THROWS_WITH(receiver({taken, "", ""}), Catch::StartsWith("the receiver cannot listen on " + taken));
  CHECK_THROWS_WITH(receiver({"127.0.0.1:0", "/no.pem", "/no.pem"}),
                    Catch::StartsWith("the receiver cannot use the certificate /no.pem"));
  CHECK_THROWS_WITH(receiver({"127.0.0.1:0", "/nowhere.pem", ""}), Catch::StartsWith("the receiver needs both"));
}

TEST_CASE("thousands of posts a second are taken from a few connections") {
  receiver to{{}};
  to.expect_signatures_of(secret);
  // Requests are written before the answers to earlier ones have arrived, to measure the receiver instead of the round
  // trips.
  constexpr int posts = 5'000;
  poster from{to};
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  std::string bytes;
  for (int i = 0; i < posts; ++i) {
    std::ostringstream text;
    text << post_of(event_body(i), std::to_string(i), signature_of(event_body(i), secret, now));
    bytes += text.str();
  }
  const auto begun = std::chrono::steady_clock::now();
  std::thread writer{[&] { asio::write(from.socket, asio::buffer(bytes)); }};
  beast::flat_buffer buffer;
  for (int i = 0; i < posts; ++i) {
    http::response<http::string_body> got;
    http::read(from.socket, buffer, got);
    REQUIRE(got.result_int() == 200);
  }
  writer.join();
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  INFO(posts / seconds << " posts a second");
  // Tens of thousands a second without sanitizers on an idle machine. If each answer waited for an acknowledgement (40
  // ms), all of them would take longer than this on any machine.
  CHECK(seconds < std::chrono::duration<double>{gateway::tests::hang_timeout}.count());
  CHECK(to.events() == posts);
  const auto all = to.received();
  CHECK(std::ranges::all_of(all, &received_event::rightly_signed));
}
