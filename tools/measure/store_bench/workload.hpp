// The units of work of creates as the actors write them for the requests of tools/bench: one merchant, and for each
// create a new idempotency key and payment. The payment is approved at once, which causes no event.
#pragma once

#include <memory>
#include <string>

#include "gateway/base/crypto.hpp"
#include "gateway/store.hpp"

namespace gateway::store_bench {

class workload {
 public:
  explicit workload(time_point now) : now_(now) {}

  /// The unit before the call of the provider: the key and the payment.
  unit_of_work begin(int i) const {
    auto p = std::make_shared<const payment>(claimed(i));
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

  /// The unit after the call: the changed payment, the answer and the attempt.
  unit_of_work finish(int i) const {
    auto p = claimed(i);
    unit_of_work unit{unit_kind::finish, p.key, {}, {}};
    unit.claims.emplace_back(command_finish{p.open->command, result_, now_});
    p.version = 2;
    p.open.reset();
    p.due_at.reset();
    p.state = payment_state::authorized;
    p.status = provider_status::approved;
    p.provider_ref = "ch_" + std::to_string(10'000'000'000'000'000 + i);
    p.next_seq = 2;
    for (const auto& added : totals_of(nullptr, p))
      unit.inserts.emplace_back(count_daily{p.key.merchant, p.key.env, added});
    unit.claims.emplace_back(std::make_shared<const payment>(std::move(p)));
    timeline_entry attempt;
    attempt.seq = 1;
    attempt.operation = "authorize";
    attempt.status = "approved";
    attempt.occurred_at = now_;
    unit.inserts.emplace_back(std::move(attempt));
    return unit;
  }

  /// A finished command, whose key is to be purged once it is old enough.
  unit_of_work old_key(int i) const {
    const auto p = claimed(i);
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
  payment claimed(int i) const {
    const auto number = std::to_string(i);
    payment p;
    p.key = payment_key(merchant_id{"merch_0123456789abcdef0123"}, environment::test,
                        payment_id{"pay_" + run_ + '_' + number});
    p.version = 1;
    p.amount = {4200, *currency::parse("HKD")};
    p.account = "acct_sandbox";
    p.open = open_operation{{p.key.merchant, p.key.env, "", key_of(p.key.id)}, operation::create, 4200, false, 0};
    p.due_at = now_ + std::chrono::seconds{60};
    p.created_at = p.updated_at = now_;
    p.details.payment_method = "pm_card_visa";
    p.details.description = "Two books";
    p.details.metadata = {{"order", number}};
    return p;
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
