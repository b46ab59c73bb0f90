// Operators' ledger queries and their results. Days are UTC; the first and the last day are included.
#pragma once

#include <string>
#include <string_view>

#include "gateway/ports/store/ledger_questions.hpp"
#include "http/codec/decoded.hpp"

namespace gateway::http {

/// gatewayctl splits longer ranges.
inline constexpr int most_days_at_once = 31;

decoded<find_ledger_sums> decode_find_ledger_sums(std::string_view body, std::size_t json_depth);
decoded<find_ledger> decode_find_ledger(std::string_view body, std::size_t json_depth);

/// `{"sums":[…],"next":"merch_…"}`. Has `next` if there are more merchants: pass it as `after`.
std::string encode_ledger_sums(const ledger_sums_lookup& found);
/// `{"entries":[…],"next":{…}}`. Has `next` if there may be more entries: pass it as `after`.
std::string encode_ledger(const ledger_lookup& found);

}  // namespace gateway::http
