// Amounts in the form that people read and write.
#include <catch2/catch.hpp>

#include "gateway/domain/shown_money.hpp"

using namespace gateway;

namespace {

currency unit(std::string_view code) { return *currency::parse(code); }

std::string fault_of(std::string_view typed, std::string_view code) {
  const auto read = read_amount(typed, unit(code));
  const auto* fault = std::get_if<amount_fault>(&read);
  return fault ? fault->words : "no fault";
}

}  // namespace

TEST_CASE("amounts are shown with their currency's own decimals") {
  struct {
    std::int64_t minor;
    std::string_view code, text, decimal;
  } const rows[] = {{4200, "HKD", "HKD 42.00", "42.00"},
                    {5, "HKD", "HKD 0.05", "0.05"},
                    {4200, "JPY", "JPY 4,200", "4200"},
                    {1, "KWD", "KWD 0.001", "0.001"},
                    {123456789, "EUR", "EUR 1,234,567.89", "1234567.89"},
                    {100000, "USD", "USD 1,000.00", "1000.00"},
                    {0, "JPY", "JPY 0", "0"},
                    {max_amount, "KWD", "KWD 999,999,999.999", "999999999.999"}};
  for (const auto& row : rows) {
    const money amount{row.minor, unit(row.code)};
    CHECK(amount_text(amount) == row.text);
    CHECK(decimal_text(amount) == row.decimal);
    if (row.minor > 0) CHECK(std::get<money>(read_amount(row.decimal, amount.unit)) == amount);
  }
}

TEST_CASE("an amount is written in the currency's major unit") {
  struct {
    std::string_view typed, code;
    std::int64_t minor;
  } const rows[] = {{"42", "HKD", 4200},
                    {"42.5", "HKD", 4250},
                    {" 42.50 ", "HKD", 4250},
                    {"0.01", "HKD", 1},
                    {"007.10", "HKD", 710},
                    {"4200", "JPY", 4200},
                    {"1.5", "KWD", 1500},
                    {"0.001", "KWD", 1},
                    {"9999999999.99", "HKD", max_amount},
                    {"0000000000000000000000000042", "JPY", 42}};
  for (const auto& row : rows) {
    INFO(row.typed);
    CHECK(std::get<money>(read_amount(row.typed, unit(row.code))) == money{row.minor, unit(row.code)});
  }
}

TEST_CASE("an invalid amount is rejected with a description") {
  struct {
    std::string_view typed, code, part;
  } const rows[] = {{"", "HKD", "Enter an amount"},
                    {"  ", "HKD", "Enter an amount"},
                    {"1,234.50", "HKD", "without commas"},
                    {"42,50", "HKD", "without commas"},
                    {"-1", "HKD", "more than zero"},
                    {"0", "HKD", "more than zero"},
                    {"0.00", "HKD", "more than zero"},
                    {"42.001", "HKD", "HKD has 2 decimals at most"},
                    {"42.00000", "HKD", "HKD has 2 decimals at most"},
                    {"42.0", "JPY", "JPY has no decimals"},
                    {"1.2345", "KWD", "KWD has 3 decimals at most"},
                    {"42.", "HKD", "such as 1234.50"},
                    {".5", "HKD", "such as 1234.50"},
                    {".", "JPY", "such as 123450"},
                    {"1.2.3", "HKD", "such as"},
                    {"+1", "HKD", "such as"},
                    {"1e3", "HKD", "such as"},
                    {"0x10", "HKD", "such as"},
                    {"HKD 42.00", "HKD", "such as"},
                    {"4 200", "HKD", "such as"},
                    {"\xd9\xa4\xd9\xa2", "HKD", "such as"},
                    {"10000000000.00", "HKD", "HKD 9,999,999,999.99 at most"},
                    {"99999999999999999999999", "JPY", "JPY 999,999,999,999 at most"},
                    {"9223372036854775808", "JPY", "at most"}};
  for (const auto& row : rows) {
    INFO(row.typed);
    CHECK(fault_of(row.typed, row.code).find(row.part) != std::string::npos);
  }
}
