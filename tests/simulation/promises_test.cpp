// What the checkers report as a broken promise, and what they must not report.
#include <catch2/catch.hpp>

#include <string>

#include "ages.hpp"
#include "checkouts.hpp"
#include "customers.hpp"
#include "gateway/messages/customer_key.hpp"
#include "notices.hpp"
#include "promises.hpp"

using namespace gateway;
using namespace gateway::simulation;
using namespace std::chrono_literals;

namespace {

class silent_encoder final : public payment_encoder {
 public:
  answer encode(const outcome&) const override { return {200, "ok"}; }
  std::string event_data(const payment&, std::string_view, std::string_view) const override { return {}; }
};

constexpr provider_status approved = provider_status::approved, unknown = provider_status::unknown;

/// One payment's rows as a gateway would commit them, and the checkers.
class checked_rows {
 public:
  checked_rows() { config.idempotency_kept = 24h; }

  std::string broken() const { return held.broken().value_or("nothing"); }
  const payment& row() const { return rows.payments.at(testing::memory_store::id(subject)); }

  void commit(const testing::unit_parts& unit) {
    const auto before = testing::payment_in(rows.run(find_entity{subject}));
    REQUIRE(rows.commit(unit) == commit_outcome::committed);
    held.committed(before, unit);
    ages.committed(before, unit);
  }

  void begin_create(const std::string& key) {
    create_payment wanted;
    wanted.amount = {4200, *currency::parse("EUR")};
    testing::unit_parts unit;
    unit.insert_command = record(key, operation::create, wanted.amount.minor);
    unit.insert_payment = begin_payment(subject, wanted, {}, unit.insert_command->key, time.now(), {});
    commit(unit);
  }

  template <class Command>
  void begin(const std::string& key, const Command& wanted) {
    auto claimed = std::get<claim>(decide(row(), wanted, command(key), time.now(), {})).claimed;
    testing::unit_parts unit;
    unit.insert_command = record(key, claimed.open->what, claimed.open->amount);
    unit.update_payment = std::move(claimed);
    commit(unit);
  }

  testing::unit_parts finish(provider_status how) const {
    auto change = conclude(row(), {how, "ref", {}, std::nullopt}, time.now(), {});
    testing::unit_parts unit;
    if (!row().open->answered)
      unit.finish_command = command_finish{row().open->command,
                                           std::make_shared<const answer>(encoder.encode(change.result)), time.now()};
    unit.update_payment = std::move(change.next);
    unit.entries = std::move(change.entries);
    return unit;
  }

  /// The call that an actor makes for the open operation of the row that it has read.
  static provider_call call_for(const payment& read) {
    provider_call call;
    call.provider_key = "pk_" + std::to_string(read.open->claim);
    call.what = read.open->what;
    call.amount = read.open->amount;
    call.subject = read;
    return call;
  }
  /// The provider executes the call.
  void act(const provider_call& call) {
    const auto& open = *call.subject.open;
    held.provider_acted({call.provider_key, subject, call.what, call.amount, open.command.key, open.claim});
  }

  void purge(const std::string& key) {
    held.key_expires(command(key));
    rows.commands.erase(testing::memory_store::id(command(key)));
  }

  command_key command(const std::string& key) const { return {subject.merchant, subject.env, {}, key}; }

  virtual_time time;
  settings config;
  const entity_key subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  testing::memory_store rows;
  silent_encoder encoder;
  journal log{time, nullptr};
  promises held{rows, encoder, time, log};
  age_promises ages{rows, time, config, held};

  command_record record(const std::string& key, operation what, std::int64_t amount) const {
    return {command(key), key, std::string{to_string(what)}, "payment", subject.id, amount, {}, time.now(), {}, {}};
  }
};

/// A payment that is captured, each of its operations called and executed.
void make_captured(checked_rows& r) {
  r.begin_create("create");
  r.act(r.call_for(r.row()));
  r.commit(r.finish(approved));
  r.begin("capture", capture_payment{});
  r.act(r.call_for(r.row()));
  r.commit(r.finish(approved));
  REQUIRE(r.row().state == payment_state::captured);
  REQUIRE(r.broken() == "nothing");
}

/// A payment that waits for its customer at a provider other than the gateway's own.
class waiting_rows : public checked_rows {
 public:
  waiting_rows() {
    create_payment wanted;
    wanted.amount = {4200, *currency::parse("EUR")};
    wanted.how = flow::redirect;
    testing::unit_parts unit;
    unit.insert_command = record("create", operation::create, wanted.amount.minor);
    unit.insert_payment =
        begin_payment(subject, wanted, {provider_kind::stripe, "acct_1", false}, command("create"), time.now(), {});
    commit(unit);
    begun = row();
    pages.open(call_for(begun), "ref");
    commit(finish(provider_status::pending));
    REQUIRE(awaits_customer(row()));
  }

  provider_result ask(bool closes) {
    const provider_inquiry question{row(), closes};
    pages.asked(question);
    return pages.answer(question);
  }
  /// The gateway stores the provider's answer.
  void learn(const provider_result& answer, bool closed) {
    auto change = *settle_wait(row(), answer, closed, time.now(), {});
    testing::unit_parts unit;
    const auto before = row();
    for (const auto& moved : movements_of(&before, change.next))
      unit.ledger.push_back(entry_of(moved, change.next, {}));
    unit.update_payment = std::move(change.next);
    unit.entries = std::move(change.entries);
    commit(unit);
    pages.committed(before, unit);
  }

  payment begun;  ///< as its provider was called
  customer_promises customers{rows, held, true};
  provider_payments there{time, held, log};
  checkouts pages{rows, held, customers, ages, there, log};
};

/// A customer whose first payment went to the sandbox, and its second to Stripe.
class customer_rows : public checked_rows {
 public:
  customer_rows() {
    customers.made(paid_at(provider_kind::sandbox, "acct"), "cus_1");
    customers.made(paid_at(provider_kind::stripe, "acct_1"), "cus_2");
  }

  payment paid_at(provider_kind provider, const std::string& account, const std::string& provider_id = {},
                  const std::string& charged = {}) const {
    create_payment wanted;
    wanted.amount = {4200, *currency::parse("EUR")};
    wanted.details.payment_method = charged;
    auto made = begin_payment(subject, wanted, {provider, account, false}, command("create"), time.now(), {},
                              charged.empty() ? operation::create : operation::charge);
    made.customer = payment_customer{plat, "ref-1", provider_id, charged.empty(), false, {}};
    return made;
  }

  void store(provider_kind provider, const std::string& account, const std::string& provider_id,
             const std::string& saved = {}) {
    const auto key = customer_key(subject.merchant, subject.env, plat, "ref-1");
    const auto known = rows.customers.find(testing::memory_store::id(key));
    const auto* before = known == rows.customers.end() ? nullptr : &known->second;
    const auto next =
        recorded(before, key, {plat, "ref-1", provider, provider_id, saved, subject, account}, time.now());
    REQUIRE(next);
    testing::unit_parts unit;
    (before ? unit.update_customer : unit.insert_customer) = next;
    REQUIRE(rows.commit(unit) == commit_outcome::committed);
    customers.committed({}, unit);
  }

  const platform_id plat{"plat_1"};
  customer_promises customers{rows, held, true};
};

constexpr provider_status pending = provider_status::pending, declined = provider_status::declined;

}  // namespace

// ---- calls to the provider ----------------------------------------------------------------------

TEST_CASE("a call by a row that was read before its operation was over counts as a call without an intent") {
  checked_rows r;
  r.begin_create("create");
  const auto read = r.row();
  r.held.provider_called(r.call_for(read));
  r.commit(r.finish(approved));
  // The key has a time that is months off, and a slow read returns after its purge.
  r.purge("create");
  r.begin("capture", capture_payment{});
  r.time.leap(9s);
  r.held.provider_called(r.call_for(read));
  CHECK(r.broken() == "nothing");
}

TEST_CASE("a call for an operation that has long been over is detected") {
  checked_rows r;
  r.begin_create("create");
  const auto read = r.row();
  r.held.provider_called(r.call_for(read));
  r.commit(r.finish(approved));
  r.time.leap(26s);
  r.held.provider_called(r.call_for(read));
  CHECK(r.broken() ==
        "the provider is asked for the create of pay_1 26000 ms after it was over, and may have forgotten its key");
}

TEST_CASE("a call that was never begun is detected, also under a known key") {
  checked_rows r;
  make_captured(r);
  auto call =
      r.call_for(std::get<claim>(decide(r.row(), refund_payment{100, {}}, r.command("capture"), {}, {})).claimed);
  r.held.provider_called(call);
  CHECK(r.broken() == "the provider is called for pay_1 (refund) before the intent is durable");
}

TEST_CASE("a call for another amount than the begun one is detected") {
  checked_rows r;
  make_captured(r);
  r.begin("refund", refund_payment{100, {}});
  auto call = r.call_for(r.row());
  call.amount = 4200;
  r.held.provider_called(call);
  CHECK(r.broken() == "the provider is called for pay_1 with something other than what was begun");
}

TEST_CASE("a purged key is another command at its next use, also if the provider executes the first one late") {
  checked_rows r;
  make_captured(r);
  r.begin("key", refund_payment{100, {}});
  const auto first = r.call_for(r.row());
  r.commit(r.finish(unknown));
  r.purge("key");
  r.act(first);
  r.commit(r.finish(approved));
  r.begin("key", refund_payment{100, {}});
  r.act(r.call_for(r.row()));
  CHECK(r.broken() == "nothing");
  r.act(r.call_for(r.row()));
  CHECK(r.broken() == "key key makes the provider refund pay_1 twice");
}

// ---- rows ---------------------------------------------------------------------------------------

TEST_CASE("a change without its event, or with the wrong one, is detected") {
  checked_rows silent, wrong;
  make_captured(silent);
  silent.begin("refund", refund_payment{100, {}});
  auto unit = silent.finish(approved);
  unit.entries.pop_back();
  unit.update_payment->next_seq -= 1;
  silent.commit(unit);
  CHECK(silent.broken() == "pay_1 becomes partially_refunded with 0 events, not with one payment.partially_refunded");

  make_captured(wrong);
  wrong.begin("refund", refund_payment{100, {}});
  unit = wrong.finish(approved);
  unit.entries.back().operation = "payment.refunded";
  wrong.commit(unit);
  CHECK(wrong.broken() == "pay_1 becomes partially_refunded with 1 events, not with one payment.partially_refunded");
}

TEST_CASE("a refund that begins while the payment is disputed is detected") {
  checked_rows r;
  make_captured(r);
  auto claimed = std::get<claim>(decide(r.row(), refund_payment{100, {}}, r.command("refund"), {}, {})).claimed;
  auto& stored = r.rows.payments.at(testing::memory_store::id(r.subject));
  claimed.records.disputes.push_back({"dp_1", 4200, "fraudulent", dispute_status::needs_response, {}, {}, {}, "du_1"});
  stored.records = claimed.records;
  testing::unit_parts unit;
  unit.insert_command = r.record("refund", operation::refund, 100);
  unit.update_payment = std::move(claimed);
  r.commit(unit);
  CHECK(r.broken() == "pay_1: a refund begins while the payment is disputed");
}

TEST_CASE("a partly refunded payment in the state refunded is detected") {
  checked_rows r;
  make_captured(r);
  r.begin("refund", refund_payment{100, {}});
  auto unit = r.finish(approved);
  unit.update_payment->state = payment_state::refunded;
  unit.entries.back().operation = "payment.refunded";
  r.commit(unit);
  CHECK(r.broken() == "pay_1 is refunded, with 100 of 4200 refunded");
}

TEST_CASE("a read at rest may show what was committed after the request, and nothing older than the request") {
  checked_rows r;
  r.begin_create("create");
  const auto older = r.row();
  r.commit(r.finish(approved));
  const auto asked_at = r.row().version;
  const auto seen = r.row();
  // As a checkout may expire while the read is answered.
  r.begin("capture", capture_payment{});
  r.held.seen_at_rest(seen, asked_at);
  r.held.seen_at_rest(r.row(), asked_at);
  CHECK(r.broken() == "nothing");
  r.held.seen_at_rest(older, asked_at);
  CHECK(r.broken() == "pay_1 is shown at version 1 for ever, and stands at 2");
}

// ---- ages ---------------------------------------------------------------------------------------

TEST_CASE("a purge of keys that are too young is detected, also if there are none to delete") {
  checked_rows r;
  r.ages.purged({r.time.now() - r.config.idempotency_kept, 10});
  CHECK(r.broken() == "nothing");
  r.ages.purged({r.time.now() - r.config.idempotency_kept / 2, 10});
  CHECK(r.broken() == "a node purges keys that are younger than they are kept");
}

// ---- pages of a provider ------------------------------------------------------------------------

TEST_CASE("an inquiry returns what was done on the page, and closes it unless it is paid") {
  waiting_rows open, paid, closed;
  CHECK(open.ask(false).status == pending);

  paid.pages.pay(paid.subject);
  paid.time.leap(24h);
  CHECK(paid.ask(true).status == approved);
  paid.learn(paid.ask(true), true);
  CHECK(paid.row().state == payment_state::captured);

  closed.time.leap(24h);
  closed.learn(closed.ask(true), true);
  CHECK(closed.row().state == payment_state::failed);
  CHECK(closed.pages.open_pages().empty());

  for (const auto* each : {&open, &paid, &closed}) CHECK(each->broken() == "nothing");
}

TEST_CASE("a payment that fails although it is paid, or can still be, is detected") {
  waiting_rows still_open, paid;
  still_open.time.leap(24h);
  still_open.learn({declined, {}, {}, std::nullopt}, true);
  CHECK(still_open.broken() == "pay_1 fails while its customer can still pay at the provider");

  paid.pages.pay(paid.subject);
  paid.time.leap(24h);
  paid.learn({declined, {}, {}, std::nullopt}, true);
  CHECK(paid.broken() == "pay_1 fails, and its customer has paid at the provider");
}

TEST_CASE("a payment may fail while its customer pays after a decline, and a closed page cannot be paid") {
  waiting_rows late, over;
  late.there.created(late.call_for(late.begun), {pending, "ref", {}, std::nullopt});
  late.pages.decline(late.subject);
  const auto seen = late.ask(false);
  late.pages.pay(late.subject);
  late.learn(seen, false);
  CHECK(late.row().state == payment_state::failed);
  CHECK(late.there.find(late.subject)->truth.charge == charge_state::captured);
  CHECK(late.broken() == "nothing");

  over.there.created(over.call_for(over.begun), {pending, "ref", {}, std::nullopt});
  over.pages.decline(over.subject);
  over.time.leap(24h);
  over.ask(true);
  CHECK(over.there.find(over.subject)->is_over);
}

TEST_CASE("a payment that becomes paid although its customer has not paid is detected") {
  waiting_rows r;
  r.learn({approved, "ref", {}, std::nullopt}, false);
  CHECK(r.broken() == "pay_1 becomes captured, and its customer has not paid at the provider");
}

TEST_CASE("what a customer has done at the provider must become known to the gateway") {
  waiting_rows r;
  CHECK_FALSE(r.pages.anything_undelivered());
  r.pages.decline(r.subject);
  CHECK(r.pages.anything_undelivered());
  r.learn(r.ask(false), false);
  CHECK_FALSE(r.pages.anything_undelivered());
  CHECK(r.broken() == "nothing");
}

TEST_CASE("a page that is closed before its time is detected") {
  waiting_rows r;
  r.time.leap(r.config.hosted_expiry / 2);
  r.ask(true);
  CHECK(r.broken() == "the provider is asked to close the checkout of pay_1 before its time");
}

// ---- notifications ------------------------------------------------------------------------------

namespace {

struct posted_rows : checked_rows {
  explicit posted_rows(std::optional<entity_key> about) {
    what.provider = provider_kind::stripe;
    what.event_id = "evt_1";
    if (about) what.body = about->id;
    notices.posted(what, std::move(about));
    stored.key = notification_key(what.provider, environment::test, what.event_id);
    stored.version = 1;
    stored.provider = what.provider;
    stored.event_id = what.event_id;
    stored.body = what.body;
    stored.due_at = time.now();
  }
  void insert() {
    testing::unit_parts unit;
    unit.insert_notification = stored;
    REQUIRE(rows.commit(unit) == commit_outcome::committed);
    notices.committed(unit);
  }
  void settle(notification_state as) {
    stored.version += 1;
    stored.state = as;
    stored.due_at.reset();
    testing::unit_parts unit;
    unit.update_notification = stored;
    REQUIRE(rows.commit(unit) == commit_outcome::committed);
    notices.committed(unit);
  }

  receive_notification what;
  notification stored;
  notice_promises notices{rows, held};
};

const auto pay_1 = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});

}  // namespace

TEST_CASE("a notification may wait forever only if its object does not exist") {
  posted_rows unknown{pay_1}, known{pay_1};
  unknown.insert();
  CHECK_FALSE(unknown.notices.anything_open());
  unknown.notices.at_rest();
  CHECK(unknown.broken() == "nothing");

  known.begin_create("create");
  known.insert();
  CHECK(known.notices.anything_open());
  known.notices.at_rest();
  CHECK(known.broken() == "the notification evt_1 waits for ever");
}

TEST_CASE("a notification that is settled with the wrong outcome, or twice, is detected") {
  posted_rows applied{pay_1}, ignored{pay_1}, twice{std::nullopt};
  applied.insert();
  applied.settle(notification_state::applied);
  CHECK(applied.broken() == "the notification evt_1 is applied, and is about pay_1");

  ignored.insert();
  ignored.settle(notification_state::ignored);
  CHECK(ignored.broken() == "the notification evt_1 is ignored, and is about pay_1");

  twice.insert();
  twice.settle(notification_state::ignored);
  CHECK(twice.broken() == "nothing");
  twice.settle(notification_state::ignored);
  CHECK(twice.broken() == "the notification evt_1 is ignored, and becomes ignored");
}

TEST_CASE("a notification that is answered before it is stored is detected") {
  posted_rows r{pay_1};
  r.notices.answered("evt_1", {entity_row{std::make_shared<const notification>(r.stored)}});
  CHECK(r.broken() == "the notification evt_1 is answered before it is stored");
}

// ---- customers ----------------------------------------------------------------------------------

TEST_CASE("a provider that is called with a customer's id of another account is detected") {
  struct row {
    provider_kind at;
    const char *account, *sent, *broken;
  };
  const row table[] = {
      {provider_kind::sandbox, "acct", "", "nothing"},
      {provider_kind::sandbox, "acct", "cus_1", "nothing"},
      {provider_kind::stripe, "acct_1", "cus_2", "nothing"},
      {provider_kind::stripe, "acct_1", "cus_1",
       "the provider is called for pay_1 with the customer cus_1, which it has not made in stripe's account acct_1"},
      {provider_kind::stripe, "acct_2", "cus_2",
       "the provider is called for pay_1 with the customer cus_2, which it has not made in stripe's account acct_2"},
      {provider_kind::sandbox, "acct", "cus_2",
       "the provider is called for pay_1 with the customer cus_2, which it has not made in sandbox's account acct"},
  };
  for (const auto& [at, account, sent, broken] : table) {
    CAPTURE(account, sent);
    customer_rows r;
    r.customers.provider_called(r.call_for(r.paid_at(at, account, sent)));
    CHECK(r.broken() == broken);
  }
}

TEST_CASE("a customer's id that is stored for an account in which it was not made is detected") {
  struct row {
    provider_kind at;
    const char *account, *stored, *broken;
  };
  const row table[] = {
      {provider_kind::stripe, "acct_1", "cus_2", "nothing"},
      {provider_kind::stripe, "acct_1", "cus_1",
       "the customer ref-1 of plat_1 is stored as cus_1, which the provider has not made in stripe's account acct_1"},
      {provider_kind::stripe, "acct_2", "cus_2",
       "the customer ref-1 of plat_1 is stored as cus_2, which the provider has not made in stripe's account acct_2"},
  };
  for (const auto& [at, account, stored, broken] : table) {
    CAPTURE(account, stored);
    customer_rows r;
    r.store(provider_kind::sandbox, "acct", "cus_1");
    r.store(at, account, stored);
    CHECK(r.broken() == broken);
  }
}

TEST_CASE("a charge in one account of a method that was saved in another is detected") {
  customer_rows r;
  r.customers.approved(r.paid_at(provider_kind::sandbox, "acct"), "pm_a");
  r.store(provider_kind::sandbox, "acct", "cus_1", "pm_a");
  r.store(provider_kind::stripe, "acct_1", "cus_2");
  r.customers.provider_called(r.call_for(r.paid_at(provider_kind::sandbox, "acct", "cus_1", "pm_a")));
  CHECK(r.broken() == "nothing");
  r.customers.provider_called(r.call_for(r.paid_at(provider_kind::stripe, "acct_1", "cus_2", "pm_a")));
  CHECK(r.broken() == "the provider is asked to charge pm_a for pay_1, which is not saved in stripe's account acct_1");
}
