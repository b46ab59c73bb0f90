// A gateway beside the stand-in for JazzCash, and customers who go through both while either is killed.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "jazzcash_process.hpp"
#include "merchant.hpp"

namespace gateway::e2e {

using lines = std::vector<std::string>;

struct wallet_scene {
  jazzcash_process wallet;
  gateway_process gateway;
  merchant_account account;

  /// Customers have 6 of the 8 seconds to pay; the rest allows for clocks that differ.
  explicit wallet_scene(store_kind store);
};

/// One payment, as its merchant and its customer know it.
struct wallet_visit {
  std::string id;
  std::int64_t amount = 0;
  call made;                  ///< the call of the create
  std::string body;           ///< its body
  std::optional<reply> reported;  ///< its answer
  std::string ref;            ///< pp_TxnRefNo of the page; empty if it was never opened
  lines shown;                ///< where the customer was sent after coming back: `thanks`, `basket`, `confirming`
};

/// Customers, each of whom buys again and again: some pay, some decline, some leave, on every page. Occasionally they
/// set a fault for the wallet's next inquiries, or get their money back from the wallet.
class shoppers {
 public:
  shoppers(wallet_scene& on, int count, unsigned seed);
  ~shoppers() { stop(); }

  void stop();
  /// The number of finished visits.
  std::size_t done() const { return done_; }
  /// Call after the customers are stopped.
  const std::vector<wallet_visit>& visits() const { return visits_; }
  /// Answers that no step may give, whichever process is killed.
  const lines& surprises() const { return surprises_; }

 private:
  using dice = std::mt19937;

  void run(unsigned seed);
  std::optional<reply> persist(const wallet_visit& of);
  void walk(wallet_visit& of, dice& random);
  void come_back(wallet_visit& of, wallet_customer at, dice& random);
  void trouble(dice& random);
  void reverse(const wallet_visit& of);
  bool reached(const wallet_visit& of, const std::string& what, int status, std::initializer_list<int> known);
  void surprise(const wallet_visit& of, const std::string& what);

  wallet_scene& on_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> done_{0};
  std::mutex guard_;
  std::vector<wallet_visit> visits_;
  lines surprises_;
  std::vector<std::thread> threads_;
};

}  // namespace gateway::e2e
