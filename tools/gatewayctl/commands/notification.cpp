#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_notification_commands(const command_group& program) {
  const auto notification = program.group("notification", "Notifications that providers sent");

  const auto list = notification.call("list", "Show notifications, newest first", "/operator/notifications/list");
  list.optional_text("--provider", "provider", provider_help()).one_of(provider_names(",")).type_name("KIND");
  add_optional_mode(list);
  list.optional_text("--state", "state", "waiting, applied, ignored or expired")
      .one_of("waiting,applied,ignored,expired")
      .type_name("STATE");
  add_page_limit(list);
  list.optional_text("--before", "before", "Only those received earlier: the next page").type_name("TIME");

  const auto replay = notification.call("replay", "Apply one again, in any state", "/operator/notifications/replay");
  replay.text("id", "id", "As the list shows it: stripe:evt_…").type_name("ID");
  add_optional_mode(replay);
}

}  // namespace gateway::ctl
