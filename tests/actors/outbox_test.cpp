// Which fields of payments' and subscriptions' events each destination gets: it depends on the owner and the maker.
#include <catch2/catch.hpp>

#include <map>
#include <memory>
#include <string>

#include "entity/outbox.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

const merchant_id sold_by{"merch_1"};
const platform_id maker{"plat_maker"}, bystander{"plat_other"};

struct outbox_scene {
  outbox_scene() {
    merchant shop;
    shop.id = sold_by;
    shop.destinations = {destination_of("merchant", destination_kind::merchant, sold_by.value)};
    published.publish(std::make_shared<const merchant>(std::move(shop)));
    for (const auto& each : {maker, bystander}) {
      published.publish(std::make_shared<const webhook_endpoint>(
          webhook_endpoint{destination_of(each.value, destination_kind::platform, each.value), "whsec", {}, {}}));
      published.publish(grant_update{{each, sold_by}, environment::live, {grant_state::active, {}, 1}});
    }
  }

  static destination destination_of(const std::string& id, destination_kind kind, const std::string& owner) {
    destination to{destination_id{id}, kind, owner, environment::live, "https://" + id + ".example/", {}};
    for (const auto& type : event_catalogue) to.events.emplace_back(type.name);
    return to;
  }

  /// Destinations, each with the fields that it gets.
  std::string recipients(const entity_key& subject, const entity_row& after) {
    timeline_entry event;
    event.kind = timeline_kind::event;
    event.operation = to_string(subject.kind == entity_kind::payment ? event_type::payment_refunded
                                                                     : event_type::subscription_updated);
    event.occurred_at = clock.at;
    std::map<std::string, std::string> lines;
    for (const auto& job : actors::deliveries_of(subject, after, {event}, context).jobs)
      lines[job.row.to.value] = job.row.partial ? "partial" : "whole";
    std::string text;
    for (const auto& [to, part] : lines) text.append(text.empty() ? "" : ", ").append(to).append(" ").append(part);
    return text;
  }
  std::string recipients(const payment& p) {
    return recipients(payment_key(sold_by, environment::live, payment_id{"pay_1"}), std::make_shared<const payment>(p));
  }

  directory published;
  hand_clock clock;
  settings config;
  metrics meters;
  actors::clock_watch watch{clock, std::nullopt, config, meters};
  delivery_numbers numbers;
  actors::entity_context context{{}, published, clock, watch, config, meters, {}, numbers};
};

}  // namespace

TEST_CASE("a platform gets the private fields of the payments that it made, and no other platform's subscriptions") {
  outbox_scene s;
  const std::string all = "merchant whole, plat_maker whole, plat_other whole";
  const std::string to_maker = "merchant whole, plat_maker whole, plat_other partial";
  const std::string to_none = "merchant whole, plat_maker partial, plat_other partial";

  payment p;
  CHECK(s.recipients(p) == all);
  p.details.made_by = maker;
  CHECK(s.recipients(p) == all);
  p.details.metadata = {{"order", "7"}};
  CHECK(s.recipients(p) == to_maker);
  p.details.made_by = {};  // by a key of the merchant's own
  CHECK(s.recipients(p) == to_none);
  // As in older rows: only the customer names the platform.
  p.customer = payment_customer{maker, "ref", {}, false, false, {}};
  CHECK(s.recipients(p) == to_maker);
  p.details = {};
  CHECK(s.recipients(p) == to_maker);

  subscription box;
  box.platform = maker;
  CHECK(s.recipients(subscription_key(sold_by, environment::live, "box"), std::make_shared<const subscription>(box)) ==
        "merchant whole, plat_maker whole");
}
