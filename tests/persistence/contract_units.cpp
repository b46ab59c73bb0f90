// The store contract: the effect of a unit of work, alone and among others. Both stores implement it.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

using outcomes = std::vector<commit_outcome>;
using enum commit_outcome;

namespace {

std::optional<payment> stored(contract_store& store, const std::string& id) {
  return payment_in(store.run(find_entity{key_of(id)}));
}

std::optional<command_record> stored_command(contract_store& store, const std::string& key) {
  return store.run(find_command{command_key_of(key)}).found;
}

unit_parts only_command(const std::string& key) {
  unit_parts unit;
  unit.insert_command = a_command(key);
  return unit;
}

unit_parts only_update(payment p) {
  unit_parts unit;
  unit.update_payment = std::move(p);
  return unit;
}

}  // namespace

TEST_CASE("a unit commits whole") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("1")) == committed);
  CHECK(stored(store, "1") == a_payment("1"));
  CHECK(stored_command(store, "key-1") == a_command("key-1"));

  REQUIRE(store.commit(finish_unit("1")) == committed);
  CHECK(stored(store, "1") == captured(a_payment("1")));
  const auto command = stored_command(store, "key-1");
  REQUIRE(command);
  CHECK(command->result == answer{200, R"({"state":"captured"})"});
  CHECK(command->finished_at == at(50));
  CHECK(store.run(find_timeline{key_of("1")}).entries == std::vector{an_attempt(1), an_event(2)});
}

TEST_CASE("an empty unit commits trivially") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  CHECK(store.commit(unit_of_work{}) == committed);
  CHECK(store.commit(std::span<const unit_of_work>{}).empty());
}

TEST_CASE("a unit that fails leaves nothing behind, and reports why") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("1")) == committed);
  REQUIRE(store.commit(begin_unit("2")) == committed);

  struct row {
    const char* name;
    unit_parts unit;
    commit_outcome expected;
  };
  auto key_taken = begin_unit("3");
  key_taken.insert_command->key = command_key_of("key-1");
  auto payment_taken = begin_unit("1");
  payment_taken.insert_command->key = command_key_of("key-new");
  auto both_taken = begin_unit("1");
  auto stale = finish_unit("1");
  stale.update_payment->version = 3;
  auto rewind = finish_unit("1");
  rewind.update_payment->version = 1;
  auto unknown_payment = finish_unit("1");
  unknown_payment.update_payment->key = key_of("unknown");
  auto unknown_command = finish_unit("1");
  unknown_command.finish_command->key = command_key_of("unknown");
  const row rows[] = {
      {"the idempotency key is taken", key_taken, duplicate_command},
      {"the payment is taken", payment_taken, entity_exists},
      {"both are: the key counts", both_taken, duplicate_command},
      {"the payment stands at an older version", stale, lost_claim},
      {"the payment stands at that version already", rewind, lost_claim},
      {"there is no such payment", unknown_payment, lost_claim},
      {"there is no such command", unknown_command, lost_claim},
  };
  for (const auto& [name, unit, expected] : rows) {
    INFO(name);
    CHECK(store.commit(unit) == expected);
    CHECK(stored(store, "1") == a_payment("1"));
    CHECK_FALSE(stored(store, "3"));
    CHECK_FALSE(stored(store, "unknown"));
    CHECK_FALSE(stored_command(store, "key-new"));
    CHECK_FALSE(stored_command(store, "unknown"));
    CHECK(stored_command(store, "key-1") == a_command("key-1"));
    CHECK(store.run(find_timeline{key_of("1")}).entries.empty());
  }
}

TEST_CASE("a change of a payment is stored whole, whichever of the indexed columns it changes") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("1")) == committed);
  auto p = a_payment("1");
  for (unsigned changed = 0; changed < 8; ++changed) {
    INFO(changed);
    p.version += 1;
    p.next_seq += 1;
    p.updated_at = at(static_cast<int>(changed) + 1);
    using enum payment_state;
    if ((changed & 1) != 0) p.state = p.state == created ? processing : created;
    if ((changed & 2) != 0) p.amount.unit = *currency::parse(p.amount.unit.code() == "HKD" ? "USD" : "HKD");
    if ((changed & 4) != 0) p.provider_ref = "ref_" + std::to_string(changed);
    CHECK(store.commit(only_update(p)) == committed);
    CHECK(stored(store, "1") == p);
    CHECK(store.commit(only_update(p)) == lost_claim);
  }
}

TEST_CASE("a command is finished once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("1")) == committed);
  unit_parts finish;
  finish.finish_command = a_finish("key-1", "first");
  REQUIRE(store.commit(finish) == committed);
  finish.finish_command = a_finish("key-1", "second");
  CHECK(store.commit(finish) == lost_claim);
  CHECK(stored_command(store, "key-1")->result->body == "first");
}

TEST_CASE("a command can be inserted with its result") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto unit = only_command("done");
  unit.insert_command->result = answer{409, R"({"error":"payment not refundable in current state"})"};
  unit.insert_command->finished_at = at(7);
  REQUIRE(store.commit(unit) == committed);
  CHECK(stored_command(store, "done") == unit.insert_command);
}

TEST_CASE("the database refuses a payment that does not add up, and the other units of its batch commit") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("1")) == committed);

  const auto with = [](std::int64_t captured_minor, std::int64_t refunded_minor) {
    auto p = captured(a_payment("1"));
    p.captured = captured_minor;
    p.refunded = refunded_minor;
    return p;
  };
  auto inserted = begin_unit("2");
  inserted.insert_payment->captured = 4201;
  const unit_of_work rejected_units[] = {only_update(with(4201, 0)), only_update(with(4200, 4201)),
                                         only_update(with(4200, -1)), inserted};
  for (std::size_t i = 0; i < std::size(rejected_units); ++i) {
    INFO("row " << i);
    CHECK(store.commit(rejected_units[i]) == unavailable);
    const unit_of_work batch[] = {only_command("before" + std::to_string(i)), rejected_units[i],
                                  only_command("after" + std::to_string(i))};
    CHECK(store.commit(batch) == outcomes{committed, unavailable, committed});
    CHECK(stored(store, "1") == a_payment("1"));
    CHECK_FALSE(stored(store, "2"));
  }
  CHECK(store.commit(only_update(with(4200, 4200))) == committed);
}

TEST_CASE("in a large batch the units that fail do so alone") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(store.commit(begin_unit("taken")) == committed);

  std::vector<unit_parts> batch;
  outcomes expected;
  for (int i = 0; i < 150; ++i) {
    batch.push_back(begin_unit(std::to_string(i)));
    expected.push_back(committed);
    if (i == 0 || i == 77 || i == 149) {
      batch.back().insert_command->key = command_key_of("key-taken");
      expected.back() = duplicate_command;
    }
    if (i == 78) {
      batch.back().insert_payment = a_payment("taken");
      expected.back() = entity_exists;
    }
  }
  CHECK(store.commit(batch) == expected);
  for (int i = 0; i < 150; ++i) {
    INFO("unit " << i);
    CHECK(stored(store, std::to_string(i)).has_value() == (expected[static_cast<std::size_t>(i)] == committed));
  }

  std::vector<unit_of_work> finishes;
  for (int i = 0; i < 150; ++i) finishes.push_back(finish_unit(std::to_string(i)));
  outcomes after = expected;
  for (auto& outcome : after)
    if (outcome != committed) outcome = lost_claim;
  CHECK(store.commit(finishes) == after);
  CHECK(stored(store, "42") == captured(a_payment("42")));
  CHECK(store.run(find_timeline{key_of("42")}).entries.size() == 2);
  CHECK(store.run(find_timeline{key_of("77")}).entries.empty());
}

TEST_CASE("several units of one payment in one batch take effect in their order") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto third = captured(a_payment("1"));
  third.version = 3;
  third.refunded = 100;
  third.state = payment_state::partially_refunded;

  SECTION("each builds on the one before") {
    const unit_of_work batch[] = {begin_unit("1"), begin_unit("other"), finish_unit("1"), only_update(third)};
    CHECK(store.commit(batch) == outcomes{committed, committed, committed, committed});
    CHECK(stored(store, "1") == third);
  }
  SECTION("out of order, the early one fails") {
    const unit_of_work batch[] = {finish_unit("1"), begin_unit("1"), only_update(third)};
    CHECK(store.commit(batch) == outcomes{lost_claim, committed, lost_claim});
    CHECK(stored(store, "1") == a_payment("1"));
  }
  SECTION("the second claim of one version fails") {
    REQUIRE(store.commit(begin_unit("1")) == committed);
    auto rival = captured(a_payment("1"));
    rival.account = "acct_1";
    rival.provider_ref = "rival";
    const unit_of_work batch[] = {finish_unit("1"), only_update(rival), begin_unit("2")};
    CHECK(store.commit(batch) == outcomes{committed, lost_claim, committed});
    CHECK(stored(store, "1")->provider_ref.empty());
  }
  SECTION("the second use of one idempotency key fails") {
    auto same_key = begin_unit("2");
    same_key.insert_command->key = command_key_of("key-1");
    const unit_of_work batch[] = {begin_unit("1"), same_key, begin_unit("3")};
    CHECK(store.commit(batch) == outcomes{committed, duplicate_command, committed});
    CHECK_FALSE(stored(store, "2"));
    CHECK(stored(store, "3"));
  }
}

TEST_CASE("ids are separate for each merchant and environment") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<unit_parts> batch;
  for (const auto* merchant : {"merch_1", "merch_2", "MERCH_1", "merch_é"})
    for (const auto env : {environment::test, environment::live})
      for (const auto* principal : {"", "plat_1"}) {
        auto unit = begin_unit("1");
        unit.insert_command->key.merchant = merchant_id{merchant};
        unit.insert_command->key.env = env;
        unit.insert_command->key.principal = principal;
        unit.insert_payment->key.merchant = merchant_id{merchant};
        unit.insert_payment->key.env = env;
        if (*principal) unit.insert_payment.reset();
        batch.push_back(unit);
      }
  CHECK(store.commit(batch) == outcomes(batch.size(), committed));
}
