// The list of payments, filtered and searched.
#pragma once

#include <string>
#include <vector>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct payment_row {
  std::string payment_id;
  std::string state;  ///< the API's name
  std::string amount;
  std::string provider;  ///< its name; empty if hidden
  std::string provider_ref;
  std::string description;
  shown_time created_at;
};
/// The query's parameters have the members' names; `cursor` is opaque, and leads to older payments.
struct payments_view {
  member_frame frame;
  field q;  ///< a payment_id or a provider_ref
  std::string state;
  field from;   ///< dates: 2026-11-24
  field until;
  field currency;
  std::vector<payment_row> rows;  ///< newest first
  bool at_newest = true;          ///< these are the newest
  std::string older;              ///< the cursor of the payments after these; empty if there are none
};
response payments_page(const payments_view& view);

/// Under the merchant's URL, with the same query except for the cursor.
inline constexpr std::string_view payments_csv = "payments.csv";

}  // namespace gateway::http
