// The drill of a restore, with a provider that knows what happened since the backup.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "outside_shop.hpp"
#include "paths.hpp"

using namespace gateway::e2e;

TEST_CASE("stripe: after the restore of an older backup, a recovery puts what happened since into the payments") {
  namespace fs = std::filesystem;
  stripe_process stripe;
  auto options = beside(stripe, store_kind::sqlite);
  options.folder = new_folder("drill");
  const auto backup = options.folder / "backup";
  {
    gateway_process gateway{options};
    configure_stripe(gateway, stripe);
    stripe.set("notifications", R"({"silent":true})");
    const auto account = new_merchant(gateway);
    route_to_stripe(gateway, account.id, stripe.new_account());
    const auto captured = new_payment_id(), refunded = new_payment_id(), lost = new_payment_id();
    std::string from;
    {
      api merchant{gateway, account.test};
      REQUIRE(summary_of(merchant.create(stripe_payment(captured))) == "200 authorized");
      REQUIRE(summary_of(merchant.create(stripe_payment(refunded))) == "200 authorized");
      REQUIRE(summary_of(merchant.capture(refunded)) == "200 captured");
      from = gateway.ctl({"backup", backup.string()})["made_at"].text();
      REQUIRE(summary_of(merchant.capture(captured)) == "200 captured");
      REQUIRE(summary_of(merchant.refund(refunded, 1200)) == "200 partially_refunded");
      REQUIRE(summary_of(merchant.create(stripe_payment(lost))) == "200 authorized");
    }
    REQUIRE(gateway.terminate() == exit_result{0, 0});
    for (const auto* more : {"-wal", "-shm"}) fs::remove(gateway.sqlite_file().string() + more);
    fs::copy_file(backup / "gateway.sqlite", gateway.sqlite_file(), fs::copy_options::overwrite_existing);

    gateway.start();
    api merchant{gateway, account.test};
    // The states are not checked here: the gateway reads Stripe's list of events after a start.
    CHECK(summary_of(merchant.refund(refunded, 4200)) == "503 recovery_required");
    const auto recovered = gateway.ctl({"recover", "--from", from});
    CHECK(recovered["recovered"] == true);
    CHECK(merchant.state_of(captured) == "captured");
    CHECK(merchant.state_of(refunded) == "partially_refunded");
    CHECK(merchant.payment(refunded)["refunded_total"] == 1200);
    const auto unknown = recovered["unknown"].items();
    CHECK(std::ranges::any_of(
        unknown, [&](const json& each) { return each["about"] == "payment " + account.id + "/test/" + lost; }));
    CHECK(summary_of(merchant.create(stripe_payment(new_payment_id()))) == "200 authorized");
    CHECK(gateway.run_ctl({"audit", "verify"}).code == 0);
  }
  std::error_code ignored;
  if (!keeps_data()) fs::remove_all(options.folder, ignored);
}
