// Merchants at work while the world breaks: client threads that take payments from creation to their end, each request
// under a key of its own and repeated until it is answered. What an outcome turns out to be that was unknown at first,
// they learn as a merchant would, by looking at the payment.
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
  std::int64_t amount = 0;     ///< minor units; of what it moves when it is approved
  std::string state;           ///< of the payment afterwards; `failed` if the provider declines
  reply answer;
  unsigned tries = 0;

  /// It was told that the provider's outcome is unknown.
  bool in_doubt() const { return answer.status == 502; }
};

/// All that a client did to one payment.
struct payment_story {
  std::string payment_id;
  std::int64_t amount = 0;
  std::vector<step> steps;

  std::string last_state() const { return steps.empty() ? "" : steps.back().state; }
  std::int64_t moved(const std::string& operation) const;
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
  /// Writes that were answered with an unknown outcome so far.
  std::uint64_t in_doubt() const { return in_doubt_; }
  /// Answers of 503 so far, and those among them without Retry-After.
  std::uint64_t unavailable() const { return unavailable_; }
  std::uint64_t without_retry_after() const { return without_retry_after_; }

  /// After stop().
  const std::vector<payment_story>& stories() const { return stories_; }
  /// What clients were told that neither a retry nor a look explains. After stop().
  const std::vector<std::string>& surprises() const { return surprises_; }

 private:
  struct client;
  void run(unsigned seed);

  const gateway_process& gateway_;
  merchant_account merchant_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> answered_{0}, repeated_{0}, in_doubt_{0}, unavailable_{0}, without_retry_after_{0};
  std::mutex guard_;
  std::vector<payment_story> stories_;
  std::vector<std::string> surprises_;
  std::vector<std::thread> clients_;
};

}  // namespace gateway::e2e
