// The messages between the gateway and a sandbox provider in another process: JSON objects, one a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/ports/provider.hpp"

namespace gateway::actors::wire {

/// A call with the number by which its answer refers to it.
struct numbered_call {
  std::uint64_t id = 0;
  provider_call call;
};
struct numbered_result {
  std::uint64_t id = 0;
  provider_result result;
};

/// A call carries the parts of the payment that a sandbox decides by, and the names recorded in its ledger.
std::string encode(const numbered_call& call);
std::string encode(const numbered_result& result);
/// nullopt if the line was not made by `encode`.
std::optional<numbered_call> decode_call(std::string_view line);
std::optional<numbered_result> decode_result(std::string_view line);

}  // namespace gateway::actors::wire
