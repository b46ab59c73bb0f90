#include "load.hpp"

#include <algorithm>

namespace gateway::e2e {

using namespace std::chrono_literals;

std::int64_t payment_record::moved(const std::string& operation) const {
  std::int64_t sum = 0;
  for (const auto& now : steps)
    if (now.operation == operation && now.state != "failed") sum += now.amount;
  return sum;
}

struct load::client {
  load& shared;
  std::mt19937 random;
  std::vector<api> callers;  ///< one for each node

  client(load& owner, unsigned seed) : shared{owner}, random{seed} {
    for (const auto* node : owner.nodes_) {
      callers.emplace_back(*node, owner.merchant_.test);
      callers.back().client().set_patience(owner.patience_);
    }
  }

  api& caller() { return callers[random() % callers.size()]; }

  /// Repeats the request until it is answered.
  template <class Attempt>
  static bool persist(Attempt attempt) {
    const auto deadline = std::chrono::steady_clock::now() + 3 * hang_timeout;
    while (std::chrono::steady_clock::now() < deadline) {
      try {
        if (attempt()) return true;
      } catch (const connection_failed&) {
        // The connection broke, or could not be opened: it is unknown whether the request was executed.
      }
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  /// Whether the same request must be sent again.
  bool undecided(const reply& answer) {
    if (answer.status == 503) {
      ++shared.unavailable_;
      if (!answer.header("Retry-After")) ++shared.without_retry_after_;
      return true;
    }
    return answer.status == 409 && json::parse(answer.body)["error"] == "request already processing";
  }

  bool answer(step& now) {
    return persist([&] {
      if (now.tries++ > 0) ++shared.repeated_;
      now.answer = caller().post(now.target, now.body, {now.key, {}});
      return !undecided(now.answer);
    });
  }

  /// Reads the timeline until it says how the last attempt ended.
  bool learn_outcome(const std::string& payment) {
    return persist([&] {
      const auto seen = caller().timeline(payment);
      if (seen.status != 200) return false;
      const auto lines = history(seen);
      const auto last = std::ranges::find_if(lines.rbegin(), lines.rend(),
                                             [](const auto& line) { return line.starts_with("attempt "); });
      return last != lines.rend() && last->find(" unknown") == std::string::npos;
    });
  }

  /// What is wrong with the answer of a write that should lead to `now.state`; empty if nothing is.
  std::string fault_of(const step& now, const payment_record& record) {
    const auto words = summary_of(now.answer);
    if (words == "200 " + now.state) return {};
    if (words != "502 provider outcome unknown") return "expected " + now.state + ", told " + words;
    ++shared.in_doubt_;
    return learn_outcome(record.payment_id) ? "" : "its outcome stays unknown";
  }

  bool perform(payment_record& record, step now) {
    now.began = std::chrono::steady_clock::now();
    const bool done = answer(now);
    now.answered_at = std::chrono::steady_clock::now();
    ++shared.answered_;
    const auto fault = done ? fault_of(now, record) : "never answered, last told " + std::to_string(now.answer.status);
    if (!fault.empty()) {
      const std::lock_guard lock{shared.guard_};
      shared.surprises_.push_back(now.operation + " of " + record.payment_id + ": " + fault);
    }
    record.steps.push_back(std::move(now));
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 6});
    return fault.empty();
  }

  bool create(payment_record& record, const std::string& token, const std::string& state) {
    auto body = server_payment(record.payment_id, token).set("amount", record.amount).text();
    return perform(record, {"create", "/v1/payment_intents", std::move(body), new_uuid(), record.amount, state, {}, 0});
  }

  /// `asked` is the amount in the body, 0 for none.
  bool write(payment_record& record, const std::string& operation, std::int64_t amount, std::int64_t asked,
             const std::string& state) {
    auto body = asked > 0 ? object{}.set("amount", asked).set("reason", "returned").text() : std::string{};
    return perform(
        record,
        {operation, api::path(record.payment_id, '/' + operation), std::move(body), new_uuid(), amount, state, {}, 0});
  }

  void take_payment() {
    payment_record record;
    record.payment_id = new_payment_id();
    record.amount = 2000 + static_cast<std::int64_t>(random() % 8000);
    const auto kind = random() % 6;
    if (kind == 0) {
      create(record, "pm_card_chargeDeclined", "failed");
    } else if (kind == 1) {
      create(record, "pm_card_visa", "authorized") && write(record, "void", record.amount, 0, "voided");
    } else {
      const auto first = 1 + static_cast<std::int64_t>(random() % 1000);
      create(record, kind == 2 ? "pm_card_slow_20" : "pm_card_visa", "authorized") &&
          write(record, "capture", record.amount, 0, "captured") &&
          write(record, "refund", first, first, "partially_refunded") &&
          write(record, "refund", 200, 200, "partially_refunded") && kind == 3 &&
          write(record, "refund", record.amount - first - 200, 0, "refunded");
    }
    const std::lock_guard lock{shared.guard_};
    shared.stories_.push_back(std::move(record));
  }
};

std::chrono::steady_clock::duration longest_silence(const std::vector<payment_record>& records,
                                                    std::chrono::steady_clock::time_point from,
                                                    std::chrono::steady_clock::time_point until) {
  std::vector<std::chrono::steady_clock::time_point> answers{from};
  for (const auto& record : records)
    for (const auto& now : record.steps)
      if (now.answered_at >= from && now.began <= until) answers.push_back(now.answered_at);
  std::ranges::sort(answers);
  std::chrono::steady_clock::duration longest{};
  for (std::size_t i = 1; i < answers.size(); ++i) longest = std::max(longest, answers[i] - answers[i - 1]);
  return longest;
}

load::load(std::vector<const gateway_process*> nodes, merchant_account merchant, int clients, unsigned seed,
           std::chrono::milliseconds patience)
    : nodes_{std::move(nodes)}, merchant_{std::move(merchant)}, patience_{patience} {
  for (int i = 0; i < clients; ++i) clients_.emplace_back([this, seed, i] { run(seed + static_cast<unsigned>(i)); });
}

load::~load() { stop(); }

void load::run(unsigned seed) {
  try {
    client one{*this, seed};
    while (!stopping_) one.take_payment();
  } catch (const std::exception& fault) {
    const std::lock_guard lock{guard_};
    surprises_.push_back(std::string{"a client failed: "} + fault.what());
  }
}

void load::stop() {
  stopping_ = true;
  for (auto& thread : clients_)
    if (thread.joinable()) thread.join();
}

}  // namespace gateway::e2e
