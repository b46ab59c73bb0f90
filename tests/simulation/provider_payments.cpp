#include "provider_payments.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace gateway::simulation {

namespace {

constexpr std::chrono::days authorization_lasts{7};

provider_payments::executed_call done(const payment_there& there, std::string movement_ref) {
  provider_result yes{provider_status::approved, there.ref, {}, std::nullopt};
  yes.movement_ref = std::move(movement_ref);
  return {std::move(yes), true};
}

/// The provider does nothing, because the payment is in another state.
provider_payments::executed_call impossible(const payment_there& there, const char* code) {
  return {
      {provider_status::declined, there.ref, {}, provider_error{error_category::provider, code, "No.", false, false}},
      false};
}

}  // namespace

std::int64_t refunded_of(const provider_truth& truth) noexcept {
  std::int64_t sum = 0;
  for (const auto& each : truth.refunds)
    if (each.status != refund_status::failed) sum += each.amount;
  return sum;
}

std::int64_t room_of(const provider_truth& truth) noexcept {
  auto room = truth.captured - refunded_of(truth);
  for (const auto& each : truth.disputes)
    if (each.status == dispute_status::lost) room -= each.amount;
  return std::max<std::int64_t>(room, 0);
}

const provider_dispute* unclosed_in(const provider_truth& truth) noexcept {
  const auto found = std::ranges::find_if(truth.disputes, [](const auto& each) { return !is_closed(each.status); });
  return found == truth.disputes.end() ? nullptr : &*found;
}

bool is_disputed(const provider_truth& truth) noexcept {
  const auto* one = unclosed_in(truth);
  return one && is_open(one->status);
}

payment_there* provider_payments::find(const entity_key& which) {
  const auto at = payments_.find(testing::memory_store::id(which));
  return at == payments_.end() ? nullptr : &at->second;
}

const payment_there* provider_payments::find(const entity_key& which) const {
  const auto at = payments_.find(testing::memory_store::id(which));
  return at == payments_.end() ? nullptr : &at->second;
}

// ---- the charge ---------------------------------------------------------------------------------

void provider_payments::created(const provider_call& call, const provider_result& answer) {
  payment_there made;
  made.creation = call;
  made.ref = answer.provider_ref;
  made.truth.lists_refunds = true;
  made.truth.charge = charge_state::waiting;
  if (answer.status == provider_status::declined) made.truth.charge = charge_state::failed;
  payments_.try_emplace(testing::memory_store::id(call.subject.key), std::move(made));
  if (answer.status == provider_status::approved) paid(call.subject.key);
}

void provider_payments::paid(const entity_key& which) {
  auto* there = find(which);
  if (!there) return;
  const auto& subject = there->creation.subject;
  const bool separately = machine::captures_separately(subject);
  there->truth.charge = separately ? charge_state::authorized : charge_state::captured;
  there->truth.captured = separately ? 0 : subject.amount.minor;
  there->truth.charge_ref = "ch_" + there->ref;
  if (separately) there->truth.authorized_until = time_.now() + authorization_lasts;
}

void provider_payments::declined(const entity_key& which) {
  if (auto* there = find(which)) there->truth.charge = charge_state::failed;
}

void provider_payments::closed(const entity_key& which) {
  auto* there = find(which);
  if (!there) return;
  there->is_over = true;
  if (there->truth.charge == charge_state::waiting) there->truth.charge = charge_state::canceled;
}

// ---- calls --------------------------------------------------------------------------------------

provider_payments::executed_call provider_payments::execute(const provider_call& call, const manner& how) {
  auto* there = find(call.subject.key);
  if (!there) {
    all_.break_("the provider is called for " + call.subject.key.id + ", which it has never made");
    return {};
  }
  switch (call.what) {
    case operation::capture: return capture(call, how, *there);
    case operation::refund: return refund(call, how, *there);
    default: return void_authorization(how, *there);
  }
}

provider_payments::executed_call provider_payments::capture(const provider_call& call, const manner& how,
                                                            payment_there& there) {
  auto& truth = there.truth;
  if (truth.charge == charge_state::captured && how.says_done) {
    auto before = done(there, truth.charge_ref);
    before.answer.captured = truth.captured;
    before.has_acted = false;
    log_.occurs("a capture finds that the provider has captured");
    return before;
  }
  if (truth.charge != charge_state::authorized) return impossible(there, "capture_declined");
  truth.charge = charge_state::captured;
  truth.captured = call.amount;
  return done(there, truth.charge_ref);
}

provider_payments::executed_call provider_payments::refund(const provider_call& call, const manner& how,
                                                           payment_there& there) {
  auto& truth = there.truth;
  if (is_disputed(truth)) {
    log_.occurs("a refund finds that the provider has a dispute");
    return impossible(there, "charge_disputed");
  }
  if (truth.charge != charge_state::captured || call.amount > room_of(truth))
    return impossible(there, "refund_too_large");
  const auto ref = fresh_ref("re_call_");
  truth.refunds.push_back(
      {ref, call.amount, how.is_slow ? refund_status::pending : refund_status::succeeded, {}, time_.now()});
  auto made = done(there, ref);
  if (how.is_slow) made.answer.status = provider_status::pending;
  return made;
}

provider_payments::executed_call provider_payments::void_authorization(const manner& how, payment_there& there) {
  auto& truth = there.truth;
  const bool has_ended = truth.charge == charge_state::canceled || truth.charge == charge_state::expired;
  if (has_ended && how.says_done) {
    auto before = done(there, {});
    before.has_acted = false;
    return before;
  }
  if (truth.charge != charge_state::authorized) return impossible(there, "void_failed");
  truth.charge = charge_state::canceled;
  return done(there, {});
}

void provider_payments::list_rejected_refund(const provider_call& call) {
  if (auto* there = find(call.subject.key))
    there->truth.refunds.push_back(
        {fresh_ref("re_rejected_"), call.amount, refund_status::failed, "rejected", time_.now()});
}

provider_result provider_payments::compared(const provider_inquiry& inquiry) const {
  const auto* there = find(inquiry.subject.key);
  if (!there || there->ref != inquiry.subject.provider_ref) {
    all_.break_("the provider is asked for " + inquiry.subject.key.id + " by a reference that it never gave");
    return {};
  }
  provider_result said{provider_status::approved, there->ref, {}, std::nullopt};
  said.truth = std::make_shared<const provider_truth>(there->truth);
  return said;
}

}  // namespace gateway::simulation
