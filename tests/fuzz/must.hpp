// How a target reports a finding: prints the line whose check failed and ends the process.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

namespace gateway::fuzz {

/// Ends the run as a finding unless `holds`. `what` names the broken rule.
inline void must(bool holds, std::string_view what, std::source_location at = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: broken: %.*s\n", at.file_name(), static_cast<unsigned>(at.line()),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

/// Cuts the text up to the next `separator` off the front of `rest`.
inline std::string_view cut(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const auto part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

}  // namespace gateway::fuzz

/// What libFuzzer calls with each input.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size);
