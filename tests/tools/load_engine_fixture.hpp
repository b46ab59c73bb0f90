// Scenarios, plans and a server for the tests of the engine.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "load_test_server.hpp"

namespace gateway::load::testing {

inline constexpr std::uint64_t ms = 1'000'000;
inline constexpr std::uint64_t second = 1'000'000'000;

/// Gives a number of requests, several at a time. Each has its number as its subject.
class numbered : public scenario {
 public:
  explicit numbered(std::uint64_t most = ~0ULL, unsigned at_once = 1) : most_(most), at_once_(at_once) {}

  void next(std::vector<request>& out) override {
    for (unsigned i = 0; i < at_once_ && given < most_; ++i) {
      request one;
      one.path = "/v1/payment_intents";
      one.body = "{\"n\":" + std::to_string(given) + "}";
      one.idempotency_key = "00000000-0000-4000-8000-000000000000";
      one.subject = given++;
      out.push_back(std::move(one));
    }
  }
  void on_answer(const request& sent, const answer& got) override {
    ++answers_by_subject[sent.subject];
    statuses.push_back(got.status);
    losses.push_back(got.lost);
    bodies.emplace_back(got.body);
    ids.emplace_back(got.request_id);
    replayed.push_back(got.replayed);
    retry_after.push_back(got.has_retry_after);
  }

  bool each_answered_once() const {
    return answers_by_subject.size() == given &&
           std::ranges::all_of(answers_by_subject, [](const auto& one) { return one.second == 1; });
  }

  std::uint64_t given = 0;
  std::map<std::uint64_t, int> answers_by_subject;
  std::vector<int> statuses;
  std::vector<loss> losses;
  std::vector<std::string> bodies, ids;
  std::vector<bool> replayed, retry_after;

 private:
  std::uint64_t most_;
  unsigned at_once_;
};

/// Payments of two steps: the second request of a payment comes after the answer to its first.
class two_steps : public scenario {
 public:
  explicit two_steps(unsigned payments) : left_(payments) {}
  void next(std::vector<request>& out) override {
    if (ready_)
      give(out, operation::capture);
    else if (!busy_ && left_ > 0)
      give(out, operation::create);
  }
  void on_answer(const request& sent, const answer&) override {
    busy_ = false;
    ready_ = sent.kind == operation::create;
  }

 private:
  void give(std::vector<request>& out, operation kind) {
    request one;
    one.kind = kind;
    one.path = "/";
    out.push_back(one);
    busy_ = true;
    ready_ = false;
    if (kind == operation::create) --left_;
  }
  unsigned left_;
  bool busy_ = false, ready_ = false;
};

inline const credentials key{"mk_test_1", "secret"};

inline load_plan closed(unsigned connections = 1) {
  load_plan plan;
  plan.connections = connections;
  plan.timeout = std::chrono::seconds{10};
  return plan;
}

inline load_plan open(double rate, std::uint64_t lasts, unsigned connections = 1) {
  auto plan = closed(connections);
  plan.open = schedule::constant(rate, lasts);
  return plan;
}

inline load_outcome run(const test_server& server, const load_plan& plan, std::vector<scenario*> scenarios) {
  const target to{server.insecure()};
  const std::atomic<bool> stop{false};
  return run_load({&to, 1}, signer{to.authority(), key}, plan, scenarios, stop);
}

inline std::uint64_t at_least(const histogram& of, std::uint64_t value) {
  std::uint64_t found = 0;
  for (const auto& [highest, times] : of.counters()) found += highest >= value ? times : 0;
  return found;
}

inline std::map<std::string, std::uint64_t> outcomes(const load_outcome& of) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& one : of.measured.operations)
    for (const auto& [outcome, times] : one.outcomes) all[outcome] += times;
  return all;
}

/// Answers every request at once, except one slow one.
inline test_server::answer_function stalls_once(std::size_t which, std::chrono::milliseconds how_long) {
  return [=](std::size_t number, const std::string&) {
    if (number == which) std::this_thread::sleep_for(how_long);
    return ok();
  };
}

}  // namespace gateway::load::testing
