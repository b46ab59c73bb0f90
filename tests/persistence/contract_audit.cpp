// The store contract: lists of the whole audit log, and the chains that show what was done to its rows.
#include <catch2/catch.hpp>

#include <algorithm>

#include "contract_store.hpp"
#include "gateway/ports/store/audit_check.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

save_audit change_number(int number, std::string merchant = "merch_1") {
  save_audit entry;
  entry.user = user_id{number % 2 == 0 ? "operator:root" : "user_eve"};
  entry.at = at(number);
  entry.id = "audit_" + std::to_string(number);
  entry.address = "192.0.2.7";
  entry.action = "revoke key";
  entry.subject = "mk_test_" + std::to_string(number);
  entry.merchant = merchant_id{std::move(merchant)};
  entry.env = environment::test;
  entry.before = R"({"key":{"status":"active"}})";
  entry.after = R"({"key":{"status":"revoked"}})";
  return entry;
}

unit_of_work unit_with(std::vector<inserted_row> entries) {
  unit_of_work unit;
  unit.inserts = std::move(entries);
  return unit;
}

std::vector<std::string> ids_in(const std::vector<audit_entry>& entries) {
  std::vector<std::string> ids;
  for (const auto& each : entries) ids.push_back(each.what.id);
  return ids;
}

/// What the check of all chains finds, read in parts of this size.
template <class Run>
std::vector<audit_finding> findings(Run run, std::uint32_t entries_of_part) {
  std::vector<audit_finding> found;
  find_audit_chain query;
  query.limit = entries_of_part;
  for (audit_progress progress;;) {
    query.after = progress.number;
    query.after_id = progress.id;
    const audit_chain_lookup part = run(query);
    if (!part.chain) return found;
    const bool is_last = part.entries.size() < query.limit;
    const auto more = check_audit_part(progress, part, is_last);
    found.insert(found.end(), more.begin(), more.end());
    query.chain = part.chain;
    if (!is_last) continue;
    if (!part.next) return found;
    query.chain = part.next;
    progress = {};
  }
}

std::vector<audit_finding> findings_in(migrated_store& store, std::uint32_t entries_of_part = 500) {
  return findings([&](const find_audit_chain& query) { return run(*store.reader, query); }, entries_of_part);
}

void change_by_hand(migrated_store& store, std::initializer_list<const char*> statements) {
  store.writer->begin();
  for (const auto* sql : statements) store.writer->execute(sql);
  store.writer->commit();
}

/// Ten entries, each in a commit of its own, in one chain.
void write_ten(migrated_store& store) {
  for (int i = 1; i <= 10; ++i) {
    const auto unit = unit_with({change_number(i)});
    REQUIRE(commit_units(*store.writer, {&unit, 1}).front() == committed);
  }
}

}  // namespace

TEST_CASE("the whole audit log is listed by time in both directions, of all or of a merchant, page by page") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  unit_of_work person = unit_with({save_user{user_id{"user_eve"}, "eve@example.com", "hash", at(0)}});
  REQUIRE(store.commit(person) == committed);
  for (int i = 1; i <= 5; ++i)
    REQUIRE(store.commit(unit_with({change_number(i, i == 3 ? "merch_2" : "merch_1")})) == committed);
  using ids = std::vector<std::string>;
  const auto listed = [&](const find_audit_entries& query) { return ids_in(store.run(query).entries); };
  CHECK(listed({}) == ids{"audit_5", "audit_4", "audit_3", "audit_2", "audit_1"});
  CHECK(listed({.oldest_first = true}) == ids{"audit_1", "audit_2", "audit_3", "audit_4", "audit_5"});
  CHECK(listed({.merchant = merchant_id{"merch_2"}}) == ids{"audit_3"});
  CHECK(listed({.from = at(2), .until = at(4)}) == ids{"audit_3", "audit_2"});
  CHECK(listed({.from = at(2), .until = at(4), .oldest_first = true}) == ids{"audit_2", "audit_3"});
  CHECK(listed({.limit = 2}) == ids{"audit_5", "audit_4"});
  CHECK(listed({.after = find_audit_entries::position{at(4), "audit_4"}, .limit = 2}) == ids{"audit_3", "audit_2"});
  CHECK(listed({.merchant = merchant_id{"merch_1"},
                .until = at(5),
                .oldest_first = true,
                .after = find_audit_entries::position{at(2), "audit_2"}}) == ids{"audit_4"});
  const auto first = store.run(find_audit_entries{.oldest_first = true, .limit = 1}).entries.at(0);
  CHECK(first.what == change_number(1));
  CHECK(first.email == "eve@example.com");
  REQUIRE(first.link);
  CHECK(first.link->number == 1);
  CHECK(first.link->previous_hash.empty());
  CHECK(store.run(find_audit_entries{.limit = 1}).entries.at(0).link->number == 5);
}

TEST_CASE("each entry carries the hash of the one before, also within a batch, and the head names the last") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const std::vector<unit_of_work> batch{unit_with({change_number(1), change_number(2)}), unit_with({change_number(3)})};
  REQUIRE(store.commit(std::span<const unit_of_work>{batch}) == std::vector(2, committed));
  REQUIRE(store.commit(unit_with({change_number(4)})) == committed);
  const auto part = store.run(find_audit_chain{});
  CHECK(part.chain == 0);
  CHECK_FALSE(part.next);
  REQUIRE(part.entries.size() == 4);
  std::string previous;
  for (std::size_t i = 0; i < part.entries.size(); ++i) {
    const auto& link = part.entries[i].link.value();
    CHECK(link.number == static_cast<std::int64_t>(i) + 1);
    CHECK(link.previous_hash == previous);
    CHECK(matches(link, fields_of(part.entries[i].what)));
    previous = link.hash;
  }
  const audit_head expected{0, 4, previous};
  CHECK(part.head == expected);
  CHECK(part.later == expected);
  CHECK(store.run(find_audit_heads{}).heads == std::vector{expected});
  CHECK(findings([&](const find_audit_chain& query) { return store.run(query); }, 3).empty());
}

TEST_CASE("the heads are read with the time of the last backup") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK_FALSE(store.run(find_audit_heads{}).backup_made_at);
  for (const std::int64_t ms : {1'795'918'276'826, 1'795'918'276'827}) {
    auto unit = unit_with({change_number(static_cast<int>(ms % 10))});
    unit.inserts.emplace_back(save_fact{std::string{last_backup_name}, std::to_string(ms)});
    REQUIRE(store.commit(unit) == committed);
    CHECK(store.run(find_audit_heads{}).backup_made_at == from_unix_ms(ms));
  }
}

TEST_CASE("an entry whose unit fails leaves no gap in its chain") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto refused = unit_with({change_number(2)});
  refused.claims.push_back(spend_recovery_code{user_id{"user_eve"}, "none", at(1)});
  const std::vector<unit_of_work> batch{unit_with({change_number(1)}), refused, unit_with({change_number(3)})};
  CHECK(store.commit(std::span<const unit_of_work>{batch}) == std::vector{committed, lost_claim, committed});
  CHECK(store.commit(unit_with({change_number(3)})) == duplicate_record);
  const auto part = store.run(find_audit_chain{});
  CHECK(part.entries.size() == 2);
  CHECK(part.head->number == 2);
  CHECK(findings([&](const find_audit_chain& query) { return store.run(query); }, 500).empty());
}

TEST_CASE("writers of different lanes have chains of their own, which are checked one after the other") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  for (int i = 1; i <= 6; ++i) {
    const auto unit = unit_with({change_number(i)});
    REQUIRE(commit_units(*store.writer, {&unit, 1}, i % 3).front() == committed);
  }
  const auto heads = run(*store.reader, find_audit_heads{}).heads;
  REQUIRE(heads.size() == 3);
  for (std::size_t lane = 0; lane < 3; ++lane) {
    CHECK(heads[lane].chain == static_cast<std::int64_t>(lane));
    CHECK(heads[lane].number == 2);
  }
  CHECK(findings_in(store).empty());
  change_by_hand(store, {"DELETE FROM audit_log WHERE audit_id = 'audit_2'"});
  const auto found = findings_in(store);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == audit_fault::missing);
  CHECK(found[0].chain == 2);
}

TEST_CASE("what is done to the rows of the audit log by hand is found") {
  struct tampering {
    const char* name;
    std::vector<const char*> statements;
    audit_fault fault;
    std::int64_t number;
  };
  const tampering cases[] = {
      {"the actor is changed",
       {"UPDATE audit_log SET user_id = 'operator:bob' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the time is changed",
       {"UPDATE audit_log SET occurred_at = 99 WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the address is changed",
       {"UPDATE audit_log SET address = '' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the action is changed",
       {"UPDATE audit_log SET action = 'mint key' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the subject is changed",
       {"UPDATE audit_log SET subject = 'mk_test_5' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the state before is changed",
       {"UPDATE audit_log SET before_state = NULL WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the state after is changed",
       {"UPDATE audit_log SET after_state = '{}' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the merchant is changed",
       {"UPDATE audit_log SET merchant_id = '' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the mode is changed",
       {"UPDATE audit_log SET environment = 'live' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the mode becomes none",
       {"UPDATE audit_log SET environment = 'moon' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the hash is changed",
       {"UPDATE audit_log SET entry_hash = 'a' WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the hash is removed",
       {"UPDATE audit_log SET entry_hash = NULL WHERE audit_id = 'audit_4'"},
       audit_fault::changed,
       4},
      {"the last entry is changed",
       {"UPDATE audit_log SET subject = 'x' WHERE audit_id = 'audit_10'"},
       audit_fault::changed,
       10},
      {"an entry is removed", {"DELETE FROM audit_log WHERE audit_id = 'audit_4'"}, audit_fault::missing, 4},
      {"the first entry is removed", {"DELETE FROM audit_log WHERE audit_id = 'audit_1'"}, audit_fault::missing, 1},
      {"an entry's link is removed",
       {"UPDATE audit_log SET chain_id = NULL WHERE audit_id = 'audit_4'"},
       audit_fault::missing,
       4},
      {"the last entry is removed", {"DELETE FROM audit_log WHERE audit_id = 'audit_10'"}, audit_fault::missing, 10},
      {"the last three entries are removed",
       {"DELETE FROM audit_log WHERE audit_id IN ('audit_8', 'audit_9', 'audit_10')"},
       audit_fault::missing,
       8},
      {"all entries are removed", {"DELETE FROM audit_log"}, audit_fault::missing, 1},
      {"the record of the end is removed", {"DELETE FROM audit_heads"}, audit_fault::missing, 10},
      {"the record of the end names an earlier number",
       {"UPDATE audit_heads SET chain_number = 9"},
       audit_fault::changed,
       10},
      {"the record of the end has another hash", {"UPDATE audit_heads SET entry_hash = 'a'"}, audit_fault::changed, 10},
      {"two entries change places",
       {"UPDATE audit_log SET chain_number = 99 WHERE audit_id = 'audit_4'",
        "UPDATE audit_log SET chain_number = 4 WHERE audit_id = 'audit_5'",
        "UPDATE audit_log SET chain_number = 5 WHERE audit_id = 'audit_4'"},
       audit_fault::reordered,
       4},
      {"an entry shares the number of another",
       {"UPDATE audit_log SET chain_number = 4 WHERE audit_id = 'audit_5'"},
       audit_fault::reordered,
       4},
  };
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  write_ten(store);
  REQUIRE(findings_in(store).empty());
  for (const auto& one : cases) {
    INFO(one.name);
    auto& db = *store.writer;
    db.begin();
    for (const auto* sql : one.statements) db.execute(sql);
    for (const std::uint32_t entries_of_part : {500u, 3u}) {
      const auto found = findings([&](const find_audit_chain& query) { return run(db, query); }, entries_of_part);
      CHECK(std::ranges::any_of(
          found, [&](const audit_finding& each) { return each.fault == one.fault && each.number == one.number; }));
    }
    CHECK_NOTHROW(run(db, find_audit_entries{}));  // it can be read
    db.rollback();
  }
  CHECK(findings_in(store).empty());
}

TEST_CASE("a log whose ends were changed by hand is still written, and the change stays visible") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  write_ten(store);
  const auto sql =
      GENERATE(as<std::string>{}, "DELETE FROM audit_heads", "UPDATE audit_heads SET chain_number = 9",
               "UPDATE audit_heads SET entry_hash = 'a'", "DELETE FROM audit_log WHERE audit_id = 'audit_10'");
  INFO(sql);
  change_by_hand(store, {sql.c_str()});
  const auto unit = unit_with({change_number(11)});
  CHECK(commit_units(*store.writer, {&unit, 1}).front() == committed);
  CHECK_FALSE(findings_in(store).empty());
}

TEST_CASE("an entry that is rewritten with its own hash does not fit the one behind it") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  write_ten(store);
  auto entry = run(*store.reader, find_audit_chain{.chain = 0, .after = 3, .after_id = "~", .limit = 1}).entries.at(0);
  entry.what.subject = "another";
  const auto forged = audit_link_after(0, 3, entry.link->previous_hash, fields_of(entry.what));
  const auto sql = "UPDATE audit_log SET subject = 'another', details_salt = '" + forged.details_salt +
                   "', details_hash = '" + forged.details_hash + "', entry_hash = '" + forged.hash +
                   "' WHERE audit_id = 'audit_4'";
  change_by_hand(store, {sql.c_str()});
  const auto found = findings_in(store);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == audit_fault::changed);
  CHECK(found[0].number == 5);
}

TEST_CASE("the texts of an entry can be erased, and purged entries leave the chain whole") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  write_ten(store);
  change_by_hand(store,
                 {"UPDATE audit_log SET subject = '', before_state = NULL, after_state = NULL, details_salt = '' "
                  "WHERE audit_id = 'audit_4'"});
  CHECK(findings_in(store).empty());
  change_by_hand(store, {"UPDATE audit_heads SET purged_to = 3, purged_hash = (SELECT entry_hash FROM audit_log WHERE "
                         "audit_id = 'audit_3')",
                         "DELETE FROM audit_log WHERE chain_number <= 3"});
  CHECK(findings_in(store).empty());
  CHECK(findings_in(store, 3).empty());
}

TEST_CASE("a purge between two parts of the check hides no gap and invents none") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  write_ten(store);
  const auto purge = [&](int before) {
    purge_commands old{at(-1'000'000), 100};
    old.audit = at(before);
    return run(*store.writer, old).audit;
  };
  int parts = 0;
  const auto purging_meanwhile = [&](const find_audit_chain& query) {
    if (++parts == 2) CHECK(purge(6) == 5);
    return run(*store.reader, query);
  };
  CHECK(findings(purging_meanwhile, 3).empty());
  CHECK(findings_in(store, 3).empty());
  change_by_hand(store, {"DELETE FROM audit_log WHERE chain_number = 6"});
  for (const std::uint32_t entries_of_part : {2u, 500u}) {
    const auto found = findings_in(store, entries_of_part);
    REQUIRE(found.size() == 1);
    CHECK(found[0].fault == audit_fault::missing);
    CHECK(found[0].number == 6);
  }
}

TEST_CASE("the purge stops before an entry that was changed, removed or moved, so that the check still finds it") {
  FOR_EACH_STORE(kind);
  const auto* by_hand = GENERATE("UPDATE audit_log SET action = 'mint key' WHERE audit_id = 'audit_4'",
                                 "DELETE FROM audit_log WHERE audit_id = 'audit_4'",
                                 "UPDATE audit_log SET chain_number = 3 WHERE audit_id = 'audit_4'");
  INFO(by_hand);
  migrated_store store{kind};
  write_ten(store);
  change_by_hand(store, {by_hand});
  REQUIRE_FALSE(findings_in(store).empty());
  purge_commands old{at(-1'000'000), 100};
  old.audit = at(1'000);
  CHECK(run(*store.writer, old).audit <= 3);
  CHECK(run(*store.writer, old).audit == 0);
  CHECK_FALSE(findings_in(store).empty());
  CHECK(findings_in(store).front().number == 4 - (std::string_view{by_hand}.find("= 3") != std::string_view::npos));
}

TEST_CASE("old entries from before chains are purged once no chain has any that is old enough") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  change_by_hand(store,
                 {"INSERT INTO audit_log (user_id, occurred_at, audit_id, address, action, subject, merchant_id, "
                  "environment) VALUES ('user_eve', 1000, 'audit_old', '192.0.2.1', 'mint key', 'mk_1', 'merch_1', "
                  "'live'), ('user_eve', 9000000000000, 'audit_late', '', 'mint key', 'mk_1', 'merch_1', 'live')"});
  write_ten(store);
  purge_commands old{at(-1'000'000), 4};
  old.audit = at(6);
  CHECK(run(*store.writer, old).audit == 4);
  CHECK(run(*store.writer, old).audit == 1);
  CHECK(run(*store.writer, old).audit == 1);
  CHECK(run(*store.writer, old).audit == 0);
  CHECK(run(*store.reader, find_audit_heads{true}).unlinked == 1);
}

TEST_CASE("entries from before the migration stay readable without a link, and later ones without a link are found") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  change_by_hand(store,
                 {"INSERT INTO audit_log (user_id, occurred_at, audit_id, address, action, subject, merchant_id, "
                  "environment) VALUES ('user_eve', 1000, 'audit_old', '192.0.2.1', 'mint key', 'mk_1', 'merch_1', "
                  "'live')"});
  write_ten(store);
  CHECK(findings_in(store).empty());
  const auto listed = run(*store.reader, find_audit_entries{.oldest_first = true}).entries;
  REQUIRE(listed.size() == 11);
  const auto old = std::ranges::find_if(listed, [](const audit_entry& one) { return one.what.id == "audit_old"; });
  REQUIRE(old != listed.end());
  CHECK_FALSE(old->link);
  CHECK(old->what.env == environment::live);
  CHECK(old->what.before.empty());
  auto heads = run(*store.reader, find_audit_heads{true});
  CHECK(heads.unlinked == 1);
  CHECK(heads.late_unlinked_id.empty());
  change_by_hand(store,
                 {"INSERT INTO audit_log (user_id, occurred_at, audit_id, address, action, subject, merchant_id, "
                  "environment) VALUES ('user_eve', 9000000000000, 'audit_forged', '', 'mint key', 'mk_1', "
                  "'merch_1', 'live')"});
  heads = run(*store.reader, find_audit_heads{true});
  CHECK(heads.unlinked == 2);
  CHECK(heads.late_unlinked_id == "audit_forged");
  // In a database that this version has made no earlier version can have written one.
  const std::string soon = "audit_soon";
  change_by_hand(
      store, {"INSERT INTO audit_log (user_id, occurred_at, audit_id, address, action, subject, merchant_id, "
              "environment) SELECT 'user_eve', applied_at + 60000, 'audit_soon', '', 'mint key', 'mk_1', 'merch_1', "
              "'live' FROM schema_migrations WHERE version = 28"});
  CHECK(run(*store.reader, find_audit_heads{true}).late_unlinked_id == soon);
  // Later migrations may have been applied by a later upgrade.
  change_by_hand(store, {"UPDATE schema_migrations SET applied_at = applied_at + 86400000 WHERE version > 28"});
  CHECK(run(*store.reader, find_audit_heads{true}).late_unlinked_id == soon);
  change_by_hand(store, {"UPDATE schema_migrations SET applied_at = applied_at - 86400000 WHERE version = 1"});
  CHECK(run(*store.reader, find_audit_heads{true}).late_unlinked_id == "audit_forged");
}

TEST_CASE("two writers of one lane, as of nodes whose names have one hash, keep one chain") {
  migrated_store store{store_kind::mysql};
  const auto other = connect(store.where(), access::write);
  for (int i = 1; i <= 8; ++i) {
    const auto unit = unit_with({change_number(i)});
    REQUIRE(commit_units(i % 2 == 0 ? *store.writer : *other, {&unit, 1}, 7).front() == committed);
  }
  const auto heads = run(*store.reader, find_audit_heads{}).heads;
  REQUIRE(heads.size() == 1);
  CHECK(heads[0].number == 8);
  CHECK(findings_in(store).empty());
}
