// Ids, money, time and scopes: the values that every message is made of.
#include <catch2/catch.hpp>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/time.hpp"

using namespace gateway;

TEST_CASE("a payment id is pay_ and 1 to 60 letters, digits, dashes or underscores") {
  for (auto good : {"pay_1", "pay_A-b_9"}) CHECK(is_payment_id(good));
  CHECK(is_payment_id("pay_" + std::string(60, 'x')));
  for (auto bad : {"", "pay_", "pay", "pay_ä", "pay_a b", "pay_a/b", "Pay_1", "xpay_1", "pay_a\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_payment_id(bad));
  }
  CHECK_FALSE(is_payment_id("pay_" + std::string(61, 'x')));
  CHECK_FALSE(is_payment_id(std::string_view{"pay_a\0b", 7}));
}

TEST_CASE("a currency is an ISO 4217 code in force, in either case") {
  CHECK(currency::parse("HKD")->code() == "HKD");
  CHECK(currency::parse("hkd")->code() == "HKD");
  CHECK(currency::parse("PkR")->code() == "PKR");
  for (auto bad : {"", "HK", "HKDD", "XXX", "XTS", "XAU", "DEM", "HRK", "BGN", "ANG", "12€", "H D"}) {
    CAPTURE(bad);
    CHECK_FALSE(currency::parse(bad));
  }
  CHECK(currency::parse("JPY")->minor_digits() == 0);
  CHECK(currency::parse("EUR")->minor_digits() == 2);
  CHECK(currency::parse("KWD")->minor_digits() == 3);
}

TEST_CASE("a signing timestamp is whole seconds in UTC with a Z, of an existing day") {
  CHECK(parse_seconds("2026-11-20T09:30:00Z") == from_unix_ms(1'795'167'000'000));
  CHECK(parse_seconds("2024-02-29T23:59:59Z"));
  for (auto bad : {"2026-11-20T09:30:00", "2026-11-20T09:30:00.000Z", "2026-11-20T09:30:00+00:00",
                   "2026-11-20 09:30:00Z", "2026-02-29T09:30:00Z", "2026-13-01T00:00:00Z", "2026-11-20T24:00:00Z",
                   "2026-11-20T09:60:00Z", "2026-11-20T09:30:60Z", "2026-11-20t09:30:00z", "", "Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_seconds(bad));
  }
}

TEST_CASE("times are written with whole seconds or exactly three fractional digits") {
  CHECK(format_seconds(from_unix_ms(1'795'167'000'125)) == "2026-11-20T09:30:00Z");
  CHECK(format_millis(from_unix_ms(1'795'167'000'125)) == "2026-11-20T09:30:00.125Z");
  CHECK(format_millis(from_unix_ms(1'795'167'000'000)) == "2026-11-20T09:30:00.000Z");
  CHECK(format_millis(from_unix_ms(1'795'167'000'005)) == "2026-11-20T09:30:00.005Z");
}

TEST_CASE("scopes are names from the list, and the star permits everything") {
  const auto some = parse_scopes("payments:write payments:read");
  REQUIRE(some);
  CHECK(some->permits(scope::payments_write));
  CHECK_FALSE(some->permits(scope::customers_read));
  CHECK(to_string(*some) == "payments:write payments:read");
  CHECK(parse_scopes("*")->permits(scope::customers_read));
  CHECK_FALSE(parse_scopes("refunds:write")->permits(scope::payments_write));
  for (auto bad : {"", " ", "payments", "payments:write bogus", "PAYMENTS:WRITE"}) CHECK_FALSE(parse_scopes(bad));
}

TEST_CASE("a pause doubles up to its limit") {
  using namespace std::chrono_literals;
  struct row {
    duration_ms first;
    std::uint32_t times;
    duration_ms longest, pause;
  };
  for (const auto& r : {row{1s, 0, 30s, 1s}, row{1s, 1, 30s, 2s}, row{1s, 4, 30s, 16s}, row{1s, 5, 30s, 30s},
                        row{1s, 4'000'000'000, 30s, 30s}, row{40s, 0, 30s, 30s}, row{0s, 9, 30s, 0s},
                        row{5s, 6, 5min, 5min}, row{5s, 5, 5min, 160s}, row{10ms, 8, 2560ms, 2560ms}})
    CHECK(doubled(r.first, r.times, r.longest) == r.pause);
}
