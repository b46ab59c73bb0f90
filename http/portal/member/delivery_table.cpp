#include "delivery_table.hpp"

#include <utility>

#include "gateway/domain/url.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

std::string told_attempts(const delivery_row& row) {
  if (row.attempts == 0) return "Not tried yet";
  auto text = std::to_string(row.attempts) + (row.attempts == 1 ? " attempt" : " attempts");
  if (!row.last_result.empty()) text += ". " + row.last_result;
  return text;
}

pieces next_of(const delivery_row& row) {
  if (row.status == delivery_status::pending && row.to == destination_status::disabled)
    return {"Once the destination is enabled"};
  return {row.next_at};
}

pieces subject_of(const member_frame& frame, const delivery_row& row, delivery_context where) {
  if (where == delivery_context::of_payment)
    return {member_link(frame, row.url, "destinations/" + percent_encoded(row.destination_id))};
  if (row.payment_id.empty()) return {};
  return {member_link(frame, row.payment_id, "payments/" + percent_encoded(row.payment_id))};
}

}  // namespace

badge delivery_badge(delivery_status status) {
  switch (status) {
    case delivery_status::pending: return {"Waiting", tone::waiting};
    case delivery_status::delivered: return {"Delivered", tone::good};
    case delivery_status::failed: return {"Failed", tone::bad};
  }
  return {};
}

std::string_view resend_label(const delivery_row& row) noexcept {
  if (row.to == destination_status::deleted) return {};
  if (row.status != delivery_status::pending) return "Resend";
  // Deliveries to a disabled destination wait until it is enabled.
  return row.to == destination_status::enabled ? "Send now" : std::string_view{};
}

table delivery_table(const member_frame& frame, const std::vector<delivery_row>& rows, delivery_context where) {
  const bool acts = may_act(frame);
  table list{"Deliveries, newest first",
             {{"Event"},
              {where == delivery_context::of_payment ? "Destination" : "About"},
              {"Status"},
              {"Attempts"},
              {"Last"},
              {"Next"}},
             {}};
  if (acts) list.columns.push_back({"Send"});
  for (const auto& row : rows) {
    std::vector<pieces> cells{
        {member_link(frame, row.event, "deliveries/" + percent_encoded(row.delivery_id)), code{row.delivery_id}},
        subject_of(frame, row, where),
        {delivery_badge(row.status)},
        {told_attempts(row)},
        {row.last_at},
        next_of(row)};
    if (const auto label = resend_label(row); acts && !label.empty())
      cells.push_back({act_button(frame, "redeliver", std::string{label}, "delivery " + row.delivery_id,
                                  {{"delivery_id", row.delivery_id}})});
    list.rows.push_back(std::move(cells));
  }
  return list;
}

}  // namespace gateway::http
