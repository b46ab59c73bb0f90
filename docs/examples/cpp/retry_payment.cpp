// Creates a payment however often the network, the gateway or the provider fails. Needs C++17, libcurl and OpenSSL:
//   g++ -std=c++17 retry_payment.cpp -o retry_payment -lcurl -lcrypto
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE   as in create_payment.cpp
// PAYMENT_ID, IDEMPOTENCY_KEY   store both with the order before the first attempt: after a restart, the program
//                               continues with the same two
// PAYMENT_METHOD                optional: a sandbox token
// GATEWAY_TIMEOUT               optional: seconds for one attempt; the gateway answers within 35
#include <curl/curl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

const std::string payments = "/v1/payment_intents";

std::string setting(const char* name, const std::string& otherwise = {}) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

std::string hex(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

std::string sha256(const std::string& text) {
  unsigned char hash[32];
  if (EVP_Digest(text.data(), text.size(), hash, nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error{"SHA-256"};
  return hex(hash, sizeof hash);
}

std::string hmac_sha256(const std::string& secret, const std::string& text) {
  unsigned char mac[32];
  if (!HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac, nullptr))
    throw std::runtime_error{"HMAC"};
  return hex(mac, sizeof mac);
}

std::string new_uuid() {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) throw std::runtime_error{"no random numbers"};
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  auto text = hex(bytes, sizeof bytes);
  for (const std::size_t at : {20, 16, 12, 8}) text.insert(at, "-");
  return text;
}

std::string time_now() {
  const auto now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2026-11-20T09:30:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::size_t keep(char* data, std::size_t, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(data, size);
  return size;
}

struct outcome {
  long status = 0;           // 0: no answer
  curl_off_t retry_after = 0;  // seconds; 0: none
  std::string answer;

  // The gateway writes JSON without blanks, so that these few values need no parser.
  bool has(const std::string& member) const { return answer.find(member) != std::string::npos; }
};

// One attempt. Each is signed anew, with its own time.
outcome call(const std::string& key, const std::string& method, const std::string& path, const std::string& body = {}) {
  const auto at = time_now();
  const auto signature = hmac_sha256(setting("GATEWAY_SECRET"), method + '\n' + path + '\n' + at + '\n' + sha256(body));
  curl_slist* lines = nullptr;
  for (const auto& line :
       {"X-Service-Key-Id: " + setting("GATEWAY_KEY_ID"), "X-Service-Timestamp: " + at,
        "X-Service-Signature: " + signature, "Idempotency-Key: " + key, std::string{"Content-Type: application/json"}})
    lines = curl_slist_append(lines, line.c_str());
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers{lines, curl_slist_free_all};
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), curl_easy_cleanup};
  const auto url = setting("GATEWAY_URL") + path, trusted = setting("GATEWAY_CA_FILE");
  outcome got;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  if (method == "POST") {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
  }
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, std::stol(setting("GATEWAY_TIMEOUT", "40")));
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &got.answer);
  if (!trusted.empty()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, trusted.c_str());
  if (curl_easy_perform(curl.get()) != CURLE_OK) return {};
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &got.status);
  curl_easy_getinfo(curl.get(), CURLINFO_RETRY_AFTER, &got.retry_after);
  return got;
}

// Whether the same request, with the same key and body, is to be sent again.
bool must_repeat(const outcome& got) {
  switch (got.status) {
    case 0:
    case 408:
    case 429:
    case 500:
    case 503:
    case 504: return true;  // no answer, or not now
    case 409: return got.has(R"("request already processing")");  // the first attempt is still under way
    case 502: return !got.has(R"("provider outcome unknown")");  // a proxy's: the gateway did not answer
  }
  return false;
}

// The pause grows with each attempt and has a random part; the gateway's Retry-After takes precedence.
void pause(int attempt, curl_off_t retry_after) {
  static std::mt19937 random{std::random_device{}()};
  const auto seconds = retry_after > 0 ? retry_after : 1 << std::min(attempt, 5);
  std::this_thread::sleep_for(std::chrono::milliseconds{1000 * seconds + random() % 1000});
}

outcome create(const std::string& key, const std::string& payment, const std::string& body) {
  outcome got;
  for (int attempt = 0; attempt < 10; ++attempt) {
    got = call(key, "POST", payments, body);
    if (!must_repeat(got)) break;
    pause(attempt, got.retry_after);
  }
  if (got.status != 502) return got;
  // The provider did not report the outcome, and this stays the answer to this key. The payment shows how it ended.
  // Never start a second payment for the order before the outcome is known.
  for (int attempt = 0; attempt < 10; ++attempt) {
    pause(attempt, 0);
    got = call(key, "GET", payments + '/' + payment);
    if (got.status == 200 && !got.has(R"("state":"processing")")) break;
  }
  return got;
}

int main() {
  const auto payment = setting("PAYMENT_ID", "pay_" + std::to_string(std::time(nullptr)));
  const auto body = "{\"payment_id\":\"" + payment + "\",\"amount\":4200,\"currency\":\"HKD\",\"payment_method\":\"" +
                    setting("PAYMENT_METHOD", "pm_card_visa") + "\"}";
  const auto got = create(setting("IDEMPOTENCY_KEY", new_uuid()), payment, body);
  std::printf("%ld %s\n", got.status, got.answer.c_str());
  return got.status == 200 && got.has(R"("state":"authorized")") ? 0 : 1;
}
