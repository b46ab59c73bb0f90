#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_event_commands(const command_group& program) {
  const auto event = program.group("event", "What happened to payments");
  const auto list = event.call("list", "Show a merchant's events, newest first", "/operator/events/list");
  add_merchant(list);
  add_optional_mode(list);
  list.optional_text("--payment", "payment_id", "Only of this payment").type_name("PAYMENT");
  add_page_limit(list);
  list.optional_text("--before", "before", "Only earlier ones: the next page").type_name("TIME");
}

}  // namespace gateway::ctl
