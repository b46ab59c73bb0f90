// The sandbox's tokens, one row each.
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gateway/domain/provider_truth.hpp"
#include "providers/sandbox/sandbox.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {
provider_call call(operation what, std::string method, provider_kind kind = provider_kind::sandbox,
                   flow how = flow::server) {
  provider_call c;
  c.provider_key = "pk_00112233445566778899aabbccddeeff";
  c.what = what;
  c.amount = 4200;
  c.subject.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  c.subject.provider = kind;
  c.subject.how = how;
  c.subject.details.payment_method = std::move(method);
  c.begun_at = from_unix_ms(1'795'167'000'000);
  return c;
}
const sandbox_settings config{"https://gateway.test", "page-key", "sdk-key"};
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
       {row{"card_visa", approved, "", provider, false},
        row{"card_chargeDeclined", declined, "card_declined", provider, false},
        row{"card_chargeDeclinedInsufficientFunds", declined, "insufficient_funds", provider, true},
        row{"card_riskBlocked", declined, "risk_blocked", risk, false},
        row{"card_authenticationRequired", pending, "", provider, false},
        row{"card_captureDeclined", approved, "", provider, false},
        row{"card_refundFail", approved, "", provider, false}, row{"card_voidFail", approved, "", provider, false},
        row{"card_createDispute", approved, "", provider, false},
        row{"card_refundPending", approved, "", provider, false},
        row{"card_accountInvalid", declined, "account_invalid", auth, false},
        row{"card_slow_50", approved, "", provider, false},
        row{"card_unheard_of", declined, "payment_method_not_found", validation, false},
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

TEST_CASE("a refund of the card refundPending is accepted and stays pending") {
  const auto refund = asked(call(operation::refund, "pm_card_refundPending"));
  CHECK(refund.result.status == provider_status::pending);
  CHECK(refund.executed);
  CHECK(refund.result.movement_ref == "re_00112233445566778899aabbccddeeff");
  for (auto what : {operation::create, operation::capture, operation::void_payment})
    CHECK(asked(call(what, "pm_card_refundPending")).result.status == provider_status::approved);
}

TEST_CASE("after a capture of the card createDispute the payment is to be asked about again") {
  CHECK_FALSE(asked(call(operation::create, "pm_card_createDispute")).result.is_followed);
  CHECK(asked(call(operation::capture, "pm_card_createDispute")).result.is_followed);
  CHECK_FALSE(asked(call(operation::capture, "pm_card_visa")).result.is_followed);
  auto at_once = call(operation::create, "pm_card_createDispute");
  at_once.subject.details.captures_at_once = true;
  CHECK(asked(at_once).result.is_followed);
}

TEST_CASE("an authorization that ended at the sandbox is neither captured nor voided there") {
  for (const auto ended : {sandbox_act_kind::authorization_expire, sandbox_act_kind::authorization_cancel}) {
    auto c = call(operation::capture, "pm_card_visa");
    c.subject.state = payment_state::authorized;
    c.subject.records.acts = {{ended, 0, {}, c.begun_at}};
    CHECK(asked(c).result.error->code == "capture_declined");
    c.what = operation::void_payment;
    CHECK(asked(c).result.error->code == "void_failed");
  }
}

TEST_CASE("an inquiry that compares is answered with the sandbox's truth, and any other with none") {
  provider_inquiry inquiry;
  inquiry.subject = call(operation::create, "pm_card_visa").subject;
  inquiry.subject.state = payment_state::captured;
  inquiry.subject.captured = 4200;
  for (const bool closes : {false, true}) {
    inquiry.closes = closes;
    CHECK_FALSE(answer_sandbox_inquiry(inquiry).truth);
  }
  inquiry.closes = false;
  inquiry.compares = true;
  const auto seen = answer_sandbox_inquiry(inquiry);
  CHECK(seen.status == provider_status::approved);
  REQUIRE(seen.truth);
  CHECK(seen.truth->charge == charge_state::captured);
  CHECK(seen.truth->captured == 4200);
  CHECK(seen.truth->lists_refunds);
}

TEST_CASE("a timeout token gives no answer the first time, and answers a repeat") {
  for (auto [token, status] : {std::pair{"pm_card_timeout", provider_status::approved},
                               {"pm_card_timeoutDeclined", provider_status::declined}}) {
    auto c = call(operation::create, token);
    CHECK(asked(c).silent);
    c.asked_again = true;
    CHECK_FALSE(asked(c).silent);
    CHECK(asked(c).result.status == status);
  }
}

TEST_CASE("slow tokens wait for at most 30 seconds, and not when repeated") {
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

namespace {
struct ledger_file {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sandbox-ledger-" + std::to_string(::getpid()));
  ledger_file() { std::filesystem::remove(path); }
  ~ledger_file() { std::filesystem::remove(path); }
  std::string text() const {
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  std::ptrdiff_t lines() const {
    const auto all = text();
    return std::ranges::count(all, '\n');
  }
};
}  // namespace

TEST_CASE("the ledger holds each effect once, also over restarts") {
  const ledger_file file;
  auto c = call(operation::create, "pm_card_visa");
  {
    sandbox_ledger ledger{file.path.string()};
    CHECK(ledger.record(c));
    CHECK(ledger.record(c));
    c.provider_key = "pk_another";
    CHECK(ledger.record(c));
  }
  CHECK(file.lines() == 2);
  sandbox_ledger again{file.path.string()};
  CHECK(again.record(c));
  CHECK(file.lines() == 2);
}

TEST_CASE("an effect recorded before the ledger had more fields is the same effect") {
  const ledger_file file;
  auto c = call(operation::refund, "pm_card_visa");
  sandbox_ledger{file.path.string()}.record(c, "re_1");
  auto text = file.text();
  const auto from = text.find(",\"currency\""), to = text.find(",\"status\"");
  REQUIRE(from < to);
  std::ofstream{file.path, std::ios::trunc} << text.erase(from, to - from);
  sandbox_ledger again{file.path.string()};
  CHECK(again.record(c, "re_1"));
  CHECK(file.lines() == 1);
}

TEST_CASE("the settlement report has the captures and refunds of the ledger, with their references") {
  const ledger_file file;
  sandbox_ledger ledger{file.path.string()};
  const auto execute = [&](operation what, const char* key, std::int64_t amount, bool at_once = false) {
    auto c = call(what, "pm_card_visa");
    c.provider_key = key;
    c.amount = amount;
    c.begun_at = from_unix_ms(1'795'167'000'000);
    c.subject.amount = {amount, currency::parse("HKD").value()};
    c.subject.details.captures_at_once = at_once;
    CHECK(carry_out(c, answer_sandbox_call(c), &ledger).status == provider_status::approved);
  };
  execute(operation::create, "pk_1", 4200);
  execute(operation::capture, "pk_2", 4200);
  execute(operation::refund, "pk_3", 1000);
  execute(operation::create, "pk_4", 700, true);
  execute(operation::create, "pk_5", 800);
  execute(operation::void_payment, "pk_6", 800);
  std::ifstream in{file.path};
  std::ostringstream csv;
  write_settlement_report(in, csv);
  const auto c = call(operation::create, "pm_card_visa");
  const auto line = [&](const std::string& ref, const std::string& kind, const std::string& amount) {
    return ref + ',' + c.subject.key.id + ',' + kind + ',' + amount + ",HKD," +
           format_millis(from_unix_ms(1'795'167'000'000)) + ',' + c.subject.key.merchant.value + ',' +
           std::string{to_string(c.subject.key.env)} + '\n';
  };
  CHECK(csv.str() == "reference,payment_id,kind,amount,currency,occurred_at,merchant_id,mode\n" +
                         line("cap_2", "captured", "4200") + line("re_3", "refunded", "1000") +
                         line("ch_4", "captured", "700"));
}

TEST_CASE("a provider key of another effect is not executed, and the ledger shows that") {
  const ledger_file file;
  auto c = call(operation::refund, "pm_card_visa");
  std::optional<sandbox_ledger> ledger{file.path.string()};
  CHECK(ledger->record(c));
  c.amount += 1;
  CHECK_FALSE(ledger->record(c));
  ledger.emplace(file.path.string());
  CHECK_FALSE(ledger->record(c));
  c.amount -= 1;
  CHECK(ledger->record(c));
  CHECK(file.lines() == 3);
  CHECK(file.text().find(R"("amount":4201,"status":"conflict"})") != std::string::npos);
}

TEST_CASE("a line that a crash has cut short is ignored, and the next one starts on its own line") {
  const ledger_file file;
  const auto c = call(operation::create, "pm_card_visa");
  sandbox_ledger{file.path.string()}.record(c);
  const auto whole = file.text();
  for (const auto kept : {whole.size() - 1, whole.size() / 2, std::size_t{1}}) {
    CAPTURE(kept);
    std::ofstream{file.path, std::ios::trunc} << whole << whole.substr(0, kept);
    auto other = call(operation::create, "pm_card_visa");
    other.provider_key = "pk_another";
    sandbox_ledger again{file.path.string()};
    CHECK(file.text() == whole);
    CHECK(again.record(c));
    CHECK(again.record(other));
    CHECK(file.lines() == 2);
  }
  // The only line, cut short: it has not been executed.
  std::ofstream{file.path, std::ios::trunc} << whole.substr(0, whole.size() - 1);
  sandbox_ledger again{file.path.string()};
  CHECK(file.text().empty());
  CHECK(again.record(c));
  CHECK(file.text() == whole);
}

namespace {
/// Limits the size of this process's files.
class file_limit {
 public:
  explicit file_limit(std::size_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~file_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  file_limit(const file_limit&) = delete;
  file_limit& operator=(const file_limit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};
}  // namespace

TEST_CASE("a call that cannot be recorded is not executed: its outcome is unknown, until there is room") {
  const ledger_file file;
  sandbox_ledger ledger{file.path.string()};
  const auto first = call(operation::create, "pm_card_visa");
  CHECK(ledger.record(first));
  const auto whole = file.text();
  auto c = first;
  c.provider_key = "pk_another";
  {
    // Room for a part of the line, which is removed again.
    const file_limit limit{whole.size() + 40};
    const auto result = carry_out(c, asked(c), &ledger);
    CHECK(result.status == provider_status::unknown);
    REQUIRE(result.error);
    CHECK(result.error->outcome_unknown);
    CHECK(file.text() == whole);
    const auto declined = call(operation::create, "pm_card_chargeDeclined");
    CHECK(carry_out(declined, asked(declined), &ledger).status == provider_status::declined);
  }
  CHECK(carry_out(c, asked(c), &ledger).status == provider_status::approved);
  CHECK(file.lines() == 2);
}

TEST_CASE("a silent provider does not delay the end of the process") {
  testing::world w;
  std::optional<provider_result> received;
  caf::scoped_execution_unit outside{&w.system()};
  auto asker = w.system().spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  auto* self = static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(asker));
  self->context(&outside);
  const auto sandbox = actors::spawn_sandbox(w.system(), {"https://gateway.test", "key"}, nullptr);
  self->request(sandbox, caf::infinite, call(operation::create, "pm_card_timeout")).then([&](provider_result& result) {
    received = std::move(result);
  });
  w.advance(30s, 5s);
  CHECK_FALSE(received);
  w.advance(60s, 5s);
  REQUIRE(received);
  CHECK(received->status == provider_status::unknown);
}
