// Signs one create and sends it. Needs C++17, libcurl and OpenSSL:
//   g++ -std=c++17 create_payment.cpp -o create_payment -lcurl -lcrypto
//
// GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET   where the gateway is, and a key of the test environment
// GATEWAY_CA_FILE                               optional: whose certificates are trusted, for a gateway of your own
// PAYMENT_ID                                    optional: your id of the payment
#include <curl/curl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>

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

int main() {
  const std::string path = "/v1/payment_intents";
  const auto body = "{\"payment_id\":\"" + setting("PAYMENT_ID", "pay_" + std::to_string(std::time(nullptr))) +
                    "\",\"amount\":4200,\"currency\":\"HKD\",\"payment_method\":\"pm_card_visa\"}";

  // Four lines are signed: the method, the path without a query, the time, and the hash of the body as it is sent.
  const auto at = time_now();
  const auto signature = hmac_sha256(setting("GATEWAY_SECRET"), "POST\n" + path + '\n' + at + '\n' + sha256(body));

  curl_slist* lines = nullptr;
  for (const auto& line : {"X-Service-Key-Id: " + setting("GATEWAY_KEY_ID"), "X-Service-Timestamp: " + at,
                           "X-Service-Signature: " + signature, "Idempotency-Key: " + new_uuid(),
                           std::string{"Content-Type: application/json"}})
    lines = curl_slist_append(lines, line.c_str());
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers{lines, curl_slist_free_all};
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), curl_easy_cleanup};
  const auto url = setting("GATEWAY_URL") + path, trusted = setting("GATEWAY_CA_FILE");
  std::string answer;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, 40L);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer);
  if (!trusted.empty()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, trusted.c_str());

  if (const auto failed = curl_easy_perform(curl.get()); failed != CURLE_OK) {
    std::fprintf(stderr, "%s\n", curl_easy_strerror(failed));
    return 1;
  }
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  std::printf("%s\n", answer.c_str());
  return status == 200 ? 0 : 1;
}
