#include "dispute_table.hpp"

#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

badge dispute_badge(dispute_status status) {
  switch (status) {
    case dispute_status::warning: return {"Inquiry", tone::waiting};
    case dispute_status::needs_response: return {"Needs a response", tone::bad};
    case dispute_status::under_review: return {"Under review", tone::waiting};
    case dispute_status::won: return {"Won", tone::good};
    case dispute_status::lost: return {"Lost", tone::bad};
  }
  return {};
}

table dispute_table(const member_frame& frame, const std::vector<dispute_row>& rows, dispute_context where) {
  const bool links = where == dispute_context::of_merchant;
  table list{"Disputes, newest first",
             {{links ? "Payment" : "Dispute"},
              {"Amount", true},
              {"Reason"},
              {"Status"},
              {"Evidence due by"},
              {"Opened"},
              {"Closed"}},
             {}};
  for (const auto& row : rows) {
    pieces name{code{row.dispute_id}};
    if (links)
      name.insert(name.begin(), member_link(frame, row.payment_id, "payments/" + percent_encoded(row.payment_id)));
    list.rows.push_back({std::move(name),
                         {row.amount},
                         {row.reason},
                         {dispute_badge(row.status)},
                         {row.evidence_due_by},
                         {row.opened_at},
                         {row.closed_at}});
  }
  return list;
}

}  // namespace gateway::http
