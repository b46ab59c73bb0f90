// Deliveries to a merchant's own destinations: listing them on its pages, and sending them again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "delivery_table.hpp"
#include "gateway/domain/destination_health.hpp"
#include "gateway/ports/store/delivery_questions.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// As rows. Omits deliveries to platforms' destinations, which the merchant may not see. `health`: of the destinations,
/// for the next attempts of those that are pending.
std::vector<delivery_row> delivery_rows(const call& c, const std::vector<delivery_job>& jobs,
                                        const std::vector<destination_health>& health);
bool has_pending(const std::vector<delivery_job>& jobs);
/// `Answered 503`, `No answer in time`.
std::string words_of_result(const delivery_attempt& made);
/// A delivery's number as a page or a form has it; nothing if it is none.
std::optional<std::int64_t> delivery_number(const std::string& text);

/// Sends the form's delivery again if it is the merchant's, in this environment, and `belongs` is true for it.
boost::asio::awaitable<response> redeliver_here(call& c, bool (*belongs)(const call& c, const delivery& row));

}  // namespace gateway::http
