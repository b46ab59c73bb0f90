// Verifies the chains of the audit log part by part, from the answers to find_audit_chain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/ports/store/audit_questions.hpp"

namespace gateway {

enum class audit_fault : unsigned char {
  changed,    ///< the entry was changed after it was linked
  missing,    ///< entries were removed, or the record of the chain's end was removed
  reordered,  ///< the entry is not at its place in the chain, or another entry has its number
  added,      ///< an entry without a link, which this version cannot have written
};

template <>
inline constexpr auto enum_table<audit_fault> = enum_names<audit_fault>({{audit_fault::changed, "changed"},
                                                                         {audit_fault::missing, "missing"},
                                                                         {audit_fault::reordered, "reordered"},
                                                                         {audit_fault::added, "added"}});

struct audit_finding {
  audit_fault fault = audit_fault::changed;
  std::int64_t chain = 0;
  std::int64_t number = 0;  ///< of the entry; of missing entries the first
  std::string id{};         ///< empty if the entry is missing
  std::string words;

  bool operator==(const audit_finding&) const = default;
};

/// How far a chain has been verified.
struct audit_progress {
  std::int64_t number = 0;
  std::string id{};    ///< of the last entry
  std::string hash{};  ///< of the last entry
};

/// Verifies the next part of a chain, and advances `to` to its end. Pass a default-constructed `to` with the first
/// part. A part is the chain's last if it has fewer entries than were requested.
std::vector<audit_finding> check_audit_part(audit_progress& to, const audit_chain_lookup& part, bool is_last);

/// The fields that an entry's hashes cover. They refer to the entry.
audit_fields fields_of(const save_audit& entry);

}  // namespace gateway
