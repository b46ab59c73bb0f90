#include "commands.hpp"
#include "shared_options.hpp"

namespace gateway::ctl {

void add_customer_commands(const command_group& program) {
  const auto customer = program.group("customer", "Customers that platforms keep at a merchant");
  const auto list = customer.call("list", "List a merchant's customers", "/operator/customers/list");
  list.text("--merchant", "merchant_id", "Whose customers they are").type_name("MERCHANT");
  add_list_limit(list);
}

}  // namespace gateway::ctl
