// The gateway and the stand-in for Stripe are killed under load, while every request to Stripe may fail in any way.
// Afterwards the ledger, the rows and the clients' answers agree, payment by payment.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "audit.hpp"
#include "crash_stripe.hpp"
#include "crash_turns.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// One payment and the answers about it.
struct story {
  std::string id;
  std::int64_t amount = 0;
  lines approved;  ///< steps that were answered as done, in the ledger's notation
  lines unclear;   ///< steps whose outcome was answered as unknown
};

/// Clients that make payments, capture, refund and void them, and record the answers.
class workers {
 public:
  workers(stripe_stage& on, credentials key, int count, unsigned seed) : on_{on}, key_{std::move(key)} {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, seed, i] { run(seed + static_cast<unsigned>(i)); });
  }
  ~workers() { stop(); }

  void stop() {
    stopping_ = true;
    for (auto& each : threads_)
      if (each.joinable()) each.join();
  }
  std::size_t answered() const { return answered_; }
  const std::vector<story>& stories() const { return stories_; }
  const lines& surprises() const { return surprises_; }

 private:
  std::optional<reply> persist(const std::string& target, const std::string& body) {
    auto reported = final_answer(on_.gateway, key_, target, body);
    if (reported) ++answered_;
    return reported;
  }

  /// True if the answer says that the step is done.
  bool step(story& of, const std::string& what, const std::string& state, const std::string& move,
            const std::string& target, const std::string& body) {
    const auto reported = persist(target, body);
    const auto words = reported ? summary_of(*reported) : "no answer";
    if (words == "200 " + state) {
      of.approved.push_back(move);
      return true;
    }
    if (words == "502 provider outcome unknown") {
      of.unclear.push_back(move);
      return false;
    }
    const bool rejected = words == "200 failed" || words == "200 authorized" || words.ends_with("rejected by provider");
    if (!rejected) {
      const std::lock_guard lock{guard_};
      surprises_.push_back(what + " of " + of.id + ": " + words);
    }
    return false;
  }

  void run(unsigned seed) {
    std::mt19937 random{seed};
    while (!stopping_) {
      story of{new_payment_id(), 2000 + static_cast<std::int64_t>(random() % 8000), {}, {}};
      const auto usd = [](const std::string& kind, std::int64_t amount) {
        return kind + ' ' + std::to_string(amount) + " usd";
      };
      const auto path = [&](const char* rest) { return api::path(of.id, rest); };
      const bool made = step(of, "create", "authorized", usd("authorize", of.amount), "/v1/payment_intents",
                             stripe_payment(of.id).set("amount", of.amount).text());
      if (made && random() % 4 == 0)
        step(of, "void", "voided", usd("cancel", of.amount), path("/void"), {});
      else if (made && step(of, "capture", "captured", usd("capture", of.amount), path("/capture"), {}))
        step(of, "refund", "partially_refunded", usd("refund", 700), path("/refund"), R"({"amount":700})");
      const std::lock_guard lock{guard_};
      stories_.push_back(std::move(of));
    }
  }

  stripe_stage& on_;
  credentials key_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> answered_{0};
  std::mutex guard_;
  std::vector<story> stories_;
  lines surprises_;
  std::vector<std::thread> threads_;
};

/// The ledger's moves of a payment in that state.
lines moves_of(const story& of, const json& view) {
  const auto state = view["state"].text();
  const auto amount = std::to_string(of.amount);
  lines all;
  if (state != "failed") all.push_back("authorize " + amount + " usd");
  if (state == "voided") all.push_back("cancel " + amount + " usd");
  if (state == "captured" || state == "partially_refunded") all.push_back("capture " + amount + " usd");
  if (const auto back = view["refunded_total"].number(); back > 0)
    all.push_back("refund " + std::to_string(back) + " usd");
  return all;
}

std::string joined(const lines& all) {
  std::string text;
  for (const auto& each : all) text += (text.empty() ? "" : ", ") + each;
  return text.empty() ? "nothing" : text;
}

class stripe_audit {
 public:
  stripe_audit(stripe_stage& on, const stripe_shop& shop, const std::vector<story>& stories)
      : on_{on}, shop_{shop}, stories_{stories}, caller_{on.gateway, shop.account.test} {}

  lines run() {
    std::map<std::string, lines> by_intent;
    std::set<std::string> keys;
    for (const auto& each : on_.stripe.effects(shop_.connected)) {
      if (!each.moves_money()) continue;
      by_intent[each.payment_intent].push_back(each.text());
      if (!keys.insert(each.idempotency_key).second)
        fault("the key " + each.idempotency_key + " has moved money twice");
    }
    for (const auto& of : stories_) {
      const auto view = caller_.payment(of.id);
      const auto found = by_intent.extract(view["provider.provider_ref"].text());
      check(of, view, found.empty() ? lines{} : found.mapped());
    }
    for (const auto& [intent, moves] : by_intent) fault(intent + " is of no payment: " + joined(moves));
    check_rows();
    for (const auto& [id, what] : faults_of_ledger(on_.gateway, shop_.account.id)) fault(id + ": " + what);
    return std::move(broken_);
  }

 private:
  void fault(const std::string& what) {
    if (broken_.size() < 30) broken_.push_back(what);
  }

  void check(const story& of, const json& view, const lines& moves) {
    if (moves != moves_of(of, view))
      fault(of.id + " is " + view["state"].text() + ", and the ledger says " + joined(moves));
    for (const auto& reported : of.approved)
      if (std::ranges::count(moves, reported) != 1)
        fault(of.id + " was told " + reported + ", the ledger: " + joined(moves));
    for (const auto& done : moves)
      if (std::ranges::count(of.approved, done) + std::ranges::count(of.unclear, done) == 0)
        fault(of.id + " was told that it has failed, and it was done: " + done);
  }

  void check_rows() {
    std::map<std::string, std::string> rows;
    for (const auto& row : lines_of(on_.gateway.sql(
             "SELECT payment_id, state, amount, captured, refunded, CASE WHEN open_command IS NULL THEN 'closed' ELSE "
             "'open' END FROM payments WHERE merchant_id = '" +
             shop_.account.id + "';")))
      rows[row.substr(0, row.find('\t'))] = row.substr(row.find('\t') + 1);
    for (const auto& of : stories_) {
      const auto view = caller_.payment(of.id);
      const auto state = view["state"].text();
      const bool captured = state == "captured" || state == "partially_refunded";
      const auto wanted = state + '\t' + std::to_string(of.amount) + '\t' + std::to_string(captured ? of.amount : 0) +
                          '\t' + std::to_string(view["refunded_total"].number()) + "\tclosed";
      if (rows[of.id] != wanted) fault(of.id + " is told as " + wanted + ", its row is " + rows[of.id]);
      rows.erase(of.id);
    }
    for (const auto& [id, row] : rows) fault(id + " is of no client: " + row);
  }

  stripe_stage& on_;
  const stripe_shop& shop_;
  const std::vector<story>& stories_;
  api caller_;
  lines broken_;
};

/// Waits until the merchant has no open operation.
std::string left_open(const stripe_stage& on, const std::string& merchant) {
  std::string open;
  eventually(
      [&] {
        open = on.gateway.sql("SELECT payment_id, state, open_command FROM payments WHERE merchant_id = '" + merchant +
                              "' AND open_command IS NOT NULL UNION ALL SELECT subject_id, operation, idempotency_key "
                              "FROM commands WHERE merchant_id = '" +
                              merchant + "' AND status IS NULL;");
        return open.empty();
      },
      hang_timeout);
  return open;
}

}  // namespace

TEST_CASE("stripe: kill -9 of the gateway and of Stripe, under load and any fault: nothing lost, nothing done twice") {
  const auto store = GENERATE(from_range(stores()));
  const auto rounds = environment_or("GATEWAY_CRASH_ROUNDS", 2);
  const auto seed = static_cast<unsigned>(
      environment_or("GATEWAY_CRASH_SEED", static_cast<int>(std::random_device{}() & 0x7fffffff)));
  CAPTURE(to_string(store), seed);
  std::mt19937 random{seed};
  stripe_stage on{store};
  stripe_shop shop{on};
  on.stripe.set("search_delay_ms", "200");
  on.stripe.notifies(on.gateway, object{}.set("copies", 2).set("scatter_ms", 500).raw("lose", "0.2"));
  on.stripe.set("faults", random_faults(seed));
  workers clients{on, shop.account.test, std::min(environment_or("GATEWAY_CRASH_CLIENTS", 8), 8), seed};
  const auto progress = [&] {
    const auto before = clients.answered();
    return eventually([&] { return clients.answered() >= before + 20; });
  };
  REQUIRE(kill_in_turns(on.gateway, on.stripe, rounds, random, progress));
  on.stripe.mends();
  clients.stop();

  CHECK(left_open(on, shop.account.id) == "");
  auto broken = stripe_audit{on, shop, clients.stories()}.run();
  restart_both(on.gateway, on.stripe);
  std::ranges::copy(stripe_audit{on, shop, clients.stories()}.run(), std::back_inserter(broken));
  std::cout << to_string(store) << ", kill -9 of the gateway and of Stripe: " << rounds << " rounds, "
            << clients.stories().size() << " payments, " << clients.answered() << " writes answered, "
            << broken.size() + clients.surprises().size() << " broken promises (seed " << seed << ")" << std::endl;
  INFO(joined(clients.surprises()));
  CHECK(clients.surprises().empty());
  INFO(joined(broken));
  CHECK(broken.empty());
}
