#include "gateway/domain/payment_machine.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gateway {

namespace machine {

duration_ms reconcile_delay(unsigned asked, const machine_timing& timing) noexcept {
  auto delay = timing.reconcile_first;
  for (unsigned i = 1; i < asked && delay < timing.reconcile_longest; ++i) delay *= 2;
  return std::min(delay, timing.reconcile_longest);
}

time_point latest_due(time_point now, const machine_timing& timing) noexcept {
  return now + std::max({timing.abandoned_after, timing.reconcile_longest, timing.hosted_expiry}) +
         std::chrono::hours{1};
}

bool captures_separately(const payment& p) noexcept {
  return p.how == flow::server && traits_of(p.provider).separate_capture && !p.details.captures_at_once;
}

payment claimed_for(payment p, const command_key& command, operation what, std::int64_t amount, time_point now,
                    const machine_timing& timing, std::string reason) {
  using enum payment_state;
  // An authorized payment that is due later is due for its daily comparison, which its next state may not need.
  const bool compares =
      p.due_at && p.state != created && p.state != processing && (p.state != authorized || *p.due_at <= now);
  p.version += 1;
  p.open = open_operation{command, what, amount, false, 0, p.version, now, timing.node, std::move(reason), compares};
  p.due_at = now + timing.abandoned_after;
  p.updated_at = now;
  return p;
}

static conclusion conclude_at_once(const payment& p, operation what, std::optional<problem> failure) {
  return {outcome{what, failure, p, failure ? provider_status::none : p.status, std::nullopt, 0}};
}

void append(transition& t, timeline_kind kind, std::string_view what, std::string_view status,
            const std::optional<provider_error>& error, time_point now) {
  timeline_entry entry;
  entry.seq = t.next.next_seq++;
  entry.kind = kind;
  entry.operation = what;
  entry.status = status;
  if (error) {
    entry.error_code = error->code;
    entry.message = error->message;
  }
  entry.occurred_at = now;
  entry.by = t.by;
  t.entries.push_back(std::move(entry));
}

void append_event(transition& t, event_type type, time_point now) {
  append(t, timeline_kind::event, to_string(type), "published", std::nullopt, now);
}

void close(payment& p, time_point now) {
  p.version += 1;
  p.open.reset();
  p.due_at.reset();
  p.updated_at = now;
}

void mark_captured(payment& p, time_point now) {
  p.state = payment_state::captured;
  p.captured = p.amount.minor;
  p.captured_at = now;
  p.status = provider_status::approved;
  p.error.reset();
}

void add_refund(transition& t, refund made, time_point now) {
  auto& p = t.next;
  p.refunded += made.amount;
  t.movement_ref = made.provider_ref;
  t.about = made.id;
  insert_in_order(p.records.refunds, std::move(made));
  p.state = state_by_refunds(p);
  const bool whole = p.state == payment_state::refunded;
  append_event(t, whole ? event_type::payment_refunded : event_type::payment_partially_refunded, now);
}

void mark_failed(transition& t, std::optional<provider_error> error, time_point now) {
  t.next.state = payment_state::failed;
  t.next.status = provider_status::declined;
  t.next.error = std::move(error);
  t.next.hosted_url.clear();
  append_event(t, event_type::payment_failed, now);
}

/// An authorization may end at its provider at any time, so it is compared once a day. A sandbox changes nothing by
/// itself.
static void look_daily(payment& p, time_point now) {
  if (p.state == payment_state::authorized && !p.open && !p.due_at && !traits_of(p.provider).sandbox)
    p.due_at = now + daily_look;
}

/// The customer has paid: the payment becomes captured, or authorized if it is captured separately.
static void mark_paid(transition& t, std::string_view attempt, time_point now) {
  auto& p = t.next;
  append(t, timeline_kind::attempt, attempt, "approved", std::nullopt, now);
  p.hosted_url.clear();
  if (captures_separately(p)) {
    p.state = payment_state::authorized;
    p.status = provider_status::approved;
    p.error.reset();
  } else {
    mark_captured(p, now);
    append_event(t, event_type::payment_captured, now);
  }
}

/// The payment is approved: saves the charged method for its customer, if that was requested.
static void save_method(payment& p, const std::string& method) {
  if (p.customer && p.customer->saves_method && !method.empty()) p.customer->saved_method = method;
}

/// The provider's token of the charged method, if it reports one: the caller's token may be for one use only.
static const std::string& charged_method(const payment& p, const std::string& reported) noexcept {
  return p.how == flow::server && reported.empty() ? p.details.payment_method : reported;
}

/// The name of a creation's call in the timeline.
static std::string_view payment_attempt_name(const payment& p) noexcept {
  return captures_separately(p) ? "authorize" : "charge";
}

}  // namespace machine

payment begin_payment(const entity_key& key, const create_payment& wanted, const route_choice& way,
                      const command_key& command, time_point now, const machine_timing& timing, operation what) {
  payment p;
  p.key = key;
  p.amount = wanted.amount;
  p.how = wanted.how;
  p.provider = way.provider;
  p.account = way.account;
  p.hides_provider = way.hides_provider;
  p.details = wanted.details;
  p.created_at = now;
  return machine::claimed_for(std::move(p), command, what, wanted.amount.minor, now, timing);
}

decision decide(const payment& p, const capture_payment& wanted, const command_key& command, time_point now,
                const machine_timing& timing) {
  using enum payment_state;
  if (p.open) return machine::conclude_at_once(p, operation::capture, problem::payment_outcome_pending);
  if (p.state == captured) return machine::conclude_at_once(p, operation::capture, std::nullopt);
  const bool still_open = p.state == created || p.state == processing;
  if (!traits_of(p.provider).separate_capture && (still_open || p.state == authorized))
    return machine::conclude_at_once(p, operation::capture, problem::capture_unsupported);
  if (p.state != authorized) return machine::conclude_at_once(p, operation::capture, problem::not_capturable);
  if (wanted.amount > p.amount.minor)
    return machine::conclude_at_once(p, operation::capture, problem::capture_exceeds_authorized);
  const auto amount = wanted.amount == 0 ? p.amount.minor : wanted.amount;
  return claim{machine::claimed_for(p, command, operation::capture, amount, now, timing)};
}

decision decide(const payment& p, const void_payment& wanted, const command_key& command, time_point now,
                const machine_timing& timing) {
  using enum payment_state;
  if (p.open) return machine::conclude_at_once(p, operation::void_payment, problem::payment_outcome_pending);
  const bool still_open = p.state == created || p.state == processing;
  const auto& provider = traits_of(p.provider);
  if (!provider.separate_capture && (still_open || p.state == authorized))
    return machine::conclude_at_once(p, operation::void_payment, problem::void_unsupported);
  if (p.state != authorized) return machine::conclude_at_once(p, operation::void_payment, problem::not_voidable);
  if (!provider.voids) return machine::conclude_at_once(p, operation::void_payment, problem::void_not_supported);
  return claim{machine::claimed_for(p, command, operation::void_payment, p.amount.minor, now, timing, wanted.reason)};
}

decision decide(const payment& p, const refund_payment& wanted, const command_key& command, time_point now,
                const machine_timing& timing) {
  using enum payment_state;
  if (p.open) return machine::conclude_at_once(p, operation::refund, problem::payment_outcome_pending);
  const auto left = machine::remaining(p);
  if ((p.state != captured && p.state != partially_refunded) || left <= 0 || p.records.refunds.size() >= most_refunds)
    return machine::conclude_at_once(p, operation::refund, problem::not_refundable);
  if (!traits_of(p.provider).refunds)
    return machine::conclude_at_once(p, operation::refund, problem::refund_not_supported);
  if (machine::disputed(p) > 0) return machine::conclude_at_once(p, operation::refund, problem::payment_disputed);
  const auto amount = wanted.amount == 0 ? left : wanted.amount;
  if (amount > left) return machine::conclude_at_once(p, operation::refund, problem::refund_exceeds_captured);
  return claim{machine::claimed_for(p, command, operation::refund, amount, now, timing, wanted.reason)};
}

/// The provider is asked to accept no more payment. If the customer has paid before that, the payment remains valid.
decision decide(const payment& p, const cancel_payment& wanted, const command_key& command, time_point now,
                const machine_timing& timing) {
  if (p.open) return machine::conclude_at_once(p, operation::cancel, problem::payment_outcome_pending);
  if (is_cancelled(p)) {
    auto done = machine::conclude_at_once(p, operation::cancel, std::nullopt);
    done.result.error = p.error;
    return done;
  }
  if (!awaits_customer(p)) return machine::conclude_at_once(p, operation::cancel, problem::not_cancellable);
  return claim{machine::claimed_for(p, command, operation::cancel, 0, now, timing, wanted.reason)};
}

namespace machine {

/// Whether the answer ends the operation. Pending ends only a creation, which may wait for its customer, and a refund,
/// which may be executed later. For any other operation it means an unknown outcome.
static bool settles(const provider_result& answer, operation what) noexcept {
  return answer.status == provider_status::approved || answer.status == provider_status::declined ||
         (answer.status == provider_status::pending && (creates(what) || what == operation::refund));
}

/// The attempt to create a payment. On a hosted page the customer is charged later, if at all.
static std::string_view creation_attempt_name(const payment& p) noexcept {
  return p.how == flow::server ? payment_attempt_name(p) : "hosted_session";
}

/// An unknown outcome is a state, not a failure: the operation stays open until the reconciler has the outcome.
static void leave_open(transition& t, const provider_result& answer, time_point now, const machine_timing& timing) {
  auto& next = t.next;
  auto& open = *next.open;
  const bool answered_before = open.answered;
  next.version += 1;
  open.answered = true;
  open.asked += 1;
  next.due_at = now + reconcile_delay(open.asked, timing);
  next.updated_at = now;
  const auto name = creates(open.what) ? creation_attempt_name(next) : to_string(open.what);
  if (creates(open.what)) {
    next.state = payment_state::processing;
    next.status = provider_status::pending;
    next.error = answer.error;
  }
  if (!answered_before) append(t, timeline_kind::attempt, name, "unknown", answer.error, now);
  t.result.failure = problem::provider_outcome_unknown;
  t.result.status = provider_status::pending;
}

static void name_customer(payment& p, const provider_result& answer) {
  if (p.customer && !answer.customer_id.empty()) p.customer->provider_id = answer.customer_id;
}

static void conclude_creation(transition& t, const provider_result& answer, time_point now,
                              const machine_timing& timing) {
  auto& next = t.next;
  next.provider_ref = answer.provider_ref;
  name_customer(next, answer);
  if (answer.status == provider_status::approved) {
    save_method(next, answer.saved_method);
    return mark_paid(t, payment_attempt_name(next), now);
  }
  const auto name = creation_attempt_name(next);
  if (answer.status == provider_status::declined) {
    append(t, timeline_kind::attempt, name, "declined", answer.error, now);
    return mark_failed(t, answer.error, now);
  }
  next.state = payment_state::processing;
  next.status = provider_status::pending;
  next.error.reset();
  next.hosted_url = answer.hosted_url;
  next.due_at = first_provider_query(next, now, timing);
  t.result.action = answer.action;
  append(t, timeline_kind::attempt, name, "pending", std::nullopt, now);
}

/// A rejected capture leaves the payment authorized. It is answered with 200, and the error in the body has the reason.
static void conclude_capture(transition& t, std::int64_t amount, const provider_result& answer, time_point now) {
  append(t, timeline_kind::attempt, "capture", to_string(answer.status), answer.error, now);
  if (answer.status != provider_status::approved) return;
  mark_captured(t.next, now);
  t.next.captured = answer.captured > 0 ? std::min(answer.captured, t.next.amount.minor) : amount;
  append_event(t, event_type::payment_captured, now);
}

/// The id of the refund that an operation makes: an operation's claim is unique in its payment.
static std::string refund_id_of(const payment& p, const open_operation& open) {
  return derived_id("re_", p.key, std::to_string(open.claim));
}

static void conclude_refund(transition& t, const open_operation& open, const provider_result& answer, time_point now) {
  append(t, timeline_kind::attempt, "refund", to_string(answer.status), answer.error, now);
  if (answer.status == provider_status::declined) {
    t.result.failure = problem::refund_rejected;
    return;
  }
  // The provider has answered with a refund that is listed here already. It was made under the same key before the
  // database was replaced by an older copy, and the recovery has found it. It counts once.
  const auto& listed = t.next.records.refunds;
  const auto known = answer.movement_ref.empty()
                         ? listed.end()
                         : std::ranges::find(listed, answer.movement_ref, &refund::provider_ref);
  if (known != listed.end()) {
    t.result.refunded_amount = known->amount;
    t.result.refund_id = known->id;
    return;
  }
  const bool is_pending = answer.status == provider_status::pending;
  refund made{refund_id_of(t.next, open),
              open.amount,
              is_pending ? refund_status::pending : refund_status::succeeded,
              t.by,
              now,
              open.reason,
              {},
              answer.movement_ref};
  t.result.refunded_amount = open.amount;
  t.result.refund_id = made.id;
  add_refund(t, std::move(made), now);
}

static void conclude_void(transition& t, const open_operation& open, const provider_result& answer, time_point now) {
  append(t, timeline_kind::attempt, "void", to_string(answer.status), answer.error, now);
  if (answer.status != provider_status::approved) {
    t.result.failure = problem::void_rejected;
    return;
  }
  t.entries.back().message = open.reason;
  t.next.state = payment_state::voided;
  append_event(t, event_type::payment_voided, now);
}

/// The customer may have paid before the checkout was closed.
static void conclude_cancel(transition& t, const open_operation& open, const provider_result& answer, time_point now) {
  auto& next = t.next;
  if (answer.status == provider_status::approved) {
    if (next.customer && next.customer->provider_id.empty()) name_customer(next, answer);
    save_method(next, charged_method(next, answer.saved_method));
    t.by = entry_origin::provider;
    mark_paid(t, payment_attempt_name(next), now);
    t.result.failure = problem::not_cancellable;
    return;
  }
  provider_error cancelled{error_category::validation, std::string{checkout_cancelled},
                           "The checkout was cancelled before the customer paid.", false, false};
  append(t, timeline_kind::attempt, to_string(operation::cancel), "approved", std::nullopt, now);
  t.entries.back().message = open.reason;
  t.result.error = cancelled;
  mark_failed(t, std::move(cancelled), now);
}

}  // namespace machine

transition conclude(const payment& p, const provider_result& answer, time_point now, const machine_timing& timing) {
  assert(p.open);
  const auto open = *p.open;
  const auto what = open.what;
  transition t{p, {}, {}};
  t.by = machine::origin_of(open.command);
  t.result.what = what;
  t.result.status = answer.status;
  t.result.error = answer.error;
  t.movement_ref = answer.movement_ref;
  if (!machine::settles(answer, what)) {
    machine::leave_open(t, answer, now, timing);
  } else {
    machine::close(t.next, now);
    switch (what) {
      case operation::create:
      case operation::charge: machine::conclude_creation(t, answer, now, timing); break;
      case operation::capture: machine::conclude_capture(t, open.amount, answer, now); break;
      case operation::refund: machine::conclude_refund(t, open, answer, now); break;
      case operation::void_payment: machine::conclude_void(t, open, answer, now); break;
      case operation::cancel: machine::conclude_cancel(t, open, answer, now); break;
    }
    if (what == operation::cancel && !open.answered) machine::schedule_late_query(t.next, now);
    // A refusal, or an outcome that was unknown before, may be due to a change at the provider, so the payment is
    // compared.
    const bool may_differ = open.answered || (answer.status == provider_status::declined && !machine::creates(what));
    const bool compares = answer.is_followed || open.compares || (may_differ && !traits_of(p.provider).sandbox);
    if (compares && !t.next.due_at && !t.next.provider_ref.empty()) t.next.due_at = now;
    machine::look_daily(t.next, now);
  }
  t.result.after = t.next;
  return t;
}

std::optional<transition> settle_as(const payment& p, const settle_payment& wanted, time_point now,
                                    const machine_timing& timing) {
  provider_result said;
  said.status = wanted.approved ? provider_status::approved : provider_status::declined;
  said.provider_ref = p.provider_ref;
  if (!wanted.approved)
    said.error = provider_error{error_category::provider, std::string{settled_by_operator},
                                "The provider did not say whether this was done; an operator found that it was not.",
                                false, false};
  std::optional<transition> t;
  if (p.open && p.open->answered)
    t = conclude(p, said, now, timing);
  else if (machine::has_outlived_its_end(p))
    t = settle_wait(p, said, true, now, timing);
  if (!t) return std::nullopt;
  if (lacks_reference(t->next)) t->next.due_at = now;
  for (auto& entry : t->entries) {
    entry.by = entry_origin::operator_;
    if (entry.kind == timeline_kind::attempt) entry.message = wanted.reason;
  }
  return t;
}

std::variant<transition, problem> decide(const payment& p, const record_refund& wanted, time_point now) {
  if (p.open) return problem::payment_outcome_pending;
  // The id stays the same when the provider later lists the refund under its own reference.
  const auto id = derived_id("re_", p.key, wanted.reference);
  for (const auto& each : p.records.refunds)
    if (each.provider_ref == wanted.reference || each.id == id) return problem::refund_already_recorded;
  if (p.state != payment_state::captured && p.state != payment_state::partially_refunded)
    return problem::not_refundable;
  if (wanted.amount > machine::remaining(p)) return problem::refund_exceeds_captured;
  if (p.records.refunds.size() >= most_refunds) return problem::not_refundable;
  transition t{p, {}, {}, {}, entry_origin::operator_};
  t.next.version += 1;
  t.next.updated_at = now;
  machine::append(t, timeline_kind::attempt, "refund", "approved", std::nullopt, now);
  t.entries.back().message = wanted.reason;
  machine::add_refund(t, {id, wanted.amount, refund_status::succeeded, t.by, now, wanted.reason, {}, wanted.reference},
                      now);
  t.result.after = t.next;
  return t;
}

bool asks_again(const payment& p, time_point now, const machine_timing& timing) noexcept {
  return p.open && p.due_at && (*p.due_at <= now || *p.due_at > machine::latest_due(now, timing));
}

wait_step due_step(const payment& p, time_point now, const machine_timing& timing) noexcept {
  if (p.open || !p.due_at || *p.due_at > now) return wait_step::none;
  if (!awaits_customer(p)) return wait_step::compare;
  const bool may_still_pay = !traits_of(p.provider).sandbox && now < machine::end_of_wait(p, timing);
  return may_still_pay ? wait_step::look : wait_step::close;
}

namespace machine {

static transition paid_by_customer(const payment& p, const std::string& method, time_point now,
                                   std::string movement_ref = {}) {
  transition t{p, {}, {}, std::move(movement_ref), entry_origin::provider};
  close(t.next, now);
  save_method(t.next, method);
  mark_paid(t, payment_attempt_name(p), now);
  look_daily(t.next, now);
  t.result.after = t.next;
  return t;
}

static transition not_paid_by_customer(const payment& p, std::string_view attempt, provider_error error, time_point now,
                                       entry_origin by) {
  transition t{p, {}, {}, {}, by};
  close(t.next, now);
  append(t, timeline_kind::attempt, attempt, "declined", error, now);
  mark_failed(t, std::move(error), now);
  schedule_late_query(t.next, now);
  t.result.after = t.next;
  return t;
}

}  // namespace machine

std::optional<transition> settle_hosted(const payment& p, hosted_signal signal, time_point now,
                                        const std::string& fresh_method) {
  if (!awaits_customer(p) || signal == hosted_signal::sent) return std::nullopt;
  if (signal == hosted_signal::paid)
    return machine::paid_by_customer(p, p.how == flow::server ? p.details.payment_method : fresh_method, now);
  const bool challenge = p.how == flow::server;
  return machine::not_paid_by_customer(
      p, machine::payment_attempt_name(p),
      {error_category::provider, challenge ? "authentication_failed" : "card_declined",
       challenge ? "The customer did not pass the authentication." : "The customer's payment was declined.", false,
       false},
      now, entry_origin::provider);
}

namespace machine {

bool has_outlived_its_end(const payment& p) noexcept {
  return awaits_customer(p) && p.error && p.error->outcome_unknown;
}

}  // namespace machine

std::optional<time_point> unknown_since(const payment& p, duration_ms hosted_expiry) noexcept {
  if (!has_unknown_outcome(p)) return std::nullopt;
  return p.open ? p.open->begun_at : p.created_at + hosted_expiry;
}

std::optional<transition> settle_wait(const payment& p, const provider_result& answer, bool closed, time_point now,
                                      const machine_timing& timing) {
  if (!awaits_customer(p)) return std::nullopt;
  if (answer.status == provider_status::approved) {
    auto named = p;
    if (named.customer && named.customer->provider_id.empty()) machine::name_customer(named, answer);
    return machine::paid_by_customer(named, machine::charged_method(named, answer.saved_method), now,
                                     answer.movement_ref);
  }
  if (answer.status == provider_status::declined) {
    auto error =
        answer.error.value_or(provider_error{error_category::timeout, "checkout_expired",
                                             "The customer did not complete the checkout in time.", false, false});
    const bool on_page = closed || p.how != flow::server;
    return machine::not_paid_by_customer(p, on_page ? "hosted_session" : machine::payment_attempt_name(p),
                                         std::move(error), now, closed ? entry_origin::system : entry_origin::provider);
  }
  transition t{p, {}, {}, {}, entry_origin::system};
  t.next.version += 1;
  if (closed && !machine::has_outlived_its_end(p)) {
    t.next.error = provider_error{
        error_category::timeout, "checkout_outcome_unknown",
        "The time to pay is over, and the provider does not say whether the payment was made.", false, true};
    machine::append(t, timeline_kind::attempt, "hosted_session", "unknown", t.next.error, now);
  }
  machine::note_failed_try(t, answer, now);
  t.next.due_at = machine::next_provider_query(p, now, timing);
  t.next.updated_at = now;
  t.result.after = t.next;
  return t;
}

}  // namespace gateway
