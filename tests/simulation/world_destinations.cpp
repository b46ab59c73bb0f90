// Destinations of webhooks in a world, and its operators.

#include <algorithm>
#include <iterator>
#include <utility>

#include "world.hpp"

namespace gateway::simulation {

using namespace std::chrono_literals;

void world::publish_destinations() {
  const auto open = [&](std::string name, destination_kind kind, std::vector<std::string> events) {
    webhook_endpoint e;
    e.what.id = destination_id{"dest_" + name};
    e.what.kind = kind;
    e.what.owner = kind == destination_kind::merchant ? "merch_1" : "plat_1";
    e.what.url = "https://" + name + ".test/hook";
    e.what.events = std::move(events);
    e.secret = "whsec_" + name;
    endpoints_.push_back(std::move(e));
  };
  open("a", destination_kind::merchant, {});
  open("b", destination_kind::merchant,
       {"payment.captured", "payment.voided", "payment.refunded", "payment.refund_failed", "dispute.opened",
        "dispute.updated", "dispute.closed"});
  if (plan_.destinations > 2) open("c", destination_kind::merchant, {});
  if (has_subscriptions_) {
    std::vector<std::string> every{"payment.captured", "payment.failed"};
    for (const auto* type : {"activated", "updated", "canceled", "invoice_paid", "invoice_failed"})
      every.push_back(std::string{"subscription."} + type);
    open("s", destination_kind::merchant, std::move(every));
  }
  // Platforms get no events of the test environment.
  open("p", destination_kind::platform, {});
  if (has_live_events_) {
    open("live", destination_kind::merchant, {});
    endpoints_.back().what.env = environment::live;
  }
  for (const auto& each : endpoints_) publish(each);
  if (has_live_events_) leave_live_events();
}

/// Stores deliveries in live before the first node starts. Every second one is partial, which test events never are.
/// The destination is a merchant's, because a platform's schedule takes half a day.
void world::leave_live_events() {
  for (std::uint32_t i = 0; i < 12; ++i) {
    timeline_entry event;
    event.seq = 1;
    event.kind = timeline_kind::event;
    event.operation = to_string(event_type::payment_captured);
    event.status = "published";
    event.occurred_at = time_.now() - 1h;
    event.event_id = "evt_live_" + std::to_string(i);
    event.event_data = std::string(i % 3 == 0 ? 5'000 : 50, 'd');  // the worker reads larger data separately
    const auto subject =
        payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_live_" + std::to_string(i)});
    delivery row;
    row.id = delivery_numbers::first_at(event.occurred_at) + i;
    row.subject = subject;
    row.event_seq = event.seq;
    row.to = destination_id{"dest_live"};
    row.next_attempt_at = row.created_at = event.occurred_at;
    row.partial = i % 2 == 0;
    database_.timelines[testing::memory_store::id(subject)][event.seq] = std::move(event);
    delivery_promises_.stored(database_.deliveries.emplace(row.id, row).first->second);
  }
}

/// Publishes in the directory's order: the merchant, then the destination, then the message to the dispatchers.
void world::publish(const webhook_endpoint& changed) {
  auto m = shop(plan_.cards);
  for (const auto& each : endpoints_) m.destinations.push_back(each.what);
  publish_everywhere(std::make_shared<const merchant>(std::move(m)));
  publish_everywhere(std::make_shared<const webhook_endpoint>(changed));
  delivery_promises_.published(changed);
  for (const auto& n : nodes_)
    if (n) n->notify({changed.what.id});
}

void world::set_status(webhook_endpoint& of, destination_status to) {
  log_.write("operator", to == destination_status::enabled ? "enables " : "disables ", of.what.id.value);
  of.what.status = to;
  publish(of);
}

/// Called by a node's dispatcher when its destination has answered 410.
bool world::disable(const disable_destination& wanted) {
  if (calm_ > 0 || random_.chance(faults_.directory_fails)) return false;
  const auto which = std::ranges::find(endpoints_, wanted.id, [](const webhook_endpoint& e) { return e.what.id; });
  set_status(*which, destination_status::disabled);
  return true;
}

void world::operators() {
  time_.in(duration_ms{random_.between(500, 20'000)}, [this] {
    if (calm_ > 0) return;
    operators();
    auto& endpoint = random_.pick(endpoints_);
    if (random_.chance(faults_.clock_set)) set_a_clock();
    if (random_.chance(faults_.clock_jumps)) jump_a_clock(static_cast<unsigned>(random_.below(nodes_.size())));
    const bool off = endpoint.what.status == destination_status::disabled;
    if (off && random_.chance(0.5)) return set_status(endpoint, destination_status::enabled);
    if (!random_.chance(faults_.operator_acts)) return;
    switch (random_.below(4)) {
      case 0: return set_status(endpoint, destination_status::disabled);
      case 1: {
        endpoint.previous_secret = std::exchange(endpoint.secret, endpoint.secret + "+");
        endpoint.previous_until = time_.now() + duration_ms{random_.between(1'000, 60'000)};
        log_.write("operator", "gives ", endpoint.what.id.value, " a new secret");
        return publish(endpoint);
      }
      case 2: return redeliver({0, endpoint.what.id, {}, {}});
      default:
        if (database_.deliveries.empty()) return;
        auto row = database_.deliveries.begin();
        std::advance(row, static_cast<std::ptrdiff_t>(random_.below(database_.deliveries.size())));
        return redeliver({row->first, {}, {}, {}});
    }
  });
}

void world::redeliver(gateway::redeliver wanted) {
  std::vector<node*> up;
  for (const auto& n : nodes_)
    if (n) up.push_back(n.get());
  if (up.empty()) return;
  redeliver(*random_.pick(up), std::move(wanted));
}

void world::redeliver(node& by, gateway::redeliver wanted) {
  log_.write("operator", "redelivers ", wanted.id, ' ', wanted.to.value, " by ", by.name());
  by.redeliver(std::move(wanted),
               [this](std::optional<std::uint64_t> made) { log_.write("operator", "redelivers ", made.value_or(0)); });
}

/// Redelivers the deliveries that have failed or during which too many workers died, and checks that all others are
/// delivered without an operator.
void world::deliver_the_rest() {
  // The owner of the destination's lane attempts its deliveries.
  const auto waits_for_operator = [&](const delivery& row) {
    return std::ranges::all_of(
        nodes_, [&](const auto& n) { return !n->among().owns(row.to.value) || n->has_set_aside(row.id); });
  };
  const auto nothing_waits = [&] {
    return std::ranges::all_of(database_.deliveries, [&](const auto& row) {
      return row.second.status != delivery_status::pending || waits_for_operator(row.second);
    });
  };
  run_until(nothing_waits, 2h, "a delivery is neither delivered nor given up");
  for (const auto& [number, row] : database_.deliveries)
    if (row.status == delivery_status::pending) redeliver(*nodes_.front(), {number, {}, {}, {}});
  for (const auto& each : endpoints_) redeliver({0, each.what.id, {}, {}});
  const auto all_delivered = [&] {
    return std::ranges::all_of(database_.deliveries,
                               [](const auto& row) { return row.second.status == delivery_status::delivered; });
  };
  run_until(all_delivered, 10min, "what was redelivered is not delivered");
  if (!promises_.broken()) delivery_promises_.at_rest();
}

}  // namespace gateway::simulation
