// Platforms of a world, their keys, and what nodes publish of them.

#include <algorithm>
#include <span>
#include <utility>

#include "gateway/messages/customer_key.hpp"
#include "world.hpp"

namespace gateway::simulation {

using namespace std::chrono_literals;

void world::open_platforms() {
  if (has_platforms_)
    platforms_ = std::make_unique<platform_scene>(
        time_, random_, faults_, database_, grant_promises_, log_,
        [this](entity_request request, auto reported) { balance(std::move(request), std::move(reported)); });
  // The customers of a platform are shared by two of its programs.
  const unsigned programs = plan_.customers > 0 ? 2 : 1;
  for (const auto& platform : platform_scene::platforms())
    for (unsigned i = 0; i < programs; ++i) {
      customer_book book{platform, platform_scene::keys_of(platform), plan_.customers,
                         [this, platform](const std::string& ref) { return saved_methods(platform, ref); }};
      clients_.push_back(std::make_unique<client>(platform.value + std::string(i, 'b'), std::move(book), plan_, time_,
                                                  random_, faults_, promises_, log_,
                                                  [this, platform](entity_request request, auto reported) {
                                                    let_in(platform, std::move(request), std::move(reported));
                                                  }));
    }
  if (plan_.faults.keys_end > 0) end_keys();
}

std::vector<std::string> world::saved_methods(const platform_id& platform, const std::string& ref) const {
  const auto row =
      database_.customers.find(testing::memory_store::id(customer_key(shop().id, environment::test, platform, ref)));
  return row == database_.customers.end() ? std::vector<std::string>{} : row->second.methods;
}

void world::publish_providers(directory& to) const {
  if (plan_.cards == card_routes::sandbox) return;
  to.publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
}

void world::publish_platforms(directory& to) const {
  for (const auto& id : platform_scene::platforms()) {
    platform known;
    known.id = id;
    known.slug = id.value;
    const auto is_suspended = [&](const platform_key& key) { return key.platform == id && key.suspended; };
    if (std::ranges::any_of(platform_keys_, is_suspended)) known.status = platform_status::suspended;
    to.publish(std::make_shared<const platform>(std::move(known)));
  }
  for (const auto& key : platform_keys_) to.publish(std::make_shared<const platform_key>(key));
}

/// Publishes the grants and the platforms' keys.
std::int64_t world::publish_what_is_stored(unsigned which) {
  auto& mine = *shelves_[which].published;
  publish_platforms(mine);
  std::vector<grant_update> changes;
  for (const auto& [key, row] : database_.bindings) changes.push_back(update_of(row));
  mine.publish(std::span<const grant_update>{changes});
  return table_.log_number();
}

/// For worlds in which no grant changes.
void world::give_lasting_grants(directory& to) {
  for (const auto& id : platform_scene::platforms())
    to.publish(
        grant_update{{id, shop().id}, environment::test, {grant_state::active, *parse_scopes("payments:write"), 1}});
}

/// Operators revoke platforms' keys, and suspend and resume platforms. The answer comes when the change is published.
void world::end_keys() {
  time_.in(duration_ms{random_.between(500, 15'000)}, [this] {
    if (calm_ > 0) return;
    end_keys();
    if (!random_.chance(faults_.keys_end)) return;
    auto& key = random_.pick(platform_keys_);
    const auto platform = key.platform;
    if (random_.chance(0.3)) {
      log_.write("operator", "revokes ", key.id.value);
      key.revoked = true;
      return publish_keys(platform, [this, id = key.id] {
        log_.occurs("a key is revoked");
        grant_promises_.key_revoked(id);
      });
    }
    const bool ends = !key.suspended;
    log_.write("operator", ends ? "suspends " : "resumes ", platform.value);
    for (auto& each : platform_keys_)
      if (each.platform == platform) each.suspended = ends;
    // Requests may be admitted before the answer to a resume, and none after the answer to a suspension.
    if (!ends) grant_promises_.resumed(platform);
    publish_keys(platform, [this, platform, ends, turn = ++suspensions_[platform.value]] {
      if (ends && suspensions_[platform.value] == turn) grant_promises_.suspended(platform);
    });
  });
}

/// The operator is answered when all nodes have published the change, unless the node that was asked crashes before.
void world::publish_keys(const platform_id& of, std::function<void()> answered) {
  publish_platforms(merchants_);
  if (!has_other_nodes_) {
    if (shelves_.front().published) publish_platforms(*shelves_.front().published);
    return answered();
  }
  table_.log({directory_change::kind::platform, of.value});
  std::vector<node*> up;
  for (const auto& n : nodes_)
    if (n) up.push_back(n.get());
  if (!up.empty()) random_.pick(up)->await_published(std::move(answered));
}

grant_update world::update_of(const grant_binding& row) {
  return {{platform_id{row.key.id}, row.key.merchant},
          row.key.env,
          {state_of(row.newest), row.newest ? row.newest->scopes : scope_set{}, row.version}};
}

void world::see_grants_late(unsigned which) {
  for (const auto& id : platform_scene::platforms())
    for (const auto env : {environment::test, environment::live}) {
      const platform_and_merchant who{id, shop().id};
      if (const auto now = shelves_[which].published->find_grants(who).in(env); now.version > 0)
        shelves_[which].seen->publish(grant_update{who, env, now});
    }
  time_.in(3s, [this, which, of = std::weak_ptr<bool>{shelves_[which].loaded}] {
    if (!of.expired()) see_grants_late(which);
  });
}

/// Waits until each consent, exchange and revoke that was begun has ended, and the last late commit has happened.
void world::settle_platforms() {
  platforms_->calm_down();
  const auto landed = time_.now() + 2min;
  run_until([&] { return platforms_->done() && all_up() && time_.now() > landed; }, 1h,
            "a platform's request is never decided");
}

}  // namespace gateway::simulation
