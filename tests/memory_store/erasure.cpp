// The erasure of personal data, over maps.
#include "gateway/domain/erasure.hpp"

#include <algorithm>
#include <map>

#include "memory_store.hpp"

namespace gateway::testing {

void memory_store::replace(const replace_details& what) {
  if (const auto row = payments.find(id(what.of->key)); row != payments.end()) row->second.details = what.of->details;
}

void memory_store::replace(const replace_text& what) {
  const auto entry_of = [&]() -> timeline_entry* {
    const auto rows = timelines.find(id(what.of));
    if (rows == timelines.end()) return nullptr;
    const auto entry = rows->second.find(what.seq);
    return entry == rows->second.end() ? nullptr : &entry->second;
  };
  switch (what.in) {
    case erased_column::event_data:
      if (auto* entry = entry_of(); entry && entry->kind == timeline_kind::event) entry->event_data = what.text;
      return;
    case erased_column::attempt_message:
      if (auto* entry = entry_of(); entry && entry->kind == timeline_kind::attempt) entry->message = what.text;
      return;
    case erased_column::answer:
      if (const auto row = commands.find(id(command_key{what.of.merchant, what.of.env, what.principal, what.command}));
          row != commands.end() && row->second.result) {
        row->second.result->body = what.text;
        row->second.reason.clear();
      }
      return;
    case erased_column::notification_body:
      if (const auto row = notifications.find(id(what.of)); row != notifications.end()) row->second.body = what.text;
      return;
    case erased_column::audit_texts:
      for (auto& [number, entry] : directory_.audit) {
        auto& a = entry.what;
        if (a.merchant != what.of.merchant || a.env != what.of.env || !a.subject.starts_with(what.of.id + ": "))
          continue;
        a.subject.clear();
        a.before.clear();
        a.after.clear();
        if (entry.link) entry.link->details_salt.clear();
      }
  }
}

personal_texts memory_store::run(const find_personal_texts& what) const {
  std::multimap<time_point, command_record> begun;
  for (const auto& [key, row] : commands)
    if (row.key.merchant == what.of.merchant && row.key.env == what.of.env &&
        row.subject_kind == to_string(what.of.kind) && row.subject_id == what.of.id)
      begun.emplace(row.created_at, row);
  std::map<std::pair<time_point, std::string>, notification_ptr> posted;
  for (const auto& [key, row] : notifications)
    if (row.key.env == what.of.env && (row.about == in_words_of(what.of) || names_reference(row.body, what.reference)))
      posted.emplace(std::pair{row.received_at, row.key.id}, std::make_shared<const notification>(row));
  personal_texts found;
  for (auto& [at, row] : begun) found.commands.push_back(std::move(row));
  for (auto& [at, row] : posted) found.notifications.push_back(std::move(row));
  return found;
}

}  // namespace gateway::testing
