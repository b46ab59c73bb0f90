#include "gateway/directory/directory.hpp"

#include <algorithm>
#include <utility>

#include "gateway/directory/key_uses.hpp"

namespace gateway {

static bool adopt(std::vector<platform_grants>& all, const grant_update& newer) {
  auto at = std::ranges::lower_bound(all, newer.who.platform, {}, &platform_grants::platform);
  if (at == all.end() || at->platform != newer.who.platform) at = all.insert(at, {newer.who.platform, {}});
  auto& mine = newer.env == environment::test ? at->grants.test : at->grants.live;
  if (mine.version >= newer.what.version) return false;
  mine = newer.what;
  return true;
}

static void note(key_uses& waiting, const last_use& of, key_use use) {
  // If there is no room, the next request tries again.
  if (of.set(use.day) && !waiting.add(std::move(use))) of.forget();
}

directory::directory() : uses_{std::make_unique<key_uses>()} {}
directory::~directory() = default;

std::shared_ptr<const merchant> directory::find_merchant(const merchant_id& id) const { return merchants_.find(id); }

std::shared_ptr<const api_key> directory::find_key(const key_id& id) const { return keys_.find(id); }

std::shared_ptr<const webhook_endpoint> directory::find_destination(const destination_id& id) const {
  return destinations_.find(id);
}

std::shared_ptr<const platform> directory::find_platform(const platform_id& id) const { return platforms_.find(id); }

std::shared_ptr<const platform> directory::find_platform_by_slug(const std::string& slug) const {
  return slugs_.find(slug);
}

std::shared_ptr<const platform_key> directory::find_platform_key(const key_id& id) const {
  return platform_keys_.find(id);
}

void directory::note_first_use(const api_key& key, std::int32_t day) const {
  note(*uses_, key.used, {key.id, key.merchant.value, false, day});
}

void directory::note_first_use(const platform_key& key, std::int32_t day) const {
  note(*uses_, key.used, {key.id, key.platform.value, true, day});
}

grant_pair directory::find_grants(const platform_and_merchant& who) const {
  return grants_.visit(who.merchant, [&](const std::vector<platform_grants>& all) {
    const auto at = std::ranges::lower_bound(all, who.platform, {}, &platform_grants::platform);
    return at != all.end() && at->platform == who.platform ? at->grants : grant_pair{};
  });
}

std::vector<platform_id> directory::find_listening_platforms(const merchant_id& id) const {
  return grants_.visit(id, [](const std::vector<platform_grants>& all) {
    std::vector<platform_id> found;
    for (const auto& each : all)
      if (each.grants.live.state == grant_state::active) found.push_back(each.platform);
    return found;
  });
}

std::shared_ptr<const destination> directory::find_platform_destination(const platform_id& id, environment env) const {
  return (env == environment::test ? test_destinations_ : live_destinations_).find(id);
}

std::shared_ptr<const provider_settings> directory::find_provider(provider_kind kind, environment env) const {
  return providers_[provider_at(kind, env)].load(std::memory_order_acquire);
}

void directory::publish(std::shared_ptr<const merchant> m) {
  const auto id = m->id;
  merchants_.put(id, std::move(m));
}

void directory::publish(std::shared_ptr<const api_key> k) {
  const auto id = k->id;
  keys_.put(id, std::move(k));
}

void directory::publish(std::shared_ptr<const webhook_endpoint> e) {
  const auto id = e->what.id;
  if (e->what.kind == destination_kind::platform) {
    auto& all = e->what.env == environment::test ? test_destinations_ : live_destinations_;
    const platform_id owner{e->what.owner};
    // A deleted destination may have a successor that was published before it.
    const auto other = e->what.status == destination_status::deleted ? all.find(owner) : nullptr;
    if (!other || other->id == id) all.put(owner, std::make_shared<const destination>(e->what));
  }
  destinations_.put(id, std::move(e));
}

void directory::publish(std::shared_ptr<const platform> p) {
  slugs_.put(p->slug, p);
  const auto id = p->id;
  platforms_.put(id, std::move(p));
}

void directory::publish(std::shared_ptr<const platform_key> k) {
  const auto id = k->id;
  platform_keys_.put(id, std::move(k));
}

void directory::publish(provider_kind kind, environment env, std::shared_ptr<const provider_settings> settings) {
  const bool there = settings != nullptr;
  providers_[provider_at(kind, env)].store(std::move(settings), std::memory_order_release);
  configured_[provider_at(kind, env)].store(there, std::memory_order_release);
}

void directory::publish(const grant_update& newer) {
  grants_.update(newer.who.merchant, [&](std::vector<platform_grants>& all) { return adopt(all, newer); });
}

void directory::publish(std::span<const grant_update> newer) {
  grants_.update_all(newer, [](const grant_update& one) -> const merchant_id& { return one.who.merchant; }, adopt);
}

}  // namespace gateway
