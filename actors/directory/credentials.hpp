// The directory's credentials: API keys, and the tokens of setup links.
#pragma once

#include <string>

#include "gateway/base/keyring.hpp"
#include "gateway/directory/directory.hpp"
#include "merchants.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// Seals and opens the secrets of keys, and publishes them. It keeps no rows besides the published keys.
class credentials {
 public:
  /// All arguments must outlive it.
  credentials(const merchants& owners, directory& published, const crypto::keyring& keys, const wall_clock& clock)
      : owners_{owners}, published_{published}, keys_{keys}, clock_{clock} {}

  /// Publishes the keys of these rows.
  void adopt(const directory_lookup& rows);
  bool has(const key_id& id) const { return published_.find_key(id) != nullptr; }

  /// As in merchants.
  static std::string changes(const mint_key&) { return {}; }
  static std::string changes(const revoke_key& wanted) { return wanted.id.value; }
  static std::string changes(const redeem_setup_token& wanted) { return wanted.token_id; }

  planned prepare(const mint_key& wanted);
  planned prepare(const revoke_key& wanted);
  planned prepare(const redeem_setup_token& wanted);

 private:
  void publish(api_key key);

  const merchants& owners_;
  directory& published_;
  const crypto::keyring& keys_;
  const wall_clock& clock_;
};

}  // namespace gateway::actors
