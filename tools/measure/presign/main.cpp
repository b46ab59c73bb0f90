// Writes signed requests in the form in which they are sent, for wrk to replay (tools/measure/scripts/replay.lua).
//
// --series and a request's number determine its payment and its Idempotency-Key. The same series written again
// therefore gives the same requests with a new signature, like a client's retries. Requests end with a NUL byte and are
// written to --files files in turn, one for each thread of the load generator.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct plan {
  std::string kind;
  std::string series;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::string host;
  std::string key_id;
  std::string secret;
  std::string on_behalf_of;  ///< the merchant for whom a platform's key acts; empty: the key is the merchant's
  std::string environment = "test";  ///< the environment in which it acts
  std::uint64_t customers = 1'000;  ///< how many customers the requests use in turn
  std::string output;
  unsigned files = 1;
};

std::string hex(const unsigned char* bytes, std::size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(count * 2, '0');
  for (std::size_t i = 0; i < count; ++i) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  return text;
}

using digest = std::array<unsigned char, 32>;

digest sha256(std::string_view data) {
  digest result;
  if (EVP_Digest(data.data(), data.size(), result.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 failed");
  return result;
}

std::string hmac_hex(std::string_view key, std::string_view data) {
  digest result;
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
       data.size(), result.data(), &size);
  return hex(result.data(), size);
}

std::string timestamp_now() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  gmtime_r(&now, &fields);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

/// A UUID of version 8, whose bits an application may choose freely.
std::string uuid_of(const std::string& name) {
  auto bytes = sha256(name);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x80);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  const auto text = hex(bytes.data(), 16);
  return text.substr(0, 8) + '-' + text.substr(8, 4) + '-' + text.substr(12, 4) + '-' + text.substr(16, 4) + '-' +
         text.substr(20);
}

class signer {
 public:
  explicit signer(const plan& wanted) : wanted_{wanted}, at_{timestamp_now()} {}

  std::string request(std::uint64_t number) const {
    const auto payment = "pay_" + wanted_.series + '_' + std::to_string(number);
    const auto customer = "reader-" + std::to_string(number % wanted_.customers);
    const auto head = R"({"payment_id":")" + payment + R"(","amount":4200,"currency":"HKD",)";
    if (wanted_.kind == "timeline") return written("GET", "/v1/payment_intents/" + payment + "/timeline", {}, {});
    if (wanted_.kind == "by_ref") return written("GET", "/v1/customers/by_ref", "ref=" + customer, {}, {});
    if (wanted_.kind == "save")
      return written("POST", "/v1/payment_intents",
                     head + R"("payment_method":"pm_card_visa","setup_future_usage":"off_session","customer_ref":")" +
                         customer + "\"}",
                     uuid_of(payment));
    if (wanted_.kind == "charge" || wanted_.kind == "authorize")
      return written("POST", "/v1/charges/saved",
                     head + R"("payment_method_id":"pm_card_visa","description":"Two books","metadata":{"order":")" +
                         std::to_string(number) + R"("},"customer_ref":")" + customer +
                         (wanted_.kind == "charge" ? "\"}" : R"(","auto_capture":false})"),
                     uuid_of(payment));
    // An operation has its own key; the create has the key of the payment.
    if (wanted_.kind == "capture" || wanted_.kind == "refund")
      return written("POST", "/v1/payment_intents/" + payment + '/' + wanted_.kind, "{}",
                     uuid_of(payment + wanted_.kind));
    const auto body = R"({"payment_id":")" + payment +
                      R"(","amount":4200,"currency":"HKD","payment_method":"pm_card_visa","description":"Two books",)" +
                      R"("metadata":{"order":")" + std::to_string(number) + R"("}})";
    return written("POST", "/v1/payment_intents", body, uuid_of(payment));
  }

 private:
  std::string written(std::string_view method, const std::string& path, const std::string& body,
                      const std::string& idempotency_key) const {
    return written(method, path, {}, body, idempotency_key);
  }
  /// `query` is not signed.
  std::string written(std::string_view method, const std::string& path, std::string query, const std::string& body,
                      const std::string& idempotency_key) const {
    const auto hash = sha256(body);
    std::string canonical{method};
    canonical.append("\n").append(path).append("\n").append(at_).append("\n").append(hex(hash.data(), hash.size()));
    std::string text{method};
    text.append(" ").append(path);
    if (!wanted_.on_behalf_of.empty())
      query.append(query.empty() ? "" : "&").append("environment=" + wanted_.environment);
    if (!query.empty()) text.append("?").append(query);
    text.append(" HTTP/1.1\r\nHost: ").append(wanted_.host);
    if (!wanted_.on_behalf_of.empty()) text.append("\r\nService-Merchant: ").append(wanted_.on_behalf_of);
    text.append("\r\nX-Service-Key-Id: ").append(wanted_.key_id);
    text.append("\r\nX-Service-Timestamp: ").append(at_);
    text.append("\r\nX-Service-Signature: ").append(hmac_hex(wanted_.secret, canonical));
    if (!body.empty()) {
      text.append("\r\nIdempotency-Key: ").append(idempotency_key);
      text.append("\r\nContent-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
    }
    return text.append("\r\n\r\n").append(body);
  }

  const plan& wanted_;
  std::string at_;
};

void write_all(const plan& wanted) {
  std::vector<std::ofstream> files;
  files.reserve(wanted.files);
  for (unsigned i = 0; i < wanted.files; ++i)
    files.emplace_back(wanted.output + '.' + std::to_string(i), std::ios::binary | std::ios::trunc);
  const signer by{wanted};
  for (std::uint64_t i = 0; i < wanted.count; ++i) files[i % wanted.files] << by.request(wanted.first + i) << '\0';
  for (auto& file : files)
    if (!file.flush()) throw std::runtime_error("cannot write " + wanted.output);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Signs requests for tools/bench. The key's secret is read from the environment: PRESIGN_SECRET."};
  plan wanted;
  app.add_option("--kind", wanted.kind,
                 "create, capture, refund, timeline, or of customers save, charge, authorize, by_ref")
      ->required()
      ->check(CLI::IsMember({"create", "capture", "refund", "timeline", "save", "charge", "authorize", "by_ref"}));
  app.add_option("--series", wanted.series, "names the payments: pay_SERIES_0, pay_SERIES_1, …")->required();
  app.add_option("--first", wanted.first, "number of the first payment");
  app.add_option("--count", wanted.count, "how many requests")->required();
  app.add_option("--host", wanted.host, "ADDR:PORT for the Host header")->required();
  app.add_option("--key-id", wanted.key_id, "who signs")->required();
  app.add_option("--on-behalf-of", wanted.on_behalf_of, "the merchant for whom a platform signs");
  app.add_option("--environment", wanted.environment, "with --on-behalf-of: test or live [test]")
      ->check(CLI::IsMember({"test", "live"}));
  app.add_option("--customers", wanted.customers, "of whom requests are in turn [1000]")->check(CLI::PositiveNumber);
  app.add_option("--output", wanted.output, "files are named OUTPUT.0, OUTPUT.1, …")->required();
  app.add_option("--files", wanted.files, "one for each thread of the load generator")->check(CLI::Range(1, 64));
  CLI11_PARSE(app, argc, argv);
  try {
    const char* secret = std::getenv("PRESIGN_SECRET");
    if (!secret || !*secret) throw std::runtime_error("PRESIGN_SECRET is not set");
    wanted.secret = secret;
    write_all(wanted);
  } catch (const std::exception& fault) {
    std::cerr << "presign: " << fault.what() << '\n';
    return 1;
  }
}
