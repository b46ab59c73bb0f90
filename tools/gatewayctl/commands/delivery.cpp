#include <limits>

#include "commands.hpp"
#include "gateway/domain/text.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

std::string delivery_fault(const std::string& text) {
  if (parse_whole(text, 1, std::numeric_limits<std::int64_t>::max())) return {};
  return "must be a delivery's number, and '" + text + "' is none";
}

options::option add_delivery(const call_command& to) {
  return to.optional_id("id", "id", "The number in X-Service-Delivery").check(delivery_fault).type_name("ID");
}

void check_redelivery(const boost::json::object& body) {
  const bool has_id = body.contains("id");
  if (has_id == body.contains("destination_id")) throw bad_input("redeliver: give an ID, or --destination");
  if (has_id && (body.contains("from") || body.contains("until")))
    throw bad_input("redeliver: --from and --until go with --destination");
}

}  // namespace

void add_delivery_commands(const command_group& program) {
  const auto delivery = program.group("delivery", "Webhooks, each to one destination");

  const auto list = delivery.call("list", "Show deliveries, newest first", "/operator/deliveries/list");
  list.optional_text("--destination", "destination_id", "Only to this one").type_name("DESTINATION");
  list.optional_text("--status", "status", "pending, delivered or failed")
      .one_of("pending,delivered,failed")
      .type_name("STATUS");
  add_page_limit(list);
  list.optional_id("--before", "before", "Only with a lower number: the next page")
      .check(delivery_fault)
      .type_name("ID");

  add_delivery(delivery.call("show", "Show one delivery, its last answer and its event", "/operator/deliveries/show"))
      .required();

  const auto redeliver = delivery.call("redeliver", "Deliver again: one delivery, or a destination's failed ones",
                                       "/operator/deliveries/redeliver");
  add_delivery(redeliver);
  redeliver.optional_text("--destination", "destination_id", "Every failed one to this destination")
      .type_name("DESTINATION");
  redeliver.optional_text("--from", "from", "Created at this time or later: 2026-11-20T09:30:00Z").type_name("TIME");
  redeliver.optional_text("--until", "until", "Created before this time").type_name("TIME");
  redeliver.then(check_redelivery);
}

}  // namespace gateway::ctl
