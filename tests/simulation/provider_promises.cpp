#include "provider_promises.hpp"

#include <algorithm>
#include <string_view>

#include "text_encoder.hpp"
#include "text_of.hpp"

namespace gateway::simulation {

namespace {

using namespace std::chrono_literals;

bool is_followed(const payment& row) { return !traits_of(row.provider).sandbox && !row.provider_ref.empty(); }

std::string_view name_of(charge_state as) {
  switch (as) {
    case charge_state::unknown: return "unknown";
    case charge_state::waiting: return "waiting";
    case charge_state::authorized: return "authorized";
    case charge_state::captured: return "captured";
    case charge_state::canceled: return "canceled";
    case charge_state::expired: return "expired";
    case charge_state::failed: return "failed";
  }
  return {};
}

/// Why it is voided, unless that was requested.
bool has_reason_of(const payment& row, charge_state as) {
  const auto& reason = row.records.void_reason;
  if (row.state != payment_state::voided || reason.empty() || reason == void_requested) return true;
  return reason == (as == charge_state::expired ? authorization_expired : cancelled_at_provider);
}

bool is_as(const payment& row, const provider_truth& truth) {
  using enum payment_state;
  switch (truth.charge) {
    case charge_state::unknown: return false;
    case charge_state::waiting: return awaits_customer(row);
    case charge_state::authorized: return row.state == authorized;
    case charge_state::captured: return row.captured == truth.captured;
    // Nothing need be known of an authorization of a payment that had failed.
    case charge_state::canceled:
    case charge_state::expired: return (row.state == voided || row.state == failed) && has_reason_of(row, truth.charge);
    case charge_state::failed: return row.state == failed;
  }
  return false;
}

std::string difference_of_refunds(const payment& row, const provider_truth& truth) {
  const auto& here = row.records.refunds;
  for (const auto& there : truth.refunds) {
    const auto known = std::ranges::count(here, there.ref, &refund::provider_ref);
    // One that failed before the gateway saw it need not be known.
    if (known == 0 && there.status == refund_status::failed) continue;
    if (known != 1) return text_of("has the refund ", there.ref, ' ', known, " times");
    const auto& one = *std::ranges::find(here, there.ref, &refund::provider_ref);
    if (one.status != there.status || one.amount != there.amount)
      return text_of("has the refund ", there.ref, " of ", one.amount, " as ", to_string(one.status), ", the provider ",
                     there.amount, " as ", to_string(there.status));
  }
  for (const auto& one : here)
    if (std::ranges::count(truth.refunds, one.provider_ref, &provider_refund::ref) == 0)
      return text_of("has the refund ", one.provider_ref, ", which the provider has not");
  if (const auto sum = refunded_of(truth); sum != row.refunded)
    return text_of("has ", row.refunded, " refunded, the provider ", sum);
  return {};
}

std::string difference_of_disputes(const payment& row, const provider_truth& truth) {
  const auto& here = row.records.disputes;
  for (const auto& there : truth.disputes) {
    const auto known = std::ranges::count(here, there.ref, &dispute::provider_ref);
    if (known != 1) return text_of("has the dispute ", there.ref, ' ', known, " times");
    const auto& one = *std::ranges::find(here, there.ref, &dispute::provider_ref);
    if (one.status != there.status || one.amount != there.amount || one.reason != there.reason ||
        one.closed_at.has_value() != is_closed(there.status))
      return text_of("has the dispute ", there.ref, " of ", one.amount, " as ", to_string(one.status),
                     ", the provider ", there.amount, " as ", to_string(there.status));
  }
  if (here.size() != truth.disputes.size())
    return text_of("has ", here.size(), " disputes, the provider ", truth.disputes.size());
  return {};
}

}  // namespace

std::string difference_of(const payment& row, const payment_there& there) {
  if (row.provider_ref != there.ref) return "has another reference than its provider gave it";
  if (!is_as(row, there.truth))
    return text_of("is ", to_string(row.state), " with ", row.captured, " captured, at its provider it is ",
                   name_of(there.truth.charge), " with ", there.truth.captured);
  auto found = difference_of_refunds(row, there.truth);
  return found.empty() ? difference_of_disputes(row, there.truth) : found;
}

const payment_there* provider_promises::find(const payment& row) const {
  const auto* there = there_.find(row.key);
  if (!there) all_.break_(row.key.id + " has a reference, and its provider does not have it");
  return there;
}

bool provider_promises::is_unnoticed(const payment_there& there) const {
  return there.last_notice && !notices_.is_applied(*there.last_notice);
}

// ---- a quiet day --------------------------------------------------------------------------------

bool provider_promises::anything_due() const {
  const auto soon = time_.now() + 12h;
  return std::ranges::any_of(rows_.payments, [&](const auto& each) {
    const auto& row = each.second;
    return !row.open && !awaits_customer(row) && row.due_at && *row.due_at < soon;
  });
}

void provider_promises::count_changed() const {
  for (const auto& [key, row] : rows_.payments) {
    if (!is_followed(row) || row.state != payment_state::authorized) continue;
    if (const auto* there = find(row); there && !difference_of(row, *there).empty())
      log_.occurs("an authorized payment is found changed within a day");
  }
}

void provider_promises::check_without_refresh() const {
  for (const auto& [key, row] : rows_.payments) {
    if (!is_followed(row)) continue;
    const auto* there = find(row);
    if (!there) return;
    if (row.state == payment_state::authorized && !row.due_at)
      all_.break_(row.key.id + " is authorized, and its provider will not be asked about it");
    const bool is_silent = row.state != payment_state::authorized && is_unnoticed(*there);
    if (there->last_notice && !is_silent) log_.occurs("a payment follows without a refresh");
    if (is_silent && !difference_of(row, *there).empty()) log_.occurs("a payment needs a refresh");
    if (!is_silent) check_agrees(row, *there);
  }
}

void provider_promises::before_second_refresh() {
  for (const auto& [key, row] : rows_.payments) lengths_[key] = row.next_seq;
}

void provider_promises::after_second_refresh() const {
  for (const auto& [key, row] : rows_.payments)
    if (const auto before = lengths_.find(key); before == lengths_.end() || before->second != row.next_seq)
      all_.break_(row.key.id + ": a refresh that finds nothing new is in its timeline");
}

// ---- at rest ------------------------------------------------------------------------------------

void provider_promises::at_rest() const {
  for (const auto& [key, row] : rows_.payments) {
    if (!is_followed(row)) continue;
    const auto* there = find(row);
    if (!there) return;
    check_agrees(row, *there);
    check_refunds(row, *there);
    check_disputes(row, *there);
    check_events(row);
  }
}

void provider_promises::check_agrees(const payment& row, const payment_there& there) const {
  if (const auto found = difference_of(row, there); !found.empty()) all_.break_(row.key.id + ' ' + found);
}

unsigned provider_promises::events(const payment& row, event_type type, const std::string& about) const {
  const auto timeline = rows_.timelines.find(testing::memory_store::id(row.key));
  if (timeline == rows_.timelines.end()) return 0;
  const auto object = std::string{about_object} + about;
  return static_cast<unsigned>(std::ranges::count_if(timeline->second, [&](const auto& each) {
    const auto& entry = each.second;
    return entry.kind == timeline_kind::event && entry.operation == to_string(type) &&
           (about.empty() || entry.event_data.ends_with(object));
  }));
}

provider_promises::moved provider_promises::entries(const payment& row, ledger_kind what,
                                                    const std::string& movement_ref) const {
  moved all;
  for (const auto& [key, entry] : rows_.ledger) {
    if (entry.payment != row.key || entry.what != what || entry.movement_ref != movement_ref) continue;
    ++all.count;
    all.minor += entry.amount.minor;
  }
  return all;
}

void provider_promises::check_refunds(const payment& row, const payment_there& there) const {
  for (const auto& one : row.records.refunds) {
    const bool failed = one.status == refund_status::failed;
    const auto made = entries(row, ledger_kind::refunded, one.provider_ref),
               back = entries(row, ledger_kind::refund_failed, one.provider_ref);
    if (made.count != 1 || made.minor != one.amount || back.count != (failed ? 1U : 0U) ||
        back.minor != (failed ? one.amount : 0))
      all_.break_(text_of(row.key.id, ": its ledger has the refund ", one.provider_ref, ' ', made.count,
                          " times, and its failure ", back.count, " times"));
    const auto reported =
        events(row, event_type::payment_refunded, one.id) + events(row, event_type::payment_partially_refunded, one.id);
    const auto failures = events(row, event_type::payment_refund_failed, one.id);
    if (reported != 1 || failures != (failed ? 1U : 0U))
      all_.break_(
          text_of(row.key.id, ": the refund ", one.id, " has ", reported, " events, and its failure ", failures));
    // If the provider gives a reason for the failure, the payment has it.
    const auto at = std::ranges::find(there.truth.refunds, one.provider_ref, &provider_refund::ref);
    if (at != there.truth.refunds.end() && at->failure_code != one.failure_code)
      all_.break_(
          text_of(row.key.id, ": the refund ", one.id, " failed as ", one.failure_code, ", not as ", at->failure_code));
  }
}

void provider_promises::check_disputes(const payment& row, const payment_there& there) const {
  for (const auto& one : row.records.disputes) {
    const auto opened = entries(row, ledger_kind::dispute_opened, one.provider_ref),
               won = entries(row, ledger_kind::dispute_won, one.provider_ref),
               lost = entries(row, ledger_kind::dispute_lost, one.provider_ref);
    const bool is_taken = is_open(one.status) || is_lost(one.status);
    if (opened.minor - won.minor != (is_taken ? one.amount : 0) || opened.count > 1 || won.count > 1 ||
        lost.count != (is_lost(one.status) ? 1U : 0U) || lost.minor != (is_lost(one.status) ? one.amount : 0))
      all_.break_(text_of(row.key.id, ": its ledger has the dispute ", one.provider_ref, " opened ", opened.count,
                          " times, won ", won.count, " times and lost ", lost.count, " times"));
    const auto begun = events(row, event_type::dispute_opened, one.id),
               changed = events(row, event_type::dispute_updated, one.id),
               ended = events(row, event_type::dispute_closed, one.id);
    const auto changes = there.dispute_changes.find(one.provider_ref);
    const auto most = changes == there.dispute_changes.end() ? 0U : changes->second;
    if (begun != 1 || changed > most || ended != (is_closed(one.status) ? 1U : 0U))
      all_.break_(text_of(row.key.id, ": the dispute ", one.id, " has ", begun, " events of its opening, ", changed,
                          " of changes and ", ended, " of its end"));
  }
}

void provider_promises::check_events(const payment& row) const {
  const auto captures = events(row, event_type::payment_captured), voids = events(row, event_type::payment_voided),
             failures = events(row, event_type::payment_failed);
  if (captures != (row.captured > 0 ? 1U : 0U) || voids != (row.state == payment_state::voided ? 1U : 0U) ||
      failures > 1)
    all_.break_(text_of(row.key.id, " has ", captures, " events of a capture, ", voids, " of a void and ", failures,
                        " of a failure"));
}

}  // namespace gateway::simulation
