#include "second_factor.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <openssl/evp.h>

#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"
#include "gateway/ports/sealed_texts.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t sha1_size = 20;
constexpr std::size_t recovery_code_size = 10;  ///< bytes
constexpr std::size_t recovery_code_length = 16;
constexpr std::size_t recovery_code_group = 4;

constexpr std::string_view rfc_4648_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Crockford's alphabet: no letters that look like digits, and no `u`.
constexpr std::string_view legible_alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

std::array<unsigned char, sha1_size> hmac_sha1(std::string_view key, std::string_view data) {
  std::array<unsigned char, sha1_size> out;
  std::size_t written = 0;
  const auto* made =
      EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA1", nullptr, key.data(), key.size(),
                reinterpret_cast<const unsigned char*>(data.data()), data.size(), out.data(), out.size(), &written);
  if (!made || written != out.size()) throw std::runtime_error{"OpenSSL: HMAC-SHA-1"};
  return out;
}

std::string quintets(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  std::uint32_t gathered = 0;
  unsigned bits = 0;
  for (const char c : bytes) {
    gathered = (gathered << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 5;) {
      bits -= 5;
      text += alphabet[(gathered >> bits) & 31];
    }
  }
  if (bits > 0) text += alphabet[(gathered << (5 - bits)) & 31];
  return text;
}

bool separates_groups(char c) noexcept { return c == ' ' || c == '-'; }

char legible(char c) noexcept {
  c = to_lower(c);
  if (c == 'o') return '0';
  if (c == 'i' || c == 'l') return '1';
  return c;
}

std::string hash_of_recovery_code(std::string_view legible_digits) {
  return crypto::hex(crypto::sha256(legible_digits));
}

std::string grouped(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && i % recovery_code_group == 0) text += '-';
    text += digits[i];
  }
  return text;
}

std::string sealed_for(const user_id& whose) { return bound_to(sealed_column::second_factor, whose.value); }

}  // namespace

std::string make_totp_secret() { return crypto::random_bytes(totp_secret_size); }

std::int64_t totp_step_at(time_point at) noexcept {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()) / totp_step_length;
}

std::string totp_code(std::string_view secret, std::int64_t step) {
  std::string counter(8, '\0');
  for (std::size_t i = 0; i < counter.size(); ++i) counter[i] = static_cast<char>(step >> (8 * (7 - i)));
  const auto mac = hmac_sha1(secret, counter);
  const std::size_t at = mac.back() & 15u;
  std::uint32_t number = mac[at] & 0x7fu;
  for (std::size_t i = 1; i < 4; ++i) number = (number << 8) | mac[at + i];
  auto digits = std::to_string(number % 1'000'000);
  digits.insert(0, totp_digits - digits.size(), '0');
  return digits;
}

std::optional<std::int64_t> matching_totp_step(std::string_view secret, std::string_view code, time_point now,
                                               std::int64_t last_used) {
  const auto present = totp_step_at(now);
  std::optional<std::int64_t> found;
  // Compares all three, to take constant time. If two have the same code, the later one is used.
  for (auto step = present - 1; step <= present + 1; ++step) {
    const bool fits = crypto::equal_constant_time(totp_code(secret, step), code);
    if (fits && step > last_used) found = step;
  }
  return found;
}

std::optional<std::string> typed_totp_code(std::string_view typed) {
  std::string digits;
  for (const char c : typed) {
    if (separates_groups(c)) continue;
    if (!is_digit(c) || digits.size() == totp_digits) return std::nullopt;
    digits += c;
  }
  if (digits.size() != totp_digits) return std::nullopt;
  return digits;
}

std::string base32(std::string_view bytes) { return quintets(bytes, rfc_4648_alphabet); }

std::string in_groups(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); i += 4) shown.append(i == 0 ? "" : " ").append(text.substr(i, 4));
  return shown;
}

std::string otpauth_uri(std::string_view issuer, std::string_view account, std::string_view secret) {
  const auto of = percent_encoded(issuer);
  return "otpauth://totp/" + of + ":" + percent_encoded(account) + "?secret=" + base32(secret) + "&issuer=" + of;
}

recovery_codes make_recovery_codes() {
  recovery_codes made;
  for (std::size_t i = 0; i < recovery_code_count; ++i) {
    const auto digits = quintets(crypto::random_bytes(recovery_code_size), legible_alphabet);
    made.texts.push_back(grouped(digits));
    made.hashes.push_back(hash_of_recovery_code(digits));
  }
  return made;
}

std::optional<std::string> typed_recovery_hash(std::string_view typed) {
  std::string digits;
  for (const char c : typed) {
    if (separates_groups(c)) continue;
    const auto digit = legible(c);
    if (legible_alphabet.find(digit) == legible_alphabet.npos || digits.size() == recovery_code_length)
      return std::nullopt;
    digits += digit;
  }
  if (digits.size() != recovery_code_length) return std::nullopt;
  return hash_of_recovery_code(digits);
}

std::string seal_totp_secret(const crypto::derived_keys& key, const user_id& whose, std::string_view secret) {
  return key.seal(secret, sealed_for(whose));
}

std::optional<std::string> open_totp_secret(const crypto::derived_keys& key, const user_id& whose,
                                            std::string_view sealed) {
  return key.open(sealed, sealed_for(whose));
}

std::optional<claimed_row> spending_of(const crypto::derived_keys& key, const stored_person& who,
                                       std::string_view typed, time_point now) {
  if (auto hash = typed_recovery_hash(typed)) return spend_recovery_code{who.id, *std::move(hash), now};
  const auto code = typed_totp_code(typed);
  const auto secret = open_totp_secret(key, who.id, who.sealed_totp);
  if (!code || !secret) return std::nullopt;
  const auto step = matching_totp_step(*secret, *code, now, who.totp_step);
  if (!step) return std::nullopt;
  return spend_totp_step{who.id, *step};
}

}  // namespace gateway::http
