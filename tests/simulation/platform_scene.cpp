#include "platform_scene.hpp"

#include <algorithm>
#include <utility>

namespace gateway::simulation {

const std::vector<platform_id>& platform_scene::platforms() {
  static const std::vector<platform_id> all{platform_id{"plat_1"}, platform_id{"plat_2"}};
  return all;
}

std::vector<key_id> platform_scene::keys_of(const platform_id& who) {
  return {key_id{"mk_platform_" + who.value + "_1"}, key_id{"mk_platform_" + who.value + "_2"}};
}

platform_scene::platform_scene(virtual_time& time, random_source& random, const fault_rates& faults,
                               const testing::memory_store& rows, grant_promises& held, journal& log,
                               retried_calls::send_function send)
    : time_{time},
      random_{random},
      faults_{faults},
      rows_{rows},
      promises_{held},
      retried_calls_{"platforms", time, random, faults, log, std::move(send)},
      acts_left_{static_cast<unsigned>(random_.between(6, 24))} {
  time_.in(duration_ms{random_.between(0, 1'000)}, [this] { act(); });
}

entity_key platform_scene::any_binding() {
  const auto env = random_.chance(0.7) ? environment::test : environment::live;
  return binding_key(merchant_id{"merch_1"}, env, platforms()[random_.below(platforms().size())]);
}

void platform_scene::act() {
  if (retried_calls_.calm() || acts_left_ == 0) return;
  --acts_left_;
  const auto which = random_.below(100);
  if (which < 40 || codes_.empty())
    consent();
  else if (which < 70)
    exchange();
  else
    revoke(which < 80);
  time_.in(duration_ms{random_.between(0, std::min<std::int64_t>(faults_.pause.count(), 5'000))}, [this] { act(); });
}

void platform_scene::consent() {
  constexpr scope some[] = {scope::payments_write, scope::payments_read, scope::customers_read};
  scope_set scopes;
  scopes.add(some[random_.below(3)]);
  if (random_.chance(0.7)) scopes.add(scope::payments_write);
  const auto binding = any_binding();
  const bool shown = random_.chance(0.8);
  // Each consent has a code of its own.
  auto last = std::make_shared<known_code>();
  retried_calls_.begin(
      "consents to " + binding.id,
      [this, binding, scopes, shown, last] {
        const auto number = std::to_string(++drawn_);
        *last = {binding, "hash-" + number, "https://" + binding.id + ".example/callback"};
        return entity_request{binding, std::nullopt,
                              give_consent{grant_id{"grant_" + number}, scopes, user_id{"user_1"}, shown, last->hash,
                                           last->redirect_uri}};
      },
      [this, last](const entity_reply& reply) {
        if (std::holds_alternative<entity_row>(reply.what)) codes_.push_back(*last);
      });
}

void platform_scene::exchange() {
  const auto code = random_.pick(codes_);
  const auto key = "exchange#" + std::to_string(++drawn_);
  const bool elsewhere = random_.chance(0.1);
  const entity_request request{
      code.binding, idempotency{{merchant_id{}, environment::live, code.binding.id, key}, code.hash},
      exchange_code{platform_id{code.binding.id}, code.hash, elsewhere ? "https://other.example/" : code.redirect_uri}};
  const auto reported = [this, code, key](const entity_reply& reply) {
    if (std::holds_alternative<finished>(reply.what)) promises_.exchanged(code.hash, key);
  };
  retried_calls_.begin("exchanges " + code.hash, [request] { return request; }, reported);
  if (!random_.chance(0.3)) return;
  // The platform's other worker has the same code.
  auto other = request;
  const auto other_key = key + "b";
  other.write->key.key = other_key;
  retried_calls_.begin(
      "exchanges again " + code.hash, [other] { return other; },
      [this, code, other_key](const entity_reply& reply) {
        if (std::holds_alternative<finished>(reply.what)) promises_.exchanged(code.hash, other_key);
      });
}

void platform_scene::revoke(bool by_operator) {
  std::vector<std::pair<entity_key, grant_id>> known;
  for (const auto& [key, row] : rows_.bindings)
    if (row.newest) known.emplace_back(row.key, row.newest->id);
  for (const auto& [id, past] : rows_.past_grants) known.emplace_back(past.binding, past.what.id);
  if (known.empty()) return;
  const auto [binding, id] = random_.pick(known);
  std::optional<idempotency> write;
  if (!by_operator)
    write = idempotency{{merchant_id{}, environment::live, binding.id, "revoke#" + std::to_string(++drawn_)}, id.value};
  retried_calls_.begin(
      "revokes " + id.value,
      [this, binding, id, write] {
        // As the route does: the store shows whether the grant is past.
        const auto found = rows_.run(find_grant{id});
        return entity_request{binding, write, revoke_request{{id, "why"}, found.past}};
      },
      [this, binding, id](const entity_reply& reply) {
        if (!std::holds_alternative<problem>(reply.what)) promises_.revoked(binding, id);
      });
}

}  // namespace gateway::simulation
