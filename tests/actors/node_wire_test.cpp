// Messages between nodes: read whole, or not at all.
#include <catch2/catch.hpp>

#include <random>

#include "nodes/wire.hpp"

using namespace gateway;
using namespace gateway::actors;

namespace {

const time_point at = from_unix_ms(1'790'000'000'123);

entity_key key() { return {merchant_id{"merch_1"}, environment::live, entity_kind::payment, "pay_1"}; }

idempotency write() { return {{merchant_id{"merch_1"}, environment::live, "plat_1", "key"}, "fingerprint"}; }

payment_details details() {
  payment_details d{"pm_card_visa", "https://a.example", "", "Größe", "a@b.example", "N", "0300", true, {{"k", "v"}}};
  return d;
}

payment a_payment() {
  payment p;
  p.key = key();
  p.version = 7;
  p.state = payment_state::partially_refunded;
  p.amount = {4200, *currency::parse("HKD")};
  p.account = "acct";
  p.hides_provider = true;
  p.error = provider_error{error_category::risk, "code", "message", true, false};
  p.captured = 4200;
  p.refunded = 12;
  p.captured_at = at;
  p.open = open_operation{write().key, operation::refund, 12, true, 3, 6, at, "process", "worn", true};
  p.due_at = at;
  p.customer = payment_customer{platform_id{"plat_1"}, "ref", "cus", true, false, "pm"};
  p.details = details();
  p.created_at = p.updated_at = at;
  p.handed_over_at = at;
  p.records.refunds = {{"re_1", 12, refund_status::pending, entry_origin::portal, at, "worn", "", "r1"},
                       {"re_2", 13, refund_status::failed, entry_origin::operator_, at, "", "no", ""}};
  p.records.disputes = {{"dp_1", 100, "fraudulent", dispute_status::under_review, at, at, {}, "d1"},
                        {"dp_2", 200, "", dispute_status::lost, {}, at, at, "d2"}};
  p.records.acts = {{sandbox_act_kind::refund_fail, 7, "re_1", at}};
  p.records.void_reason = "requested";
  p.records.paid_late = true;
  return p;
}

subscription_notification a_notification() {
  subscription_notification n;
  n.event_id = "evt_1";
  n.at = at;
  n.sequence = 9;
  n.provider_subscription_id = "sub_1";
  n.state.amount = {100, *currency::parse("EUR")};
  n.state.metadata = {{"a", "b"}};
  n.invoice.emplace().id = "in_1";
  return n;
}

erasure an_erasure() {
  delivery d;
  d.id = 7;
  d.subject = key();
  d.last = delivery_attempt{at, attempt_result::gone, 410, 12, "", std::nullopt};
  d.earlier = {*d.last};
  return {3, {{erased_column::answer, key(), 2, "plat_1", "key-1", "{}"}}, {std::move(d)}};
}

/// One of each command.
std::vector<entity_command> commands() {
  const wanted_customer customer{platform_id{"plat_1"}, "ref", true, false};
  cycle_charge cycle;
  cycle.payment = key();
  cycle.invoice.id = "in_1";
  cycle.metadata = {{"m", "n"}};
  cycle.at = at;
  sandbox_subscription sandbox;
  sandbox.key = key();
  sandbox.clock_offset = duration_ms{-5};
  sandbox.ended_at = at;
  return {common_command{view_entity{}},
          common_command{view_timeline{}},
          common_command{settle_due{}},
          payment_command{create_payment{{4200, *currency::parse("JPY")}, flow::redirect, true, customer, details()}},
          payment_command{capture_payment{7}},
          payment_command{refund_payment{12, "reason"}},
          payment_command{void_payment{"reason"}},
          payment_command{cancel_payment{"reason"}},
          payment_command{settle_payment{true, "reason"}},
          payment_command{record_refund{7, "reference", "reason"}},
          payment_command{act_in_sandbox{{sandbox_act_kind::refund_fail, 7, "re_1", at}}},
          payment_command{charge_saved{{1, *currency::parse("USD")}, customer, details()}},
          payment_command{hosted_result{hosted_signal::declined, "cs_1", "pm_1"}},
          payment_command{cycle},
          payment_command{ask_provider{}},
          payment_command{erase_payment_data{an_erasure()}},
          payment_command{settle_payment{true, "reason"}},
          payment_command{record_refund{12, "reference", "reason"}},
          payment_command{act_in_sandbox{{sandbox_act_kind::dispute_open, 7, "re_1", at}}},
          grant_command{give_consent{grant_id{"grant_1"}, {5}, user_id{"user_1"}, false, "hash", "https://x"}},
          grant_command{exchange_code{platform_id{"plat_1"}, "hash", "https://x"}},
          grant_command{revoke_request{{grant_id{"grant_1"}, "why"}, true}},
          customer_command{record_customer{platform_id{"plat_1"}, "ref", provider_kind::sandbox, "cus", "pm"}},
          subscription_command{open_subscription_checkout{platform_id{"plat_1"},
                                                          {100, *currency::parse("EUR")},
                                                          {billing_interval::year, 2},
                                                          {"ref", 7, "", "", ""},
                                                          {{"a", "b"}},
                                                          "cus"}},
          subscription_command{cancel_subscription{}},
          subscription_command{expire_subscription_checkout{}},
          subscription_command{a_notification()},
          subscription_command{erase_subscription_data{an_erasure()}},
          enrollment_command{open_enrollment{sandbox}},
          enrollment_command{close_enrollment{true}},
          enrollment_command{pay_enrollment{}},
          enrollment_command{approve_enrollment{true}},
          enrollment_command{move_enrollment{sandbox_move::cycle_paid, {3, true}, 950}},
          enrollment_command{erase_enrollment_data{}},
          notification_command{receive_notification{provider_kind::stripe, "evt_1", "type", "acct_1", "{}"}},
          notification_command{replay_notification{}}};
}

std::vector<entity_reply> replies() {
  subscription s;
  s.key = key();
  s.state.amount = {100, *currency::parse("EUR")};
  s.known = history_position{at, 3, notification_kind::deleted, "evt"};
  s.waiting = {a_notification(), a_notification()};
  s.open = open_subscription_operation{write().key, subscription_operation::cancel, false, 1, 2, at, "process"};
  grant_binding binding{key(), 3, grant{grant_id{"grant_1"}, {1}, user_id{"user_1"}, at, at, "why"}, {{"h", "u", at}}};
  customer who{key(), 2, platform_id{"plat_1"}, "ref", provider_kind::sandbox, "cus", {"pm_1", "pm_2"}, at};
  sandbox_enrollment enrollment;
  enrollment.undelivered = {a_notification()};
  notification stored;
  stored.key = notification_key(provider_kind::stripe, environment::live, "evt_1");  // it has no merchant
  stored.body = "{}";
  stored.due_at = at;
  timeline_view timeline{key(),
                         true,
                         provider_kind::sandbox,
                         {{1, timeline_kind::event, "o", "s", "e", "m", at, "i", "{}", entry_origin::operator_}}};
  return {{finished{std::make_shared<const answer>(answer{201, "{\"a\":1}"}), true}},
          {problem::overloaded},
          {entity_row{std::make_shared<const payment>(a_payment())}},
          {entity_row{std::make_shared<const grant_binding>(binding)}},
          {entity_row{std::make_shared<const customer>(who)}},
          {entity_row{std::make_shared<const subscription>(s)}},
          {entity_row{std::make_shared<const sandbox_enrollment>(enrollment)}},
          {entity_row{std::make_shared<const notification>(stored)}},
          {std::make_shared<const timeline_view>(timeline)}};
}

}  // namespace

TEST_CASE("node wire: every request arrives unchanged, except for its admission") {
  for (const auto& command : commands())
    for (const bool writes : {false, true}) {
      entity_request request{key(), std::nullopt, command};
      if (writes) request.write = write();
      if (writes) request.by = asked_by{key_id{"mk_1"}, platform_id{"plat_1"}, scope::refunds_write};
      request.admission = std::make_shared<int>(1);
      request.request_id = "req_1";
      request.trace = {{0x4bf92f3577b34da6, 0xa3ce929d0e0e4736}, 0x00f067aa0ba902b7, 1, writes};
      request.traced_from = 1'795'167'000'000'000'001;
      const auto bytes = packed(request);
      const auto arrived = unpacked_request(bytes);
      REQUIRE(arrived);
      CHECK(packed(*arrived) == bytes);
      CHECK(arrived->key == key());
      CHECK(arrived->what.index() == command.index());
      CHECK(arrived->write.has_value() == writes);
      CHECK_FALSE(arrived->admission);
      CHECK(arrived->request_id == "req_1");
      CHECK(arrived->trace == request.trace);
      CHECK(arrived->traced_from == request.traced_from);
    }
}

TEST_CASE("node wire: every reply arrives unchanged") {
  for (const auto& reply : replies()) {
    const auto bytes = packed(reply);
    const auto arrived = unpacked_reply(bytes);
    REQUIRE(arrived);
    CHECK(packed(*arrived) == bytes);
    CHECK(arrived->what.index() == reply.what.index());
  }
  const auto arrived = unpacked_reply(packed(replies()[2]));
  CHECK(*std::get<payment_ptr>(std::get<entity_row>(arrived->what)) == a_payment());
}

TEST_CASE("node wire: truncated, overlong or malformed bytes are no request and no reply") {
  std::minstd_rand random{7};
  for (const auto& command : commands()) {
    const auto bytes = packed(entity_request{key(), write(), command, {}, asked_by{}});
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK_FALSE(unpacked_request(std::string_view{bytes}.substr(0, size)));
    CHECK_FALSE(unpacked_request(bytes + 'x'));
    for (int i = 0; i < 200; ++i) {
      auto spoilt = bytes;
      spoilt[random() % spoilt.size()] = static_cast<char>(random());
      unpacked_request(spoilt);  // whatever the result: no read outside the bytes, and no large allocation
    }
  }
  for (const auto& reply : replies()) {
    const auto bytes = packed(reply);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK_FALSE(unpacked_reply(std::string_view{bytes}.substr(0, size)));
  }
}

TEST_CASE("node wire: a number outside an enumeration is no request and no reply") {
  const auto request = packed(entity_request{key(), write(), commands().front(), {}, asked_by{}});
  // After the merchant's id and its length come the environment and the kind.
  const auto env_at = sizeof(std::uint32_t) + key().merchant.value.size(), kind_at = env_at + 1;
  const auto with = [](std::string bytes, std::size_t at, unsigned value) {
    bytes.at(at) = static_cast<char>(value);
    return bytes;
  };
  REQUIRE(unpacked_request(request));
  for (unsigned value = 0; value < 256; ++value) {
    CAPTURE(value);
    CHECK(unpacked_request(with(request, env_at, value)).has_value() == (value <= 1));
    CHECK(unpacked_request(with(request, kind_at, value)).has_value() == (value <= 5));
  }
  const auto reply = packed(entity_reply{problem::payment_not_found});
  REQUIRE(unpacked_reply(reply));
  std::size_t taken = 0;
  for (unsigned value = 0; value < 256; ++value)
    taken += unpacked_reply(with(reply, reply.size() - 1, value)).has_value();
  CHECK(taken > 1);
  CHECK(taken < 64);
}

TEST_CASE("node wire: the version is the same in every run of a program") {
  CHECK(message_version() == message_version());
  CHECK(message_version() != 0);
}
