// The configuration file: `name = value` lines, a strict subset of TOML. Strings are quoted, whole numbers and
// true/false are not, and `#` starts a comment. There are no sections, arrays or floating-point numbers.
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

/// A fault in the file, with its line.
struct config_error : std::runtime_error {
  config_error(unsigned at, const std::string& what) : std::runtime_error(what), line(at) {}
  unsigned line;
};

/// Throws config_error at the first line that is malformed or repeats a name.
std::vector<config_entry> read_config(std::istream& in);

}  // namespace gateway
