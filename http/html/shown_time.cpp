#include "shown_time.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

#include <date/tz.h>

#include "gateway/base/log.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view utc_name = "UTC";

/// tzdata also has names of whole countries and of fixed offsets, which exist only for old programs.
constexpr auto areas = std::to_array<std::string_view>({"Africa/", "America/", "Antarctica/", "Arctic/", "Asia/",
                                                        "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/"});

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::vector<std::string> read_zone_names() {
  std::vector<std::string> names{std::string{utc_name}};
  try {
    for (const auto& zone : date::get_tzdb().zones)
      if (std::ranges::any_of(areas, [&](std::string_view area) { return zone.name().starts_with(area); }))
        names.push_back(zone.name());
  } catch (const std::runtime_error& why) {
    // The system has no tzdata: all times are shown in UTC.
    log::warn("time_zones_unreadable", {{"what", why.what()}});
  }
  std::ranges::sort(names);
  return names;
}

/// Null stands for UTC.
const date::time_zone* find_zone(std::string_view name) {
  if (!is_zone_name(name) || name == utc_name) return nullptr;
  try {
    return date::locate_zone(name);
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

/// The time whose UTC fields equal the local clock's at `at`.
time_point clock_in(const date::time_zone* zone, time_point at) {
  return zone ? time_point{zone->to_local(at).time_since_epoch()} : at;
}

std::string day_text(time_point at) {
  const auto f = gateway::detail::calendar(at);
  const auto month = months[f.month - 1];
  char text[48];
  const int n =
      std::snprintf(text, sizeof text, "%u %.*s %04d", f.day, static_cast<int>(month.size()), month.data(), f.year);
  return {text, static_cast<std::size_t>(n)};
}

std::string people_text(time_point at) {
  const auto f = gateway::detail::calendar(at);
  char text[48];
  const int n = std::snprintf(text, sizeof text, ", %02d:%02d:%02d", f.hour, f.minute, f.second);
  return day_text(at).append(text, static_cast<std::size_t>(n));
}

}  // namespace

shown_time show_time(std::optional<time_point> at, std::string_view zone) {
  if (!at) return {};
  return {people_text(clock_in(find_zone(zone), *at)), format_seconds(*at), people_text(*at) + " UTC"};
}

shown_time show_minute(std::optional<time_point> at, std::string_view zone) {
  auto made = show_time(at, zone);
  if (const auto seconds = made.text.rfind(':'); seconds != std::string::npos) made.text.resize(seconds);
  return made;
}

shown_time show_day(std::optional<time_point> at, std::string_view zone) {
  if (!at) return {};
  return {day_text(clock_in(find_zone(zone), *at)), format_seconds(*at), people_text(*at) + " UTC"};
}

std::string day_name(time_point at, std::string_view zone) {
  constexpr std::size_t day_size = 10;
  return format_seconds(clock_in(find_zone(zone), at)).substr(0, day_size);
}

std::optional<time_point> read_day(std::string_view day, std::string_view zone, int days_later) {
  auto midnight = parse_seconds(std::string{day} + "T00:00:00Z");
  if (!midnight) return std::nullopt;
  *midnight += std::chrono::days{days_later};
  const auto* where = find_zone(zone);
  if (!where) return midnight;
  // Where clocks are set forward at midnight, the day begins at the hour to which they are set.
  return where->to_sys(date::local_time<duration_ms>{midnight->time_since_epoch()}, date::choose::earliest);
}

const std::vector<std::string>& zone_names() {
  static const auto names = read_zone_names();
  return names;
}

bool is_zone_name(std::string_view name) { return std::ranges::binary_search(zone_names(), name); }

}  // namespace gateway::http
