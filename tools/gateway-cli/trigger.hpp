// Makes in test mode what causes an event.
#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "api_client.hpp"
#include "gateway/domain/event_type.hpp"

namespace gateway::cli {

enum class trigger_step : unsigned char {
  capture,
  refund_part,
  refund,
  void_payment,
  await_dispute,  ///< reads the payment until it has a dispute
};

/// The requests that cause an event, or why a test key cannot cause it.
struct trigger_plan {
  std::string_view payment_method{};  ///< of the payment to create; empty: `why_not` says why there is none
  std::span<const trigger_step> steps{};
  std::string_view state{};  ///< the payment's state in the end
  std::string_view why_not{};
};

trigger_plan plan_of(event_type type) noexcept;

struct trigger_options {
  event_type type = event_type::payment_captured;
  std::string name;  ///< of the type, as it was given
  std::int64_t amount = 0;
  std::string currency;
  bool json = false;
};

/// Prints the ids of what it made. Throws refused, no_answer, and failure where nothing can be made.
void trigger(api_client& client, const trigger_options& options, std::ostream& out);

}  // namespace gateway::cli
