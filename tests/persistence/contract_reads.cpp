// The store contract: every field is read as it was written, and queries return the right rows in order.
#include <catch2/catch.hpp>

#include <limits>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

// Four-byte UTF-8, quotes, a backslash, a NUL and a percent sign: difficult characters for text columns and JSON.
const std::string awkward = std::string{"Zoë \"quoted\" \\ 日本語 🦊 %s ' \n\t"} + '\0' + "end";

void commit(contract_store& store, const unit_of_work& unit) {
  REQUIRE(store.commit(unit) == commit_outcome::committed);
}

/// Each status, origin and act, and each optional field with and without a value.
payment_records full_records() {
  payment_records r;
  for (std::size_t i = 0; i < enum_count<entry_origin>; ++i)
    r.refunds.push_back({"re_" + std::to_string(i),
                         std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(i),
                         static_cast<refund_status>(i % enum_count<refund_status>), static_cast<entry_origin>(i),
                         at(static_cast<std::int64_t>(i)), i % 2 == 0 ? awkward : "", i % 2 == 1 ? awkward : "",
                         i % 2 == 0 ? awkward : "", i % 2 == 1 ? awkward : ""});
  for (std::size_t i = 0; i < enum_count<dispute_status>; ++i)
    r.disputes.push_back({"dp_" + std::to_string(i), static_cast<std::int64_t>(i) + 1, i % 2 == 0 ? awkward : "",
                          static_cast<dispute_status>(i), i % 2 == 0 ? std::optional{at(77)} : std::nullopt,
                          at(static_cast<std::int64_t>(i)), i % 2 == 1 ? std::optional{at(88)} : std::nullopt,
                          awkward});
  for (std::size_t i = 0; i < enum_count<sandbox_act_kind>; ++i)
    r.acts.push_back({static_cast<sandbox_act_kind>(i), static_cast<std::int64_t>(i), i % 2 == 0 ? "re_1" : "", at(5)});
  r.void_reason = authorization_expired;
  r.paid_late = true;
  return r;
}

payment full_payment() {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_" + std::string(60, 'z')});
  p.version = std::numeric_limits<std::int64_t>::max() - 1;
  p.state = payment_state::partially_refunded;
  p.amount = {std::numeric_limits<std::int64_t>::max(), *currency::parse("KWD")};
  p.how = flow::embedded;
  p.provider = provider_kind::sandbox_wallet;
  p.account = awkward;
  p.hides_provider = true;
  p.provider_ref = "ref_" + awkward;
  p.status = provider_status::pending;
  p.error = provider_error{error_category::timeout, "code", awkward, true, true};
  p.hosted_url = "https://gateway.example/sandbox/checkout/" + std::string(3000, 't');
  p.captured = std::numeric_limits<std::int64_t>::max() - 1;
  p.refunded = std::numeric_limits<std::int64_t>::max() - 2;
  p.captured_at = at(-1);
  p.open = open_operation{{p.key.merchant, p.key.env, "plat_1", "key"},
                          operation::refund,
                          std::numeric_limits<std::int64_t>::max(),
                          true,
                          7,
                          41,
                          from_unix_ms(1'795'167'000'125),
                          "process",
                          awkward,
                          true};
  p.due_at = at(99);
  p.next_seq = std::numeric_limits<std::uint32_t>::max();
  p.handed_over_at = at(-2);
  p.created_at = from_unix_ms(0);
  p.updated_at = from_unix_ms(-62'135'596'800'000);
  p.details = {"pm_card_visa",
               "https://shop.example/ok?a=1&b=2",
               "https://shop.example/no",
               awkward,
               "zoë@example.com",
               awkward,
               "+92300",
               true,
               {{"zeta", "first stays first"}, {"alpha", awkward}, {"", ""}}};
  p.records = full_records();
  return p;
}

}  // namespace

TEST_CASE("every field of a payment is read as it was inserted") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto wanted = GENERATE_COPY(values<payment>({full_payment(), a_payment("plain")}));
  unit_parts unit;
  unit.insert_payment = wanted;
  commit(store, unit);
  const auto found = payment_in(store.run(find_entity{wanted.key}));
  REQUIRE(found);
  CHECK(*found == wanted);
}

TEST_CASE("every field that an update may change is read as updated") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto full = full_payment();
  auto bare = full;
  bare.version -= 1;
  bare.amount = {1, *currency::parse("EUR")};
  bare.state = payment_state::created;
  bare.status = provider_status::none;
  bare.error.reset();
  bare.open.reset();
  bare.due_at.reset();
  bare.captured_at.reset();
  bare.handed_over_at.reset();
  bare.hosted_url.clear();
  bare.provider_ref.clear();
  bare.captured = bare.refunded = 0;
  bare.records = {};
  bare.next_seq = 1;
  bare.updated_at = at(0);
  unit_parts insert, update;
  insert.insert_payment = bare;
  commit(store, insert);
  update.update_payment = full;
  commit(store, update);
  CHECK(payment_in(store.run(find_entity{full.key})) == full);

  auto cleared = bare;
  cleared.version = full.version + 1;
  update.update_payment = cleared;
  commit(store, update);
  CHECK(payment_in(store.run(find_entity{full.key})) == cleared);
}

TEST_CASE("every name that a payment can have is stored") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<payment> all;
  const auto next = [&]() -> payment& {
    all.push_back(a_payment("n" + std::to_string(all.size())));
    return all.back();
  };
  for (std::size_t i = 0; i < enum_count<payment_state>; ++i) next().state = static_cast<payment_state>(i);
  for (int i = 0; i < 5; ++i) next().status = static_cast<provider_status>(i);
  for (int i = 0; i < 3; ++i) next().how = static_cast<flow>(i);
  for (int i = 0; i < 6; ++i) next().error = provider_error{static_cast<error_category>(i), "", "", false, false};
  for (const auto& traits : provider_catalogue) next().provider = traits.kind;
  for (auto what : {operation::create, operation::capture, operation::refund, operation::void_payment})
    next().open = open_operation{command_key_of("k"), what, 1, false, 0, 1, {}};
  for (const auto& p : all) {
    unit_parts unit;
    unit.insert_payment = p;
    commit(store, unit);
    CHECK(payment_in(store.run(find_entity{p.key})) == p);
  }
}

TEST_CASE("every field of a command is read back") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  command_record c{{merchant_id{"merch_1"}, environment::live, "plat_1", "c0ffee00-0000-4000-8000-000000000001"},
                   std::string(64, 'f'),
                   "refund",
                   "payment",
                   "pay_x",
                   std::numeric_limits<std::int64_t>::max(),
                   awkward,
                   at(-5),
                   answer{502, awkward},
                   at(123)};
  const bool open = GENERATE(false, true);
  if (open) {
    c.result.reset();
    c.finished_at.reset();
  }
  unit_parts unit;
  unit.insert_command = c;
  commit(store, unit);
  CHECK(store.run(find_command{c.key}).found == c);
}

TEST_CASE("texts of a megabyte are stored and updated") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto unit = begin_unit("1");
  unit.insert_payment->details.metadata = {{"long", std::string(1 << 20, 'm')}};
  unit.insert_command->reason = std::string(1 << 20, 'r');
  commit(store, unit);
  auto finish = finish_unit("1");
  finish.finish_command = a_finish("key-1", std::string(1 << 20, 'b'));
  finish.entries[1].event_data = std::string(1 << 20, 'e');
  const unit_of_work batch[] = {finish, begin_unit("2")};
  CHECK(store.commit(batch) == std::vector(2, commit_outcome::committed));
  CHECK(payment_in(store.run(find_entity{key_of("1")}))->details == unit.insert_payment->details);
  const auto command = store.run(find_command{command_key_of("key-1")}).found;
  CHECK(command->reason == unit.insert_command->reason);
  CHECK(*command->result == *finish.finish_command->result);
  CHECK(store.run(find_timeline{key_of("1")}).entries == finish.entries);
  // The statement that had the long text is reused for short ones.
  commit(store, begin_unit("3"));
  CHECK(payment_in(store.run(find_entity{key_of("3")})) == a_payment("3"));
}

TEST_CASE("each of a payment's records is kept without the others") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto full = full_records();
  std::vector<payment> all;
  const auto next = [&]() -> payment_records& {
    all.push_back(a_payment("r" + std::to_string(all.size())));
    return all.back().records;
  };
  next();
  next().refunds = full.refunds;
  next().disputes = full.disputes;
  next().acts = full.acts;
  next().void_reason = cancelled_at_provider;
  next().paid_late = true;
  for (const auto& p : all) {
    unit_parts unit;
    unit.insert_payment = p;
    commit(store, unit);
    CHECK(payment_in(store.run(find_entity{p.key})) == p);
  }
}

TEST_CASE("unknown rows are not found") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  commit(store, begin_unit("1"));
  CHECK_FALSE(payment_in(store.run(find_entity{key_of("2")})));
  CHECK_FALSE(payment_in(store.run(find_entity{key_of("1", "merch_2")})));
  CHECK_FALSE(store.run(find_command{command_key_of("KEY-1")}).found);
  CHECK(store.run(find_timeline{key_of("1")}).entries.empty());
}

TEST_CASE("a timeline is read oldest first, attempts and events together") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::vector<timeline_entry> entries;
  for (std::uint32_t seq = 1; seq <= 12; ++seq) entries.push_back(seq % 3 == 0 ? an_event(seq) : an_attempt(seq));
  entries[0].error_code = "card_declined";
  entries[0].message = awkward;
  entries[2].event_data = R"({"description":"🦊"})";
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i].by = static_cast<entry_origin>(i % enum_count<entry_origin>);
  auto unit = begin_unit("1");
  unit.entries = {entries.rbegin(), entries.rend()};
  commit(store, unit);
  CHECK(store.run(find_timeline{key_of("1")}).entries == entries);
}

TEST_CASE("due payments are found oldest first, up to the limit") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const std::pair<const char*, std::optional<std::int64_t>> rows[] = {
      {"late", 300}, {"never", std::nullopt}, {"first", 100}, {"now", 200}, {"future", 100'000}};
  for (const auto& [id, due] : rows) {
    auto unit = begin_unit(id);
    if (due) unit.insert_payment->due_at = at(*due);
    commit(store, unit);
  }
  const auto due = [&](std::int64_t now, std::uint32_t limit) { return store.run(find_due{at(now), limit}).keys; };
  CHECK(due(99, 10).empty());
  CHECK(due(200, 10) == std::vector{key_of("first"), key_of("now")});
  CHECK(due(1'000, 10) == std::vector{key_of("first"), key_of("now"), key_of("late")});
  CHECK(due(1'000, 2) == std::vector{key_of("first"), key_of("now")});

  // A settled payment is no longer due.
  auto settled = a_payment("first");
  settled.version = 2;
  unit_parts unit;
  unit.update_payment = settled;
  commit(store, unit);
  CHECK(due(200, 10) == std::vector{key_of("now")});
}

TEST_CASE("due payments with an open operation can be found separately") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (const auto& [id, open] : {std::pair{"waits", false}, {"open", true}, {"later", true}}) {
    auto unit = begin_unit(id);
    auto& row = *unit.insert_payment;
    row.due_at = at(id == std::string_view{"later"} ? 300 : 100);
    row.open.reset();
    if (open)
      row.open = open_operation{
          command_key_of("key-" + std::string{id}), operation::create, 4200, false, 0, row.version, at(1)};
    commit(store, unit);
  }
  CHECK(store.run(find_due{at(200), 10}).keys.size() == 2);
  CHECK(store.run(find_due{at(200), 10, true}).keys == std::vector{key_of("open")});
  CHECK(store.run(find_due{at(400), 1, true}).keys == std::vector{key_of("open")});
  CHECK(store.run(find_due{at(400), 10, true}).keys == std::vector{key_of("open"), key_of("later")});
  CHECK(store.run(find_due{time_point::max(), 10, true, at(100)}).keys == std::vector{key_of("later")});
  CHECK(store.run(find_due{time_point::max(), 10, true, at(300)}).keys.empty());
}

TEST_CASE("a reader sees each commit at once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (int i = 0; i < 5; ++i) {
    const auto id = std::to_string(i);
    CHECK_FALSE(payment_in(store.run(find_entity{key_of(id)})));
    commit(store, begin_unit(id));
    CHECK(payment_in(store.run(find_entity{key_of(id)})));
  }
}

TEST_CASE("purging deletes finished commands older than the limit, oldest first, and no others") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  for (int i = 0; i < 6; ++i) {
    unit_parts unit;
    unit.insert_command = a_command("done-" + std::to_string(i));
    unit.insert_command->created_at = at(i);
    unit.insert_command->result = answer{200, "{}"};
    unit.insert_command->finished_at = at(i);
    commit(store, unit);
  }
  unit_parts open;
  open.insert_command = a_command("open");
  open.insert_command->created_at = at(0);
  commit(store, open);

  const auto left = [&] {
    std::string found;
    for (int i = 0; i < 6; ++i)
      if (store.run(find_command{command_key_of("done-" + std::to_string(i))}).found) found += std::to_string(i);
    return found;
  };
  CHECK(store.run(purge_commands{at(4), 3}).deleted == 3);
  CHECK(left() == "345");
  CHECK(store.run(purge_commands{at(4), 3}).deleted == 1);
  CHECK(store.run(purge_commands{at(4), 3}).deleted == 0);
  CHECK(left() == "45");
  CHECK(store.run(find_command{command_key_of("open")}).found);
}
