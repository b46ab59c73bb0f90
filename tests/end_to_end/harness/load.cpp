#include "load.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gateway::e2e {

using namespace std::chrono_literals;

// ---- clients --------------------------------------------------------------------------------------

struct load::client {
  load& shared;
  std::mt19937 random;
  api caller;

  client(load& owner, unsigned seed) : shared{owner}, random{seed}, caller{owner.gateway_, owner.merchant_.test} {}

  /// Whether the same request must be sent again.
  bool undecided(const reply& answer) {
    if (answer.status == 503) {
      ++shared.unavailable_;
      if (!answer.header("Retry-After")) ++shared.without_retry_after_;
      return true;
    }
    return answer.status == 409 && json::parse(answer.body)["error"] == "request already processing";
  }

  /// False if it was not answered within two minutes.
  bool answer(step& now) {
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (std::chrono::steady_clock::now() < deadline) {
      if (now.tries++ > 0) ++shared.repeated_;
      try {
        now.answer = caller.post(now.target, now.body, {now.key, {}});
        if (!undecided(now.answer)) return true;
      } catch (const connection_failed&) {
        // Gone in the middle, or not back yet: nobody knows whether it took place.
      }
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  bool perform(payment_story& story, step now) {
    const bool done = answer(now);
    ++shared.answered_;
    const auto words = done ? told(now.answer) : std::string{"never answered"};
    const bool as_expected = words == now.expected;
    if (!as_expected) {
      const std::lock_guard lock{shared.guard_};
      shared.surprises_.push_back(now.operation + " of " + story.payment_id + ": expected " + now.expected + ", told " + words);
    }
    if (as_expected) {
      const auto body = json::parse(now.answer.body);
      story.last_state = body["state"].text();
      if (now.operation == "refund") story.refunded += body["refunded_amount"].number();
    }
    story.steps.push_back(std::move(now));
    std::this_thread::sleep_for(std::chrono::milliseconds{random() % 6});
    return as_expected;
  }

  step write(const std::string& operation, const payment_story& story, std::string body, std::string expected) {
    const auto target = operation == "create" ? "/v1/payment_intents" : api::path(story.payment_id, '/' + operation);
    return {operation, target, std::move(body), new_uuid(), std::move(expected), {}, 0};
  }

  void take_payment() {
    payment_story story;
    story.payment_id = new_payment_id();
    const auto kind = random() % 6;
    const auto create = [&](const std::string& token, const std::string& expected) {
      return perform(story, write("create", story, server_payment(story.payment_id, token).text(), expected));
    };
    if (kind == 0) {
      create("pm_card_chargeDeclined", "200 failed");
    } else if (kind == 1) {
      if (create("pm_card_visa", "200 authorized")) perform(story, write("void", story, "", "200 voided"));
    } else if (create(kind == 2 ? "pm_card_slow_20" : "pm_card_visa", "200 authorized")) {
      perform(story, write("capture", story, "", "200 captured")) &&
          perform(story, write("refund", story, R"({"amount":1000})", "200 partially_refunded")) &&
          perform(story, write("refund", story, R"({"amount":200,"reason":"returned"})", "200 partially_refunded")) &&
          kind == 3 && perform(story, write("refund", story, "", "200 refunded"));
    }
    const std::lock_guard lock{shared.guard_};
    shared.stories_.push_back(std::move(story));
  }
};

load::load(const gateway_process& gateway, merchant_account merchant, int clients, unsigned seed)
    : gateway_{gateway}, merchant_{std::move(merchant)} {
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

// ---- audit ----------------------------------------------------------------------------------------

namespace {

/// How often each operation is approved in the timeline, and each event published.
std::map<std::string, int> expected_history(const payment_story& story) {
  std::map<std::string, int> lines;
  for (const auto& now : story.steps) {
    if (now.operation == "create" && story.last_state == "failed") {
      lines["attempt authorize declined card_declined"]++;
      lines["event payment.failed published"]++;
    } else if (now.operation == "create") {
      lines["attempt authorize approved"]++;
    } else if (now.operation == "capture") {
      lines["attempt capture approved"]++;
      lines["event payment.captured published"]++;
    } else if (now.operation == "void") {
      lines["attempt void approved"]++;
      lines["event payment.voided published"]++;
    } else {
      lines["attempt refund approved"]++;
      lines[now.expected == "200 refunded" ? "event payment.refunded published" : "event payment.partially_refunded published"]++;
    }
  }
  return lines;
}

class auditor {
 public:
  auditor(const gateway_process& gateway, const merchant_account& merchant)
      : gateway_{gateway}, merchant_{merchant}, caller_{gateway, merchant.test} {}

  std::vector<std::string> run(const std::vector<payment_story>& stories) {
    for (const auto& story : stories) check(story);
    check_ledger(stories);
    check_rows(stories);
    return std::move(broken_);
  }

 private:
  void fault(const std::string& where, const std::string& what) {
    if (broken_.size() < 50) broken_.push_back(where + ": " + what);
  }

  void check(const payment_story& story) {
    for (const auto& now : story.steps) {
      if (now.answer.status == 0) continue;
      const auto again = caller_.post(now.target, now.body, {now.key, {}});
      if (again.body != now.answer.body || again.status != now.answer.status)
        fault(story.payment_id, now.operation + " was told " + now.answer.body + " and is now told " + again.body);
      if (!again.replayed()) fault(story.payment_id, now.operation + " is not a replay when sent again");
    }
    const auto view = caller_.payment(story.payment_id);
    if (!(view["state"] == story.last_state)) fault(story.payment_id, "told " + story.last_state + ", is " + view.dump());
    if (!(view["refunded_total"] == story.refunded))
      fault(story.payment_id, "told " + std::to_string(story.refunded) + " refunded, is " + view.dump());
    std::map<std::string, int> found;
    for (const auto& line : history(caller_.timeline(story.payment_id))) found[line]++;
    if (found != expected_history(story)) {
      std::string lines;
      for (const auto& [line, times] : found) lines += '\n' + std::to_string(times) + " x " + line;
      fault(story.payment_id, "its timeline does not tell what its client was told:" + lines);
    }
  }

  /// The provider executed each effect once: no more, whatever was retried, and no less.
  void check_ledger(const std::vector<payment_story>& stories) {
    std::set<std::string> provider_keys;
    std::map<std::string, std::map<std::string, std::vector<std::int64_t>>> effects;
    for (const auto& entry : read_ledger(gateway_.ledger_file())) {
      if (entry.merchant != merchant_.id) continue;
      if (!provider_keys.insert(entry.provider_key).second)
        fault(entry.payment_id, "the provider executed " + entry.provider_key + " twice");
      if (entry.status == "approved") effects[entry.payment_id][entry.operation].push_back(entry.amount);
    }
    for (const auto& story : stories) {
      std::map<std::string, std::vector<std::int64_t>> told_effects;
      for (const auto& now : story.steps) {
        if (story.last_state == "failed") continue;
        const auto amount = now.operation == "refund" ? json::parse(now.answer.body)["refunded_amount"].number() : 4200;
        told_effects[now.operation].push_back(amount);
      }
      if (effects[story.payment_id] != told_effects) fault(story.payment_id, "the provider's ledger differs from what its client was told");
      effects.erase(story.payment_id);
    }
    for (const auto& [payment, ignored] : effects) fault(payment, "executed by the provider for no client");
  }

  void check_rows(const std::vector<payment_story>& stories) {
    const auto of_merchant = " WHERE merchant_id = '" + merchant_.id + "'";
    const auto one = [&](const std::string& query) { return std::stoll(gateway_.sql(query + ";")); };
    // Rows that should not be there, each as it stands.
    const auto none = [&](const std::string& what, const std::string& query) {
      for (const auto& row : lines_of(gateway_.sql(query + ";"))) fault(what, row);
    };
    none("a command that is not settled", "SELECT payment_id, operation, created_at FROM commands" + of_merchant + " AND status IS NULL");
    none("a payment with an open operation",
         "SELECT payment_id, state, version, refunded, updated_at, open_command FROM payments" + of_merchant +
             " AND open_command IS NOT NULL");
    const auto rows = one("SELECT COUNT(*) FROM payments" + of_merchant);
    if (rows != static_cast<long long>(stories.size()))
      fault("payments", std::to_string(rows) + " rows for " + std::to_string(stories.size()) + " payments");
    std::int64_t refunded = 0;
    for (const auto& story : stories) refunded += story.refunded;
    if (const auto sum = one("SELECT COALESCE(SUM(refunded), 0) FROM payments" + of_merchant); sum != refunded)
      fault("payments", "refunds add up to " + std::to_string(sum) + ", clients were told " + std::to_string(refunded));
  }

  const gateway_process& gateway_;
  const merchant_account& merchant_;
  api caller_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> audit(const gateway_process& gateway, const merchant_account& merchant,
    const std::vector<payment_story>& stories) {
  return auditor{gateway, merchant}.run(stories);
}

}  // namespace gateway::e2e
