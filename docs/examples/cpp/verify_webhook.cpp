// Checks whether a webhook is genuine: ends with 0 if it is, with 1 if not. Needs C++17 and OpenSSL:
//   g++ -std=c++17 verify_webhook.cpp -o verify_webhook -lcrypto
//
//   WEBHOOK_SECRET=whsec_… verify_webhook "$X_SERVICE_SIGNATURE" <BODY
//
// BODY is what was posted, to the byte, before anything parses it.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

std::string hmac_sha256(std::string_view secret, std::string_view text) {
  unsigned char mac[32];
  if (!HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac, nullptr))
    throw std::runtime_error{"HMAC"};
  std::string hex;
  for (const auto byte : mac) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    hex += digits;
  }
  return hex;
}

// `header` is X-Service-Signature, `tolerance` seconds.
bool genuine(std::string_view header, std::string_view body, std::string_view secret, std::int64_t tolerance = 300) {
  std::string_view time;
  std::vector<std::string_view> given;
  while (!header.empty()) {
    const auto part = header.substr(0, header.find(','));
    header.remove_prefix(std::min(part.size() + 1, header.size()));
    if (part.substr(0, 2) == "t=") time = part.substr(2);
    if (part.substr(0, 3) == "v1=") given.push_back(part.substr(3));
  }
  std::int64_t seconds = 0;
  const auto read = std::from_chars(time.data(), time.data() + time.size(), seconds);
  if (time.empty() || read.ec != std::errc{} || read.ptr != time.data() + time.size()) return false;
  const std::int64_t now = std::time(nullptr);
  if (seconds < now - tolerance || seconds > now + tolerance) return false;

  std::string text{time};
  const auto expected = hmac_sha256(secret, text.append(".").append(body));
  // While the secret is being changed there are two signatures; one match is enough.
  for (const auto& signature : given)
    if (signature.size() == expected.size() && CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) == 0)
      return true;
  return false;
}

int main(int count, char** arguments) {
  const char* secret = std::getenv("WEBHOOK_SECRET");
  if (count != 2 || !secret) throw std::runtime_error{"the argument is the header X-Service-Signature"};
  const std::string body{std::istreambuf_iterator<char>{std::cin}, {}};
  if (!genuine(arguments[1], body, secret)) {
    std::fprintf(stderr, "refused\n");
    return 1;
  }
  std::printf("genuine\n");
}
