// The table of webhook deliveries on the pages of a payment and of a destination.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/webhook.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct delivery_row {
  std::string delivery_id;
  std::string event;           ///< the event's type
  std::string payment_id;      ///< the event's payment, if it is about one
  std::string destination_id;
  std::string url;             ///< the destination's
  delivery_status status = delivery_status::pending;
  std::uint32_t attempts = 0;
  std::string last_result;     ///< `503`, `no connection in time`; empty before the first attempt
  shown_time last_at;
  shown_time next_at;          ///< while pending, unless the destination is disabled
  destination_status to = destination_status::enabled;
};

enum class delivery_context : unsigned char { of_payment, of_destination };

blocks::badge delivery_badge(delivery_status status);
/// The label of the delivery's button `redeliver`; empty: it has none, because nothing is sent to its destination now.
std::string_view resend_label(const delivery_row& row) noexcept;
/// Rows have the button `redeliver`, for those who are allowed to.
blocks::table delivery_table(const member_frame& frame, const std::vector<delivery_row>& rows, delivery_context where);

}  // namespace gateway::http
