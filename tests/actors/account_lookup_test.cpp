// Payments whose merchant cannot be charged as far as the node knows: the owner may have finished onboarding at the
// provider a moment ago.
#include <catch2/catch.hpp>

#include "gateway/directory/connected_account.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

/// merch_1 has begun to connect an account at a provider over HTTPS.
struct unfinished : world {
  unfinished() {
    published().publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
    connect_as(connection_status::in_progress);
    looking().acts = [this](const operator_command& command) {
      const auto& answer = std::get<follow_account>(command);
      auto who = *published().find_merchant(answer.merchant);
      auto& link = who.connections.at(0);
      link.status = status_after(link.status, answer.standing).value_or(link.status);
      publish(std::move(who));
    };
  }
  void connect_as(connection_status status, std::string account = "acct_1", bool unreadable = false) {
    merchant m;
    m.id = merchant_id{"merch_1"};
    m.connections = {{environment::test, provider_kind::stripe, status, std::move(account)}};
    m.routes = {{environment::test, provider_kind::stripe, 1, {}, {payment_method_kind::card}}};
    m.connections_unreadable = unreadable;
    publish(std::move(m));
  }
  void provider_says(account_standing standing) {
    calls().stands = [standing](const account_question& asked) {
      return account_answer{standing, asked.account, {}, {}};
    };
  }
};

}  // namespace

TEST_CASE("where the owner has finished meanwhile, the directory is updated and the payment is made") {
  unfinished w;
  w.provider_says(account_standing::ready);
  CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
  REQUIRE(w.calls().accounts.size() == 1);
  const auto& asked = w.calls().accounts.front();
  CHECK(asked.merchant.value == "merch_1");
  CHECK(asked.env == environment::test);
  CHECK(asked.provider == provider_kind::stripe);
  CHECK(asked.account == "acct_1");
  CHECK_FALSE(asked.onboards);
  REQUIRE(w.received().size() == 1);
  CHECK(std::get<follow_account>(w.received().front()).account == "acct_1");
  CHECK(w.read("pay_1")->account == "acct_1");
  CHECK(w.ask(w.create("pay_2", "k2")) == "create authorized 0/0");
  CHECK(w.calls().accounts.size() == 1);
  CHECK(w.slots_held() == 0);
}

TEST_CASE("where the owner has not finished, the merchant cannot be charged, and the key is not used up") {
  for (const auto says : {account_standing::incomplete, account_standing::restricted}) {
    unfinished w;
    w.provider_says(says);
    CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::merchant_not_charge_capable));
    CHECK(w.received().empty());
    CHECK(w.slots_held() == 0);
    w.provider_says(account_standing::ready);
    CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
  }
}

TEST_CASE("where the account cannot be determined, the look-up has failed, and the same key works later") {
  unfinished w;
  w.provider_says(account_standing::unknown);
  CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::account_lookup_failed));
  CHECK(w.rows().commands.empty());
  CHECK(w.calls().calls.empty());
  CHECK(w.slots_held() == 0);
  w.provider_says(account_standing::ready);
  CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
}

TEST_CASE("a key of another request is refused as reused, whatever the provider answers") {
  unfinished w;
  w.connect_as(connection_status::connected);
  w.ask(w.create("pay_1", "k1"));
  w.connect_as(connection_status::in_progress);
  for (const auto says : {account_standing::unknown, account_standing::incomplete}) {
    w.provider_says(says);
    CHECK(w.ask(w.create("pay_2", "k1")) == text_of(problem::idempotency_key_reused));
  }
}

TEST_CASE("the provider is not asked where no onboarding could have been finished") {
  unfinished w;
  w.provider_says(account_standing::ready);
  const auto refused = text_of(problem::merchant_not_charge_capable);
  for (const auto status : {connection_status::not_connected, connection_status::unavailable}) {
    w.connect_as(status);
    CHECK(w.ask(w.create("pay_1", "k1")) == refused);
  }
  w.connect_as(connection_status::in_progress, "");
  CHECK(w.ask(w.create("pay_1", "k1")) == refused);
  w.connect_as(connection_status::in_progress);
  w.board().set_away(provider_kind::stripe, environment::test, true);
  CHECK(w.ask(w.create("pay_1", "k1")) == refused);
  w.published().publish(provider_kind::stripe, environment::test, nullptr);
  CHECK(w.ask(w.create("pay_1", "k1")) == refused);
  CHECK(w.calls().accounts.empty());
}

TEST_CASE("where the row of a connection cannot be read, the look-up has failed, unless another can be charged") {
  unfinished w;
  w.connect_as(connection_status::not_connected, "acct_1", true);
  CHECK(w.ask(w.create("pay_1", "k1")) == text_of(problem::account_lookup_failed));
  w.connect_as(connection_status::connected, "acct_1", true);
  CHECK(w.ask(w.create("pay_1", "k1")) == "create authorized 0/0");
}
