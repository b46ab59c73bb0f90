#include "subscription_scene.hpp"

#include <algorithm>
#include <utility>

namespace gateway::simulation {

namespace {

constexpr std::int64_t subscriptions = 3;

}  // namespace

subscription_scene::subscription_scene(virtual_time& time, random_source& random, const fault_rates& faults,
                                       const testing::memory_store& rows, subscription_promises& held, journal& log,
                                       retried_calls::send_function send)
    : time_{time},
      random_{random},
      rows_{rows},
      promises_{held},
      retried_calls_{"subscribers", time, random, faults, log, std::move(send)},
      pause_{std::min<std::int64_t>(faults.pause.count(), 3'000)},
      acts_left_{static_cast<unsigned>(random_.between(10, 40))} {
  time_.in(duration_ms{random_.between(0, 1'000)}, [this] { act(); });
}

entity_key subscription_scene::any_subscription() {
  return subscription_key(merchant_id{"merch_1"}, environment::test,
                          "box-" + std::to_string(random_.between(1, subscriptions)));
}

std::optional<entity_key> subscription_scene::any_enrollment() {
  std::vector<entity_key> all;
  for (const auto& [key, row] : rows_.subscriptions)
    if (!row.checkout_session_id.empty())
      all.push_back(enrollment_key(row.key.merchant, row.key.env, row.checkout_session_id.substr(3)));
  if (all.empty()) return std::nullopt;
  return random_.pick(all);
}

void subscription_scene::act() {
  if (retried_calls_.calm() || acts_left_ == 0) return;
  --acts_left_;
  const auto which = random_.below(100);
  if (which < 20 || rows_.subscriptions.empty())
    open();
  else if (which < 45)
    pay();
  else if (which < 75)
    move();
  else if (which < 90)
    tell_again();
  else if (which < 95)
    cancel();
  else
    view();
  time_.in(duration_ms{random_.between(0, pause_.count())}, [this] { act(); });
}

/// Each request has a key of its own, so that a second one finds the existing subscription.
void subscription_scene::open() {
  open_subscription_checkout wanted;
  wanted.platform = platform_id{"plat_1"};
  wanted.amount = {100 * random_.between(1, 9), *currency::parse("EUR")};
  constexpr billing_interval intervals[] = {billing_interval::day, billing_interval::week, billing_interval::month};
  wanted.every = {random_.pick(intervals), static_cast<std::uint32_t>(random_.between(1, 2))};
  wanted.details.trial_period_days = random_.chance(0.2) ? static_cast<std::uint32_t>(random_.between(1, 40)) : 0;
  wanted.details.success_url = wanted.details.cancel_url = "https://shop.test/";
  const auto key = any_subscription();
  wanted.details.customer_ref = "reader of " + key.id;
  write("opens " + key.id, {key, std::nullopt, subscription_command{std::move(wanted)}});
}

void subscription_scene::cancel() {
  const auto key = any_subscription();
  write("cancels " + key.id, {key, std::nullopt, subscription_command{cancel_subscription{}}});
}

void subscription_scene::write(std::string name, entity_request request) {
  const auto key = "subscription#" + std::to_string(++drawn_);
  request.write = idempotency{{request.key.merchant, request.key.env, "plat_1", key}, name + key};
  retried_calls_.begin(
      std::move(name), [request] { return request; },
      [this, request](const entity_reply& reply) {
        if (std::holds_alternative<finished>(reply.what)) answered_.push_back(request);
      });
}

/// The customer pays, perhaps a second time. An expired checkout is closed at the provider.
void subscription_scene::pay() {
  const auto at = any_enrollment();
  if (!at) return;
  retried_calls_.begin("pays " + at->id,
                       [at] { return entity_request{*at, std::nullopt, enrollment_command{pay_enrollment{}}}; });
}

void subscription_scene::move() {
  const auto at = any_enrollment();
  if (!at) return;
  constexpr sandbox_move usual[] = {sandbox_move::cycle_paid, sandbox_move::cycle_paid, sandbox_move::cycle_paid,
                                    sandbox_move::cycle_failed, sandbox_move::update};
  constexpr sandbox_move last[] = {sandbox_move::cycle_exhausted, sandbox_move::expire, sandbox_move::remove};
  move_enrollment wanted;
  wanted.to = random_.chance(0.85) ? random_.pick(usual) : random_.pick(last);
  if (random_.chance(0.4)) wanted.how.repeat = static_cast<std::size_t>(random_.between(2, 4));
  wanted.how.reorder = random_.chance(0.4);
  retried_calls_.begin("moves " + at->id + ": " + std::string{to_string(wanted.to)},
                       [at, wanted] { return entity_request{*at, std::nullopt, enrollment_command{wanted}}; });
}

void subscription_scene::view() {
  const auto key = any_subscription();
  retried_calls_.begin("looks at " + key.id, [key] { return entity_request{key, std::nullopt, view_entity{}}; });
}

/// Posts any notification of the provider's history, at once or much later.
void subscription_scene::tell_again() {
  const auto key = any_subscription();
  const auto said = promises_.said_of(key);
  if (said.empty()) return;
  const auto n = random_.pick(said);
  const auto late = random_.chance(0.5) ? random_.between(0, 60'000) : 0;
  time_.in(duration_ms{late}, [this, key, n] {
    if (retried_calls_.calm()) return;
    retried_calls_.begin("hears again " + n.event_id,
                         [key, n] { return entity_request{key, std::nullopt, subscription_command{n}}; });
  });
}

void subscription_scene::ask_all_again() {
  for (const auto& request : std::exchange(answered_, {}))
    retried_calls_.begin("asks again for " + request.key.id, [request] { return request; });
}

}  // namespace gateway::simulation
