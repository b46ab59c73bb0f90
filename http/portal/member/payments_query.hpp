// The query of a list of payments, for its page and for its CSV file.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "http/fwd.hpp"
#include "payments_view.hpp"

namespace gateway::http {

struct payments_query {
  find_payments filter;
  field from;      ///< as typed, with their faults
  field until;
  field currency;
  std::string state;
  std::string q;   ///< if not empty: the payment with this id, or those with this reference; no filter applies

  bool is_faulty() const { return !from.fault.empty() || !until.fault.empty() || !currency.fault.empty(); }
};

/// Reads the page's query. `until` is the last day that is listed.
payments_query read_payments_query(const call& c);

/// Payments whose payment_id or provider_ref is `q`; nothing if the store does not answer. A caller that must not know
/// the provider finds nothing by its references.
boost::asio::awaitable<std::optional<std::vector<payment_ptr>>> search_payments(call& c, std::string q);

payment_position position_of(const payment& last);
std::string cursor_of(const payment& last);

}  // namespace gateway::http
