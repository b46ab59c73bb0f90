// A merchant's overview: what needs attention, and the amounts taken, in one currency at a time.
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
  std::string short_name;  ///< `24`; empty: there is no room for it
  day_total captured, refunded, failed;
  std::string date{};  ///< `2026-11-24`: the bars lead to that day's payments; empty: nowhere
};
/// A figure over all days, beside the same of as many days before them.
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
  std::string name;  ///< the provider's
  connection_status status = connection_status::unavailable;
};
struct troubled_destination {
  std::string id;
  std::string url;
  std::string disabled_reason;  ///< if disabled
  bool disabled = false;
  std::uint64_t failed = 0;  ///< deliveries that used up their attempts
  std::string failing_since{};  ///< if everything has failed for an hour: since when
};
struct pressing_dispute {
  std::string payment_id;
  std::string amount;
  dispute_status status = dispute_status::needs_response;
  std::string due_day;  ///< `3 Dec 2026`; empty: no evidence is asked for
};
struct overview_view {
  member_frame frame;
  int period = 14;           ///< days
  std::string success_rate;  ///< `97.3 %`; empty: no payment was decided in the period
  std::string success_change;  ///< `97.0 % in the 14 days before`
  std::uint64_t decided = 0;
  std::vector<std::string> currencies;  ///< of all that was taken in the period or before it, as often
  overview_currency chosen;  ///< empty if there are no currencies
  bool is_zoned = false;     ///< the person's times are not in UTC, and the days are
  std::vector<pressing_dispute> disputes;  ///< the first ones of those that are open, the next one due first
  std::size_t open_disputes = 0;           ///< all of them
  std::vector<troubled_connection> connections;
  std::vector<troubled_destination> destinations;
  bool charges = false;      ///< a connection can charge
  bool has_keys = false;     ///< the merchant has an API key
};
response overview_page(const overview_view& view);

/// The periods that may be chosen, in days.
inline constexpr int overview_periods[] = {7, 14, 30, 90};

}  // namespace gateway::http
