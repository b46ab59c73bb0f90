// A unit of work of an entity. One source fills and destroys its parts, because the variants in a unit_of_work are slow
// to compile.
#pragma once

#include <cstddef>

#include "gateway/messages/actors.hpp"

namespace gateway::actors {

class entity_unit {
 public:
  entity_unit(unit_kind kind, const entity_key& subject);
  entity_unit(entity_unit&& other) noexcept;
  entity_unit(const entity_unit&) = delete;
  entity_unit& operator=(const entity_unit&) = delete;
  entity_unit& operator=(entity_unit&&) = delete;
  ~entity_unit();

  unit_kind kind() const noexcept { return what_.kind; }

  void reserve_inserts(std::size_t more);
  void insert(const entity_row& row);
  void insert(command_record&& row);
  void insert(const timeline_entry& row);
  void insert(const delivery& row);
  /// `before` is the row before the change; the unit's own row is the row after it.
  void insert(const save_audit& row, const entity_row& before);
  void insert(const ledger_entry& row);
  void insert(dispute_entry&& row);
  void insert(sandbox_event&& row);
  void insert(const count_daily& row);
  void insert(counted_event&& row);
  void insert(past_grant&& row);
  void insert(directory_change&& row);
  void claim(const entity_row& row);
  void claim(command_finish&& row);
  void claim(replace_details&& row);
  /// The texts and deliveries of an entity whose personal data are erased.
  void claim(const erasure& texts);

  unit_of_work take() &&;

 private:
  void note_after(const entity_row& row);

  unit_of_work what_;
  bool has_note_ = false;
};

}  // namespace gateway::actors
