// The databases' query plans: over millions of rows, an unintended plan would delay everything.
#include <catch2/catch.hpp>

#include "contract_store.hpp"
#include "plan_of.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using Catch::Matchers::Contains;

namespace {

/// Enough rows that a full scan costs more than an index.
void fill(db_connection& db) {
  std::vector<unit_of_work> units;
  for (int i = 0; i < 400; ++i) {
    units.push_back(begin_unit(std::to_string(i)));
    auto finish = finish_unit(std::to_string(i));
    delivery d;
    d.id = i + 1;
    d.subject = finish.update_payment->key;
    d.event_seq = 2;
    d.to = destination_id{"dest_" + std::to_string(i % 4)};
    d.next_attempt_at = at(i);
    d.created_at = at(i);
    finish.deliveries = {d};
    units.push_back(std::move(finish));
  }
  for (const auto outcome : commit_units(db, units)) REQUIRE(outcome == commit_outcome::committed);
}

}  // namespace

TEST_CASE("the connections with an account are found by an index") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const std::string_view account = "acct_1", provider = "stripe", env = "live";
  const cell with[] = {account, provider, env, std::int64_t{10}};
  const auto plan = plan_of(store, statements::read_connections_with, with);
  INFO(plan);
  CHECK_THAT(plan, Contains("connections_by_account") && !Contains("TEMP B-TREE") && !Contains("filesort"));
}

TEST_CASE("the lists of events are read by their indexes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  std::vector<unit_of_work> units;
  for (int i = 0; i < 400; ++i) {
    const auto n = std::to_string(i);
    unit_parts unit;
    unit.kind = unit_kind::finish;
    unit.sandbox_events = {{merchant_id{"merch_" + std::to_string(i % 4)}, environment::test, "evt_" + n,
                            provider_kind::sandbox, "pay_" + n, sandbox_act_kind::dispute_open, at(i)}};
    units.push_back(unit);
  }
  for (const auto outcome : commit_units(*store.writer, units)) REQUIRE(outcome == commit_outcome::committed);
  const bool sqlite = kind == store_kind::sqlite;
  const std::string_view none, sandbox = "sandbox", test_env = "test", stripe = "stripe";
  const std::int64_t limit = 10, from = to_unix_ms(at(20)), until = to_unix_ms(at(40));

  const cell accounts[] = {none, stripe, test_env, limit};
  const auto accounts_plan = plan_of(store, statements::read_event_lists, accounts);
  INFO(accounts_plan);
  CHECK_THAT(accounts_plan,
             Contains("connections_by_account") && !Contains("TEMP B-TREE FOR ORDER BY") && !Contains("filesort"));

  const cell events[] = {sandbox, test_env, from, until, from, none, limit};
  const auto events_plan = plan_of(store, statements::read_sandbox_events, events);
  INFO(events_plan);
  CHECK_THAT(events_plan, Contains("sandbox_events_by_age") && !Contains("TEMP B-TREE") && !Contains("filesort"));
  CHECK_THAT(events_plan, sqlite ? Contains("provider=? AND environment=? AND happened_at>?")
                                 : Contains("range sandbox_events_by_age"));
}

TEST_CASE("a provider's customer is found by an index") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const cell named[] = {std::string_view{"cus_1"}, std::int64_t{10}};
  const auto plan = plan_of(store, statements::read_customer_keys, named);
  INFO(plan);
  CHECK_THAT(plan, Contains("customers_by_provider_id") && !Contains("TEMP B-TREE") && !Contains("filesort"));
}

TEST_CASE("deliveries are found by their indexes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  const std::string_view to = "dest_1", merchant = "merch_1", test_env = "test", payment = "pay_1", pending = "pending";
  const std::int64_t now = to_unix_ms(at(100)), limit = 10;

  const cell due[] = {limit, limit, to, now, limit};
  const auto due_plan = plan_of(store, statements::read_due_deliveries, due);
  INFO(due_plan);
  if (sqlite) {
    CHECK_THAT(due_plan,
               Contains("d USING INDEX deliveries_by_status (status=? AND destination_id=? AND next_attempt_at<?)"));
    CHECK_THAT(due_plan, Contains("SEARCH e USING INDEX sqlite_autoindex_events_1 (merchant_id=? AND environment=? AND "
                                  "subject_kind=? AND subject_id=? AND seq=?)"));
    CHECK_THAT(due_plan, !Contains("TEMP B-TREE"));
  } else {
    CHECK_THAT(due_plan,
               Contains("d range deliveries_by_status") && Contains("e eq_ref PRIMARY") && !Contains("filesort"));
  }

  const auto backlog_plan = plan_of(store, statements::read_backlog, {});
  INFO(backlog_plan);
  if (sqlite) {
    CHECK_THAT(backlog_plan,
               Contains("USING COVERING INDEX deliveries_by_status (status=?)") && !Contains("TEMP B-TREE"));
  } else {
    CHECK_THAT(backlog_plan, Contains("ref deliveries_by_status") && Contains("Using index") &&
                                 !Contains("temporary") && !Contains("filesort"));
  }

  const cell newest[] = {std::int64_t{300}, limit};
  const auto newest_plan = plan_of(store, statements::read_deliveries, newest);
  INFO(newest_plan);
  if (sqlite) {
    CHECK_THAT(newest_plan, Contains("d USING INDEX deliveries_by_number (delivery_id<?)") && !Contains("TEMP B-TREE"));
  } else {
    CHECK_THAT(newest_plan, Contains("d range deliveries_by_number") && !Contains("filesort"));
  }

  const cell chosen[] = {pending, std::string_view{"delivered"}, std::string_view{"failed"}, to, std::int64_t{300},
                         limit};
  const auto chosen_plan = plan_of(store, statements::read_deliveries_to, chosen);
  INFO(chosen_plan);
  if (sqlite) {
    CHECK_THAT(chosen_plan,
               Contains("deliveries USING COVERING INDEX deliveries_by_status (status=? AND destination_id=?)"));
  } else {
    CHECK_THAT(chosen_plan, Contains("deliveries range deliveries_by_status") && Contains("d eq_ref PRIMARY"));
  }

  const std::int64_t below = 300;
  const std::string_view delivered = "delivered", failed = "failed";
  const cell owned[] = {delivered, to,    merchant, below, limit, failed, to,   merchant,
                        below,     limit, pending,  to,    below, limit,  limit};
  const auto owned_plan = plan_of(store, statements::read_deliveries_of_owner, owned);
  INFO(owned_plan);
  if (sqlite) {
    CHECK_THAT(owned_plan, Contains("deliveries_by_status (status=? AND destination_id=? AND next_attempt_at=? AND "
                                    "merchant_id=? AND delivery_id<?)") &&
                               !Contains("SCAN deliveries"));
  } else {
    CHECK_THAT(owned_plan,
               Contains("deliveries_by_status") && Contains("d eq_ref PRIMARY") && !Contains("deliveries ALL"));
  }

  const cell events[] = {merchant, test_env, test_env, now, limit};
  const auto events_plan = plan_of(store, statements::read_events, events);
  INFO(events_plan);
  CHECK_THAT(events_plan, Contains("events_by_age"));
  const cell of_payment[] = {merchant, test_env, test_env, to_string(entity_kind::payment), payment, now, limit};
  const auto payment_plan = plan_of(store, statements::read_events_of_subject, of_payment);
  INFO(payment_plan);
  CHECK_THAT(
      payment_plan,
      sqlite
          ? Contains("sqlite_autoindex_events_1 (merchant_id=? AND environment=? AND subject_kind=? AND subject_id=?)")
          : Contains("PRIMARY"));
}

TEST_CASE("old commands are found by their age") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  const cell old[] = {to_unix_ms(at(100)), std::int64_t{64}};
  const auto purge_plan = plan_of(store, statements::purge_commands, old);
  INFO(purge_plan);
  if (sqlite) {
    CHECK_THAT(purge_plan, Contains("SEARCH commands USING INTEGER PRIMARY KEY (rowid=?)") &&
                               Contains("commands USING INDEX commands_by_age (created_at<?)") &&
                               !Contains("TEMP B-TREE"));
  } else {
    CHECK_THAT(purge_plan,
               Contains("commands range commands_by_age") && Contains("c eq_ref PRIMARY") && !Contains("filesort"));
  }
  const auto oldest_plan = plan_of(store, statements::read_oldest_command, {});
  INFO(oldest_plan);
  CHECK_THAT(oldest_plan, sqlite ? Contains("commands_by_age") : Contains("optimized away"));
}

TEST_CASE("payments that may be purged are found merchant by merchant, by their age") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  fill(*store.writer);
  const bool sqlite = kind == store_kind::sqlite;
  const std::string_view merchant = "merch_1", before_all, env = "test", payment = "pay_7";
  const cell behind[] = {before_all};
  const auto next_plan = plan_of(store, statements::next_merchant_with_payments, behind);
  INFO(next_plan);
  CHECK_THAT(next_plan, Contains("payments_by_age") && !Contains("TEMP B-TREE") && !Contains("filesort"));
  const auto before = to_unix_ms(at(100));
  const cell old[] = {before, merchant, env, std::int64_t{0}, before, std::int64_t{0}, payment, std::int64_t{64}};
  const auto old_plan = plan_of(store, statements::read_old_payments, old);
  INFO(old_plan);
  CHECK_THAT(old_plan, Contains("payments_by_age") && !Contains("TEMP B-TREE") && !Contains("filesort"));
  const cell of_payment[] = {merchant, payment, env};
  const auto deliveries_plan = plan_of(store, statements::delete_deliveries_of_payment, of_payment);
  INFO(deliveries_plan);
  if (sqlite) CHECK_THAT(deliveries_plan, Contains("deliveries_of_subject (merchant_id=? AND subject_id=?)"));
}

TEST_CASE("grants are found by their indexes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const bool sqlite = kind == store_kind::sqlite;
  std::vector<unit_of_work> units;
  for (int i = 0; i < 400; ++i) {
    unit_parts unit;
    const auto b = a_binding(std::to_string(i), "merch_" + std::to_string(i / 2), "plat_" + std::to_string(i % 2));
    unit.insert_binding = b;
    units.push_back(unit);
    units.push_back(consent_again(b, std::to_string(i) + "_again"));
  }
  for (const auto outcome : commit_units(*store.writer, units)) REQUIRE(outcome == commit_outcome::committed);
  const std::string_view merchant = "merch_1", platform = "plat_1", id = "grant_1";
  const std::int64_t before = to_unix_ms(at(100)), limit = 10;

  const cell of_id[] = {id, id};
  const auto id_plan = plan_of(store, statements::read_binding_of_grant, of_id);
  INFO(id_plan);
  CHECK_THAT(id_plan, sqlite ? Contains("SEARCH grants USING") && Contains("SEARCH past_grants USING")
                             : Contains("grants const grant_id") && Contains("past_grants const grant_id"));

  const cell all[] = {before, before, id, limit, before, before, id, limit, limit};
  const auto all_plan = plan_of(store, statements::read_grants, all);
  INFO(all_plan);
  const cell of_platform[] = {platform, before, before, id, limit, platform, before, before, id, limit, limit};
  const auto platform_plan = plan_of(store, statements::read_grants_of_platform, of_platform);
  INFO(platform_plan);
  const cell of_merchant[] = {merchant, before, before, id, limit, merchant, before, before, id, limit, limit};
  const auto merchant_plan = plan_of(store, statements::read_grants_of_merchant, of_merchant);
  INFO(merchant_plan);
  const cell of_both[] = {merchant, platform, before, before, id,    limit, merchant,
                          platform, before,   before, id,     limit, limit};
  const auto both_plan = plan_of(store, statements::read_grants_of_both, of_both);
  INFO(both_plan);
  if (sqlite) {
    CHECK_THAT(all_plan, Contains("SEARCH grants USING INDEX grants_by_age (granted_at<?)") &&
                             Contains("SEARCH past_grants USING INDEX past_grants_by_age (granted_at<?)"));
    CHECK_THAT(platform_plan,
               Contains("SEARCH grants USING INDEX grants_of_platform (platform_id=? AND granted_at<?)") &&
                   Contains("SEARCH past_grants USING INDEX past_grants_of_platform (platform_id=? AND granted_at<?)"));
    for (const auto& plan : {merchant_plan, both_plan})
      CHECK_THAT(plan, Contains("SEARCH grants USING PRIMARY KEY (merchant_id=?)") &&
                           Contains("SEARCH past_grants USING PRIMARY KEY (merchant_id=?)"));
  } else {
    CHECK_THAT(all_plan, Contains("\ngrants range grants_by_age") && Contains("past_grants range past_grants_by_age"));
    CHECK_THAT(platform_plan,
               Contains("grants range grants_of_platform") && Contains("past_grants range past_grants_of_platform"));
    for (const auto& plan : {merchant_plan, both_plan})
      CHECK_THAT(plan, Contains("\ngrants ref PRIMARY") && Contains("past_grants ref PRIMARY"));
  }
}

TEST_CASE("a session is found by its hash, and its person's merchants by the person") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  unit_parts unit;
  for (int i = 0; i < 400; ++i) {
    const auto n = std::to_string(i);
    unit.records.emplace_back(
        save_merchant{merchant_id{"merch_" + n}, entity_id{"ent"}, "Shop", merchant_kind::standard, "", at(0)});
    unit.records.emplace_back(save_user{user_id{"user_" + n}, n + "@example.com", "", at(0)});
    unit.records.emplace_back(
        save_membership{merchant_id{"merch_" + n}, user_id{"user_" + n}, member_role::owner, at(0)});
    unit.records.emplace_back(save_session{"hash_" + n, user_id{"user_" + n}, at(0), at(99)});
  }
  const unit_of_work whole = unit;
  REQUIRE(commit_units(*store.writer, {&whole, 1}).front() == commit_outcome::committed);
  const cell hash[] = {std::string_view{"hash_7"}};
  const auto plan = plan_of(store, statements::read_session, hash);
  INFO(plan);
  if (kind == store_kind::sqlite) {
    CHECK_THAT(plan, Contains("SEARCH s USING") && Contains("(session_hash=?)") && Contains("SEARCH p USING") &&
                         Contains("SEARCH m USING INDEX memberships_of_user (user_id=?)") && !Contains("SCAN"));
  } else {
    CHECK_THAT(plan, Contains("s const session_hash") && Contains("p const PRIMARY") &&
                         Contains("m ref memberships_of_user") && Contains("t eq_ref PRIMARY"));
  }
}

TEST_CASE("invitations are found by the merchant and by the person, without reading other persons") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  unit_parts unit;
  for (int i = 0; i < 400; ++i) {
    const auto n = std::to_string(i);
    const merchant_id merchant{"merch_" + n};
    const user_id user{"user_" + n};
    unit.records.emplace_back(save_user{user, n + "@example.com", "", at(0)});
    unit.records.emplace_back(
        save_invitation{{merchant, user, "i" + n, invited_by::owner, member_role::viewer, at(0), at(99)}});
  }
  const unit_of_work whole = unit;
  REQUIRE(commit_units(*store.writer, {&whole, 1}).front() == commit_outcome::committed);
  const bool sqlite = kind == store_kind::sqlite;
  const cell merchant[] = {std::string_view{"merch_7"}, std::string_view{"merch_7"}};
  const auto invited = plan_of(store, statements::read_invited_people_of, merchant);
  INFO(invited);
  if (sqlite)
    CHECK_THAT(invited, Contains("SEARCH people USING") && Contains("(merchant_id=?)") && !Contains("SCAN"));
  else
    CHECK_THAT(invited, Contains("invitations ref PRIMARY") && Contains("people eq_ref PRIMARY"));
  const cell user[] = {std::string_view{"user_7"}, std::int64_t{10}};
  const auto standing = plan_of(store, statements::read_invitations_of_user, user);
  INFO(standing);
  if (sqlite)
    CHECK_THAT(standing, Contains("SEARCH i USING INDEX invitations_of_user (user_id=?)") && !Contains("SCAN"));
  else
    CHECK_THAT(standing, Contains("p const PRIMARY") && Contains("i ref invitations_of_user"));
}

TEST_CASE("notifications are found by their indexes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const bool sqlite = kind == store_kind::sqlite;
  std::vector<unit_of_work> units;
  for (int i = 0; i < 400; ++i) {
    notification n;
    n.event_id = "evt_" + std::to_string(i);
    n.provider = provider_kind::stripe;
    n.key = notification_key(n.provider, environment::live, n.event_id);
    n.version = 1;
    n.received_at = at(i);
    n.state = i % 4 == 0 ? notification_state::waiting : notification_state::applied;
    (i % 4 == 0 ? n.due_at : n.settled_at) = at(i);
    unit_parts unit;
    unit.insert_notification = n;
    units.push_back(unit);
  }
  for (const auto outcome : commit_units(*store.writer, units)) REQUIRE(outcome == commit_outcome::committed);
  const std::string_view test = "test", live = "live", state = "waiting", id = "stripe:evt_7", any;
  const std::int64_t now = to_unix_ms(at(9)), limit = 10;

  const cell due[] = {now, limit};
  const auto due_plan = plan_of(store, statements::read_due_notifications, due);
  INFO(due_plan);
  if (sqlite)
    CHECK_THAT(due_plan, Contains("notifications_due (due_at") && !Contains("TEMP B-TREE"));
  else
    CHECK_THAT(due_plan, Contains("notifications range notifications_due") && !Contains("filesort"));

  const cell listed[] = {now, now, id, test, live, any, any, limit};
  const auto list_plan = plan_of(store, statements::read_notifications, listed);
  INFO(list_plan);
  if (sqlite)
    CHECK_THAT(list_plan, Contains("notifications_by_age (received_at<?)") && !Contains("TEMP B-TREE"));
  else
    CHECK_THAT(list_plan, Contains("notifications range notifications_by_age") && !Contains("filesort"));
  const cell of_state[] = {state, now, now, id, test, live, any, any, limit};
  const auto state_plan = plan_of(store, statements::read_notifications_of_state, of_state);
  INFO(state_plan);
  if (sqlite)
    CHECK_THAT(state_plan, Contains("notifications_by_state (state=? AND received_at<?)") && !Contains("TEMP B-TREE"));
  else
    CHECK_THAT(state_plan, Contains("notifications range notifications_by_state") && !Contains("filesort"));

  if (sqlite) {
    const auto purge_plan = plan_of(store, statements::purge_notifications, due);
    INFO(purge_plan);
    CHECK_THAT(purge_plan, Contains("INDEX notifications_settled (settled_at<?)") && !Contains("SCAN notifications"));
  }
}

TEST_CASE("subscriptions and enrollments are found by their indexes") {
  FOR_EACH_STORE(kind);
  migrated_store store{kind};
  const bool sqlite = kind == store_kind::sqlite;
  std::vector<unit_of_work> units;
  for (int i = 0; i < 400; ++i) {
    const auto n = std::to_string(i);
    subscription s;
    s.key = subscription_key(merchant_id{"merch_" + std::to_string(i % 4)}, environment::live, "s" + n);
    s.version = 1;
    s.provider_subscription_id = i % 2 == 0 ? "" : "sub_" + n;
    s.due_at = at(i);
    sandbox_enrollment e;
    e.key = {s.key.merchant, environment::live, entity_kind::enrollment, "sub_" + n};
    e.version = 1;
    e.due_at = at(i);
    unit_parts first, second;
    first.insert_subscription = s;
    second.insert_enrollment = e;
    units.push_back(first);
    units.push_back(second);
  }
  for (const auto outcome : commit_units(*store.writer, units)) REQUIRE(outcome == commit_outcome::committed);
  const std::string_view merchant = "merch_1", live = "live", id = "s7", provider_id = "sub_7";
  const std::int64_t now = to_unix_ms(at(9)), limit = 10;

  const cell due[] = {now, limit};
  const cell open[] = {now, to_unix_ms(at(3)), limit};
  for (const auto& plan :
       {plan_of(store, statements::read_due_subscriptions, due), plan_of(store, statements::read_due_enrollments, due),
        plan_of(store, statements::read_due_open_subscriptions, open)}) {
    INFO(plan);
    if (sqlite)
      CHECK_THAT(plan, Contains("_due (due_at") && !Contains("TEMP B-TREE"));
    else
      CHECK_THAT(plan, Contains("_due") && Contains(" range ") && !Contains("filesort"));
  }

  const cell by_id[] = {id, limit};
  const auto id_plan = plan_of(store, statements::read_subscription_keys_by_id, by_id);
  INFO(id_plan);
  CHECK_THAT(id_plan, sqlite ? Contains("subscriptions_by_id (subscription_id=?)")
                             : Contains("subscriptions ref subscriptions_by_id"));
  const cell by_provider_id[] = {provider_id, limit};
  const auto provider_plan = plan_of(store, statements::read_subscription_keys_by_provider_id, by_provider_id);
  INFO(provider_plan);
  CHECK_THAT(provider_plan, sqlite ? Contains("subscriptions_by_provider_id (provider_subscription_id=?)")
                                   : Contains("subscriptions ref subscriptions_by_provider_id"));
  const cell listed[] = {merchant, live, id, limit};
  const auto list_plan = plan_of(store, statements::read_subscriptions, listed);
  INFO(list_plan);
  if (sqlite)
    CHECK_THAT(list_plan,
               Contains("(merchant_id=? AND environment=? AND subscription_id>?)") && !Contains("TEMP B-TREE"));
  else
    CHECK_THAT(list_plan, Contains("subscriptions range PRIMARY") && !Contains("filesort"));
}
