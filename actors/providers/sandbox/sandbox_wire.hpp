// What the gateway and a sandbox provider in a process of its own say to each other: JSON objects, one a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/provider.hpp"

namespace gateway::actors::wire {

/// A call, under the number by which its answer refers to it.
struct numbered_call {
  std::uint64_t id = 0;
  provider_call call;
};
struct numbered_result {
  std::uint64_t id = 0;
  provider_result result;
};

/// Of the payment, a call carries what a sandbox decides by, and the names that stand in its ledger.
std::string encode(const numbered_call& call);
std::string encode(const numbered_result& result);
/// Nothing if the line is not one that `encode` has made.
std::optional<numbered_call> decode_call(std::string_view line);
std::optional<numbered_result> decode_result(std::string_view line);

}  // namespace gateway::actors::wire
