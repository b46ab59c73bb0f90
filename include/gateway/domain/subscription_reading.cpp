#include "gateway/domain/subscription_reading.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gateway {

namespace {

using namespace std::chrono_literals;

/// A cycle's invoice is collected about an hour after the cycle before has ended.
constexpr duration_ms collected_after = 2h;
/// The pause if the creation's notification has not arrived: it is either on its way, or lost.
constexpr duration_ms unseen_creation = 1h;

metadata_map in_order(metadata_map metadata) {
  std::ranges::sort(metadata);
  return metadata;
}

/// Ignores the times of the end, which a provider states in several forms, and the order of metadata.
bool states_the_same(const subscription_projection& a, const subscription_projection& b) {
  return a.status == b.status && a.amount == b.amount && a.every == b.every && a.period_start == b.period_start &&
         a.period_end == b.period_end && a.cancel_at == b.cancel_at && in_order(a.metadata) == in_order(b.metadata);
}

/// The same id for the same version of the row. It sorts after every id that the row has for the same moment.
std::string reading_id(const subscription& s, std::string_view what) {
  auto version = std::to_string(s.version);
  version.insert(0, version.size() < 12 ? 12 - version.size() : 0, '0');
  return std::string{"read_"}.append(s.provider_subscription_id).append("_").append(version).append("_").append(what);
}

}  // namespace

bool can_be_read(const subscription& s) noexcept {
  return !traits_of(s.provider).sandbox && !s.open && !s.provider_subscription_id.empty() && !is_final(s.state.status);
}

std::optional<time_point> next_reading(const subscription& s, time_point now) noexcept {
  if (!can_be_read(s)) return std::nullopt;
  if (!s.activated) return now + unseen_creation;
  const auto tomorrow = now + machine::daily_look;
  if (!s.state.period_end || *s.state.period_end + collected_after <= now) return tomorrow;
  return std::min(tomorrow, *s.state.period_end + collected_after);
}

std::vector<subscription_notification> differences(const subscription& s, const subscription_statement& seen,
                                                   const std::vector<subscription_invoice>& unpaid_here,
                                                   time_point now) {
  std::vector<subscription_notification> all;
  if (!can_be_read(s) || seen.provider_subscription_id != s.provider_subscription_id) return all;
  const auto add = [&](notification_kind kind, std::string event_id) -> subscription_notification& {
    subscription_notification n;
    n.event_id = std::move(event_id);
    n.kind = kind;
    // Directly after the known position, so that every later event at the provider is later than this.
    n.at = s.known ? s.known->at : std::chrono::floor<std::chrono::seconds>(now);
    n.sequence = s.known ? s.known->sequence : 0;
    n.provider_subscription_id = s.provider_subscription_id;
    n.state = seen.state;
    return all.emplace_back(std::move(n));
  };
  if (!s.activated) add(notification_kind::created, reading_id(s, "created"));
  for (const auto& invoice : unpaid_here) {
    if (invoice.amount.minor <= 0) continue;
    add(notification_kind::invoice_paid, std::string{"read_"}.append(invoice.id).append("_paid")).invoice = invoice;
  }
  if (states_the_same(s.state, seen.state) || (!s.activated && !is_final(seen.state.status))) return all;
  if (seen.state.status == subscription_status::canceled)
    add(notification_kind::deleted, reading_id(s, "deleted"));
  else
    add(notification_kind::updated, reading_id(s, "updated")).status_changed = s.state.status != seen.state.status;
  return all;
}

subscription_transition caught_up(const subscription& s, const std::vector<subscription_notification>& all,
                                  time_point now) {
  subscription_transition whole{s, {}, {}, {}, {}};
  const auto take = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  for (const auto& n : all) {
    auto outcome = apply(whole.next, n, false, now);
    auto* one = std::get_if<subscription_transition>(&outcome);
    if (!one) continue;
    whole.next = std::move(one->next);
    take(whole.events, one->events);
    take(whole.charges, one->charges);
  }
  whole.next.version = s.version + 1;
  return whole;
}

std::string counted_invoice(const subscription& s, std::string_view invoice_id) {
  return std::string{to_string(s.provider)}.append(":paid:").append(invoice_id);
}

}  // namespace gateway
