#include "gateway/domain/sandbox_biller.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

namespace sandbox_machine {

bool bills(const sandbox_subscription& s) noexcept {
  return s.status != subscription_status::pending && !is_final(s.status);
}

static std::string_view bare_id(const sandbox_subscription& s) noexcept {
  std::string_view id = s.id;
  if (id.starts_with("sub_")) id.remove_prefix(4);
  return id;
}

std::optional<time_point> due_by_its_clock(const sandbox_subscription& s) noexcept {
  if (!bills(s)) return std::nullopt;
  if (s.failed_attempts > 0) return s.attempted_at + sandbox_retry_waits[s.failed_attempts - 1];
  const auto begins = end_of_period(s.anchor, s.every, s.cycle);
  if (begins >= detail::end_of_calendar) return std::nullopt;
  return std::max(begins, s.attempted_at);
}

subscription_projection projection_of(const sandbox_subscription& s) {
  subscription_projection p;
  p.status = s.status;
  p.provider_customer_id = s.customer_id;
  p.amount = s.amount;
  p.every = s.every;
  // Before the first invoice the subscription is in its trial, or, without a trial, in the first cycle.
  const auto cycle = s.cycle == 0 && s.trial_period_days == 0 ? 1 : s.cycle;
  if (cycle == 0) {
    p.period_start = s.created_at;
    p.period_end = s.anchor;
  } else {
    p.period_start = end_of_period(s.anchor, s.every, cycle - 1);
    p.period_end = end_of_period(s.anchor, s.every, cycle);
  }
  p.canceled_at = s.ended_at;
  p.metadata = s.metadata;
  return p;
}

std::string invoice_id(const sandbox_subscription& s) {
  return std::string{"in_"}.append(bare_id(s)).append("_").append(std::to_string(s.cycle));
}

std::string event_id(const sandbox_subscription& s, std::string_view what) {
  return std::string{"evt_"}.append(bare_id(s)).append("_").append(what);
}

static std::string attempt_name(const sandbox_subscription& s, unsigned attempt, std::string_view result) {
  return std::to_string(s.cycle).append("_").append(std::to_string(attempt)).append("_").append(result);
}

subscription_notification& notify(sandbox_step& step, notification_kind kind, std::string_view what, time_point at) {
  auto& s = step.next;
  s.newest = {at, s.newest.sequence + 1, kind, event_id(s, what)};
  subscription_notification n;
  n.event_id = s.newest.event_id;
  n.kind = kind;
  n.at = at;
  n.sequence = s.newest.sequence;
  n.provider_subscription_id = s.id;
  n.state = projection_of(s);
  step.notifications.push_back(std::move(n));
  return step.notifications.back();
}

void end(sandbox_step& step, subscription_status status, time_point at) {
  step.next.status = status;
  step.next.ended_at = at;
  step.next.needs_customer = false;
  if (status == subscription_status::canceled)
    notify(step, notification_kind::deleted, "deleted", at);
  else
    notify(step, notification_kind::updated, "expired", at).status_changed = true;
}

void attempt(sandbox_step& step, cycle_result result, time_point at, const attempt_terms& terms) {
  auto& s = step.next;
  if (s.failed_attempts == 0) ++s.cycle;
  const unsigned number = s.failed_attempts + 1;
  const bool paid = result == cycle_result::paid;
  const bool gives_up = !paid && number > sandbox_retry_waits.size();
  const auto before = std::exchange(s.status, paid ? subscription_status::active : subscription_status::past_due);
  s.failed_attempts = paid ? 0 : number;
  s.attempted_at = at;
  s.needs_customer = !paid && terms.needs_action;
  const auto kind = paid ? notification_kind::invoice_paid : notification_kind::invoice_failed;
  auto& n = notify(step, kind, attempt_name(s, number, to_string(result)), at);
  const money amount{terms.amount.value_or(s.amount.minor), s.amount.unit};
  n.invoice =
      subscription_invoice{invoice_id(s), amount, n.state.period_start, n.state.period_end, number, gives_up, {}, {}};
  if (!paid) {
    n.invoice->failure_code = terms.needs_action ? "authentication_required" : "card_declined";
    n.invoice->failure_message =
        terms.needs_action ? "The customer must authenticate the payment." : "The card was declined.";
    if (terms.needs_action && !gives_up) n.invoice->hosted_url = s.page;
  }
  if (s.status != before)
    notify(step, notification_kind::updated, attempt_name(s, number, "status"), at).status_changed = true;
  if (gives_up) end(step, subscription_status::canceled, at);
}

void catch_up(sandbox_step& step, time_point now, std::size_t most) {
  for (std::size_t made = 0; made < most; ++made) {
    const auto due = due_by_its_clock(step.next);
    if (!due || *due > clock_of(step.next, now)) return;
    attempt(step, cycle_result::paid, *due);
  }
}

sandbox_step caught_up(const sandbox_subscription& s, time_point now) {
  sandbox_step step{s, {}};
  catch_up(step, now, ~std::size_t{0});
  return step;
}

/// Advances the clock to the next attempt, which ends with `result`. Nothing if no attempt will ever be due.
static void move_to_attempt(sandbox_step& step, cycle_result result, time_point now, const attempt_terms& terms = {}) {
  const auto due = due_by_its_clock(step.next);
  if (!due) return;
  step.next.clock_offset = std::max(step.next.clock_offset, duration_ms{*due - now});
  attempt(step, result, *due, terms);
}

}  // namespace sandbox_machine

sandbox_subscription sandbox_checkout(const subscription& opened, std::string checkout_session_id) {
  sandbox_subscription s;
  s.key = opened.key;
  std::string_view bare = checkout_session_id;
  if (bare.starts_with("cs_")) bare.remove_prefix(3);
  s.id = std::string{"sub_"}.append(bare);
  s.checkout_session_id = std::move(checkout_session_id);
  s.customer_id = opened.state.provider_customer_id;
  s.amount = opened.state.amount;
  s.every = opened.state.every;
  s.trial_period_days = opened.details.trial_period_days;
  s.metadata = opened.state.metadata;
  return s;
}

sandbox_step pay(const sandbox_subscription& s, time_point now) {
  sandbox_step step{s, {}};
  auto& next = step.next;
  if (s.status != subscription_status::pending) return step;
  next.created_at = sandbox_machine::clock_of(s, now);
  next.anchor = end_of_trial(next.created_at, s.trial_period_days);
  next.status = s.trial_period_days > 0 ? subscription_status::trialing : subscription_status::active;
  sandbox_machine::notify(step, notification_kind::created, "created", next.created_at);
  if (s.trial_period_days == 0) sandbox_machine::attempt(step, cycle_result::paid, next.created_at);
  return step;
}

sandbox_step approve_cycle(const sandbox_subscription& s, bool refuses, time_point now) {
  auto step = sandbox_machine::caught_up(s, now);
  if (step.next.needs_customer)
    sandbox_machine::attempt(step, refuses ? cycle_result::failed : cycle_result::paid,
                             sandbox_machine::clock_of(step.next, now));
  return step;
}

std::optional<time_point> due_at(const sandbox_subscription& s) noexcept {
  const auto due = sandbox_machine::due_by_its_clock(s);
  if (!due) return std::nullopt;
  return *due - s.clock_offset;
}

sandbox_step bill_due(const sandbox_subscription& s, time_point now, std::size_t most) {
  sandbox_step step{s, {}};
  sandbox_machine::catch_up(step, now, most);
  return step;
}

sandbox_enrollment enrolled(const sandbox_enrollment& before, sandbox_subscription next,
                            std::vector<subscription_notification> made, time_point now) {
  auto row = before;
  row.version += 1;
  row.what = std::move(next);
  row.undelivered.insert(row.undelivered.end(), std::make_move_iterator(made.begin()),
                         std::make_move_iterator(made.end()));
  row.due_at = row.undelivered.empty() ? due_at(row.what) : now;
  return row;
}

sandbox_enrollment delivered(const sandbox_enrollment& before, const std::vector<subscription_notification>& taken,
                             time_point now) {
  auto row = before;
  row.version += 1;
  const auto [left, unused] = std::ranges::mismatch(row.undelivered, taken);
  row.undelivered.erase(row.undelivered.begin(), left);
  row.due_at = row.undelivered.empty() ? due_at(row.what) : now;
  return row;
}

entity_key enrollment_key(const merchant_id& merchant, environment env, std::string_view provider_id) {
  if (provider_id.starts_with("sub_")) provider_id.remove_prefix(4);
  return {merchant, env, entity_kind::enrollment, std::string{provider_id}};
}

sandbox_step operate(const sandbox_subscription& s, sandbox_move move, time_point now,
                     std::optional<std::int64_t> amount) {
  auto step = sandbox_machine::caught_up(s, now);
  auto& next = step.next;
  if (!sandbox_machine::bills(next)) return step;
  const auto at = sandbox_machine::clock_of(next, now);
  switch (move) {
    case sandbox_move::cycle_paid:
      sandbox_machine::move_to_attempt(step, cycle_result::paid, now, {amount, false});
      break;
    case sandbox_move::cycle_action:
      sandbox_machine::move_to_attempt(step, cycle_result::failed, now, {{}, true});
      break;
    case sandbox_move::cycle_failed: sandbox_machine::move_to_attempt(step, cycle_result::failed, now); break;
    case sandbox_move::cycle_exhausted:
      while (sandbox_machine::due_by_its_clock(next)) sandbox_machine::move_to_attempt(step, cycle_result::failed, now);
      break;
    case sandbox_move::update:
      ++next.updates;
      sandbox_machine::notify(step, notification_kind::updated, "update_" + std::to_string(next.updates), at);
      break;
    case sandbox_move::expire: sandbox_machine::end(step, subscription_status::incomplete_expired, at); break;
    case sandbox_move::remove: sandbox_machine::end(step, subscription_status::canceled, at); break;
  }
  return step;
}

std::vector<subscription_notification> as_reported(const std::vector<subscription_notification>& notifications,
                                                   const sandbox_telling& how) {
  std::vector<subscription_notification> delivered;
  delivered.reserve(notifications.size() * how.repeat);
  for (const auto& n : notifications) delivered.insert(delivered.end(), how.repeat, n);
  if (how.reorder) std::ranges::reverse(delivered);
  return delivered;
}

subscription_answer statement_of(const sandbox_subscription& s) {
  subscription_answer answer;
  answer.status = provider_status::approved;
  if (s.newest.sequence > 0) answer.seen = subscription_statement{s.id, sandbox_machine::projection_of(s), s.newest};
  return answer;
}

namespace sandbox_machine {

sandbox_answer_step answered(sandbox_step step) {
  auto answer = statement_of(step.next);
  return {std::move(step), std::move(answer)};
}

}  // namespace sandbox_machine

sandbox_answer_step cancel(const sandbox_subscription& s, time_point now) {
  auto step = sandbox_machine::caught_up(s, now);
  if (step.next.status == subscription_status::pending)
    step.next.status = subscription_status::canceled;
  else if (sandbox_machine::bills(step.next))
    sandbox_machine::end(step, subscription_status::canceled, sandbox_machine::clock_of(step.next, now));
  return sandbox_machine::answered(std::move(step));
}

sandbox_answer_step close_checkout(const sandbox_subscription& s) {
  sandbox_step step{s, {}};
  if (s.status == subscription_status::pending) step.next.status = subscription_status::incomplete_expired;
  return sandbox_machine::answered(std::move(step));
}

}  // namespace gateway
