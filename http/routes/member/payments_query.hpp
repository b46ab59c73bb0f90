// What a list of payments is asked for: by its page, and by the file that it can be saved as.
#pragma once

#include <optional>
#include <string>

#include "gateway/store.hpp"
#include "http/pages/member/payments.hpp"
#include "http/routes/table.hpp"

namespace gateway::http {

struct payments_query {
  find_payments filter;
  field from;      ///< as typed, with what is wrong with them
  field until;
  field currency;
  std::string state;
  std::string q;   ///< not empty: this payment, or those with this reference, and no filter

  bool is_faulty() const { return !from.fault.empty() || !until.fault.empty() || !currency.fault.empty(); }
};

/// Of the page's query. `until` is the last day that is listed.
payments_query read_payments_query(const call& c);

/// Those of whom `q` is the payment_id or the provider_ref; nothing if the store does not say. Whoever does not learn
/// of a provider finds nothing by its references.
boost::asio::awaitable<std::optional<std::vector<payment_ptr>>> search_payments(call& c, std::string q);

payment_position position_of(const payment& last);
std::string cursor_of(const payment& last);

}  // namespace gateway::http
