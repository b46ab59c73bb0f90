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

/// The table row of a dispute.
dispute_row row_of_dispute(const call& c, const payment& of, const dispute& each);

/// A dispute with its payment.
struct dispute_of_payment {
  payment_ptr of;
  dispute what;
};
/// The merchant's open disputes and inquiries, ordered by the day when evidence is due; those without such a day come
/// last. Reads about `most_open_disputes` of each status. nullopt if the store does not answer.
boost::asio::awaitable<std::optional<std::vector<dispute_of_payment>>> read_open_disputes(call& c);
inline constexpr std::size_t most_open_disputes = 500;

}  // namespace gateway::http
