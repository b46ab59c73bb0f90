#include "master_keys.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <openssl/crypto.h>

#include "gateway/base/log.hpp"
#include "gateway/ports/sealed_texts.hpp"

namespace gateway::actors {

namespace {

constexpr std::string_view key_noun = "master key";

operator_problem refused(std::string words) { return {operator_problem::kind::conflict, std::move(words)}; }

operator_problem no_further_key(const master_key_source& source) {
  return refused("The rotation needs a new key: " + source.name() +
                 " prints none that this database has not used. Let it print a further line, then rotate again.");
}

}  // namespace

// ---- the rows -----------------------------------------------------------------------------------

save_master_key* master_keys::find(std::string_view id) {
  const auto at = std::ranges::find(rows_, id, &save_master_key::id);
  return at == rows_.end() ? nullptr : &*at;
}

bool master_keys::is_known(const named_master_key& key) const {
  return std::ranges::find(rows_, key.fingerprint, &save_master_key::fingerprint) != rows_.end();
}

bool master_keys::adopt(const directory_lookup& rows) {
  if (rows.master_keys.empty() || !source_) return true;
  auto before = std::exchange(rows_, rows.master_keys);
  if (!hold_all()) {
    rows_ = std::move(before);
    return false;
  }
  use();
  return true;
}

// ---- the keys -----------------------------------------------------------------------------------

master_keys::key_ptr master_keys::held(const save_master_key& row) const {
  const auto at = std::ranges::find(held_, row.fingerprint, &held_key::fingerprint);
  return at == held_.end() ? nullptr : at->key;
}

/// The ring has the keys that were read at start.
master_keys::key_ptr master_keys::in_ring(const save_master_key& row) const {
  for (const auto keys = ring_.all(); const auto& each : *keys)
    if (each.id == row.id && fingerprint(*each.key) == row.fingerprint) return each.key;
  return nullptr;
}

/// Unwraps the key with a key in memory, and saves it. Null if that is impossible.
master_keys::key_ptr master_keys::unwrapped(const save_master_key& row) const {
  auto bytes = row.wrapped.empty() ? std::nullopt : ring_.open(row.wrapped, bound_to_master_key(row.id));
  if (!bytes) return nullptr;
  auto key = std::make_shared<const crypto::master_key>(*bytes);
  const bool genuine = fingerprint(*key) == row.fingerprint;
  if (genuine && source_->is_file()) {
    try {
      source_->add(row.id, *bytes);
      log::info("master_key.received", {{"id", row.id}});
    } catch (const master_key_error& failed) {
      // The key is used anyway: the next start unwraps it again, as long as it has the wrapping key.
      log::error("master_key.not_saved", {{"id", row.id}, {"why", failed.what()}});
    }
  }
  OPENSSL_cleanse(bytes->data(), bytes->size());
  return genuine ? key : nullptr;
}

/// Loads every key that is not retired; false if one is not available.
bool master_keys::hold_all() {
  bool all = true;
  std::optional<std::vector<named_master_key>> read;  // once, and only if a key is missing
  for (const auto& row : rows_) {
    if (row.status == master_key_status::retired || held(row)) continue;
    auto key = in_ring(row);
    if (!key && !read) read = keys_of_source();
    if (!key)
      if (const auto at = std::ranges::find(*read, row.fingerprint, &named_master_key::fingerprint); at != read->end())
        key = at->key;
    if (!key) key = unwrapped(row);
    if (key) {
      held_.push_back({row.fingerprint, std::move(key)});
    } else {
      log::error("master_key.missing", {{"id", row.id}, {"source", source_->name()}});
      all = false;
    }
  }
  return all;
}

/// Empty if the source cannot be read.
std::vector<named_master_key> master_keys::keys_of_source() const {
  try {
    return source_->read();
  } catch (const master_key_error& failed) {
    log::error("master_key.unreadable", {{"why", failed.what()}});
    return {};
  }
}

/// Removes retired keys from the memory and from the file.
void master_keys::forget_retired() {
  std::vector<std::string> gone;
  for (const auto& row : rows_)
    if (row.status == master_key_status::retired) gone.push_back(row.fingerprint);
  std::erase_if(held_, [&](const held_key& each) { return std::ranges::find(gone, each.fingerprint) != gone.end(); });
  if (gone.empty() || !source_->is_file()) return;
  try {
    source_->remove(gone);
  } catch (const master_key_error& failed) {
    log::warn("master_key.not_removed", {{"why", failed.what()}});
  }
}

/// The current key first, then the others from the newest on.
void master_keys::use() {
  const auto before = ring_.all();
  // Only a key of an older gateway may seal texts without its name. The ring has that flag from the start.
  const auto is_named = [&](const std::string& id) {
    const auto at = std::ranges::find(*before, id, &crypto::keyring::entry::id);
    return at == before->end() || at->named;
  };
  crypto::keyring::list list;
  const auto add = [&](const save_master_key& row) {
    if (auto key = held(row)) list.push_back({row.id, std::move(key), is_named(row.id)});
  };
  for (const auto& row : rows_)
    if (row.status == master_key_status::current) add(row);
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
    if (row->status == master_key_status::old || row->status == master_key_status::offered) add(*row);
  if (!list.empty()) ring_.replace(std::move(list));
  forget_retired();
}

// ---- commands -----------------------------------------------------------------------------------

/// A key of the source that the database has never used is offered first: an operator or an interrupted rotation has
/// added it.
planned master_keys::prepare(const offer_master_key&) {
  if (!source_ || rows_.empty()) return refused("This gateway cannot rotate its master key.");
  const auto offered = std::ranges::find(rows_, master_key_status::offered, &save_master_key::status);
  if (offered != rows_.end()) return unchanged{named_result{offered->id, "offered"}};
  try {
    auto keys = source_->read();
    std::erase_if(keys, [this](const named_master_key& key) { return is_known(key); });
    if (!keys.empty()) return offering(keys.back());
    if (!source_->is_file()) return no_further_key(*source_);
    return offering(source_->add());
  } catch (const master_key_error& failed) {
    return refused(std::string{"No new key: "}.append(failed.what()).append("."));
  }
}

std::string master_keys::wrapped(const named_master_key& key, std::string_view id) const {
  auto bytes = key.key->bytes();
  auto sealed = ring_.seal(bytes, bound_to_master_key(id));
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return sealed;
}

plan master_keys::offering(const named_master_key& key) {
  save_master_key row;
  row.id = find(key.id) ? id_from_fingerprint(key.fingerprint) : key.id;
  row.fingerprint = key.fingerprint;
  row.position = rows_.back().position + 1;
  row.created_at = clock_.now();
  // A program gives the key to every node itself.
  if (among_others_ && source_->is_file()) row.wrapped = wrapped(key, row.id);
  plan p;
  p.unit.inserts.push_back(row);
  p.when_duplicate = "another rotation has begun";
  p.apply = [this, row, key]() -> operator_result {
    held_.push_back({key.fingerprint, key.key});
    rows_.push_back(row);
    use();
    return named_result{row.id, "offered"};
  };
  return p;
}

planned master_keys::prepare(const promote_master_key& wanted) {
  const auto* row = find(wanted.id);
  if (!row) return no_such(key_noun, wanted.id);
  if (row->status == master_key_status::current) return unchanged{named_result{wanted.id, "current"}};
  if (row->status != master_key_status::offered) return refused("The master key " + wanted.id + " is not new.");
  auto p = changing(wanted.id, promote_key{wanted.id}, "current", master_key_status::current);
  p.when_duplicate = "the master key changed meanwhile";
  return p;
}

planned master_keys::prepare(const withdraw_master_key& wanted) {
  const auto* row = find(wanted.id);
  if (!row) return unchanged{named_result{wanted.id, "withdrawn"}};
  if (row->status != master_key_status::offered) return refused("The master key " + wanted.id + " is in use.");
  plan p;
  p.unit.claims.push_back(withdraw_key{wanted.id});
  p.when_duplicate = "the master key changed meanwhile";
  p.apply = [this, id = wanted.id]() -> operator_result {
    std::erase_if(rows_, [&](const save_master_key& each) { return each.id == id; });
    use();
    return named_result{id, "withdrawn"};
  };
  return p;
}

planned master_keys::prepare(const retire_master_key& wanted) {
  const auto* row = find(wanted.id);
  if (!row) return no_such(key_noun, wanted.id);
  switch (row->status) {
    case master_key_status::retired: return unchanged{named_result{wanted.id, "retired"}};
    case master_key_status::current:
      return refused("The master key " + wanted.id + " is the current one: rotate first.");
    case master_key_status::offered: return refused("The rotation to the master key " + wanted.id + " has not ended.");
    case master_key_status::old: break;
  }
  auto p = changing(wanted.id, retire_key{wanted.id, row->position == 0}, "retired", master_key_status::retired);
  p.when_duplicate = "The master key " + wanted.id + " is still needed: `master-key status` shows what it seals.";
  return p;
}

plan master_keys::changing(std::string_view id, claimed_row claim, std::string answered, master_key_status to) {
  plan p;
  p.unit.claims.push_back(std::move(claim));
  p.apply = [this, id = std::string{id}, answered = std::move(answered), to]() -> operator_result {
    for (auto& row : rows_) {
      if (to == master_key_status::current && row.status == to) row.status = master_key_status::old;
      if (row.id == id) row.status = to;
      if (to == master_key_status::retired && row.id == id) row.wrapped.clear();
    }
    use();
    return named_result{id, answered};
  };
  return p;
}

}  // namespace gateway::actors
