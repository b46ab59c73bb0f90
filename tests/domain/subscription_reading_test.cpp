// What a provider says of a subscription now, compared with the row.
#include <catch2/catch.hpp>

#include "gateway/domain/subscription_reading.hpp"
#include "subscription_histories.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

using texts = std::vector<std::string>;

/// As it was activated at an external provider.
subscription known_subscription() {
  auto s = pending_checkout();
  s.provider = provider_kind::stripe;
  const auto created = notification("evt_1", notification_kind::created, subscription_status::active, 0);
  auto outcome = apply(s, created, false, now);
  s = std::get<subscription_transition>(std::move(outcome)).next;
  s.state.period_end = now + 24h * 30;
  return s;
}

subscription_statement statement_of(const subscription& s) {
  return {s.provider_subscription_id, s.state, {now + 1h, 0, notification_kind::updated, {}}};
}

subscription_invoice invoice(std::string id, std::int64_t amount = 1500) {
  return {std::move(id), {amount, *currency::parse("EUR")}, now, now + 24h * 30, 1, false, {}, {}};
}

texts kinds_of(const std::vector<subscription_notification>& all) {
  texts found;
  for (const auto& n : all) {
    CHECK_FALSE(fault_of(n));
    found.emplace_back(to_string(n.kind));
  }
  return found;
}

texts events_of(const subscription_transition& t) {
  texts found;
  for (const auto& each : t.events) found.emplace_back(to_string(each.type));
  return found;
}

}  // namespace

TEST_CASE("a subscription is read daily, and soon after its cycle ends, while it lives at an external provider") {
  const auto s = known_subscription();
  CHECK(s.due_at == now + 24h);
  CHECK(next_reading(s, now) == now + 24h);
  CHECK(next_reading(s, *s.state.period_end - 1h) == *s.state.period_end + 2h);
  CHECK(next_reading(s, *s.state.period_end + 3h) == *s.state.period_end + 27h);
  auto sandboxed = s;
  sandboxed.provider = provider_kind::sandbox;
  auto ended = s;
  ended.state.status = subscription_status::canceled;
  auto unpaid = pending_checkout();
  unpaid.provider = provider_kind::stripe;
  for (const auto& each : {sandboxed, ended, unpaid}) CHECK_FALSE(next_reading(each, now));
  auto unseen = s;
  unseen.activated = false;
  CHECK(next_reading(unseen, now) == now + 1h);
}

TEST_CASE("a subscription that equals the provider's has no difference") {
  const auto s = known_subscription();
  auto seen = statement_of(s);
  CHECK(differences(s, seen, {}, now).empty());
  seen.state.metadata = {{"schedule", "s1"}};
  seen.state.provider_customer_id = "another";
  CHECK(differences(s, seen, {}, now).empty());
  seen.state.status = subscription_status::past_due;
  CHECK(kinds_of(differences(s, seen, {}, now)) == texts{"updated"});
  seen.provider_subscription_id = "sub_other";
  CHECK(differences(s, seen, {invoice("in_1")}, now).empty());
}

TEST_CASE("a lost payment, a lost change and a lost end are found, and nothing is found twice") {
  const auto s = known_subscription();
  auto seen = statement_of(s);
  seen.state.period_end = now + 24h * 60;
  const auto found = differences(s, seen, {invoice("in_1"), invoice("in_2"), invoice("in_0", 0)}, now);
  CHECK(kinds_of(found) == texts{"invoice_paid", "invoice_paid", "updated"});
  auto t = caught_up(s, found, now);
  CHECK(t.next.version == s.version + 1);
  CHECK(t.next.state.period_end == seen.state.period_end);
  CHECK(events_of(t) == texts{"invoice_paid", "invoice_paid", "updated"});
  REQUIRE(t.charges.size() == 2);
  CHECK(t.charges[0].payment.id == "pay_in_1");
  CHECK(t.charges[0].invoice.amount.minor == 1500);
  CHECK(differences(t.next, seen, {}, now).empty());
  // A second read within the same second of the gateway's clock counts as later than the first.
  seen.state.status = subscription_status::paused;
  t = caught_up(t.next, differences(t.next, seen, {}, now), now);
  CHECK(t.next.state.status == subscription_status::paused);
  // What happens later at the provider is later than both, whatever the clock here says.
  auto later = notification("evt_2", notification_kind::updated, subscription_status::active, 1);
  CHECK(std::get<subscription_transition>(apply(t.next, later, false, now)).next.state.status ==
        subscription_status::active);

  seen.state.status = subscription_status::canceled;
  seen.state.canceled_at = now;
  t = caught_up(t.next, differences(t.next, seen, {}, now), now);
  CHECK(t.next.state.status == subscription_status::canceled);
  CHECK(events_of(t) == texts{"canceled"});
  CHECK_FALSE(t.next.due_at);
  CHECK(differences(t.next, seen, {}, now).empty());
}

TEST_CASE("a subscription whose creation was lost becomes active, and its first cycle is paid") {
  auto s = pending_checkout();
  s.provider = provider_kind::stripe;
  s.provider_subscription_id = provider_sub;
  auto seen = statement_of(known_subscription());
  const auto found = differences(s, seen, {invoice("in_1")}, now);
  CHECK(kinds_of(found) == texts{"created", "invoice_paid"});
  const auto t = caught_up(s, found, now);
  CHECK(t.next.activated);
  CHECK(t.next.state.status == subscription_status::active);
  CHECK(events_of(t) == texts{"activated", "invoice_paid"});
  CHECK(t.charges.size() == 1);
  seen.state.status = subscription_status::canceled;
  CHECK(kinds_of(differences(s, seen, {}, now)) == texts{"created", "deleted"});
}
