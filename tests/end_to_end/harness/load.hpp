// Merchants at work during crashes: client threads that take payments from creation to their end. Each request has a
// key of its own and is repeated until it is answered. When an outcome is unknown, the client learns it by reading the
// payment.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gateway_process.hpp"
#include "merchant.hpp"

namespace gateway::e2e {

/// One write and its final answer.
struct step {
  std::string operation;  ///< create, capture, refund, void
  std::string target;
  std::string body;
  std::string key;
  std::int64_t amount = 0;     ///< minor units that an approved step moves
  std::string state;           ///< the payment's state afterwards; `failed` if the provider declines
  reply answer;
  unsigned tries = 0;
  std::chrono::steady_clock::time_point began = {}, answered_at = {};  ///< the first try, and the answer

  /// The answer was that the provider's outcome is unknown.
  bool in_doubt() const { return answer.status == 502; }
};

/// All writes of a client to one payment.
struct payment_record {
  std::string payment_id;
  std::int64_t amount = 0;
  std::vector<step> steps;

  std::string last_state() const { return steps.empty() ? "" : steps.back().state; }
  std::int64_t moved(const std::string& operation) const;
};

/// The longest time between `from` and `until` in which no request was answered, repetitions aside.
std::chrono::steady_clock::duration longest_silence(const std::vector<payment_record>& records,
                                                    std::chrono::steady_clock::time_point from,
                                                    std::chrono::steady_clock::time_point until);

class load {
 public:
  /// Starts the clients.
  load(const gateway_process& gateway, merchant_account merchant, int clients, unsigned seed)
      : load{std::vector{&gateway}, std::move(merchant), clients, seed} {}
  /// Sends each request, and each repetition, to any of these nodes. A client that waits `patience` for an answer
  /// closes the connection and repeats its request.
  load(std::vector<const gateway_process*> nodes, merchant_account merchant, int clients, unsigned seed,
       std::chrono::milliseconds patience = answer_patience);
  ~load();
  load(const load&) = delete;
  load& operator=(const load&) = delete;

  /// Waits until every client has finished its current payment, and ends the clients.
  void stop();
  /// Writes with a final answer so far.
  std::uint64_t answered() const { return answered_; }
  /// Requests repeated so far, because the connection broke or the answer asked for a retry.
  std::uint64_t repeated() const { return repeated_; }
  /// Writes answered with an unknown outcome so far.
  std::uint64_t in_doubt() const { return in_doubt_; }
  /// Answers of 503 so far, and those among them without Retry-After.
  std::uint64_t unavailable() const { return unavailable_; }
  std::uint64_t without_retry_after() const { return without_retry_after_; }

  /// Call after stop().
  const std::vector<payment_record>& records() const { return stories_; }
  /// Answers that neither a retry nor a read of the payment explains. Call after stop().
  const std::vector<std::string>& unexpected_answers() const { return surprises_; }

 private:
  struct client;
  void run(unsigned seed);

  const std::vector<const gateway_process*> nodes_;
  merchant_account merchant_;
  const std::chrono::milliseconds patience_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> answered_{0}, repeated_{0}, in_doubt_{0}, unavailable_{0}, without_retry_after_{0};
  std::mutex guard_;
  std::vector<payment_record> stories_;
  std::vector<std::string> surprises_;
  std::vector<std::thread> clients_;
};

}  // namespace gateway::e2e
