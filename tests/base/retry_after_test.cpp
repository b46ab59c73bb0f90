// Reading the header Retry-After.
#include <catch2/catch.hpp>

#include <string>

#include "gateway/base/retry_after.hpp"

using namespace gateway;
using namespace std::chrono_literals;

TEST_CASE("Retry-After is seconds or a date in any of three forms") {
  const time_point now = std::chrono::sys_days{std::chrono::year{2026} / 11 / 6} + 8h + 49min + 37s;
  struct row {
    std::string text;
    std::optional<duration_ms> wait;
  };
  const row rows[] = {
      {"0", 0s},
      {"120", 120s},
      {"86400000", 86400000s},
      {"86400001", 86400000s},
      {"99999999999999999999999999", 86400000s},
      {" 2", 2s},
      {"7 ", 7s},
      {"-1", std::nullopt},
      {"+1", std::nullopt},
      {"1.5", std::nullopt},
      {"", std::nullopt},
      {" ", std::nullopt},
      {"1 2", std::nullopt},
      {"soon", std::nullopt},
      {"Fri, 06 Nov 2026 08:50:37 GMT", 60s},
      {"Fri, 06 Nov 2026 08:49:37 GMT", 0s},
      {"Fri, 06 Nov 2020 08:49:37 GMT", 0s},
      {"Fri, 31 Dec 9999 23:59:59 GMT", 86400000s},
      {" Fri, 06 Nov 2026 08:50:37 GMT ", 60s},
      {"Friday, 06-Nov-26 08:50:37 GMT", 60s},
      {"Fri Nov  6 08:50:37 2026", 60s},
      {"Fri, 31 Feb 2026 08:50:37 GMT", std::nullopt},
      {"Fri, 06 Nov 2026 08:50:37 CET", std::nullopt},
      {"Fri, 06 Nov 2026 08:50:37 GMT x", std::nullopt},
  };
  for (const auto& r : rows) {
    INFO(r.text);
    CHECK(read_retry_after(r.text, now) == r.wait);
  }
}
