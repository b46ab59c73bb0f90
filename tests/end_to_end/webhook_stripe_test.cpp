// Merchants who come from Stripe verify webhooks with Stripe's own library: it accepts the gateway's webhooks
// unchanged.
#include <catch2/catch.hpp>

#include <boost/beast/core/detail/base64.hpp>

#include "destinations.hpp"
#include "npm_package.hpp"

using namespace gateway::e2e;
using namespace std::chrono_literals;

namespace {

std::string base64(std::string_view bytes) {
  namespace detail = boost::beast::detail::base64;
  std::string text(detail::encoded_size(bytes.size()), '\0');
  text.resize(detail::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

std::string signature_header(std::string_view secret, std::string_view body, std::chrono::seconds ago) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  const auto at = std::to_string((now - ago).count());
  return "t=" + at + ",v1=" + hmac_sha256_hex(secret, at + '.' + std::string{body});
}

struct question {
  std::string body;
  std::string header;
  std::string secret;
};

/// The library's answer to each: `evt_… payment.captured`, or `refused: …`.
std::vector<std::string> asked(const std::filesystem::path& folder, const std::vector<question>& questions) {
  std::string lines;
  for (const auto& each : questions)
    lines +=
        object{}.set("body", base64(each.body)).set("header", each.header).set("secret", each.secret).text() + '\n';
  const auto said = run_command({"node", "verify.mjs"}, lines, {{}, {}, folder});
  if (said.code != 0) throw std::runtime_error("verify.mjs: " + said.err);
  std::vector<std::string> answers;
  for (const auto& line : lines_of(said.out)) {
    const auto answer = json::parse(line);
    const bool refused = answer["refused"].present();
    answers.push_back(refused ? "refused: " + answer["refused"].text()
                              : answer["event"].text() + ' ' + answer["type"].text());
  }
  REQUIRE(answers.size() == questions.size());
  return answers;
}

}  // namespace

TEST_CASE("Stripe's own library verifies the gateway's deliveries, and refuses tampered, foreign and old ones") {
  std::filesystem::path folder;
  try {
    folder = npm_package("stripe");
  } catch (const std::runtime_error& why) {
    WARN("NOT RUN: the npm package stripe cannot be installed: " << why.what());
    return;
  }
  gateway_process gateway{{.store = GENERATE(from_range(stores()))}};
  const auto account = new_merchant(gateway);
  webhook_receiver receiver;
  const auto to = set_destination(gateway, account, receiver.url());
  api merchant{gateway, account.test};
  const auto id = new_payment_id();
  const auto metadata = R"({"order":"№ 1001 – „Bücher“","emoji":"📚","quote":"\"</script>"})";
  REQUIRE(summary_of(merchant.create(server_payment(id).raw("metadata", metadata))) == "200 authorized");
  REQUIRE(summary_of(merchant.capture(id)) == "200 captured");
  REQUIRE(summary_of(merchant.refund(id, 200)) == "200 partially_refunded");
  const auto declined = new_payment_id();
  REQUIRE(summary_of(merchant.create(server_payment(declined, "pm_card_chargeDeclined"))) == "200 failed");
  REQUIRE(receiver.comes_to(3));

  std::vector<question> live;
  std::vector<std::string> expected;
  for (const auto& post : receiver.posts()) {
    live.push_back({post.body, post.header("X-Service-Signature").value_or(""), to.secret});
    expected.push_back(post.event() + ' ' + post.type());
  }
  CHECK(asked(folder, live) == expected);

  const auto& genuine = live.front();
  auto tampered = genuine;
  tampered.body.replace(tampered.body.find("4200"), 4, "4201");
  auto foreign = genuine;
  foreign.secret = "whsec_" + random_hex(24);
  auto later = genuine;
  later.header = signature_header(to.secret, genuine.body, 301s);
  auto in_time = genuine;
  in_time.header = signature_header(to.secret, genuine.body, 290s);
  auto other_time = genuine;
  other_time.header[2] = '2';  // t begins with 1 until the year 2033
  const auto verdicts = asked(folder, {tampered, foreign, later, other_time, in_time});
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(verdicts[i].starts_with("refused: "));
  }
  CHECK(verdicts[2].find("tolerance") != std::string::npos);
  CHECK(verdicts[4] == expected.front());

  // During a secret's rotation a receiver with either secret accepts the delivery.
  const auto fresh = gateway.ctl({"destination", "rotate-secret", to.id})["secret"].text();
  REQUIRE(summary_of(merchant.refund(id, 300)) == "200 partially_refunded");
  REQUIRE(receiver.comes_to(4));
  const auto both = receiver.posts().back();
  const auto header = both.header("X-Service-Signature").value_or("");
  const auto event = both.event() + " payment.partially_refunded";
  CHECK(asked(folder, {{both.body, header, to.secret}, {both.body, header, fresh}}) ==
        std::vector<std::string>{event, event});
}
