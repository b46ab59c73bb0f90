// A text made of several parts, for the words of a broken promise.
#pragma once

#include <sstream>
#include <string>

namespace gateway::simulation {

template <class... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

}  // namespace gateway::simulation
