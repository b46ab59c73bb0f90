// The store contract: bindings of merchants and platforms, their grants, and the platforms themselves.
#include <catch2/catch.hpp>

#include <algorithm>
#include <latch>
#include <thread>

#include "contract_store.hpp"
#include "persistence/tables/row_kinds.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const std::string awkward = std::string{"Zoë \"quoted\" \\ 日本語 🦊 %s ' \n\t"} + '\0' + "end";

unit_parts inserting(const grant_binding& b) {
  unit_parts unit;
  unit.insert_binding = b;
  return unit;
}

unit_parts claiming(const grant_binding& b) {
  unit_parts unit;
  unit.update_binding = b;
  return unit;
}

template <class... Records>
unit_parts saving(const Records&... records) {
  unit_parts unit;
  (unit.records.emplace_back(records), ...);
  return unit;
}

template <class... Records>
unit_parts changing(const Records&... records) {
  unit_parts unit;
  (unit.record_claims.emplace_back(records), ...);
  return unit;
}

grant_binding full_binding() {
  auto b = a_binding("1");
  b.key.env = environment::live;
  b.newest->scopes = *parse_scopes("mcp:read webhooks:configure");
  b.newest->given_by = user_id{"user_" + std::string(50, 'z')};
  b.newest->granted_at = at(-5);
  b.codes = {{std::string(64, 'a'), "https://app.example/cb?x=" + std::string(2000, 'y'), at(600'000)},
             {std::string(64, 'b'), awkward, at(600'001)}};
  return b;
}

platform a_platform(const std::string& id, const std::string& slug) {
  platform p;
  p.id = platform_id{id};
  p.slug = slug;
  p.name = awkward;
  p.contact = "security@app.example";
  p.redirect_uris = {"https://app.example/cb", "https://app.example/a b\"c"};
  p.return_origins = {"https://app.example"};
  return p;
}

save_platform_key a_platform_key(const std::string& id, const std::string& platform = "plat_1") {
  return {key_id{id}, platform_id{platform}, *parse_scopes("payments:write *"), "sealed", at(2)};
}

std::vector<std::string> ids(const grants_lookup& found) {
  std::vector<std::string> all;
  for (const auto& one : found.grants) all.push_back(one.second.id.value);
  return all;
}

using outcomes = std::vector<commit_outcome>;

/// Commits each unit on a connection of its own, concurrently. The outcomes are sorted.
outcomes race(const migrated_store& store, const std::vector<unit_of_work>& units) {
  outcomes found(units.size(), unavailable);
  std::latch start{static_cast<std::ptrdiff_t>(units.size())};
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < units.size(); ++i)
    writers.emplace_back([&, i] {
      const auto db = connect(store.where(), access::write);
      db->serve();
      start.arrive_and_wait();
      found[i] = commit_units(*db, {&units[i], 1}).front();
    });
  for (auto& writer : writers) writer.join();
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("every field of a binding is read as it was inserted, and as it was changed") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto wanted = full_binding();
  REQUIRE(store.commit(inserting(wanted)) == committed);
  CHECK(binding_in(store.run(find_entity{wanted.key})) == wanted);

  wanted.version = 2;
  wanted.newest->scopes = *parse_scopes("refunds:write");
  wanted.newest->revoked_at = at(70);
  wanted.newest->revoke_reason = awkward;
  wanted.codes.clear();
  REQUIRE(store.commit(claiming(wanted)) == committed);
  CHECK(binding_in(store.run(find_entity{wanted.key})) == wanted);

  auto elsewhere = wanted.key;
  elsewhere.env = environment::test;
  CHECK_FALSE(store.run(find_entity{elsewhere}).found);
  const auto payment = payment_key(wanted.key.merchant, wanted.key.env, payment_id{wanted.key.id});
  CHECK_FALSE(store.run(find_entity{payment}).found);
}

TEST_CASE("a binding is inserted once, and changed by its version only") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto first = a_binding("1");
  CHECK(store.commit(claiming(first)) == lost_claim);
  CHECK_FALSE(store.run(find_entity{first.key}).found);
  REQUIRE(store.commit(inserting(first)) == committed);
  CHECK(store.commit(inserting(a_binding("2"))) == entity_exists);
  for (const std::int64_t version : {1, 3}) {
    auto moved = a_binding("2");
    moved.version = version;
    CHECK(store.commit(claiming(moved)) == lost_claim);
  }
  CHECK(binding_in(store.run(find_entity{first.key})) == first);
}

TEST_CASE("no two bindings have one grant, and the other binding's row stays unchanged") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto one = a_binding("1"), other = a_binding("2", "merch_2", "plat_2");
  REQUIRE(store.commit(inserting(one)) == committed);
  REQUIRE(store.commit(inserting(other)) == committed);
  SECTION("a third is inserted with it") {
    CHECK(store.commit(inserting(a_binding("1", "merch_3"))) == entity_exists);
    CHECK_FALSE(store.run(find_entity{a_binding("1", "merch_3").key}).found);
  }
  SECTION("the other one claims it") {
    auto taking = other;
    taking.newest = one.newest;
    taking.version = 2;
    CHECK(store.commit(claiming(taking)) == lost_claim);
  }
  SECTION("a unit for a version that is not stored claims it") {
    auto absent = a_binding("1", "merch_3", "plat_3");
    absent.version = 2;
    CHECK(store.commit(claiming(absent)) == lost_claim);
    CHECK_FALSE(store.run(find_entity{absent.key}).found);
  }
  CHECK(binding_in(store.run(find_entity{one.key})) == one);
  CHECK(binding_in(store.run(find_entity{other.key})) == other);
}

TEST_CASE("a consent after a revoke stores the earlier grant in the same unit, or nothing at all") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto first = a_binding("1");
  REQUIRE(store.commit(inserting(first)) == committed);
  const auto again = consent_again(first, "2");

  SECTION("another change came before") {
    auto between = first;
    between.version = 2;
    REQUIRE(store.commit(claiming(between)) == committed);
    CHECK(store.commit(again) == lost_claim);
    CHECK_FALSE(store.run(find_grant{grant_id{"grant_2"}}).binding);
    CHECK(binding_in(store.run(find_entity{first.key})) == between);
    CHECK(ids(store.run(find_grants{})) == std::vector<std::string>{"grant_1"});
  }
  SECTION("the past grant exists already") {
    unit_parts past;
    past.past_grants = again.past_grants;
    past.past_grants[0].binding.merchant = merchant_id{"merch_2"};
    REQUIRE(store.commit(past) == committed);
    CHECK(store.commit(again) == lost_claim);
    CHECK(binding_in(store.run(find_entity{first.key})) == first);
    CHECK_FALSE(store.run(find_grant{grant_id{"grant_2"}}).binding);
  }
  SECTION("nothing conflicts") {
    REQUIRE(store.commit(again) == committed);
    CHECK(binding_in(store.run(find_entity{first.key})) == again.update_binding);
    const auto past = store.run(find_grant{grant_id{"grant_1"}}), newest = store.run(find_grant{grant_id{"grant_2"}});
    CHECK(past.binding == first.key);
    CHECK(past.past);
    CHECK(newest.binding == first.key);
    CHECK_FALSE(newest.past);
    const auto all = store.run(find_grants{}).grants;
    REQUIRE(all.size() == 2);
    CHECK(all[0] == std::pair{first.key, *again.update_binding->newest});
    CHECK(all[1] == std::pair{first.key, again.past_grants[0].what});
    CHECK(store.commit(again) == lost_claim);
  }
}

TEST_CASE("a grant that was never given is not found") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK_FALSE(store.run(find_grant{grant_id{"grant_1"}}).binding);
  CHECK(store.run(find_grants{}).grants.empty());
  CHECK_FALSE(store.run(find_entity{a_binding("1").key}).found);
}

TEST_CASE("grants are listed newest first, in pages, of a merchant, of a platform, of both, or all") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  // The id starts with the time at which the grant was given; two have the same time. The binding of 10 was given again
  // as 60.
  const auto give = [&](const std::string& id, std::int64_t when, const std::string& merchant,
                        const std::string& platform) {
    auto b = a_binding(id, merchant, platform);
    b.newest->granted_at = at(when);
    REQUIRE(store.commit(inserting(b)) == committed);
    return b;
  };
  const auto first = give("10", 10, "merch_1", "plat_1");
  give("20", 20, "merch_1", "plat_2");
  give("30a", 30, "merch_2", "plat_1");
  give("30b", 30, "merch_3", "plat_1");
  give("40", 40, "merch_2", "plat_2");
  auto again = consent_again(first, "60");
  again.update_binding->newest->granted_at = at(60);
  REQUIRE(store.commit(again) == committed);

  struct expectation {
    std::string merchant, platform;
    std::vector<std::string> found;
  };
  const expectation rows[] = {
      {"", "", {"grant_60", "grant_40", "grant_30b", "grant_30a", "grant_20", "grant_10"}},
      {"merch_1", "", {"grant_60", "grant_20", "grant_10"}},
      {"", "plat_1", {"grant_60", "grant_30b", "grant_30a", "grant_10"}},
      {"merch_1", "plat_1", {"grant_60", "grant_10"}},
      {"merch_2", "plat_2", {"grant_40"}},
      {"merch_3", "plat_2", {}},
      {"merch_9", "", {}},
  };
  for (const auto& row : rows) {
    INFO(row.merchant << " and " << row.platform);
    find_grants what;
    what.merchant = merchant_id{row.merchant};
    what.platform = platform_id{row.platform};
    CHECK(ids(store.run(what)) == row.found);
    for (const std::uint32_t limit : {1u, 2u}) {
      std::vector<std::string> paged;
      auto page = what;
      page.limit = limit;
      for (auto found = store.run(page).grants; !found.empty(); found = store.run(page).grants) {
        REQUIRE(paged.size() <= row.found.size());
        CHECK(found.size() <= limit);
        for (const auto& one : found) paged.push_back(one.second.id.value);
        page.before = found.back().second.granted_at;
        page.before_id = found.back().second.id;
      }
      CHECK(paged == row.found);
    }
  }
}

TEST_CASE("the directory has the bindings' versions, states and scopes") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto one = a_binding("1");
  auto other = a_binding("2", "merch_2");
  other.key.env = environment::live;
  other.newest->revoked_at = at(9);
  other.newest->scopes = *parse_scopes("mcp:read");
  REQUIRE(store.commit(inserting(one)) == committed);
  REQUIRE(store.commit(inserting(other)) == committed);
  other.version = 2;
  REQUIRE(store.commit(claiming(other)) == committed);
  const auto found = entries_of(store, {one.key.merchant, other.key.merchant}).bindings;
  REQUIRE(found.size() == 2);
  CHECK(found[0].key == one.key);
  CHECK(found[0].state == grant_state::active);
  CHECK(found[0].scopes == one.newest->scopes);
  CHECK(found[0].version == 1);
  CHECK(found[1].key == other.key);
  CHECK(found[1].state == grant_state::revoked);
  CHECK(found[1].scopes == other.newest->scopes);
  CHECK(found[1].version == 2);
}

TEST_CASE("two connections that insert one binding store one grant") {
  FOR_EACH_STORE(kind);
  for (int round = 0; round < 5; ++round) {
    const migrated_store store{kind};
    REQUIRE(race(store, {inserting(a_binding("1")), inserting(a_binding("2"))}) == outcomes{committed, entity_exists});
    CHECK(run(*store.reader, find_grants{}).grants.size() == 1);
  }
}

TEST_CASE("of two connections that claim one version of a binding one loses") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  auto before = a_binding("0");
  const unit_of_work first = inserting(before);
  REQUIRE(commit_units(*store.writer, {&first, 1}).front() == committed);
  for (int round = 1; round <= 10; ++round) {
    const auto name = std::to_string(round);
    REQUIRE(race(store, {consent_again(before, name + "a"), consent_again(before, name + "b")}) ==
            outcomes{committed, lost_claim});
    before = *binding_in(run(*store.reader, find_entity{before.key}));
    CHECK(before.version == round + 1);
    CHECK(run(*store.reader, find_grants{}).grants.size() == static_cast<std::size_t>(round) + 1);
  }
}

TEST_CASE("bindings of many merchants commit in one batch, and those that fail do so alone") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<unit_parts> inserts, claims;
  outcomes wanted;
  for (int i = 0; i < 200; ++i) {
    const auto b = a_binding(std::to_string(i), "merch_" + std::to_string(i));
    inserts.push_back(inserting(b));
    claims.push_back(consent_again(b, std::to_string(i) + "_again"));
    const bool moved = i % 67 == 0;
    if (moved) claims.back().update_binding->version = 9;
    wanted.push_back(moved ? lost_claim : committed);
  }
  CHECK(store.commit(inserts) == outcomes(200, committed));
  CHECK(store.commit(claims) == wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto row = binding_in(store.run(find_entity{a_binding("", "merch_" + std::to_string(i)).key}));
    CHECK(row.value().version == (wanted[i] == committed ? 2 : 1));
  }
}

TEST_CASE("several units of one binding in one batch take effect in their order") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto first = a_binding("1");
  const auto second = consent_again(first, "2");
  const auto third = consent_again(*second.update_binding, "3");
  CHECK(store.commit(std::vector{inserting(first), second, third}) == outcomes(3, committed));
  CHECK(binding_in(store.run(find_entity{first.key})) == third.update_binding);
  CHECK(store.run(find_grants{}).grants.size() == 3);
}

TEST_CASE("a platform comes back, and its slug and its id are taken once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto one = a_platform("plat_1", "acme");
  REQUIRE(store.commit(saving(insert_platform{one, at(1)})) == committed);
  CHECK(store.commit(saving(insert_platform{a_platform("plat_2", "acme"), at(2)})) == duplicate_record);
  CHECK(store.commit(saving(insert_platform{a_platform("plat_1", "other"), at(2)})) == duplicate_record);
  CHECK(entries_of(store, {}).platforms == std::vector{one});
  const auto older = a_platform("plat_3", "older");
  REQUIRE(store.commit(saving(insert_platform{older, at(0)})) == committed);
  CHECK(entries_of(store, {}).platforms == std::vector{older, one});
}

TEST_CASE("every field of a platform may change except its slug") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto other = a_platform("plat_2", "other");
  REQUIRE(store.commit(saving(insert_platform{a_platform("plat_1", "acme"), at(1)})) == committed);
  REQUIRE(store.commit(saving(insert_platform{other, at(2)})) == committed);
  platform changed{platform_id{"plat_1"}, "renamed", "Acme", "", platform_status::suspended, {}, {"https://a.example"}};
  REQUIRE(store.commit(changing(update_platform{changed})) == committed);
  changed.slug = "acme";
  CHECK(entries_of(store, {}).platforms == std::vector{changed, other});
  CHECK(store.commit(changing(update_platform{a_platform("plat_9", "acme")})) == committed);
  CHECK(entries_of(store, {}).platforms.size() == 2);
}

TEST_CASE("a platform's key id is used once, and a revoke is permanent") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto one = a_platform_key("mk_platform_1");
  auto bare = a_platform_key("mk_platform_2");
  bare.scopes = {};
  REQUIRE(store.commit(saving(one, bare)) == committed);
  CHECK(store.commit(saving(a_platform_key("mk_platform_1", "plat_2"))) == duplicate_record);
  CHECK(store.commit(changing(revoke_platform_key{one.id, platform_id{"plat_2"}, at(5)})) == committed);
  auto keys = entries_of(store, {}).platform_keys;
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].key.id == one.id);
  CHECK(keys[0].key.platform == one.platform);
  CHECK(keys[0].key.scopes == one.scopes);
  CHECK(keys[0].key.sealed_secret == "sealed");
  CHECK(keys[0].key.created_at == at(2));
  CHECK_FALSE(keys[0].revoked);
  CHECK(keys[1].key.scopes == scope_set{});
  for (int times = 0; times < 2; ++times) {
    CHECK(store.commit(changing(revoke_platform_key{one.id, one.platform, at(5 + times)})) == committed);
    keys = entries_of(store, {}).platform_keys;
    CHECK(keys[0].revoked);
    CHECK_FALSE(keys[1].revoked);
  }
}

TEST_CASE("the first revocation time of a platform's key is kept") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  const auto one = a_platform_key("mk_platform_1");
  const unit_of_work units[] = {saving(one), changing(revoke_platform_key{one.id, one.platform, at(5)}),
                                changing(revoke_platform_key{one.id, one.platform, at(6)})};
  REQUIRE(commit_units(*store.writer, units) == outcomes(3, committed));
  static const statement revoked_at{"SELECT revoked_at FROM platform_keys"};
  std::vector<time_point> times;
  store.reader->read(revoked_at, {}, [&](const result_row& row) { times.push_back(from_unix_ms(row.integer(0))); });
  CHECK(times == std::vector{at(5)});
}

TEST_CASE("a restart finds platforms, keys and grants unchanged") {
  FOR_EACH_STORE(kind);
  empty_store store{kind};
  const auto binding = full_binding();
  const auto again = consent_again(binding, "2");
  const auto one = a_platform("plat_1", "acme");
  migrate(*connect(store.where(), access::migrate));
  {
    const unit_of_work units[] = {saving(insert_platform{one, at(0)}, a_platform_key("mk_platform_1")),
                                  inserting(binding), again};
    REQUIRE(commit_units(*connect(store.where(), access::write), units) == outcomes(3, committed));
  }
  const auto reader = connect(store.where(), access::read);
  CHECK(binding_in(run(*reader, find_entity{binding.key})) == again.update_binding);
  CHECK(run(*reader, find_grant{binding.newest->id}).past);
  const auto directory = run(*reader, find_directory{{}, true});
  CHECK(directory.platforms == std::vector{one});
  CHECK(directory.platform_keys.size() == 1);
}

TEST_CASE("the estimated size of a unit grows with its long fields") {
  const auto plain = a_binding("1");
  auto coded = plain, revoked = plain;
  coded.codes = {{std::string(64, 'a'), "https://app.example/" + std::string(2000, 'x'), at(1)}};
  revoked.newest->revoke_reason = std::string(800, 'r');
  CHECK(estimated_bytes(inserting(coded)) > estimated_bytes(inserting(plain)) + 2000);
  CHECK(estimated_bytes(claiming(revoked)) >= estimated_bytes(claiming(plain)) + 800);
  auto large = a_platform("plat_1", "acme");
  for (int i = 0; i < 30; ++i) large.redirect_uris.emplace_back(2000, 'x');
  CHECK(estimated_bytes(saving(insert_platform{large, at(0)})) > 60'000);
}

TEST_CASE("units that write one row share a hash") {
  const auto hashes = [](const unit_of_work& unit) {
    std::vector<std::size_t> all;
    append_row_hashes(all, unit);
    return all;
  };
  const auto meet = [&](const unit_of_work& a, const unit_of_work& b) {
    const auto of_b = hashes(b);
    return std::ranges::any_of(hashes(a), [&](auto hash) { return std::ranges::count(of_b, hash) > 0; });
  };
  const auto b = a_binding("1");
  CHECK(meet(inserting(b), claiming(b)));
  CHECK_FALSE(meet(inserting(b), inserting(a_binding("1", "merch_2"))));
  CHECK(meet(consent_again(b, "2"), consent_again(b, "3")));
  const auto p = a_platform("plat_1", "acme");
  CHECK(meet(saving(insert_platform{p, at(0)}), changing(update_platform{p})));
  const auto k = a_platform_key("mk_platform_1");
  CHECK(meet(saving(k), changing(revoke_platform_key{k.id, k.platform, at(0)})));
  const save_user u{user_id{"user_1"}, "a@example.com", "", at(0)};
  const set_user_password password{u.id, "hash", at(1), ""};
  const save_session s{"session", u.id, at(0), at(9)};
  CHECK(meet(saving(u), changing(password)));
  CHECK(meet(saving(s), changing(password)));
  CHECK(meet(changing(check_credentials{u.id, "hash", ""}), changing(password)));
  CHECK(meet(saving(s), changing(touch_session{"session", at(1)})));
  CHECK(meet(saving(s), changing(end_session{"session"})));
  const save_membership m{merchant_id{"merch_1"}, u.id, member_role::viewer, at(0)};
  CHECK(meet(saving(m), changing(drop_membership{m.merchant, m.user})));
}
