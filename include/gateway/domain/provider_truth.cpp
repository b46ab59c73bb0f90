#include "gateway/domain/provider_truth.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

namespace {

using machine::append;
using machine::append_event;

/// The start of a change that the provider made.
transition change_of(const payment& p, time_point now) {
  transition t{p, {}, {}, {}, entry_origin::provider};
  machine::close(t.next, now);
  return t;
}

transition done(transition t) {
  t.result.after = t.next;
  return t;
}

// ---- the charge ---------------------------------------------------------------------------------

/// Stores the customer's data, as conclude() does for a payment that is approved at once. An authorization has stored
/// them already.
void keep_customer(payment& p, const provider_truth& truth) {
  if (!p.customer) return;
  if (p.customer->provider_id.empty()) p.customer->provider_id = truth.customer_id;
  if (p.customer->saves_method && !truth.saved_method.empty()) p.customer->saved_method = truth.saved_method;
}

/// The reference of a payment whose creation an operator has settled.
transition referenced(const payment& p, const provider_truth& truth, time_point now) {
  auto t = change_of(p, now);
  t.next.provider_ref = truth.provider_ref;
  return done(std::move(t));
}

transition captured_there(const payment& p, const provider_truth& truth, time_point now) {
  auto t = change_of(p, now);
  const bool is_late = p.state == payment_state::failed;
  append(t, timeline_kind::attempt, is_late ? "charge" : "capture", "approved", std::nullopt, now);
  machine::mark_captured(t.next, now);
  t.next.hosted_url.clear();
  t.next.captured = truth.captured > 0 ? std::min(truth.captured, p.amount.minor) : p.amount.minor;
  t.next.records.paid_late = is_late;
  if (is_late) keep_customer(t.next, truth);
  t.next.records.void_reason.clear();
  t.movement_ref = truth.charge_ref;
  append_event(t, event_type::payment_captured, now);
  return done(std::move(t));
}

/// An operator has settled the authorization as declined, or its void as made; or it arrived after it was given up.
transition authorized_there(const payment& p, const provider_truth& truth, time_point now) {
  auto t = change_of(p, now);
  append(t, timeline_kind::attempt, "authorize", "approved", std::nullopt, now);
  t.next.state = payment_state::authorized;
  t.next.status = provider_status::approved;
  t.next.error.reset();
  t.next.records.void_reason.clear();
  if (p.state == payment_state::failed) keep_customer(t.next, truth);
  return done(std::move(t));
}

transition voided_there(const payment& p, charge_state as, time_point now) {
  auto t = change_of(p, now);
  const bool is_expired = as == charge_state::expired;
  append(t, timeline_kind::attempt, "void", is_expired ? "expired" : "cancelled", std::nullopt, now);
  t.next.state = payment_state::voided;
  t.next.records.void_reason = is_expired ? authorization_expired : cancelled_at_provider;
  append_event(t, event_type::payment_voided, now);
  return done(std::move(t));
}

std::optional<transition> charge_difference(const payment& p, const provider_truth& truth, time_point now) {
  using enum payment_state;
  switch (truth.charge) {
    case charge_state::captured:
      if (p.state == authorized || p.state == failed || p.state == voided) return captured_there(p, truth, now);
      break;
    case charge_state::authorized:
      if (p.state == voided || (p.state == failed && !is_cancelled(p) && machine::captures_separately(p)))
        return authorized_there(p, truth, now);
      break;
    case charge_state::canceled:
    case charge_state::expired:
    case charge_state::failed:
      if (p.state == authorized) return voided_there(p, truth.charge, now);
      break;
    case charge_state::unknown:
    case charge_state::waiting: break;
  }
  return std::nullopt;
}

// ---- refunds ------------------------------------------------------------------------------------

bool counts(refund_status s) noexcept { return s != refund_status::failed; }

/// Refunds from before refunds were stored as objects: they are in the sum, but not in the list.
std::int64_t unlisted(const payment& p) noexcept {
  std::int64_t listed = 0;
  for (const auto& each : p.records.refunds)
    if (counts(each.status)) listed += each.amount;
  return p.refunded - listed;
}

transition refund_failed(const payment& p, std::string_view id, std::string_view code, time_point now) {
  auto t = change_of(p, now);
  auto& one = *std::ranges::find(t.next.records.refunds, id, &refund::id);
  one.status = refund_status::failed;
  one.failure_code = code.empty() ? "refund_failed" : code;
  t.next.refunded -= one.amount;
  t.next.state = machine::state_by_refunds(t.next);
  t.about = one.id;
  t.movement_ref = one.provider_ref;
  append(t, timeline_kind::attempt, "refund", "failed",
         provider_error{error_category::provider, one.failure_code, "The refund failed after it was accepted.", false,
                        false},
         now);
  append_event(t, event_type::payment_refund_failed, now);
  return done(std::move(t));
}

/// Whether the amount can be added to the refunds. More than was captured is not counted, but reported by
/// contradiction_of().
bool has_room(const payment& p, std::int64_t amount) noexcept {
  return amount > 0 && amount <= p.captured - p.refunded && p.records.refunds.size() < most_refunds;
}

transition refunded_there(const payment& p, const provider_refund& there, time_point now) {
  auto t = change_of(p, now);
  append(t, timeline_kind::attempt, "refund", there.status == refund_status::pending ? "pending" : "approved",
         std::nullopt, now);
  machine::add_refund(t,
                      {derived_id("re_", p.key, there.ref),
                       there.amount,
                       there.status,
                       t.by,
                       there.created_at.value_or(now),
                       {},
                       {},
                       there.ref,
                       there.provider_key},
                      now);
  return done(std::move(t));
}

/// A difference in the status of a refund that both have.
std::optional<transition> refund_change(const payment& p, const refund& here, const provider_refund& there,
                                        time_point now) {
  if (here.status == there.status) return std::nullopt;
  if (there.status == refund_status::failed) return refund_failed(p, here.id, there.failure_code, now);
  if (here.status == refund_status::failed && !has_room(p, here.amount)) return std::nullopt;
  auto t = change_of(p, now);
  append(t, timeline_kind::attempt, "refund", there.status == refund_status::pending ? "pending" : "approved",
         std::nullopt, now);
  auto& all = t.next.records.refunds;
  const auto one = std::ranges::find(all, there.ref, &refund::provider_ref);
  one->status = there.status;
  if (here.status == refund_status::failed) {
    auto again = std::move(*one);
    all.erase(one);
    again.failure_code.clear();
    machine::add_refund(t, std::move(again), now);
  }
  return done(std::move(t));
}

/// Whether the refund is known here without the provider's reference: it was concluded without one, or an operator has
/// recorded it under a reference that the provider does not list.
bool is_unnamed(const refund& here, const provider_refund& there, const provider_truth& truth) {
  if (here.amount != there.amount || !counts(here.status)) return false;
  if (here.provider_ref.empty()) return true;
  return here.by == entry_origin::operator_ && counts(there.status) &&
         (!there.created_at || *there.created_at <= here.created_at) &&
         std::ranges::find(truth.refunds, here.provider_ref, &provider_refund::ref) == truth.refunds.end();
}

/// A refund that the provider has and the list lacks. A refund that has no reference here, or is from before refunds
/// were listed, is taken for the same one: it gets the reference, and counts once.
std::optional<transition> new_refund(const payment& p, const provider_refund& there, const provider_truth& truth,
                                     time_point now) {
  const auto unnamed =
      std::ranges::find_if(p.records.refunds, [&](const refund& each) { return is_unnamed(each, there, truth); });
  if (unnamed != p.records.refunds.end()) {
    auto t = change_of(p, now);
    t.next.records.refunds[static_cast<std::size_t>(unnamed - p.records.refunds.begin())].provider_ref = there.ref;
    return done(std::move(t));
  }
  if (!counts(there.status)) return std::nullopt;  // rejected at once, or failed before it was seen
  if (there.amount > 0 && unlisted(p) >= there.amount) {
    auto t = change_of(p, now);
    insert_in_order(t.next.records.refunds, {derived_id("re_", p.key, there.ref),
                                             there.amount,
                                             there.status,
                                             entry_origin::api,
                                             there.created_at.value_or(now),
                                             {},
                                             {},
                                             there.ref});
    return done(std::move(t));
  }
  return has_room(p, there.amount) ? std::optional{refunded_there(p, there, now)} : std::nullopt;
}

std::optional<transition> refund_difference(const payment& p, const provider_truth& truth, time_point now) {
  if (!truth.lists_refunds || p.captured == 0) return std::nullopt;
  for (const auto& there : truth.refunds) {
    const auto here = std::ranges::find(p.records.refunds, there.ref, &refund::provider_ref);
    auto change =
        here == p.records.refunds.end() ? new_refund(p, there, truth, now) : refund_change(p, *here, there, now);
    if (change) return change;
  }
  // A refund without a reference was settled by an operator, so the provider's answer takes precedence.
  for (const auto& here : p.records.refunds)
    if (here.provider_ref.empty() && counts(here.status)) return refund_failed(p, here.id, refund_not_at_provider, now);
  return std::nullopt;
}

// ---- disputes -----------------------------------------------------------------------------------

transition dispute_there(const payment& p, const provider_dispute& there, time_point now) {
  auto t = change_of(p, now);
  // A dispute that is first seen when it is closed was open before.
  const auto open = there.is_inquiry ? dispute_status::warning : dispute_status::needs_response;
  const auto status = is_closed(there.status) ? open : there.status;
  dispute made{derived_id("dp_", p.key, there.ref),
               std::min(there.amount, p.captured),
               there.reason,
               status,
               there.evidence_due_by,
               there.opened_at.value_or(now),
               std::nullopt,
               there.ref};
  t.about = made.id;
  t.movement_ref = made.provider_ref;
  append(t, timeline_kind::attempt, "dispute", to_string(status), std::nullopt, now);
  insert_in_order(t.next.records.disputes, std::move(made));
  append_event(t, event_type::dispute_opened, now);
  return done(std::move(t));
}

std::optional<transition> dispute_change(const payment& p, const dispute& here, const provider_dispute& there,
                                         time_point now) {
  if (is_closed(here.status)) return std::nullopt;  // final
  auto next = here;
  next.status = there.status;
  next.amount = std::min(there.amount, p.captured);
  if (!there.reason.empty()) next.reason = there.reason;
  if (there.evidence_due_by) next.evidence_due_by = there.evidence_due_by;
  // A lost amount was taken before, in a separate step, because a step makes at most one movement.
  const bool was_taken = is_open(here.status) && here.amount == next.amount;
  if (is_lost(next.status) && !was_taken)
    next.status = is_open(here.status) ? here.status : dispute_status::needs_response;
  if (is_closed(next.status)) next.closed_at = there.closed_at.value_or(now);
  if (next == here) return std::nullopt;
  auto t = change_of(p, now);
  t.about = next.id;
  t.movement_ref = next.provider_ref;
  append(t, timeline_kind::attempt, "dispute", to_string(next.status), std::nullopt, now);
  const auto type = is_closed(next.status) ? event_type::dispute_closed : event_type::dispute_updated;
  *std::ranges::find(t.next.records.disputes, next.id, &dispute::id) = std::move(next);
  append_event(t, type, now);
  return done(std::move(t));
}

std::optional<transition> dispute_difference(const payment& p, const provider_truth& truth, time_point now) {
  if (p.captured == 0) return std::nullopt;
  for (const auto& there : truth.disputes) {
    if (there.amount <= 0) continue;
    const auto here = std::ranges::find(p.records.disputes, there.ref, &dispute::provider_ref);
    if (here == p.records.disputes.end()) return dispute_there(p, there, now);
    if (auto change = dispute_change(p, *here, there, now)) return change;
  }
  return std::nullopt;
}

}  // namespace

std::optional<transition> next_difference(const payment& p, const provider_truth& truth, time_point now) {
  if (lacks_reference(p) && !truth.provider_ref.empty()) return referenced(p, truth, now);
  if (!can_be_compared(p)) return std::nullopt;
  if (auto change = charge_difference(p, truth, now)) return change;
  if (auto change = refund_difference(p, truth, now)) return change;
  return dispute_difference(p, truth, now);
}

std::vector<transition> differences(const payment& p, const provider_truth& truth, time_point now) {
  std::vector<transition> found;
  const auto* current = &p;
  // Each step removes one difference. More steps than this are a fault in the functions above, which must not block an
  // actor forever.
  const auto most = 8 + 3 * (truth.refunds.size() + truth.disputes.size() + p.records.refunds.size());
  while (found.size() < most) {
    auto change = next_difference(*current, truth, now);
    if (!change) break;
    found.push_back(*std::move(change));
    current = &found.back().next;
  }
  return found;
}

std::string contradiction_of(const payment& p, const provider_truth& truth) {
  if (!can_be_compared(p)) return {};
  using enum charge_state;
  if (p.captured > 0 &&
      (truth.charge == authorized || truth.charge == canceled || truth.charge == expired || truth.charge == failed))
    return "the payment is captured here, and not at the provider";
  if (!truth.lists_refunds) return {};
  std::int64_t refunded = 0;
  for (const auto& each : truth.refunds)
    if (counts(each.status)) refunded += each.amount;
  if (refunded > p.captured) return "the provider has refunded more than was captured here";
  for (const auto& each : truth.refunds)
    if (each.amount > 0 && counts(each.status) &&
        std::ranges::find(p.records.refunds, each.ref, &refund::provider_ref) == p.records.refunds.end())
      return "the provider has a refund for which nothing is left here";
  return {};
}

std::optional<time_point> next_daily_look(const payment& p, const provider_truth& truth, time_point now) {
  if (p.state != payment_state::authorized || p.open || traits_of(p.provider).sandbox) return std::nullopt;
  const auto tomorrow = now + machine::daily_look;
  if (!truth.authorized_until || *truth.authorized_until <= now) return tomorrow;
  return std::min(tomorrow, *truth.authorized_until + std::chrono::minutes{1});
}

}  // namespace gateway
