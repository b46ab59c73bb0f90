// The SHA256_* functions are deprecated since OpenSSL 3.0. They are used here because their state is plain memory,
// which is copied in a few instructions, while each copy of an EVP context allocates.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "signer.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <openssl/sha.h>

#include "gateway/domain/text.hpp"

namespace gateway::load {

namespace {

constexpr std::size_t block = SHA256_CBLOCK;

void add(SHA256_CTX& to, std::string_view bytes) { SHA256_Update(&to, bytes.data(), bytes.size()); }

std::array<std::uint32_t, 8> state_after(const std::array<unsigned char, block>& bytes) {
  SHA256_CTX hash;
  SHA256_Init(&hash);
  SHA256_Update(&hash, bytes.data(), bytes.size());
  std::array<std::uint32_t, 8> state{};
  std::copy(std::begin(hash.h), std::end(hash.h), state.begin());
  return state;
}

/// Resumes hashing after the first block.
SHA256_CTX resume(const std::array<std::uint32_t, 8>& state) {
  SHA256_CTX hash;
  SHA256_Init(&hash);
  std::copy(state.begin(), state.end(), std::begin(hash.h));
  hash.Nl = block * 8;
  return hash;
}

signer::hex_digest hex(const unsigned char (&digest)[SHA256_DIGEST_LENGTH]) {
  signer::hex_digest text;
  for (std::size_t i = 0; i < SHA256_DIGEST_LENGTH; ++i) {
    text[2 * i] = hex_digits[digest[i] >> 4];
    text[2 * i + 1] = hex_digits[digest[i] & 15];
  }
  return text;
}

signer::hex_digest finish(SHA256_CTX& hash) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Final(digest, &hash);
  return hex(digest);
}

std::string_view view(const signer::hex_digest& of) { return {of.data(), of.size()}; }

std::string timestamp_of(std::time_t at) {
  std::tm fields{};
  gmtime_r(&at, &fields);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields)};
}

std::shared_ptr<const key_ring> ring_of(const credentials& key) {
  auto made = std::make_shared<key_ring>();
  made->add(key);
  return made;
}

}  // namespace

void key_ring::add(const credentials& key) {
  std::array<unsigned char, block> padded{};
  if (key.secret.size() > block)
    SHA256(reinterpret_cast<const unsigned char*>(key.secret.data()), key.secret.size(), padded.data());
  else
    std::ranges::copy(key.secret, padded.begin());
  auto inner = padded, outer = padded;
  for (auto& byte : inner) byte ^= 0x36;
  for (auto& byte : outer) byte ^= 0x5c;
  states_.push_back({state_after(inner), state_after(outer)});
  ids_ += key.key_id;
  ids_end_.push_back(static_cast<std::uint32_t>(ids_.size()));
}

signer::signer(std::string_view authority, std::shared_ptr<const key_ring> keys, const merchant_scope& as)
    : keys_{std::move(keys)} {
  host_.append(" HTTP/1.1\r\nHost: ").append(authority);
  if (!as.merchant.empty()) {
    environment_ = "environment=" + as.environment;
    host_.append("\r\nService-Merchant: ").append(as.merchant);
  }
  host_.append("\r\nX-Service-Key-Id: ");
}

signer::signer(std::string_view authority, const credentials& key, const merchant_scope& as)
    : signer{authority, ring_of(key), as} {}

signer::hex_digest signer::signature(std::uint32_t caller, std::string_view method, std::string_view path,
                                     std::string_view timestamp, std::string_view body) const {
  const auto& key = keys_->state(caller);
  SHA256_CTX hash;
  SHA256_Init(&hash);
  add(hash, body);
  const auto of_body = finish(hash);

  hash = resume(key.inner);
  add(hash, method);
  add(hash, "\n");
  add(hash, path);
  add(hash, "\n");
  add(hash, timestamp);
  add(hash, "\n");
  add(hash, view(of_body));
  unsigned char inner[SHA256_DIGEST_LENGTH];
  SHA256_Final(inner, &hash);

  hash = resume(key.outer);
  SHA256_Update(&hash, inner, sizeof inner);
  return finish(hash);
}

void signer::write(const request& what, std::time_t now, std::string& into) {
  if (now != at_) {
    at_ = now;
    timestamp_ = timestamp_of(now);
  }
  const std::string_view path = what.path;
  const auto query = path.find('?');
  const auto signed_by = signature(what.caller, what.method(), path.substr(0, query), timestamp_, what.body);
  into.clear();
  into.append(what.method()).append(" ").append(path);
  if (!environment_.empty()) into.append(query == std::string_view::npos ? "?" : "&").append(environment_);
  into.append(host_).append(keys_->id(what.caller));
  into.append("\r\nX-Service-Timestamp: ")
      .append(timestamp_)
      .append("\r\nX-Service-Signature: ")
      .append(view(signed_by));
  if (!what.idempotency_key.empty()) into.append("\r\nIdempotency-Key: ").append(what.idempotency_key);
  if (!what.body.empty()) {
    char length[20];
    const auto end = std::to_chars(length, length + sizeof length, what.body.size()).ptr;
    into.append("\r\nContent-Type: application/json\r\nContent-Length: ").append(length, end);
  }
  into.append("\r\n\r\n").append(what.body);
}

}  // namespace gateway::load
