// The master keys, and what is sealed under them.
#include <algorithm>
#include <functional>
#include <map>

#include "memory_store.hpp"
#include "stored_names.hpp"

namespace gateway::testing {

static std::string key_named_by(const std::string& sealed) {
  const auto end = sealed.find('.');
  return end == sealed.npos ? std::string{} : sealed.substr(0, end);
}

save_master_key* memory_store::directory_rows::master_key(const std::string& id, master_key_status status) {
  for (auto& [position, key] : master_keys)
    if (key.id == id && key.status == status) return &key;
  return nullptr;
}

bool memory_store::directory_rows::apply(const promote_key& k) {
  auto* key = master_key(k.id, master_key_status::offered);
  if (!key) return false;
  for (auto& [position, other] : master_keys)
    if (other.status == master_key_status::current) other.status = master_key_status::old;
  key->status = master_key_status::current;
  return true;
}

bool memory_store::directory_rows::apply(const withdraw_key& k) {
  const auto* key = master_key(k.id, master_key_status::offered);
  if (!key) return false;
  const auto position = key->position;  // copied, because the erasure invalidates `key`
  master_keys.erase(position);
  return true;
}

bool memory_store::directory_rows::apply(const retire_key& k) {
  auto* key = master_key(k.id, master_key_status::old);
  if (!key) return false;
  const auto is_of_it = [&](const std::string& sealed) {
    const auto id = key_named_by(sealed);
    return id.empty() ? k.seals_unnamed : id == k.id;
  };
  for (const auto in : all_sealed_columns)
    if (std::ranges::any_of(sealed_in(in), is_of_it, &sealed_text::text)) return false;
  key->status = master_key_status::retired;
  key->wrapped.clear();
  for (auto& [position, other] : master_keys)
    if (!other.wrapped.empty() && is_of_it(other.wrapped)) other.wrapped.clear();
  return true;
}

bool memory_store::directory_rows::apply(const reseal& r) {
  const auto replace = [&](std::string* sealed) {
    if (!sealed || *sealed != r.was.text) return false;
    *sealed = r.text;
    return true;
  };
  const auto destination = [&]() -> save_destination* {
    const auto row = destinations.find({r.was.of, r.was.id});
    return row == destinations.end() ? nullptr : &row->second;
  };
  switch (r.was.in) {
    case sealed_column::api_key: {
      const auto row = keys.find(r.was.id);
      return replace(row == keys.end() ? nullptr : &row->second.key.sealed_secret);
    }
    case sealed_column::platform_key: {
      const auto row = platform_keys.find(r.was.id);
      return replace(row == platform_keys.end() ? nullptr : &row->second.key.sealed_secret);
    }
    case sealed_column::destination: {
      auto* row = destination();
      return replace(row ? &row->sealed_secret : nullptr);
    }
    case sealed_column::previous_secret: {
      auto* row = destination();
      return replace(row ? &row->sealed_previous : nullptr);
    }
    case sealed_column::provider: {
      const auto row = providers.find({r.was.id, r.was.of});
      return replace(row == providers.end() ? nullptr : &row->second.sealed_settings);
    }
    case sealed_column::second_factor: {
      auto* row = person(user_id{r.was.id});
      return replace(row ? &row->sealed_totp : nullptr);
    }
    case sealed_column::operator_factor: {
      const auto row = operators.find(r.was.id);
      return replace(row == operators.end() ? nullptr : &row->second.sealed_totp);
    }
    case sealed_column::mail: {
      const auto row = mails.find(r.was.id);
      return replace(row == mails.end() ? nullptr : &row->second.sealed);
    }
  }
  return false;
}

std::vector<sealed_text> memory_store::directory_rows::sealed_in(sealed_column in) const {
  std::vector<sealed_text> all;
  const auto add = [&](std::string id, std::string of, const std::string& sealed) {
    if (!sealed.empty()) all.push_back({in, std::move(id), std::move(of), sealed});
  };
  switch (in) {
    case sealed_column::api_key:
      for (const auto& [id, row] : keys) add(id, row.key.merchant.value, row.key.sealed_secret);
      break;
    case sealed_column::platform_key:
      for (const auto& [id, row] : platform_keys) add(id, row.key.platform.value, row.key.sealed_secret);
      break;
    case sealed_column::destination:
      for (const auto& [key, row] : destinations) add(key.second, key.first, row.sealed_secret);
      break;
    case sealed_column::previous_secret:
      for (const auto& [key, row] : destinations) add(key.second, key.first, row.sealed_previous);
      break;
    case sealed_column::provider:
      for (const auto& [key, row] : providers) add(key.first, key.second, row.sealed_settings);
      break;
    case sealed_column::second_factor:
      for (const auto& [key, row] : users) add(row.id.value, {}, row.sealed_totp);
      break;
    case sealed_column::operator_factor:
      for (const auto& [key, row] : operators) add(key, {}, row.sealed_totp);
      break;
    case sealed_column::mail:
      for (const auto& [id, row] : mails) add(id, {}, row.sealed);
      break;
  }
  std::ranges::stable_sort(all, {}, &sealed_text::id);
  return all;
}

master_keys_lookup memory_store::run(const find_master_keys& what) const {
  master_keys_lookup found;
  for (const auto& [position, key] : directory_.master_keys) found.keys.push_back(key);
  if (!what.count) return found;
  std::map<std::string, std::uint64_t> counts;
  for (const auto in : all_sealed_columns)
    for (const auto& each : directory_.sealed_in(in)) ++counts[key_named_by(each.text)];
  for (const auto& [id, texts] : counts) found.sealed.push_back({id, texts});
  return found;
}

sealed_lookup memory_store::run(const find_sealed& what) const {
  sealed_lookup found;
  for (auto& each : directory_.sealed_in(what.in))
    if (each.id > what.after && key_named_by(each.text) != what.current && found.texts.size() < what.limit)
      found.texts.push_back(std::move(each));
  return found;
}

}  // namespace gateway::testing
