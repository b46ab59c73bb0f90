// Backups of the embedded store: a folder with a copy of the database, a manifest and checksums
// (docs/decisions/0065-a-backup-is-proved-and-an-old-database-is-noticed.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/time.hpp"
#include "gateway/ports/store/audit_questions.hpp"

namespace gateway::persistence {

/// What a manifest states about a database.
struct backup_contents {
  struct table_rows {
    std::string table;
    std::int64_t rows = 0;

    bool operator==(const table_rows&) const = default;
  };
  /// The ledger's entries in one environment and currency.
  struct ledger_total {
    std::string environment, currency;
    std::int64_t entries = 0, customer = 0, provider = 0, merchant = 0;

    bool operator==(const ledger_total&) const = default;
  };

  std::int64_t schema_version = 0;
  std::vector<table_rows> counts;
  std::vector<ledger_total> ledger;
  std::vector<audit_head> audit_heads;

  bool operator==(const backup_contents&) const = default;
};

struct made_backup {
  std::string manifest;         ///< a JSON object
  std::string manifest_sha256;  ///< identifies this backup; to be kept elsewhere
};

/// Copies the embedded store's database `from` into the folder `to`, which must be empty or absent. Other processes may
/// write to the database meanwhile. If it fails, it removes what it made and throws std::runtime_error with one line.
/// The checksums are written last; until then the folder does not verify.
made_backup make_backup(const std::filesystem::path& from, const std::filesystem::path& to, std::string_view version,
                        time_point now);

struct verified_backup {
  std::vector<std::string> problems;  ///< one line each; empty: the backup is as it was made, and can be used
  std::string manifest;  ///< as stored; empty if it cannot be trusted
  std::string manifest_sha256;
};

/// Changes nothing in the folder, and needs no gateway.
verified_backup verify_backup(const std::filesystem::path& folder);

}  // namespace gateway::persistence
