// gateway-cli as an integrator runs it, against a real gateway and with an API key only.
#include <catch2/catch.hpp>

#include <filesystem>

#include "gateway_process.hpp"
#include "json.hpp"
#include "merchant.hpp"
#include "paths.hpp"
#include "platform.hpp"
#include "text.hpp"

using namespace gateway::e2e;
using Catch::Contains;

namespace {

class integrator {
 public:
  integrator(const gateway_process& gateway, const credentials& key) : gateway_(gateway), key_(key) {}

  command_output run(std::vector<std::string> arguments, std::string_view input = {},
                     child_options options = {}) const {
    arguments.insert(arguments.begin(), program("gateway-cli").string());
    if (options.environment.empty())
      options.environment = {{"GATEWAY_URL", gateway_.base_url()},
                             {"GATEWAY_KEY_ID", key_.key_id},
                             {"GATEWAY_SECRET", key_.secret},
                             {"GATEWAY_CA_FILE", gateway_.certificate().string()}};
    return run_command(arguments, input, options);
  }
  /// Its one line of JSON. Fails if the command did.
  json answer(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    const auto ran = run(arguments);
    INFO(ran.out << ran.err);
    REQUIRE(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(lines_of(ran.out).size() == 1);
    return json::parse(ran.out);
  }
  json create(const std::string& id, const std::string& method = "pm_card_visa") const {
    return answer(
        {"payments", "create", "--payment-id", id, "--amount=4200", "--currency=HKD", "--payment-method", method});
  }

 private:
  const gateway_process& gateway_;
  const credentials key_;
};

struct shop {
  gateway_process& gateway = shared_gateway(store_kind::sqlite);
  merchant_account merchant = new_merchant(gateway, {.live = true});
  integrator cli{gateway, merchant.test};
};

}  // namespace

TEST_CASE("gateway-cli takes a payment through its life") {
  const shop at;
  const auto id = new_payment_id();
  CHECK(at.cli.create(id)["state"] == "authorized");
  CHECK(at.cli.answer({"payments", "capture", id, "--amount=4000"})["captured_amount"] == 4000);
  CHECK(at.cli.answer({"payments", "refund", id, "--amount=1500", "--reason=late"})["state"] == "partially_refunded");
  CHECK(at.cli.answer({"payments", "refund", id})["refunded_total"] == 4000);
  const auto shown = at.cli.answer({"payments", "show", id});
  CHECK(shown["state"] == "refunded");
  CHECK(shown["refunds"].at(0)["reason"] == "late");

  const auto voided = new_payment_id();
  at.cli.create(voided);
  CHECK(at.cli.answer({"payments", "void", voided})["state"] == "voided");

  const auto hosted = new_payment_id();
  const auto opened =
      at.cli.answer({"payments", "create", "--payment-id", hosted, "--amount=4200", "--currency=HKD", "--flow=redirect",
                     "--success-url=https://shop.example/a", "--cancel-url=https://shop.example/b"});
  CHECK(opened["provider.hosted_url"].present());
  CHECK(at.cli.answer({"payments", "cancel", hosted, "--reason=sold out"})["state"] == "failed");
}

TEST_CASE("a declined create of gateway-cli is no failure, and a refusal is") {
  const shop at;
  CHECK(at.cli.create(new_payment_id(), "pm_card_chargeDeclined")["state"] == "failed");

  const auto refusal = at.cli.run({"payments", "capture", "pay_none"});
  CHECK(refusal.code == 1);
  CHECK(json::parse(refusal.out)["error"] == "payment_not_found");
  CHECK(lines_of(refusal.err).size() == 1);
  CHECK_THAT(refusal.err, Contains("payment_not_found"));

  const auto usage = at.cli.run({"payments", "capture"});
  CHECK(usage.code == 2);
  CHECK(usage.out.empty());
  CHECK(lines_of(usage.err).size() == 1);
}

TEST_CASE("gateway-cli call signs any request, and the same key gets the same result") {
  const shop at;
  const auto id = new_payment_id(), key = new_uuid();
  const auto body = server_payment(id).text();
  const std::vector<std::string> create{"call", "POST", "/v1/payment_intents", "--body", "-", "--idempotency-key", key};
  const auto first = at.cli.run(create, body);
  INFO(first.err);
  CHECK(first.code == 0);
  CHECK(json::parse(first.out)["state"] == "authorized");
  CHECK(at.cli.run(create, body).out == first.out);
  const auto reused = at.cli.run(create, server_payment(new_payment_id()).text());
  CHECK(reused.code == 1);
  CHECK(json::parse(reused.out)["error"] == "IDEMPOTENCY_KEY_REUSED");

  const auto file = at.gateway.folder() / "body.json";
  write_file(file, server_payment(new_payment_id()).text());
  CHECK(at.cli.run({"payments", "create", "--body", file.string()}).code == 0);
  const auto read = at.cli.run({"call", "GET", "/v1/payment_intents/" + id + "/timeline"});
  CHECK(read.code == 0);
  CHECK(json::parse(read.out)["timeline"].size() > 0);
}

TEST_CASE("gateway-cli verifies the gateway's certificate and needs its settings") {
  const shop at;
  const auto& key = at.merchant.test;
  child_options untrusted;
  untrusted.environment = {{"GATEWAY_URL", at.gateway.base_url()},
                           {"GATEWAY_KEY_ID", key.key_id},
                           {"GATEWAY_SECRET", key.secret},
                           {"GATEWAY_CA_FILE", ""}};
  const auto refused = at.cli.run({"disputes", "list"}, {}, untrusted);
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("certificate"));

  child_options without_key;
  without_key.environment = {{"GATEWAY_URL", at.gateway.base_url()}, {"GATEWAY_KEY_ID", ""}};
  const auto missing = at.cli.run({"disputes", "list"}, {}, without_key);
  CHECK(missing.code == 1);
  CHECK_THAT(missing.err, Contains("GATEWAY_KEY_ID"));
}

TEST_CASE("a profile of gateway-cli wins over the environment, and is refused if others can read it") {
  const shop at;
  const auto home = new_folder("cli-home");
  const auto file = home / ".config" / "gateway" / "profiles.toml";
  std::filesystem::create_directories(file.parent_path());
  write_file(file, "[shop]\nurl = \"" + at.gateway.base_url() + "\"\nkey_id = \"" + at.merchant.test.key_id +
                       "\"\nsecret = \"" + at.merchant.test.secret + "\"\nca_file = \"" +
                       at.gateway.certificate().string() + "\"\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  child_options with_home;
  with_home.environment = {{"HOME", home.string()}, {"GATEWAY_URL", "https://127.0.0.1:1"}, {"GATEWAY_KEY_ID", "x"}};
  const auto listed = at.cli.run({"--profile", "shop", "disputes", "list"}, {}, with_home);
  INFO(listed.err);
  CHECK(listed.code == 0);
  CHECK(listed.out == "no disputes\n");

  std::filesystem::permissions(file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  const auto open = at.cli.run({"disputes", "list", "--profile", "shop"}, {}, with_home);
  CHECK(open.code == 1);
  CHECK_THAT(open.err, Contains("chmod 600"));
  std::filesystem::remove_all(home);
}

TEST_CASE("gateway-cli trigger causes each type of event of payments, and lists its dispute") {
  const shop at;
  const std::pair<const char*, const char*> states[] = {{"payment.captured", "captured"},
                                                        {"payment.failed", "failed"},
                                                        {"payment.partially_refunded", "partially_refunded"},
                                                        {"payment.refunded", "refunded"},
                                                        {"payment.voided", "voided"}};
  for (const auto& [type, state] : states) {
    CAPTURE(type);
    const auto made = at.cli.answer({"trigger", type});
    CHECK(made["type"] == type);
    api as_merchant{at.gateway, at.merchant.test};
    CHECK(as_merchant.state_of(made["payment_id"].text()) == state);
    const auto timeline = history(as_merchant.timeline(made["payment_id"].text()));
    CHECK(std::ranges::count(timeline, "event " + std::string{type} + " published") == 1);
  }
  const auto dispute = at.cli.answer({"trigger", "dispute.opened"});
  const auto listed = at.cli.answer({"disputes", "list", "--payment-id", dispute["payment_id"].text()});
  CHECK(listed["dispute_id"] == dispute["dispute_id"].text());
  CHECK(listed["status"] == "needs_response");

  const auto impossible = at.cli.run({"trigger", "subscription.activated"});
  CHECK(impossible.code == 1);
  CHECK_THAT(impossible.err, Contains("subscriptions are live only"));
}

TEST_CASE("gateway-cli trigger makes nothing with a live key") {
  const shop at;
  const integrator live{at.gateway, at.merchant.live};
  const auto before = at.gateway.sql("SELECT COUNT(*) FROM payments;");
  const auto refused = live.run({"trigger", "payment.captured"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("made nothing"));
  CHECK(at.gateway.sql("SELECT COUNT(*) FROM payments;") == before);
}

TEST_CASE("gateway-cli verify says whether a webhook is genuine, and why not") {
  const shop at;
  const std::string body = R"({"id":"evt_1","type":"payment.captured"})";
  const auto now = std::to_string(
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count());
  const auto header = "t=" + now + ",v1=" + hmac_sha256_hex("whsec_1", now + "." + body);
  const auto genuine = at.cli.run({"verify", "--secret=whsec_1", "--signature", header, "--body=-"}, body);
  CHECK(genuine.code == 0);
  CHECK(genuine.out == "genuine\n");
  const auto other = at.cli.run({"verify", "--secret=whsec_2", "--signature", header, "--json"}, body);
  CHECK(other.code == 1);
  CHECK_THAT(json::parse(other.out)["reason"].text(), Contains("does not match"));
  const auto old = at.cli.run({"verify", "--secret=whsec_1", "--signature",
                               "t=1795167000,v1=" + hmac_sha256_hex("whsec_1", "1795167000." + body), "--tolerance=5"},
                              body);
  CHECK(old.code == 1);
  CHECK_THAT(old.err, Contains("tolerance of 5 s"));
}

TEST_CASE("gateway-cli acts for a platform's merchant in the environment that is named") {
  gateway_process& gateway = shared_gateway(store_kind::sqlite);
  const auto platform = new_platform(gateway, "cli-" + random_hex(4));
  const owned_shop shop{gateway};
  grant_access(gateway, platform, shop.email, "test");
  const integrator cli{gateway, platform.key};
  const auto id = new_payment_id();
  const auto made =
      cli.answer({"--merchant", shop.account.id, "--environment", "test", "payments", "create", "--payment-id", id,
                  "--amount=4200", "--currency=HKD", "--payment-method=pm_card_visa"});
  CHECK(made["state"] == "authorized");
  const auto without = cli.run({"payments", "show", id, "--environment=test"});
  CHECK(without.code == 1);
  CHECK(json::parse(without.out)["error"] == "MOOOV_MERCHANT_REQUIRED");
}
