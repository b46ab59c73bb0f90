// Three nodes over one database, under load. A node is killed, stopped or restarted, or the links between nodes, or
// from a node to its database, are cut, swallow everything or become slow. Afterwards no answered write is lost,
// nothing is done twice, nothing is left open, every event has arrived, followers of the log have read each event once,
// and the provider's ledger, the rows and the clients' answers agree row by row, as every node reports them.
#include <catch2/catch.hpp>

#include <csignal>
#include <iostream>
#include <sstream>

#include "audit.hpp"
#include "crash_fixture.hpp"
#include "destinations.hpp"
#include "gateway/domain/node.hpp"
#include "log_followers.hpp"
#include "open_loop.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using steady = std::chrono::steady_clock;

bool has_mysql() { return std::ranges::count(stores(), store_kind::mysql) > 0; }

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += '\n' + line;
  return text;
}

/// A fault that was made, and the node that it hit.
struct blow {
  steady::time_point from;
  std::optional<std::size_t> node = {};  ///< the node whose work others take over, if it is one node
};

/// Breaks something, waits, and repairs it. `round` selects what is broken, in turn.
using fault = blow (*)(crash_fixture& on, std::size_t round);

/// Times of the requests that were under way during a fault, repetitions included.
struct waits {
  std::vector<double> ms;
  double longest_gap_ms = 0;  ///< the longest time without any answer while the fault lasted

  std::string text() {
    std::ranges::sort(ms);
    std::ostringstream out;
    out << std::fixed;
    out.precision(0);
    out << ms.size() << " writes, p50 " << percentile(ms, 0.5) << " ms, p99 " << percentile(ms, 0.99) << " ms, longest "
        << (ms.empty() ? 0 : ms.back()) << " ms, longest time without an answer " << longest_gap_ms << " ms";
    return out.str();
  }

  void add(const std::vector<payment_record>& records, const blow& what, steady::time_point until) {
    for (const auto& record : records)
      for (const auto& now : record.steps)
        if (now.answered_at >= what.from && now.began <= until)
          ms.push_back(std::chrono::duration<double, std::milli>(now.answered_at - now.began).count());
    const std::chrono::duration<double, std::milli> silence = longest_silence(records, what.from, until);
    longest_gap_ms = std::max(longest_gap_ms, silence.count());
  }
};

class node_adversary {
 public:
  explicit node_adversary(const crash_settings& settings = crash_settings::of_environment())
      : fixture_{{.store = store_kind::mysql, .provider_timeout = "30s", .nodes = 3, .client_patience = 3s}, settings} {
  }

  /// Each round has a merchant, a webhook receiver and followers of its own.
  void round(fault strike) {
    const auto number = rounds_++;
    CAPTURE(number, fixture_.settings.seed);
    webhook_receiver receiver;
    fixture_.account = new_merchant(anyone(), {"Lantern Books", "standard", "", true});
    fixture_.account.test = fixture_.account.live;  // the clients sign with it
    const auto to = set_destination(anyone(), fixture_.account, receiver.url(), "live");
    const auto all = fixture_.gateways();
    const auto followers = three_followers({all.begin(), all.end()}, fixture_.account.live,
                                           fixture_.settings.seed + static_cast<unsigned>(number));
    fixture_.start_clients();
    fixture_.work();
    const auto what = strike(fixture_, number);
    const auto mended = steady::now();
    CHECK(eventually([&] { return fixture_.nodes->all_up(); }));
    fixture_.finish();
    compare(receiver, to, followers);
    measure(what, mended);
  }

  /// Restarts all nodes, and checks that they give the same answers as before about the last round.
  void restart() {
    for (auto* one : fixture_.gateways()) one->kill();
    for (auto* one : fixture_.gateways()) one->start();
    const auto broken = fixture_.broken_promises(anyone());
    INFO("broken promises after a restart:" << joined(broken));
    CHECK(broken.empty());
    broken_ += broken.size();
  }

  void report(const std::string& name) {
    std::cout << fixture_.nodes->size() << " nodes, " << name << ": " << rounds_ << " rounds, " << payments_
              << " payments, " << writes_ << " writes answered, " << repeated_ << " sent again, " << in_doubt_
              << " outcomes unknown at first, " << events_ << " events, also read by three followers, " << posts_
              << " posts, " << repeats_ << " of them repeats, " << broken_ << " broken promises (seed "
              << fixture_.settings.seed << ")\n  meanwhile: " << all_.text() << std::endl;
    if (!of_the_struck_.ms.empty())
      std::cout << "  payments of the node that was struck: " << of_the_struck_.text() << std::endl;
  }

  const waits& of_the_struck() const { return of_the_struck_; }
  std::size_t rounds() const { return static_cast<std::size_t>(fixture_.settings.rounds); }

 private:
  const gateway_process& anyone() { return *fixture_.gateways()[fixture_.random() % fixture_.nodes->size()]; }

  void compare(const webhook_receiver& receiver, const webhook_destination& to, const log_followers& followers) {
    CHECK(left_open(anyone(), fixture_.account) == std::vector<std::string>{});
    auto broken = fixture_.broken_promises(anyone());
    // The receiver is healthy, so no delivery needs an operator's redelivery.
    const auto left = left_undelivered(anyone(), fixture_.account);
    const auto found = audit_deliveries(anyone(), fixture_.account, "live", {{receiver, to}});
    std::ranges::copy(found.broken, std::back_inserter(broken));
    std::ranges::copy(audit_followers(anyone(), fixture_.account, "live", followers, receiver).broken,
                      std::back_inserter(broken));
    const auto& unexpected = fixture_.clients->unexpected_answers();
    INFO("not delivered:" << joined(left));
    CHECK(left.empty());
    INFO("told, and explained neither by a retry nor by a look:" << joined(unexpected));
    CHECK(unexpected.empty());
    INFO("broken promises:" << joined(broken));
    CHECK(broken.empty());
    CHECK(fixture_.clients->without_retry_after() == 0);
    CHECK(found.events > 0);

    payments_ += fixture_.clients->records().size();
    writes_ += fixture_.clients->answered();
    repeated_ += fixture_.clients->repeated();
    in_doubt_ += fixture_.clients->in_doubt();
    events_ += found.events;
    posts_ += found.posts;
    repeats_ += found.repeats;
    broken_ += broken.size() + unexpected.size() + left.size();
  }

  void measure(const blow& what, steady::time_point mended) {
    const auto& records = fixture_.clients->records();
    all_.add(records, what, mended);
    if (!what.node) return;
    const std::vector<std::string> names{"n1", "n2", "n3"};
    std::vector<payment_record> its;
    for (const auto& record : records) {
      const auto key = gateway::payment_key(gateway::merchant_id{fixture_.account.id}, gateway::environment::live,
                                            gateway::payment_id{record.payment_id});
      if (gateway::owner_of(gateway::ownership_hash(key), names) == names[*what.node]) its.push_back(record);
    }
    of_the_struck_.add(its, what, mended);
  }

  crash_fixture fixture_;
  waits all_, of_the_struck_;
  std::size_t rounds_ = 0, payments_ = 0, events_ = 0, posts_ = 0, repeats_ = 0, broken_ = 0;
  std::uint64_t writes_ = 0, repeated_ = 0, in_doubt_ = 0;
};

// ---- faults ---------------------------------------------------------------------------------------

blow kill_a_node(crash_fixture& on, std::size_t round) {
  auto& nodes = *on.nodes;
  const blow what{steady::now(), round % nodes.size()};
  nodes[*what.node].kill();
  std::this_thread::sleep_for(on.between(0, 7'000));
  nodes[*what.node].start();
  return what;
}

/// Stops the node for longer than its lease.
blow stop_a_node(crash_fixture& on, std::size_t round) {
  auto& nodes = *on.nodes;
  const blow what{steady::now(), round % nodes.size()};
  nodes[*what.node].send_signal(SIGSTOP);
  std::this_thread::sleep_for(on.between(5'500, 8'000));
  nodes[*what.node].send_signal(SIGCONT);
  return what;
}

/// Restarts each node by an operator's command, or by a signal as a service manager does.
blow restart_all_nodes(crash_fixture& on, std::size_t round) {
  auto& nodes = *on.nodes;
  const blow what{steady::now()};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (round % 2 == 0)
      nodes[(i + 1) % nodes.size()].ctl({"node", "drain", "n" + std::to_string(i + 1)});
    else
      nodes[i].begin_drain();
    const auto ended = nodes[i].wait();
    CHECK(ended == exit_result{0, 0});
    nodes[i].start();
    CHECK(on.makes_progress());
  }
  return what;
}

/// Breaks links between nodes: first those from the first to the second node, then those from the third to both others,
/// then all.
template <class Break>
blow break_peers(crash_fixture& on, std::size_t round, Break how) {
  std::vector<link_proxy*> links;
  if (round % 3 != 1) links.push_back(&on.nodes->node_link(1));
  if (round % 3 != 0) links.push_back(&on.nodes->node_link(2));
  const blow what{steady::now()};
  for (auto* one : links) how(*one);
  std::this_thread::sleep_for(on.between(4'000, 7'000));
  for (auto* one : links) one->pass();
  return what;
}

blow cut_peers(crash_fixture& on, std::size_t round) {
  return break_peers(on, round, [](link_proxy& link) { link.cut(); });
}

blow swallow_peers(crash_fixture& on, std::size_t round) {
  return break_peers(on, round, [](link_proxy& link) { link.black_hole(); });
}

/// Some delays are longer than nodes wait for each other.
blow delay_peers(crash_fixture& on, std::size_t round) {
  const auto longest = round % 2 == 0 ? 300 : 2'500;
  return break_peers(on, round, [&](link_proxy& link) { link.delay(on.between(5, longest), on.between(5, longest)); });
}

template <class Break>
blow break_database(crash_fixture& on, std::size_t round, Break how, int longest_ms) {
  const auto node = round % on.nodes->size();
  auto& link = on.nodes->database_link(node);
  const blow what{steady::now(), node};
  how(link);
  std::this_thread::sleep_for(on.between(500, longest_ms));
  link.pass();
  return what;
}

blow cut_database(crash_fixture& on, std::size_t round) {
  return break_database(on, round, [](link_proxy& link) { link.cut(); }, 8'000);
}

/// Sometimes for longer than a node waits for its database.
blow swallow_database(crash_fixture& on, std::size_t round) {
  return break_database(on, round, [](link_proxy& link) { link.black_hole(); }, round % 4 == 3 ? 14'000 : 7'000);
}

blow delay_database(crash_fixture& on, std::size_t round) {
  return break_database(on, round, [&](link_proxy& link) { link.delay(on.between(1, 60), on.between(1, 60)); }, 6'000);
}

/// The long form, run by `tools/crash-test --nodes`.
void rounds_of(const std::string& name, fault strike) {
  if (!has_mysql()) return;
  node_adversary adversary;
  for (std::size_t round = 0; round < adversary.rounds(); ++round) adversary.round(strike);
  adversary.restart();
  adversary.report(name);
}

}  // namespace

TEST_CASE(
    "cluster: a killed node, cut links between nodes, a node without its database, and a rolling restart lose nothing "
    "and charge nothing twice") {
  if (!has_mysql()) return;
  node_adversary adversary{{1, 4, crash_settings::of_environment().seed}};
  for (const auto strike : {kill_a_node, swallow_peers, swallow_database, restart_all_nodes}) adversary.round(strike);
  adversary.report("one round of four faults");
}

TEST_CASE("nodes: kill -9 of a node", "[.]") { rounds_of("kill -9 of a node", kill_a_node); }

TEST_CASE("nodes: SIGSTOP of a node for longer than its lease", "[.]") {
  rounds_of("SIGSTOP of a node for longer than its lease", stop_a_node);
}

TEST_CASE("nodes: links between nodes are cut", "[.]") { rounds_of("links between nodes are cut", cut_peers); }

TEST_CASE("nodes: links between nodes swallow everything", "[.]") {
  rounds_of("links between nodes swallow everything", swallow_peers);
}

TEST_CASE("nodes: links between nodes are slow", "[.]") { rounds_of("links between nodes are slow", delay_peers); }

TEST_CASE("nodes: a node's link to the database is cut", "[.]") {
  rounds_of("a node's link to the database is cut", cut_database);
}

TEST_CASE("nodes: a node's link to the database swallows everything", "[.]") {
  rounds_of("a node's link to the database swallows everything", swallow_database);
}

TEST_CASE("nodes: a node's link to the database is slow", "[.]") {
  rounds_of("a node's link to the database is slow", delay_database);
}

TEST_CASE("nodes: a rolling restart", "[.]") { rounds_of("a rolling restart", restart_all_nodes); }
