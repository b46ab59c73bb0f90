// The requests of a run to the operator socket of the gateway on this machine: its address, and new merchants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/signer.hpp"

namespace gateway::load {

/// The URL at which a client on this machine reaches the gateway of `data_dir`. Throws std::runtime_error with one
/// line.
std::string find_address(const std::filesystem::path& data_dir);

/// A merchant that was created for this run, with a test key.
struct fresh_merchant {
  std::string merchant_id;
  credentials key;
};

/// Creates `count` merchants over several connections at once. Calls `take` with each as soon as it exists, from one
/// thread at a time and in no particular order. Throws as above.
void make_merchants(const std::filesystem::path& data_dir, std::uint32_t count,
                    const std::function<void(const fresh_merchant&)>& take);

/// Sets the destination of a merchant's webhooks and returns the secret that signs them. Throws as above.
std::string make_destination(const std::filesystem::path& data_dir, const std::string& merchant_id,
                             const std::string& url);

}  // namespace gateway::load
