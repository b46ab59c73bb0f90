#include "platforms.hpp"

#include <memory>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/ports/sealed_texts.hpp"

namespace gateway::actors {

namespace {

/// How often a new key id is drawn: ids are short, so a new one may be taken. More collisions in a row have another
/// cause.
constexpr unsigned most_draws_again = 3;

std::string platform_key_seal(const key_id& id) { return bound_to(sealed_column::platform_key, id.value); }

operator_problem no_platform(const platform_id& id) { return no_such("platform", id.value); }

operator_result revoked(const key_id& id) { return named_result{id.value, "revoked"}; }

}  // namespace

void platforms::adopt(const directory_lookup& rows) {
  for (const auto& row : rows.platforms) {
    keys_of_.erase(row.id);
    publish(row);
  }
  for (const auto& row : rows.platform_keys) {
    const auto& key = row.key;
    auto secret = keys_.open(key.sealed_secret, platform_key_seal(key.id));
    if (!secret) {
      log::error("key_secret_unreadable", {{"key_id", key.id.value}});
      continue;
    }
    keys_of_[key.platform].push_back(key.id);
    publish(platform_key{key.id, key.platform, key.scopes, std::move(*secret), row.revoked, false,
                         last_use{row.last_used_on}});
  }
}

bool platforms::is_suspended(const platform_id& id) const {
  const auto found = published_.find_platform(id);
  return found && found->status == platform_status::suspended;
}

// ---- the snapshot -------------------------------------------------------------------------------

void platforms::publish(platform what) const { published_.publish(std::make_shared<const platform>(std::move(what))); }

void platforms::publish(platform_key what) const {
  what.suspended = is_suspended(what.platform);
  published_.publish(std::make_shared<const platform_key>(std::move(what)));
}

/// The platform is published first, because its keys and destinations are published with its new status.
void platforms::publish_status(platform what) const {
  const auto id = what.id;
  publish(std::move(what));
  if (const auto mine = keys_of_.find(id); mine != keys_of_.end())
    for (const auto& key : mine->second) publish(*published_.find_platform_key(key));
  status_changed_(id);
}

// ---- platforms ----------------------------------------------------------------------------------

planned platforms::prepare(const create_platform& wanted) {
  if (const auto other = published_.find_platform_by_slug(wanted.slug))
    return operator_problem{operator_problem::kind::conflict,
                            "the slug " + wanted.slug + " is taken by " + other->id.value};
  platform made;
  made.id = platform_id{"plat_" + crypto::random_hex(10)};
  made.slug = wanted.slug;
  made.name = wanted.name;
  made.contact = wanted.contact;
  made.redirect_uris = wanted.redirect_uris;
  made.return_origins = wanted.return_origins;
  plan p;
  p.unit.inserts.push_back(insert_platform{made, clock_.now()});
  p.when_duplicate = "the slug " + wanted.slug + " is taken";
  p.apply = [this, made = std::move(made)]() -> operator_result {
    publish(made);
    return saved_platform{made.id, made.slug};
  };
  return p;
}

planned platforms::prepare(const change_platform& wanted) {
  const auto found = published_.find_platform(wanted.id);
  if (!found) return no_platform(wanted.id);
  auto next = *found;
  if (wanted.name) next.name = *wanted.name;
  if (wanted.contact) next.contact = *wanted.contact;
  if (wanted.redirect_uris) next.redirect_uris = *wanted.redirect_uris;
  if (wanted.return_origins) next.return_origins = *wanted.return_origins;
  if (next == *found) return unchanged{saved_platform{next.id, next.slug}};
  auto p = saving(next);
  p.apply = [this, next = std::move(next)]() -> operator_result {
    publish(next);
    return saved_platform{next.id, next.slug};
  };
  return p;
}

planned platforms::prepare(const set_platform_status& wanted) {
  const auto found = published_.find_platform(wanted.id);
  if (!found) return no_platform(wanted.id);
  const named_result result{wanted.id.value, std::string{to_string(wanted.status)}};
  // Stores the status even if it seems unchanged: a commit without an answer may have changed it since it was read.
  auto next = *found;
  next.status = wanted.status;
  auto p = saving(next);
  p.apply = [this, next = std::move(next), result]() -> operator_result {
    publish_status(next);
    return result;
  };
  return p;
}

plan platforms::saving(platform what) {
  plan p;
  p.unit.claims.push_back(update_platform{std::move(what)});
  p.when_duplicate = "the platform changed meanwhile";
  return p;
}

// ---- keys ---------------------------------------------------------------------------------------

planned platforms::prepare(const mint_platform_key& wanted) {
  if (!has(wanted.platform)) return no_platform(wanted.platform);
  return minting(wanted, most_draws_again);
}

plan platforms::minting(const mint_platform_key& wanted, unsigned draws_left) {
  const key_id id{std::string{platform_key_prefix} + crypto::random_hex(4)};
  platform_key key{id, wanted.platform, wanted.scopes, crypto::random_hex(32)};
  plan p;
  p.unit.inserts.push_back(save_platform_key{id, key.platform, key.scopes,
                                             keys_.seal(key.secret, platform_key_seal(id)), clock_.now(), wanted.name,
                                             wanted.created_by});
  p.when_duplicate = "such a key exists already";
  if (draws_left > 0) p.another = [this, wanted, draws_left] { return minting(wanted, draws_left - 1); };
  p.apply = [this, key = std::move(key)]() -> operator_result {
    keys_of_[key.platform].push_back(key.id);
    publish(key);
    return minted_key{key.id, key.secret, key.scopes};
  };
  return p;
}

planned platforms::prepare(const revoke_key& wanted) {
  const auto key = published_.find_platform_key(wanted.id);
  if (!key) return no_such("key", wanted.id.value);
  if (key->revoked) return unchanged{revoked(key->id)};
  return revoking(*key);
}

planned platforms::prepare(const revoke_own_key& wanted) {
  const auto key = published_.find_platform_key(wanted.id);
  if (!key || key->platform != wanted.platform) return no_such("platform key", wanted.id.value);
  auto p = revoking(*key);
  // A repeated request is answered from this record, which is as durable as the revocation.
  const auto now = clock_.now();
  command_record record;
  record.key = wanted.write;
  record.fingerprint = wanted.fingerprint;
  record.operation = "revoke_key";
  record.subject_kind = "platform_key";
  record.subject_id = key->id.value;
  record.created_at = now;
  record.result = answer{204, {}};
  record.finished_at = now;
  p.unit.inserts.push_back(std::move(record));
  p.when_duplicate = "the Idempotency-Key is in use for another request";
  return p;
}

/// Revoking a revoked key keeps the time of the first revocation.
plan platforms::revoking(const platform_key& key) {
  plan p;
  if (!key.revoked) p.unit.claims.push_back(revoke_platform_key{key.id, key.platform, clock_.now()});
  p.when_duplicate = "the key changed meanwhile";
  p.apply = [this, id = key.id]() -> operator_result {
    auto next = *published_.find_platform_key(id);
    next.revoked = true;
    publish(std::move(next));
    return revoked(id);
  };
  return p;
}

}  // namespace gateway::actors
