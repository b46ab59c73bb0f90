// What a provider does to its payments on its own, at any moment: refunds, captures and cancels in its dashboard,
// authorizations that expire, refunds that succeed or fail later, disputes, and customers who pay after all.
#pragma once

#include <optional>
#include <vector>

#include "checkouts.hpp"
#include "customers.hpp"
#include "journal.hpp"
#include "promises.hpp"
#include "provider_payments.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

class provider_acts {
 public:
  provider_acts(provider_payments& payments, checkouts& pages, promises& all, customer_promises& customers,
                const virtual_time& time, random_source& random, journal& log)
      : payments_{payments}, pages_{pages}, all_{all}, customers_{customers}, time_{time}, random_{random}, log_{log} {}

  /// Something happens to one of the payments, if anything can. Returns to which.
  std::optional<entity_key> act();
  /// Something happens to this one, if anything can, and there is no notification of it.
  void act_on(const entity_key& which);

 private:
  enum class happening : unsigned char {
    capture,
    capture_part,
    cancel,
    expire,
    refund,
    settle_refund,
    fail_refund,
    dispute,
    warn,
    change_dispute,
    win_dispute,
    lose_dispute,
    pay_late,
  };

  static std::vector<happening> possible(const payment_there& of);
  bool act_on(payment_there& one);
  void happen(happening what, payment_there& one);
  void capture(payment_there& one, std::int64_t amount);
  void end(payment_there& one, charge_state as);
  void refund(payment_there& one);
  void settle_refund(payment_there& one);
  void fail_refund(payment_there& one);
  void open_dispute(payment_there& one, dispute_status as);
  void change_dispute(payment_there& one);
  void close_dispute(payment_there& one, dispute_status as);
  void pay_late(payment_there& one);
  void tell(const payment_there& one, std::string_view what, std::int64_t amount = 0);

  provider_payments& payments_;
  checkouts& pages_;
  promises& all_;
  customer_promises& customers_;
  const virtual_time& time_;
  random_source& random_;
  journal& log_;
};

}  // namespace gateway::simulation
