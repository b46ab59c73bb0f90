// The configuration file: `name = value` lines, a strict subset of TOML. Strings are quoted, whole numbers and
// true/false are not, and `#` starts a comment. There are no arrays or floating-point numbers; sections are read by
// read_config_sections() only.
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

struct config_section {
  std::string name;
  unsigned line = 0;
  std::vector<config_entry> entries;
};

/// Reads a file of sections, each begun by a line `[name]`. Names may also contain underscores; sections' names also
/// capital letters. Throws config_error at the first line that is malformed, repeats a section or a name within one, or
/// precedes the first section.
std::vector<config_section> read_config_sections(std::istream& in);

}  // namespace gateway
