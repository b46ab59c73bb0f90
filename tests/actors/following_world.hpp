// A world whose merchant is connected to an external provider, which the sandbox replaces. The test sets the provider's
// answers about its payments.
#pragma once

#include <algorithm>
#include <map>

#include "gateway/domain/provider_truth.hpp"
#include "world.hpp"

namespace gateway::testing {

class following_world : public world {
 public:
  explicit following_world(failing_store_ptr rows = std::make_shared<failing_store>())
      : world{std::move(rows), patient()} {
    published().publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
    auto who = demo_merchant();
    who.connections = {{environment::test, provider_kind::stripe, connection_status::connected, "acct_1"}};
    who.routes = {{environment::test, provider_kind::stripe, 1, {}, {payment_method_kind::card}}};
    publish(who);
  }

  /// Sets the answer to all further inquiries.
  void provider_says(provider_truth truth) {
    provider_result said;
    said.status = provider_status::approved;
    said.truth = std::make_shared<const provider_truth>(std::move(truth));
    calls().says = std::move(said);
  }
  void provider_does_not_say() { calls().says = provider_result{provider_status::unknown, {}, {}, {}}; }

  static provider_truth charged(charge_state charge, std::int64_t captured = 0) {
    provider_truth truth;
    truth.charge = charge;
    truth.captured = captured;
    truth.charge_ref = "ch_there";
    truth.lists_refunds = true;
    return truth;
  }
  /// With the refunds that the gateway knows, as a provider would list them.
  provider_truth captured_with(std::string_view id, std::vector<provider_refund> more = {}) {
    const auto p = read(id);
    auto truth = charged(charge_state::captured, p->captured);
    for (const auto& each : p->records.refunds)
      truth.refunds.push_back({each.provider_ref, each.amount, each.status, each.failure_code, each.created_at});
    std::ranges::move(more, std::back_inserter(truth.refunds));
    return truth;
  }

  static settings patient() {
    auto config = unhurried();
    config.provider_timeout = 10s;
    return config;
  }

  /// The answer to an inquiry that a notification causes.
  std::string ask_provider_of(std::string_view id) {
    return ask({key_of(id), std::nullopt, payment_command{ask_provider{}}});
  }
  std::string settle_as(std::string_view id, bool approved) {
    return ask({key_of(id), std::nullopt, payment_command{settle_payment{approved, "the bank says so"}}});
  }
  std::string record(std::string_view id, std::int64_t amount, std::string reference) {
    return ask({key_of(id), std::nullopt, payment_command{record_refund{amount, std::move(reference), "by hand"}}});
  }
  payment stored(std::string_view id) { return rows().payments.at(memory_store::id(key_of(id))); }
};

/// `captured 4200`, in order.
inline std::vector<std::string> ledger_of(const failing_store& rows) {
  std::vector<std::string> lines;
  for (const auto& [key, entry] : rows.ledger)
    lines.push_back(std::string{to_string(entry.what)} + " " + std::to_string(entry.amount.minor));
  return lines;
}

/// `capture provider`: each entry's name and who caused it.
inline std::vector<std::string> origins_of(const failing_store& rows, std::string_view id) {
  std::vector<std::string> lines;
  for (const auto& [seq, entry] : rows.timelines.at(memory_store::id(world::key_of(id))))
    lines.push_back(entry.operation + " " + std::string{to_string(entry.by)});
  return lines;
}

inline std::string act_on(world& w, std::string_view id, sandbox_act_kind what, std::int64_t amount = 0,
                          std::string refund_id = {}) {
  return w.ask(
      {world::key_of(id), std::nullopt, payment_command{act_in_sandbox{{what, amount, std::move(refund_id), {}}}}});
}

}  // namespace gateway::testing
