// The store contract: master keys, and the texts that are sealed under them.
#include <catch2/catch.hpp>

#include <functional>
#include <map>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

using status = master_key_status;

commit_outcome insert_all(contract_store& store, std::vector<inserted_row> rows) {
  unit_parts unit;
  unit.records = std::move(rows);
  return store.commit(unit);
}

commit_outcome claim_all(contract_store& store, std::vector<claimed_row> rows) {
  unit_parts unit;
  unit.record_claims = std::move(rows);
  return store.commit(unit);
}

save_master_key master_key_row(const std::string& id, std::int64_t position, status s = status::offered,
                               std::string wrapped = {}) {
  return {id, "print of " + id, position, s, std::move(wrapped), at(position)};
}

/// The status of each key, oldest first.
std::vector<std::pair<std::string, status>> statuses(contract_store& store) {
  std::vector<std::pair<std::string, status>> all;
  for (const auto& key : store.run(find_master_keys{}).keys) all.emplace_back(key.id, key.status);
  return all;
}

/// A row with each kind of sealed text. `sealed` gets the column's name.
void seal_everywhere(contract_store& store, const std::function<std::string(sealed_column)>& sealed) {
  const merchant_id shop{"merch_shop"};
  const user_id ada{"user_ada"};
  save_destination hook;
  hook.what.id = destination_id{"dest_1"};
  hook.what.owner = shop.value;
  hook.what.created_at = at(1);
  hook.sealed_secret = sealed(sealed_column::destination);
  hook.sealed_previous = sealed(sealed_column::previous_secret);
  hook.previous_until = at(100);
  REQUIRE(insert_all(
              store,
              {save_merchant{shop, entity_id{"ent_1"}, "Shop", merchant_kind::standard, "", at(1)},
               save_api_key{key_id{"mk_1"}, shop, environment::live, {}, sealed(sealed_column::api_key), at(1)},
               insert_platform{platform{platform_id{"plat_1"}, "acme", "Acme"}, at(1)},
               save_platform_key{key_id{"mk_p"}, platform_id{"plat_1"}, {}, sealed(sealed_column::platform_key), at(1)},
               hook, save_provider{provider_kind::stripe, environment::test, sealed(sealed_column::provider), at(1)},
               save_user{ada, "ada@example.com", "hash", at(1)}}) == committed);
  queued_mail mail;
  mail.id = "mail_1";
  mail.sealed = sealed(sealed_column::mail);
  REQUIRE(insert_all(store, {save_mail{mail}, save_operator{"Ada", operator_role::admin, "setup_1", at(100), at(1)}}) ==
          committed);
  REQUIRE(claim_all(store, {set_second_factor{ada, sealed(sealed_column::second_factor), {}},
                            set_up_operator{"ada", "setup_1", "hash", sealed(sealed_column::operator_factor),
                                            at(2)}}) == committed);
}

std::vector<sealed_text> texts_not_under(contract_store& store, sealed_column in, const std::string& key) {
  return store.run(find_sealed{in, key}).texts;
}

/// The row that seal_everywhere() makes.
const std::map<sealed_column, std::pair<std::string, std::string>> row_of{
    {sealed_column::api_key, {"mk_1", "merch_shop"}},       {sealed_column::platform_key, {"mk_p", "plat_1"}},
    {sealed_column::destination, {"dest_1", "merch_shop"}}, {sealed_column::previous_secret, {"dest_1", "merch_shop"}},
    {sealed_column::provider, {"stripe", "test"}},          {sealed_column::second_factor, {"user_ada", ""}},
    {sealed_column::operator_factor, {"ada", ""}},          {sealed_column::mail, {"mail_1", ""}}};

}  // namespace

TEST_CASE("master keys are found in their order, with the directory, and each id and position is taken once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(store.run(find_master_keys{}).keys.empty());
  const auto first = master_key_row("k1", 0, status::current), second = master_key_row("k2", 1, status::offered, "w.x");
  REQUIRE(insert_all(store, {second, first}) == committed);
  CHECK(insert_all(store, {master_key_row("k2", 2)}) == duplicate_record);
  CHECK(insert_all(store, {master_key_row("k3", 1)}) == duplicate_record);
  const std::vector expected{first, second};
  CHECK(store.run(find_master_keys{}).keys == expected);
  CHECK(store.run(find_directory{{{directory_name::kind::master_keys, {}}}}).master_keys == expected);
  CHECK(store.run(find_directory{{}, true}).master_keys == expected);
  CHECK(store.run(find_directory{{{directory_name::kind::merchant, "merch_shop"}}}).master_keys.empty());
}

TEST_CASE("an offered key becomes current and the current one old, or it is withdrawn") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(insert_all(store, {master_key_row("k1", 0, status::current), master_key_row("k2", 1)}) == committed);
  using list = std::vector<std::pair<std::string, status>>;
  for (const auto* id : {"k1", "k3"}) {
    CHECK(claim_all(store, {promote_key{id}}) == lost_claim);
    CHECK(claim_all(store, {withdraw_key{id}}) == lost_claim);
  }
  CHECK(statuses(store) == list{{"k1", status::current}, {"k2", status::offered}});  // the lost claims left no trace
  REQUIRE(claim_all(store, {promote_key{"k2"}}) == committed);
  CHECK(statuses(store) == list{{"k1", status::old}, {"k2", status::current}});
  CHECK(claim_all(store, {promote_key{"k2"}}) == lost_claim);
  REQUIRE(insert_all(store, {master_key_row("k3", 2)}) == committed);
  REQUIRE(claim_all(store, {withdraw_key{"k3"}}) == committed);
  CHECK(statuses(store) == list{{"k1", status::old}, {"k2", status::current}});
}

TEST_CASE("sealed texts are counted by the key that they name") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(store.run(find_master_keys{true}).sealed.empty());
  seal_everywhere(store, [](sealed_column in) {
    if (in == sealed_column::api_key) return std::string{"unnamed"};
    if (in == sealed_column::provider) return std::string{"k2.settings"};
    return std::string{"k1."} + std::string{to_string(in)};
  });
  REQUIRE(insert_all(store, {save_provider{provider_kind::jazzcash, environment::test, "", at(1)}}) == committed);
  CHECK(store.run(find_master_keys{true}).sealed == std::vector<sealed_count>{{"", 1}, {"k1", 6}, {"k2", 1}});
  CHECK(store.run(find_master_keys{}).sealed.empty());
}

TEST_CASE("the texts of other keys are found in each column, and resealed only if they are unchanged") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  // As long as real ones.
  const std::string padding(60, 'x');
  seal_everywhere(store, [&](sealed_column in) { return "k1." + std::string{to_string(in)} + padding; });
  for (const auto in : all_sealed_columns) {
    INFO(to_string(in));
    CHECK(texts_not_under(store, in, "k1").empty());
    const auto found = texts_not_under(store, in, "k2");
    const auto& [id, of] = row_of.at(in);
    const sealed_text expected{in, id, of, "k1." + std::string{to_string(in)} + padding};
    REQUIRE(found == std::vector{expected});
    auto changed = expected;
    changed.text += "y";
    CHECK(claim_all(store, {reseal{changed, "k2.lost"}}) == lost_claim);
    auto elsewhere = expected;
    elsewhere.id += "x";
    CHECK(claim_all(store, {reseal{elsewhere, "k2.lost"}}) == lost_claim);
    CHECK(texts_not_under(store, in, "k2") == found);
    REQUIRE(claim_all(store, {reseal{expected, "k2.anew"}}) == committed);
    CHECK(claim_all(store, {reseal{expected, "k2.twice"}}) == lost_claim);
    CHECK(texts_not_under(store, in, "k2").empty());
    CHECK(texts_not_under(store, in, "k3") == std::vector{sealed_text{in, id, of, "k2.anew"}});
  }
  CHECK(store.run(find_master_keys{true}).sealed == std::vector<sealed_count>{{"k2", 8}});
}

TEST_CASE("a change of a row wins over its text resealed, in either order and in one batch") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  seal_everywhere(store, [](sealed_column in) { return "k1." + std::string{to_string(in)}; });
  const auto was = texts_not_under(store, sealed_column::provider, "k2").at(0);
  unit_parts change, anew;
  change.records = {save_provider{provider_kind::stripe, environment::test, "k2.changed", at(2)}};
  anew.record_claims = {reseal{was, "k2.the old settings"}};
  const bool change_first = GENERATE(true, false);
  INFO((change_first ? "the change first" : "the seal first"));
  const auto outcomes =
      change_first ? store.commit(std::vector{change, anew}) : store.commit(std::vector{anew, change});
  CHECK(outcomes[change_first ? 0 : 1] == committed);
  CHECK(outcomes[change_first ? 1 : 0] == (change_first ? lost_claim : committed));
  CHECK(store.run(find_directory{{}, true}).providers.at(0).sealed_settings == "k2.changed");
}

TEST_CASE("the texts of a column are found in portions") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const merchant_id shop{"merch_shop"};
  std::vector<inserted_row> rows{save_merchant{shop, entity_id{"ent_1"}, "Shop", merchant_kind::standard, "", at(1)}};
  for (const auto* id : {"mk_3", "mk_1", "mk_2"})
    rows.emplace_back(save_api_key{key_id{id}, shop, environment::live, {}, std::string{"k1."} + id, at(1)});
  REQUIRE(insert_all(store, std::move(rows)) == committed);
  std::vector<std::string> ids;
  for (std::string after;;) {
    const auto part = store.run(find_sealed{sealed_column::api_key, "k2", after, 2}).texts;
    CHECK(part.size() <= 2);
    for (const auto& each : part) ids.push_back(each.id);
    if (part.empty()) break;
    after = part.back().id;
  }
  CHECK(ids == std::vector<std::string>{"mk_1", "mk_2", "mk_3"});
}

TEST_CASE("a master key is retired only if it is old and seals nothing in any column") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto left = GENERATE(from_range(all_sealed_columns));
  const bool unnamed = GENERATE(false, true);
  INFO(to_string(left) << (unnamed ? ", without a name" : ""));
  REQUIRE(insert_all(store, {master_key_row("k1", 0, status::old, "w"), master_key_row("k2", 1, status::current),
                             master_key_row("k3", 2, status::offered, unnamed ? "wrapped" : "k1.wrapped"),
                             master_key_row("k10", 3, status::old, "k2.wrapped")}) == committed);
  const std::string sealed = unnamed ? "unnamed" : "k1.left";
  seal_everywhere(store, [&](sealed_column in) { return in == left ? sealed : std::string{"k2.new"}; });
  CHECK(claim_all(store, {retire_key{"k1", true}}) == lost_claim);
  if (unnamed) CHECK(claim_all(store, {retire_key{"k10", false}}) == committed);  // another key's texts do not matter
  for (const auto* id : {"k2", "k3", "k4"}) CHECK(claim_all(store, {retire_key{id, false}}) == lost_claim);
  const auto was = texts_not_under(store, left, "k2").at(0);
  REQUIRE(claim_all(store, {reseal{was, "k2.anew"}}) == committed);
  REQUIRE(claim_all(store, {retire_key{"k1", true}}) == committed);
  CHECK(claim_all(store, {retire_key{"k1", true}}) == lost_claim);
  const auto keys = store.run(find_master_keys{}).keys;
  CHECK(keys[0].status == status::retired);
  CHECK(keys[0].wrapped.empty());
  CHECK(keys[2].wrapped.empty());  // the retired key wrapped it
  CHECK(keys[2].status == status::offered);
}

TEST_CASE("a key that another begins with is another key") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(insert_all(store, {master_key_row("k1", 0, status::old), master_key_row("k11", 1, status::current)}) ==
          committed);
  seal_everywhere(store, [](sealed_column) { return std::string{"k11.text"}; });
  CHECK(texts_not_under(store, sealed_column::api_key, "k1").size() == 1);
  CHECK(claim_all(store, {retire_key{"k1", true}}) == committed);
}

TEST_CASE("a database's first master key is recorded once") {
  FOR_EACH_STORE(kind);
  const migrated_store store{kind};
  CHECK(insert_master_key_if_absent(*store.writer, master_key_row("k1", 0, status::current)));
  CHECK_FALSE(insert_master_key_if_absent(*store.writer, master_key_row("k1", 0, status::old)));
  CHECK_FALSE(insert_master_key_if_absent(*store.writer, master_key_row("k2", 0, status::current)));
  const auto keys = read_master_key_rows(*store.reader);
  REQUIRE(keys.size() == 1);
  CHECK(keys[0] == master_key_row("k1", 0, status::current));
}
