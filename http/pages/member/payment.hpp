// One payment: what it is, what happened to it, whom it was told to, and what may be done with it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delivery_table.hpp"
#include "http/pages/member_frame.hpp"

namespace gateway::http {

/// Empty texts are left out.
struct payment_envelope {
  std::string payment_id;
  std::string state;  ///< as the API calls it
  std::string amount;
  std::string captured;
  std::string refunded;
  std::string refundable;
  std::string flow;
  std::string payment_method;
  std::string provider;
  std::string provider_ref;
  std::string provider_status;
  std::string failure_code;
  std::string failure_message;
  std::string customer;
  std::string subscription;
  std::string platform;  ///< that acted for the merchant
  std::string description;
  std::vector<std::pair<std::string, std::string>> metadata;
  shown_time created_at;
  shown_time updated_at;
};
struct payment_event {
  shown_time at;
  std::string what;    ///< `authorize`, `capture`, or an event's type
  std::string status;  ///< `succeeded`, `declined`, `published`, …
  blocks::tone how = blocks::tone::neutral;
  std::string by;      ///< `key mk_test_…`, `ada@example.com`, `the platform Shopfront`, `the gateway`
  std::string amount;
  std::string error_code;
  std::string message;
  std::string reason;
};
// The forms that move money. `key`: the idempotency key, drawn for this page, so that it moves once.

/// A capture takes all that is authorized.
struct capture_form {
  std::string key;
  std::string fault;
};
struct refund_form {
  std::string key;
  field amount;       ///< decimal, in the currency's major unit; the default, or what was typed
  field reason;
  std::string limit;  ///< the most that it can be
  std::string fault;
};
struct void_form {
  std::string key;
  field reason;
  std::string fault;
};
struct payment_view {
  member_frame frame;
  payment_envelope of;
  std::string currency;  ///< that amounts are typed in
  std::vector<payment_event> timeline;
  std::vector<delivery_row> deliveries;
  std::optional<capture_form> capture;  ///< where the payment's state permits it, as the others
  std::optional<refund_form> refund;
  std::optional<void_form> cancel;    ///< `void`
};
response payment_page(const payment_view& view);

/// How a state of a payment, as the API calls it, is shown.
blocks::badge payment_badge(std::string_view state);

}  // namespace gateway::http
