// Shared by the crash tests of Stripe: requests that are repeated until they are answered, what happens at Stripe
// without the gateway, and the payments as Stripe has them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "stripe_fixture.hpp"

namespace gateway::e2e {

/// Sends a write under one key until it has a final answer; nothing if it has none within two minutes.
std::optional<reply> final_answer(const gateway_process& gateway, const credentials& key, const std::string& target,
                                  const std::string& body);

/// The stand-in's setting `faults`: every kind of fault except those that take a day to settle.
std::string random_faults(unsigned seed);

/// Acts on an account's newest payments at Stripe until it is stopped, as its dashboard, banks and time do: captures in
/// full and in part, cancels, expiries, late payments, refunds that succeed, wait or fail, and disputes. Stripe posts
/// no event about half of this.
class outside_events {
 public:
  outside_events(const stripe_process& stripe, std::string account, unsigned seed);
  ~outside_events() { stop(); }

  void stop();
  std::size_t count() const { return count_; }
  /// How many there were of each act. Call after stop().
  const std::map<std::string, int>& by_act() const { return by_act_; }

 private:
  void run();
  void act_on_newest();
  std::vector<json> newest(const std::string& kind) const;
  const json* any_of(const std::vector<json>& all);
  std::optional<object> act_on_payment(const json& intent);
  std::optional<object> act_on_refund(const json& refund);
  std::optional<object> act_on_dispute(const json& dispute);
  void attempt(object what);
  /// A number from 0 to `below` - 1.
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::int64_t part_of(std::int64_t amount);

  const stripe_process& stripe_;
  const std::string account_;
  std::mt19937 random_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> count_{0};
  std::map<std::string, int> by_act_;
  std::thread thread_;
};

/// A refund or a dispute at Stripe.
struct movement_at_stripe {
  std::string id;
  std::int64_t amount = 0;
  std::string status;  ///< the gateway's word for it
  bool by_gateway = false;  ///< the gateway requested it
  std::vector<std::int64_t> balance;  ///< disputes: each movement of the account's balance

  std::int64_t net() const;
};

struct payment_at_stripe {
  std::string payment;  ///< the gateway's id
  std::string intent;
  std::string status;  ///< of the intent; empty if Stripe has none
  std::int64_t captured = 0;
  std::vector<movement_at_stripe> refunds;  ///< of what was captured
  std::vector<movement_at_stripe> disputes;

  std::int64_t refunded() const;
  /// The amount of the disputes with one of these statuses.
  std::int64_t disputed(const std::vector<std::string>& statuses) const;
};

/// The account's payments, in order of their payment intents. Stripe must be up, and without faults.
std::vector<payment_at_stripe> payments_at(const stripe_process& stripe, const std::string& account);

}  // namespace gateway::e2e
