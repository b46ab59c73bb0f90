// The hash chain of the audit log: each entry has the hash of the entry before it
// (docs/decisions/0059-the-audit-log-is-chained.md). Each writer of the store has its own chain, numbered from 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway {

/// What links an entry to its chain. Hashes are lower-case hex SHA-256.
struct audit_link {
  std::int64_t chain = 0;
  std::int64_t number = 0;
  std::string previous_hash;  ///< empty for a chain's first entry
  std::string hash;
  /// The entry's texts (subject, before, after) have a separate salted hash, so that they can be erased without
  /// breaking the chain. Empty: they were erased.
  std::string details_salt;
  std::string details_hash;

  bool operator==(const audit_link&) const = default;
};

/// The parts of an entry that its hashes cover, besides the link itself.
struct audit_fields {
  std::string_view id;
  std::string_view user;
  std::int64_t at_ms = 0;
  std::string_view address;
  std::string_view action;
  std::string_view merchant;
  std::string_view environment;
  std::string_view subject;
  std::string_view before;
  std::string_view after;
};

/// The link of the entry that follows the one with this number and hash.
audit_link audit_link_after(std::int64_t chain, std::int64_t previous_number, std::string_view previous_hash,
                            const audit_fields& entry);

/// Whether the entry is unchanged since it was linked. An entry whose texts were erased has no texts and no salt.
bool matches(const audit_link& link, const audit_fields& entry);

}  // namespace gateway
