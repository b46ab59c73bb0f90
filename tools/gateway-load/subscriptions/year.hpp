// A year of subscriptions, many at a time: each is opened, paid on its page and moved from cycle to cycle by an
// operator, as its plan says. Then everything is read back and compared with the plans.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "caller.hpp"
#include "engine/result.hpp"
#include "engine/signer.hpp"
#include "engine/target.hpp"
#include "plan.hpp"
#include "subject_events.hpp"
#include "workload/findings.hpp"
#include "workload/names.hpp"
#include "workload/parsed_answer.hpp"

namespace gateway::load {

struct year_options {
  std::filesystem::path data_dir;  ///< where the operator socket is
  std::string merchant_id;         ///< the merchant of the subscriptions
  std::uint64_t subscriptions = 10'000;
  std::uint32_t months = 12;
  unsigned at_once = 32;  ///< each with a thread, two connections and an operator's
  std::uint64_t seed = 1;
  std::string currency = "HKD";
  std::string run;  ///< its name is part of all ids
  std::chrono::nanoseconds timeout = std::chrono::seconds{30};
};

/// A subscription, and what is known of it from the answers.
struct lived_subscription {
  subscription_plan plan;
  std::string provider_id;  ///< sub_…; empty: not paid
  bool lived = false;       ///< every step of the plan was executed
};

class year {
 public:
  /// `sign` signs as the platform, for the merchant in live.
  year(const year_options& options, const target& to, const signer& sign);

  /// Executes the plans of all subscriptions. Calls `show` now and then with the number of finished ones. Subscriptions
  /// that have not begun when `stop` is set are left out.
  void live(const std::atomic<bool>& stop, const std::function<void(std::uint64_t)>& show);
  /// The number of events that the platform must receive for the executed steps.
  std::uint64_t events_expected() const;
  /// Reads everything back. `events` must have all events by now.
  void check(const subject_events& events, const std::atomic<bool>& stop);

  /// The rates and latencies of live(), and what was checked.
  run_result measured() const;

 private:
  using step = std::function<void(caller&, std::uint64_t)>;
  void for_each(const std::atomic<bool>& stop, const std::function<void(std::uint64_t)>& show, const step& does);

  std::string id_of(std::uint64_t number) const { return "box-" + options_.run + '-' + std::to_string(number); }
  request keyed(operation kind, std::string path, std::string body, std::uint64_t key);

  void live_one(caller& by, std::uint64_t number);
  /// Each returns whether it succeeded; if not, it records why.
  bool open(caller& by, std::uint64_t number, std::string& hosted_url);
  bool pay(caller& by, std::uint64_t number, const std::string& hosted_url);
  bool move(caller& by, std::uint64_t number, std::string_view to);
  bool refund(caller& by, std::uint64_t number);
  bool cancel(caller& by, std::uint64_t number);
  bool learn_provider_id(caller& by, std::uint64_t number);

  void check_one(caller& by, const subject_events& events, std::uint64_t number);
  void check_events(const subject_events& events, std::uint64_t number);
  void check_periods(const subject_events& events, std::uint64_t number);
  void check_cycle(caller& by, const subject_events& events, std::uint64_t number, std::uint32_t cycle);
  void check_no_further_cycle(caller& by, std::uint64_t number);

  bool expect(bool holds, std::uint64_t number, const std::string& what, const kept_answer& because = {});
  std::string payment_of(const lived_subscription& of, std::uint32_t cycle) const;
  std::string public_id(const lived_subscription& of) const;

  const year_options options_;
  const target& to_;
  const signer& sign_;
  std::mutex naming_;  ///< a name is computed by one thread at a time
  run_names names_;
  std::vector<lived_subscription> all_;
  run_result measured_;

  std::mutex guard_;  ///< protects the members below
  findings found_;
  verification checked_;
  std::vector<month_result> months_;
};

}  // namespace gateway::load
