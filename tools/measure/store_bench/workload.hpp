// The units of work of creates as the actors write them for the requests of tools/bench: one merchant, and for each
// create a new idempotency key and payment. The payment is approved at once, which causes no event. The payment's own
// state machine makes the rows, so that they equal those of a real create.
#pragma once

#include <memory>
#include <string>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/ports/store/store.hpp"

namespace gateway::store_bench {

class workload {
 public:
  explicit workload(time_point now) : now_(now) {}

  /// The unit before the call of the provider: the key and the payment.
  unit_of_work begin(int i) const {
    auto p = std::make_shared<const payment>(begun(i));
    command_record command;
    command.key = p->open->command;
    command.fingerprint = std::string(64, 'f');
    command.subject_id = p->key.id;
    command.amount = p->amount.minor;
    command.created_at = now_;
    unit_of_work unit{unit_kind::begin, p->key, {}, {}};
    unit.inserts.emplace_back(std::move(command));
    unit.inserts.emplace_back(std::move(p));
    return unit;
  }

  /// The unit after the call: the state machine's result for an approval, and the answer.
  unit_of_work finish(int i) const {
    const auto before = begun(i);
    provider_result approved;
    approved.status = provider_status::approved;
    approved.provider_ref = "ch_" + std::to_string(10'000'000'000'000'000 + i);
    auto change = conclude(before, approved, now_, {});
    unit_of_work unit{unit_kind::finish, before.key, {}, {}};
    unit.claims.emplace_back(command_finish{before.open->command, result_, now_});
    const auto moved = movements_of(&before, change.next);
    for (const auto& each : moved) unit.inserts.emplace_back(entry_of(each, change.next, change.movement_ref));
    for (const auto& added : totals_of(&before, change.next, moved))
      unit.inserts.emplace_back(count_daily{before.key.merchant, before.key.env, added});
    for (auto& entry : change.entries) unit.inserts.emplace_back(std::move(entry));
    unit.claims.emplace_back(std::make_shared<const payment>(std::move(change.next)));
    return unit;
  }

  /// A finished command, whose key is to be purged once it is old enough.
  unit_of_work old_key(int i) const {
    const auto p = begun(i);
    command_record command;
    command.key = {p.key.merchant, p.key.env, "", key_of("old " + p.key.id)};
    command.fingerprint = std::string(64, 'f');
    command.subject_id = p.key.id;
    command.amount = p.amount.minor;
    command.created_at = now_;
    command.result = *result_;
    command.finished_at = now_;
    unit_of_work unit{unit_kind::conclude, p.key, {}, {}};
    unit.inserts.emplace_back(std::move(command));
    return unit;
  }

 private:
  payment begun(int i) const {
    const auto number = std::to_string(i);
    const auto key = payment_key(merchant_id{"merch_0123456789abcdef0123"}, environment::test,
                                 payment_id{"pay_" + run_ + '_' + number});
    create_payment wanted;
    wanted.amount = {4200, *currency::parse("HKD")};
    wanted.details.payment_method = "pm_card_visa";
    wanted.details.description = "Two books";
    wanted.details.metadata = {{"order", number}};
    route_choice way;
    way.account = "acct_sandbox";
    return begin_payment(key, wanted, way, {key.merchant, key.env, "", key_of(key.id)}, now_, {});
  }

  /// Like a UUID, spread over the whole range, so that new keys fall between existing ones.
  static std::string key_of(const std::string& payment) {
    const auto digest = crypto::hex(crypto::sha256(payment));
    return digest.substr(0, 8) + '-' + digest.substr(8, 4) + "-8" + digest.substr(12, 3) + "-8" + digest.substr(15, 3) +
           '-' + digest.substr(18, 12);
  }

  time_point now_;
  std::string run_ = crypto::random_hex(4);
  answer_ptr result_ = std::make_shared<const answer>(answer{
      200,
      R"({"payment_id":"pay_0123abcd_12345","state":"authorized","amount":4200,"currency":"HKD","provider":{"provider":"sandbox",)"
      R"("provider_ref":"ch_10000000000000000","status":"approved"},"next_action":null})"});
};

}  // namespace gateway::store_bench
