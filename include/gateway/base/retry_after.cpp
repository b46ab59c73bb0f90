#include "gateway/base/retry_after.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

#include "gateway/domain/text.hpp"

namespace gateway {

namespace {

constexpr std::chrono::seconds most_retry_after = std::chrono::hours{24 * 1000};

std::optional<time_point> read_date(std::string_view text) {
  // The preferred form first. RFC 9110 requires that the two obsolete ones are accepted too.
  for (const char* form : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    std::istringstream in{std::string{text}};
    in.imbue(std::locale::classic());
    std::tm fields{};
    in >> std::get_time(&fields, form);
    if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) continue;
    const auto year = std::chrono::year{fields.tm_year + 1900};
    const auto month = std::chrono::month{static_cast<unsigned>(fields.tm_mon) + 1};
    const std::chrono::year_month_day day{year, month, std::chrono::day{static_cast<unsigned>(fields.tm_mday)}};
    if (!day.ok()) continue;
    return std::chrono::sys_days{day} + std::chrono::hours{fields.tm_hour} + std::chrono::minutes{fields.tm_min} +
           std::chrono::seconds{fields.tm_sec};
  }
  return std::nullopt;
}

}  // namespace

std::optional<duration_ms> read_retry_after(std::string_view text, time_point now) {
  text = trimmed(text);
  if (!text.empty() && std::ranges::all_of(text, is_digit))
    return std::chrono::seconds{parse_whole(text, 0, most_retry_after.count()).value_or(most_retry_after.count())};
  const auto date = read_date(text);
  if (!date) return std::nullopt;
  return std::clamp<duration_ms>(*date - now, duration_ms{0}, most_retry_after);
}

}  // namespace gateway
