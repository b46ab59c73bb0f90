// The list of payments, filtered and searched.
#pragma once

#include <string>
#include <vector>

#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct payment_row {
  std::string payment_id;
  std::string state;  ///< as the API names it
  std::string amount;
  std::string customer;  ///< the name, or the e-mail address, or the platform's reference
  std::string failure;   ///< why it failed, in words
  shown_time created_at;
};
/// The number of payments in a state, within the filter's period and currency.
struct payment_tab {
  std::string state;  ///< as the API names it
  std::string count;  ///< `12`, `1000+`
};
/// The parameter `zone` of a list whose days are in UTC.
inline constexpr std::string_view utc_days = "UTC";

/// The query's parameters are named like the members; `cursor` is opaque, and leads to older payments.
struct payments_view {
  member_frame frame;
  field q;
  std::string state;
  field from;   ///< dates: 2026-11-24
  field until;
  field currency;
  std::string zone;  ///< utc_days, or empty: the dates are in the person's zone
  std::vector<payment_tab> tabs;
  std::string searched;  ///< a sentence about what the search has read; empty: there was no search
  std::vector<payment_row> rows;  ///< newest first
  bool at_newest = true;          ///< this is the first page
  std::string cursor;             ///< of this page
  std::string older;              ///< `cursor` of the next older payments; empty if there are none
};
response payments_page(const payments_view& view);

/// The path below the merchant's URL. It takes the same query, without the cursor.
inline constexpr std::string_view payments_csv = "payments.csv";

}  // namespace gateway::http
