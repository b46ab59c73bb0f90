// The table of disputes on the pages of a payment and of all disputes.
#pragma once

#include <string>
#include <vector>

#include "gateway/domain/payment_records.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct dispute_row {
  std::string dispute_id;
  std::string payment_id;
  std::string amount;
  std::string reason;  ///< the provider's word
  dispute_status status = dispute_status::needs_response;
  shown_time evidence_due_by;  ///< a day
  shown_time opened_at;
  shown_time closed_at;  ///< for a dispute that is won or lost
};

enum class dispute_context : unsigned char { of_payment, of_merchant };

/// Keeps the order of the rows.
blocks::table dispute_table(const member_frame& frame, const std::vector<dispute_row>& rows, dispute_context where);

blocks::badge dispute_badge(dispute_status status);

}  // namespace gateway::http
