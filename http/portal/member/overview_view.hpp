// A merchant's overview: what needs attention, and the amounts in one currency at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gateway/domain/merchant.hpp"
#include "gateway/domain/payment_records.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct day_total {
  std::int64_t minor = 0;  ///< the bar's height
  std::uint64_t count = 0;
  std::string amount;  ///< `HKD 42.00`
};
struct overview_day {
  std::string name;        ///< `24 November`
  std::string short_name;  ///< `24`; empty: left out, because the chart has no room
  day_total captured, refunded, failed;
  std::string date{};  ///< `2026-11-24`: the bars link to that day's payments; empty: no link
};
/// A figure of the period, compared with the previous period.
struct overview_figure {
  day_total now;
  std::string change;  ///< `12.3 % more than in the 14 days before`; empty: there is nothing to compare with
};
struct overview_currency {
  std::string currency;
  overview_figure captured, refunded, failed;
  std::vector<overview_day> days;  ///< oldest first, without gaps
};
struct troubled_connection {
  std::string name;  ///< the provider's name
  connection_status status = connection_status::unavailable;
};
struct troubled_destination {
  std::string id;
  std::string url;
  std::string disabled_reason;  ///< set if disabled
  bool disabled = false;
  std::uint64_t failed = 0;  ///< deliveries that have failed for good
  std::string failing_since{};  ///< set once every attempt has failed for an hour: since when
};
struct pressing_dispute {
  std::string payment_id;
  std::string amount;
  dispute_status status = dispute_status::needs_response;
  std::string due_day;  ///< `3 Dec 2026`; empty: no evidence is due
};
struct overview_view {
  member_frame frame;
  int period = 14;           ///< days
  std::string success_rate;  ///< `97.3 %`; empty: no payment was approved or failed in the period
  std::string success_change;  ///< `97.0 % in the 14 days before`
  std::uint64_t decided = 0;
  std::vector<std::string> currencies;  ///< of all payments of both periods, ordered by code
  overview_currency chosen;  ///< empty if there are no currencies
  bool is_zoned = false;     ///< the person's time zone is not UTC, but the days are UTC's
  std::vector<pressing_dispute> disputes;  ///< the first few open disputes, by due day
  std::size_t open_disputes = 0;           ///< all open disputes
  std::vector<troubled_connection> connections;
  std::vector<troubled_destination> destinations;
  bool charges = false;      ///< a connection can charge
  bool has_keys = false;     ///< the merchant has an API key
};
response overview_page(const overview_view& view);

/// The periods that can be chosen, in days.
inline constexpr int overview_periods[] = {7, 14, 30, 90};

}  // namespace gateway::http
