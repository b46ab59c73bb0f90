// One payment: its facts, its timeline, its deliveries, and the actions on it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delivery_table.hpp"
#include "dispute_table.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

/// Empty texts are omitted.
struct payment_person {
  std::string name;
  std::string email;
  std::string mobile;
  std::string reference;  ///< the platform's reference
  std::string id;         ///< in the address of the customer's page; empty: no page
};
/// Empty texts are omitted.
struct payment_envelope {
  std::string payment_id;
  std::string state;  ///< the API's name
  std::string amount;
  std::string captured;
  std::string refunded;
  std::string refundable;
  std::string disputed;  ///< in open disputes
  std::string ended_because;  ///< a sentence: why the authorization ended without a capture
  std::string flow;
  std::string payment_method;
  std::string provider;
  std::string provider_ref;
  std::string provider_status;
  std::string failure_code;
  std::string failure_message;
  payment_person customer;
  std::string subscription;
  std::string platform;  ///< the platform that acted for the merchant
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
  std::string origin;  ///< `by API`, `by ada@lantern.example on the portal`, `at the provider`
  std::string amount;
  std::string error_code;
  std::string message;
  std::string reason;
};
struct refund_row {
  std::string refund_id;
  std::string amount;
  refund_status status = refund_status::succeeded;
  std::string reason;
  std::string origin;  ///< as in payment_event
  shown_time created_at;
  std::string failure_code;
};
// The forms that move money. `key` is the idempotency key, so that a repeated post moves money once.

/// An empty amount captures the whole authorized amount.
struct capture_form {
  std::string key;
  field amount;  ///< as in refund_form; empty: all
  std::string fault;
};
struct refund_form {
  std::string key;
  field amount;       ///< decimal, in the currency's major unit: the default, or what was typed
  field reason;
  std::string limit;  ///< the largest possible refund
  std::string fault;
};
/// The form of `void` or of `cancel`.
struct void_form {
  std::string key;
  field reason;
  std::string fault;
};
struct payment_view {
  member_frame frame;
  payment_envelope of;
  std::string currency;  ///< of amounts in the forms
  std::vector<refund_row> refunds;    ///< newest first
  std::vector<dispute_row> disputes;  ///< newest first
  bool blocks_refund = false;         ///< money could be refunded, but a dispute is open
  std::vector<payment_event> timeline;
  std::vector<delivery_row> deliveries;
  std::optional<capture_form> capture;  ///< set, like the next two, if the payment's state permits the action
  std::optional<refund_form> refund;
  std::optional<void_form> cancel;    ///< `void`
  std::optional<void_form> checkout{};  ///< `cancel`, while the payment waits for the customer
  bool is_waiting = false;              ///< the payment waits for the customer
  std::string checkout_url{};           ///< where the customer pays; empty: there is no such page
  std::string declined{};  ///< the operation that the provider declined last; empty: none since the last success
  std::string decline_code{};
  std::string decline_message{};
};
response payment_page(const payment_view& view);

/// What caused a timeline entry or a refund: `by API`.
std::string_view words_of_origin(entry_origin by) noexcept;

/// The badge for a payment's state, given by the API's name.
blocks::badge payment_badge(std::string_view state);

}  // namespace gateway::http
