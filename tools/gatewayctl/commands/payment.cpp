#include "gateway/domain/payment.hpp"
#include "commands.hpp"
#include "config/setting_values.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

std::string payment_states(std::string_view between) {
  std::string names;
  for (std::size_t i = 0; i < enum_count<payment_state>; ++i)
    names.append(names.empty() ? "" : between).append(to_string(static_cast<payment_state>(i)));
  return names;
}

std::int64_t age_of(const std::string& text) {
  const auto age = parse_duration(text);
  if (!age) throw bad_input("--older-than: expected a time such as 90s, 15m, 2h or 7d");
  return age->count();
}

void add_list(const command_group& payment) {
  const auto list =
      payment.call("list", "List payments, newest first, or unknown outcomes, oldest first", "/operator/payments/list");
  list.optional_text("--merchant", "merchant_id", "Only of this one [all]").type_name("MERCHANT");
  add_optional_mode(list);
  list.optional_text("--state", "state", payment_states(", ")).one_of(payment_states(",")).type_name("STATE");
  list.optional_text("--after", "after", "The next page: `next` of the page before").type_name("NEXT");
  const auto unknown = std::make_shared<bool>();
  list.command().add_flag("--unknown", *unknown, "Only those with an unknown outcome");
  const auto age = std::make_shared<std::string>();
  list.command()
      .add("--older-than", *age, "Only created so long ago; with --unknown, unknown for so long: 15m, 2h, 7d")
      .type_name("TIME");
  list.then([unknown, age](auto& body) {
    if (*unknown) body["unknown"] = true;
    if (!age->empty()) body["older_than_ms"] = age_of(*age);
    if (*unknown && body.contains("after")) throw bad_input("--after does not go with --unknown");
  });
  add_list_limit(list);
}

}  // namespace

void add_payment_commands(const command_group& program) {
  const auto payment = program.group("payment", "Payments, and what an operator does when an outcome stays unknown");
  add_list(payment);

  add_payment(payment.call("show", "Show all that is known of a payment", "/operator/payments/show"));
  add_payment(payment.call("refresh", "Ask the provider what the payment is there, and follow it",
                           "/operator/payments/refresh"));

  const auto settle = payment.call("settle", "End an operation, or a wait for the customer, whose outcome is unknown",
                                   "/operator/payments/settle");
  add_payment(settle);
  settle.text("--as", "as", "What the provider did: approved or declined")
      .one_of("approved,declined")
      .type_name("OUTCOME");
  settle.text("--reason", "reason", "Why, for the timeline and the audit log").type_name("TEXT");

  const auto record = payment.call("record-refund", "Record a refund that was made where the gateway cannot see it",
                                   "/operator/payments/record-refund");
  add_payment(record);
  add_amount(record, "--amount", "What was refunded, in minor units").required();
  record.text("--reference", "reference", "Names the refund: each counts once in a payment").type_name("REFERENCE");
  record.text("--reason", "reason", "Why, for the timeline and the audit log").type_name("TEXT");
}

}  // namespace gateway::ctl
