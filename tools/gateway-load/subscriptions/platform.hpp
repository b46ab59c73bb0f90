// A platform for this run: registered by the operator, with a live grant of a merchant that takes cards and
// subscriptions at the sandbox. The merchant's owner gives the grant on the consent screen, as any owner does.
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

/// `name`: lower-case letters and digits, which tell this run from others. Throws std::runtime_error with one line.
fresh_platform make_platform(const std::filesystem::path& data_dir, const target& to, const std::string& name,
                             const std::string& currency);

/// Sets where the platform is told of all live events that there are, and returns the secret that signs them.
std::string make_platform_destination(const std::filesystem::path& data_dir, const std::string& platform_id,
                                      const std::string& url);

}  // namespace gateway::load
