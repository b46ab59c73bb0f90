// The merchants of a run, made over the operator socket of the gateway on this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/signer.hpp"

namespace gateway::load {

/// A merchant made for this run, with a test key.
struct fresh_merchant {
  std::string merchant_id;
  credentials key;
};

/// So many, asked for side by side, so that the gateway never waits for the next one. `take` gets each as soon as it is
/// there: one at a time, in no order. Throws std::runtime_error with one line.
void make_merchants(const std::filesystem::path& data_dir, std::uint32_t count,
                    const std::function<void(const fresh_merchant&)>& take);

/// Where a merchant's webhooks go; returns the secret that signs them. Throws as above.
std::string make_destination(const std::filesystem::path& data_dir, const std::string& merchant_id,
                             const std::string& url);

}  // namespace gateway::load
