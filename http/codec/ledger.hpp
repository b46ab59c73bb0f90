// The ledger as operators ask for it, and as they are shown it. Days are UTC, and both the first and the last count.
#pragma once

#include <string>
#include <string_view>

#include "decoded.hpp"
#include "gateway/store.hpp"

namespace gateway::http {

/// At most a month: of more, the sums are asked for in parts.
inline constexpr int most_days_at_once = 31;

decoded<find_ledger_sums> decode_find_ledger_sums(std::string_view body, std::size_t json_depth);
decoded<find_ledger> decode_find_ledger(std::string_view body, std::size_t json_depth);

/// `{"sums":[…],"next":"merch_…"}`; `next` where there are merchants behind it, which are asked for by `after`.
std::string encode_ledger_sums(const ledger_sums_lookup& found);
/// `{"entries":[…],"next":{…}}`; `next` where there may be more, which are asked for by `after`.
std::string encode_ledger(const ledger_lookup& found);

}  // namespace gateway::http
