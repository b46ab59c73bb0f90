// The ids of a run's payments and keys. They are computed from the run's name and a number, so that only numbers are
// kept.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace gateway::load {

/// The first half of a SHA-256: answers with equal halves are taken to be the same bytes.
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

/// A Request-Id is `req_` and 32 hex digits, kept as 16 bytes. Zeroes stand for one of another form, or for none.
hash128 packed_request_id(std::string_view id) noexcept;
std::string request_id_of(const hash128& packed);

/// A pseudo-random number that depends on the seed and the number only (the SplitMix64 generator).
constexpr std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t number) noexcept {
  auto bits = seed * 0x9e3779b97f4a7c15 + number + 0x632be59bd9b4e019;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// The number for which splitmix64 returns these bits.
constexpr std::uint64_t splitmix64_inverse(std::uint64_t seed, std::uint64_t bits) noexcept {
  bits ^= (bits >> 31) ^ (bits >> 62);
  bits *= 0x319642b2d24d8ec3;  // the inverses of the factors above, modulo 2^64
  bits ^= (bits >> 27) ^ (bits >> 54);
  bits *= 0x96de1b173f119089;
  bits ^= (bits >> 30) ^ (bits >> 60);
  return bits - 0x632be59bd9b4e019 - seed * 0x9e3779b97f4a7c15;
}

/// With sequential ids, payments made one after the other lie beside each other in a database's indexes. With random
/// ids they lie anywhere among the merchant's payments.
enum class id_order : unsigned char { sequential, random };

/// Concurrency: one thread, since computing a key reuses one hash.
class run_names {
 public:
  /// Throws std::invalid_argument unless the run's id can be part of a payment's: 1 to 24 letters, digits or `-`.
  explicit run_names(std::string run, id_order order = id_order::sequential);

  std::string payment(std::uint64_t number) const;
  /// The id of a payment that must never exist: it is only used in requests under another payment's key.
  std::string wrong_payment(std::uint64_t number) const { return payment(number) + "_other"; }
  /// Nullopt if this is not the id of a payment of this run.
  std::optional<std::uint64_t> number_of(std::string_view payment_id) const noexcept;
  /// Whether the id belongs to this run: to one of its payments, or to a wrong_payment.
  bool is_of_run(std::string_view payment_id) const noexcept { return payment_id.starts_with(prefix_); }
  /// A platform's reference of a customer.
  std::string customer(std::uint64_t number) const { return "reader-" + run_ + '-' + std::to_string(number); }
  /// A UUID of version 8, whose bits an application may choose freely.
  std::string key(std::uint64_t number) const;

 private:
  std::string run_, prefix_;
  id_order order_;
  hasher hash_;
};

}  // namespace gateway::load
