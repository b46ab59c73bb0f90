// Merchants at work while the world breaks: client threads that take payments from creation to their end, each
// request under a key of its own and repeated until it is answered; and the audit of what remains afterwards.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gateway_process.hpp"
#include "merchant.hpp"

namespace gateway::e2e {

/// One write, and what its client was told in the end.
struct step {
  std::string operation;  ///< create, capture, refund, void
  std::string target;
  std::string body;
  std::string key;
  std::string expected;   ///< as `told` puts it
  reply answer;
  unsigned tries = 0;
};

/// All that a client did to one payment.
struct payment_story {
  std::string payment_id;
  std::vector<step> steps;
  std::string last_state;
  std::int64_t refunded = 0;  ///< minor units, as told
};

class load {
 public:
  /// Starts the clients.
  load(const gateway_process& gateway, merchant_account merchant, int clients, unsigned seed);
  ~load();
  load(const load&) = delete;
  load& operator=(const load&) = delete;

  /// Lets every client finish the payment in its hands, and ends them.
  void stop();
  /// Writes answered for good so far.
  std::uint64_t answered() const { return answered_; }
  /// Requests that had to be sent again so far: the connection broke, or they were told to come back.
  std::uint64_t repeated() const { return repeated_; }
  /// Answers of 503 so far, and those among them without Retry-After.
  std::uint64_t unavailable() const { return unavailable_; }
  std::uint64_t without_retry_after() const { return without_retry_after_; }

  /// After stop().
  const std::vector<payment_story>& stories() const { return stories_; }
  /// What clients were told that no retry explains. After stop().
  const std::vector<std::string>& surprises() const { return surprises_; }

 private:
  struct client;
  void run(unsigned seed);

  const gateway_process& gateway_;
  merchant_account merchant_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> answered_{0}, repeated_{0}, unavailable_{0}, without_retry_after_{0};
  std::mutex guard_;
  std::vector<payment_story> stories_;
  std::vector<std::string> surprises_;
  std::vector<std::thread> clients_;
};

/// Holds what the clients were told against the gateway's answers now, the provider's ledger and the rows on disk.
/// Answers with every promise that was broken; empty is good.
std::vector<std::string> audit(const gateway_process& gateway, const merchant_account& merchant, const std::vector<payment_story>& stories);

}  // namespace gateway::e2e
