// What an answer says, by docs/integrators.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.hpp"

namespace gateway::load {

enum class meaning : unsigned char {
  success,      ///< 200
  refusal,      ///< by a rule of the payment or by the provider; it is the key's answer, and is replayed
  unknown,      ///< 502 provider outcome unknown: the key's answer too, but either outcome may follow
  in_progress,  ///< 409: another request with the key is under way
  reused,       ///< 409: the key was used for another request
  missing,      ///< 404
  turned_away,  ///< nothing happened, nothing is kept under the key: 503 overloaded, 429, and what is wrong with the
                ///< request
  doubtful,     ///< no answer, or a 5xx after which it may have happened
  unexpected,   ///< none of what is documented
};

enum class state : unsigned char {
  none,
  processing,
  authorized,
  captured,
  partially_refunded,
  refunded,
  voided,
  failed
};
std::string_view to_string(state of) noexcept;

struct reading {
  meaning what = meaning::doubtful;
  std::string error;         ///< the code
  std::string payment_id;
  state now = state::none;
  std::string state_text;
  bool has_provider_error = false;
  bool has_hosted_url = false;
  std::int64_t refunded_amount = -1, refunded_total = -1, remaining_amount = -1, amount = -1;  ///< -1: not there
  std::string currency;
};

reading read(const answer& got);

/// One entry of a timeline.
struct timeline_entry {
  bool is_event = false;
  std::string operation, status;
};
/// False if this is no timeline.
bool read_timeline(std::string_view body, std::string& payment_id, std::vector<timeline_entry>& entries);

}  // namespace gateway::load
