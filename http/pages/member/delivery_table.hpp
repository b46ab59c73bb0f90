// Webhooks that were sent, or are to be: as the pages of a payment and of a destination list them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/domain/webhook.hpp"
#include "http/pages/member_frame.hpp"

namespace gateway::http {

struct delivery_row {
  std::string delivery_id;
  std::string event;           ///< the event's type
  std::string payment_id;      ///< what it tells of, where that is a payment
  std::string destination_id;
  std::string url;             ///< the destination's
  delivery_status status = delivery_status::pending;
  std::uint32_t attempts = 0;
  std::string last_result;     ///< `503`, `no connection in time`; empty before the first attempt
  shown_time last_at;
  shown_time next_at;          ///< of one that is pending
};

enum class delivery_context : unsigned char { of_payment, of_destination };

/// With a button `redeliver` in the rows that are not pending, for those who may.
blocks::table delivery_table(const member_frame& frame, const std::vector<delivery_row>& rows, delivery_context where);

}  // namespace gateway::http
