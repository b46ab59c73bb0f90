#include "names.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "gateway/domain/text.hpp"

namespace gateway::load {
namespace {

constexpr std::string_view request_prefix = "req_";

bool may_stand_in_id(char c) noexcept { return is_letter_or_digit(c) || c == '-'; }

}  // namespace

hasher::hasher() : context_{EVP_MD_CTX_new()}, kind_{EVP_MD_fetch(nullptr, "SHA256", nullptr)} {
  if (!context_ || !kind_) throw std::runtime_error("SHA-256 is not available");
}

hash128 hasher::operator()(std::string_view bytes) const {
  std::array<unsigned char, 32> whole;
  if (EVP_DigestInit_ex2(context_.get(), kind_.get(), nullptr) != 1 ||
      EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1 ||
      EVP_DigestFinal_ex(context_.get(), whole.data(), nullptr) != 1)
    throw std::runtime_error("SHA-256 failed");
  hash128 half;
  std::copy_n(whole.begin(), half.size(), half.begin());
  return half;
}

std::string hex(const hash128& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const auto byte : bytes) text.append(1, hex_digits[byte >> 4]).append(1, hex_digits[byte & 15]);
  return text;
}

hash128 packed_request_id(std::string_view id) noexcept {
  hash128 packed{};
  if (id.size() != request_prefix.size() + 2 * packed.size() || !id.starts_with(request_prefix)) return {};
  id.remove_prefix(request_prefix.size());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const auto high = hex_digits.find(id[2 * i]), low = hex_digits.find(id[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    packed[i] = static_cast<unsigned char>((high << 4) | low);
  }
  return packed;
}

std::string request_id_of(const hash128& packed) {
  return packed == hash128{} ? std::string{} : std::string{request_prefix} + hex(packed);
}

run_names::run_names(std::string run, id_order order)
    : run_{std::move(run)}, prefix_{"pay_" + run_ + "_"}, order_{order} {
  if (run_.empty() || run_.size() > 24 || !std::ranges::all_of(run_, may_stand_in_id))
    throw std::invalid_argument("the run's id must be 1 to 24 letters, digits or -");
}

std::string run_names::payment(std::uint64_t number) const {
  if (order_ == id_order::sequential) return prefix_ + std::to_string(number);
  auto id = prefix_;
  const auto bits = splitmix64(0, number);
  for (int shift = 60; shift >= 0; shift -= 4) id += hex_digits[(bits >> shift) & 15];
  return id;
}

std::optional<std::uint64_t> run_names::number_of(std::string_view payment_id) const noexcept {
  if (!payment_id.starts_with(prefix_)) return std::nullopt;
  payment_id.remove_prefix(prefix_.size());
  const bool random = order_ == id_order::random;
  if (random && payment_id.size() != 16) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, failed] =
      std::from_chars(payment_id.data(), payment_id.data() + payment_id.size(), number, random ? 16 : 10);
  if (failed != std::errc{} || end != payment_id.data() + payment_id.size()) return std::nullopt;
  return random ? splitmix64_inverse(0, number) : number;
}

std::string run_names::key(std::uint64_t number) const {
  auto bytes = hash_(run_ + '/' + std::to_string(number));
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x80);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  auto text = hex(bytes);
  for (const auto at : {20, 16, 12, 8}) text.insert(static_cast<std::size_t>(at), 1, '-');
  return text;
}

}  // namespace gateway::load
