// Parts are killed while subscriptions are billed. Afterwards each cycle that the provider billed is one captured
// payment, no cycle is missing between two, every cycle that an operator's answer reported exists, and each event was
// sent under one id.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <ranges>
#include <set>
#include <thread>

#include "crash_fixture.hpp"
#include "subscribing.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

constexpr int subscriptions = 8;

/// The cycles that operators requested, and the answers.
struct billed {
  std::string id;
  std::atomic<int> answered = 0;    ///< cycles
  std::atomic<int> unanswered = 0;  ///< requested, without an answer
};

/// Operators who advance subscriptions from cycle to cycle until they are stopped.
class billing {
 public:
  billing(subscribing& who, std::vector<billed>& all) : who_{who} {
    for (auto& each : all) threads_.emplace_back([this, &each] { bill(each); });
  }
  ~billing() { stop(); }

  void stop() {
    stopping_ = true;
    for (auto& each : threads_) each.join();
    threads_.clear();
  }

 private:
  void bill(billed& one) {
    for (int turn = 0; !stopping_; ++turn) try {
        if (turn % 3 == 2)
          who_.move({one.id, "--cycle", "paid", "--repeat", "2", "--reorder"});
        else
          who_.move({one.id, "--cycle", "paid"});
        ++one.answered;
      } catch (const std::exception&) {
        ++one.unanswered;
        std::this_thread::sleep_for(50ms);
      }
  }

  subscribing& who_;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

/// The payments of a subscription's cycles, from the first to the last.
std::vector<json> cycles_of(subscribing& who, const std::string& provider_id) {
  std::vector<json> all;
  for (int cycle = 1;; ++cycle) {
    const auto id = "pay_in_" + provider_id.substr(provider_id.find('_') + 1) + '_' + std::to_string(cycle);
    const auto answer = who.platform.get("/v1/payment_intents/" + id, who.as());
    if (answer.status == 404) return all;
    all.push_back(json::parse(answer.body));
  }
}

class billing_crash : public crash_fixture {
 public:
  explicit billing_crash(const fixture_options& options) : crash_fixture{options}, who_{*gateway} {
    set_destination(*gateway, who_.who, receiver_.url(), "live", every_event);
    for (auto& each : all_) each.id = who_.subscribe(who_.new_id());
  }

  /// `break_it` breaks a part and repairs it, while operators continue.
  void run(const std::string& fault, const std::function<void()>& break_it) {
    {
      billing operators{who_, all_};
      for (int round = 0; round < settings.rounds; ++round) {
        const auto before = answered();
        CHECK(eventually([&] { return answered() > before + 10; }));
        std::this_thread::sleep_for(between(0, 100));
        break_it();
        who_.platform = api{*gateway, who_.who.key};
      }
      const auto before = answered();
      CHECK(eventually([&] { return answered() > before + 10; }));
    }
    check(fault);
  }

 private:
  int answered() const {
    int sum = 0;
    for (const auto& each : all_) sum += each.answered;
    return sum;
  }

  void check(const std::string& fault) {
    CAPTURE(fault, to_string(store), settings.seed);
    for (const auto& each : all_) {
      CAPTURE(each.id);
      // An operator is answered once the cycle is durable at the provider. Events that could not be sent then are sent
      // afterwards.
      const auto durable = static_cast<std::size_t>(1 + each.answered);
      CHECK(eventually([&] { return cycles_of(who_, at_provider(each)).size() >= durable; }));
      CHECK(eventually([&] { return who_.status(each.id) == "active"; }));
    }
    // A cycle whose answer a kill cut off may still be announced, however late: both sides are polled until they agree.
    std::map<std::string, std::vector<json>> found;
    std::map<std::string, std::set<std::string>> events_of_payment;
    std::size_t cycles = 0;
    std::set<std::string> payments;
    CHECK(eventually([&] {
      found.clear();
      payments.clear();
      cycles = 0;
      bool agree = true;
      for (const auto& each : all_) {
        auto& its = found[each.id] = cycles_of(who_, at_provider(each));
        for (const auto& payment : its) payments.insert(payment["payment_id"].text());
        cycles += its.size();
        agree = agree && told_cycles(at_provider(each)) == its.size();
      }
      events_of_payment = told_payments();
      return agree && std::ranges::equal(payments, events_of_payment | std::views::keys);
    }));
    CHECK(payments.size() == cycles);
    for (const auto& each : all_) {
      CAPTURE(each.id);
      const auto count = static_cast<int>(found[each.id].size());
      CHECK(count >= 1 + each.answered);
      CHECK(count <= 1 + each.answered + each.unanswered);
      for (const auto& payment : found[each.id]) {
        CHECK(payment["state"] == "captured");
        CHECK(payment["amount"].dump() == "1900");
      }
    }
    for (const auto& [payment, events] : events_of_payment) {
      CAPTURE(payment);
      CHECK(events.size() == 1);
      CHECK(payments.contains(payment));
    }
    CHECK(delivered_ids(receiver_)["subscription.activated"].size() == all_.size());
    std::cout << to_string(store) << ", " << fault << ": " << settings.rounds << " rounds, " << cycles
              << " cycles billed, each one captured payment (seed " << settings.seed << ")" << std::endl;
  }

  std::string at_provider(const billed& one) { return who_.seen(one.id)["provider_subscription_id"].text(); }

  /// The ids of the events about a cycle's payment, by payment.
  std::map<std::string, std::set<std::string>> told_payments() {
    std::map<std::string, std::set<std::string>> reported;
    for (const auto& post : receiver_.posts())
      if (post.type() == "payment.succeeded") reported[post.envelope()["data.payment_id"].text()].insert(post.event());
    return reported;
  }

  std::size_t told_cycles(const std::string& provider_id) {
    std::set<std::string> ids;
    for (const auto& post : receiver_.posts())
      if (post.type() == "subscription.invoice_paid" &&
          post.envelope()["data.provider_subscription_id"].text() == provider_id)
        ids.insert(post.event());
    return ids.size();
  }

  subscribing who_;
  webhook_receiver receiver_;
  std::vector<billed> all_ = std::vector<billed>(subscriptions);
};

}  // namespace

TEST_CASE("kill -9 of the gateway while subscriptions are billed loses no cycle and charges none twice") {
  billing_crash crash{{.store = GENERATE(from_range(stores()))}};
  crash.run("kill -9 of the gateway while it bills", [&] {
    crash.gateway->kill();
    crash.gateway->start();
  });
}

TEST_CASE("kill -9 of MariaDB while subscriptions are billed loses no cycle and charges none twice") {
  if (std::ranges::count(stores(), store_kind::mysql) == 0) return;
  billing_crash crash{{.store = store_kind::mysql, .own_database = true}};
  crash.run("kill -9 of MariaDB while subscriptions are billed", [&] {
    crash.database->kill();
    std::this_thread::sleep_for(crash.between(0, 500));
    crash.database->start();
    CHECK(eventually([&] { return crash.gateway->ready(); }));
  });
}
