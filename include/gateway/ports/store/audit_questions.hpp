// What operators ask about the audit log: lists of entries, and the chains that show whether entries were changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/base/audit_chain.hpp"
#include "gateway/ports/store/people_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

struct audit_entry {
  save_audit what;
  std::optional<audit_link> link;  ///< nullopt: an older version, without links, wrote the entry
  std::string email{};  ///< of the person who made the change, if that person is still known
  bool has_foreign_values = false;  ///< the row has a value that the gateway cannot have written

  bool operator==(const audit_entry&) const = default;
};

/// The last entry of a chain, as the commit of that entry recorded it.
struct audit_head {
  std::int64_t chain = 0;
  std::int64_t number = 0;
  std::string hash{};
  /// Entries up to this number were purged; the hash of the last of them. 0 and empty: none was.
  std::int64_t purged_to = 0;
  std::string purged_hash{};

  bool operator==(const audit_head&) const = default;
};

/// Entries of all persons, operators and platforms; at most `limit`. Sorted by time, then by id.
struct find_audit_entries {
  using answer = struct audit_entries_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  struct position {
    time_point at{};
    std::string id;
  };

  merchant_id merchant{};  ///< only about this one; empty: all
  std::optional<time_point> from{};  ///< included
  std::optional<time_point> until{};  ///< not included
  bool oldest_first = false;
  std::optional<position> after{};  ///< only entries behind this one, in the order of the list
  std::uint32_t limit = 100;
};

struct audit_entries_lookup {
  std::vector<audit_entry> entries;
};

/// A part of a chain, in the order of its numbers.
struct find_audit_chain {
  using answer = struct audit_chain_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  std::optional<std::int64_t> chain{};  ///< nullopt: the first
  std::int64_t after = 0;  ///< only entries with a higher number, or with this number and a greater id
  std::string after_id{};
  std::uint32_t limit = 500;
};

struct audit_chain_lookup {
  std::optional<std::int64_t> chain;  ///< nullopt: there is no chain
  std::optional<audit_head> head;     ///< as it was before the entries were read; nullopt: there is none
  std::vector<audit_entry> entries;
  std::optional<audit_head> later;  ///< the head after the entries were read
  std::optional<std::int64_t> next;  ///< the next chain; nullopt: this was the last
};

struct find_audit_heads {
  using answer = struct audit_heads_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  bool counts_unlinked = false;  ///< also counts the entries without a link, which reads all of them
};

struct audit_heads_lookup {
  std::vector<audit_head> heads;  ///< ordered by their chains
  std::int64_t unlinked = 0;
  /// An unlinked entry that is too new to have been written by the version without links.
  std::string late_unlinked_id{};
  std::optional<time_point> backup_made_at{};  ///< the last backup in the log; nullopt: there is none
};

/// How long, in an upgrade, nodes of the version without links may have run beside nodes of this version.
inline constexpr duration_ms unlinked_after_upgrade = std::chrono::hours{7 * 24};

}  // namespace gateway
