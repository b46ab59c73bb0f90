// A gateway in memory, which may have a fault, and workloads that run against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "workload/verifier.hpp"
#include "workload/workload.hpp"

namespace gateway::load::testing {

enum class fault {
  none,
  executes_a_key_twice,
  executes_twice_and_calls_it_a_replay,
  forgets_to_mark_replays,
  replays_other_bytes,
  calls_a_first_answer_a_replay,
  loses_a_refund,
  counts_a_refund_twice,
  refunds_more_than_was_captured,
  refuses_a_refund_that_fits,
  accepts_a_reused_key,
  takes_the_amount_of_a_reused_key,
  creates_the_payment_of_a_reused_key,
  captures_by_a_reused_key,
  denies_a_key_that_is_the_same,
  loses_a_payment,
  authorizes_twice,
  approves_what_it_should_decline,
  shows_no_hosted_page,
  answers_with_another_payment,
  fails_after_it_answered_authorized,
  leaves_an_event_out_of_the_timeline,
  charges_a_saved_method_twice,
  captures_what_should_wait,
  calls_a_charge_by_another_status,
  makes_a_customer_twice,
  gives_two_customers_one_name,
  forgets_a_customer,
  finds_another_customer,
};

/// How many of a hundred requests fail in each way that violates no promise.
struct failure_rates {
  int lost_before = 0, lost_after = 0, overloaded = 0, in_progress = 0, unknown = 0, store_unavailable = 0;
};

struct fake_answer {
  int status = 0;
  std::string body;
  bool replayed = false;
};

struct fake_payment {
  std::string id, state;
  std::int64_t amount = 0, refunded = 0;
  boost::json::array timeline;
};

/// A gateway that keeps its payments in a map. It has at most one fault, which shows on every seventh occasion.
class fake_gateway {
 public:
  explicit fake_gateway(fault what = fault::none, failure_rates rates = {}) : fault_{what}, rates_{rates} {}

  fake_answer serve(const request& sent);

  /// The events of its webhooks, each once.
  std::vector<received_event> events() const { return events_; }
  const std::map<std::string, fake_payment>& payments() const { return payments_; }
  const std::map<std::string, std::string>& customers() const { return customers_; }
  std::size_t executions() const { return executions_; }

 private:
  struct finished {
    std::string fingerprint;
    fake_answer reply;
  };

  bool by_chance(int in_a_hundred) { return in_a_hundred > 0 && static_cast<int>(random_() % 100) < in_a_hundred; }
  bool occasion() { return ++occasions_ % 7 == 0; }
  static fake_answer not_found() { return {404, R"({"error":"payment_not_found","message":"x"})"}; }
  static fake_answer overloaded() { return {503, R"({"error":"overloaded","message":"x"})"}; }

  fake_answer again(const request& sent, finished& known);
  fake_answer reused(const request& sent, finished& known);
  static std::string id_in(const std::string& path);
  fake_answer execute(const request& sent);
  fake_answer create(const request& sent);
  /// The provider makes a customer for each ref.
  void add_customer(const std::string& ref);
  fake_answer find(const std::string& path) const;
  fake_answer charge(const request& sent);
  fake_answer capture(fake_payment& payment);
  fake_answer refund(fake_payment& payment, std::int64_t amount);
  static std::string refunded_state(const fake_payment& payment);
  /// The provider did not answer. When the payment is read later, the gateway knows the outcome.
  fake_answer unknown(fake_payment& payment, const std::string& what, const std::string& becomes,
                      bool refunded = false);
  fake_answer success(const fake_payment& payment, bool hosted = false, std::int64_t refunded = 0);
  static void attempt(fake_payment& payment, const std::string& what, const std::string& status);
  void event(fake_payment& payment, const std::string& type);
  fake_answer show(const request& sent) const;

  fault fault_;
  failure_rates rates_;
  std::mt19937 random_{7};
  unsigned occasions_ = 0;
  std::size_t executions_ = 0;
  std::map<std::string, fake_payment> payments_;
  std::map<std::string, finished> keys_;
  std::map<std::string, std::string> customers_;  // the provider's customer ids, by ref
  std::size_t customers_made_ = 0;
  std::vector<received_event> events_;
};

/// Runs the scenario against the gateway until it gives no more requests, or `most` are sent. Up to 50 requests are in
/// flight, and answers arrive in any order.
std::size_t drive(scenario& driven, fake_gateway& gateway, std::size_t most = 1'000'000);

workload_options mix_options(const std::string& mix, std::uint64_t count);

/// Sends the mix, settles it, reads it back, and returns what was verified.
verification checked(const std::string& mix, fake_gateway& gateway, std::uint64_t count = 3000);

inline constexpr const char* every_scenario = "create lifecycle storm reuse hot replay hosted webhooks saved";

/// All scenarios, with most of the weight on this one.
std::string among_all(const std::string& one);

std::string first_of(const verification& result);

}  // namespace gateway::load::testing
