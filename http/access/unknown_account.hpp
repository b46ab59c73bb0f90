// Signing in to an account that does not exist takes as long as signing in to one that does.
#pragma once

#include <string_view>

namespace gateway::http {

/// Verifying against it takes as long as against any password's hash, and always fails.
inline constexpr std::string_view unknown_account_hash =
    "scrypt$15$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

}  // namespace gateway::http
