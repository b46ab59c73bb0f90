// Characters, numbers and comparisons of texts.
#include <catch2/catch.hpp>

#include <limits>
#include <string>

#include "gateway/domain/text.hpp"

using namespace gateway;

namespace {

/// The characters of a class, of all 256, in order.
std::string all_that(bool (*is)(char) noexcept) {
  std::string found;
  for (int i = 0; i < 256; ++i)
    if (is(static_cast<char>(i))) found += static_cast<char>(i);
  return found;
}

}  // namespace

TEST_CASE("the classes of characters are those of ASCII") {
  const std::string digits = "0123456789", upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower = "abcdefghijklmnopqrstuvwxyz";
  CHECK(all_that(is_digit) == digits);
  CHECK(all_that(is_lower_letter) == lower);
  CHECK(all_that(is_upper_letter) == upper);
  CHECK(all_that(is_letter) == upper + lower);
  CHECK(all_that(is_letter_or_digit) == digits + upper + lower);
  CHECK(all_that(is_lower_hex_digit) == digits + "abcdef");
  CHECK(all_that(is_hex_digit) == digits + "ABCDEF" + "abcdef");
  CHECK(all_that(is_id_character) == "-" + digits + upper + "_" + lower);
  std::string control;
  for (char c = 0; c < ' '; ++c) control += c;
  CHECK(all_that(is_control) == control + '\x7f');
}

TEST_CASE("letters change their case, and hexadecimal digits have their value") {
  for (int i = 0; i < 256; ++i) {
    const auto c = static_cast<char>(i);
    CHECK(to_lower(c) == (is_upper_letter(c) ? static_cast<char>(c + 32) : c));
    CHECK(to_upper(c) == (is_lower_letter(c) ? static_cast<char>(c - 32) : c));
    CHECK((hex_value(c) >= 0) == is_hex_digit(c));
    if (is_hex_digit(c)) CHECK(hex_value(c) == std::stoi(std::string(1, c), nullptr, 16));
  }
  CHECK(equal_ignoring_case("", ""));
  CHECK(equal_ignoring_case("Retry-After", "rETRY-aFTER"));
  CHECK_FALSE(equal_ignoring_case("a", "ab"));
  CHECK_FALSE(equal_ignoring_case("[", "{"));
  CHECK_FALSE(equal_ignoring_case("@", "`"));
}

TEST_CASE("blanks are trimmed at both ends only") {
  CHECK(trimmed(" \t a b\t ") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed(" \t").empty());
  CHECK(trimmed("").empty());
  CHECK(trimmed("a\r\n") == "a\r\n");
  CHECK(trimmed("a\r", " \t\r") == "a");
}

TEST_CASE("a text is cut at the first separator") {
  std::string_view rest = "a\n\nb";
  CHECK(cut_before(rest, '\n') == "a");
  CHECK(cut_before(rest, '\n').empty());
  CHECK(rest == "b");
  CHECK(cut_before(rest, '\n') == "b");
  CHECK(rest.empty());
  CHECK(cut_before(rest, '\n').empty());
}

TEST_CASE("a whole number has only digits, and is within its bounds") {
  using limits = std::numeric_limits<std::int64_t>;
  struct row {
    std::string_view text;
    std::int64_t least, most;
    std::optional<std::int64_t> number;
  };
  const row rows[] = {
      {"0", 0, 9, 0},
      {"9", 0, 9, 9},
      {"10", 0, 9, std::nullopt},
      {"0", 1, 9, std::nullopt},
      {"007", 0, 9, 7},
      {"65535", 0, most_port, 65'535},
      {"65536", 0, most_port, std::nullopt},
      {"9223372036854775807", 0, limits::max(), limits::max()},
      {"9223372036854775808", 0, limits::max(), std::nullopt},
      {"-9223372036854775808", limits::min(), 0, limits::min()},
      {"-9223372036854775809", limits::min(), 0, std::nullopt},
      {"99999999999999999999999999", 0, limits::max(), std::nullopt},
      {"-5", -9, 9, -5},
      {"-5", 0, 9, std::nullopt},
      {"-0", 0, 9, std::nullopt},
      {"+5", 0, 9, std::nullopt},
      {"", 0, 9, std::nullopt},
      {"-", -9, 9, std::nullopt},
      {"5 ", 0, 9, std::nullopt},
      {" 5", 0, 9, std::nullopt},
      {"5.0", 0, 9, std::nullopt},
      {"0x5", 0, 9, std::nullopt},
      {std::string_view{"5\0", 2}, 0, 9, std::nullopt},
  };
  for (const auto& r : rows) {
    CAPTURE(r.text);
    CHECK(parse_whole(r.text, r.least, r.most) == r.number);
  }
}
