#include "steps.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "gateway/domain/event_type.hpp"
#include "gateway/domain/ledger.hpp"
#include "text_of.hpp"

namespace gateway::simulation {

namespace {

/// What the events so far have made of the payment.
struct standing {
  payment_state state;
  std::int64_t captured = 0, refunded = 0, taken = 0, lost = 0;
  bool operator==(const standing&) const = default;
};

standing standing_of(const payment& row) {
  return {row.state, row.captured, row.refunded, taken_of(row), sum_of(row.records.disputes, is_lost)};
}

std::string shown(const standing& s) {
  return text_of(to_string(s.state), " with ", s.captured, " captured, ", s.refunded, " refunded, ", s.taken,
                 " taken back and ", s.lost, " lost");
}

bool is_one_of(payment_state state, std::initializer_list<payment_state> all) {
  return std::ranges::find(all, state) != all.end();
}

payment_state state_by_refunds(const standing& s) {
  return s.refunded == 0                     ? payment_state::captured
         : s.refunded + s.lost >= s.captured ? payment_state::refunded
                                             : payment_state::partially_refunded;
}

struct event_rule {
  event_type type;
  std::vector<payment_state> from;
  std::vector<ledger_kind> moves;  ///< one of them
  bool may_move_nothing;
};

const std::vector<event_rule>& rules() {
  using enum payment_state;
  static const std::vector<payment_state> paid{captured, partially_refunded, refunded};
  static const std::vector<event_rule> all{
      {event_type::payment_captured, {created, processing, authorized, failed, voided}, {ledger_kind::captured}, false},
      {event_type::payment_failed, {created, processing}, {ledger_kind::failed}, false},
      {event_type::payment_voided, {authorized}, {}, true},
      {event_type::payment_partially_refunded, {captured, partially_refunded}, {ledger_kind::refunded}, false},
      {event_type::payment_refunded, {captured, partially_refunded}, {ledger_kind::refunded}, false},
      {event_type::payment_refund_failed, {partially_refunded, refunded}, {ledger_kind::refund_failed}, false},
      {event_type::dispute_opened, paid, {ledger_kind::dispute_opened}, true},
      {event_type::dispute_updated, paid, {ledger_kind::dispute_opened, ledger_kind::dispute_won}, true},
      {event_type::dispute_closed, paid, {ledger_kind::dispute_won, ledger_kind::dispute_lost}, true}};
  return all;
}

void add_movement(standing& s, const ledger_entry& entry) {
  const auto minor = entry.amount.minor;
  switch (entry.what) {
    case ledger_kind::captured: s.captured += minor; break;
    case ledger_kind::refunded: s.refunded += minor; break;
    case ledger_kind::refund_failed: s.refunded -= minor; break;
    case ledger_kind::dispute_opened: s.taken += minor; break;
    case ledger_kind::dispute_won: s.taken -= minor; break;
    case ledger_kind::dispute_lost: s.lost += minor; break;
    case ledger_kind::failed: break;
  }
}

payment_state state_after(const standing& s, event_type type) {
  switch (type) {
    case event_type::payment_captured: return payment_state::captured;
    case event_type::payment_failed: return payment_state::failed;
    case event_type::payment_voided: return payment_state::voided;
    case event_type::payment_partially_refunded:
    case event_type::payment_refunded:
    case event_type::payment_refund_failed: return state_by_refunds(s);
    default: return s.state;
  }
}

/// Applies one event; returns what is wrong with it.
std::optional<std::string> apply(standing& s, const timeline_entry& event, const ledger_entry* moved) {
  const auto rule =
      std::ranges::find_if(rules(), [&](const event_rule& r) { return to_string(r.type) == event.operation; });
  if (rule == rules().end()) return text_of("has an event ", event.operation);
  if (std::ranges::find(rule->from, s.state) == rule->from.end())
    return text_of("is ", to_string(s.state), " at the event ", event.operation);
  if (!moved && !rule->may_move_nothing) return text_of("has no movement for the event ", event.operation);
  if (moved && std::ranges::find(rule->moves, moved->what) == rule->moves.end())
    return text_of("has the movement ", to_string(moved->what), " for the event ", event.operation);
  if (moved) add_movement(s, *moved);
  s.state = state_after(s, rule->type);
  const bool is_whole = s.state == payment_state::refunded;
  if (rule->type != event_type::payment_refund_failed && rule->moves == std::vector{ledger_kind::refunded} &&
      is_whole != (rule->type == event_type::payment_refunded))
    return text_of("is ", to_string(s.state), " after the event ", event.operation);
  if (s.refunded < 0 || s.refunded > s.captured || s.taken < 0)
    return text_of("is ", shown(s), " after the event ", event.operation);
  return std::nullopt;
}

}  // namespace

std::int64_t taken_of(const payment& row) {
  return sum_of(row.records.disputes, is_open) + sum_of(row.records.disputes, is_lost);
}

bool is_caused_by_provider(const testing::unit_parts& unit) {
  return std::ranges::count(unit.entries, entry_origin::provider, &timeline_entry::by) > 0;
}

std::optional<std::string> fault_of_steps(const payment& from, const payment& to, const testing::unit_parts& unit) {
  auto now = standing_of(from);
  std::size_t used = 0;
  for (const auto& entry : unit.entries) {
    const bool is_authorized =
        entry.kind == timeline_kind::attempt && entry.operation == "authorize" && entry.status == "approved" &&
        is_one_of(now.state, {payment_state::created, payment_state::processing, payment_state::failed});
    if (is_authorized) now.state = payment_state::authorized;
    if (entry.kind != timeline_kind::event) continue;
    const auto moved = std::ranges::find(unit.ledger, entry.seq, &ledger_entry::seq);
    const bool has_moved = moved != unit.ledger.end();
    used += has_moved;
    if (auto fault = apply(now, entry, has_moved ? &*moved : nullptr)) return fault;
  }
  if (used != unit.ledger.size())
    return text_of("has ", unit.ledger.size(), " movements, and ", used, " events of movements");
  if (const auto wanted = standing_of(to); now != wanted)
    return text_of("becomes ", shown(wanted), ", and its events say ", shown(now));
  return std::nullopt;
}

}  // namespace gateway::simulation
