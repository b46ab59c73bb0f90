#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

/// `least`: 1 if a merchant or a platform must be given, else 0.
void add_owner(const call_command& to, std::size_t least) {
  const auto owner = to.group("owner", "Whose destination", least, 1);
  owner.optional_text("--merchant", "merchant_id", "merch_…").type_name("MERCHANT");
  owner.optional_text("--platform", "platform_id", "plat_…").type_name("PLATFORM");
}

void add_destination(const call_command& to) {
  to.text("destination", "destination_id", "dest_…").type_name("DESTINATION");
}

}  // namespace

void add_destination_commands(const command_group& program) {
  const auto destination = program.group("destination", "Where webhooks are sent");

  const auto set = destination.call("set", "Create a destination, or change and enable the one that is there",
                                    "/operator/destinations");
  add_owner(set, 1);
  add_mode(set);
  set.text("--url", "url", "Where events are posted to").type_name("URL");
  set.optional_text("--name", "name", "Shown to its owner beside the URL").type_name("TEXT");
  set.optional_list("--events", "events", "Event types, comma-separated [those that are sent by default]")
      .type_name("A,B");
  set.optional_text("--standard-webhooks", "standard_webhooks",
                    "Sign in the Standard Webhooks form as well [as it is, at first off]")
      .one_of("on,off")
      .type_name("on|off");

  const auto list = destination.call("list", "Show destinations", "/operator/destinations/list");
  add_owner(list, 0);
  add_optional_mode(list);

  const auto change = destination.call("change", "Send to another URL, also what is pending; secret and events stay",
                                       "/operator/destinations/change");
  add_destination(change);
  change.text("--url", "url", "Where events are posted to from now on").type_name("URL");

  add_destination(destination.call("delete", "Send nothing any more, drop what is pending; its deliveries can be read",
                                   "/operator/destinations/delete"));

  add_destination(
      destination.call("enable", "Send again, and send the deliveries that waited", "/operator/destinations/enable"));

  const auto disable = destination.call("disable", "Send nothing until it is enabled; deliveries wait",
                                        "/operator/destinations/disable");
  add_destination(disable);
  disable.optional_text("--reason", "reason", "Shown in the list of destinations").type_name("TEXT");

  const auto rotate =
      destination.call("rotate-secret", "Make a new signing secret; the old one signs as well for a while",
                       "/operator/destinations/rotate-secret");
  add_destination(rotate);
  rotate.number("--overlap-hours", "overlap_hours", "How long the old secret signs as well; 0: not at all [24]", 24)
      .within(0, 720)
      .type_name("N");
}

}  // namespace gateway::ctl
