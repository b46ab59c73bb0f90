// Runs the commands that the README and tools/run print for a newcomer, and checks the guides' statements about
// themselves.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "hosted_page.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "platform.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

/// The fenced shell blocks of a Markdown text that contain `word`.
std::vector<std::string> shell_blocks(const std::string& markdown, const std::string& word) {
  std::vector<std::string> found;
  constexpr std::string_view fence = "\n```sh\n";
  for (auto at = markdown.find(fence); at != std::string::npos; at = markdown.find(fence, at + 1)) {
    const auto from = at + fence.size();
    auto block = markdown.substr(from, markdown.find("\n```\n", from) + 1 - from);
    if (block.find(word) != std::string::npos) found.push_back(std::move(block));
  }
  return found;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// The lines that are JSON objects.
std::vector<json> objects_in(const std::string& output) {
  std::vector<json> found;
  static const std::regex object{R"(\{"[^\n]*\})"};
  for (auto at = std::sregex_iterator{output.begin(), output.end(), object}; at != std::sregex_iterator{}; ++at)
    found.push_back(json::parse(at->str()));
  return found;
}

command_output paste(const std::string& script) {
  return run_command({"bash", "-euo", "pipefail", "-c", script}, {}, {{}, {}, project_root()});
}

/// The guides: the README of the project and of each folder, and everything in docs/.
std::vector<std::filesystem::path> markdown_files() {
  std::vector<std::filesystem::path> found{project_root() / "README.md"};
  for (const auto* folder : {"actors", "config", "docs", "http", "include", "persistence", "tests", "tools"})
    for (auto each = std::filesystem::recursive_directory_iterator{project_root() / folder}; each != end(each);
         ++each) {
      if (each->path().filename() == "node_modules") each.disable_recursion_pending();
      if (each->path().extension() == ".md") found.push_back(each->path());
    }
  return found;
}

/// The linked files, as the text writes them: without links to the web or within the text.
std::vector<std::string> linked_files(const std::string& markdown) {
  std::vector<std::string> found;
  static const std::regex link{R"(\]\(([^)\s#]+)(#[^)\s]*)?\))"};
  for (auto at = std::sregex_iterator{markdown.begin(), markdown.end(), link}; at != std::sregex_iterator{}; ++at)
    if (const auto target = at->str(1); target.find("://") == std::string::npos) found.push_back(target);
  return found;
}

/// Adapts a guide's script for a gateway that tools/run has started to this gateway.
std::string for_gateway(std::string script, const gateway_process& gateway) {
  script = replaced(script, "https://127.0.0.1:8443", gateway.base_url());
  script = replaced(script, "--data-dir=data", "--data-dir=" + gateway.data_dir().string());
  script = replaced(script, "build/gatewayctl", program("gatewayctl").string());
  script = replaced(script, "=data/", '=' + gateway.data_dir().string() + '/');
  return replaced(script, " data/", ' ' + gateway.data_dir().string() + '/');
}

/// Writes the file that tools/run leaves in the data directory.
void write_demo_file(const gateway_process& gateway, const merchant_account& account) {
  object demo;
  demo.set("merchant_id", account.id).set("key_id", account.test.key_id).set("secret", account.test.secret);
  write_file(gateway.data_dir() / "demo.json", demo.text() + "\n");
}

}  // namespace

TEST_CASE("the README is short enough to be read") {
  const auto readme = read_file(project_root() / "README.md");
  CHECK(std::count(readme.begin(), readme.end(), '\n') <= 150);
}

TEST_CASE("every link in the README and the guides leads to a file that exists") {
  std::size_t links = 0;
  for (const auto& file : markdown_files())
    for (const auto& target : linked_files(read_file(file))) {
      CAPTURE(file, target);
      CHECK(std::filesystem::exists(file.parent_path() / target));
      ++links;
    }
  CHECK(links >= 10);  // fewer would mean that the links were not recognised
}

TEST_CASE("the signed calls of the README work with curl and openssl alone") {
  gateway_process gateway{gateway_options{}};
  write_demo_file(gateway, new_merchant(gateway));
  std::string script;
  const auto readme = read_file(project_root() / "README.md");
  const auto first = shell_blocks(readme, "X-Service-Signature");
  REQUIRE(first.size() == 2);
  const auto hosted = shell_blocks(readme, "\"flow\":\"redirect\"");
  REQUIRE(hosted.size() == 1);
  // The first call's answer ends without a newline, as curl prints it.
  for (const auto& block : {first[0], std::string{"echo\n"}, first[1], hosted[0]}) script += block;
  const auto result = paste(for_gateway(script, gateway));
  CAPTURE(result.out, result.err);
  CHECK(result.code == 0);
  const auto answers = objects_in(result.out);
  REQUIRE(answers.size() == 6);
  CHECK(answers[0]["state"] == "authorized");
  CHECK(answers[1]["state"] == "captured");
  CHECK(answers[2]["state"] == "partially_refunded");
  CHECK(answers[2]["refunded_amount"] == 1000);
  CHECK(answers[3]["refunded_total"] == 1000);
  CHECK(answers[4]["timeline"].size() == 5);
  CHECK(answers[5]["state"] == "processing");
  CHECK(answers[5]["provider.hosted_url"].is_string());
}

namespace {

/// The commands of a guide for those who integrate, and of the operators' guide that contain `word`.
std::vector<std::string> commands_of(const char* guide, const std::string& word = {}) {
  return shell_blocks(read_file(project_root() / "docs" / guide), word);
}

std::string exported(const gateway_process& gateway, const credentials& key) {
  return "export GATEWAY_URL=" + gateway.base_url() +
         " GATEWAY_CA_FILE=data/dev-certificate.pem GATEWAY_KEY_ID=" + key.key_id + " GATEWAY_SECRET=" + key.secret +
         '\n';
}

}  // namespace

TEST_CASE("the commands of the platforms' guide lead from a key to a payment, and to the end of the grant") {
  gateway_process gateway{gateway_options{}};
  const auto set_up = commands_of("operators.md", "Acme Bookings");
  REQUIRE(set_up.size() == 1);
  const auto blocks = commands_of("served/platforms.md");
  REQUIRE(blocks.size() == 6);
  for (const auto& block : blocks) CHECK(block.find("ctl") == std::string::npos);
  CHECK(blocks[0].find("export GATEWAY_SECRET=") != std::string::npos);
  const auto first = paste(for_gateway(set_up[0] + blocks[2] + "declare -p ${!GATEWAY_*}\n", gateway));
  CAPTURE(first.out, first.err);
  REQUIRE(first.code == 0);
  // The owner follows the link that was printed.
  std::string link, known;
  for (const auto& line : lines_of(first.out)) {
    if (line.starts_with(gateway.base_url())) link = line;
    if (line.starts_with("declare -x GATEWAY_")) known += line + '\n';
  }
  visitor owner{gateway};
  owner.open(link);
  owner.click("sign-in", {{"email", "owner@harbour.example"}, {"password", "a long enough password"}});
  CHECK(owner.html().find("Acme Bookings") != std::string::npos);
  CHECK(owner.html().find("Harbour Books") != std::string::npos);
  owner.click("connect");
  REQUIRE(owner.left_for().starts_with("https://acme.example/callback?code="));

  const auto second = paste(for_gateway(
      known + blocks[1] + "code=" + owner.brought("code") + '\n' + blocks[3] + blocks[4] + blocks[5], gateway));
  CAPTURE(second.out, second.err);
  CHECK(second.code == 0);
  const auto answers = objects_in(second.out);
  REQUIRE(answers.size() == 5);
  CHECK(answers[0]["token_type"] == "merchant_id");
  CHECK(answers[1]["state"] == "authorized");
  CHECK(answers[2]["state"] == "captured");
  CHECK(answers[3]["state"] == "partially_refunded");
  CHECK(answers[4]["timeline"].size() == 5);
  const auto grants = gateway.ctl({"grant", "list"})["grants"];
  REQUIRE(grants.size() == 1);
  CHECK(grants.items().front()["status"] == "revoked");
}

TEST_CASE(
    "the commands of the subscriptions' guide open a subscription, and the operators' advance it at the sandbox") {
  gateway_process gateway{gateway_options{}};
  live_platform acme{gateway};
  set_route(gateway, acme.shop.id, "sandbox", "EUR", "card,recurring_card", "live");
  const auto blocks = commands_of("served/platforms.md"), further = commands_of("served/subscriptions.md");
  const auto operators = commands_of("operators.md", "sandbox subscription");
  REQUIRE(blocks.size() == 6);
  REQUIRE(further.size() == 1);
  REQUIRE(operators.size() == 1);
  const auto functions = exported(gateway, acme.who.key) + "merchant=" + acme.shop.id + '\n' + blocks[1] +
                         "gatewayctl() { build/gatewayctl --data-dir=data --json \"$@\"; }\n";
  const auto opened = paste(for_gateway(functions + further[0], gateway));
  CAPTURE(opened.out, opened.err);
  REQUIRE(opened.code == 0);
  const auto answers = objects_in(opened.out);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["status"] == "pending");
  hosted_page{gateway, answers[0]["hosted_url"].text()}.act("pay");
  const auto moved = paste(for_gateway(functions + operators[0], gateway));
  CAPTURE(moved.out, moved.err);
  CHECK(moved.code == 0);
  const auto steps = objects_in(moved.out);
  std::vector<std::string> statuses;
  for (const auto& each : steps) statuses.push_back(each["status"].text());
  CHECK(statuses == std::vector<std::string>{"active", "active", "past_due", "past_due", "canceled"});
}

namespace {

/// Starts it twice on the same data, each time runs the call that it prints, and ends it with SIGTERM.
void try_out(const std::string& script, const std::vector<std::string>& options) {
  if (!std::filesystem::equivalent(program("gatewayd").parent_path(), project_root() / "build")) {
    WARN("skipped: the scripts run the programs in build/, these are others");
    return;
  }
  const auto folder = new_folder("run");
  for (int start = 0; start < 2; ++start) {
    std::vector<std::string> words{(project_root() / script).string(), "--data-dir=" + (folder / "data").string()};
    words.insert(words.end(), options.begin(), options.end());
    child_process run{words, {folder / "run.log", {}, project_root()}};
    std::string told_lines, printed;
    for (;;) {
      const auto line = run.read_line();
      if (!line) FAIL(script << " said only: " << told_lines << read_file(folder / "run.log"));
      told_lines += *line + '\n';
      if (line->starts_with("Ctrl-C")) break;
      if (line->starts_with("key=") || !printed.empty()) printed += *line + '\n';
    }
    // The first start makes the operator of the console; a later one says how to make another link.
    if (script == "tools/run")
      CHECK(told_lines.find(start == 0 ? "/console/setup?token=" : "operator reset admin") != std::string::npos);
    const auto result = paste(printed);
    CAPTURE(printed, result.out, result.err);
    CHECK(result.code == 0);
    const auto answers = objects_in(result.out);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0]["state"] == "authorized");
    CHECK(read_file(folder / "data" / "demo.json").find("merchant_id") != std::string::npos);
    run.send_signal(15);
    CHECK(run.wait() == exit_result{0, 0});
    std::this_thread::sleep_for(1s);  // the payment's name is the current second
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

TEST_CASE(
    "tools/run starts a gateway with a demo merchant, prints a call that works, does so again, and ends on SIGTERM") {
  try_out("tools/run", {"--listen=127.0.0.1:0"});
}

TEST_CASE(
    "tools/cluster starts nodes behind a balancer, prints a call that works, does so again, and ends on SIGTERM") {
  try_out("tools/cluster", {"2", "--port=0"});
}
