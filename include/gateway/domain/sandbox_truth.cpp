#include "gateway/domain/sandbox_truth.hpp"

#include <algorithm>
#include <ranges>

namespace gateway {

namespace {

constexpr std::string_view outside_refund = sandbox_outside_refund, sandbox_dispute = "dp_sandbox_";
constexpr std::chrono::days time_for_evidence{7};

charge_state charge_of(const payment& p) {
  using enum payment_state;
  const auto approved = machine::captures_separately(p) ? charge_state::authorized : charge_state::captured;
  switch (p.state) {
    case created:
    case processing: return charge_state::waiting;
    // An operator may have settled an unanswered call with another outcome than the sandbox's.
    case failed: return p.details.payment_method == "pm_card_timeout" ? approved : charge_state::failed;
    case authorized:
      return p.details.payment_method == "pm_card_timeoutDeclined" ? charge_state::failed : charge_state::authorized;
    case voided: return charge_state::canceled;
    case captured:
    case partially_refunded:
    case refunded: break;
  }
  return charge_state::captured;
}

provider_dispute dispute_of(std::size_t number, std::int64_t amount, dispute_status status, time_point at) {
  return {std::string{sandbox_dispute}.append(std::to_string(number)),
          amount,
          "fraudulent",
          status,
          at + time_for_evidence,
          at,
          std::nullopt};
}

provider_dispute* unclosed(provider_truth& truth) noexcept {
  const auto found = std::ranges::find_if(truth.disputes, [](const auto& d) { return !is_closed(d.status); });
  return found == truth.disputes.end() ? nullptr : &*found;
}

void close(provider_truth& truth, dispute_status as, time_point at) {
  auto* one = unclosed(truth);
  if (!one) return;
  one->status = as;
  one->closed_at = at;
}

provider_refund* find_refund(const payment& p, provider_truth& truth, std::string_view id) {
  const auto here = std::ranges::find(p.records.refunds, id, &refund::id);
  const auto found = std::ranges::find_if(truth.refunds, [&](const provider_refund& each) {
    return here == p.records.refunds.end() ? derived_id("re_", p.key, each.ref) == id : each.ref == here->provider_ref;
  });
  return found == truth.refunds.end() ? nullptr : &*found;
}

std::int64_t refunded(const provider_truth& truth) noexcept {
  std::int64_t sum = 0;
  for (const auto& each : truth.refunds)
    if (each.status != refund_status::failed) sum += each.amount;
  return sum;
}

std::int64_t lost(const provider_truth& truth) noexcept {
  std::int64_t sum = 0;
  for (const auto& each : truth.disputes)
    if (each.status == dispute_status::lost) sum += each.amount;
  return sum;
}

void apply(const payment& p, const sandbox_act& act, std::size_t number, provider_truth& truth) {
  using enum sandbox_act_kind;
  switch (act.what) {
    case dispute_open:
      if (auto* warning = unclosed(truth)) {
        warning->status = dispute_status::needs_response;
        if (act.amount > 0) warning->amount = act.amount;
        break;
      }
      [[fallthrough]];
    case dispute_warn: {
      const auto status = act.what == dispute_warn ? dispute_status::warning : dispute_status::needs_response;
      truth.disputes.push_back(
          dispute_of(number, act.amount > 0 ? act.amount : truth.captured - lost(truth), status, act.at));
      break;
    }
    case dispute_update:
      if (auto* one = unclosed(truth)) one->status = dispute_status::under_review;
      break;
    case dispute_win: close(truth, dispute_status::won, act.at); break;
    case dispute_lose: close(truth, dispute_status::lost, act.at); break;
    case refund_settle:
      if (auto* one = find_refund(p, truth, act.refund_id)) one->status = refund_status::succeeded;
      break;
    case refund_fail:
      if (auto* one = find_refund(p, truth, act.refund_id)) {
        one->status = refund_status::failed;
        one->failure_code = "lost_or_stolen_card";
      }
      break;
    case refund_outside:
      truth.refunds.push_back({std::string{outside_refund}.append(std::to_string(number)),
                               act.amount,
                               refund_status::succeeded,
                               {},
                               act.at});
      break;
    case authorization_expire: truth.charge = charge_state::expired; break;
    case authorization_cancel: truth.charge = charge_state::canceled; break;
    case capture_outside:
      truth.charge = charge_state::captured;
      truth.captured = act.amount;
      // As after a payment on a page, which gets a fresh token.
      truth.saved_method = p.how == flow::server ? p.details.payment_method : derived_id("pm_", p.key, "outside");
      if (p.details.payment_method == disputed_card)
        truth.disputes.push_back(dispute_of(0, act.amount, dispute_status::needs_response, act.at));
      break;
  }
}

}  // namespace

provider_truth sandbox_truth(const payment& p) {
  provider_truth truth;
  truth.charge = charge_of(p);
  truth.captured = p.captured > 0 ? p.captured : truth.charge == charge_state::captured ? p.amount.minor : 0;
  truth.charge_ref = p.provider_ref;
  truth.lists_refunds = true;
  for (const auto& each : p.records.refunds)
    if (each.by != entry_origin::operator_ && !each.provider_ref.starts_with(outside_refund))
      // A refund without a reference was concluded by an operator, and counts as made.
      truth.refunds.push_back({each.provider_ref.empty() ? each.id : each.provider_ref, each.amount, each.status,
                               each.failure_code, each.created_at});
  const bool outside = std::ranges::count(p.records.acts, sandbox_act_kind::capture_outside, &sandbox_act::what) > 0;
  if (p.details.payment_method == disputed_card && p.captured > 0 && !outside)
    truth.disputes.push_back(
        dispute_of(0, p.captured, dispute_status::needs_response, p.captured_at.value_or(p.updated_at)));
  for (std::size_t number = 0; number < p.records.acts.size(); ++number)
    apply(p, p.records.acts[number], number + 1, truth);
  return truth;
}

bool can_happen(const payment& p, const sandbox_act& act) {
  if (!can_be_compared(p) || p.records.acts.size() >= most_sandbox_acts) return false;
  auto truth = sandbox_truth(p);
  const auto* open = unclosed(truth);
  const auto left = truth.captured - lost(truth);
  using enum sandbox_act_kind;
  switch (act.what) {
    case dispute_open:
    case dispute_warn: {
      const bool is_free = !open || (act.what == dispute_open && open->status == dispute_status::warning);
      return is_free && !traits_of(p.provider).wallet && truth.charge == charge_state::captured && left > 0 &&
             act.amount <= left;
    }
    case dispute_update: return open && open->status != dispute_status::under_review;
    case dispute_win: return open != nullptr;
    case dispute_lose: return open && open->status != dispute_status::warning;
    case refund_settle: {
      const auto* one = find_refund(p, truth, act.refund_id);
      return one && one->status == refund_status::pending;
    }
    case refund_fail: {
      const auto* one = find_refund(p, truth, act.refund_id);
      return one && one->status != refund_status::failed;
    }
    case refund_outside:
      return traits_of(p.provider).refunds && act.amount > 0 && act.amount <= left - refunded(truth) &&
             !(open && is_open(open->status)) && p.records.refunds.size() < most_refunds;
    case authorization_expire:
    case authorization_cancel: return truth.charge == charge_state::authorized;
    case capture_outside:
      return (truth.charge == charge_state::authorized || p.state == payment_state::failed) && act.amount > 0 &&
             act.amount <= p.amount.minor;
  }
  return false;
}

}  // namespace gateway
