#include "deprecation.hpp"

#include <cstdio>

namespace gateway::http {

std::string format_http_date(std::chrono::sys_seconds at) {
  static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{at - day};
  char text[64];
  const int n = std::snprintf(text, sizeof text, "%s, %02u %s %04d %02d:%02d:%02d GMT",
                              days[std::chrono::weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
                              months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                              static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                              static_cast<int>(clock.seconds().count()));
  return {text, static_cast<std::size_t>(n)};
}

void add_deprecation(response& out, const deprecation& what) {
  out.headers.emplace_back("Deprecation", "@" + std::to_string(what.since.time_since_epoch().count()));
  if (what.sunset) out.headers.emplace_back("Sunset", format_http_date(*what.sunset));
  out.headers.emplace_back("Link",
                           std::string{"<"}.append(what.link).append(R"(>; rel="deprecation"; type="text/html")"));
}

}  // namespace gateway::http
