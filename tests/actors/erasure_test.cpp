// The erasure of a payment's personal data goes through the payment's actor, so that no cached row writes them back.
#include <catch2/catch.hpp>

#include "gateway/domain/erasure.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

constexpr std::string_view name_of_ada = "Ada Lovelace";

entity_request create_for_ada(std::string_view key) {
  create_payment c;
  c.amount = {4200, *currency::parse("HKD")};
  c.details.payment_method = "pm_card_visa";
  c.details.description = c.details.customer_name = name_of_ada;
  c.details.metadata = {{"who", std::string{name_of_ada}}};
  return {world::key_of("pay_1"), world::write(key, "create"), c};
}

entity_request erase_ada(std::int64_t version, std::vector<replace_text> texts = {},
                         std::vector<delivery> deliveries = {}) {
  return {world::key_of("pay_1"), std::nullopt,
          payment_command{erase_payment_data{{version, std::move(texts), std::move(deliveries)}}}};
}

payment stored_ada(world& w) { return w.rows().payments.at(memory_store::id(world::key_of("pay_1"))); }

destination hook_of_shop() {
  destination d;
  d.id = destination_id{"dest_a"};
  d.owner = "merch_1";
  d.url = "https://a.test/hook";
  return d;
}

std::vector<delivery> deliveries_in(world& w) {
  std::vector<delivery> rows;
  for (const auto& [number, row] : w.rows().deliveries) rows.push_back(row);
  return rows;
}

}  // namespace

TEST_CASE("after an erasure the payment's actor knows the row without personal data, and goes on from it") {
  world w;
  w.ask(create_for_ada("k1"));
  w.ask(w.capture("pay_1", "k2"));
  const auto before = stored_ada(w);
  REQUIRE(before.details.customer_name == name_of_ada);
  CHECK(w.ask(erase_ada(before.version)) == "view");
  auto expected = without_personal_data(before);
  expected.version += 1;
  CHECK(stored_ada(w) == expected);
  CHECK(*w.read("pay_1") == expected);

  // What follows is decided, committed and shown without the old data.
  CHECK(w.ask(w.refund("pay_1", "k3", 1200)).starts_with("refund partially_refunded 1200/"));
  CHECK(stored_ada(w).details == expected.details);
  CHECK(w.read("pay_1")->details == expected.details);
  CHECK(w.calls().calls.back().subject.details == expected.details);
  // Erasing again is harmless.
  CHECK(w.ask(erase_ada(stored_ada(w).version)) == "view");
  CHECK(stored_ada(w).details == expected.details);
}

TEST_CASE("another owner that still remembers the old data loses its claim, and reads the row again") {
  auto rows = std::make_shared<failing_store>();
  world w{rows};
  w.ask(create_for_ada("k1"));
  world other{rows};
  REQUIRE(other.read("pay_1")->details.customer_name == name_of_ada);
  REQUIRE(w.ask(erase_ada(stored_ada(w).version)) == "view");
  CHECK(other.ask(other.capture("pay_1", "k2")).starts_with("capture captured"));
  CHECK(stored_ada(other).details.customer_name.empty());
  CHECK(other.read("pay_1")->details.customer_name.empty());
}

TEST_CASE("an erasure is refused if the payment has changed since its texts were read, or needs its data") {
  world w;
  CHECK(w.ask(erase_ada(1)) == text_of(problem::payment_not_found));
  w.ask(create_for_ada("k1"));
  CHECK(w.ask(erase_ada(stored_ada(w).version - 1)) == text_of(problem::request_in_progress));
  CHECK(stored_ada(w).details.customer_name == name_of_ada);
  w.calls().silent = true;
  const auto capturing = w.send(w.capture("pay_1", "k2"));
  w.advance(61s);
  REQUIRE(stored_ada(w).open);
  CHECK(w.ask(erase_ada(stored_ada(w).version)) == text_of(problem::payment_outcome_pending));
  CHECK(stored_ada(w).details.customer_name == name_of_ada);
}

TEST_CASE("the texts of the timeline and the stored answers are replaced, also where the actor remembers them") {
  world w;
  w.ask(create_for_ada("k1"));
  w.ask(w.capture("pay_1", "k2"));
  REQUIRE(w.timeline("pay_1").size() == 3);
  REQUIRE(w.ask(w.capture("pay_1", "k2")).starts_with("replay: capture captured"));
  const auto key = world::key_of("pay_1");
  std::vector<replace_text> texts{{erased_column::attempt_message, key, 1, {}, {}, "erased"},
                                  {erased_column::event_data, key, 3, {}, {}, "{}"},
                                  {erased_column::answer, key, 0, {}, "k2", "erased"}};
  REQUIRE(w.ask(erase_ada(stored_ada(w).version, texts)) == "view");
  CHECK(w.ask(w.capture("pay_1", "k2")) == "replay: erased");
  auto p = w.send({key, std::nullopt, view_timeline{}});
  w.settle();
  const auto& entries = std::get<timeline_ptr>((*p.reply)->what)->entries;
  REQUIRE(entries.size() == 3);
  CHECK(entries.at(0).message == "erased");
  CHECK(entries.at(2).event_data == "{}");
}

TEST_CASE("a delivery that waits in the dispatcher's memory is sent with the erased event") {
  world w;
  w.encoder().data_bytes = 40;
  w.office().answer = [](const outgoing_post&) -> std::optional<delivery_attempt> { return std::nullopt; };
  w.subscribe(hook_of_shop());
  // So many posts hang that no further one is sent: the last delivery waits in memory.
  std::size_t begun = 0;
  for (int i = 2; i < 200 && w.office().unanswered.size() == begun; ++i, ++begun) {
    const auto id = "pay_" + std::to_string(i);
    w.ask(world::create(id, "create " + id));
    w.ask(world::capture(id, "capture " + id));
  }
  w.ask(create_for_ada("k1"));
  w.ask(w.capture("pay_1", "k2"));
  const auto hanging = w.office().unanswered.size();
  REQUIRE(w.office().sent.size() == hanging);
  auto rows = deliveries_in(w);
  std::erase_if(rows, [](const delivery& d) { return d.subject.id != "pay_1"; });
  REQUIRE(rows.size() == 1);
  auto changed = rows.front();
  changed.version += 1;
  REQUIRE(w.ask(erase_ada(stored_ada(w).version,
                          {{erased_column::event_data, world::key_of("pay_1"), 3, {}, {}, "no texts"}}, {changed})) ==
          "view");
  caf::anon_send(w.dispatcher(), fresh_deliveries{{{changed, {}}}});
  w.settle();
  w.office().answer = [](const outgoing_post&) { return std::optional{post_office::says(200)}; };
  for (auto& done : std::exchange(w.office().unanswered, {})) done(post_office::says(200));
  w.settle();
  w.advance(120s);
  std::vector<std::string> bodies;
  for (const auto& each : w.office().sent)
    if (each.post.body.find("pay_1 ") != std::string::npos) bodies.push_back(std::string{each.post.body});
  REQUIRE(bodies.size() == 1);
  CHECK(bodies.front().ends_with("no texts"));
  CHECK(w.rows().deliveries.at(changed.id).status == delivery_status::delivered);
}
