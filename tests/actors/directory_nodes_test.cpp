// The directories of several nodes over one store: each publishes the changes of the others, and none plans changes on
// outdated rows.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

struct two_nodes {
  failing_store_ptr rows = std::make_shared<failing_store>();
  office first{rows, true};
  office second{rows, true};
};

mint_key any_key(const merchant_id& m) { return {m, environment::test, *parse_scopes("*")}; }

}  // namespace

TEST_CASE("a node publishes another node's change once it has read the log, and reports how far it has read") {
  two_nodes t;
  const auto m = new_shop(t.first, "owner@example.com");
  const auto key = std::get<minted_key>(t.first.ask(any_key(m))).id;
  t.second.catch_up_with_log();
  CHECK_FALSE(t.second.published.find_merchant(m));
  t.second.know_all();
  REQUIRE(t.second.published.find_merchant(m));
  CHECK_FALSE(t.second.published.find_merchant(m)->owner.empty());
  CHECK(t.second.published.find_merchant(m)->routes.size() == 1);
  REQUIRE(t.second.published.find_key(key));
  CHECK(t.second.kept.published.back() == 2);

  t.second.ask(revoke_key{key});
  CHECK_FALSE(t.first.published.find_key(key)->revoked);
  t.first.catch_up_with_log();
  CHECK(t.first.published.find_key(key)->revoked);
}

TEST_CASE("a platform that one node suspends is suspended at another, with its keys and destinations") {
  two_nodes t;
  const auto made = std::get<saved_platform>(
      t.first.ask(create_platform{"Name", "slug", "a@example.com", {"https://a.example/cb"}, {}}));
  const auto key = std::get<minted_key>(t.first.ask(mint_platform_key{made.id, *parse_scopes("*")})).id;
  const auto to = std::get<destination_secret>(t.first.ask(
      set_destination{destination_kind::platform, made.id.value, environment::live, "https://a.example/h", {}}));
  t.second.catch_up_with_log();
  REQUIRE(t.second.published.find_platform_by_slug("slug"));
  CHECK_FALSE(t.second.published.find_destination(to.id)->held);
  t.first.ask(set_platform_status{made.id, platform_status::suspended});
  const auto received = t.second.listen_while([&] { t.second.catch_up_with_log(); });
  CHECK(t.second.published.find_platform_key(key)->suspended);
  CHECK(t.second.published.find_destination(to.id)->held);
  CHECK(received == std::vector{to.id.value});
}

TEST_CASE("a change is answered only when every other node has published it, and so is one without effect") {
  two_nodes t;
  const auto m = new_shop(t.first);
  t.first.kept.others_are_slow = true;
  const auto minted = t.first.send(any_key(m));
  t.first.settle();
  CHECK_FALSE(minted->done());
  t.first.others_follow();
  REQUIRE(minted->made);
  const auto platform = t.first.send(create_platform{"Name", "slug", "a@example.com", {"https://a.example/cb"}, {}});
  t.first.settle();
  t.first.others_follow();
  const auto id = std::get<saved_platform>(*platform->made).id;
  const auto same = t.first.send(change_platform{id, "Name", {}, {}, {}});
  t.first.settle();
  CHECK_FALSE(same->done());
  t.first.others_follow();
  CHECK(same->made);
}

TEST_CASE("a change whose plan another node has overtaken is planned again with that node's change") {
  two_nodes t;
  const auto m = new_shop(t.first);
  t.second.know_all();
  // The first node adds a route: position 2. The second has not read that, and would take the same position.
  t.first.ask(set_route{m, {environment::live, provider_kind::sandbox, 0, {}, {payment_method_kind::card}}});
  t.second.ask(set_route{m, {environment::live, provider_kind::sandbox_hosted, 0, {}, {payment_method_kind::card}}});
  std::set<std::uint32_t> positions;
  for (const auto& row : t.first.stored().routes) positions.insert(row.way.position);
  CHECK(positions == std::set<std::uint32_t>{1, 2, 3});
}

TEST_CASE("a slug that another node has assigned is a conflict, and a person whom it has added is the same person") {
  two_nodes t;
  const auto m = new_shop(t.first, "owner@example.com");
  t.first.ask(create_platform{"Name", "slug", "a@example.com", {"https://a.example/cb"}, {}});
  CHECK(
      t.second.problem(create_platform{"Other", "slug", "b@example.com", {"https://b.example/cb"}, {}}).find("slug") !=
      std::string::npos);
  const auto other = new_shop(t.second, "OWNER@example.com");
  CHECK(t.second.stored().users.size() == 1);
  t.first.know_all();
  CHECK(t.first.published.find_merchant(other)->owner == t.first.published.find_merchant(m)->owner);
}

TEST_CASE("many changes that wait together are all made, whatever another node changes between them") {
  two_nodes t;
  const auto m = new_shop(t.first);
  t.second.know_all();
  std::vector<operator_command> commands;
  for (int i = 0; i < 20; ++i) commands.push_back(any_key(m));
  new_shop(t.first);
  const auto made = t.second.ask_together(commands);
  for (const auto& one : made) CHECK(one.made);
  CHECK(t.first.stored().keys.size() == 20);
}

TEST_CASE("a log that cannot be read is read again, and nothing is reported as published meanwhile") {
  two_nodes t;
  const auto m = new_shop(t.first);
  t.second.know_all();
  const auto key = std::get<minted_key>(t.first.ask(any_key(m))).id;
  t.rows->reads_fail = true;
  t.second.catch_up_with_log();
  CHECK_FALSE(t.second.published.find_key(key));
  const auto before = t.second.kept.published;
  t.rows->reads_fail = false;
  t.second.advance(1s);
  CHECK(t.second.published.find_key(key));
  CHECK(t.second.kept.published.size() == before.size() + 1);
}

TEST_CASE("a node reloads from the log only merchants that it holds, and ignores others") {
  two_nodes t;
  const auto known = new_shop(t.first), other = new_shop(t.first);
  CHECK(t.second.finds(directory_name::kind::merchant, known.value));
  t.second.catch_up_with_log();
  t.first.ask(any_key(known));
  const auto key = std::get<minted_key>(t.first.ask(any_key(other))).id;
  t.second.catch_up_with_log();
  CHECK_FALSE(t.second.published.find_merchant(other));
  CHECK_FALSE(t.second.published.find_key(key));
  CHECK(t.second.meters.known_merchants.Value() == 1);
  CHECK(t.second.kept.published.back() == 4);
  CHECK(t.second.finds(directory_name::kind::key, key.value));
  CHECK(t.second.published.find_merchant(other));
}

TEST_CASE("an entry that is read while another node changes it is published with that change, once the log is read") {
  two_nodes t;
  const auto m = new_shop(t.first);
  const auto asked = t.second.send(look_up{{directory_name::kind::merchant, m.value}});
  while (!t.second.published.find_merchant(m)) REQUIRE(t.second.step());
  const auto key = std::get<minted_key>(t.first.ask(any_key(m))).id;
  t.second.catch_up_with_log();
  CHECK(asked->there == true);
  CHECK(t.second.published.find_key(key));
}
