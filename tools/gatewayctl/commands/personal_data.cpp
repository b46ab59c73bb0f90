#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

namespace {

void add_data_subject(const call_command& to) {
  add_merchant(to);
  const auto whose = to.group("whose", "Of a payment, or of a platform\'s customer", 1, 1);
  whose.optional_text("--payment", "payment_id", "A payment, with --mode").type_name("ID");
  whose.optional_text("--customer-ref", "customer_ref", "A customer, with --platform: all payments and subscriptions")
      .type_name("REF");
  to.optional_text("--mode", "mode", "test or live, with --payment").one_of("test,live").type_name("MODE");
  to.optional_text("--platform", "platform_id", "Whose customer it is: plat_…").type_name("PLATFORM");
  to.then([](auto& body) {
    const auto has = [&body](const char* field) { return body.contains(field); };
    if (has("payment_id") && !has("mode")) throw bad_input("--payment needs --mode");
    if (has("payment_id") && has("platform_id")) throw bad_input("--platform does not go with --payment");
    if (has("customer_ref") && !has("platform_id")) throw bad_input("--customer-ref needs --platform");
    if (has("customer_ref") && has("mode") && body.at("mode") != "live")
      throw bad_input("--customer-ref is in live mode");
  });
}

}  // namespace

void add_personal_data_commands(const command_group& program) {
  const auto data = program.group("personal-data", "Names, addresses, numbers, descriptions and metadata of customers");
  add_data_subject(data.call("export", "Print all that is stored of them", "/operator/personal-data/export"));
  add_data_subject(data.call("erase",
                             "Replace them by nothing everywhere, free pages of the embedded database included; "
                             "amounts, states, references and customer_ref stay",
                             "/operator/personal-data/erase"));
}

}  // namespace gateway::ctl
