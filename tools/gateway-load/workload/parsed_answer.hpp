// The meaning of an answer, as docs/served/payments.md defines it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.hpp"

namespace gateway::load {

enum class meaning : unsigned char {
  success,      ///< 200
  problem,      ///< a rule of the payment or the provider forbids it; stored under the key and replayed
  unknown,      ///< 502 provider outcome unknown; stored under the key, but either outcome may follow
  in_progress,  ///< 409: another request with the key is in flight
  reused,       ///< 409: the key was used for another request
  missing,      ///< 404
  rejection,    ///< nothing happened and nothing is stored: 503 overloaded, 429, or the request itself is wrong
  in_doubt,     ///< no answer, or a 5xx after which it may have been executed
  unexpected,   ///< not documented
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

struct parsed_answer {
  meaning kind = meaning::in_doubt;
  std::string error;         ///< the code
  std::string payment_id;
  state now = state::none;
  std::string state_text;
  std::string charged;       ///< the status of a saved charge
  bool has_provider_error = false;
  bool has_hosted_url = false;
  std::int64_t refunded_amount = -1, refunded_total = -1, remaining_amount = -1, amount = -1;  ///< -1: not there
  std::string currency;
};

parsed_answer parse(const answer& got);

/// A customer as a platform reads it.
struct parsed_customer {
  std::string ref, provider_id, merchant;
};
/// False if this is no customer.
bool read_customer(std::string_view body, parsed_customer& into);

/// One entry of a timeline.
struct timeline_entry {
  bool is_event = false;
  std::string operation, status;
};
/// False if this is no timeline.
bool read_timeline(std::string_view body, std::string& payment_id, std::vector<timeline_entry>& entries);

}  // namespace gateway::load
