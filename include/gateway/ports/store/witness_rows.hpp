// Facts about the database itself, which show whether it lacks commits that the gateway has answered
// (docs/decisions/0065-a-backup-is-proved-and-an-old-database-is-noticed.md).
#pragma once

#include <string>
#include <string_view>

namespace gateway {

/// Replaces the value that the database keeps under this name.
struct save_fact {
  std::string name;
  std::string value;

  bool operator==(const save_fact&) const = default;
};

/// A copy made by `gatewayctl backup` has the time of the backup under this name. Empty: the copy was recovered.
inline constexpr std::string_view backup_mark_name = "backup_made_at";

/// The time of the last backup in the audit log, in milliseconds since 1970.
inline constexpr std::string_view last_backup_name = "last_backup_at";

}  // namespace gateway
