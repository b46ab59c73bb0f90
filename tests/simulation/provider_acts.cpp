#include "provider_acts.hpp"

#include <algorithm>

namespace gateway::simulation {

namespace {

/// So many of each that a payment's row stays small, however long its world lasts.
constexpr std::size_t most_refunds_there = 12, most_disputes_there = 3;
constexpr std::chrono::days time_for_evidence{7};

bool has_refund(const provider_truth& truth, refund_status status) {
  return std::ranges::count(truth.refunds, status, &provider_refund::status) > 0;
}

std::int64_t disputable(const provider_truth& truth) {
  auto left = truth.captured;
  for (const auto& each : truth.disputes)
    if (each.status == dispute_status::lost) left -= each.amount;
  return left;
}

provider_dispute& unclosed(payment_there& one) {
  return *std::ranges::find_if(one.truth.disputes, [](const auto& each) { return !is_closed(each.status); });
}

}  // namespace

std::optional<entity_key> provider_acts::act() {
  std::vector<payment_there*> able;
  for (auto& [key, each] : payments_.all())
    if (!possible(each).empty()) able.push_back(&each);
  if (able.empty()) return std::nullopt;
  auto& one = *random_.pick(able);
  // Some are left to the clients.
  if (one.truth.charge == charge_state::authorized && random_.chance(0.5)) return std::nullopt;
  if (!act_on(one)) return std::nullopt;
  return one.creation.subject.key;
}

void provider_acts::act_on(const entity_key& which) {
  if (auto* one = payments_.find(which)) act_on(*one);
}

bool provider_acts::act_on(payment_there& one) {
  const auto able = possible(one);
  if (able.empty()) return false;
  happen(random_.pick(able), one);
  one.last_notice = "";
  return true;
}

std::vector<provider_acts::happening> provider_acts::possible(const payment_there& of) {
  using enum happening;
  const auto& truth = of.truth;
  std::vector<happening> able;
  const auto add = [&](bool can, std::initializer_list<happening> what) {
    if (can) able.insert(able.end(), what);
  };
  add(truth.charge == charge_state::authorized, {capture, capture_part, cancel, expire});
  add(truth.charge == charge_state::failed && !of.is_over, {pay_late});
  if (truth.charge != charge_state::captured) return able;
  const auto* open = unclosed_in(truth);
  add(room_of(truth) > 0 && !is_disputed(truth) && truth.refunds.size() < most_refunds_there, {refund, refund});
  add(has_refund(truth, refund_status::pending), {settle_refund, fail_refund});
  add(has_refund(truth, refund_status::succeeded), {fail_refund});
  add(!open && truth.disputes.size() < most_disputes_there && disputable(truth) > 0, {dispute, warn});
  add(open && open->status != dispute_status::under_review, {change_dispute});
  add(open, {win_dispute});
  add(open && is_open(open->status), {lose_dispute});
  return able;
}

void provider_acts::happen(happening what, payment_there& one) {
  const auto whole = one.creation.subject.amount.minor;
  switch (what) {
    case happening::capture: return capture(one, whole);
    case happening::capture_part: return capture(one, random_.between(1, whole));
    case happening::cancel: return end(one, charge_state::canceled);
    case happening::expire: return end(one, charge_state::expired);
    case happening::refund: return refund(one);
    case happening::settle_refund: return settle_refund(one);
    case happening::fail_refund: return fail_refund(one);
    case happening::dispute: return open_dispute(one, dispute_status::needs_response);
    case happening::warn: return open_dispute(one, dispute_status::warning);
    case happening::change_dispute: return change_dispute(one);
    case happening::win_dispute: return close_dispute(one, dispute_status::won);
    case happening::lose_dispute: return close_dispute(one, dispute_status::lost);
    case happening::pay_late: return pay_late(one);
  }
}

void provider_acts::tell(const payment_there& one, std::string_view what, std::int64_t amount) {
  log_.write("provider", "on its own: ", what, ", ", one.creation.subject.key.id, ' ', amount);
  log_.occurs(what);
}

void provider_acts::capture(payment_there& one, std::int64_t amount) {
  one.truth.charge = charge_state::captured;
  one.truth.captured = amount;
  tell(one,
       amount < one.creation.subject.amount.minor ? "the provider captures a part" : "the provider captures everything",
       amount);
}

void provider_acts::end(payment_there& one, charge_state as) {
  one.truth.charge = as;
  all_.authorization_ended(one.creation.subject.key);
  tell(one, as == charge_state::expired ? "an authorization expires" : "the provider cancels an authorization");
}

void provider_acts::refund(payment_there& one) {
  const auto room = room_of(one.truth);
  const auto amount = random_.chance(0.3) ? room : random_.between(1, room);
  const auto status = random_.chance(0.4) ? refund_status::pending : refund_status::succeeded;
  one.truth.refunds.push_back({payments_.fresh_ref("re_own_"), amount, status, {}, time_.now()});
  tell(one, "the provider refunds", amount);
}

void provider_acts::settle_refund(payment_there& one) {
  auto& found = *std::ranges::find(one.truth.refunds, refund_status::pending, &provider_refund::status);
  found.status = refund_status::succeeded;
  tell(one, "a pending refund succeeds", found.amount);
}

void provider_acts::fail_refund(payment_there& one) {
  std::vector<provider_refund*> able;
  for (auto& each : one.truth.refunds)
    if (each.status != refund_status::failed) able.push_back(&each);
  auto& found = *random_.pick(able);
  found.status = refund_status::failed;
  found.failure_code = "lost_or_stolen_card";
  if (found.ref.starts_with("re_call_")) all_.refund_came_back(one.creation.subject.key, found.amount);
  tell(one, "a refund fails after it was accepted", found.amount);
}

void provider_acts::open_dispute(payment_there& one, dispute_status as) {
  const auto most = disputable(one.truth);
  provider_dispute made;
  made.ref = payments_.fresh_ref("du_");
  made.amount = random_.chance(0.5) ? most : random_.between(1, most);
  made.reason = "fraudulent";
  made.status = as;
  made.evidence_due_by = time_.now() + time_for_evidence;
  made.opened_at = time_.now();
  one.truth.disputes.push_back(made);
  tell(one, as == dispute_status::warning ? "a cardholder's bank inquires" : "a dispute is opened", made.amount);
}

void provider_acts::change_dispute(payment_there& one) {
  auto& found = unclosed(one);
  const bool escalates = found.status == dispute_status::warning;
  found.status = escalates ? dispute_status::needs_response : dispute_status::under_review;
  ++one.dispute_changes[found.ref];
  tell(one, escalates ? "an inquiry becomes a dispute" : "a dispute is under review", found.amount);
}

void provider_acts::close_dispute(payment_there& one, dispute_status as) {
  auto& found = unclosed(one);
  found.status = as;
  found.closed_at = time_.now();
  tell(one, as == dispute_status::won ? "a dispute is won" : "a dispute is lost", found.amount);
}

/// The customer pays with another card, on the page where the first was declined, or in the merchant's program.
void provider_acts::pay_late(payment_there& one) {
  const auto& call = one.creation;
  const auto& subject = call.subject;
  customers_.paid_late(subject.key);
  if (pages_.has_page(subject.key)) {
    pages_.pay(subject.key);
  } else {
    customers_.approved(subject, subject.details.payment_method);
    all_.provider_acted({call.provider_key, subject.key, operation::create, call.amount, subject.open->command.key,
                         subject.open->claim});
    payments_.paid(subject.key);
  }
  if (one.truth.charge == charge_state::authorized && random_.chance(0.5)) {
    one.truth.charge = charge_state::captured;
    one.truth.captured = subject.amount.minor;
  }
  tell(one, "a failed payment is paid after all", one.truth.captured);
}

}  // namespace gateway::simulation
