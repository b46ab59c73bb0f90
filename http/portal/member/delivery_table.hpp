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
  std::string payment_id;      ///< the payment that the event is about; empty: none
  std::string destination_id;
  std::string url;             ///< the destination's name, or else its URL
  delivery_status status = delivery_status::pending;
  std::uint32_t attempts = 0;
  std::string last_result;     ///< `Answered 503`, `No answer in time`; empty before the first attempt
  shown_time last_at;
  shown_time next_at;          ///< while pending, unless the destination is disabled
  destination_status to = destination_status::enabled;
};

enum class delivery_context : unsigned char { of_payment, of_destination };

blocks::badge delivery_badge(delivery_status status);
/// The label of the row's button `redeliver`; empty: no button, because nothing is sent to the destination now.
std::string_view resend_label(const delivery_row& row) noexcept;
/// Each row has the button `redeliver`, if the person may act.
blocks::table delivery_table(const member_frame& frame, const std::vector<delivery_row>& rows, delivery_context where);

}  // namespace gateway::http
