// Who may act for a merchant: the answer to each fault of a platform's request, in the order of the checks.
#include <catch2/catch.hpp>

#include <optional>
#include <string>

#include "platform.hpp"

using namespace gateway::e2e;

namespace {

/// A platform whose keys and merchants have every fault that its requests can have.
struct market {
  explicit market(gateway_process& at) : gateway{at}, who{new_platform(at, "m" + new_uuid().substr(0, 8), "*")} {
    let_in(writes, "test", "payments:write payments:read");
    let_in(only_reads, "test", "payments:read");
    let_in(only_live, "live", "payments:write payments:read");
    let_in(revoked, "live", "payments:write payments:read");
    const auto ended = let_in(revoked, "test", "payments:write payments:read");
    gateway.ctl({"grant", "revoke", ended.id});
  }

  platform_grant let_in(const owned_shop& shop, const std::string& mode, const std::string& scope) const {
    return grant_access(gateway, who, shop.email, mode, scope);
  }

  gateway_process& gateway;
  platform_account who;
  owned_shop writes{gateway}, only_reads{gateway}, only_live{gateway};
  owned_shop revoked{gateway};  /// revoked in test; its live grant is in force
  owned_shop stranger{gateway};
  credentials reads = mint_platform_key(gateway, who.id, "payments:read");
  credentials nothing_of_it = mint_platform_key(gateway, who.id, "mcp:read");
};

/// A create in test that differs from a successful one in these fields.
struct attempt {
  const market& at;
  credentials key = at.who.key;
  std::string environment = "environment=test";
  std::string merchant = at.writes.account.id;  ///< empty: no Service-Merchant
  bool idempotent = true;
  std::string body = server_payment(new_payment_id()).text();

  std::string reported() const {
    call how;
    if (!merchant.empty()) how = on_behalf_of(merchant);
    if (!idempotent) how.key.clear();
    api platform{at.gateway, key};
    return summary_of(platform.post("/v1/payment_intents?" + environment, body, how));
  }
};

}  // namespace

TEST_CASE("each fault of a platform's request has its answer, and of two faults the first in order is answered") {
  market m{shared_gateway(GENERATE(from_range(stores())))};
  const auto with = [&](auto change) {
    attempt one{m};
    change(one);
    return one.reported();
  };
  CHECK(with([](attempt&) {}) == "200 authorized");

  for (const std::string wrong : {"environment=", "environment=prod", "environment=TEST",
                                  "environment=test&environment=test", "environment=live&environment=test"}) {
    CAPTURE(wrong);
    CHECK(with([&](attempt& a) { a.environment = wrong; }) == "400 INVALID_ENVIRONMENT");
    CHECK(with([&](attempt& a) { a.environment = wrong, a.merchant = ""; }) == "400 INVALID_ENVIRONMENT");
  }

  // A request without a merchant has no grant either.
  CHECK(with([](attempt& a) { a.merchant = ""; }) == "400 MOOOV_MERCHANT_REQUIRED");

  for (const std::string& unknown : {m.stranger.account.id, std::string{"merch_nobody"}}) {
    CHECK(with([&](attempt& a) { a.merchant = unknown; }) == "403 GRANT_NOT_FOUND");
    CHECK(with([&](attempt& a) { a.merchant = unknown, a.key = m.nothing_of_it; }) == "403 GRANT_NOT_FOUND");
  }
  // The grant is revoked in this environment and in force in the other.
  CHECK(with([&](attempt& a) { a.merchant = m.revoked.account.id; }) == "403 GRANT_NOT_FOUND");

  CHECK(with([&](attempt& a) { a.merchant = m.only_live.account.id; }) == "403 MERCHANT_GRANT_REQUIRED");
  CHECK(with([&](attempt& a) { a.environment = "environment=live"; }) == "403 MERCHANT_GRANT_REQUIRED");
  CHECK(with([&](attempt& a) { a.environment = ""; }) == "403 MERCHANT_GRANT_REQUIRED");
  CHECK(with([&](attempt& a) { a.merchant = m.only_live.account.id, a.key = m.nothing_of_it; }) ==
        "403 MERCHANT_GRANT_REQUIRED");

  CHECK(with([&](attempt& a) { a.key = m.nothing_of_it; }) == "403 SCOPE_DENIED");
  CHECK(with([&](attempt& a) { a.key = m.nothing_of_it, a.merchant = m.only_reads.account.id; }) == "403 SCOPE_DENIED");

  CHECK(with([&](attempt& a) { a.merchant = m.only_reads.account.id; }) == "403 SCOPE_NOT_GRANTED");
  CHECK(with([&](attempt& a) { a.merchant = m.only_reads.account.id, a.key = m.reads; }) == "403 SCOPE_NOT_GRANTED");

  CHECK(with([&](attempt& a) { a.key = m.reads; }) == "403 forbidden");
  CHECK(with([&](attempt& a) { a.key = m.reads, a.idempotent = false; }) == "403 forbidden");

  CHECK(with([](attempt& a) { a.idempotent = false; }) == "400 idempotency_key_required");
  CHECK(with([](attempt& a) { a.idempotent = false, a.body = "{"; }) == "400 idempotency_key_required");
  CHECK(with([](attempt& a) { a.body = "{"; }) == "400 invalid_request");
}
