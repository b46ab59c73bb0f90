// The PKR wallet by JazzCash: customers go to its page by a form and come back by a post; the outcome is that of its
// inquiry. Answers to callers do not name the provider.
#include <catch2/catch.hpp>

#include "jazzcash_process.hpp"
#include "merchant.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using lines = std::vector<std::string>;

struct wallet_stage {
  jazzcash_process wallet;
  gateway_process gateway;

  explicit wallet_stage(store_kind store, const lines& more = {}) : gateway{options_for(wallet, store, more)} {
    configure_jazzcash(gateway, wallet);
  }

  static gateway_options options_for(const jazzcash_process& wallet, store_kind store, const lines& more) {
    auto options = beside(wallet, store);
    options.arguments.insert(options.arguments.end(), more.begin(), more.end());
    return options;
  }
};

struct wallet_merchant {
  wallet_stage& on;
  merchant_account account;
  api merchant;
  std::size_t moved_before;

  explicit wallet_merchant(wallet_stage& at)
      : on{at},
        account{new_merchant(at.gateway, {"Bazaar", "wallet", "", false})},
        merchant{at.gateway, account.test},
        moved_before{at.wallet.moves().size()} {
    route_to_jazzcash(at.gateway, account.id);
  }

  /// Creates the payment. Returns its hosted_url.
  std::string create(const std::string& id, const std::string& flow = "redirect") {
    const auto answer =
        merchant.create(redirect_payment(id, "PKR").set("flow", flow).set("payment_method_type", "pkr_wallet"));
    REQUIRE(summary_of(answer) == "200 processing");
    names_no_provider(answer);
    return json::parse(answer.body)["provider.hosted_url"].text();
  }
  /// The wallet's moves since the merchant was made.
  lines moves() const {
    auto all = on.wallet.moves();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(moved_before));
    return all;
  }
  bool comes_to(const std::string& id, const std::string& state, std::chrono::milliseconds within = hang_timeout) {
    return eventually([&] { return merchant.state_of(id) == state; }, within);
  }
  wallet_customer customer() const { return {on.gateway, on.wallet}; }

  static void names_no_provider(const reply& answer) {
    CAPTURE(answer.body);
    for (const char* word : {"jazzcash", "JazzCash", "pp_", "provider_ref"})
      CHECK(answer.body.find(word) == std::string::npos);
  }
};

wallet_stage& shared_wallet(store_kind store) {
  if (store == store_kind::mysql) {
    static wallet_stage on_mysql{store_kind::mysql};
    return on_mysql;
  }
  static wallet_stage on_sqlite{store_kind::sqlite};
  return on_sqlite;
}

}  // namespace

TEST_CASE("jazzcash: a customer pays on the wallet's page, comes back, and the payment is captured by the inquiry") {
  wallet_merchant s{shared_wallet(GENERATE(from_range(stores())))};
  for (const std::string flow : {"redirect", "embedded"}) {
    CAPTURE(flow);
    const auto id = new_payment_id();
    auto customer = s.customer();
    REQUIRE(customer.open(s.create(id, flow)).status == 200);
    CHECK(customer.answer().body.find("PKR 42.00") != std::string::npos);
    CHECK(customer.form.action.empty());
    CHECK(customer.answer()
              .header("Content-Security-Policy")
              .value_or("")
              .find("form-action 'self' " + s.on.wallet.url()) != std::string::npos);
    REQUIRE(customer.go_on().status == 200);
    CHECK(customer.passed_on_to == s.on.wallet.url() + "/CustomerPortal/transactionmanagement/merchantform/");
    CHECK(s.on.gateway
              .sql("SELECT COUNT(*) FROM payments WHERE payment_id = '" + id + "' AND handed_over_at >= created_at;")
              .starts_with("1"));
    REQUIRE(customer.click("pay").status == 200);
    CHECK(s.merchant.state_of(id) == "processing");
    const auto& back = customer.come_back();
    CHECK(back.status == 303);
    CHECK(back.header("Location") == "https://shop.example/thanks");
    const auto view = s.merchant.view(id);
    CHECK(summary_of(view) == "200 captured");
    wallet_merchant::names_no_provider(view);
    const auto timeline = s.merchant.timeline(id);
    CHECK(history(timeline) ==
          lines{"attempt hosted_session pending", "attempt charge approved", "event payment.captured published"});
    wallet_merchant::names_no_provider(timeline);
  }
  CHECK(s.moves() == lines{"paid 4200", "paid 4200"});
}

TEST_CASE("jazzcash: a customer whose wallet declines, or who cancels, goes back to the shop's other page") {
  wallet_merchant s{shared_wallet(GENERATE(from_range(stores())))};
  for (const std::string action : {"decline", "cancel"}) {
    CAPTURE(action);
    const auto id = new_payment_id();
    auto customer = s.customer();
    const auto& back = customer.settle(s.create(id), action);
    CHECK(back.status == 303);
    CHECK(back.header("Location") == "https://shop.example/basket");
    const auto view = s.merchant.view(id);
    CHECK(summary_of(view) == "200 failed");
    CHECK(json::parse(view.body)["provider.error.code"] == "PAYMENT_DECLINED");
    wallet_merchant::names_no_provider(view);
    wallet_merchant::names_no_provider(s.merchant.timeline(id));
  }
  CHECK(s.moves() == lines{"failed 4200", "failed 4200"});
}

TEST_CASE("jazzcash: a customer whose balance is low, or whose PIN was wrong, tries again, and the payment waits") {
  wallet_merchant s{shared_wallet(GENERATE(from_range(stores())))};
  for (const std::string action : {"low", "pin"}) {
    CAPTURE(action);
    const auto id = new_payment_id();
    auto customer = s.customer();
    customer.open(s.create(id));
    REQUIRE(customer.go_on().status == 200);
    const auto wallets_page = customer.form;
    REQUIRE(customer.click(action).status == 200);
    const auto& back = customer.come_back();
    CHECK(back.status == 200);
    CHECK(back.body.find("nothing was paid") != std::string::npos);
    const auto view = s.merchant.view(id);
    CHECK(summary_of(view) == "200 processing");
    CHECK(json::parse(view.body)["provider.error.code"] == "PAYMENT_DECLINED");
    CHECK(json::parse(view.body)["provider.error.retryable"] == true);
    wallet_merchant::names_no_provider(view);
    customer.form = wallets_page;
    REQUIRE(customer.click("pay").status == 200);
    CHECK(customer.come_back().header("Location") == "https://shop.example/thanks");
    CHECK(history(s.merchant.timeline(id)) == lines{"attempt hosted_session pending", "attempt hosted_session declined",
                                                    "attempt charge approved", "event payment.captured published"});
  }
  CHECK(s.moves() == lines{"failed 4200", "paid 4200", "failed 4200", "paid 4200"});
}

TEST_CASE("jazzcash: a customer who does not try again fails the payment at the end of the form, for the last reason") {
  wallet_stage stage{store_kind::sqlite, {"--hosted-expiry=8s"}};
  wallet_merchant s{stage};
  const auto id = new_payment_id();
  s.customer().settle(s.create(id), "low");
  CHECK(s.merchant.state_of(id) == "processing");
  CHECK(s.comes_to(id, "failed"));
  CHECK(json::parse(s.merchant.view(id).body)["provider.error.code"] == "PAYMENT_DECLINED");
}

TEST_CASE("jazzcash: while the wallet does not know the outcome, or it may still change, the payment waits") {
  wallet_merchant s{shared_wallet(store_kind::sqlite)};
  for (const std::string action : {"leave", "fault"}) {
    CAPTURE(action);
    const auto id = new_payment_id();
    auto customer = s.customer();
    const auto& back = customer.settle(s.create(id), action);
    CHECK(back.status == 200);
    CHECK(back.body.find("being confirmed") != std::string::npos);
    CHECK(s.merchant.state_of(id) == "processing");
  }
}

TEST_CASE("jazzcash: reopening the page gives the same transaction, which the wallet takes once") {
  wallet_merchant s{shared_wallet(store_kind::sqlite)};
  const auto id = new_payment_id();
  const auto url = s.create(id);
  auto first = s.customer(), second = s.customer();
  first.open(url);
  second.open(url);
  CHECK(first.form.value("pp_TxnRefNo") == second.form.value("pp_TxnRefNo"));
  REQUIRE(first.go_on().status == 200);
  CHECK(second.go_on().status == 400);
  first.click("pay");
  auto again = first;
  first.come_back();
  CHECK(again.come_back().header("Location") == "https://shop.example/thanks");
  const auto reopened = s.customer().open(url);
  CHECK(reopened.status == 200);
  CHECK(reopened.body.find("You have paid PKR 42.00") != std::string::npos);
  CHECK(s.moves() == lines{"paid 4200"});
  CHECK(history(s.merchant.timeline(id)).size() == 3);
}

TEST_CASE("jazzcash: a forged return changes nothing, and a customer cannot change the amount") {
  wallet_stage stage{store_kind::sqlite};
  wallet_merchant s{stage};
  const auto id = new_payment_id();
  auto customer = s.customer();
  customer.open(s.create(id));
  auto cheap = customer;
  cheap.form.set("pp_Amount", "100");
  CHECK(cheap.go_on().status == 400);
  customer.go_on();
  customer.click("decline");
  const auto before = s.on.wallet.inquiries();
  auto forged = customer;
  forged.form.set("pp_ResponseCode", "000");
  CHECK(forged.come_back().status == 400);
  CHECK(s.merchant.state_of(id) == "processing");
  CHECK(s.on.wallet.inquiries() == before);
  customer.come_back();
  CHECK(s.merchant.state_of(id) == "failed");
}

TEST_CASE("jazzcash: a payment whose customer never paid, or did not return, is settled by the inquiry") {
  wallet_stage stage{GENERATE(from_range(stores())), {"--hosted-expiry=8s"}};
  wallet_merchant s{stage};
  const auto left = new_payment_id(), lost = new_payment_id();
  const auto lost_url = s.create(lost), left_url = s.create(left);
  auto customer = s.customer();
  customer.open(lost_url);
  REQUIRE(customer.go_on().status == 200);
  customer.click("pay");
  CHECK(s.comes_to(lost, "captured"));
  CHECK(s.comes_to(left, "failed"));
  const auto view = s.merchant.view(left);
  CHECK(json::parse(view.body)["provider.error.code"] == "PAYMENT_EXPIRED");
  wallet_merchant::names_no_provider(view);
  CHECK(s.customer().open(left_url).status == 410);
}

TEST_CASE("jazzcash: when a customer pays and never returns, the wallet's notification starts an inquiry at once") {
  wallet_merchant s{shared_wallet(GENERATE(from_range(stores())))};
  const auto id = new_payment_id();
  auto customer = s.customer();
  customer.open(s.create(id));
  const auto ref = customer.form.value("pp_TxnRefNo");
  REQUIRE(customer.go_on().status == 200);
  customer.click("pay");
  const auto reported = s.on.wallet.notification_of(ref);
  const auto post = [&](const std::string& body) {
    return s.on.gateway.connect()
        .send(
            {"POST", "/v1/public/providers/jazzcash/test/notifications", {{"Content-Type", "application/json"}}, body})
        .status;
  };
  CHECK(post(std::string{reported}.replace(reported.find("\"121\""), 5, "\"000\"")) == 400);
  CHECK(s.merchant.state_of(id) == "processing");
  CHECK(post(reported) == 200);
  CHECK(s.comes_to(id, "captured", before_next_look));
  CHECK(post(reported) == 200);
  CHECK(history(s.merchant.timeline(id)) ==
        lines{"attempt hosted_session pending", "attempt charge approved", "event payment.captured published"});
  CHECK(s.moves() == lines{"paid 4200"});
}

TEST_CASE("jazzcash: a failed inquiry leaves the payment open, and a later one settles it") {
  wallet_stage stage{store_kind::sqlite};
  wallet_merchant s{stage};
  for (const std::string fault : {"error_500", "cut", "slow", "garbage", "wrong_hash", "other_amount"}) {
    CAPTURE(fault);
    const auto id = new_payment_id();
    auto customer = s.customer();
    customer.open(s.create(id));
    customer.go_on();
    customer.click("pay");
    stage.wallet.breaks(fault, 1'000, 5'000);
    auto again = customer;
    const auto& first = customer.come_back();
    CHECK(first.status == 200);
    CHECK(first.body.find("being confirmed") != std::string::npos);
    CHECK(s.merchant.state_of(id) == "processing");
    stage.wallet.mends();
    CHECK(eventually([&] {
      auto once_more = again;
      once_more.come_back();
      return s.merchant.state_of(id) == "captured";
    }));
  }
  CHECK(s.moves().size() == 6);
}

TEST_CASE("jazzcash: a gateway that dies between the payment and the return loses nothing") {
  wallet_stage stage{GENERATE(from_range(stores()))};
  wallet_merchant s{stage};
  const auto id = new_payment_id();
  auto customer = s.customer();
  customer.open(s.create(id));
  customer.go_on();
  customer.click("pay");
  stage.gateway.kill();
  stage.gateway.start();
  CHECK(customer.come_back().header("Location") == "https://shop.example/thanks");
  CHECK(s.merchant.state_of(id) == "captured");
}

TEST_CASE("jazzcash: it has no refunds, captures at once, and takes PKR in hosted flows only") {
  wallet_merchant s{shared_wallet(store_kind::sqlite)};
  const auto id = new_payment_id();
  const auto url = s.create(id);
  CHECK(summary_of(s.merchant.void_payment(id)) == "422 {provider_operation_unsupported}");
  auto customer = s.customer();
  customer.settle(url, "pay");
  CHECK(summary_of(s.merchant.capture(id)) == "200 captured");
  const auto refund = s.merchant.refund(id, 100);
  CHECK(summary_of(refund) == "502 refund not supported by configured provider");
  wallet_merchant::names_no_provider(refund);
  CHECK(summary_of(s.merchant.create(redirect_payment(new_payment_id(), "HKD"))) == "400 currency_not_supported");
}

TEST_CASE("jazzcash: invalid settings are refused with a description") {
  auto& stage = shared_wallet(store_kind::sqlite);
  const auto refused = [&](const std::string& name, const std::string& value) {
    auto settings = object{}.set("merchant_id", "MC1").set("password", "p").set("integrity_salt", "s");
    settings.set(name, value);
    const auto out = stage.gateway.run_ctl(
        {"provider", "set", "--provider", "jazzcash", "--mode", "live", "--settings-stdin"}, settings.text());
    return out.code != 0 && (out.out + out.err).find(name) != std::string::npos;
  };
  CHECK(refused("api_base", "ftp://wallet.example"));
  CHECK(refused("inquiry_path", "inquire"));
}
