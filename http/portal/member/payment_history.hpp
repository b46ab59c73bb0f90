// What happened to a payment, for its page: the timeline with amounts, reasons and persons, and the refunds.
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

/// The latest actions on the payment by people in the portal, from the audit list: one for each entry of the timeline
/// that a person caused. Empty if the store does not answer: the page is shown without the names.
boost::asio::awaitable<portal_acts> read_portal_acts(call& c, entity_key subject, timeline_ptr of);

std::vector<payment_event> events_of(const call& c, const payment& subject, const timeline_view& of,
                                     const portal_acts& acts);
/// Newest first.
std::vector<refund_row> refund_rows(const call& c, const payment& subject, const portal_acts& acts);

/// Why the provider declined the last thing that was asked of it, unless something was done since: an operation such
/// as `capture`, and what the provider says about it. No operation: it declined nothing.
struct last_decline {
  std::string operation;
  std::string code;
  std::string message;
};
last_decline decline_of(const payment& subject, const timeline_view& of);

}  // namespace gateway::http
