#include "gateway/domain/subscription_machine.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "gateway/domain/subscription_reading.hpp"

namespace gateway {

namespace machine {

/// Whether the first statement replaces the second, which is known. This is an order, so that the same one of several
/// statements wins in any order of arrival. If a provider contradicts itself with two final statuses, the first known
/// one stays, because a final status never changes.
static bool supersedes(const subscription_projection& state, const history_position& at,
                       const subscription_projection& known, const history_position& known_at) noexcept {
  if (is_final(state.status) != is_final(known.status)) return is_final(state.status);
  if (!is_final(state.status)) return at > known_at;
  return state.status == known.status && at < known_at;
}

static void observe(subscription& s, const subscription_projection& state, const history_position& at) {
  if (s.known && !supersedes(state, at, s.state, *s.known)) return;
  s.state = state;
  s.known = at;
}

/// Keeps the provider's latest statement about each of the latest invoices, whatever the order of arrival.
static void observe_invoice(subscription& s, const subscription_notification& n) {
  auto stated = action_of(n);
  if (!stated) return;
  auto at = position_of(n);
  // A provider's times have whole seconds. If an invoice needs the customer and is paid in the same second, the payment
  // is the later event.
  if (!stated->hosted_url.empty()) at.kind = notification_kind::invoice_failed;
  const auto same = std::ranges::find(s.invoices, stated->invoice_id, &seen_invoice::id);
  if (same != s.invoices.end()) {
    if (at <= same->at) return;
    s.invoices.erase(same);
  }
  const auto later = std::ranges::upper_bound(s.invoices, at, {}, &seen_invoice::at);
  s.invoices.insert(later, {std::move(stated->invoice_id), std::move(at), std::move(stated->hosted_url)});
  if (s.invoices.size() > most_seen_invoices) s.invoices.erase(s.invoices.begin());
}

/// Ends a checkout that became no subscription. The provider states no time for that, so the gateway's is used.
static void end_checkout(subscription& s, subscription_status status, time_point now) {
  auto ended = s.state;
  ended.status = status;
  if (status == subscription_status::canceled) ended.canceled_at = now;
  observe(s, ended, {now, 0, notification_kind::deleted, {}});
}

/// The subscription's state after the notification. A deletion ends it, whatever status the notification carries, and
/// an ended subscription has the time of its end.
static subscription_projection state_after(const subscription_notification& n) {
  auto state = n.state;
  if (n.kind == notification_kind::deleted && !is_final(state.status)) state.status = subscription_status::canceled;
  if (is_final(state.status) && !state.canceled_at) state.canceled_at = n.at;
  return state;
}

bool awaits_customer(const subscription& s) noexcept {
  return s.state.status == subscription_status::pending && !s.open && !s.hosted_url.empty() && s.waiting.empty() &&
         s.provider_subscription_id.empty();
}

subscription claimed_for(subscription s, const command_key& command, subscription_operation what, time_point now,
                         const machine_timing& timing) {
  s.version += 1;
  s.open = open_subscription_operation{command, what, false, 0, s.version, now, timing.node};
  s.due_at = now + timing.abandoned_after;
  s.updated_at = now;
  return s;
}

/// An open operation has its own due times. Without one, a checkout that waits for its customer is due when it expires,
/// and a subscription when its provider is to be asked about it.
static void plan(subscription& s, time_point now) {
  if (s.open) return;
  s.due_at = awaits_customer(s) ? s.checkout_expires_at : next_reading(s, now);
}

static void append_attempt(subscription_transition& t, std::string_view status,
                           const std::optional<provider_error>& error, time_point now) {
  constexpr std::string_view names[] = {"hosted_session", "cancel", "expire"};
  timeline_entry entry;
  entry.seq = t.next.next_seq++;
  entry.operation = names[static_cast<std::size_t>(t.result.what)];
  entry.status = status;
  if (error) {
    entry.error_code = error->code;
    entry.message = error->message;
  }
  entry.occurred_at = now;
  t.attempts.push_back(std::move(entry));
}

/// The subscription as its event shows it. The event of an invoice has the invoice's amount and period: a credit or a
/// proration makes the amount differ from the price, and a late payment belongs to a past period.
static subscription_projection reported_state(const subscription_notification& n) {
  auto state = state_after(n);
  if (!n.invoice) return state;
  state.amount = n.invoice->amount;
  if (n.invoice->period_start && n.invoice->period_end) {
    state.period_start = n.invoice->period_start;
    state.period_end = n.invoice->period_end;
  }
  return state;
}

void notify(subscription_transition& t, subscription_event_type type, const subscription_notification& n,
            time_point now) {
  const auto& s = t.next;
  subscription_event event;
  event.seq = t.next.next_seq++;
  event.type = type;
  event.event_id = std::string{"evt_"}.append(to_string(s.provider)).append("_subscription_");
  event.event_id.append(to_string(type)).append("_").append(n.event_id);
  event.occurred_at = now;
  event.data = {public_subscription_id(s.key.merchant, s.provider_subscription_id),
                s.provider_subscription_id,
                s.details.customer_ref,
                reported_state(n),
                n.event_id,
                n.at,
                {}};
  if (type == subscription_event_type::invoice_failed) event.data.hosted_url = n.invoice->hosted_url;
  t.events.push_back(std::move(event));
}

/// A cycle that costs nothing, such as one within a trial, gets its event but no payment.
static void charge(subscription_transition& t, cycle_result result, const subscription_notification& n) {
  if (n.invoice->amount.minor <= 0) return;
  const auto& s = t.next;
  t.charges.push_back({payment_key(s.key.merchant, s.key.env, cycle_payment_id(n.invoice->id)), s.provider, s.account,
                       s.platform, s.details.customer_ref, s.details.description, n.state.metadata, result, *n.invoice,
                       n.at, cycle_event_id(s.provider, result, n.event_id)});
}

/// Applies a notification of a subscription whose creation has been seen, or the creation itself.
static void take(subscription_transition& t, const subscription_notification& n, time_point now) {
  auto& s = t.next;
  observe(s, state_after(n), position_of(n));
  observe_invoice(s, n);
  switch (n.kind) {
    case notification_kind::created:
      if (!std::exchange(s.activated, true)) notify(t, subscription_event_type::activated, n, now);
      break;
    case notification_kind::updated:
    case notification_kind::deleted:
      if (!ends_subscription(n))
        notify(t, subscription_event_type::updated, n, now);
      else if (!std::exchange(s.cancellation_reported, true))
        notify(t, subscription_event_type::canceled, n, now);
      break;
    case notification_kind::invoice_paid:
      notify(t, subscription_event_type::invoice_paid, n, now);
      charge(t, cycle_result::paid, n);
      break;
    case notification_kind::invoice_failed:
      notify(t, subscription_event_type::invoice_failed, n, now);
      charge(t, cycle_result::failed, n);
      break;
  }
}

/// Applies the notification that shows that there is a subscription, and those that have waited for it. `waited`: it is
/// one of them.
static void take_all(subscription_transition& t, subscription_notification first, bool waited, time_point now) {
  auto& s = t.next;
  s.provider_subscription_id = first.provider_subscription_id;
  if (waited && !std::exchange(s.activated, true)) notify(t, subscription_event_type::activated, first, now);
  if (!waited) take(t, first, now);
  for (const auto& kept : std::exchange(s.waiting, {}))
    if (kept.provider_subscription_id == first.provider_subscription_id) take(t, kept, now);
}

static bool is_older(const subscription_notification& a, const subscription_notification& b) {
  return position_of(a) < position_of(b);
}

}  // namespace machine

std::string_view action_url_of(const subscription& s) noexcept {
  if (is_final(s.state.status)) return {};
  for (auto at = s.invoices.rbegin(); at != s.invoices.rend(); ++at)
    if (!at->hosted_url.empty()) return at->hosted_url;
  return {};
}

subscription begin_checkout(const entity_key& key, const open_subscription_checkout& wanted, const route_choice& way,
                            const command_key& command, time_point now, const machine_timing& timing) {
  subscription s;
  s.key = key;
  s.platform = wanted.platform;
  s.provider = way.provider;
  s.account = way.account;
  s.details = wanted.details;
  s.customer_generation = wanted.customer_generation;
  s.state.provider_customer_id = wanted.provider_customer_id;
  s.state.amount = wanted.amount;
  s.state.every = wanted.every;
  if (s.state.every.count == 0) s.state.every.count = 1;
  s.state.metadata = wanted.metadata;
  s.created_at = now;
  return machine::claimed_for(std::move(s), command, subscription_operation::open_checkout, now, timing);
}

subscription_decision decide(const subscription& s, const cancel_subscription&, const command_key& command,
                             time_point now, const machine_timing& timing) {
  using enum subscription_operation;
  const auto at_once = [&](std::optional<subscription_problem> failure) {
    return subscription_conclusion{{cancel, failure, s, std::nullopt}};
  };
  if (is_final(s.state.status) || s.state.status == subscription_status::failed) return at_once(std::nullopt);
  const bool someone_waits = s.open && s.open->what != expire && !s.open->answered;
  if (someone_waits) return at_once(subscription_problem::outcome_pending);
  return subscription_claim{machine::claimed_for(s, command, cancel, now, timing)};
}

std::optional<subscription_claim> expire_checkout(const subscription& s, time_point now, const machine_timing& timing,
                                                  bool at_once) {
  if (!machine::awaits_customer(s)) return std::nullopt;
  if (!at_once && (!s.checkout_expires_at || *s.checkout_expires_at > now)) return std::nullopt;
  return subscription_claim{machine::claimed_for(s, {}, subscription_operation::expire, now, timing)};
}

checkout_verdict decide(const subscription& s, checkout_choice choice, time_point now) noexcept {
  if (!machine::awaits_customer(s) || (s.checkout_expires_at && *s.checkout_expires_at <= now))
    return checkout_verdict::closed;
  return choice == checkout_choice::pay ? checkout_verdict::pays : checkout_verdict::left_pending;
}

bool asks_again(const subscription& s, time_point now, const machine_timing& timing) noexcept {
  return s.open && s.due_at && (*s.due_at <= now || *s.due_at > machine::latest_due(now, timing));
}

namespace machine {

void close(subscription& s, time_point now) {
  s.version += 1;
  s.open.reset();
  s.updated_at = now;
}

/// The checkout's address is in the provider's only answer, so without that answer the checkout has failed. If the
/// provider has opened one anyway, no customer has its address, and it expires there.
static void conclude_checkout(subscription_transition& t, const subscription_answer& answer, time_point now,
                              const machine_timing& timing) {
  close(t.next, now);
  const bool opened = answer.status == provider_status::pending || answer.status == provider_status::approved;
  append_attempt(t, opened ? "pending" : to_string(answer.status), answer.error, now);
  if (!opened) {
    // The provider's statement about a subscription takes precedence, even if it is unexpected here.
    if (!t.next.known) t.next.state.status = subscription_status::failed;
    t.next.error = answer.error;
    t.result.failure = subscription_problem::checkout_failed;
    return;
  }
  t.next.checkout_session_id = answer.checkout_session_id;
  t.next.hosted_url = answer.hosted_url;
  t.next.checkout_expires_at = now + timing.hosted_expiry;
}

/// Whether the answer completes the open operation. A cancel takes effect at once, so an answer with a subscription
/// that continues does not complete it.
static bool settles(const subscription_answer& answer, subscription_operation what) noexcept {
  if (answer.status == provider_status::declined) return what == subscription_operation::cancel;
  if (answer.status != provider_status::approved) return false;
  return what == subscription_operation::expire || !answer.seen || is_final(answer.seen->state.status);
}

static void leave_open(subscription_transition& t, const subscription_answer& answer, time_point now,
                       const machine_timing& timing) {
  auto& open = *t.next.open;
  const bool answered_before = open.answered;
  t.next.version += 1;
  open.answered = true;
  open.asked += 1;
  t.next.due_at = now + reconcile_delay(open.asked, timing);
  t.next.updated_at = now;
  if (!answered_before) append_attempt(t, "unknown", answer.error, now);
  t.result.failure = subscription_problem::outcome_unknown;
}

/// The cancellation's event is sent for the provider's notification, whose event id it carries. So it is sent once,
/// whether the notification or this answer arrives first, and never for a checkout that became no subscription.
static void conclude_cancel(subscription_transition& t, const subscription_answer& answer, time_point now) {
  close(t.next, now);
  append_attempt(t, to_string(answer.status), answer.error, now);
  if (answer.status == provider_status::declined) {
    t.result.failure = subscription_problem::cancel_rejected;
    return;
  }
  if (!answer.seen) return end_checkout(t.next, subscription_status::canceled, now);
  t.next.provider_subscription_id = answer.seen->provider_subscription_id;
  observe(t.next, answer.seen->state, answer.seen->position);
}

/// If the customer paid first, there is a subscription: it stays pending until the provider's notification of its
/// creation.
static void conclude_expiry(subscription_transition& t, const subscription_answer& answer, time_point now) {
  close(t.next, now);
  append_attempt(t, to_string(answer.status), answer.error, now);
  if (answer.seen)
    t.next.provider_subscription_id = answer.seen->provider_subscription_id;
  else
    end_checkout(t.next, subscription_status::incomplete_expired, now);
}

}  // namespace machine

subscription_transition conclude(const subscription& s, const subscription_answer& answer, time_point now,
                                 const machine_timing& timing) {
  assert(s.open);
  const auto what = s.open->what;
  subscription_transition t{s, {}, {}, {}, {}};
  t.result.what = what;
  t.result.error = answer.error;
  if (what == subscription_operation::open_checkout)
    machine::conclude_checkout(t, answer, now, timing);
  else if (!machine::settles(answer, what))
    machine::leave_open(t, answer, now, timing);
  else if (what == subscription_operation::cancel)
    machine::conclude_cancel(t, answer, now);
  else
    machine::conclude_expiry(t, answer, now);
  machine::plan(t.next, now);
  t.result.after = t.next;
  return t;
}

subscription owing(const subscription_transition& t) {
  auto next = t.next;
  next.owed.insert(next.owed.end(), t.charges.begin(), t.charges.end());
  if (!next.owed.empty() && !next.open) next.due_at = next.updated_at;
  return next;
}

subscription paid_up(const subscription& s, const std::vector<std::string>& event_ids, time_point now) {
  auto next = s;
  next.version += 1;
  next.updated_at = now;
  std::erase_if(next.owed,
                [&](const cycle_charge& c) { return std::ranges::find(event_ids, c.event_id) != event_ids.end(); });
  machine::plan(next, now);
  if (!next.owed.empty() && !next.open) next.due_at = now;
  return next;
}

notification_outcome apply(const subscription& s, const subscription_notification& n, bool counted, time_point now) {
  if (counted) return notification_ignored::counted;
  if (!s.provider_subscription_id.empty() && s.provider_subscription_id != n.provider_subscription_id)
    return notification_ignored::foreign;
  subscription_transition t{s, {}, {}, {}, {}};
  auto& next = t.next;
  next.version += 1;
  next.updated_at = now;
  if (!s.activated && n.kind != notification_kind::created) {
    next.waiting.insert(std::ranges::upper_bound(next.waiting, n, machine::is_older), n);
    // With this many waiting, the notification of the creation counts as lost. The oldest one shows that there is a
    // subscription.
    if (next.waiting.size() > most_waiting_notifications) machine::take_all(t, next.waiting.front(), true, now);
  } else {
    machine::take_all(t, n, false, now);
  }
  machine::plan(next, now);
  return t;
}

}  // namespace gateway
