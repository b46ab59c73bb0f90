// The list of a merchant's subscriptions, and the page of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/domain/subscription_notification.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

struct subscription_row {
  std::string subscription_id;  ///< the caller's id
  std::string price;            ///< `EUR 19.00 each month`
  std::string customer;         ///< the platform's reference
  subscription_status status = subscription_status::pending;
  shown_time period_end;  ///< a day
  shown_time created_at;
};
/// `cursor` is opaque, and leads to further subscriptions.
struct subscriptions_view {
  member_frame frame;
  std::vector<subscription_row> rows;  ///< ordered by id
  bool at_first = true;
  std::string further;  ///< `cursor` of the next subscriptions; empty if there are none
};
response subscription_list_page(const subscriptions_view& view);

/// An invoice of the subscription: paid, or an attempt that failed.
struct subscription_cycle {
  shown_time at;
  bool paid = false;
  std::string amount;
  shown_time period_start, period_end;  ///< days
  std::string payment_id{};  ///< empty: it has no payment, or the payment is not known
};
struct subscription_event_row {
  shown_time at;
  std::string what;  ///< the event's type, or the operation
  std::string status;
  std::string error_code;
  std::string message;
};
struct cancel_form {
  std::string key;
  std::string fault;
};
/// Empty texts are omitted.
struct subscription_view {
  member_frame frame;
  subscription_row of;
  std::string event_id;  ///< the id that events contain
  std::string description;
  std::string customer_id;  ///< in the address of the customer's page
  std::string platform;
  std::string provider;
  std::string provider_id;
  std::string trial;  ///< `14 days`
  shown_time period_start, cancel_at, canceled_at;
  std::string checkout_url;  ///< while the checkout waits for its customer
  std::string failure;       ///< why the checkout could not be opened
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<subscription_cycle> cycles;        ///< newest first
  std::vector<subscription_event_row> timeline;  ///< oldest first
  std::optional<cancel_form> cancel;
};
response subscription_page(const subscription_view& view);

blocks::badge subscription_badge(subscription_status status);

}  // namespace gateway::http
