// The query of a list of payments, for the page and the CSV file.
#pragma once

#include <string>

#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "http/fwd.hpp"
#include "payments_view.hpp"

namespace gateway::http {

struct payments_query {
  find_payments filter;
  field from;      ///< this and the next two: as typed, with faults
  field until;
  field currency;
  std::string state;
  std::string q;     ///< if not empty: a payment's id, a reference, or a text to match
  std::string zone;  ///< `UTC`: the days are in UTC, as on the overview; empty: in the person's zone

  /// Whether the query's state does not exist.
  bool has_unknown_state() const { return !state.empty() && !filter.state; }
  bool is_faulty() const { return !from.fault.empty() || !until.fault.empty() || !currency.fault.empty(); }
};

/// Reads the page's query. `until` is the last day that is listed.
payments_query read_payments_query(const call& c);

payment_position position_of(const payment& last);
std::string cursor_of(const payment_position& last);

}  // namespace gateway::http
