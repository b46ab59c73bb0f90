#include "ages.hpp"

#include "gateway/domain/clock_guard.hpp"
#include "gateway/domain/payment_machine.hpp"

namespace gateway::simulation {

namespace {

/// From the time stamped on a row to its commit: includes queues, and slow and late commits.
constexpr duration_ms commit_takes = std::chrono::minutes{1};
/// How much too early a trusted clock may purge or expire something.
constexpr duration_ms allowance = clock_guard::tolerance + commit_takes;

bool near(time_point stamped, time_point real) {
  return stamped <= real + clock_guard::tolerance && stamped >= real - allowance;
}

}  // namespace

void age_promises::committed(const std::optional<payment>& before, const testing::unit_parts& unit) {
  const auto now = time_.now();
  if (const auto& fresh = unit.insert_command) {
    const auto key = testing::memory_store::id(fresh->key);
    begun_.erase(key);
    if (near(fresh->created_at, now)) begun_.emplace(key, now);
  }
  // At a provider other than the gateway itself the time to pay counts from the payment's begin.
  if (const auto& fresh = unit.insert_payment;
      fresh && !traits_of(fresh->provider).sandbox && near(fresh->created_at, now))
    opened_.insert_or_assign(testing::memory_store::id(fresh->key), now);
  if (!unit.update_payment || !before) return;
  const auto& after = *unit.update_payment;
  const auto id = testing::memory_store::id(after.key);
  if (traits_of(after.provider).sandbox && !awaits_customer(*before) && awaits_customer(after) && after.due_at &&
      near(*after.due_at - config_.hosted_expiry, now))
    opened_.insert_or_assign(id, now);
  const bool expired = awaits_customer(*before) && after.error && after.error->code == "checkout_expired";
  if (expired && is_early(id)) all_.break_("the checkout of " + after.key.id + " expires before its time");
}

bool age_promises::is_early(const testing::memory_store::entity_row_key& checkout) const {
  const auto opened = opened_.find(checkout);
  return opened != opened_.end() && time_.now() < opened->second + config_.hosted_expiry - allowance;
}

void age_promises::closing(const payment& subject) {
  if (is_early(testing::memory_store::id(subject.key)))
    all_.break_("the provider is asked to close the checkout of " + subject.key.id + " before its time");
}

void age_promises::purged(const purge_commands& what) {
  // Checked even if there is nothing to delete yet, because few worlds have keys of exactly that age.
  if (what.before > time_.now() - config_.idempotency_kept + allowance)
    all_.break_("a node purges keys that are younger than they are kept");
  for (const auto& id : rows_.found_by(what)) {
    const auto& row = rows_.commands.at(id);
    const auto& key = row.key;
    if (!row.result) return all_.break_("key " + key.key + " is purged while its request is under way");
    if (const auto begun = begun_.find(id);
        begun != begun_.end() && time_.now() < begun->second + config_.idempotency_kept - allowance)
      all_.break_("key " + key.key + " is purged before its time");
    all_.key_expires(key);
  }
}

}  // namespace gateway::simulation
