#include "credentials.hpp"

#include <memory>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/ports/sealed_texts.hpp"

namespace gateway::actors {

namespace {

std::string sealed_to(const key_id& id) { return bound_to(sealed_column::api_key, id.value); }

}  // namespace

void credentials::adopt(const directory_lookup& rows) {
  for (const auto& row : rows.keys) {
    const auto& key = row.key;
    if (auto secret = keys_.open(key.sealed_secret, sealed_to(key.id)))
      publish({key.id, key.merchant, key.env, key.scopes, std::move(*secret), row.revoked, last_use{row.last_used_on}});
    else
      log::error("key_secret_unreadable", {{"key_id", key.id.value}});
  }
}

void credentials::publish(api_key key) { published_.publish(std::make_shared<const api_key>(std::move(key))); }

planned credentials::prepare(const mint_key& wanted) {
  if (!owners_.has(wanted.merchant)) return no_such("merchant", wanted.merchant.value);
  const key_id id{(wanted.env == environment::test ? "mk_test_" : "mk_live_") + crypto::random_hex(8)};
  api_key key{id, wanted.merchant, wanted.env, wanted.scopes, crypto::random_hex(32), false};
  plan p;
  p.unit.inserts.push_back(save_api_key{id, wanted.merchant, wanted.env, wanted.scopes,
                                        keys_.seal(key.secret, sealed_to(id)), clock_.now(), wanted.name,
                                        wanted.created_by});
  p.when_duplicate = "such a key exists already";
  p.apply = [this, key = std::move(key)]() -> operator_result {
    publish(key);
    return minted_key{key.id, key.secret, key.scopes};
  };
  return p;
}

planned credentials::prepare(const revoke_key& wanted) {
  const auto key = published_.find_key(wanted.id);
  if (!key) return no_such("key", wanted.id.value);
  plan p;
  p.unit.claims.push_back(revoke_api_key{key->id, key->merchant, clock_.now()});
  p.when_duplicate = "the key changed meanwhile";
  p.apply = [this, key]() -> operator_result {
    auto revoked = *key;
    revoked.revoked = true;
    publish(std::move(revoked));
    return named_result{key->id.value, "revoked"};
  };
  return p;
}

planned credentials::prepare(const redeem_setup_token& wanted) {
  if (!owners_.has(wanted.merchant)) return no_such("merchant", wanted.merchant.value);
  plan p;
  p.unit.inserts.push_back(spend_token{wanted.merchant, wanted.token_id, clock_.now()});
  p.when_duplicate = "the setup token has been used";
  p.apply = [id = wanted.token_id]() -> operator_result { return spent_setup_token{id}; };
  return p;
}

}  // namespace gateway::actors
