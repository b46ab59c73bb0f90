// What the directory holds in memory: nothing of a merchant until it is first named, all of it from then on.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;
using kind = directory_name::kind;

namespace {

mint_key a_test_key(const merchant_id& m) { return {m, environment::test, *parse_scopes("*")}; }

set_destination to_hook(const merchant_id& m, const std::string& url = "https://shop.example/hook") {
  return {destination_kind::merchant, m.value, environment::live, url, {}};
}

/// A merchant with everything that can belong to one, made by an earlier process.
struct stored_shop {
  failing_store_ptr rows = std::make_shared<failing_store>();
  merchant_id id;
  key_id key;
  destination_id hook;
  user_id person;
  invited_user invited;

  stored_shop() {
    office before{rows};
    id = new_shop(before, "owner@example.com");
    key = std::get<minted_key>(before.ask(a_test_key(id))).id;
    hook = std::get<destination_secret>(before.ask(to_hook(id))).id;
    invited = std::get<invited_user>(before.ask(invite_user{id, "ada@example.com", member_role::viewer}));
    person = invited.id;
  }
};

}  // namespace

TEST_CASE("nothing of a merchant is in memory after a start, and all of it once any of its names is looked up") {
  const stored_shop shop;
  for (const auto& name : {directory_name{kind::merchant, shop.id.value}, directory_name{kind::key, shop.key.value},
                           directory_name{kind::destination, shop.hook.value}}) {
    office o{shop.rows};
    CHECK_FALSE(o.published.find_merchant(shop.id));
    CHECK_FALSE(o.published.find_key(shop.key));
    CHECK_FALSE(o.published.find_destination(shop.hook));
    CHECK(o.meters.known_merchants.Value() == 0);
    CHECK(o.finds(name.what, name.text));
    REQUIRE(o.published.find_merchant(shop.id));
    CHECK(o.published.find_merchant(shop.id)->destinations.size() == 1);
    CHECK(o.published.find_merchant(shop.id)->routes.size() == 1);
    CHECK_FALSE(o.published.find_merchant(shop.id)->owner.empty());
    CHECK(o.published.find_key(shop.key));
    CHECK(o.published.find_destination(shop.hook));
    CHECK(o.meters.known_merchants.Value() == 1);
  }
}

TEST_CASE("platforms are in memory from the start, with their keys and destinations") {
  const auto rows = std::make_shared<failing_store>();
  platform_id id;
  key_id credential;
  {
    office before{rows};
    id = std::get<saved_platform>(
             before.ask(create_platform{"Name", "slug", "a@example.com", {"https://a.example/cb"}, {}}))
             .id;
    credential = std::get<minted_key>(before.ask(mint_platform_key{id, *parse_scopes("*")})).id;
    before.ask(set_destination{destination_kind::platform, id.value, environment::live, "https://a.example/h", {}});
  }
  office o{rows};
  CHECK(o.published.find_platform(id));
  CHECK(o.published.find_platform_key(credential));
  CHECK(o.published.find_platform_destination(id, environment::live));
  CHECK(o.finds(kind::platform, id.value));
}

TEST_CASE("what does not exist is not found, and the store is read each time") {
  office o;
  for (int times = 0; times < 2; ++times) {
    const auto reads = o.rows().directory_reads;
    CHECK_FALSE(o.finds(kind::merchant, "merch_none"));
    CHECK_FALSE(o.finds(kind::key, "mk_test_none"));
    CHECK_FALSE(o.finds(kind::destination, "dest_none"));
    CHECK_FALSE(o.finds(kind::user, "user_none"));
    CHECK_FALSE(o.finds(kind::email, "nobody@example.com"));
    CHECK(o.rows().directory_reads == reads + 5);
  }
  CHECK(o.meters.known_merchants.Value() == 0);
}

TEST_CASE("what is in memory is found without reading the store") {
  office o;
  const auto m = new_shop(o);
  const auto reads = o.rows().directory_reads;
  CHECK(o.finds(kind::merchant, m.value));
  CHECK(o.rows().directory_reads == reads);
}

TEST_CASE("many look-ups at a time share reads, and each gets its own answer") {
  const stored_shop shop;
  office o{shop.rows};
  const auto reads = o.rows().directory_reads;
  std::vector<std::shared_ptr<office::lookup_outcome>> forged;
  for (int i = 0; i < 200; ++i) forged.push_back(o.send(look_up{{kind::key, "mk_test_" + std::to_string(i)}}));
  const auto genuine = o.send(look_up{{kind::key, shop.key.value}});
  o.settle();
  for (const auto& one : forged) CHECK(one->there == false);
  CHECK(genuine->there == true);
  CHECK(o.rows().directory_reads - reads <= 5);
}

TEST_CASE("beyond four thousand waiting look-ups further ones are refused as overload") {
  office o;
  std::vector<std::shared_ptr<office::lookup_outcome>> asked;
  for (int i = 0; i < 4'200; ++i) asked.push_back(o.send(look_up{{kind::key, "mk_test_" + std::to_string(i)}}));
  o.settle();
  const auto refused = std::ranges::count_if(
      asked, [](const auto& one) { return one->failure && is(*one->failure, actor_errc::overloaded); });
  CHECK(refused > 0);
  CHECK(refused < 110);
  CHECK(std::ranges::all_of(asked, [](const auto& one) { return one->failure || one->there == false; }));
}

TEST_CASE("while the store is away look-ups of what is not in memory fail, and succeed once it is back") {
  const stored_shop shop;
  office o{shop.rows};
  shop.rows->reads_fail = true;
  const auto asked = o.send(look_up{{kind::merchant, shop.id.value}});
  const auto minting = o.send(a_test_key(shop.id));
  const auto other = o.send(create_merchant{"Other", merchant_kind::standard, {}});
  o.settle();
  REQUIRE(asked->failure);
  CHECK(is(*asked->failure, actor_errc::store_unavailable));
  CHECK(minting->failed(actor_errc::store_unavailable));
  CHECK(other->made);
  shop.rows->reads_fail = false;
  CHECK(o.finds(kind::merchant, shop.id.value));
}

TEST_CASE("a command finds the merchant, key, destination or person that it names, on whichever node that was made") {
  const stored_shop shop;
  const std::vector<operator_command> commands{
      a_test_key(shop.id),
      revoke_key{shop.key},
      set_route{shop.id, {environment::live, provider_kind::sandbox, 0, {}, {payment_method_kind::card}}},
      set_connection{shop.id, {environment::live, provider_kind::sandbox, connection_status::connected, {}}},
      make_chargeable{shop.id, environment::live, {}},
      follow_account{shop.id, environment::test, provider_kind::sandbox, "acct_sandbox", account_standing::ready},
      redeem_setup_token{shop.id, "token"},
      to_hook(shop.id),
      enable_destination{shop.hook},
      disable_destination{shop.hook, "asked for"},
      rotate_destination_secret{shop.hook, 1h},
      add_user{shop.id, "bob@example.com", "correct horse"},
      invite_user{shop.id, "eve@example.com", {}},
      accept_invitation{shop.id, shop.person, shop.invited.invitation, "correct horse"}};
  for (const auto& command : commands) {
    office o{shop.rows};
    INFO("command " << command.index());
    CHECK_FALSE(std::holds_alternative<operator_problem>(o.ask(command)));
  }
}

TEST_CASE("a person of another merchant is the same person, although neither is in memory") {
  const stored_shop shop;
  office o{shop.rows};
  CHECK(std::get<invited_user>(o.ask(invite_user{new_shop(o), "ADA@example.com", {}})).id == shop.person);
  new_shop(o, "Owner@example.com");
  CHECK(o.stored().users.size() == 2);
  // Invited without a role, a person who already has one keeps it.
  CHECK(std::get<invited_user>(o.ask(invite_user{shop.id, "ada@example.com", {}})).id == shop.person);
  for (const auto& member : o.stored().memberships)
    if (member.merchant == shop.id && member.user == shop.person) CHECK(member.role == member_role::viewer);
}

TEST_CASE("destinations of a merchant that is not in memory count towards its limit") {
  const auto rows = std::make_shared<failing_store>();
  merchant_id id;
  {
    office before{rows};
    id = new_shop(before);
    for (int i = 0; i < 32; ++i) before.ask(to_hook(id, "https://shop.example/" + std::to_string(i)));
  }
  office o{rows};
  CHECK(o.problem(to_hook(id)).find("the most that it may have") != std::string::npos);
}

TEST_CASE("a merchant whose creation has an unknown outcome is found when it is looked up, if it was committed") {
  office o;
  o.rows().faults.push_back(fault::after_commit);
  CHECK(o.try_out(create_merchant{"Shop", merchant_kind::standard, {}}).failed(actor_errc::store_unavailable));
  const auto id = o.stored().merchants.front().id;
  CHECK_FALSE(o.published.find_merchant(id));
  CHECK(o.finds(kind::merchant, id.value));
}

TEST_CASE("an endless series of commands does not delay look-ups of merchants, nor the reverse") {
  const stored_shop shop;
  office o{shop.rows};
  std::vector<office::pending> commands;
  for (int i = 0; i < 500; ++i) commands.push_back(o.send(create_merchant{"Shop", merchant_kind::standard, {}}));
  const auto asked = o.send(look_up{{kind::merchant, shop.id.value}});
  while (!asked->there && !asked->failure) REQUIRE(o.step());
  CHECK(asked->there == true);
  CHECK(std::ranges::any_of(commands, [](const auto& one) { return !one->done(); }));

  std::vector<std::shared_ptr<office::lookup_outcome>> forged;
  for (int i = 0; i < 1'000; ++i) forged.push_back(o.send(look_up{{kind::key, "mk_test_" + std::to_string(i)}}));
  const auto made = o.send(create_merchant{"Shop", merchant_kind::standard, {}});
  while (!made->done()) REQUIRE(o.step());
  CHECK(std::ranges::any_of(forged, [](const auto& one) { return !one->there; }));
  o.settle();
}
