// Backups. The gateway names its store, and enters the backup in the audit log. gatewayctl copies the embedded store
// itself, because it may write to folders that the gateway may not.
#pragma once

#include <filesystem>
#include <ostream>

#include "ledger_calls.hpp"

namespace gateway::ctl {

struct backup_request {
  std::filesystem::path data_dir;
  std::filesystem::path to;
  bool as_json = false;
};

/// Throws std::runtime_error with one line. A gateway with another store refuses, and names the command to run instead.
void make_backup(const backup_request& request, const operator_poster& post, std::ostream& out);

/// Enters in the audit log that another tool has made a backup.
void record_backup(const backup_request& request, const operator_poster& post, std::ostream& out);

/// Needs no gateway. Returns whether the backup is as it was made.
bool verify_backup(const backup_request& request, std::ostream& out);

}  // namespace gateway::ctl
