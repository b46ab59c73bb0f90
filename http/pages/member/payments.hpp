// The list of payments, filtered and searched.
#pragma once

#include <string>
#include <vector>

#include "http/pages/member_frame.hpp"

namespace gateway::http {

struct payment_row {
  std::string payment_id;
  std::string state;  ///< as the API calls it
  std::string amount;
  std::string provider;  ///< its name; empty where it stays hidden
  std::string provider_ref;
  std::string description;
  shown_time created_at;
};
/// The query's parameters are called as the members are; `cursor` is opaque, and goes on to older ones.
struct payments_view {
  member_frame frame;
  field q;  ///< a payment_id or a provider_ref
  std::string state;
  field from;   ///< dates: 2026-11-24
  field until;
  field currency;
  std::vector<payment_row> rows;  ///< the newest first
  bool at_newest = true;          ///< these are the newest there are
  std::string older;              ///< the cursor of those after these; empty: there are none
};
response payments_page(const payments_view& view);

/// Under the merchant's URL, with the same query but for the cursor.
inline constexpr std::string_view payments_csv = "payments.csv";

}  // namespace gateway::http
