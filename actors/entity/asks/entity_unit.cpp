#include "entity_unit.hpp"

#include <utility>
#include <variant>

#include "audit_state.hpp"

namespace gateway::actors {

entity_unit::entity_unit(unit_kind kind, const entity_key& subject) {
  what_.kind = kind;
  what_.subject = subject;
}
entity_unit::entity_unit(entity_unit&&) noexcept = default;
entity_unit::~entity_unit() = default;

void entity_unit::reserve_inserts(std::size_t more) { what_.inserts.reserve(what_.inserts.size() + more); }
void entity_unit::insert(const entity_row& row) {
  if (has_note_) note_after(row);
  std::visit([this](const auto& held) { what_.inserts.push_back(held); }, row);
}
void entity_unit::insert(command_record&& row) { what_.inserts.push_back(std::move(row)); }
void entity_unit::insert(const timeline_entry& row) { what_.inserts.push_back(row); }
void entity_unit::insert(const delivery& row) { what_.inserts.push_back(row); }
void entity_unit::insert(const save_audit& row, const entity_row& before) {
  auto note = row;
  note.before = audit_state_of(before);
  what_.inserts.emplace_back(std::move(note));
  has_note_ = true;
}
void entity_unit::insert(const ledger_entry& row) { what_.inserts.push_back(row); }
void entity_unit::insert(sandbox_event&& row) { what_.inserts.emplace_back(std::move(row)); }
void entity_unit::insert(dispute_entry&& row) { what_.inserts.emplace_back(std::move(row)); }
void entity_unit::insert(const count_daily& row) { what_.inserts.push_back(row); }
void entity_unit::insert(counted_event&& row) { what_.inserts.push_back(std::move(row)); }
void entity_unit::insert(past_grant&& row) { what_.inserts.push_back(std::move(row)); }
void entity_unit::insert(directory_change&& row) { what_.inserts.push_back(std::move(row)); }
void entity_unit::claim(const entity_row& row) {
  if (has_note_) note_after(row);
  std::visit([this](const auto& held) { what_.claims.push_back(held); }, row);
}
void entity_unit::claim(command_finish&& row) { what_.claims.push_back(std::move(row)); }

void entity_unit::claim(replace_details&& row) { what_.claims.emplace_back(std::move(row)); }
void entity_unit::claim(const erasure& texts) {
  what_.claims.reserve(what_.claims.size() + texts.texts.size() + texts.deliveries.size() + 1);
  for (const auto& each : texts.texts) what_.claims.emplace_back(each);
  for (const auto& each : texts.deliveries) what_.claims.emplace_back(each);
}

void entity_unit::note_after(const entity_row& row) {
  for (auto& each : what_.inserts)
    if (auto* note = std::get_if<save_audit>(&each)) note->after = audit_state_of(row);
}

unit_of_work entity_unit::take() && { return std::move(what_); }

}  // namespace gateway::actors
