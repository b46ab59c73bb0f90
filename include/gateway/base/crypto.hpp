// The cryptographic operations that the folders share, on OpenSSL's EVP interface. Algorithms are fetched once per
// thread, because a fetch per call would cost more than the hash. Failures inside OpenSSL (out of memory, a broken
// provider) throw std::runtime_error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateway::crypto {

using digest = std::array<unsigned char, 32>;

digest sha256(std::string_view data);
digest hmac_sha256(std::string_view key, std::string_view data);

std::string hex(std::span<const unsigned char> bytes);
std::optional<std::string> from_hex(std::string_view text);         ///< in either case
std::string base64url(std::string_view bytes);                      ///< without padding
std::optional<std::string> from_base64url(std::string_view text);  ///< strict, without padding
std::string to_text(const digest& d);                               ///< the 32 bytes as a string

/// Compares length and bytes, in time that depends on the lengths only.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

/// From the operating system's generator.
std::string random_bytes(std::size_t count);
std::string random_hex(std::size_t bytes);

/// Frees the calling thread's random number generator. Needed only by threads that may outlive the clean-up at the
/// program's end, as CAF's detached ones do.
void leave_thread() noexcept;

/// 32 bytes. Its copies are wiped on destruction.
class master_key {
 public:
  explicit master_key(std::string bytes);
  ~master_key();
  master_key(const master_key&) = delete;
  master_key& operator=(const master_key&) = delete;

  /// A copy, which the caller wipes.
  std::string bytes() const { return key_; }

  /// A key for one purpose (HKDF-SHA256 with the purpose as info).
  std::string derive(std::string_view purpose) const;

  /// AES-256-GCM with a random nonce; `bound_to` is authenticated, not encrypted. base64url text.
  std::string seal(std::string_view secret, std::string_view bound_to) const;
  /// nullopt if the text was changed, was sealed under another key, or is bound to other text.
  std::optional<std::string> open(std::string_view sealed, std::string_view bound_to) const;

 private:
  std::string key_;
};

/// scrypt (N 2^15, r 8, p 1) with a random salt: `scrypt$15$8$1$<salt>$<hash>`.
std::string hash_password(std::string_view password);
bool verify_password(std::string_view password, std::string_view stored);

/// `<payload>.<mac>`, both base64url: a token for a link, which only the holder of the key can make.
std::string sign_token(std::string_view key, std::string_view payload);
std::optional<std::string> verify_token(std::string_view key, std::string_view token);

}  // namespace gateway::crypto
