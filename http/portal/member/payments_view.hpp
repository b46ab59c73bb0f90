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
  std::string customer;  ///< the name, else the e-mail address or the platform's reference
  std::string failure;   ///< why it failed, in words
  shown_time created_at;
};
/// How many payments of the filter's period and currency are in a state.
struct payment_tab {
  std::string state;  ///< the API's name
  std::string count;  ///< `12`, `1000+`
};
/// The value of the parameter `zone` of a list whose days are UTC's.
inline constexpr std::string_view utc_days = "UTC";

/// The query's parameters have the members' names; `cursor` is opaque, and leads to older payments.
struct payments_view {
  member_frame frame;
  field q;
  std::string state;
  field from;   ///< dates: 2026-11-24
  field until;
  field currency;
  std::string zone;  ///< utc_days: of the dates; empty: the person's
  std::vector<payment_tab> tabs;
  std::string searched;  ///< a sentence: what a search has read; empty: there was no search
  std::vector<payment_row> rows;  ///< newest first
  bool at_newest = true;          ///< these are the newest
  std::string cursor;             ///< of this page
  std::string older;              ///< the cursor of the payments after these; empty if there are none
};
response payments_page(const payments_view& view);

/// Under the merchant's URL, with the same query except for the cursor.
inline constexpr std::string_view payments_csv = "payments.csv";

}  // namespace gateway::http
