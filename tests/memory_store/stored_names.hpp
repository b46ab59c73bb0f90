// Names as the databases store and sort them.
#pragma once

#include <string>

#include "gateway/ports/store/store.hpp"

namespace gateway::testing {

inline std::string text(environment env) { return std::string{to_string(env)}; }
inline std::string text(provider_kind kind) { return std::string{to_string(kind)}; }

}  // namespace gateway::testing
