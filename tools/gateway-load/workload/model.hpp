// The expected state of each payment and each idempotency key of a run, derived from the answers.
//
// Millions of payments must fit into memory: one that is only created takes 112 bytes (64 for the payment, 48 for its
// key, nothing else on the heap). All ids are computed from the run's name and a number, and of an answer only its
// status and a hash are kept.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "engine/request.hpp"
#include "findings.hpp"
#include "names.hpp"
#include "parsed_answer.hpp"
#include "workload.hpp"

namespace gateway::load {

/// The kind of payment that a create requests.
enum class payment_kind : unsigned char {
  card,
  declined_card,
  hosted,
  saving_card,     ///< a card that is saved for a customer
  saved_last,      ///< a create for which the gateway chooses the saved method
  saved_charge,    ///< a charge of a saved method, captured at once
  saved_authorize  ///< a charge of a saved method, captured by a separate request
};
constexpr bool charges_saved(payment_kind kind) noexcept {
  return kind == payment_kind::saved_charge || kind == payment_kind::saved_authorize;
}

/// What is known of the creation.
enum class creation : unsigned char { unanswered, unknown, processing, authorized, captured, failed };
enum class capture_outcome : unsigned char { none, unanswered, unknown, captured, declined, problem };

struct payment_record {
  std::int64_t amount = 0;
  std::int64_t refunded = 0;  ///< by refunds that were approved
  std::int64_t open_refunded = 0;  ///< by open refunds
  std::uint32_t refunds = 0;
  std::uint32_t open_refunds = 0;     ///< refunds whose outcome is in no answer
  std::uint32_t unknown_refunds = 0;  ///< open refunds that were answered 502 provider outcome unknown
  std::uint32_t declined_refunds = 0;  ///< declined by the provider
  std::uint32_t least_excessive_refund = 0;  ///< the smallest refund that was answered as more than remains; 0: none
  // Read from its timeline.
  std::uint32_t partial_refund_events = 0;
  std::uint32_t customer = 0;  ///< only for kinds with a customer
  std::uint8_t captured_events = 0, failed_events = 0, refunded_events = 0;
  bool payment_read = false, timeline_read = false;

  payment_kind kind = payment_kind::card;
  creation created = creation::unanswered;
  capture_outcome captured = capture_outcome::none;
  std::uint8_t scenario = 0;  ///< the scenario of the mix that it belongs to, by number
  bool wrong_requests_sent = false;  ///< requests that differ were sent under its key
};

struct customer_record {
  hash128 provider_id{};  ///< the hash of the provider's id; zeroes: not in any answer yet
  hash128 request_id{};   ///< of the answer that contained it
  bool has_paid = false;  ///< a payment that saved its card was approved, so the customer exists
  std::uint8_t scenario = 0;
};

struct key_record {
  enum : std::uint8_t {
    answered = 1,
    executed = 2,  ///< an answer that is no replay has arrived
    in_doubt = 4,  ///< a request may have been executed without an answer
    faulty = 8,
    overloaded = 16,  ///< a request was answered 503 or 429, which should mean that it was not executed
  };

  hash128 hash{};  ///< of the answer
  hash128 request_id{};  ///< of the answer: the one that was no replay, if there was one
  std::uint32_t payment = 0;
  std::uint32_t amount = 0;  ///< of a refund
  std::uint16_t status = 0;  ///< of the answer
  operation kind = operation::create;
  std::uint8_t flags = 0;
  bool takes_the_rest = false;  ///< a refund that leaves the amount to the gateway

  bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
  void set(std::uint8_t flag) noexcept { flags = static_cast<std::uint8_t>(flags | flag); }
};

/// What an answer means for the scenario that sent the request.
struct answer_outcome {
  meaning kind = meaning::in_doubt;
  bool answered = false;  ///< the key has its answer, by this answer or an earlier one
  std::string error;  ///< the code of a problem or a rejection
};

class model {
 public:
  /// The request's position under its key. Wrong requests differ from the first in their body or path.
  enum step : std::uint32_t { first, again, wrong_amount, wrong_payment, wrong_path };

  explicit model(const workload_options& options);

  std::uint32_t begin_payment(std::uint8_t scenario, payment_kind kind, std::int64_t amount,
                              std::uint32_t customer = 0);
  std::uint32_t begin_customer(std::uint8_t scenario);
  /// From 1000 to 9999: amounts that differ make mistakes visible.
  std::int64_t usual_amount() const noexcept;
  std::uint64_t random(std::uint64_t number) const noexcept { return splitmix64(seed_, number); }

  /// Each is the first request under a new key.
  request create(std::uint32_t payment);
  request capture(std::uint32_t payment);
  request refund(std::uint32_t payment, std::int64_t amount, bool takes_the_rest = false);
  /// Reads the customer; no key is needed.
  request find_customer(std::uint32_t customer) const;
  /// A further request under an existing key.
  request under(std::uint64_t key, step which);

  answer_outcome take(const request& sent, const answer& got);
  /// The same for an answer to find_customer.
  answer_outcome take_customer(const request& sent, const answer& got);

  const run_names& ids() const noexcept { return names_; }
  /// The caller whose key signs for the payment: callers get payments in turn.
  std::uint32_t caller_of(std::uint64_t payment) const noexcept {
    return static_cast<std::uint32_t>((first_caller_ + payment) % callers_);
  }
  const std::string& currency() const noexcept { return currency_; }
  payment_record& payment(std::uint64_t number) { return payments_[number]; }
  const key_record& key(std::uint64_t number) const { return keys_[number]; }
  customer_record& customer(std::uint64_t number) { return customers_[number]; }
  std::uint64_t customers() const noexcept { return customers_.size(); }
  std::uint64_t payments() const noexcept { return payments_.size(); }
  std::uint64_t keys() const noexcept { return keys_.size(); }
  findings& found() noexcept { return findings_; }
  /// "refund of pay_x_12".
  std::string name_of(const key_record& key) const;

 private:
  request open(std::uint32_t payment, operation what, std::int64_t amount, bool takes_the_rest);
  std::string create_body(std::uint32_t payment, const std::string& id, std::int64_t amount) const;
  void violate(key_record& key, const std::string& what, const answer& got);
  void answer_again(key_record& key, const answer& got);
  void first_answer(key_record& key, const parsed_answer& parsed, const answer& got, const hash128& hash);
  void learn_creation(key_record& key, const parsed_answer& parsed, const answer& got);
  void learn_capture(key_record& key, const parsed_answer& parsed, const answer& got);
  void learn_refund(key_record& key, const parsed_answer& parsed, const answer& got);
  answer_outcome take_wrong(key_record& key, const answer& got);

  run_names names_;
  hasher hash_;
  std::string payment_method_, currency_, merchant_;
  std::uint64_t seed_;
  std::uint32_t callers_, first_caller_;
  bool always_approved_;
  std::deque<payment_record> payments_;  // deques: growing does not move existing elements
  std::deque<key_record> keys_;
  std::deque<customer_record> customers_;
  findings findings_;
};

static_assert(sizeof(payment_record) <= 64 && sizeof(key_record) <= 48);

}  // namespace gateway::load
