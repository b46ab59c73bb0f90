// What happened to a payment, for its page: the timeline with amounts, reasons and people, and the refunds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "gateway/messages/actors.hpp"
#include "http/fwd.hpp"
#include "payment_view.hpp"

namespace gateway::http {

/// An action on the payment in the portal.
struct portal_act {
  time_point at{};
  std::string action;  ///< the button's verb
  std::string person;  ///< the e-mail address
};
using portal_acts = std::vector<portal_act>;

/// The latest actions on the payment in the portal, from the audit log, one for each timeline entry that a person
/// caused. Empty if the store does not answer; the page is then shown without names.
boost::asio::awaitable<portal_acts> read_portal_acts(call& c, entity_key subject, timeline_ptr of);

std::vector<payment_event> events_of(const call& c, const payment& subject, const timeline_view& of,
                                     const portal_acts& acts);
/// Newest first.
std::vector<refund_row> refund_rows(const call& c, const payment& subject, const portal_acts& acts);

/// The provider's decline of the last attempt, such as `capture`. `operation` is empty if the last attempt was not
/// declined.
struct last_decline {
  std::string operation;
  std::string code;
  std::string message;
};
last_decline decline_of(const payment& subject, const timeline_view& of);

}  // namespace gateway::http
