// Searches a merchant's payments: by id or reference through an index, or else by reading a limited number of
// payments.
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

/// A search text: part of a text, without regard to the case of ASCII letters, or a whole amount, such as `42`,
/// `1,042.50` or `HKD 42.00`.
class payment_pattern {
 public:
  explicit payment_pattern(std::string_view typed);

  /// Whether it is the payment's amount, or part of its id, its description, the customer's name, e-mail address or
  /// reference, or a value of the metadata.
  bool matches(const payment& each) const;

 private:
  bool is_in(std::string_view text) const;
  bool is_amount(const money& amount) const;

  std::string text_;      ///< in lower case
  std::string number_;    ///< without currency and commas; empty: not an amount
  std::string currency_;  ///< the amount's currency; empty: any
};

/// The most payments that one search reads. It shows at most rows_of_a_page.
inline constexpr std::size_t most_payments_searched = 1'000;

struct payments_found {
  std::vector<payment_ptr> payments;  ///< newest first
  bool by_name = false;      ///< found by id or reference; the filter did not apply
  std::size_t searched = 0;  ///< how many payments were read
  bool complete = true;      ///< every payment that the filter lists was searched
  std::optional<payment_position> last{};  ///< the last payment that was searched
};

/// The payment whose id is `q`, or those whose provider_ref is `q`. If there are none: matches of the pattern `q`
/// among the payments that the filter lists from `filter.before` on, within the limits. nullopt if the store does not
/// answer. A merchant that must not know the provider finds nothing by its references.
boost::asio::awaitable<std::optional<payments_found>> search_payments(call& c, std::string q, find_payments filter);

}  // namespace gateway::http
