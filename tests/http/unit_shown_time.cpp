// Times in the reader's zone, winter and summer, and the list of zones.
#include <algorithm>

#include <catch2/catch.hpp>

#include "http/html/shown_time.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace std::chrono_literals;

TEST_CASE("a time is shown in the reader's zone, and in UTC for comparison") {
  const auto at = *parse_seconds("2026-11-20T09:30:05Z") + 125ms;
  const auto shown = show_time(at, "Asia/Hong_Kong");
  CHECK(shown.text == "20 Nov 2026, 17:30:05");
  CHECK(shown.iso == "2026-11-20T09:30:05Z");
  CHECK(shown.utc == "20 Nov 2026, 09:30:05 UTC");
  const auto none = show_time(std::nullopt, "Asia/Hong_Kong");
  CHECK((none.text.empty() && none.iso.empty() && none.utc.empty()));
}

TEST_CASE("summer time, days across midnight, and odd offsets") {
  struct {
    std::string_view at, zone, text;
  } const rows[] = {{"2026-01-15T12:00:00Z", "Europe/Berlin", "15 Jan 2026, 13:00:00"},
                    {"2026-07-15T12:00:00Z", "Europe/Berlin", "15 Jul 2026, 14:00:00"},
                    {"2026-03-29T00:59:59Z", "Europe/Berlin", "29 Mar 2026, 01:59:59"},
                    {"2026-03-29T01:00:00Z", "Europe/Berlin", "29 Mar 2026, 03:00:00"},
                    {"2026-01-01T03:00:00Z", "America/New_York", "31 Dec 2025, 22:00:00"},
                    {"2026-07-15T20:00:00Z", "Asia/Kathmandu", "16 Jul 2026, 01:45:00"},
                    {"2026-07-15T20:00:00Z", "UTC", "15 Jul 2026, 20:00:00"}};
  for (const auto& row : rows) CHECK(show_time(parse_seconds(row.at), row.zone).text == row.text);
}

TEST_CASE("a day is the reader's, and has the whole time in UTC") {
  const auto at = parse_seconds("2026-12-31T23:59:59Z");
  CHECK(show_day(at, "UTC").text == "31 Dec 2026");
  const auto shown = show_day(at, "Asia/Hong_Kong");
  CHECK(shown.text == "1 Jan 2027");
  CHECK(shown.iso == "2026-12-31T23:59:59Z");
  CHECK(shown.utc == "31 Dec 2026, 23:59:59 UTC");
  CHECK(show_day(std::nullopt, "UTC").text.empty());
}

TEST_CASE("an unknown zone is UTC") {
  const auto at = parse_seconds("2026-07-15T20:00:00Z");
  for (const auto* zone : {"", "Mars/Olympus_Mons", "../../etc/passwd", "/etc/localtime", "Europe", "localtime"}) {
    CHECK(show_time(at, zone).text == "15 Jul 2026, 20:00:00");
    CHECK_FALSE(is_zone_name(zone));
  }
}

TEST_CASE("the selectable zones are sorted and named after places") {
  const auto& names = zone_names();
  CHECK(std::ranges::is_sorted(names));
  CHECK(std::ranges::adjacent_find(names) == names.end());
  for (const auto* name : {"UTC", "Asia/Karachi", "Asia/Hong_Kong", "America/Argentina/Buenos_Aires"})
    CHECK(is_zone_name(name));
  for (const auto* name : {"Etc/GMT+5", "US/Eastern", "posix/Europe/Berlin", "right/Europe/Berlin", "Factory"})
    CHECK_FALSE(is_zone_name(name));
}

TEST_CASE("a day begins at its midnight in the reader's zone") {
  CHECK(read_day("2026-11-20", "UTC") == parse_seconds("2026-11-20T00:00:00Z"));
  CHECK(read_day("2026-11-20", "Asia/Hong_Kong") == parse_seconds("2026-11-19T16:00:00Z"));
  CHECK(read_day("2026-07-20", "America/New_York") == parse_seconds("2026-07-20T04:00:00Z"));
  // In Beirut 29 March 2026 has no hour 0.
  CHECK(read_day("2026-03-29", "Asia/Beirut") == parse_seconds("2026-03-28T22:00:00Z"));
  for (const auto* text : {"", "2026-02-30", "20.11.2026", "2026-11-20T00", "2026-1-2"})
    CHECK_FALSE(read_day(text, "UTC"));
}
