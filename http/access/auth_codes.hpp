// Authorization codes, which a browser carries from the consent screen to the platform that exchanges them.
//
// A code is sealed and contains its binding, so that the exchange reaches the right actor without a look-up. A genuine
// code may already be used or expired: that is recorded under its hash, beside the grant. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/base/keyring.hpp"
#include "gateway/domain/ids.hpp"

namespace gateway::http {

struct new_code {
  std::string text;  ///< letters, digits, `-` and `_`: needs no escaping in a query
  std::string hash;  ///< what is stored
};

/// Unique: each contains 128 random bits.
new_code make_code(const entity_key& binding, const crypto::derived_keys& key);

/// Nothing if this gateway did not make the code.
std::optional<entity_key> binding_of(std::string_view code, const crypto::derived_keys& key);

/// Lower-case hex SHA-256.
std::string code_hash(std::string_view code);

}  // namespace gateway::http
