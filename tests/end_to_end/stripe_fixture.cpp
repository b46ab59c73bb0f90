#include "stripe_fixture.hpp"

#include <catch2/catch.hpp>

namespace gateway::e2e {

namespace {

gateway_options options_for(const stripe_process& stripe, store_kind store, const std::vector<std::string>& more) {
  auto options = beside(stripe, store);
  // The test's own arguments replace the usual ones.
  for (const auto& each : more) {
    const auto name = each.substr(0, each.find('=') + 1);
    std::erase_if(options.arguments, [&](const std::string& usual) { return usual.starts_with(name); });
  }
  options.arguments.insert(options.arguments.end(), more.begin(), more.end());
  return options;
}

gateway_options options_on(const stripe_process& stripe, const mysql_address& database, const mysql_address& found_at) {
  auto options = beside(stripe, store_kind::mysql);
  options.database = database;
  options.database_link = found_at;
  return options;
}

void introduce(stripe_process& stripe, const gateway_process& gateway) {
  for (const auto* mode : {"test", "live"}) configure_stripe(gateway, stripe, mode);
  stripe.notifies(gateway);
}

}  // namespace

stripe_stage::stripe_stage(store_kind store, const std::vector<std::string>& more)
    : gateway{options_for(stripe, store, more)} {
  introduce(stripe, gateway);
}

stripe_stage::stripe_stage(const mysql_address& database, const mysql_address& found_at)
    : gateway{options_on(stripe, database, found_at)} {
  introduce(stripe, gateway);
}

stripe_stage& shared_stripe(store_kind store) {
  if (store == store_kind::mysql) {
    static stripe_stage on_mysql{store_kind::mysql};
    return on_mysql;
  }
  static stripe_stage on_sqlite{store_kind::sqlite};
  return on_sqlite;
}

stripe_shop::stripe_shop(stripe_stage& at)
    : on{at},
      connected{at.stripe.new_account()},
      account{new_merchant(at.gateway)},
      merchant{at.gateway, account.test} {
  route_to_stripe(at.gateway, account.id, connected);
}

std::string stripe_shop::paid(const std::string& state, const std::string& card) {
  const auto id = new_payment_id();
  REQUIRE(summary_of(merchant.create(stripe_payment(id, card))) == "200 authorized");
  if (state == "captured") REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
  return id;
}

bool stripe_shop::comes_to(const std::string& payment, const std::string& state, std::chrono::milliseconds within) {
  return eventually([&] { return merchant.state_of(payment) == state; }, within);
}

stripe_platform::stripe_platform(stripe_stage& at)
    : live_platform{at.gateway}, on{at}, connected{at.stripe.new_account()} {
  route_to_stripe(at.gateway, shop.id, connected, "live");
}

std::vector<std::string> stripe_platform::methods(const std::string& ref) const {
  std::vector<std::string> all;
  for (const auto& each : gateway.ctl({"customer", "list", "--merchant", shop.id})["customers"].items())
    if (each["customer_ref"] == ref)
      for (const auto& method : each["methods"].items()) all.push_back(method.text());
  return all;
}

object stripe_payment(const std::string& id, const std::string& card) {
  return server_payment(id, card).set("currency", "USD");
}

double sample_of(const gateway_process& gateway, const std::string& name) {
  const auto reported = plain_http(gateway.operator_address(), {"GET", "/metrics", {}, {}}).body;
  for (const auto& line : lines_of(reported))
    if (line.starts_with(name + ' ')) return std::stod(line.substr(name.size() + 1));
  return -1;
}

std::vector<json> notifications(const gateway_process& gateway, const std::string& event) {
  std::vector<json> found;
  for (const auto& each : gateway.ctl({"notification", "list"})["notifications"].items())
    if (event.empty() || each["event_id"] == event) found.push_back(each);
  return found;
}

}  // namespace gateway::e2e
