// The directory's queue: the order of commands, which of them wait for each other, and the effect of each commit
// outcome.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

set_route live_route(const merchant_id& m, provider_kind to = provider_kind::sandbox) {
  return {m, {environment::live, to, 0, {}, {payment_method_kind::card}}};
}

std::vector<std::uint32_t> live_positions(const office& o, const merchant_id& id) {
  std::vector<std::uint32_t> list;
  for (const auto& one : o.published.find_merchant(id)->routes)
    if (one.env == environment::live) list.push_back(one.position);
  return list;
}

mint_key any_key(const merchant_id& m) { return {m, environment::test, *parse_scopes("*")}; }

}  // namespace

// ---- what a commit's outcome means --------------------------------------------------------------

TEST_CASE(
    "a command whose commit has an unknown outcome reports that, and the directory publishes what the store holds") {
  for (auto how : {fault::before_commit, fault::after_commit}) {
    office o;
    const auto m = new_shop(o);
    o.rows().faults.push_back(how);
    CHECK(o.try_out(add_user{m, "a@example.com", "correct horse"}).failed(actor_errc::store_unavailable));
    o.clock.at += 1s;  // the store lists users in the order of their times
    o.ask(add_user{m, "b@example.com", "correct horse"});
    CHECK(o.published.find_merchant(m)->owner == user_id{o.stored().users.front().id});
  }
}

TEST_CASE("after an unknown commit outcome the directory reads the store until it answers") {
  office o;
  const auto m = new_shop(o);
  const auto key = std::get<minted_key>(o.ask(any_key(m))).id;
  o.rows().faults.push_back(fault::after_commit);
  o.rows().reads_fail = true;
  CHECK(o.try_out(revoke_key{key}).failed(actor_errc::store_unavailable));
  const auto waiting = o.send(create_merchant{"Other", merchant_kind::standard, {}});
  o.settle();
  CHECK_FALSE(waiting->done());
  o.advance(1s);
  CHECK(waiting->failed(actor_errc::store_unavailable));
  CHECK_FALSE(o.published.find_key(key)->revoked);
  o.rows().reads_fail = false;
  o.advance(1s);
  CHECK(o.published.find_key(key)->revoked);
  new_shop(o);
}

TEST_CASE("a command that a full store rejects is overload: its outcome is certain, and nothing is read again") {
  office o;
  const auto m = new_shop(o);
  const auto reads = o.rows().directory_reads;
  o.rows().faults.push_back(fault::queue_full);
  CHECK(o.try_out(live_route(m)).failed(actor_errc::overloaded));
  CHECK(live_positions(o, m).empty());
  CHECK(std::holds_alternative<placed_route>(o.ask(live_route(m))));
  CHECK(live_positions(o, m) == std::vector<std::uint32_t>{2});
  o.advance(30s);
  CHECK(o.rows().directory_reads == reads);
}

TEST_CASE("of commands that wait together, the store may reject one as overload and take the others") {
  office o;
  const auto m = new_shop(o), n = new_shop(o), other = new_shop(o);
  const auto reads = o.rows().directory_reads;
  o.rows().faults = {fault::none, fault::queue_full, fault::none};
  const auto outcomes = o.ask_together({live_route(m), live_route(n), live_route(other)});
  CHECK(outcomes[0].made);
  CHECK(outcomes[1].failed(actor_errc::overloaded));
  CHECK(outcomes[2].made);
  CHECK(o.rows().directory_reads == reads);
}

TEST_CASE("of commands that wait together, an unknown outcome of one does not affect the others") {
  for (auto how : {fault::before_commit, fault::after_commit}) {
    office o;
    std::vector<merchant_id> shops;
    for (int i = 0; i < 4; ++i) shops.push_back(new_shop(o));
    o.rows().faults = {fault::none, fault::none, how};
    std::vector<operator_command> commands;
    for (const auto& shop : shops) commands.push_back(live_route(shop));
    const auto outcomes = o.ask_together(commands);
    for (std::size_t i = 0; i < outcomes.size(); ++i) CHECK(outcomes[i].made.has_value() == (i != 2));
    // The next command waits until the stored state has been read again.
    o.ask(any_key(shops[0]));
    for (std::size_t i = 0; i < shops.size(); ++i)
      CHECK(o.published.find_merchant(shops[i])->routes.size() == (i == 2 && how == fault::before_commit ? 1U : 2U));
  }
}

// ---- order --------------------------------------------------------------------------------------

TEST_CASE("of commands that wait together those for one merchant run in their order of arrival") {
  office o;
  const auto m = new_shop(o), n = new_shop(o);
  const auto outcomes =
      o.ask_together({live_route(m), live_route(n), live_route(m, provider_kind::sandbox_hosted), any_key(m)});
  for (const auto& outcome : outcomes) REQUIRE(outcome.made);
  CHECK(live_positions(o, m) == std::vector<std::uint32_t>{2, 3});
  CHECK(live_positions(o, n) == std::vector<std::uint32_t>{2});
  CHECK(o.stored().routes.size() == 5);
  CHECK(o.published.find_key(std::get<minted_key>(*outcomes.back().made).id)->merchant == m);
}

TEST_CASE("commands that wait together for an entity that does not exist all fail with that answer") {
  office o;
  const auto m = new_shop(o);
  const auto nowhere = live_route(merchant_id{"merch_none"});
  const auto outcomes = o.ask_together({live_route(m), nowhere, nowhere, nowhere});
  CHECK(std::holds_alternative<placed_route>(*outcomes[0].made));
  for (std::size_t i = 1; i < outcomes.size(); ++i)
    CHECK(std::get<operator_problem>(*outcomes[i].made).words == "There is no merchant merch_none.");
}

TEST_CASE("beyond a thousand waiting commands further ones are refused, and those before them are executed") {
  constexpr std::size_t most = 1'000;
  office o;
  const auto outcomes =
      o.ask_together(std::vector<operator_command>(most + 2, create_merchant{"Shop", merchant_kind::standard, {}}));
  // The first is under way while the others wait.
  for (std::size_t i = 0; i <= most; ++i) CHECK(outcomes[i].made);
  CHECK(outcomes.back().failed(actor_errc::overloaded));
}

// ---- passwords ----------------------------------------------------------------------------------

TEST_CASE("while a password is hashed, other commands are answered, those for the same merchant too") {
  office o;
  const auto m = new_shop(o);
  o.hashing.held_up = true;
  const auto user = o.send(add_user{m, "a@example.com", "correct horse"});
  o.settle();
  CHECK_FALSE(user->done());
  CHECK(std::holds_alternative<created_merchant>(o.ask(create_merchant{"Other", merchant_kind::standard, {}})));
  CHECK(std::holds_alternative<placed_route>(o.ask(live_route(m))));
  o.let_hash();
  REQUIRE(user->made);
  CHECK(o.published.find_merchant(m)->owner == std::get<added_user>(*user->made).id);
}

TEST_CASE("users of one merchant are added in the order of their commands") {
  office o;
  const auto m = new_shop(o);
  o.hashing.held_up = true;
  const auto first = o.send(add_user{m, "a@example.com", "one"});
  const auto second = o.send(add_user{m, "b@example.com", "two"});
  const auto third = o.send(add_user{m, "a@example.com", "three"});
  o.settle();
  CHECK(o.hashing.asked == std::vector<std::string>{"one", "two", "three"});
  o.let_hash();
  CHECK(first->done());
  CHECK_FALSE(second->done());
  o.let_hash();
  CHECK(second->done());
  CHECK_FALSE(third->done());
  o.let_hash();
  REQUIRE(third->made);
  // A merchant without an owner gets its first user as owner.
  CHECK(o.published.find_merchant(m)->owner == std::get<added_user>(*first->made).id);
  CHECK(std::get<added_user>(*third->made).id == std::get<added_user>(*first->made).id);
  for (const auto& user : o.stored().users) CHECK(user.has_password);
}

TEST_CASE("a user whose password a full hasher rejects is overload, and nothing is stored") {
  office o;
  const auto m = new_shop(o);
  o.hashing.full = true;
  CHECK(o.try_out(add_user{m, "a@example.com", "correct horse"}).failed(actor_errc::overloaded));
  CHECK(o.stored().users.empty());
  o.hashing.full = false;
  CHECK(std::holds_alternative<added_user>(o.ask(add_user{m, "a@example.com", "correct horse"})));
}

TEST_CASE("a password hashed during an unknown commit outcome is stored once the outcome is known") {
  office o;
  const auto m = new_shop(o);
  o.hashing.held_up = true;
  const auto user = o.send(add_user{m, "a@example.com", "correct horse"});
  o.rows().faults.push_back(fault::after_commit);
  o.rows().reads_fail = true;
  CHECK(o.try_out(live_route(m)).failed(actor_errc::store_unavailable));
  o.let_hash();
  CHECK_FALSE(user->done());
  o.rows().reads_fail = false;
  o.advance(1s);
  REQUIRE(user->made);
  CHECK(o.stored().users.size() == 1);
  CHECK(live_positions(o, m) == std::vector<std::uint32_t>{2});
}
