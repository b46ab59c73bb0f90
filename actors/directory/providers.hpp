// The directory's providers: the settings of each in each environment.
#pragma once

#include <memory>
#include <string>

#include "gateway/base/keyring.hpp"
#include "gateway/directory/directory.hpp"
#include "plan.hpp"

namespace gateway::actors {

/// Seals and opens the settings of providers, and publishes them. It keeps no rows besides the published settings. A
/// provider whose settings cannot be read counts as not configured. Used by the directory actor only, as merchants is.
class configured_providers {
 public:
  /// All arguments must outlive it.
  configured_providers(directory& published, const crypto::keyring& keys, const wall_clock& clock)
      : published_{published}, keys_{keys}, clock_{clock} {}

  /// Publishes the settings of these rows.
  void adopt(const directory_lookup& rows);

  /// As in merchants.
  static std::string changes(const configure_provider& wanted);

  /// Stores the settings even if they seem unchanged: a commit without an answer may have changed them since they were
  /// read.
  planned prepare(const configure_provider& wanted);

 private:
  std::shared_ptr<const provider_settings> opened(const save_provider& row) const;

  directory& published_;
  const crypto::keyring& keys_;
  const wall_clock& clock_;
};

}  // namespace gateway::actors
