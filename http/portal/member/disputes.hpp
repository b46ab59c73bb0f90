// A merchant's disputes: reading them for its pages.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "dispute_table.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// As rows of a page.
dispute_row row_of_dispute(const call& c, const payment& of, const dispute& each);

/// A dispute, in the payment that it belongs to.
struct dispute_of_payment {
  payment_ptr of;
  dispute what;
};
/// The merchant's disputes that are not closed, inquiries included: those whose evidence is due first come first, and
/// those without such a day last. Reads at most `most_open_disputes` of each status. Nothing if the store does not
/// answer.
boost::asio::awaitable<std::optional<std::vector<dispute_of_payment>>> read_open_disputes(call& c);
inline constexpr std::size_t most_open_disputes = 500;

}  // namespace gateway::http
