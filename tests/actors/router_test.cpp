// Activation and passivation: memory follows the active set, and no request is lost.
#include <catch2/catch.hpp>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

TEST_CASE("idle payment actors stop, and a new one knows everything that they knew") {
  world w;
  w.ask(w.create("pay_1", "k1"));
  CHECK(w.meters().live_payments.Value() == 1);
  w.advance(70s, 5s);
  CHECK(w.meters().live_payments.Value() == 0);
  CHECK(w.ask(w.create("pay_1", "k1")) == "replay: create authorized 0/0");
  CHECK(w.ask(w.capture("pay_1", "k2")) == "capture captured 0/0");
}

TEST_CASE("the least recently used actors stop when too many live") {
  settings config;
  config.live_payments = 10;
  world w{std::make_shared<failing_store>(), config};
  for (int i = 0; i < 200; ++i) {
    const auto n = std::to_string(i);
    CHECK(w.ask(w.create("pay_" + n, "k" + n)) == "create authorized 0/0");
    CHECK(w.meters().live_payments.Value() <= 12);
  }
  for (int i = 0; i < 200; ++i)
    CHECK(w.ask(w.capture("pay_" + std::to_string(i), "c" + std::to_string(i))) == "capture captured 0/0");
}

TEST_CASE("requests that arrive while their actor stops are answered by the next one") {
  settings config;
  config.live_payments = 1;
  world w{std::make_shared<failing_store>(), config};
  std::vector<world::pending> all;
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < 5; ++i) {
      const auto n = std::to_string(i);
      all.push_back(round == 0 ? w.send(w.create("pay_" + n, "k" + n))
                               : w.send({w.key_of("pay_" + n), std::nullopt, view_entity{}}));
    }
  w.settle();
  for (const auto& p : all) {
    REQUIRE(p.done());
    CHECK((p.answer() == "create authorized 0/0" || p.answer() == "view" ||
           p.answer() == text_of(problem::payment_not_found)));
  }
  for (int i = 0; i < 5; ++i) CHECK(w.read("pay_" + std::to_string(i))->state == payment_state::authorized);
}

TEST_CASE("an actor with work under way is not stopped") {
  settings config;
  config.live_payments = 1;
  world w{std::make_shared<failing_store>(), config};
  auto slow = w.send(w.create("pay_slow", "k", "pm_card_slow_5000"));
  w.settle();
  for (int i = 0; i < 5; ++i) w.ask(w.create("pay_" + std::to_string(i), "k" + std::to_string(i)));
  CHECK_FALSE(slow.done());
  w.advance(6s);
  CHECK(slow.answer() == "create authorized 0/0");
  CHECK(w.calls().count(operation::create, "pay_slow") == 1);
}

TEST_CASE("the actors of a merchant that is not in memory start once it is, and its requests keep their order") {
  world w;
  auto cold = demo_merchant();
  cold.id = merchant_id{"merch_2"};
  w.looking().finds = [&](const directory_name&) -> caf::result<bool> {
    w.publish(cold);
    return true;
  };
  const auto of_cold = [](entity_request request) {
    request.key.merchant = merchant_id{"merch_2"};
    if (request.write) request.write->key.merchant = request.key.merchant;
    return request;
  };
  const auto made = w.send(of_cold(w.create("pay_1", "k1")));
  const auto captured = w.send(of_cold(w.capture("pay_1", "k2")));
  w.settle();
  CHECK(made.answer() == "create authorized 0/0");
  CHECK(captured.answer() == "capture captured 0/0");
  CHECK(w.ask(of_cold(w.create("pay_2", "k3"))) == "create authorized 0/0");
  CHECK(w.looking().looked_up.size() == 2);
  CHECK(w.looking().looked_up.front() == directory_name{directory_name::kind::merchant, "merch_2"});
}

TEST_CASE("while a merchant cannot be looked up its requests are refused, and have no effect") {
  world w;
  w.looking().finds = [](const directory_name&) -> caf::result<bool> {
    return make_error(actor_errc::store_unavailable);
  };
  auto request = w.create("pay_1", "k1");
  request.key.merchant = merchant_id{"merch_2"};
  const auto asked = w.send(std::move(request));
  w.settle();
  REQUIRE(asked.done());
  CHECK(w.rows().payments.empty());
  CHECK(w.calls().calls.empty());
  CHECK(w.meters().live_payments.Value() == 0);
}
