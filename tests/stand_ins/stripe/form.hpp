// Parameters as Stripe takes them: application/x-www-form-urlencoded, with names such as `metadata[order]` and
// `line_items[0][price_data][currency]`. Checks them: unknown, missing and malformed parameters are rejected.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.hpp"

namespace gateway::stripe_stand_in {

class form {
 public:
  form() = default;
  /// Empty if the text is malformed.
  static std::optional<form> parse(std::string_view encoded);

  const std::string* find(std::string_view name) const;
  std::string text(std::string_view name) const { return find(name) ? *find(name) : std::string{}; }
  /// A parameter that the check has found to be a number, or `otherwise`.
  std::int64_t number(std::string_view name, std::int64_t otherwise = 0) const;
  bool flag(std::string_view name) const { return text(name) == "true"; }
  /// The parameters under `name[…]`, as a JSON object of strings.
  boost::json::object texts_under(std::string_view name) const;
  /// The values of `name[]` or `name[0]`, `name[1]`, ….
  std::vector<std::string> list(std::string_view name) const;
  bool has_under(std::string_view name) const;

  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }
  /// Equal for the same parameters in any order.
  std::string fingerprint() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

enum class shape : unsigned char { text, integer, boolean, one_of, currency, time, url, metadata };

/// `name`: `#` stands for an index or nothing, `*` for any name, as in `line_items[#][quantity]`.
struct parameter {
  std::string_view name;
  shape how = shape::text;
  bool required = false;
  std::string_view allowed{};  ///< of one_of: separated by spaces
};

/// The first invalid parameter, as Stripe's error.
std::optional<answer> fault_of(const form& given, std::span<const parameter> known);

}  // namespace gateway::stripe_stand_in
