// The sandbox's tokens, one row each.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "providers/sandbox.hpp"

using namespace gateway;
using namespace gateway::actors;

namespace {
provider_call call(operation what, std::string method, provider_kind kind = provider_kind::sandbox, flow how = flow::server) {
  provider_call c;
  c.provider_key = "pk_00112233445566778899aabbccddeeff";
  c.what = what;
  c.amount = 4200;
  c.subject.key = {merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"}};
  c.subject.provider = kind;
  c.subject.how = how;
  c.subject.details.payment_method = std::move(method);
  c.begun_at = from_unix_ms(1'795'167'000'000);
  return c;
}
const sandbox_settings config{"https://gateway.test", "page-key"};
sandbox_answer asked(const provider_call& c) { return answer_sandbox_call(c, config); }
}  // namespace

TEST_CASE("each token has its outcome, as pm_ and as ctoken_") {
  struct row {
    const char* token;
    provider_status status;
    const char* code;
    error_category category;
    bool retryable;
  };
  using enum provider_status;
  using enum error_category;
  for (const auto& r :
       {row{"card_visa", approved, "", provider, false}, row{"card_chargeDeclined", declined, "card_declined", provider, false},
        row{"card_chargeDeclinedInsufficientFunds", declined, "insufficient_funds", provider, true},
        row{"card_riskBlocked", declined, "risk_blocked", risk, false}, row{"card_authenticationRequired", pending, "", provider, false},
        row{"card_captureDeclined", approved, "", provider, false}, row{"card_refundFail", approved, "", provider, false},
        row{"card_voidFail", approved, "", provider, false}, row{"card_accountInvalid", declined, "account_invalid", auth, false},
        row{"card_slow_50", approved, "", provider, false}, row{"card_unheard_of", declined, "payment_method_not_found", validation, false},
        row{"card_slow_", declined, "payment_method_not_found", validation, false},
        row{"card_slow_5x", declined, "payment_method_not_found", validation, false}})
    for (std::string prefix : {"pm_", "ctoken_"}) {
      CAPTURE(prefix + r.token);
      const auto a = asked(call(operation::create, prefix + r.token));
      CHECK(a.result.status == r.status);
      CHECK(a.result.error.has_value() == (r.status == declined));
      if (a.result.error) {
        CHECK(a.result.error->code == r.code);
        CHECK(a.result.error->category == r.category);
        CHECK(a.result.error->retryable == r.retryable);
      }
      CHECK(a.executed == (r.status == approved));
    }
}

TEST_CASE("the later operation of an authorised token is rejected") {
  CHECK(asked(call(operation::capture, "pm_card_captureDeclined")).result.error->code == "capture_declined");
  CHECK(asked(call(operation::refund, "pm_card_refundFail")).result.error->code == "refund_failed");
  CHECK(asked(call(operation::void_payment, "pm_card_voidFail")).result.error->code == "void_failed");
  for (auto what : {operation::capture, operation::refund, operation::void_payment})
    CHECK(asked(call(what, "pm_card_visa")).result.status == provider_status::approved);
}

TEST_CASE("a timeout token is silent once, and tells when asked again") {
  for (auto [token, status] : {std::pair{"pm_card_timeout", provider_status::approved}, {"pm_card_timeoutDeclined", provider_status::declined}}) {
    auto c = call(operation::create, token);
    CHECK(asked(c).silent);
    c.asked_again = true;
    CHECK_FALSE(asked(c).silent);
    CHECK(asked(c).result.status == status);
  }
}

TEST_CASE("slow tokens wait for at most 30 seconds, and not when asked again") {
  CHECK(asked(call(operation::create, "pm_card_slow_250")).after == duration_ms{250});
  CHECK(asked(call(operation::create, "pm_card_slow_99999")).after == duration_ms{30'000});
  auto c = call(operation::create, "pm_card_slow_250");
  c.asked_again = true;
  CHECK(asked(c).after == duration_ms{0});
}

TEST_CASE("the same call always gets the same reference and page") {
  const auto c = call(operation::create, "", provider_kind::sandbox_hosted, flow::redirect);
  const auto a = asked(c), b = asked(c);
  CHECK(a.result.status == provider_status::pending);
  CHECK(a.result.provider_ref == "cs_00112233445566778899aabbccddeeff");
  CHECK(a.result.hosted_url == b.result.hosted_url);
  CHECK(a.result.hosted_url.starts_with("https://gateway.test/sandbox/checkout/"));
}

TEST_CASE("the hosted card route refunds for six months after the capture") {
  using namespace std::chrono;
  auto c = call(operation::refund, "", provider_kind::sandbox_hosted, flow::redirect);
  c.subject.captured_at = gateway::time_point{sys_days{year{2026} / 3 / 31}};
  for (auto [day, status] : {std::pair{sys_days{year{2026} / 9 / 30}, provider_status::approved},
                             {sys_days{year{2026} / 10 / 1}, provider_status::declined}}) {
    c.begun_at = gateway::time_point{day};
    CHECK(asked(c).result.status == status);
  }
  CHECK(asked(c).result.error->code == "refund_window_expired");
}

TEST_CASE("the ledger holds each effect once, also over restarts") {
  const auto path = std::filesystem::temp_directory_path() / ("sandbox-ledger-" + std::to_string(::getpid()));
  std::filesystem::remove(path);
  const auto lines = [&] {
    std::ifstream in{path};
    return std::count(std::istreambuf_iterator<char>{in}, {}, '\n');
  };
  auto c = call(operation::create, "pm_card_visa");
  {
    sandbox_ledger ledger{path.string()};
    ledger.record(c);
    ledger.record(c);
    c.provider_key = "pk_another";
    ledger.record(c);
  }
  CHECK(lines() == 2);
  sandbox_ledger again{path.string()};
  again.record(c);
  CHECK(lines() == 2);
  std::filesystem::remove(path);
}
