// The search of a merchant's payments: by names that have an index, and else by reading a limited number of payments.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// What a person searches for: a part of a text, in any case of ASCII letters, or a whole amount, such as `42`,
/// `1,042.50` or `HKD 42.00`.
class payment_pattern {
 public:
  explicit payment_pattern(std::string_view typed);

  /// Whether it is the payment's amount, or a part of its id, of its description, of its customer's name, e-mail
  /// address or reference, or of a value of its metadata.
  bool matches(const payment& each) const;

 private:
  bool is_in(std::string_view text) const;
  bool is_amount(const money& amount) const;

  std::string text_;      ///< in lower case
  std::string number_;    ///< without its currency and its commas; empty: no amount
  std::string currency_;  ///< of the amount; empty: any
};

/// Limits of one search: payments that are read, and payments that are shown.
inline constexpr std::size_t most_payments_searched = 1'000;

struct payments_found {
  std::vector<payment_ptr> payments;  ///< newest first
  bool by_name = false;      ///< found by their id or reference, whatever the filter
  std::size_t searched = 0;  ///< how many payments were read
  bool complete = true;      ///< nothing that the filter lists is left to be searched
  std::optional<payment_position> last{};  ///< the last payment that was searched
};

/// The payment whose id is `q`, or those whose provider_ref it is. If there are none: those that match the pattern `q`
/// among the payments that the filter lists from `filter.before` on, as far as the limits allow. Nothing if the store
/// does not answer. A caller that must not know the provider finds nothing by its references.
boost::asio::awaitable<std::optional<payments_found>> search_payments(call& c, std::string q, find_payments filter);

}  // namespace gateway::http
