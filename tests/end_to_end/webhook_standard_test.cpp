// Destinations that ask for it get a second signature, in the Standard Webhooks form. That project's own libraries for
// JavaScript and Python accept it unchanged.
#include <catch2/catch.hpp>

#include "destinations.hpp"
#include "npm_package.hpp"
#include "paths.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> standard_headers{"webhook-id", "webhook-timestamp", "webhook-signature"};

struct question {
  webhook_post post;
  std::string secret;
};

std::string lines_for(const std::vector<question>& questions) {
  std::string lines;
  for (const auto& each : questions) {
    object headers;
    for (const auto& name : standard_headers) headers.set(name, each.post.header(name).value_or(""));
    lines += object{}.set("body", each.post.body).set("headers", headers).set("secret", each.secret).text() + '\n';
  }
  return lines;
}

/// A library's answer to each: the event's id, or `refused`.
std::vector<std::string> answers_of(const std::vector<std::string>& program, const child_options& options,
                                    const std::vector<question>& questions) {
  const auto done = run_command(program, lines_for(questions), options);
  if (done.code != 0) throw std::runtime_error(program.front() + ": " + done.err);
  return lines_of(done.out);
}

/// Installs the library for Python into a folder of the build. Throws with pip's output if it cannot.
std::filesystem::path python_library(const std::filesystem::path& source) {
  auto folder = work_folder() / "standardwebhooks-python";
  if (std::filesystem::exists(folder / "standardwebhooks")) return folder;
  const auto pip = run_command(
      {"python3", "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--require-hashes",
       "--target", folder.string(), "--requirement", (source / "requirements.txt").string()},
      {}, {}, 90s);
  if (pip.code != 0) throw std::runtime_error("pip: " + pip.err);
  return folder;
}

struct shop_with_standard_hooks {
  gateway_process gateway;
  merchant_account account = new_merchant(gateway);
  api merchant{gateway, account.test};
  webhook_receiver receiver;

  explicit shop_with_standard_hooks(store_kind store) : gateway{{.store = store}} {}

  json set(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"destination", "set",   "--merchant",   account.id, "--mode",
                                   "test",        "--url", receiver.url(), "--events", "payment.failed"};
    words.insert(words.end(), more.begin(), more.end());
    return gateway.ctl(words);
  }
  /// The post about a payment that is declined.
  webhook_post post() {
    const auto id = new_payment_id();
    const auto metadata = R"({"order":"№ 1001 – „Bücher“","emoji":"📚","quote":"\"</script>"})";
    const auto body = server_payment(id, "pm_card_chargeDeclined").raw("metadata", metadata);
    REQUIRE(summary_of(merchant.create(body)) == "200 failed");
    return receiver.wait_for("payment.failed", id);
  }
};

/// What is sent, and what a library must answer: genuine under either secret while both sign, and refused where the
/// secret, the body or the id is another's.
struct trial {
  std::vector<question> questions;
  std::vector<std::string> expected;

  void expect(webhook_post post, const std::string& secret, std::string answer) {
    questions.push_back({std::move(post), secret});
    expected.push_back(std::move(answer));
  }
};

webhook_post with_header(webhook_post post, std::string_view name, std::string value) {
  for (auto& [key, old] : post.headers)
    if (key == name) old = std::move(value);
  return post;
}

trial trial_of(shop_with_standard_hooks& s) {
  const auto made = s.set({"--standard-webhooks", "on"});
  const auto secret = made["secret"].text();
  const auto first = s.post();
  CHECK(signature_fault(first, secret).empty());  // the gateway's own signature stays
  CHECK(first.header("webhook-id") == first.event());
  trial t;
  t.expect(first, secret, first.event());
  auto changed = first;
  changed.body.back() = ' ';
  t.expect(std::move(changed), secret, "refused");
  t.expect(with_header(first, "webhook-id", "evt_other"), secret, "refused");
  t.expect(with_header(first, "webhook-timestamp", "1700000000"), secret, "refused");

  const auto renewed = s.gateway.ctl({"destination", "rotate-secret", made["destination_id"].text()})["secret"].text();
  const auto second = s.post();
  t.expect(second, secret, second.event());
  t.expect(second, renewed, second.event());
  t.expect(first, renewed, "refused");
  return t;
}

}  // namespace

TEST_CASE("the Standard Webhooks libraries accept the webhooks of a destination that asks for their form") {
  shop_with_standard_hooks s{GENERATE(from_range(stores()))};
  const auto t = trial_of(s);
  SECTION("in JavaScript") {
    std::filesystem::path folder;
    try {
      folder = npm_package("standardwebhooks");
    } catch (const std::runtime_error& why) {
      WARN("NOT RUN: the npm package standardwebhooks cannot be installed: " << why.what());
      return;
    }
    CHECK(answers_of({"node", "verify.mjs"}, {{}, {}, folder}, t.questions) == t.expected);
  }
  SECTION("in Python") {
    const auto source = project_root() / "tests" / "end_to_end" / "standardwebhooks";
    std::filesystem::path folder;
    try {
      folder = python_library(source);
    } catch (const std::runtime_error& why) {
      WARN("NOT RUN: the PyPI package standardwebhooks cannot be installed: " << why.what());
      return;
    }
    CHECK(answers_of({"python3", (source / "verify.py").string()}, {{}, {{"PYTHONPATH", folder.string()}}, {}},
                     t.questions) == t.expected);
  }
}

TEST_CASE("the second signature is an option of a destination, which setting it again keeps") {
  shop_with_standard_hooks s{GENERATE(from_range(stores()))};
  const auto has_second = [](const webhook_post& post) {
    for (const auto& name : standard_headers)
      if (post.header(name).has_value() != post.header(standard_headers.front()).has_value()) return -1;
    return post.header(standard_headers.front()) ? 1 : 0;
  };
  const auto id = s.set({})["destination_id"].text();
  CHECK(has_second(s.post()) == 0);
  CHECK_FALSE(shown_destination(s.gateway, id)["standard_webhooks"].present());
  s.set({"--standard-webhooks", "on"});
  CHECK(has_second(s.post()) == 1);
  CHECK(shown_destination(s.gateway, id)["standard_webhooks"].present());
  s.set({});
  CHECK(has_second(s.post()) == 1);
  s.set({"--standard-webhooks", "off"});
  CHECK(has_second(s.post()) == 0);
}
