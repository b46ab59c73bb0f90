// The configuration file: `name = value` lines, a strict subset of TOML. Strings stand in quotes, whole
// numbers and true/false do not, `#` starts a comment. No sections, arrays or floating point.
#pragma once

#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace gateway {

struct config_entry {
  std::string name;
  std::variant<bool, std::int64_t, std::string> value;
  unsigned line = 0;
};

/// What is wrong, and in which line.
struct config_error : std::runtime_error {
  config_error(unsigned at, const std::string& what) : std::runtime_error(what), line(at) {}
  unsigned line;
};

/// Throws config_error at the first line that is not understood, or that gives a name a second time.
std::vector<config_entry> read_config(std::istream& in);

}  // namespace gateway
