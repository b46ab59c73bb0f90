// A platform for this run: registered by the operator, with a live grant of a merchant that accepts cards and
// subscriptions at the sandbox. The merchant's owner gives the grant on the consent screen, like any owner.
#pragma once

#include <filesystem>
#include <string>

#include "engine/signer.hpp"
#include "engine/target.hpp"

namespace gateway::load {

struct fresh_platform {
  std::string platform_id;
  std::string merchant_id;
  credentials key;
};

/// `name`: lower-case letters and digits, unique to this run. Throws std::runtime_error with one line.
fresh_platform make_platform(const std::filesystem::path& data_dir, const target& to, const std::string& name,
                             const std::string& currency);

/// Sets the platform's destination for all types of live events, and returns the secret that signs them.
std::string make_platform_destination(const std::filesystem::path& data_dir, const std::string& platform_id,
                                      const std::string& url);

}  // namespace gateway::load
