// Lists deliveries to a merchant's own destinations, and sends them again.
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

/// The rows of the deliveries. Omits deliveries to platforms' destinations, which the merchant may not see. `health`
/// of the destinations gives the next attempts of pending deliveries.
std::vector<delivery_row> delivery_rows(const call& c, const std::vector<delivery_job>& jobs,
                                        const std::vector<destination_health>& health);
bool has_pending(const std::vector<delivery_job>& jobs);
/// `Answered 503`, `No answer in time`.
std::string words_of_result(const delivery_attempt& made);
/// The delivery's number in an address or a form; nullopt if the text is not one.
std::optional<std::int64_t> delivery_number(const std::string& text);

/// Sends the form's delivery again if it is the merchant's, in this mode, and `belongs` returns true for it.
boost::asio::awaitable<response> redeliver_here(call& c, bool (*belongs)(const call& c, const delivery& row));

}  // namespace gateway::http
