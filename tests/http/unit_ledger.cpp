// The operator socket's routes about the ledger: the queries to the store, and the answers to gatewayctl.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using Catch::Contains;

namespace {

struct ledger_fixture : gateway_fixture {
  response ask_operator(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }
};

const auto hkd = currency::parse("HKD").value();
const auto november = parse_day("2026-11-01").value();

}  // namespace

TEST_CASE_METHOD(ledger_fixture, "sums cover days, including the last one") {
  std::optional<find_ledger_sums> asked;
  scene.ledger_sums = [&](const find_ledger_sums& what) -> caf::expected<ledger_sums_lookup> {
    asked = what;
    return ledger_sums_lookup{{{november, provider_kind::stripe, ledger_kind::refunded, 3, {4200, hkd}}},
                              merchant_id{"merch_7"}};
  };
  const auto out = ask_operator("/operator/ledger/sums",
                                R"({"mode":"live","from":"2026-11-01","to":"2026-11-02","after":"merch_3"})");
  CHECK(out.status == 200);
  CHECK(
      out.body ==
      R"({"sums":[{"day":"2026-11-01","currency":"HKD","provider":"stripe","kind":"refunded","count":3,"amount":4200}],)"
      R"("next":"merch_7"})");
  REQUIRE(asked);
  CHECK(asked->merchant.empty());
  CHECK(asked->after.value == "merch_3");
  CHECK(asked->env == environment::live);
  CHECK(asked->from_day == november);
  CHECK(asked->until_day == november + std::chrono::days{2});

  CHECK(ask_operator("/operator/ledger/sums",
                     R"({"mode":"test","from":"2026-11-01","to":"2026-11-01","merchant_id":"merch_1"})")
            .status == 200);
  CHECK(asked->merchant.value == "merch_1");
  CHECK(asked->env == environment::test);
}

TEST_CASE_METHOD(ledger_fixture, "entries are returned a page at a time, with the next page's cursor") {
  std::optional<find_ledger> asked;
  ledger_entry reported;
  reported.payment = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  reported.seq = 4;
  reported.at = noon;
  reported.what = ledger_kind::captured;
  reported.amount = {4200, hkd};
  reported.accounts = {-4200, 0, 4200};
  reported.account = "acct_1";
  reported.payment_ref = "pi_1";
  reported.movement_ref = "ch_1";
  scene.ledgers = [&](const find_ledger& what) -> caf::expected<ledger_lookup> {
    asked = what;
    return ledger_lookup{{reported},
                         ledger_position{reported.payment.merchant, reported.at, reported.payment.id, reported.seq}};
  };
  const auto out = ask_operator(
      "/operator/ledger/list",
      R"({"mode":"test","provider":"sandbox","from":"2026-11-01","to":"2026-11-30","merchant_id":"merch_1",)"
      R"("after_merchant_id":"merch_1","after_at":7,"after_payment_id":"pay_0","after_seq":2,"limit":10})");
  CHECK(out.status == 200);
  CHECK(out.body ==
        R"({"entries":[{"merchant_id":"merch_1","payment_id":"pay_1","seq":4,"occurred_at":"2026-11-20T12:00:00.000Z",)"
        R"("kind":"captured","amount":4200,"currency":"HKD","customer":-4200,"provider_holds":0,"merchant_has":4200,)"
        R"("provider":"sandbox","account":"acct_1","payment_ref":"pi_1","movement_ref":"ch_1"}],)"
        R"("next":{"after_merchant_id":"merch_1","after_at":)" +
            std::to_string(to_unix_ms(noon)) + R"(,"after_payment_id":"pay_1","after_seq":4}})");
  REQUIRE(asked);
  CHECK(asked->provider == provider_kind::sandbox);
  CHECK(asked->from == time_point{november});
  CHECK(asked->until == time_point{november + std::chrono::days{30}});
  CHECK(asked->after == ledger_position{merchant_id{"merch_1"}, from_unix_ms(7), "pay_0", 2});
  CHECK(asked->limit == 10);
}

TEST_CASE_METHOD(ledger_fixture, "mistakes about the ledger are named, and the store is not queried") {
  bool asked = false;
  scene.ledger_sums = [&](const find_ledger_sums&) -> caf::expected<ledger_sums_lookup> {
    asked = true;
    return ledger_sums_lookup{};
  };
  scene.ledgers = [&](const find_ledger&) -> caf::expected<ledger_lookup> {
    asked = true;
    return ledger_lookup{};
  };
  struct {
    std::string_view path, body, part;
    int status;
  } const rows[] = {
      {"sums", R"({"from":"2026-11-01","to":"2026-11-02"})", "mode", 400},
      {"sums", R"({"mode":"both","from":"2026-11-01","to":"2026-11-02"})", "mode: must be test or live", 400},
      {"sums", R"({"mode":"live","to":"2026-11-02"})", "from", 400},
      {"sums", R"({"mode":"live","from":"2026-02-30","to":"2026-11-02"})", "from: must be a day, as 2026-11-20", 400},
      {"sums", R"({"mode":"live","from":"2026-11-01","to":"1.12.2026"})", "to: must be a day", 400},
      {"sums", R"({"mode":"live","from":"2026-11-02","to":"2026-11-01"})", "to: must not be before from", 400},
      {"sums", R"({"mode":"live","from":"2026-11-01","to":"2026-12-02"})", "to: must be at most 31 days", 400},
      {"sums", R"({"mode":"live","from":"2026-11-01","to":"2026-11-01","merchant_id":"merch_1","after":"merch_0"})",
       "after: may not stand beside merchant_id", 400},
      {"sums", R"({"mode":"live","from":"2026-11-01","to":"2026-11-01","merchant_id":"merch_x"})",
       "There is no merchant merch_x.", 404},
      {"list", R"({"mode":"live","from":"2026-11-01","to":"2026-11-01"})", "provider", 400},
      {"list", R"({"mode":"live","provider":"bank","from":"2026-11-01","to":"2026-11-01"})", "provider: is not", 400},
      {"list", R"({"mode":"live","provider":"stripe","from":"2026-11-01","to":"2026-11-01","limit":1001})", "limit",
       400},
      {"list",
       R"({"mode":"live","provider":"stripe","from":"2026-11-01","to":"2026-11-01","merchant_id":"merch_1","after_merchant_id":"merch_2"})",
       "after_merchant_id: must be merchant_id", 400},
      {"list", R"({"mode":"live","provider":"stripe","from":"2026-11-01","to":"2026-11-01","merchant_id":"merch_x"})",
       "There is no merchant merch_x.", 404},
  };
  for (const auto& row : rows) {
    INFO(row.body);
    const auto out = ask_operator(std::string{"/operator/ledger/"}.append(row.path), row.body);
    CHECK(static_cast<int>(out.status) == row.status);
    CHECK_THAT(out.body, Contains(std::string{row.part}));
  }
  CHECK_FALSE(asked);
}

TEST_CASE_METHOD(ledger_fixture, "a store that is away is a 503") {
  scene.ledger_sums = [](const find_ledger_sums&) -> caf::expected<ledger_sums_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(ask_operator("/operator/ledger/sums", R"({"mode":"live","from":"2026-11-01","to":"2026-11-01"})").status ==
        503);
}
