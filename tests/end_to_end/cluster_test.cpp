// Several nodes over one database. The clients address each node directly, without a balancer.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "audit.hpp"
#include "cluster.hpp"
#include "destinations.hpp"
#include "load.hpp"
#include "merchant.hpp"
#include "platform.hpp"
#include "provider_process.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

bool has_mysql() { return std::ranges::count(stores(), store_kind::mysql) > 0; }

/// One client for each node, with the same key.
std::vector<api> clients_of(const cluster& nodes, const credentials& key) {
  std::vector<api> all;
  for (std::size_t i = 0; i < nodes.size(); ++i) all.emplace_back(nodes[i], key);
  return all;
}

std::string why_not(gateway_options options) {
  try {
    gateway_process started{std::move(options)};
    return "it started";
  } catch (const start_failed& failure) {
    return failure.what();
  }
}

std::vector<const gateway_process*> all_of(const cluster& nodes) {
  std::vector<const gateway_process*> all;
  for (std::size_t i = 0; i < nodes.size(); ++i) all.push_back(&nodes[i]);
  return all;
}

/// The value of this series; 0 if there is none.
double metric(const gateway_process& node, const std::string& series) {
  const auto text =
      run_command({"curl", "--silent", "--unix-socket", node.operator_socket().string(), "http://gateway/metrics"}).out;
  const auto from = text.find('\n' + series + ' ');
  return from == std::string::npos ? 0 : std::stod(text.substr(from + series.size() + 2));
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += '\n' + line;
  return text;
}

}  // namespace

namespace {

std::string client_of(const mysql_address& database, const std::string& program) {
  const auto to = database.socket.empty() ? " --host=" + database.host + " --port=" + std::to_string(database.port)
                                          : " --socket=" + database.socket;
  return "MYSQL_PWD='" + database.password + "' " + program + " --no-defaults --user=" + database.user + to + " " +
         database.database;
}

void run_in_shell(const std::string& command) {
  const auto done = run_command({"sh", "-c", command});
  INFO(done.err);
  REQUIRE(done.code == 0);
}

}  // namespace

TEST_CASE(
    "cluster: after a restore no node takes writes, also one that only passed requests on, until it is recovered") {
  if (!has_mysql()) return;
  cluster nodes{2};
  REQUIRE(eventually([&] { return nodes.all_up(); }));
  const auto shop = new_merchant(nodes[0]);
  const auto dump = (nodes.folder() / "dump.sql").string();
  const auto witness = [&](std::size_t i) {
    const auto file = nodes[i].data_dir() / "witness";
    return std::filesystem::exists(file) ? read_file(file) : std::string{};
  };
  REQUIRE(eventually([&] { return !witness(0).empty() && !witness(1).empty(); }));
  run_in_shell(client_of(nodes.database(), "mariadb-dump") + " > " + dump);
  const std::string before[] = {witness(0), witness(1)};
  std::vector<std::string> lost;
  auto clients = clients_of(nodes, shop.test);
  for (int i = 0; i < 6; ++i) {
    lost.push_back(new_payment_id());
    REQUIRE(summary_of(clients[0].create(server_payment(lost.back()))) == "200 authorized");
  }
  // Also a node that commits nothing is witnessed within ten seconds.
  REQUIRE(eventually([&] { return witness(0) != before[0] && witness(1) != before[1]; }));
  for (std::size_t i = 0; i < 2; ++i) REQUIRE(nodes[i].terminate() == exit_result{0, 0});
  nodes.database().sql("DROP DATABASE " + nodes.database().database + "; CREATE DATABASE " + nodes.database().database);
  run_in_shell(client_of(nodes.database(), "mariadb") + " < " + dump);

  const auto effects = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < 2; ++i)
      if (std::filesystem::exists(nodes[i].ledger_file()))
        count +=
            static_cast<std::size_t>(std::ranges::count_if(read_ledger(nodes[i].ledger_file()), [&](const auto& each) {
              return std::ranges::count(lost, each.payment_id);
            }));
    return count;
  };
  const auto charged = effects();
  const auto refuses = [&](std::size_t at) {
    for (const auto& id : lost) CHECK(summary_of(clients[at].create(server_payment(id))) == "503 recovery_required");
  };
  nodes[0].start();
  clients.clear();
  clients.emplace_back(nodes[0], shop.test);
  refuses(0);
  nodes[1].start();
  clients.emplace_back(nodes[1], shop.test);
  refuses(1);
  refuses(0);
  CHECK(effects() == charged);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto recovered = nodes[i].run_ctl({"recover", "--from", "2026-01-01T00:00:00Z"});
    INFO(recovered.err);
    CHECK(recovered.code == 0);
  }
  for (auto& client : clients) CHECK(summary_of(client.create(server_payment(new_payment_id()))) == "200 authorized");
}

TEST_CASE("cluster: each node takes any request, and reads what any other node has answered") {
  if (!has_mysql()) return;
  cluster nodes{3};
  const auto shop = new_merchant(nodes[0]);
  auto at = clients_of(nodes, shop.test);
  for (int round = 0; round < 6; ++round) {
    const auto id = new_payment_id();
    const auto first = static_cast<std::size_t>(round) % 3, second = (first + 1) % 3, third = (first + 2) % 3;
    CAPTURE(round, id);
    REQUIRE(at[first].create(server_payment(id, "pm_card_visa")).status == 200);
    for (auto& one : at) CHECK(one.state_of(id) == "authorized");
    REQUIRE(at[second].capture(id).status == 200);
    for (auto& one : at) CHECK(one.state_of(id) == "captured");
    CHECK(at[third].void_payment(id).status == 409);
    REQUIRE(at[third].refund(id, 100).status == 200);
    CHECK(at[first].refund(id, 4200).status == 422);
    REQUIRE(at[first].refund(id, 4100).status == 200);
    const auto reported = at[0].timeline(id).body;
    for (auto& one : at) {
      CHECK(one.state_of(id) == "refunded");
      CHECK(one.timeline(id).body == reported);
    }
  }
}

TEST_CASE("cluster: a key is executed once, whichever node receives it, and replayed byte for byte by every node") {
  if (!has_mysql()) return;
  cluster nodes{3};
  const auto shop = new_merchant(nodes[0]);
  auto at = clients_of(nodes, shop.test);
  const auto id = new_payment_id();
  const auto body = server_payment(id, "pm_card_visa").text();
  const call once;
  const auto reported = at[0].post("/v1/payment_intents", body, once);
  REQUIRE(reported.status == 200);
  for (auto& one : at) {
    const auto again = one.post("/v1/payment_intents", body, once);
    CHECK(again.status == 200);
    CHECK(again.body == reported.body);
    CHECK(again.replayed());
    CHECK(one.post("/v1/payment_intents", server_payment(id, "pm_card_chargeDeclined").text(), once).status == 409);
  }

  const auto slow_id = new_payment_id();
  const auto slow = server_payment(slow_id, "pm_card_slow_1500").text();
  const call twice;
  reply first;
  std::thread begins{[&] { first = api{nodes[0], shop.test}.post("/v1/payment_intents", slow, twice); }};
  CHECK(eventually([&] { return at[1].view(slow_id).status == 200; }));
  const auto meanwhile = at[1].post("/v1/payment_intents", slow, twice);
  CHECK(meanwhile.status == 409);
  CHECK_THAT(meanwhile.body, Contains("request already processing"));
  // A request under another key waits for the operation that another node has under way.
  const auto captured = at[2].capture(slow_id);
  CHECK(captured.status == 200);
  begins.join();
  CHECK(first.status == 200);
  CHECK(at[2].post("/v1/payment_intents", slow, twice).body == first.body);
}

TEST_CASE("cluster: an operator's change at one node is in force at every node when it is answered") {
  if (!has_mysql()) return;
  cluster nodes{3};
  const auto shop = new_merchant(nodes[0]);
  for (std::size_t round = 0; round < 6; ++round) {
    CAPTURE(round);
    const auto key = mint_key(nodes[round % 3], shop.id);
    auto at = clients_of(nodes, key);
    for (auto& one : at) CHECK(one.create(server_payment(new_payment_id(), "pm_card_visa")).status == 200);
    nodes[(round + 1) % 3].ctl({"key", "revoke", key.key_id});
    for (auto& one : at) CHECK(one.create(server_payment(new_payment_id(), "pm_card_visa")).status == 401);
  }
  auto at = clients_of(nodes, shop.test);
  set_connection(nodes[1], shop.id, "sandbox", "not_connected");
  for (auto& one : at) CHECK(one.create(server_payment(new_payment_id(), "pm_card_visa")).status == 422);
  set_connection(nodes[2], shop.id, "sandbox", "connected");
  for (auto& one : at) CHECK(one.create(server_payment(new_payment_id(), "pm_card_visa")).status == 200);
}

TEST_CASE("cluster: a grant given at one node and revoked at another takes effect, and then ends, at every node") {
  if (!has_mysql()) return;
  cluster nodes{3};
  const pair_of_parties parties{nodes[0]};
  const auto code = parties.code("live");
  api exchanging{nodes[1], parties.who.key};
  const auto exchanged = exchange(exchanging, parties.who, code);
  REQUIRE(exchanged.status == 200);
  const auto grant = json::parse(exchanged.body)["grant_id"].text();
  auto at = clients_of(nodes, parties.who.key);
  const auto acting = on_behalf_of(parties.shop.id);
  const auto create = [&](api& one) {
    auto how = acting;
    how.key = new_uuid();
    return one.create(server_payment(new_payment_id(), "pm_card_visa"), how).status;
  };
  for (auto& one : at) CHECK(create(one) == 200);
  // The code is spent at every node.
  for (auto& one : at) CHECK(exchange(one, parties.who, code).status == 400);
  nodes[2].ctl({"grant", "revoke", grant});
  for (auto& one : at) CHECK(create(one) == 403);
}

TEST_CASE("cluster: a node that may not join says why in one line") {
  if (!has_mysql()) return;
  cluster nodes{1};
  auto lone = nodes.beside();
  CHECK_THAT(why_not(lone), Contains("node 'n1'") && Contains("cluster options"));

  auto same_name = nodes.beside();
  for (const auto& word : nodes.arguments_of("n1")) same_name.arguments.push_back(word);
  CHECK_THAT(why_not(same_name), Contains("node 'n1' is live"));

  auto other_key = nodes.beside();
  other_key.arguments = nodes.arguments_of("n2");
  CHECK_THAT(why_not(other_key), Contains("master key"));
  CHECK(nodes.status_of("n2").empty());  // no node has registered it

  auto half = nodes.beside();
  half.arguments.emplace_back("--node=n2");
  CHECK_THAT(why_not(half), Contains("cluster-listen") && Contains("all cluster options"));

  nodes.certificates().certificate("n3", "serverAuth");
  auto for_servers = nodes.beside();
  for (const auto& word : nodes.arguments_of("n3")) for_servers.arguments.push_back(word);
  CHECK_THAT(why_not(for_servers), Contains("cluster-certificate") && Contains("clientAuth"));

  // A certificate of another authority, and one that also trusts the serving node's authority.
  node_certificates others;
  const auto both = nodes.folder() / "both.pem";
  std::ofstream{both} << read_file(nodes.certificates().authority()) << read_file(others.authority());
  for (const auto& trusted : {others.authority(), both}) {
    auto foreign = nodes.beside();
    for (auto word : nodes.arguments_of("n4")) {
      if (word.starts_with("--cluster-certificate="))
        word = "--cluster-certificate=" + others.certificate("n4").string();
      if (word.starts_with("--cluster-key=")) word = "--cluster-key=" + others.key("n4").string();
      if (word.starts_with("--cluster-ca=")) word = "--cluster-ca=" + trusted.string();
      foreign.arguments.push_back(word);
    }
    CHECK_THAT(why_not(foreign),
               Contains("cluster-certificate: node 'n1', at 127.0.0.1:") && Contains("does not trust"));
  }
  CHECK(nodes.status_of("n4").empty());

  // None of these has affected the serving node.
  CHECK(nodes[0].ready());
  CHECK(nodes[0].ctl({"node", "list"})["nodes"].items().front()["status"] == "up");
}

TEST_CASE("cluster: a node warns of a certificate that does not name it, or does not state its use") {
  if (!has_mysql()) return;
  cluster nodes{1};
  nodes.certificates().certificate("n2", "", "another");
  nodes.add("n2");
  const auto warnings = [&](std::size_t at) {
    const auto log = nodes[at].log();
    std::size_t count = 0;
    for (auto found = log.find("node.certificate_unspecific"); found != log.npos;
         found = log.find("node.certificate_unspecific", found + 1))
      ++count;
    return count;
  };
  CHECK(eventually([&] { return warnings(1) == 2; }));
  CHECK(warnings(0) == 0);
  CHECK(eventually([&] { return nodes.all_up(); }));
}

TEST_CASE("cluster: a node does not join a gateway that serves alone, and takes over when that gateway has ended") {
  if (!has_mysql()) return;
  cluster nodes{0};
  gateway_process lone{nodes.beside()};
  auto joining = nodes.beside();
  for (const auto& word : nodes.arguments_of("n1")) joining.arguments.push_back(word);
  CHECK_THAT(why_not(joining), Contains("a gateway without cluster options"));
  CHECK(lone.ready());
  CHECK(lone.terminate()->code == 0);
  CHECK(nodes.add().ready());
}

TEST_CASE("cluster: a node drains at an operator's command, whichever node receives it, and ends with status 0") {
  if (!has_mysql()) return;
  provider_process provider;
  cluster nodes{3,
                {.provider = provider.socket(), .arguments = {"--provider-timeout=10m", "--http-answer-timeout=10m"}}};
  const auto shop = new_merchant(nodes[0]);
  REQUIRE(nodes.status_of("n3") == "up");
  const auto under_way = new_payment_id();
  provider.send_signal(SIGSTOP);
  auto answer = std::async(std::launch::async,
                           [&] { return summary_of(api{nodes[2], shop.test}.create(server_payment(under_way))); });
  REQUIRE(eventually([&] {
    return nodes[2].sql("SELECT COUNT(*) FROM payments WHERE payment_id = '" + under_way + "';").starts_with("1");
  }));
  const auto reported = nodes[0].ctl({"node", "drain", "n3"});
  CHECK(reported["node"] == "n3");
  CHECK(reported["status"] == "draining");
  // The balancer sees that the node drains, while the payment is finished.
  CHECK(eventually([&] { return unix_http(nodes[2].operator_socket(), {"GET", "/readyz", {}, {}}).status == 503; }));
  CHECK(answer.wait_for(0s) == std::future_status::timeout);
  provider.send_signal(SIGCONT);
  CHECK(answer.get() == "200 authorized");
  const auto ended = nodes[2].wait();
  REQUIRE(ended);
  CHECK(ended->code == 0);
  CHECK(eventually([&] { return nodes.status_of("n3", 1) == "gone"; }));
  const auto ended_before = nodes[0].run_ctl({"node", "drain", "n3"});
  CHECK(ended_before.code == 1);
  CHECK_THAT(ended_before.err, Contains("The node n3 has ended already."));
  const auto unknown = nodes[0].run_ctl({"node", "drain", "n9"});
  CHECK(unknown.code == 1);
  CHECK_THAT(unknown.err, Contains("There is no node n9."));
  // The name is free at once, because its owner announced its end.
  nodes[2].start();
  CHECK_THAT(nodes[2].log(), !Contains("node.waits_for_name"));
  CHECK(nodes.status_of("n3") == "up");
  CHECK(api{nodes[2], shop.test}.create(server_payment(new_payment_id(), "pm_card_visa")).status == 200);
}

TEST_CASE(
    "cluster: a node that was killed accepts no connections, and keeps no client waiting, until it serves again") {
  if (!has_mysql()) return;
  cluster nodes{2};
  const auto address = nodes[1].address();
  nodes[1].kill();
  CHECK_FALSE(accepts_connections(address));
  // A child process ends with the thread that started it.
  std::promise<void> over;
  auto starting = std::async(std::launch::async, [&] {
    nodes[1].start();
    over.get_future().wait();
  });
  // The new process waits for the lease of the old one.
  const bool waited = eventually([&] { return nodes[1].log().find("node.waits_for_name") != std::string::npos; });
  // The node serves from the first connection that it accepts.
  const bool accepted = eventually([&] { return accepts_connections(address); });
  int reported = 0;
  try {
    reported = https_client{address, nodes[1].certificate()}.send({"GET", "/healthz", {}, {}}).status;
  } catch (const connection_failed&) {
    // Otherwise it has printed nothing.
  }
  over.set_value();
  starting.get();
  CHECK(waited);
  CHECK(accepted);
  CHECK(reported == 200);
}

TEST_CASE("cluster: a peer without a certificate of the nodes' authority, or without TLS 1.3, gets no answer") {
  if (!has_mysql()) return;
  cluster nodes{1};
  const auto reported = nodes[0].ctl({"node", "list"});
  const auto address = reported["nodes"].items().front()["address"].text();
  node_certificates others;
  const auto operate = [&](std::vector<std::string> options) {
    std::vector<std::string> words{"timeout", "5", "openssl", "s_client", "-quiet", "-no_ign_eof", "-connect", address};
    words.insert(words.end(), options.begin(), options.end());
    return run_command(words, "hello\n").out;
  };
  const auto own = [&](const std::string& node) {
    return std::vector<std::string>{"-cert", nodes.certificates().certificate(node).string(), "-key",
                                    nodes.certificates().key(node).string()};
  };
  CHECK(operate({}).empty());
  CHECK(operate({"-cert", others.certificate("n2").string(), "-key", others.key("n2").string()}).empty());
  auto old = own("n2");
  old.emplace_back("-tls1_2");
  const auto refused =
      run_command({"timeout", "5", "openssl", "s_client", "-connect", address, old[0], old[1], old[2], old[3], old[4]});
  CHECK_THAT(refused.out, Contains("Cipher is (NONE)"));
  CHECK(nodes[0].ready());

  // Unusable files end the start with an error.
  auto foreign = nodes.beside();
  for (auto word : nodes.arguments_of("n2")) {
    if (word.starts_with("--cluster-ca=")) word = "--cluster-ca=" + others.authority().string();
    foreign.arguments.push_back(word);
  }
  CHECK_THAT(why_not(foreign), Contains("cluster-certificate") && Contains("not signed by cluster-ca"));
  auto keyless = nodes.beside();
  for (auto word : nodes.arguments_of("n2")) {
    if (word.starts_with("--cluster-key=")) word = "--cluster-key=" + others.key("n2").string();
    keyless.arguments.push_back(word);
  }
  CHECK_THAT(why_not(keyless), Contains("cluster-key") && Contains("is not the PEM private key"));
}

namespace {

/// A create at one node that takes some time, and a capture of the same payment at another node meanwhile. `stopped`:
/// the process of the first one, which is suspended until the capture is answered.
struct meeting {
  int created = 0, captured = 0;
};
meeting meet(std::vector<api>& at, std::size_t runs, std::size_t captures, const std::string& method,
             gateway_process* stopped = nullptr) {
  meeting seen;
  const auto id = new_payment_id();
  std::thread begins{[&] {
    try {
      seen.created = at[runs].create(server_payment(id, method)).status;
    } catch (const connection_failed&) {}
  }};
  CHECK(eventually([&] { return at[captures].view(id).status == 200; }));
  if (stopped) stopped->send_signal(SIGSTOP);
  seen.captured = at[captures].capture(id).status;
  if (stopped) stopped->send_signal(SIGCONT);
  begins.join();
  return seen;
}

}  // namespace

TEST_CASE(
    "cluster: a request is passed to the node that runs an operation on its payment, and to no other, and is served by "
    "the receiving node if that one does not answer") {
  if (!has_mysql()) return;
  cluster nodes{3};
  const auto shop = new_merchant(nodes[0]);
  auto at = clients_of(nodes, shop.test);
  const auto count = [&](std::size_t node, const std::string& way) {
    return metric(nodes[node], "gateway_node_requests_total{way=\"" + way + "\"}");
  };
  for (int i = 0; i < 10; ++i) CHECK(at[0].create(server_payment(new_payment_id())).status == 200);
  CHECK(count(0, "passed") == 0);
  // Links are made shortly after the start.
  CHECK(eventually([&] {
    const auto seen = meet(at, 2, 0, "pm_card_slow_500");
    CHECK(seen.created == 200);
    CHECK(seen.captured == 200);
    return count(0, "passed") > 0;
  }));
  CHECK(count(0, "taken_back") == 0);
  CHECK(count(1, "passed") + count(2, "passed") == 0);
  // Once the lease of the stopped node has ended, the operation that it began is settled here.
  const auto seen = meet(at, 2, 0, "pm_card_slow_1500", &nodes[2]);
  CHECK(seen.captured == 200);
  CHECK(count(0, "taken_back") == 1);
}

TEST_CASE("cluster: a passed request has one id in the logs of both nodes, and each line names its node") {
  if (!has_mysql()) return;
  cluster nodes{2};
  const auto shop = new_merchant(nodes[0]);
  auto at = clients_of(nodes, shop.test);
  const auto lines_of = [&](std::size_t node, const std::string& event) {
    std::vector<json> found;
    std::istringstream log{nodes[node].log()};
    for (std::string line; std::getline(log, line);)
      if (line.ends_with('}') && line.find('"' + event + '"') != std::string::npos) found.push_back(json::parse(line));
    return found;
  };
  // Links are made shortly after the start.
  std::optional<json> taken;
  CHECK(eventually([&] {
    CHECK(meet(at, 1, 0, "pm_card_slow_500").captured == 200);
    const auto all = lines_of(1, "node.request_taken");
    if (!all.empty()) taken = all.front();
    return taken.has_value();
  }));
  REQUIRE(taken);
  CHECK((*taken)["node"] == "n2");
  CHECK((*taken)["kind"] == "payment");
  const auto id = (*taken)["request_id"].text();
  CHECK_THAT(id, Catch::StartsWith("req_"));
  CHECK(lines_of(0, "node.request_passed").front()["request_id"] == id);
  // The line is written after the answer is sent.
  std::optional<json> same;
  CHECK(eventually([&] {
    const auto answered = lines_of(0, "request");
    const auto found = std::ranges::find_if(answered, [&](const json& line) { return line["request_id"] == id; });
    if (found != answered.end()) same = *found;
    return same.has_value();
  }));
  REQUIRE(same);
  CHECK((*same)["node"] == "n1");
  CHECK((*same)["route"] == "/v1/payment_intents/{id}/capture");
}

TEST_CASE("cluster: a node reports what it owns, how long its lease lasts, and how old its directory is") {
  if (!has_mysql()) return;
  cluster nodes{2, {.arguments = {"--payment-idle=1h"}}};
  const auto shop = new_merchant(nodes[0]);
  auto at = clients_of(nodes, shop.test);
  const auto owned = R"(gateway_entities_owned{kind="payment"})";
  // Both own payments; those that only the first has in memory count there if it owns them.
  for (int i = 0; i < 40; ++i) CHECK(at[0].create(server_payment(new_payment_id())).status == 200);
  CHECK(metric(nodes[0], owned) > 0);
  CHECK(metric(nodes[0], owned) < 40);
  CHECK(metric(nodes[1], owned) == 0);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(metric(nodes[i], "gateway_node_lease_seconds") > 1);
    CHECK(metric(nodes[i], "gateway_node_lease_seconds") < 4);
    CHECK(metric(nodes[i], "gateway_directory_age_seconds") < 1);
  }
  // This node now owns what the other owned.
  CHECK(nodes[1].terminate()->code == 0);
  CHECK(eventually([&] { return metric(nodes[0], owned) == 40; }));
}

/// Clients that create, capture and refund payments at any of the nodes, and record each write that was not answered
/// for good: the node closed the connection after it had executed the write, or its answer asks for a repetition.
class writers {
 public:
  writers(const cluster& nodes, const merchant_account& shop, unsigned count) {
    for (unsigned seed = 0; seed < count; ++seed)
      threads_.emplace_back([this, &nodes, &shop, seed] {
        std::mt19937 random{seed};
        auto at = clients_of(nodes, shop.test);
        while (!stops_) {
          const auto id = new_payment_id();
          write(at, random, "/v1/payment_intents", server_payment(id, "pm_card_visa").text());
          write(at, random, api::path(id, "/capture"), {});
          for (int i = 0; i < 3; ++i)
            write(at, random, api::path(id, "/refund"), object{}.set("amount", 100).set("reason", "returned").text());
        }
      });
  }
  ~writers() { stop(); }
  writers(const writers&) = delete;
  writers& operator=(const writers&) = delete;

  bool progress(std::uint64_t writes) const {
    const auto before = answered_.load();
    return eventually([&] { return answered_ >= before + writes; });
  }
  void stop() {
    stops_ = true;
    for (auto& each : threads_)
      if (each.joinable()) each.join();
  }
  /// What was not answered for good, by the id of the request that was answered at last. Call after stop().
  const std::map<std::string, std::string>& unanswered() const { return unanswered_; }

 private:
  void write(std::vector<api>& at, std::mt19937& random, const std::string& target, const std::string& body) {
    const call how;
    std::string lost;
    for (;;) {
      const auto node = random() % at.size();
      try {
        const auto answer = at[node].post(target, body, how);
        ++answered_;
        const bool was_executed = !lost.empty() && answer.replayed();
        if (answer.status == 200 && !was_executed) return;
        const std::lock_guard hold{guard_};
        unanswered_[answer.header("Request-Id").value_or("none")] = target + " at n" + std::to_string(node + 1) + ": " +
                                                                    summary_of(answer) +
                                                                    (was_executed ? ", executed although" + lost : "");
        return;
      } catch (const connection_failed& why) {
        // A node that does not run refuses the connection.
        lost += " n" + std::to_string(node + 1) + ' ' + why.what();
        std::this_thread::sleep_for(5ms);
      }
    }
  }

  std::atomic<bool> stops_{false};
  std::atomic<std::uint64_t> answered_{0};
  std::mutex guard_;
  std::map<std::string, std::string> unanswered_;
  std::vector<std::thread> threads_;
};

TEST_CASE("cluster: nodes that end under load, by a signal or a command, answer all that they or others have begun") {
  if (!has_mysql()) return;
  cluster nodes{3};
  const auto shop = new_merchant(nodes[0]);
  writers clients{nodes, shop, 8};
  for (std::size_t i = 0; i < 4; ++i) {
    REQUIRE(clients.progress(100));
    const auto ending = i % nodes.size(), other = (i + 1) % nodes.size();
    if (i % 2 == 0)
      nodes[ending].begin_drain();
    else
      nodes[other].ctl({"node", "drain", "n" + std::to_string(ending + 1)});
    CHECK(nodes[ending].wait() == exit_result{0, 0});
    CHECK(eventually([&] { return nodes.status_of("n" + std::to_string(ending + 1), other) == "gone"; }));
    const auto rows = nodes[other].ctl({"node", "list"})["nodes"].items();
    CHECK(rows.at(ending)["payments"] == 0);
    CHECK(
        eventually([&] { return !(nodes[other].ctl({"node", "list"})["nodes"].items().at(other)["payments"] == 0); }));
    CHECK(clients.progress(50));
    nodes[ending].start();
  }
  clients.stop();
  auto unanswered = clients.unanswered();
  // If a link breaks meanwhile, the node that passed a request takes it back, and answers with the result of the other
  // node's execution of it.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const auto& line : lines_of(nodes[i].log()))
      if (line.find("node.request_taken_back") != std::string::npos)
        unanswered.erase(json::parse(line)["request_id"].text());
  for (const auto& [request, what] : unanswered) UNSCOPED_INFO(request << ": " << what);
  CHECK(unanswered.empty());
}

TEST_CASE("cluster: kill -9 of one node after the other under load loses nothing and charges nothing twice") {
  if (!has_mysql()) return;
  provider_process provider;
  cluster nodes{3,
                {.provider = provider.socket(),
                 .arguments = {"--provider-timeout=1s", "--reconcile-first=200ms", "--reconcile-interval=100ms"}}};
  const auto shop = new_merchant(nodes[0]);
  load clients{all_of(nodes), shop, 8, 42};
  const auto progress = [&](std::uint64_t writes) {
    const auto before = clients.answered();
    return eventually([&] { return clients.answered() >= before + writes; });
  };
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(progress(40));
    nodes[i].kill();
    CHECK(progress(40));
    nodes[i].start();
  }
  CHECK(progress(40));
  clients.stop();
  CHECK(left_open(nodes[0], shop) == std::vector<std::string>{});
  for (std::size_t i = 0; i < 3; ++i) {
    const auto broken = audit(nodes[i], provider.ledger(), shop, clients.records());
    INFO("as node " << i << " tells:" << joined(broken));
    CHECK(broken.empty());
  }
  INFO(joined(clients.unexpected_answers()));
  CHECK(clients.unexpected_answers().empty());
}

TEST_CASE("cluster: a node that was stopped for longer than its lease answers nothing from its old state") {
  if (!has_mysql()) return;
  cluster nodes{2};
  const auto shop = new_merchant(nodes[0]);
  const auto key = mint_key(nodes[0], shop.id);
  api there{nodes[1], key};
  REQUIRE(there.create(server_payment(new_payment_id(), "pm_card_visa")).status == 200);
  const auto began = std::chrono::steady_clock::now();
  nodes[1].send_signal(SIGSTOP);
  nodes[0].ctl({"key", "revoke", key.key_id});  // answered once the other node's lease has ended
  CHECK(std::chrono::steady_clock::now() - began > 2s);
  CHECK(nodes.status_of("n2") == "gone");
  nodes[1].send_signal(SIGCONT);
  // 503 until the node has its lease again, 401 from then on; never 200.
  int refused = 0;
  CHECK(eventually([&] {
    const auto reported = api{nodes[1], key}.create(server_payment(new_payment_id(), "pm_card_visa"));
    CAPTURE(reported.body);
    CHECK((reported.status == 401 || (reported.status == 503 && refused == 0)));
    refused += reported.status == 401 ? 1 : 0;
    return refused == 20;
  }));
  CHECK(eventually([&] { return nodes.status_of("n2") == "up"; }));
  CHECK_THAT(nodes[1].log(), Contains("node.lease_ended"));
  CHECK(nodes[0].sql("SELECT COUNT(*) FROM commands WHERE merchant_id = '" + shop.id + "';") == "1\n");
}

TEST_CASE("cluster: each event reaches its destination once if no node fails, and also after its node was killed") {
  if (!has_mysql()) return;
  webhook_receiver receiver;
  cluster nodes{3};
  const auto shop = new_merchant(nodes[0], {"Lantern Books", "standard", "", true});
  set_destination(nodes[0], shop, receiver.url(), "live");
  auto at = clients_of(nodes, shop.live);
  std::size_t events = 0;
  const auto arrived = [&] {
    std::set<std::string> numbers;
    for (const auto& post : receiver.posts()) numbers.insert(post.delivery());
    return numbers.size();
  };
  // While owners move, a request may be answered as already processing, and is then repeated with its key. At other
  // times it is not repeated.
  int most_repeats = 0;
  const auto told_for_good = [&](auto send) {
    const call how;
    auto reported = send(how);
    for (int again = 0; again < most_repeats && (reported.status == 503 ||
                                                 reported.body.find("request already processing") != std::string::npos);
         ++again) {
      std::this_thread::sleep_for(100ms);
      reported = send(how);
    }
    return reported.status;
  };
  const auto sell = [&](api& one) {
    const auto id = new_payment_id();
    REQUIRE(told_for_good([&](const call& how) { return one.create(server_payment(id, "pm_card_visa"), how); }) == 200);
    REQUIRE(told_for_good([&](const call& how) { return one.capture(id, how); }) == 200);
    ++events;
  };
  for (int round = 0; round < 5; ++round)
    for (auto& one : at) sell(one);
  CHECK(receiver.comes_to(events));
  std::this_thread::sleep_for(1s);
  CHECK(receiver.count() == events);

  // Whichever node owned the destination, the other nodes take it over.
  most_repeats = 100;
  for (std::size_t killed = 0; killed < 2; ++killed) {
    nodes[killed].kill();
    for (int round = 0; round < 5; ++round) sell(at[2]);
    CHECK(eventually([&] { return arrived() == events; }));
  }
  // Webhooks that a node had sent but not recorded when it was killed arrive twice, unchanged.
  CHECK(arrived() == events);
  CHECK(receiver.count() <= events + 10);
}
