// The one table of all settings: their names, bounds and help texts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "gateway/settings.hpp"

namespace gateway {

/// The member of `settings` that receives the value. Its type determines which values are allowed.
/// A duration that may be absent is written as a duration, or as `forever`.
using setting_target = std::variant<bool*, std::string*, std::filesystem::path*, unsigned*, std::size_t*,
                                    std::chrono::milliseconds*, std::optional<std::chrono::milliseconds>*>;

/// Inclusive; durations in milliseconds.
struct value_range {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct setting {
  std::string name;
  std::string value_name;
  std::string help;
  std::string group;
  setting_target where;
  value_range within{};
};

/// A value that a setting cannot have.
struct bad_value : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// All settings, in the order of --help, each bound to its member of `s`.
std::vector<setting> bind_settings(settings& s);

}  // namespace gateway
