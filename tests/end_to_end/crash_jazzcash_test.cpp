// The gateway and the stand-in for JazzCash are killed while customers pay, decline, leave, and come back or not, while
// inquiries fail in every way, and while the wallet reverses payments by itself. Afterwards the wallet's ledger, the
// API, the rows and the answers to merchants and customers agree, payment by payment.
#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "audit.hpp"
#include "crash_jazzcash_customers.hpp"
#include "crash_turns.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// The ledger's record of one payment.
struct wallet_record {
  std::set<std::string> refs;  ///< the references of its transactions
  int paid = 0;
  int reversed = 0;
  std::int64_t amount = 0;  ///< the total paid
  std::string code;  ///< the last result code; empty while the customer has pressed no button
};

/// The payment in the form's ppmpf_1. The gateway writes it in hexadecimal digits as the last of three lines.
std::string payment_named_in(const json& form) {
  const auto digits = form["ppmpf_1"].text();
  std::string text;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return text.substr(text.rfind('\n') + 1);
}

std::map<std::string, wallet_record> records_in(const jazzcash_process& wallet) {
  std::map<std::string, wallet_record> all;
  std::map<std::string, std::string> payment_of;
  for (const auto& line : wallet.ledger()) {
    const auto ref = line["ref"].text();
    if (line["kind"] == "opened") payment_of[ref] = payment_named_in(line["form"]);
    auto& record = all[payment_of[ref]];
    record.refs.insert(ref);
    if (line["kind"] == "opened") continue;
    record.code = line["code"].text();
    record.reversed += line["kind"] == "reversed" ? 1 : 0;
    if (line["kind"] == "paid") {
      ++record.paid;
      record.amount += std::stoll(line["amount"].text());
    }
  }
  return all;
}

std::string in_words(const lines& all) {
  std::string text;
  for (const auto& each : all) text += (text.empty() ? "" : ", ") + each;
  return text;
}

class wallet_audit {
 public:
  wallet_audit(const wallet_scene& on, const std::vector<wallet_visit>& visits)
      : on_{on}, visits_{visits}, merchant_{on.gateway, on.account.test} {}

  lines run() {
    auto records = records_in(on_.wallet);
    auto rows = rows_now();
    for (const auto& of : visits_) {
      const auto record = records.extract(of.id);
      const auto row = rows.extract(of.id);
      check(of, record.empty() ? wallet_record{} : record.mapped(), row.empty() ? "missing" : row.mapped());
      check_repeated(of);
    }
    for (const auto& [id, record] : records) fault(id + " is of no client, and the wallet knows it");
    for (const auto& [id, row] : rows) fault(id + " is of no client: " + row);
    for (const auto& [id, what] : faults_of_ledger(on_.gateway, on_.account.id)) fault(id + ": " + what);
    return std::move(broken_);
  }
  std::size_t paid() const { return paid_; }
  std::size_t expired() const { return expired_; }
  std::size_t reversed() const { return reversed_; }

 private:
  void fault(const std::string& what) {
    if (broken_.size() < 30) broken_.push_back(what);
  }

  std::map<std::string, std::string> rows_now() const {
    std::map<std::string, std::string> rows;
    for (const auto& row : lines_of(on_.gateway.sql(
             "SELECT payment_id, state, amount, captured, refunded, provider_ref, CASE WHEN open_command IS NULL THEN "
             "'closed' ELSE 'open' END FROM payments WHERE merchant_id = '" +
             on_.account.id + "';")))
      rows[row.substr(0, row.find('\t'))] = row.substr(row.find('\t') + 1);
    return rows;
  }

  void check(const wallet_visit& of, const wallet_record& record, const std::string& row) {
    const auto view = merchant_.payment(of.id);
    // A payment that was reversed before the gateway saw it paid is a failed one.
    const bool missed = record.reversed > 0 && view["state"] == "failed";
    const bool paid = record.paid > 0 && !missed, returned = paid && record.reversed > 0;
    const auto is = of.id + " (the wallet: " + (record.refs.empty() ? "unknown" : record.code) + "): ";
    paid_ += record.paid > 0 ? 1 : 0;
    reversed_ += record.reversed > 0 ? 1 : 0;
    if (record.paid > 1 || record.reversed > 1 || record.refs.size() > 1)
      fault(is + "there is more than one transaction");
    if (record.paid > 0 && (record.amount != of.amount || record.code != (record.reversed > 0 ? "122" : "121")))
      fault(is + "another amount, or failed when paid");

    const std::string state = returned ? "refunded" : paid ? "captured" : "failed";
    if (!(view["state"] == state)) fault(is + "it is " + view["state"].text());
    const auto error = view["provider.error.code"].text();
    if (!missed) check_failure(is, paid, record.code, error);
    if (missed && error != "PAYMENT_DECLINED") fault(is + "its error is " + error);

    const auto happened = history(merchant_.timeline(of.id));
    const std::map<std::string, bool> events{{"captured", paid}, {"failed", !paid}, {"refunded", returned}};
    for (const auto& [event, once] : events)
      if (std::ranges::count(happened, "event payment." + event + " published") != (once ? 1 : 0))
        fault(is + "its history is " + in_words(happened));

    for (const auto& shown : of.shown)
      if (shown != "confirming" && (shown == "thanks") != paid) fault(is + "its customer was led to " + shown);

    const auto ref = record.refs.empty() ? of.ref : *record.refs.begin();
    if (!of.ref.empty() && of.ref != ref) fault(is + "the page named " + of.ref + ", the wallet has " + ref);
    const auto amount = std::to_string(of.amount);
    const auto begins =
        state + '\t' + amount + '\t' + (paid ? amount : "0") + '\t' + (returned ? amount : "0") + '\t' + ref;
    if (!row.starts_with(begins) || !row.ends_with("\tclosed")) fault(is + "its row is " + row);
  }

  void check_failure(const std::string& is, bool paid, const std::string& code, const std::string& reported) {
    const std::set<std::string> declines{"060", "004", "112"};
    if (paid ? !reported.empty() : reported != (declines.contains(code) ? "PAYMENT_DECLINED" : "PAYMENT_EXPIRED"))
      fault(is + "its error is " + reported);
    if (reported == "PAYMENT_EXPIRED") ++expired_;
  }

  /// The original answer is replayed.
  void check_repeated(const wallet_visit& of) {
    if (!of.reported) return;
    const auto again = merchant_.post("/v1/payment_intents", of.body, of.made);
    if (again.status != of.reported->status || again.body != of.reported->body || !again.replayed())
      fault(of.id + " was answered " + of.reported->body + ", and then " + again.body);
  }

  const wallet_scene& on_;
  const std::vector<wallet_visit>& visits_;
  api merchant_;
  lines broken_;
  std::size_t paid_ = 0, expired_ = 0, reversed_ = 0;
};

/// Waits until every payment is paid, failed or reversed, and no request is under way. If the inquiry at the end of the
/// wait fails, it is repeated a minute later.
std::string left_waiting(const wallet_scene& on) {
  std::string open;
  eventually(
      [&] {
        std::this_thread::sleep_for(200ms);
        open = on.gateway.sql(
            "SELECT payment_id, state, open_command FROM payments WHERE merchant_id = '" + on.account.id +
            "' AND (open_command IS NOT NULL OR state NOT IN ('captured', 'failed', 'refunded')) UNION ALL "
            "SELECT subject_id, operation, idempotency_key FROM commands WHERE merchant_id = '" +
            on.account.id + "' AND status IS NULL;");
        return open.empty();
      },
      150s);
  return open;
}

/// Refreshes each paid payment by an operator's command, which finds the reversals. Returns the refused commands.
lines refresh_paid(const wallet_scene& on, const std::vector<wallet_visit>& visits) {
  const auto records = records_in(on.wallet);
  lines refused;
  for (const auto& of : visits) {
    const auto record = records.find(of.id);
    if (record == records.end() || record->second.paid == 0) continue;
    const bool done = eventually([&] {
      return on.gateway.run_ctl({"payment", "refresh", of.id, "--merchant", on.account.id, "--mode", "test"}).code == 0;
    });
    if (!done) refused.push_back(of.id);
    if (refused.size() == 3) break;
  }
  return refused;
}

}  // namespace

TEST_CASE(
    "jazzcash: kill -9 of the gateway and of the wallet while customers use both: every paid payment is captured") {
  const auto store = GENERATE(from_range(stores()));
  const auto rounds = environment_or("GATEWAY_CRASH_ROUNDS", 2);
  const auto seed = static_cast<unsigned>(
      environment_or("GATEWAY_CRASH_SEED", static_cast<int>(std::random_device{}() & 0x7fffffff)));
  CAPTURE(to_string(store), seed);
  std::mt19937 random{seed};
  wallet_scene on{store};
  shoppers customers{on, std::min(environment_or("GATEWAY_CRASH_CLIENTS", 8), 8), seed};
  const auto progress = [&] {
    const auto before = customers.done();
    return eventually([&] { return customers.done() >= before + 20; });
  };
  REQUIRE(kill_in_turns(on.gateway, on.wallet, rounds, random, progress));
  customers.stop();
  on.wallet.mends();

  CHECK(left_waiting(on) == "");
  CHECK(refresh_paid(on, customers.visits()) == lines{});
  wallet_audit first{on, customers.visits()};
  auto broken = first.run();
  restart_both(on.gateway, on.wallet);
  std::ranges::copy(wallet_audit{on, customers.visits()}.run(), std::back_inserter(broken));
  std::cout << to_string(store) << ", kill -9 of the gateway and of the wallet: " << rounds << " rounds, "
            << customers.visits().size() << " payments, " << first.paid() << " paid, " << first.reversed()
            << " of them reversed, " << first.expired() << " expired, " << broken.size() + customers.surprises().size()
            << " broken promises (seed " << seed << ")" << std::endl;
  INFO(in_words(customers.surprises()));
  CHECK(customers.surprises().empty());
  INFO(in_words(broken));
  CHECK(broken.empty());
}
