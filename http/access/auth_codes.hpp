// Authorization codes: what a browser carries from the consent screen to the platform, which exchanges it.
//
// A code is sealed, and says which binding it belongs to, so that whoever exchanges it is taken to the right actor
// without a look-up. That it is genuine says nothing about whether it can still be exchanged: that is kept by its hash
// beside the grant. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/ids.hpp"

namespace gateway::http {

struct new_code {
  std::string text;  ///< letters, digits, `-` and `_`: fits into a query as it is
  std::string hash;  ///< what is stored of it
};

/// No two are equal: 128 random bits are inside.
new_code make_code(const entity_key& binding, const crypto::master_key& key);

/// Nothing if this gateway has not made that code.
std::optional<entity_key> binding_of(std::string_view code, const crypto::master_key& key);

/// Lower-case hex SHA-256.
std::string code_hash(std::string_view code);

}  // namespace gateway::http
