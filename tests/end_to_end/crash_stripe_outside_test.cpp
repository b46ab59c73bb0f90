// The gateway and the stand-in for Stripe are killed while payments also change at Stripe without the gateway, half of
// the time without a notification. Once the gateway has asked about every payment, state, totals, refunds, disputes,
// ledger and events of each payment are as Stripe has them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <iterator>
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

/// One payment, and what its client was answered.
struct sale {
  std::string id;
  std::int64_t amount = 0;
  bool authorized = false, captured = false, voided = false;  ///< answered as done
  std::map<std::string, std::int64_t> refunds;                ///< answered as made: amounts by id
};

/// Refusals that a client may get because a payment has changed at Stripe.
const std::set<std::string> known_refusals{
    "409 payment disputed",
    "409 payment not authorized for capture",
    "409 payment not refundable in current state",
    "409 payment not voidable in current state",
    "409 payment outcome pending",
    "422 refund amount exceeds captured amount",
    "502 provider outcome unknown",
    "502 refund rejected by provider",
    "502 void rejected by provider",
};

/// Clients that make payments, capture, void and refund them, and return to earlier ones, whatever has become of them.
class sellers {
 public:
  sellers(const stripe_stage& on, credentials key, int count, unsigned seed) : on_{on}, key_{std::move(key)} {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, seed, i] { run(seed + static_cast<unsigned>(i)); });
  }
  ~sellers() { stop(); }

  void stop() {
    stopping_ = true;
    for (auto& each : threads_)
      if (each.joinable()) each.join();
  }
  std::size_t answered() const { return answered_; }
  /// Call after stop(), as surprises().
  const std::vector<sale>& sales() const { return sales_; }
  const lines& surprises() const { return surprises_; }

 private:
  void run(unsigned seed) {
    std::mt19937 random{seed};
    std::vector<sale> own;
    while (!stopping_) {
      sell(own.emplace_back(), random);
      const auto newest = std::min<std::size_t>(own.size(), 10);
      for (auto steps = random() % 4; steps > 0 && !stopping_; --steps) {
        std::this_thread::sleep_for(std::chrono::milliseconds{random() % 100});
        const auto back = random() % 2 == 0 ? std::size_t{1} : 1 + random() % newest;
        operate(own[own.size() - back], random);
      }
    }
    const std::lock_guard lock{guard_};
    std::ranges::move(own, std::back_inserter(sales_));
  }

  void sell(sale& of, std::mt19937& random) {
    of.id = new_payment_id();
    of.amount = 2000 + static_cast<std::int64_t>(random() % 8000);
    const auto* card = random() % 6 == 0 ? "pm_card_chargeDeclined" : "pm_card_visa";
    const auto answer = send(of, "/v1/payment_intents", stripe_payment(of.id, card).set("amount", of.amount).text());
    if (!answer) return;
    of.authorized = summary_of(*answer) == "200 authorized";
  }

  void operate(sale& of, std::mt19937& random) {
    const auto amount_of = [&](std::int64_t most) {
      return object{}.set("amount", 1 + static_cast<std::int64_t>(random()) % most).text();
    };
    const auto chosen = random() % 7;
    if (chosen < 3) {
      const auto answer = send(of, api::path(of.id, "/capture"), chosen == 0 ? amount_of(of.amount) : "");
      if (answer && summary_of(*answer) == "200 captured") of.captured = true;
    } else if (chosen == 3) {
      const auto answer = send(of, api::path(of.id, "/void"), {});
      if (answer && summary_of(*answer) == "200 voided") of.voided = true;
    } else {
      const auto answer = send(of, api::path(of.id, "/refund"), chosen == 4 ? "" : amount_of(of.amount / 3));
      if (!answer || answer->status != 200) return;
      const auto made = json::parse(answer->body);
      of.refunds[made["refund_id"].text()] = made["refunded_amount"].number();
    }
  }

  std::optional<reply> send(const sale& of, const std::string& target, const std::string& body) {
    auto answer = final_answer(on_.gateway, key_, target, body);
    const auto words = answer ? summary_of(*answer) : "no answer";
    if (answer) ++answered_;
    if (!words.starts_with("200 ") && !known_refusals.contains(words)) {
      const std::lock_guard lock{guard_};
      surprises_.push_back(target + " of " + of.id + ": " + words);
    }
    return answer;
  }

  const stripe_stage& on_;
  const credentials key_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> answered_{0};
  std::mutex guard_;
  std::vector<sale> sales_;
  lines surprises_;
  std::vector<std::thread> threads_;
};

std::string in_a_row(const lines& all) {
  std::string text;
  for (const auto& each : all) text += (text.empty() ? "" : ", ") + each;
  return text.empty() ? "nothing" : text;
}

lines sorted(lines all) {
  std::ranges::sort(all);
  return all;
}

/// The states that the payment may have here. An authorization that ended there before the gateway had an answer is a
/// failed payment here.
lines states_of(const payment_at_stripe& there, const sale& of) {
  if (there.status == "requires_capture") return {"authorized"};
  if (there.status == "canceled") return of.authorized ? lines{"voided"} : lines{"voided", "failed"};
  if (there.status != "succeeded") return {"failed"};
  const auto refunded = there.refunded();
  if (refunded == 0) return {"captured"};
  if (refunded == there.captured) return {"refunded"};
  // A lost dispute changes no state, but a refund of all that it has left does.
  const bool nothing_left = refunded + there.disputed({"lost"}) >= there.captured;
  return nothing_left ? lines{"refunded", "partially_refunded"} : lines{"partially_refunded"};
}

/// The gateway's ledger of one payment.
struct booked {
  lines captured;  ///< `captured 4200`
  int failed = 0;
  std::map<std::string, lines> by_ref;  ///< of refunds and disputes, by Stripe's reference: `refunded 700`

  std::int64_t count(const std::string& kind) const {
    std::int64_t found = 0;
    for (const auto& [ref, entries] : by_ref)
      found += std::ranges::count_if(entries, [&](const auto& each) { return each.starts_with(kind + ' '); });
    return found;
  }
};

/// Compares each payment here with what it is at Stripe.
class truth_audit {
 public:
  truth_audit(const stripe_stage& on, const stripe_shop& shop, const std::vector<sale>& sales)
      : on_{on}, shop_{shop}, sales_{sales}, caller_{on.gateway, shop.account.test} {}

  lines run() {
    read_rows();
    read_effects();
    std::map<std::string, payment_at_stripe> there;
    for (auto& each : payments_at(on_.stripe, shop_.connected)) {
      const auto intent = each.intent;
      if (!there.emplace(each.payment, std::move(each)).second) fault(intent + " is a second one of its payment");
    }
    for (const auto& of : sales_) {
      const auto found = there.extract(of.id);
      check(of, found.empty() ? payment_at_stripe{} : found.mapped());
    }
    for (const auto& [id, each] : there) fault(each.intent + " is of no client");
    for (const auto& [id, row] : rows_) fault(id + " is of no client: " + row);
    for (const auto& [id, what] : faults_of_ledger(on_.gateway, shop_.account.id)) fault(id + ": " + what);
    return std::move(broken_);
  }

 private:
  void fault(const std::string& what) {
    if (broken_.size() < 30) broken_.push_back(what);
  }

  /// Calls `each` with the columns of every row.
  template <class Each>
  void for_rows(const std::string& select, const std::string& rest, Each each) const {
    const auto query = select + " WHERE merchant_id = '" + shop_.account.id + "'" + rest + ";";
    for (const auto& row : lines_of(on_.gateway.sql(query))) {
      lines columns;
      std::istringstream in{row};
      for (std::string column; std::getline(in, column, '\t');) columns.push_back(column);
      columns.resize(4);
      each(columns, row);
    }
  }

  void read_rows() {
    for_rows(
        "SELECT payment_id, state, amount, captured, refunded, CASE WHEN open_command IS NULL THEN 'closed' ELSE "
        "'open' END FROM payments",
        "", [&](const lines& columns, const std::string& row) { rows_[columns[0]] = row.substr(row.find('\t') + 1); });
    for_rows("SELECT payment_id, kind, amount, movement_ref FROM ledger", " ORDER BY payment_id, seq",
             [&](const lines& columns, const std::string&) {
               auto& of = ledger_[columns[0]];
               const auto entry = columns[1] + ' ' + columns[2];
               if (columns[1] == "failed")
                 ++of.failed;
               else
                 (columns[1] == "captured" ? of.captured : of.by_ref[columns[3]]).push_back(entry);
             });
    for_rows(
        "SELECT subject_id, type, COUNT(*) FROM events", " GROUP BY subject_id, type",
        [&](const lines& columns, const std::string&) { events_[columns[0]][columns[1]] = std::stoll(columns[2]); });
  }

  void read_effects() {
    std::set<std::string> keys;
    for (const auto& each : on_.stripe.effects(shop_.connected)) {
      if (each.moves_money() && !each.idempotency_key.empty() && !keys.insert(each.idempotency_key).second)
        fault("the key " + each.idempotency_key + " has moved money twice");
      if (each.kind == "dispute_under_review" || each.kind == "dispute_needs_response") ++updates_[each.payment_intent];
    }
  }

  void check(const sale& of, const payment_at_stripe& there) {
    const auto view = caller_.payment(of.id);
    const auto state = view["state"].text();
    is_ = of.id + " (" + (there.intent.empty() ? "not at Stripe" : there.intent + ' ' + there.status) + "): ";
    if (std::ranges::count(states_of(there, of), state) != 1) fault(is_ + "it is " + state);
    if (!there.intent.empty() && !(view["provider.provider_ref"] == there.intent))
      fault(is_ + "it names " + view["provider.provider_ref"].text());
    check_amounts(of, there, view);
    check_refunds(there, view["refunds"]);
    lines disputes, disputes_there;
    for (const auto& each : view["disputes"].items())
      disputes.push_back(std::to_string(each["amount"].number()) + ' ' + each["status"].text());
    for (const auto& each : there.disputes) disputes_there.push_back(std::to_string(each.amount) + ' ' + each.status);
    if (sorted(disputes) != sorted(disputes_there))
      fault(is_ + "its disputes are " + in_a_row(disputes) + ", and at Stripe " + in_a_row(disputes_there));
    check_told(of, there, view["refunds"]);
    auto& entries = ledger_[of.id];
    check_ledger(there, entries);
    check_events(there, state, entries, events_[of.id]);
  }

  void check_amounts(const sale& of, const payment_at_stripe& there, const json& view) {
    const auto refunded = there.refunded();
    const auto left = std::max<std::int64_t>(there.captured - refunded - there.disputed({"lost"}), 0);
    const std::pair<const char*, std::int64_t> wanted[]{
        {"amount", of.amount},
        {"captured_amount", there.captured},
        {"refunded_total", refunded},
        {"remaining_amount", left},
        {"disputed_amount", there.disputed({"needs_response", "under_review"})}};
    for (const auto& [name, amount] : wanted)
      if (!(view[name] == amount)) fault(is_ + name + " is " + view[name].dump() + ", not " + std::to_string(amount));
    const auto row = view["state"].text() + '\t' + std::to_string(of.amount) + '\t' + std::to_string(there.captured) +
                     '\t' + std::to_string(refunded) + "\tclosed";
    if (rows_[of.id] != row) fault(is_ + "its row is " + rows_[of.id]);
    rows_.erase(of.id);
  }

  /// A refund that failed there before the gateway had seen it is not listed here.
  void check_refunds(const payment_at_stripe& there, const json& listed) {
    lines counted, counted_there, failed, failed_there;
    for (const auto& each : listed.items()) {
      const bool counts = !(each["status"] == "failed");
      (counts ? counted : failed)
          .push_back(std::to_string(each["amount"].number()) + ' ' + each["status"].text() + ' ' +
                     each["origin"].text());
    }
    for (const auto& each : there.refunds)
      (each.status == "failed" ? failed_there : counted_there)
          .push_back(std::to_string(each.amount) + ' ' + each.status + (each.by_gateway ? " api" : " provider"));
    if (sorted(counted) != sorted(counted_there))
      fault(is_ + "its refunds are " + in_a_row(counted) + ", and at Stripe " + in_a_row(counted_there));
    if (!std::ranges::includes(sorted(failed_there), sorted(failed)))
      fault(is_ + "its failed refunds are " + in_a_row(failed) + ", and at Stripe " + in_a_row(failed_there));
  }

  /// An operation that was answered as done is still done, unless Stripe has undone it.
  void check_told(const sale& of, const payment_at_stripe& there, const json& listed) {
    if (of.captured && there.status != "succeeded") fault(is_ + "its client was told that it is captured");
    if (of.voided && there.status != "canceled") fault(is_ + "its client was told that it is voided");
    std::map<std::string, int> known;
    for (const auto& each : listed.items())
      ++known[each["refund_id"].text() + ' ' + std::to_string(each["amount"].number()) + ' ' + each["origin"].text()];
    for (const auto& [id, amount] : of.refunds)
      if (known[id + ' ' + std::to_string(amount) + " api"] != 1)
        fault(is_ + "its client was told of the refund " + id + " of " + std::to_string(amount));
  }

  /// Each refund that Stripe has not undone has exactly one entry. An undone one has both entries or none, because the
  /// gateway may have seen neither. The same holds for the amount that a dispute takes and returns.
  void check_ledger(const payment_at_stripe& there, booked& entries) {
    const auto captured = there.captured > 0 ? lines{"captured " + std::to_string(there.captured)} : lines{};
    if (entries.captured != captured) fault(is_ + "its ledger has " + in_a_row(entries.captured));
    if (entries.failed > 1) fault(is_ + "its ledger has " + std::to_string(entries.failed) + " failures");
    auto left = entries.by_ref;
    const auto booked_under = [&](const std::string& ref) {
      const auto found = left.extract(ref);
      return found.empty() ? lines{} : found.mapped();
    };
    for (const auto& each : there.refunds) {
      const auto found = booked_under(each.id);
      const auto amount = std::to_string(each.amount);
      const bool fits = each.status != "failed"
                            ? found == lines{"refunded " + amount}
                            : found.empty() || found == lines{"refunded " + amount, "refund_failed " + amount};
      if (!fits) fault(is_ + each.id + " of " + amount + ' ' + each.status + " is booked as " + in_a_row(found));
    }
    for (const auto& each : there.disputes) {
      const auto found = booked_under(each.id);
      if (!is_booked(each, found))
        fault(is_ + each.id + " of " + std::to_string(each.amount) + ' ' + each.status + " has moved " +
              std::to_string(each.net()) + " in " + std::to_string(each.balance.size()) + " steps, and is booked as " +
              in_a_row(found));
    }
    for (const auto& [ref, found] : left) fault(is_ + "booked for nothing at Stripe, " + ref + ": " + in_a_row(found));
  }

  static bool is_booked(const movement_at_stripe& dispute, const lines& found) {
    // An inquiry that never became a chargeback moves nothing.
    if (dispute.balance.empty()) return found.empty();
    const auto amount = ' ' + std::to_string(dispute.amount);
    const lines taken{"dispute_opened" + amount};
    if (dispute.status == "won") return found.empty() || found == lines{taken[0], "dispute_won" + amount};
    if (dispute.status == "lost") return found == lines{taken[0], "dispute_lost" + amount};
    return found == taken;
  }

  /// One event for each difference.
  void check_events(const payment_at_stripe& there, const std::string& state, const booked& entries,
                    std::map<std::string, std::int64_t>& found) {
    const auto closed = std::ranges::count_if(
        there.disputes, [](const auto& each) { return each.status == "won" || each.status == "lost"; });
    const std::map<std::string, std::int64_t> wanted{
        {"payment.captured", there.captured > 0 ? 1 : 0},
        {"payment.voided", state == "voided" ? 1 : 0},
        {"payment.failed", entries.failed},
        {"payment.refund_failed", entries.count("refund_failed")},
        {"dispute.opened", static_cast<std::int64_t>(there.disputes.size())},
        {"dispute.closed", closed}};
    for (const auto& [type, count] : wanted)
      if (found[type] != count) fault(is_ + type + " was told " + std::to_string(found[type]) + " times");
    const auto refunds = found["payment.partially_refunded"] + found["payment.refunded"];
    if (refunds != entries.count("refunded")) fault(is_ + std::to_string(refunds) + " events report its refunds");
    if (found["dispute.updated"] > updates_[there.intent])
      fault(is_ + "dispute.updated was told " + std::to_string(found["dispute.updated"]) + " times");
  }

  const stripe_stage& on_;
  const stripe_shop& shop_;
  const std::vector<sale>& sales_;
  api caller_;
  std::string is_;  ///< the payment that is checked
  std::map<std::string, std::string> rows_;
  std::map<std::string, booked> ledger_;
  std::map<std::string, std::map<std::string, std::int64_t>> events_;  ///< how many of each type
  std::map<std::string, std::int64_t> updates_;  ///< by payment intent: how often its disputes changed, and stayed open
  lines broken_;
};

/// By operators' commands, makes the gateway read Stripe's list of events and ask about each payment. Returns what was
/// refused.
lines bring_together(const stripe_stage& on, const stripe_shop& shop, const std::vector<sale>& sales) {
  lines refused;
  const auto run = [&](const std::vector<std::string>& command) {
    std::string why;
    const bool done = eventually([&] {
      const auto ran = on.gateway.run_ctl(command);
      why = ran.err;
      return ran.code == 0;
    });
    if (!done) refused.push_back(command[2] + ": " + why);
  };
  // The list is not read while the provider counts as away: the answers to the payments show that it is back.
  for (const auto& of : sales) {
    run({"payment", "refresh", of.id, "--merchant", shop.account.id, "--mode", "test"});
    if (refused.size() == 3) break;
  }
  run({"provider", "backfill", "stripe", "--mode", "test"});
  return refused;
}

}  // namespace

TEST_CASE("stripe: kill -9 of the gateway and of Stripe while payments change there: each becomes as Stripe has it") {
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
  sellers clients{on, shop.account.test, std::min(environment_or("GATEWAY_CRASH_CLIENTS", 8), 8), seed};
  outside_events outside{on.stripe, shop.connected, seed};
  const auto progress = [&] {
    const auto before = clients.answered(), acts_before = outside.count();
    return eventually([&] { return clients.answered() >= before + 20 && outside.count() >= acts_before + 10; });
  };
  REQUIRE(kill_in_turns(on.gateway, on.stripe, rounds, random, progress));
  clients.stop();
  outside.stop();
  on.stripe.mends();

  CHECK(left_open(on.gateway, shop.account) == lines{});
  const auto& sales = clients.sales();
  CHECK(bring_together(on, shop, sales) == lines{});
  auto broken = truth_audit{on, shop, sales}.run();
  restart_both(on.gateway, on.stripe);
  std::ranges::copy(truth_audit{on, shop, sales}.run(), std::back_inserter(broken));
  lines acts;
  for (const auto& [act, count] : outside.by_act()) acts.push_back(std::to_string(count) + ' ' + act);
  std::cout << to_string(store) << ", kill -9 of the gateway and of Stripe, and payments change there: " << rounds
            << " rounds, " << sales.size() << " payments, " << clients.answered() << " writes answered, at Stripe "
            << in_a_row(acts) << ", " << broken.size() + clients.surprises().size() << " broken promises (seed " << seed
            << ")" << std::endl;
  INFO(in_a_row(clients.surprises()));
  CHECK(clients.surprises().empty());
  INFO(in_a_row(broken));
  CHECK(broken.empty());
}
