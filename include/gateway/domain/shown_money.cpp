#include "gateway/domain/shown_money.hpp"

#include <algorithm>
#include <cstddef>

#include "gateway/domain/text.hpp"

namespace gateway {
namespace {

/// The digits before and after the decimal point.
struct decimal_parts {
  std::string whole;
  std::string decimals;
};

decimal_parts parts_of(const money& amount) {
  const auto count = static_cast<std::size_t>(amount.unit.minor_digits());
  auto digits = std::to_string(amount.minor);
  if (digits.size() <= count) digits.insert(0, count + 1 - digits.size(), '0');
  const auto whole = digits.size() - count;
  return {digits.substr(0, whole), digits.substr(whole)};
}

bool only_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

amount_fault more_decimals_than(currency unit) {
  const std::string code{unit.code()};
  const auto count = unit.minor_digits();
  if (count == 0) return {code + " has no decimals: write a whole number."};
  return {code + " has " + std::to_string(count) + " decimals at most."};
}

}  // namespace

std::string amount_text(const money& amount) {
  const auto [whole, decimals] = parts_of(amount);
  std::string text{amount.unit.code()};
  text += ' ';
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (i != 0 && (whole.size() - i) % 3 == 0) text += ',';
    text += whole[i];
  }
  if (!decimals.empty()) text.append(1, '.').append(decimals);
  return text;
}

std::string decimal_text(const money& amount) {
  const auto [whole, decimals] = parts_of(amount);
  return decimals.empty() ? whole : whole + '.' + decimals;
}

std::variant<money, amount_fault> read_amount(std::string_view typed, currency unit) {
  const auto text = trimmed(typed);
  if (text.empty()) return amount_fault{"Enter an amount."};
  if (text.find(',') != text.npos)
    return amount_fault{"Write the amount without commas, and with a point before the decimals: 1234.50."};
  if (text.front() == '-') return amount_fault{"The amount must be more than zero."};
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto decimals = point == text.npos ? std::string_view{} : text.substr(point + 1);
  const bool ends_in_point = point != text.npos && decimals.empty();
  if (whole.empty() || ends_in_point || !only_digits(whole) || !only_digits(decimals))
    return amount_fault{"Write the amount as a number, such as " + decimal_text({123450, unit}) + "."};
  const auto most_decimals = static_cast<std::size_t>(unit.minor_digits());
  if (decimals.size() > most_decimals) return more_decimals_than(unit);

  auto digits = std::string{whole}.append(decimals).append(most_decimals - decimals.size(), '0');
  const auto minor = parse_whole(digits, 0, max_amount);
  if (!minor) return amount_fault{"The amount may be " + amount_text({max_amount, unit}) + " at most."};
  if (*minor == 0) return amount_fault{"The amount must be more than zero."};
  return money{*minor, unit};
}

}  // namespace gateway
