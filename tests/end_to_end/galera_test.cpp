// Several nodes over a Galera cluster of three members. Under load a member is killed, slow or hangs, or the nodes are
// replaced by a version with another schema.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <sstream>
#include <thread>

#include "audit.hpp"
#include "cluster.hpp"
#include "destinations.hpp"
#include "load.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "provider_process.hpp"
#include "text.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point then) {
  return std::chrono::duration<double>(clock_type::now() - then).count();
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += '\n' + line;
  return text;
}

/// The cluster of all cases here.
galera_cluster& members() {
  static galera_cluster made;
  return made;
}

bool can_run() {
  const auto missing = galera_cluster::missing();
  if (!missing.empty()) WARN("NOT RUN: this machine has no " << missing);
  return missing.empty();
}

std::size_t rounds() { return static_cast<std::size_t>(environment_or("GATEWAY_GALERA_ROUNDS", 1)); }

/// Two nodes that prefer different members, a merchant with a destination, and clients of both nodes.
struct galera_fixture {
  explicit galera_fixture(std::filesystem::path version = {}) : gatewayd{std::move(version)} {}

  std::filesystem::path gatewayd;  ///< that the nodes start with; empty: this build's
  provider_process provider;
  webhook_receiver receiver;
  cluster nodes{2,
                {.database = members().new_database(),
                 .provider = provider.socket(),
                 .arguments = {"--reconcile-first=200ms", "--reconcile-interval=100ms"},
                 .gatewayd = gatewayd}};
  merchant_account shop = live_merchant(nodes[0]);
  merchant_account bystander = new_merchant(nodes[0]);
  webhook_destination to = set_destination(nodes[0], shop, receiver.url(), "live");
  load clients{{&nodes[0], &nodes[1]}, shop, 8, seed()};

  static unsigned seed() { return static_cast<unsigned>(environment_or("GATEWAY_CRASH_SEED", 42)); }

  static merchant_account live_merchant(const gateway_process& node) {
    auto made = new_merchant(node, {"Lantern Books", "standard", "", true});
    made.test = made.live;  // the clients sign with it
    return made;
  }

  bool makes_progress(std::uint64_t writes) const {
    const auto before = clients.answered();
    return eventually([&] { return clients.answered() >= before + writes; });
  }

  double writes_per_second(std::chrono::milliseconds during) const {
    const auto began = clock_type::now();
    const auto before = clients.answered();
    std::this_thread::sleep_for(during);
    return static_cast<double>(clients.answered() - before) / seconds_since(began);
  }

  /// Seconds until that node has made a payment.
  double serves_again(std::size_t node) const {
    const auto began = clock_type::now();
    const bool serves = eventually(
        [&] {
          try {
            api caller{nodes[node], bystander.test};
            return caller.create(server_payment(new_payment_id(), "pm_card_visa")).status == 200;
          } catch (const connection_failed&) {
            return false;
          }
        },
        hang_timeout);
    CHECK(serves);
    return seconds_since(began);
  }

  /// Ends the clients, and compares their answers with the rows, the ledger and the webhooks.
  void holds(const std::string& what) {
    CHECK(makes_progress(60));
    clients.stop();
    CHECK(left_open(nodes[0], shop) == std::vector<std::string>{});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto broken = audit(nodes[i], provider.ledger(), shop, clients.records());
      INFO("as node " << i + 1 << " tells:" << joined(broken));
      CHECK(broken.empty());
    }
    INFO(joined(clients.unexpected_answers()));
    CHECK(clients.unexpected_answers().empty());
    CHECK(clients.without_retry_after() == 0);
    CHECK(clients.in_doubt() == 0);
    CHECK(left_undelivered(nodes[0], shop) == std::vector<std::string>{});
    const auto reported = audit_deliveries(nodes[0], shop, "live", {{receiver, to}});
    INFO("webhooks:" << joined(reported.broken));
    CHECK(reported.broken.empty());
    std::cout << "galera, " << what << ": " << clients.records().size() << " payments, " << clients.answered()
              << " writes answered, " << clients.repeated() << " sent again, " << clients.unavailable()
              << " answers of 503, " << reported.events << " events in " << reported.posts << " posts" << std::endl;
  }
};

/// A member that takes 30 ms longer for each row of `commands` that it applies or inserts.
class slow_member {
 public:
  /// Once for each database, before a member is slow.
  static void prepare(const std::string& database) {
    const auto made = members().sql(0, "USE " + database +
                                           "; CREATE TRIGGER slow BEFORE INSERT ON commands FOR EACH ROW SET @slept = "
                                           "IF(@@GLOBAL.slave_run_triggers_for_rbr = 'ENFORCE', SLEEP(0.03), 0)");
    REQUIRE(made.err == "");
  }

  explicit slow_member(std::size_t member) : member_{member} { set("ENFORCE"); }
  ~slow_member() { set("NO"); }
  slow_member(const slow_member&) = delete;
  slow_member& operator=(const slow_member&) = delete;

 private:
  void set(const std::string& value) const {
    CHECK(members().sql(member_, "SET GLOBAL slave_run_triggers_for_rbr = " + value).err == "");
  }

  std::size_t member_;
};

/// How often nodes have committed on each member.
std::array<long, galera_cluster::size> commits() {
  std::array<long, galera_cluster::size> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::stol(members().status(i, "wsrep_local_commits"));
  return counts;
}

bool all_in_step() {
  for (std::size_t i = 0; i < galera_cluster::size; ++i)
    if (members().status(i, "wsrep_local_state_comment") != "Synced" ||
        members().status(i, "wsrep_cluster_size") != "3")
      return false;
  return true;
}

}  // namespace

// Nodes that cannot pass requests to each other: only the database makes them agree.
TEST_CASE("galera: nodes on different members, which do not reach each other, agree") {
  if (!can_run()) return;
  provider_process provider;
  cluster nodes{2, {.database = members().new_database(), .provider = provider.socket(), .linked = false}};
  const auto shop = new_merchant(nodes[0]);
  api here{nodes[0], shop.test}, there{nodes[1], shop.test};
  constexpr int payments = 20;
  for (int round = 0; round < payments; ++round) {
    CAPTURE(round);
    const auto id = new_payment_id();
    REQUIRE(here.create(server_payment(id, "pm_card_visa")).status == 200);
    REQUIRE(there.capture(id).status == 200);
    REQUIRE(here.state_of(id) == "captured");
    int statuses[2] = {};
    std::thread other{[&] { statuses[1] = there.refund(id).status; }};
    statuses[0] = here.refund(id).status;
    other.join();
    CAPTURE(statuses[0], statuses[1]);
    CHECK(std::ranges::count(statuses, 200) == 1);
    for (const auto status : statuses) CHECK((status == 200 || status == 409 || status == 422 || status == 503));
    CHECK(here.state_of(id) == "refunded");
    CHECK(there.state_of(id) == "refunded");
  }
  std::size_t refunds = 0;
  for (const auto& entry : read_ledger(provider.ledger())) refunds += entry.operation == "refund" ? 1 : 0;
  CHECK(refunds == payments);

  // A member applies another member's commits with a delay, here of a whole second, and the read waits for them.
  const auto late = new_payment_id();
  REQUIRE(here.create(server_payment(late, "pm_card_visa")).status == 200);
  std::thread pause{[] { members().hold_back(1, 2s); }};
  std::this_thread::sleep_for(700ms);
  REQUIRE(here.capture(late).status == 200);
  CHECK(there.state_of(late) == "captured");
  pause.join();

  // A gateway without cluster options relies on a database lock, which would hold on one member only.
  try {
    gateway_process lone{nodes.beside()};
    FAIL("a gateway without cluster options serves on a member of a Galera cluster");
  } catch (const start_failed& failure) {
    CHECK_THAT(failure.what(), Catch::Matchers::Contains("Galera") && Catch::Matchers::Contains("cluster options"));
  }
}

TEST_CASE("galera: kill -9 of one member after the other under load loses nothing") {
  if (!can_run()) return;
  galera_fixture t;
  for (std::size_t round = 0; round < rounds(); ++round) {
    CAPTURE(round);
    REQUIRE(t.makes_progress(60));
    const auto unavailable_before = t.clients.unavailable();
    const auto victim = round % galera_cluster::size;
    const auto killed = clock_type::now();
    members().kill(victim);
    REQUIRE(t.makes_progress(1));
    const auto first = seconds_since(killed);
    const auto n1 = t.serves_again(0), n2 = t.serves_again(1);
    REQUIRE(t.makes_progress(60));
    std::cout << "galera, round " << round + 1 << ": member " << victim + 1 << " killed; the first answer after "
              << first << " s, n1 serves " << n1 << " s and n2 " << n2 << " s later, "
              << t.clients.unavailable() - unavailable_before << " answers of 503" << std::endl;
    CHECK(seconds_since(killed) < 30);
    members().start();
  }
  t.holds("kill -9 of a member");
}

namespace {

/// Slows a member down, and returns what was seen. A node's own writes through it are slow from the start (`is_used`).
/// The others' writes come faster than it applies them, until it makes all members pause.
std::string slow_down(const galera_fixture& t, std::size_t member, bool is_used, double usual) {
  const auto asked = [&] { return std::stoi(members().status(member, "wsrep_flow_control_sent")); };
  const auto before = asked();
  double slowed = 0;
  {
    const slow_member slow{member};
    REQUIRE(t.makes_progress(60));
    slowed = t.writes_per_second(6s);
    t.serves_again(0);
    t.serves_again(1);
  }
  REQUIRE(t.makes_progress(60));
  const auto pauses = asked() - before;
  if (!is_used) CHECK(pauses > 0);
  std::ostringstream seen;
  seen << "slow: " << slowed << " writes a second instead of " << usual << ", " << pauses << " pauses of all";
  return seen.str();
}

/// Stops a member for longer than the others wait for it. Then it runs on, with what it knew.
std::string hang(const galera_fixture& t, std::size_t member) {
  const auto another = (member + 1) % galera_cluster::size;
  const auto began = clock_type::now();
  members().send_signal(member, SIGSTOP);
  CHECK(eventually([&] { return members().status(another, "wsrep_cluster_size") == "2"; }));
  const auto alone = seconds_since(began);
  REQUIRE(t.makes_progress(60));
  t.serves_again(0);
  t.serves_again(1);
  const auto served = seconds_since(began);
  members().send_signal(member, SIGCONT);
  REQUIRE(t.makes_progress(60));
  CHECK(eventually(all_in_step, hang_timeout));
  std::ostringstream seen;
  seen << "it hangs: the others go on without it after " << alone << " s, both nodes serve after " << served << " s";
  return seen.str();
}

}  // namespace

TEST_CASE("galera: a member that is slow, or hangs, under load delays the others and loses nothing") {
  if (!can_run()) return;
  galera_fixture t;
  slow_member::prepare(t.nodes.database().database);
  for (std::size_t round = 0; round < rounds(); ++round) {
    CAPTURE(round);
    REQUIRE(t.makes_progress(60));
    const auto before = commits();
    const auto usual = t.writes_per_second(2s);
    auto made = commits();
    for (std::size_t i = 0; i < made.size(); ++i) made[i] -= before[i];
    const bool is_used = round % 2 == 1;
    const auto chosen = is_used ? std::ranges::max_element(made) : std::ranges::min_element(made);
    const auto victim = static_cast<std::size_t>(chosen - made.begin());
    const auto slow = slow_down(t, victim, is_used, usual);
    const auto hanging = hang(t, victim);
    std::cout << "galera, round " << round + 1 << ": member " << victim + 1 << ", " << (is_used ? "" : "not ")
              << "used by a node, is " << slow << "; " << hanging << std::endl;
  }
  t.holds("a slow member");
}

namespace {

/// Attempts of another merchant, so that the change of their table takes seconds: on a busy machine longer than a
/// lease.
void fill_attempts(const std::string& database) {
  const auto filled = members().sql(
      0, "USE " + database +
             "; INSERT INTO attempts (merchant_id, environment, subject_kind, subject_id, seq, operation, "
             "status, error_code, message, occurred_at) SELECT 'merch_of_earlier_years', 'live', "
             "'payment', CONCAT('pay_', seq), 1, 'create', 'approved', '', '', 0 FROM seq_1_to_300000");
  REQUIRE(filled.err == "");
}

}  // namespace

TEST_CASE("galera: nodes replaced one after the other by a version with another schema, under load, lose nothing") {
  if (!can_run()) return;
  const std::filesystem::path given = environment_or("GATEWAY_EARLIER_GATEWAYD", "");
  const auto earlier = given.empty() ? program("gatewayd") : given;
  const auto later = program(given.empty() ? "gatewayd-next" : "gatewayd");
  for (std::size_t round = 0; round < rounds(); ++round) {
    CAPTURE(round);
    galera_fixture t{earlier};
    fill_attempts(t.nodes.database().database);
    const auto version = [&] {
      return lines_of(t.nodes.database().sql("SELECT MAX(version) FROM schema_migrations")).at(0);
    };
    const auto before = version();
    REQUIRE(t.makes_progress(300));
    const auto began = clock_type::now();
    for (std::size_t node = 0; node < t.nodes.size(); ++node) {
      if (round % 2 == 0) {
        t.nodes[node].begin_drain();
        CHECK(t.nodes[node].wait() == exit_result{0, 0});
      } else {
        t.nodes[node].kill();
      }
      t.nodes[node].start(later);
      t.serves_again(0);
      t.serves_again(1);
      REQUIRE(t.makes_progress(60));
      CHECK(version() != before);
    }
    const auto ended = clock_type::now();
    CHECK_THROWS_WITH(t.nodes.add(), Catch::Matchers::Contains("start a newer gatewayd"));  // the earlier version
    t.holds("another schema, " + before + " to " + version());
    std::cout << "  the longest time without an answer: "
              << std::chrono::duration<double>(longest_silence(t.clients.records(), began, ended)).count() << " s"
              << std::endl;
  }
}
