// Values for the store's tests.
#pragma once

#include <string>

#include "gateway/ports/store/store.hpp"
#include "tests/memory_store/unit_parts.hpp"

namespace gateway::persistence::test {

using testing::binding_in;
using testing::customer_in;
using testing::enrollment_in;
using testing::notification_in;
using testing::payment_in;
using testing::subscription_in;
using testing::unit_parts;

inline constexpr std::int64_t start_ms = 1'790'000'000'123;

inline time_point at(std::int64_t offset_ms) { return from_unix_ms(start_ms + offset_ms); }

inline entity_key key_of(const std::string& id, const std::string& merchant = "merch_1") {
  return payment_key(merchant_id{merchant}, environment::test, payment_id{"pay_" + id});
}

inline payment a_payment(const std::string& id) {
  payment p;
  p.key = key_of(id);
  p.version = 1;
  p.amount = {4200, *currency::parse("HKD")};
  p.account = "acct_1";
  p.created_at = at(0);
  p.updated_at = at(0);
  p.details.payment_method = "pm_card_visa";
  p.details.made_by = platform_id{"plat_1"};
  return p;
}

/// The payment as captured, one version later.
inline payment captured(payment p) {
  p.version += 1;
  p.state = payment_state::captured;
  p.status = provider_status::approved;
  p.captured = p.amount.minor;
  p.captured_at = at(50);
  p.updated_at = at(50);
  return p;
}

inline command_key command_key_of(const std::string& key) {
  return {merchant_id{"merch_1"}, environment::test, "", key};
}

inline command_record a_command(const std::string& key, const std::string& payment = "1") {
  command_record c;
  c.key = command_key_of(key);
  c.fingerprint = std::string(64, 'a');
  c.subject_id = "pay_" + payment;
  c.amount = 4200;
  c.created_at = at(0);
  return c;
}

inline command_finish a_finish(const std::string& key, std::string body = R"({"state":"captured"})") {
  return {command_key_of(key), std::make_shared<const answer>(answer{200, std::move(body)}), at(50)};
}

inline timeline_entry an_attempt(std::uint32_t seq) {
  timeline_entry e;
  e.seq = seq;
  e.operation = "authorize";
  e.status = "approved";
  e.occurred_at = at(seq);
  return e;
}

inline timeline_entry an_event(std::uint32_t seq) {
  timeline_entry e;
  e.seq = seq;
  e.kind = timeline_kind::event;
  e.operation = "payment.captured";
  e.status = "published";
  e.occurred_at = at(seq);
  e.event_id = "evt_" + std::to_string(seq);
  e.event_data = R"({"amount":4200})";
  return e;
}

/// What a create does before its provider is called: the key and the payment.
inline unit_parts begin_unit(const std::string& id) {
  unit_parts unit;
  unit.insert_command = a_command("key-" + id, id);
  unit.insert_payment = a_payment(id);
  return unit;
}

/// What a create does after its provider was called: the payment's change, the result and the timeline.
inline unit_parts finish_unit(const std::string& id) {
  unit_parts unit;
  unit.update_payment = captured(a_payment(id));
  unit.finish_command = a_finish("key-" + id);
  unit.entries = {an_attempt(1), an_event(2)};
  return unit;
}

inline grant a_grant(const std::string& id) {
  grant g;
  g.id = grant_id{"grant_" + id};
  g.scopes = *parse_scopes("payments:write payments:read");
  g.given_by = user_id{"user_1"};
  g.granted_at = at(0);
  return g;
}

/// A binding as it is first stored, with a grant of that name.
inline grant_binding a_binding(const std::string& id, const std::string& merchant = "merch_1",
                               const std::string& platform = "plat_1") {
  grant_binding b;
  b.key = binding_key(merchant_id{merchant}, environment::test, platform_id{platform});
  b.version = 1;
  b.newest = a_grant(id);
  return b;
}

/// The binding after a revoke and another consent, one version later; its earlier grant is a past one.
inline unit_parts consent_again(grant_binding b, const std::string& id) {
  unit_parts unit;
  past_grant past{b.key, *b.newest};
  past.what.revoked_at = at(20);
  past.what.revoke_reason = "moved away";
  unit.past_grants.push_back(std::move(past));
  b.version += 1;
  b.newest = a_grant(id);
  b.newest->granted_at = at(30);
  unit.update_binding = std::move(b);
  return unit;
}

}  // namespace gateway::persistence::test
