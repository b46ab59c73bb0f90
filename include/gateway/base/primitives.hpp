// The primitives behind crypto.hpp, with every parameter visible, so that published test vectors can check them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::crypto {

/// 32 bytes of HKDF-SHA256 (RFC 5869).
std::string hkdf_sha256(std::string_view key, std::string_view salt, std::string_view info);

struct scrypt_cost {
  std::uint32_t log2_n = 15;
  std::uint32_t r = 8;
  std::uint32_t p = 1;
};

/// 32 bytes of scrypt (RFC 7914).
std::string scrypt(std::string_view password, std::string_view salt, scrypt_cost cost);

/// AES-256-GCM with a 12-byte nonce: the ciphertext, then its 16-byte tag.
std::string gcm_encrypt(std::string_view key, std::string_view nonce, std::string_view plain,
                        std::string_view bound_to);
/// nullopt if the tag does not match.
std::optional<std::string> gcm_decrypt(std::string_view key, std::string_view nonce, std::string_view sealed,
                                       std::string_view bound_to);

}  // namespace gateway::crypto
