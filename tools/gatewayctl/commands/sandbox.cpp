#include <utility>

#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

struct subscription_move {
  std::string cycle;
  bool update = false, expire = false, remove = false, reorder = false;
  std::uint32_t repeat = 1;
};

void put_move(const subscription_move& given, boost::json::object& body) {
  const auto flags = {std::pair{given.update, "update"}, {given.expire, "expire"}, {given.remove, "delete"}};
  std::string move = given.cycle;
  int named = given.cycle.empty() ? 0 : 1;
  for (const auto& [is_given, name] : flags)
    if (is_given) {
      ++named;
      move = name;
    }
  if (named != 1) throw bad_input("give one of --cycle, --update, --expire and --delete");
  body["move"] = move;
  body["repeat"] = given.repeat;
  body["reorder"] = given.reorder;
}

}  // namespace

void add_sandbox_commands(const command_group& program) {
  const auto sandbox = program.group("sandbox", "What happens at the sandbox providers");

  const auto subscription =
      sandbox.call("subscription", "Move one subscription's clock at the sandbox, which sends notifications",
                   "/operator/sandbox/subscription");
  add_subscription(subscription);
  const auto move = std::make_shared<subscription_move>();
  const auto& command = subscription.command();
  command.add("--cycle", move->cycle, "On to the next attempt at a cycle, which is paid or fails, or to the last")
      .one_of("paid,failed,exhausted")
      .type_name("RESULT");
  command.add_flag("--update", move->update, "Send an update in which nothing changed");
  command.add_flag("--expire", move->expire, "End it as incomplete_expired");
  command.add_flag("--delete", move->remove, "End it as canceled");
  command.add("--repeat", move->repeat, "Send each notification so many times [1]").within(1, 100).type_name("NUMBER");
  command.add_flag("--reorder", move->reorder, "Send the last one first");
  subscription.then([move](auto& body) { put_move(*move, body); });
}

}  // namespace gateway::ctl
