// Runs the examples in docs/examples as a reader would: each against a real gateway, and the retrying ones also against
// an endpoint that fails in every way that they must handle.
#include <catch2/catch.hpp>

#include <functional>
#include <future>
#include <map>
#include <memory>

#include "destinations.hpp"
#include "paths.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

using settings = std::vector<std::pair<std::string, std::string>>;

const std::string payments = "/v1/payment_intents";

/// A language, and how its examples are run.
struct language {
  std::string folder;
  std::string suffix;
  std::string tool;  ///< the tool that running needs
  std::vector<std::string> run;  ///< the command before the file; empty: the file is compiled
};

const std::vector<language>& languages() {
  static const std::vector<language> all{
      {"bash", ".sh", "openssl", {"bash"}},     {"python", ".py", "python3", {"python3"}},
      {"javascript", ".mjs", "node", {"node"}}, {"go", ".go", "go", {"go", "run"}},
      {"php", ".php", "php", {"php"}},          {"cpp", ".cpp", "curl-config", {}},
  };
  return all;
}

bool is_here(const language& which) { return run_command({"bash", "-c", "command -v " + which.tool}).code == 0; }

/// The command that runs an example, compiled first where it must be.
std::vector<std::string> command_of(const language& which, const std::string& name,
                                    const std::filesystem::path& folder) {
  const auto source = (project_root() / "docs" / "examples" / which.folder / (name + which.suffix)).string();
  auto command = which.run;
  if (!command.empty()) {
    command.push_back(source);
    return command;
  }
  const auto made = (folder / name).string();
  const auto compiled =
      run_command({"g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", source, "-o", made, "-lcurl", "-lcrypto"});
  INFO(compiled.err);
  REQUIRE(compiled.code == 0);
  return {made};
}

struct bench {
  explicit bench(std::vector<std::string> arguments = {})
      : gateway{gateway_options{.arguments = std::move(arguments)}} {}
  ~bench() { std::filesystem::remove_all(folder); }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  gateway_process gateway;
  merchant_account shop = new_merchant(gateway);
  api merchant{gateway, shop.test};
  std::filesystem::path folder = new_folder("examples");

  settings environment(settings more) const {
    settings all{{"GATEWAY_URL", gateway.base_url()},
                 {"GATEWAY_CA_FILE", gateway.certificate().string()},
                 {"GATEWAY_KEY_ID", shop.test.key_id},
                 {"GATEWAY_SECRET", shop.test.secret},
                 {"GOCACHE", (work_folder() / "go-cache").string()}};
    for (auto& each : more) std::erase_if(all, [&](const auto& known) { return known.first == each.first; });
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// How often the provider executed a charge of the payment.
  std::ptrdiff_t charges(const std::string& payment) const {
    const auto lines = read_ledger(gateway.ledger_file());
    return std::count_if(lines.begin(), lines.end(),
                         [&](const ledger_entry& line) { return line.payment_id == payment; });
  }
};

struct run_result {
  std::string payment;
  std::string out;
  int code = -1;
};

/// Settings of one language in addition to the common ones.
using settings_of = std::function<settings(const std::string& folder)>;

/// Runs the example in each available language in parallel, and waits for all. By folder.
std::map<std::string, run_result> run_each(const bench& on, const std::string& name, const settings_of& more) {
  std::map<std::string, run_result> results;
  std::map<std::string, child_process> running;
  for (const auto& each : languages()) {
    if (!is_here(each)) continue;
    auto& result = results[each.folder];
    result.payment = new_payment_id();
    auto chosen = more(each.folder);
    chosen.emplace_back("PAYMENT_ID", result.payment);
    running[each.folder] = child_process{command_of(each, name, on.folder),
                                         {on.folder / (each.folder + ".log"), on.environment(chosen), {}}};
  }
  for (auto& [folder, process] : running) {
    while (const auto line = process.read_line()) results[folder].out += *line + '\n';
    const auto ended = process.wait();
    results[folder].code = ended ? ended->code : -1;
    results[folder].out += read_file(on.folder / (folder + ".log"));
  }
  return results;
}

void tell_missing() {
  std::string missing;
  for (const auto& each : languages())
    if (!is_here(each)) missing += ' ' + each.folder;
  if (!missing.empty()) WARN("NOT RUN for want of a compiler or interpreter:" << missing);
}

/// The failures of a gateway and a network after which a program must retry, by attempt.
webhook_answer failing(unsigned attempt) {
  using ending = webhook_answer::ending;
  const header_list soon{{"Retry-After", "1"}};
  switch (attempt) {
    case 1: return {503, soon, R"({"error":"overloaded","message":"…"})"};
    case 2: return {200, {}, {}, 0ms, ending::close};
    case 3: return {429, soon, R"({"error":"rate_limited","message":"…"})"};
    case 4: return {409, soon, R"({"error":"request already processing","message":"…"})"};
    case 5: return {502, soon, "<html>Bad Gateway</html>"};
    default: return {200, {}, R"({"payment_id":"pay_1","state":"authorized","provider":{}})"};
  }
}

/// The same settings for every language.
settings_of all_are_told(settings what) {
  return [what = std::move(what)](const std::string&) { return what; };
}

}  // namespace

TEST_CASE("the examples that create a payment create it") {
  bench on;
  for (const auto& [folder, result] : run_each(on, "create_payment", all_are_told({}))) {
    CAPTURE(folder, result.out);
    CHECK(result.code == 0);
    CHECK(on.merchant.payment(result.payment)["state"] == "authorized");
  }
  tell_missing();
}

TEST_CASE("the retrying examples create one payment when their first attempts time out") {
  bench on;
  const auto results =
      run_each(on, "retry_payment", all_are_told({{"GATEWAY_TIMEOUT", "1"}, {"PAYMENT_METHOD", "pm_card_slow_2500"}}));
  for (const auto& [folder, result] : results) {
    CAPTURE(folder, result.out);
    CHECK(result.code == 0);
    CHECK(on.merchant.payment(result.payment)["state"] == "authorized");
    CHECK(on.charges(result.payment) == 1);
  }
  tell_missing();
}

TEST_CASE("the retrying examples wait for a payment whose provider has not answered") {
  bench on{{"--provider-timeout=500ms"}};
  for (const auto& [folder, result] :
       run_each(on, "retry_payment", all_are_told({{"PAYMENT_METHOD", "pm_card_timeout"}}))) {
    CAPTURE(folder, result.out);
    CHECK(result.code == 0);
    CHECK(on.merchant.payment(result.payment)["state"] == "authorized");
    CHECK(on.charges(result.payment) == 1);
  }
  tell_missing();
}

TEST_CASE("the retrying examples repeat the same key and body under a new signature, and stop at an answer") {
  bench on;
  std::map<std::string, std::unique_ptr<webhook_receiver>> failed;
  const auto results = run_each(on, "retry_payment", [&](const std::string& folder) {
    auto& endpoint = failed[folder] = std::make_unique<webhook_receiver>(webhook_receiver::protocol::https);
    endpoint->answers(payments, [](const webhook_post&, unsigned attempt) { return failing(attempt); });
    return settings{{"GATEWAY_URL", endpoint->url("")}, {"GATEWAY_CA_FILE", endpoint->certificate().string()}};
  });
  for (const auto& [folder, result] : results) {
    CAPTURE(folder, result.out);
    CHECK(result.code == 0);
    const auto posts = failed.at(folder)->posts(payments);
    REQUIRE(posts.size() == 6);
    for (const auto& post : posts) {
      CHECK(post.body == posts.front().body);
      CHECK(post.header("Idempotency-Key") == posts.front().header("Idempotency-Key"));
      const auto at = post.header("X-Service-Timestamp").value_or("");
      CHECK(post.header("X-Service-Signature") == signature_of(on.shop.test.secret, "POST", payments, at, post.body));
    }
    CHECK(posts.front().header("X-Service-Timestamp") != posts.back().header("X-Service-Timestamp"));
  }
  tell_missing();
}

TEST_CASE("the examples that verify webhooks accept the gateway's deliveries, and reject tampered and old ones") {
  bench on;
  webhook_receiver receiver;
  const auto to = set_destination(on.gateway, on.shop, receiver.url());
  const auto payment = new_payment_id();
  const auto metadata = R"({"order":"№ 1001","quote":"\"'`$(date)`'"})";
  REQUIRE(summary_of(on.merchant.create(server_payment(payment).raw("metadata", metadata))) == "200 authorized");
  REQUIRE(summary_of(on.merchant.capture(payment)) == "200 captured");
  REQUIRE(receiver.comes_to(1));
  const auto post = receiver.posts().front();
  const auto header = post.header("X-Service-Signature").value_or("");
  auto tampered = post.body;
  tampered.replace(tampered.find("4200"), 4, "4201");
  const auto stamped = [&](std::chrono::seconds ago) {
    const auto at = std::to_string(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() - ago));
    return "t=" + at + ",v1=" + hmac_sha256_hex(to.secret, at + '.' + post.body);
  };
  const std::string other(64, '0');
  struct {
    std::string what, header, body, secret;
    bool genuine;
  } const cases[] = {
      {"genuine", header, post.body, to.secret, true},
      {"two signatures", header.substr(0, header.find(',')) + ",v1=" + other + header.substr(header.find(',')),
       post.body, to.secret, true},
      {"nearly old", stamped(200s), post.body, to.secret, true},
      {"old", stamped(310s), post.body, to.secret, false},
      {"from the future", stamped(-600s), post.body, to.secret, false},
      {"tampered with", header, tampered, to.secret, false},
      {"longer", header, post.body + ' ', to.secret, false},
      {"another's", header, post.body, "whsec_" + other, false},
      {"no signature", header.substr(0, header.find(',')), post.body, to.secret, false},
      {"no time", header.substr(header.find(',') + 1), post.body, to.secret, false},
      {"no header", "", post.body, to.secret, false},
  };
  for (const auto& each : languages()) {
    if (!is_here(each)) continue;
    auto command = command_of(each, "verify_webhook", on.folder);
    if (each.folder == "go") {  // compiled once for all cases
      const auto made = (on.folder / "verify_go").string();
      REQUIRE(run_command({"go", "build", "-o", made, command.back()}, {}, {{}, on.environment({}), {}}, hang_timeout)
                  .code == 0);
      command = {made};
    }
    // In parallel, because starting an interpreter takes most of the time.
    std::vector<std::future<command_output>> asked;
    for (const auto& one : cases) {
      auto words = command;
      words.push_back(one.header);
      asked.push_back(std::async(std::launch::async, [&, words] {
        return run_command(words, one.body, {{}, on.environment({{"WEBHOOK_SECRET", one.secret}}), {}});
      }));
    }
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto said = asked[i].get();
      CAPTURE(each.folder, cases[i].what, said.out, said.err);
      CHECK((said.code == 0) == cases[i].genuine);
      CHECK((said.out == "genuine\n") == cases[i].genuine);
    }
  }
  tell_missing();
}
