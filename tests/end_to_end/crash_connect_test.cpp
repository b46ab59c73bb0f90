// kill -9 between consent, code, exchange and revoke: every answer still holds afterwards.
#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <thread>

#include "crash_fixture.hpp"
#include "platform.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// Faults found on other threads; Catch's assertions may be used on one thread only.
class fault_list {
 public:
  void add(std::string what) {
    const std::lock_guard hold{access_};
    if (all_.size() < 20) all_.push_back(std::move(what));
  }
  std::vector<std::string> take() {
    const std::lock_guard hold{access_};
    return std::move(all_);
  }

 private:
  std::mutex access_;
  std::vector<std::string> all_;
};

/// The gateway is down or has not decided: the same request may be repeated.
bool undecided(const reply& answer) { return answer.status >= 500 || answer.status == 409; }

/// One merchant's owner, and the platform's program for that merchant. Each grant is given, exchanged, used and
/// revoked.
class pair_of_people {
 public:
  pair_of_people(const gateway_process& gateway, platform_account platform, int number, std::atomic<bool>& stopping,
                 fault_list& faults)
      : gateway_{gateway},
        platform_{std::move(platform)},
        email_{"owner" + std::to_string(number) + "@example.com"},
        shop_{new_merchant(gateway, {.name = "Shop " + std::to_string(number), .owner_email = email_})},
        stopping_{stopping},
        faults_{faults} {
    add_person(gateway, shop_.id, email_);
  }

  void run() {
    api signer{gateway_, platform_.key};
    visitor owner{gateway_};
    while (!stopping_) {
      const auto code = agree(owner);
      if (!code) return;
      cycle(signer, *code);
    }
  }

  int cycles() const { return cycles_; }
  const merchant_account& shop() const { return shop_; }

 private:
  template <class Ask>
  std::optional<reply> until_decided(Ask ask) {
    for (int tries = 0; tries < 600; ++tries) {
      try {
        auto answer = ask();
        if (!undecided(answer)) return answer;
      } catch (const connection_failed&) {}
      std::this_thread::sleep_for(50ms);
    }
    faults_.add("a request of " + email_ + " is not decided for half a minute");
    return std::nullopt;
  }

  std::optional<std::string> agree(visitor& owner) {
    for (int tries = 0; tries < 600; ++tries) {
      try {
        return consent(owner, email_, authorize_target(platform_, "payments:write payments:read", "test"));
      } catch (const std::exception& failure) {
        last_ = failure.what();
      }
      std::this_thread::sleep_for(50ms);
    }
    faults_.add(email_ + " gets no code for half a minute: " + last_);
    return std::nullopt;
  }

  void cycle(api& signer, const std::string& code) {
    call first;
    const auto granted = until_decided([&] { return exchange(signer, platform_, code, first); });
    if (!granted) return;
    if (granted->status != 200) return faults_.add("a code that was given is refused: " + granted->body);
    const auto again = until_decided([&] { return exchange(signer, platform_, code, first); });
    if (again && again->body != granted->body) faults_.add("an exchange is answered in two ways: " + again->body);
    const auto twice = until_decided([&] { return exchange(signer, platform_, code, call{}); });
    if (twice && twice->status != 400) faults_.add("a code buys two exchanges: " + twice->body);

    const auto grant = json::parse(granted->body)["grant_id"].text();
    const auto create = [&] {
      const auto how = on_behalf_of(shop_.id);
      const auto body = server_payment(new_payment_id()).text();
      return until_decided([&] { return signer.post("/v1/payment_intents?environment=test", body, how); });
    };
    const auto made = create();
    if (made && made->status != 200) faults_.add("a grant that was exchanged is not in force: " + made->body);

    const call revoke;
    const auto gone = until_decided([&] { return signer.post("/v1/grants/" + grant + "/revoke", {}, revoke); });
    if (!gone) return;
    if (gone->status != 204) return faults_.add("a grant is not revoked: " + gone->body);
    for (int i = 0; i < 3; ++i) {
      const auto late = create();
      if (late && late->status != 403) faults_.add("a platform acts after its revoke was answered: " + late->body);
      std::this_thread::sleep_for(20ms);
    }
    ++cycles_;
  }

  const gateway_process& gateway_;
  platform_account platform_;
  std::string email_;
  merchant_account shop_;
  std::atomic<bool>& stopping_;
  fault_list& faults_;
  std::atomic<int> cycles_ = 0;
  std::string last_;
};

}  // namespace

TEST_CASE("kill -9 of the gateway between consent, code, exchange and revoke breaks no answer") {
  const auto settings = crash_settings::of_environment();
  gateway_process gateway{gateway_options{.store = GENERATE(from_range(stores()))}};
  const auto platform = new_platform(gateway, "acme");
  std::atomic<bool> stopping = false;
  fault_list faults;
  std::vector<std::unique_ptr<pair_of_people>> pairs;
  for (int i = 0; i < 4; ++i) pairs.push_back(std::make_unique<pair_of_people>(gateway, platform, i, stopping, faults));
  std::vector<std::thread> threads;
  for (const auto& each : pairs) threads.emplace_back([&each] { each->run(); });

  std::mt19937 random{settings.seed};
  const auto cycles = [&] {
    int sum = 0;
    for (const auto& each : pairs) sum += each->cycles();
    return sum;
  };
  for (int round = 0; round < 3 * settings.rounds; ++round) {
    const auto before = cycles();
    CHECK(eventually([&] { return cycles() > before + 2; }));
    std::this_thread::sleep_for(std::chrono::milliseconds{std::uniform_int_distribution<>{1, 300}(random)});
    gateway.kill();
    gateway.start();
  }
  stopping = true;
  for (auto& each : threads) each.join();
  for (const auto& fault : faults.take()) FAIL_CHECK(fault);

  int grants = 0;
  for (const auto& each : pairs) {
    int active = 0;
    const auto list = gateway.ctl({"grant", "list", "--merchant", each->shop().id})["grants"];
    for (const auto& grant : list.items()) {
      ++grants;
      if (grant["status"] == "active") ++active;
    }
    CHECK(active <= 1);
  }
  CHECK(grants > 0);
  WARN(cycles() << " grants given, exchanged, used and revoked, " << grants << " listed, " << 3 * settings.rounds
                << " kills");
}
