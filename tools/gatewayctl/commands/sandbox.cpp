#include <initializer_list>
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

using named_flags = std::initializer_list<std::pair<bool, const char*>>;

/// The name of the only flag that is given; `fault` if there are none or several.
std::string only_one_of(named_flags flags, const char* fault) {
  std::string found;
  for (const auto& [is_given, name] : flags) {
    if (!is_given) continue;
    if (!found.empty()) throw bad_input(fault);
    found = name;
  }
  if (found.empty()) throw bad_input(fault);
  return found;
}

void put_move(const subscription_move& given, boost::json::object& body) {
  body["move"] = only_one_of({{!given.cycle.empty(), given.cycle.c_str()},
                              {given.update, "update"},
                              {given.expire, "expire"},
                              {given.remove, "delete"}},
                             "give one of --cycle, --update, --expire and --delete");
  if (body.contains("amount") && given.cycle != "paid") throw bad_input("--amount goes with --cycle paid");
  body["repeat"] = given.repeat;
  body["reorder"] = given.reorder;
}

void add_subscription_moves(const command_group& sandbox) {
  const auto subscription =
      sandbox.call("subscription", "Move one subscription's clock at the sandbox, which sends notifications",
                   "/operator/sandbox/subscription");
  add_subscription(subscription);
  add_amount(subscription, "--amount", "Of --cycle paid: what is paid instead of the price, in minor units", 0);
  const auto move = std::make_shared<subscription_move>();
  const auto& command = subscription.command();
  command
      .add("--cycle", move->cycle,
           "On to the next attempt at a cycle, which is paid, fails, or needs the customer's action, or to the last")
      .one_of("paid,failed,action,exhausted")
      .type_name("RESULT");
  command.add_flag("--update", move->update, "Send an update in which nothing changed");
  command.add_flag("--expire", move->expire, "End it as incomplete_expired");
  command.add_flag("--delete", move->remove, "End it as canceled");
  command.add("--repeat", move->repeat, "Send each notification so many times [1]").within(1, 100).type_name("NUMBER");
  command.add_flag("--reorder", move->reorder, "Send the last one first");
  subscription.then([move](auto& body) { put_move(*move, body); });
}

call_command payment_act(const command_group& sandbox, const char* name, const char* help) {
  auto act = sandbox.call(name, help, "/operator/sandbox/payment");
  add_payment(act);
  return act;
}

void add_dispute_acts(const command_group& sandbox) {
  struct given_flags {
    bool open = false, warning = false, update = false, win = false, lose = false;
  };
  const auto dispute = payment_act(sandbox, "dispute", "Open a dispute of a payment, or move the one that is open");
  add_amount(dispute, "--amount", "Of --open: how much is disputed, in minor units [all that was captured]");
  const auto flags = std::make_shared<given_flags>();
  const auto& command = dispute.command();
  command.add_flag("--open", flags->open, "The bank takes the amount back");
  command.add_flag("--warning", flags->warning, "Of --open: an inquiry, for which no money moves");
  command.add_flag("--update", flags->update, "It is under review");
  command.add_flag("--win", flags->win, "The amount comes back, or the inquiry is closed");
  command.add_flag("--lose", flags->lose, "The amount is lost");
  dispute.then([flags](auto& body) {
    body["act"] = only_one_of({{flags->open, flags->warning ? "dispute_warn" : "dispute_open"},
                               {flags->update, "dispute_update"},
                               {flags->win, "dispute_win"},
                               {flags->lose, "dispute_lose"}},
                              "give one of --open, --update, --win and --lose");
    if (!flags->open && (flags->warning || body.contains("amount")))
      throw bad_input("--warning and --amount go with --open");
  });
}

void add_refund_acts(const command_group& sandbox) {
  struct given_refunds {
    std::string settle, fail;
  };
  const auto refund = payment_act(sandbox, "refund", "Settle or fail a refund, or refund outside of the gateway");
  const auto given = std::make_shared<given_refunds>();
  refund.command().add("--settle", given->settle, "This pending refund succeeds").type_name("REFUND");
  refund.command().add("--fail", given->fail, "This refund fails, after it was accepted").type_name("REFUND");
  add_amount(refund, "--outside", "Refund so much in the provider's dashboard, in minor units");
  refund.then([given](auto& body) {
    body["act"] = only_one_of({{!given->settle.empty(), "refund_settle"},
                               {!given->fail.empty(), "refund_fail"},
                               {body.contains("amount"), "refund_outside"}},
                              "give one of --settle, --fail and --outside");
    if (!body.contains("amount")) body["refund_id"] = given->settle.empty() ? given->fail : given->settle;
  });
}

void add_charge_acts(const command_group& sandbox) {
  struct given_flags {
    bool expire = false, cancel = false;
  };
  const auto authorization = payment_act(sandbox, "authorization", "End an authorization that was not captured");
  const auto flags = std::make_shared<given_flags>();
  authorization.command().add_flag("--expire", flags->expire, "Its time is over");
  authorization.command().add_flag("--cancel", flags->cancel, "It is cancelled in the provider's dashboard");
  authorization.then([flags](auto& body) {
    body["act"] = only_one_of({{flags->expire, "authorization_expire"}, {flags->cancel, "authorization_cancel"}},
                              "give one of --expire and --cancel");
  });

  const auto capture = payment_act(sandbox, "capture", "Capture a payment outside of the gateway, even a failed one");
  add_amount(capture, "--outside", "So much, in minor units").required();
  capture.constant("act", "capture_outside");
}

}  // namespace

void add_sandbox_commands(const command_group& program) {
  const auto sandbox = program.group("sandbox", "What happens at the sandbox providers");
  add_subscription_moves(sandbox);
  add_dispute_acts(sandbox);
  add_refund_acts(sandbox);
  add_charge_acts(sandbox);
}

}  // namespace gateway::ctl
