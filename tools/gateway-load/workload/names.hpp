// What a run calls its payments and keys: all follows from the run's id and a number, so that only numbers are kept.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace gateway::load {

/// The first half of a SHA-256: two answers with the same one are the same bytes.
using hash128 = std::array<unsigned char, 16>;

class hasher {
 public:
  hasher();
  hash128 operator()(std::string_view bytes) const;

 private:
  struct free_openssl {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    void operator()(EVP_MD* kind) const { EVP_MD_free(kind); }
  };
  std::unique_ptr<EVP_MD_CTX, free_openssl> context_;
  std::unique_ptr<EVP_MD, free_openssl> kind_;  // looked up once: that costs more than hashing an answer
};

std::string hex(const hash128& bytes);

/// Request-Ids are `req_` and 32 hex digits: kept as 16 bytes. Zeroes stand for one of another shape, or none.
hash128 packed_request_id(std::string_view id) noexcept;
std::string request_id_of(const hash128& packed);

/// The same value for the same seed and number, and nothing to see between two of them.
constexpr std::uint64_t scattered(std::uint64_t seed, std::uint64_t number) noexcept {
  auto bits = seed * 0x9e3779b97f4a7c15 + number + 0x632be59bd9b4e019;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// The number that `scattered` made this of: each of its steps can be taken back.
constexpr std::uint64_t gathered(std::uint64_t seed, std::uint64_t bits) noexcept {
  bits ^= (bits >> 31) ^ (bits >> 62);
  bits *= 0x319642b2d24d8ec3;  // the inverses of the factors above, modulo 2^64
  bits ^= (bits >> 27) ^ (bits >> 54);
  bits *= 0x96de1b173f119089;
  bits ^= (bits >> 30) ^ (bits >> 60);
  return bits - 0x632be59bd9b4e019 - seed * 0x9e3779b97f4a7c15;
}

/// Payments that are made one after the other lie beside each other in a database if their ids follow each other, as an
/// order's number does, and anywhere among the merchant's if their ids are random.
enum class id_order : unsigned char { sequential, random };

class names {
 public:
  /// Throws std::invalid_argument unless the run's id can be part of a payment's: 1 to 24 letters, digits or `-`.
  explicit names(std::string run, id_order order = id_order::sequential);

  std::string payment(std::uint64_t number) const;
  /// Of a payment that must never come to be: asked for under another payment's key.
  std::string impostor(std::uint64_t number) const { return payment(number) + "_other"; }
  /// Nothing if this is not the id of a payment of this run.
  std::optional<std::uint64_t> number_of(std::string_view payment_id) const noexcept;
  /// Also of an impostor. Payments of others are no concern of this run.
  bool is_of_run(std::string_view payment_id) const noexcept { return payment_id.starts_with(prefix_); }
  /// A UUID of version 8, whose bits are ours to choose.
  std::string key(std::uint64_t number) const;

 private:
  std::string run_, prefix_;
  id_order order_;
  hasher hash_;
};

}  // namespace gateway::load
