// The store contract: the erasure of personal data, for each table that holds texts beside the changing columns of a
// row.
#include <catch2/catch.hpp>

#include <algorithm>

#include "contract_store.hpp"
#include "gateway/base/audit_chain.hpp"
#include "gateway/domain/erasure.hpp"
#include "gateway/ports/store/audit_check.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

constexpr auto name_of_ada = "Ada Lovelace 日本語";

payment payment_of_ada() {
  auto p = a_payment("1");
  p.details.description = p.details.customer_name = name_of_ada;
  p.details.customer_email = "ada@lovelace.example";
  p.details.customer_mobile = "03001234567";
  p.details.metadata = {{"who", name_of_ada}};
  p.provider_ref = "pi_1";
  return p;
}

/// A captured payment with one attempt, one event, and one delivery of it that was refused.
payment store_payment(contract_store& store) {
  auto begin = begin_unit("1");
  begin.insert_payment = payment_of_ada();
  begin.insert_command->reason = name_of_ada;
  REQUIRE(store.commit(begin) == committed);
  auto finish = finish_unit("1");
  finish.update_payment = captured(payment_of_ada());
  finish.finish_command = a_finish("key-1", std::string{R"({"error":{"message":")"} + name_of_ada + R"("}})");
  finish.entries.at(0).message = name_of_ada;
  finish.entries.at(1).event_data = std::string{R"({"amount":4200,"metadata":{"who":")"} + name_of_ada + R"("}})";
  delivery sent;
  sent.id = 7;
  sent.subject = key_of("1");
  sent.event_seq = 2;
  sent.to = destination_id{"dest_1"};
  sent.attempts = 1;
  sent.last = delivery_attempt{at(3), attempt_result::rejected, 500, 12, name_of_ada, std::nullopt};
  sent.next_attempt_at = at(9);
  sent.created_at = at(2);
  finish.deliveries = {sent};
  REQUIRE(store.commit(finish) == committed);
  return *finish.update_payment;
}

notification notification_of(const std::string& event, std::string about, std::string body) {
  notification n;
  n.key = notification_key(provider_kind::stripe, environment::test, event);
  n.version = 1;
  n.provider = provider_kind::stripe;
  n.event_id = event;
  n.type = "charge.captured";
  n.body = std::move(body);
  n.state = notification_state::applied;
  n.about = std::move(about);
  n.received_at = n.settled_at.emplace(at(1));
  return n;
}

void store_notification(contract_store& store, const notification& n) {
  unit_parts unit;
  unit.insert_notification = n;
  REQUIRE(store.commit(unit) == committed);
}

unit_of_work replacing(replace_text what) {
  unit_of_work unit;
  unit.claims.emplace_back(std::move(what));
  return unit;
}

}  // namespace

TEST_CASE("an erasure claims the payment and replaces its details, which no other change of the row writes") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto after = without_personal_data(store_payment(store));
  after.version += 1;
  unit_parts erasing;
  erasing.update_payment = after;
  erasing.record_claims = {replace_details{std::make_shared<const payment>(after)}};
  CHECK(store.commit(erasing) == committed);
  CHECK(payment_in(store.run(find_entity{after.key})) == after);

  // An owner that still has the old row loses its claim; and a claim never writes details.
  auto stale = captured(payment_of_ada());
  stale.version = 3;
  unit_parts late;
  late.update_payment = stale;
  CHECK(store.commit(late) == lost_claim);
  stale.version = 4;
  late.update_payment = stale;
  CHECK(store.commit(late) == committed);
  CHECK(payment_in(store.run(find_entity{after.key}))->details == after.details);
}

TEST_CASE("an erasure that loses the claim of its payment replaces nothing") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto before = store_payment(store);
  auto after = without_personal_data(before);
  after.version += 5;
  unit_parts erasing;
  erasing.update_payment = after;
  erasing.record_claims = {replace_details{std::make_shared<const payment>(after)},
                           replace_text{erased_column::event_data, before.key, 2, {}, {}, "{}"}};
  CHECK(store.commit(erasing) == lost_claim);
  CHECK(payment_in(store.run(find_entity{before.key})) == before);
  CHECK(store.run(find_timeline{before.key}).entries.at(1).event_data != "{}");
}

TEST_CASE("the texts of an event and of an attempt are replaced in their place, and nothing else of them") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto key = store_payment(store).key;
  auto expected = store.run(find_timeline{key}).entries;
  CHECK(store.commit(replacing({erased_column::attempt_message, key, 1, {}, {}, {}})) == committed);
  CHECK(store.commit(replacing({erased_column::event_data, key, 2, {}, {}, R"({"amount":4200})"})) == committed);
  expected.at(0).message = "";
  expected.at(1).event_data = R"({"amount":4200})";
  CHECK(store.run(find_timeline{key}).entries == expected);
  // Again, and for a row that is not there: harmless.
  CHECK(store.commit(replacing({erased_column::event_data, key, 2, {}, {}, R"({"amount":4200})"})) == committed);
  CHECK(store.commit(replacing({erased_column::event_data, key, 9, {}, {}, "{}"})) == committed);
  CHECK(store.run(find_timeline{key}).entries == expected);

  // The log of events has it in its place, and its delivery sends what is there now.
  const auto logged = store.run(find_events{key.merchant, key.env, entity_kind::payment, key.id}).events;
  REQUIRE(logged.size() == 1);
  CHECK(logged.front().data == shared_text{R"({"amount":4200})"});
  find_deliveries one;
  one.id = 7;
  CHECK(store.run(one).jobs.at(0).event.data == shared_text{R"({"amount":4200})"});
}

TEST_CASE("a stored answer and the reason of its command are replaced; the command stays") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto key = store_payment(store).key;
  auto expected = *store.run(find_command{command_key_of("key-1")}).found;
  CHECK(store.commit(replacing({erased_column::answer, key, 0, "", "key-1", "{}"})) == committed);
  expected.result->body = "{}";
  expected.reason = "";
  CHECK(store.run(find_command{command_key_of("key-1")}).found == expected);

  auto open = begin_unit("2");
  REQUIRE(store.commit(open) == committed);
  CHECK(store.commit(replacing({erased_column::answer, key_of("2"), 0, "", "key-2", "{}"})) == committed);
  CHECK_FALSE(store.run(find_command{command_key_of("key-2")}).found->result);
}

TEST_CASE("the answers of receivers leave a delivery by its next version") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  store_payment(store);
  find_deliveries one;
  one.id = 7;
  auto erased = store.run(one).jobs.at(0).row;
  erased.version += 1;
  erased.last->excerpt = "";
  unit_of_work unit;
  unit.claims.emplace_back(erased);
  CHECK(store.commit(unit) == committed);
  CHECK(store.run(one).jobs.at(0).row == erased);
  // The attempt that was under way writes nothing any more.
  CHECK(store.commit(unit) == lost_claim);
}

TEST_CASE("the personal texts of an entity are its commands, and the notifications that are about it or name it") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto key = store_payment(store).key;
  REQUIRE(store.commit(begin_unit("2")) == committed);
  store_notification(store, notification_of("evt_1", in_words_of(key), R"({"name":"Ada"})"));
  store_notification(store, notification_of("evt_2", "", R"({"charge":"pi_1"})"));
  store_notification(store, notification_of("evt_3", "", R"({"charge":"pi_12"})"));
  store_notification(store, notification_of("evt_4", in_words_of(key_of("2")), "{}"));

  const auto found = store.run(find_personal_texts{key, "pi_1"});
  REQUIRE(found.commands.size() == 1);
  CHECK(found.commands.front() == *store.run(find_command{command_key_of("key-1")}).found);
  std::vector<std::string> events;
  for (const auto& each : found.notifications) events.push_back(each->event_id);
  std::ranges::sort(events);
  CHECK(events == std::vector<std::string>{"evt_1", "evt_2"});
  CHECK(store.run(find_personal_texts{key}).notifications.size() == 1);
  CHECK(store.run(find_personal_texts{key_of("3"), "pi_9"}).commands.empty());

  const auto about = found.notifications.front()->key;
  CHECK(store.commit(replacing({erased_column::notification_body, about, 0, {}, {}, "{}"})) == committed);
  CHECK(notification_in(store.run(find_entity{about}))->body == "{}");
}

TEST_CASE("an operator's words leave the audit log, whose chain still verifies; the entry stays") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto note = [](int number, std::string subject) {
    save_audit entry;
    entry.user = user_id{"operator:root"};
    entry.at = at(number);
    entry.id = "audit_" + std::to_string(number);
    entry.action = "record refund";
    entry.subject = std::move(subject);
    entry.merchant = key_of("1").merchant;
    entry.env = environment::test;
    return entry;
  };
  for (const auto& each :
       {note(1, "pay_1: Ada asked for it"), note(2, "pay_1"), note(3, "pay_12: Eve"), note(4, "payX1: Eve")}) {
    unit_of_work unit;
    unit.inserts.emplace_back(each);
    REQUIRE(store.commit(unit) == committed);
  }
  CHECK(store.commit(replacing({erased_column::audit_texts, key_of("1"), 0, {}, {}, {}})) == committed);
  std::vector<std::string> subjects;
  find_audit_entries all;
  all.oldest_first = true;
  for (const auto& each : store.run(all).entries) subjects.push_back(each.what.subject);
  CHECK(subjects == std::vector<std::string>{"", "pay_1", "pay_12: Eve", "payX1: Eve"});

  const auto part = store.run(find_audit_chain{});
  audit_progress progress;
  CHECK(check_audit_part(progress, part, true).empty());
}
