// The times and the tries of a payment that waits for its customer at an external provider.
#include <algorithm>
#include <utility>

#include "gateway/domain/payment_machine.hpp"

namespace gateway {

namespace machine {

time_point end_of_wait(const payment& p, const machine_timing& timing) noexcept {
  return p.created_at + timing.hosted_expiry;
}

time_point next_provider_query(const payment& p, time_point now, const machine_timing& timing) noexcept {
  constexpr duration_ms least = std::chrono::minutes{1}, most = std::chrono::hours{1};
  const auto end = end_of_wait(p, timing);
  const auto waited = std::chrono::duration_cast<duration_ms>(now - p.handed_over_at.value_or(p.created_at));
  const auto next = now + std::clamp(waited / 2, least, most);
  return now < end ? std::min(next, end) : next;
}

time_point first_provider_query(const payment& p, time_point now, const machine_timing& timing) noexcept {
  return traits_of(p.provider).sandbox ? now + timing.hosted_expiry : next_provider_query(p, now, timing);
}

void schedule_late_query(payment& p, time_point now) {
  const bool on_page = p.how != flow::server && !p.provider_ref.empty() && !traits_of(p.provider).sandbox;
  if (p.state == payment_state::failed && on_page) p.due_at = now + late_query_pause;
}

void note_failed_try(transition& t, const provider_result& answer, time_point now) {
  auto& p = t.next;
  const bool has_failed = answer.status == provider_status::pending && answer.error && answer.error->retryable;
  if (!has_failed || has_outlived_its_end(p) || p.error == answer.error) return;
  p.error = answer.error;
  const auto by = std::exchange(t.by, entry_origin::provider);
  append(t, timeline_kind::attempt, "hosted_session", "declined", p.error, now);
  t.by = by;
}

}  // namespace machine

std::optional<transition> hand_over(const payment& p, time_point now, const machine_timing& timing) {
  if (!awaits_customer(p)) return std::nullopt;
  transition t{p, {}, {}, {}, entry_origin::system};
  auto& next = t.next;
  next.version += 1;
  next.handed_over_at = now;
  next.due_at = std::min(p.due_at.value_or(time_point::max()), machine::next_provider_query(next, now, timing));
  next.updated_at = now;
  t.result.after = next;
  return t;
}

}  // namespace gateway
