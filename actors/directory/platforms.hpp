// The directory's platforms, with their keys.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/base/keyring.hpp"
#include "gateway/directory/directory.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// Seals and opens the secrets of platforms' keys, and publishes platforms and keys. It keeps no rows besides the
/// published objects and the list of each platform's keys. Used by the directory actor only, as merchants is.
class platforms {
 public:
  using listener = std::function<void(const platform_id&)>;

  /// All arguments but `status_changed` must outlive it; `status_changed` is called for each platform that was
  /// suspended or resumed, once the platform and its keys are published with the new status.
  platforms(directory& published, const crypto::keyring& keys, const wall_clock& clock, listener status_changed)
      : published_{published}, keys_{keys}, clock_{clock}, status_changed_{std::move(status_changed)} {}

  /// Publishes the platforms and keys of these rows.
  void adopt(const directory_lookup& rows);

  bool has(const platform_id& id) const { return published_.find_platform(id) != nullptr; }
  bool is_suspended(const platform_id& id) const;

  /// As in merchants.
  static std::string changes(const create_platform& wanted) { return "slug " + wanted.slug; }
  static std::string changes(const change_platform& wanted) { return wanted.id.value; }
  static std::string changes(const set_platform_status& wanted) { return wanted.id.value; }
  static std::string changes(const mint_platform_key& wanted) { return wanted.platform.value; }
  static std::string changes(const revoke_key& wanted) { return wanted.id.value; }
  static std::string changes(const revoke_own_key& wanted) { return wanted.id.value; }

  planned prepare(const create_platform& wanted);
  planned prepare(const change_platform& wanted);
  planned prepare(const set_platform_status& wanted);
  planned prepare(const mint_platform_key& wanted);
  /// Revokes a platform's key.
  planned prepare(const revoke_key& wanted);
  planned prepare(const revoke_own_key& wanted);

 private:
  void publish(platform what) const;
  void publish(platform_key what) const;
  void publish_status(platform what) const;
  plan saving(platform what);
  plan minting(const mint_platform_key& wanted, unsigned draws_left);
  plan revoking(const platform_key& key);

  directory& published_;
  const crypto::keyring& keys_;
  const wall_clock& clock_;
  listener status_changed_;
  std::unordered_map<platform_id, std::vector<key_id>> keys_of_;  ///< published keys
};

}  // namespace gateway::actors
