#include "gateway/ports/store/audit_check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gateway {

namespace {

std::string entries_named(std::int64_t first, std::int64_t last) {
  if (first == last) return "entry " + std::to_string(first);
  return "entries " + std::to_string(first) + " to " + std::to_string(last);
}

class part_check {
 public:
  part_check(audit_progress& to, const audit_chain_lookup& part) : to_(to), part_(part), chain_(*part.chain) {}

  std::vector<audit_finding> run(bool is_last) {
    start_behind_purged();
    for (const auto& entry : part_.entries) check(entry);
    if (is_last) pass_purged(std::numeric_limits<std::int64_t>::max());
    check_head(is_last);
    return std::move(found_);
  }

 private:
  void report(audit_fault fault, std::int64_t number, std::string id, std::string words) {
    found_.push_back({fault, chain_, number, std::move(id), std::move(words)});
  }

  void start_behind_purged() {
    if (to_.number == 0 && part_.head) {
      to_.number = part_.head->purged_to;
      to_.hash = part_.head->purged_hash;
    }
    before_part_ = to_;
  }

  /// The purge may have deleted entries before this number after the previous part was read, or while this one was
  /// read.
  void pass_purged(std::int64_t before) {
    if (!part_.later || part_.later->purged_to <= to_.number || part_.later->purged_to >= before) return;
    to_ = {part_.later->purged_to, {}, part_.later->purged_hash};
  }

  void check(const audit_entry& entry) {
    const auto& link = *entry.link;
    const auto& id = entry.what.id;
    if (link.number > to_.number + 1) pass_purged(link.number);
    const bool is_behind_gap = link.number > to_.number + 1;
    if (is_behind_gap)
      report(audit_fault::missing, to_.number + 1, {},
             entries_named(to_.number + 1, link.number - 1) + " of the chain cannot be found");
    if (link.number <= to_.number) {
      report(audit_fault::reordered, link.number, id, "several entries have this number");
    } else if (!is_behind_gap && link.previous_hash != to_.hash) {
      const bool is_moved = std::ranges::any_of(
          part_.entries, [&](const audit_entry& other) { return other.link->hash == link.previous_hash; });
      report(is_moved || link.previous_hash.empty() ? audit_fault::reordered : audit_fault::changed, link.number, id,
             "the entry does not follow the one before it");
    } else if (entry.has_foreign_values || !matches(link, fields_of(entry.what))) {
      report(audit_fault::changed, link.number, id, "the entry is not as it was written");
    }
    to_ = {link.number, id, link.hash};
  }

  /// Entries that were committed meanwhile may come after the head that was read first, but none comes after the head
  /// that was read last.
  void check_head(bool is_last) {
    if (!part_.head) {
      if (is_last) report(audit_fault::missing, to_.number, {}, "the record of the chain's end cannot be found");
      return;
    }
    const auto& head = *part_.head;
    if (to_.number > (part_.later ? part_.later->number : 0)) {
      if (is_last)
        report(audit_fault::changed, to_.number, to_.id, "the record of the chain's end names an earlier entry");
    } else if (is_last && to_.number < head.number) {
      report(audit_fault::missing, to_.number + 1, {},
             entries_named(to_.number + 1, head.number) + " at the end of the chain cannot be found");
    } else if (const auto* hash = hash_at(head.number); hash && *hash != head.hash) {
      report(audit_fault::changed, head.number, {},
             "the entry is not the one that the record of the chain's end names");
    }
  }

  /// Null if the part does not end with that entry or have it.
  const std::string* hash_at(std::int64_t number) const {
    if (number == before_part_.number) return &before_part_.hash;
    const auto at = std::ranges::find(part_.entries, number, [](const audit_entry& one) { return one.link->number; });
    if (at != part_.entries.end()) return &at->link->hash;
    return number == to_.number ? &to_.hash : nullptr;
  }

  audit_progress& to_;
  const audit_chain_lookup& part_;
  std::int64_t chain_;
  audit_progress before_part_;
  std::vector<audit_finding> found_;
};

}  // namespace

std::vector<audit_finding> check_audit_part(audit_progress& to, const audit_chain_lookup& part, bool is_last) {
  if (!part.chain) return {};
  return part_check{to, part}.run(is_last);
}

audit_fields fields_of(const save_audit& entry) {
  return {entry.id,
          entry.user.value,
          to_unix_ms(entry.at),
          entry.address,
          entry.action,
          entry.merchant.value,
          entry.env ? to_string(*entry.env) : std::string_view{},
          entry.subject,
          entry.before,
          entry.after};
}

}  // namespace gateway
