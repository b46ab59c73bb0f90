// Settings of providers: sealed in the store, published at the start and on every node.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

using enum provider_kind;

provider_settings stripe_keys(std::string secret = "sk_test_1") {
  return {{{"api_base", "https://api.stripe.com"}, {"secret_key", std::move(secret)}}};
}

configure_provider stripe_in_test(provider_settings settings = stripe_keys()) {
  return {stripe, environment::test, std::move(settings)};
}

named_result result_of(office& o, const configure_provider& wanted) { return std::get<named_result>(o.ask(wanted)); }

/// The settings as stored.
std::string sealed_of(const office& o, provider_kind kind, environment env) {
  for (const auto& row : o.stored().providers)
    if (row.provider == kind && row.env == env) return row.sealed_settings;
  return "no row";
}

void store(failing_store& rows, save_provider row) {
  unit_of_work unit;
  unit.inserts.emplace_back(std::move(row));
  REQUIRE(rows.commit(unit) == commit_outcome::committed);
}

}  // namespace

TEST_CASE("settings are published in their environment, and are the same after a restart") {
  auto rows = std::make_shared<failing_store>();
  {
    office o{rows};
    const auto made = result_of(o, stripe_in_test());
    CHECK(made.id == "stripe:test");
    CHECK(made.status == "configured");
    REQUIRE(o.published.find_provider(stripe, environment::test));
    CHECK(*o.published.find_provider(stripe, environment::test) == stripe_keys());
    CHECK(o.published.has_provider(stripe, environment::test));
    CHECK_FALSE(o.published.has_provider(stripe, environment::live));
    CHECK_FALSE(o.published.find_provider(stripe, environment::live));
    CHECK_FALSE(o.published.has_provider(jazzcash, environment::test));
  }
  office again{rows};
  REQUIRE(again.published.find_provider(stripe, environment::test));
  CHECK(*again.published.find_provider(stripe, environment::test) == stripe_keys());
  CHECK(again.published.has_provider(stripe, environment::test));
  CHECK_FALSE(again.published.has_provider(stripe, environment::live));
}

TEST_CASE("the store has settings only sealed with the master key, each provider's and environment's bound to it") {
  office o;
  result_of(o, stripe_in_test());
  const auto sealed = sealed_of(o, stripe, environment::test);
  CHECK(sealed.find("sk_test_1") == std::string::npos);
  CHECK(sealed.find("secret_key") == std::string::npos);
  CHECK(o.keys.open(sealed, "provider:stripe:test") ==
        R"({"api_base":"https://api.stripe.com","secret_key":"sk_test_1"})");
  CHECK_FALSE(o.keys.open(sealed, "provider:stripe:live"));
  CHECK(o.stored().providers.at(0).changed_at == o.clock.now());
}

TEST_CASE("new settings replace all of the old ones") {
  office o;
  result_of(o, stripe_in_test());
  const auto in_use = o.published.find_provider(stripe, environment::test);
  const provider_settings next{{{"secret_key", "sk_test_2"}}};
  result_of(o, stripe_in_test(next));
  CHECK(*o.published.find_provider(stripe, environment::test) == next);
  // Holders of the old settings keep using them.
  CHECK(*in_use == stripe_keys());
  CHECK(o.stored().providers.size() == 1);
}

TEST_CASE("without settings a provider is no longer configured, also after a restart, and may be configured again") {
  auto rows = std::make_shared<failing_store>();
  {
    office o{rows};
    result_of(o, stripe_in_test());
    result_of(o, {stripe, environment::live, stripe_keys("sk_live_1")});
    const auto removed = result_of(o, stripe_in_test({}));
    CHECK(removed.id == "stripe:test");
    CHECK(removed.status == "not_configured");
    CHECK_FALSE(o.published.has_provider(stripe, environment::test));
    CHECK_FALSE(o.published.find_provider(stripe, environment::test));
    CHECK(o.published.has_provider(stripe, environment::live));
    CHECK(sealed_of(o, stripe, environment::test).empty());
  }
  office o{rows};
  CHECK_FALSE(o.published.has_provider(stripe, environment::test));
  CHECK(o.published.has_provider(stripe, environment::live));
  CHECK(result_of(o, stripe_in_test()).status == "configured");
  CHECK(o.published.has_provider(stripe, environment::test));
}

TEST_CASE("a provider that was never configured may be removed") {
  office o;
  CHECK(result_of(o, {jazzcash, environment::live, {}}).status == "not_configured");
}

TEST_CASE("values keep every character") {
  auto rows = std::make_shared<failing_store>();
  const provider_settings odd{{{"password", "\"\\ \n\x01 ż 店"}, {"salt", ""}}};
  {
    office o{rows};
    result_of(o, {jazzcash, environment::live, odd});
  }
  const office o{rows};
  REQUIRE(o.published.find_provider(jazzcash, environment::live));
  CHECK(*o.published.find_provider(jazzcash, environment::live) == odd);
}

TEST_CASE("settings that cannot be read count as not configured, and the others are published") {
  const auto rows = std::make_shared<failing_store>();
  crypto::keyring keys{std::string(32, 'k')}, other{std::string(32, 'o')};
  const auto right = keys.seal(R"({"secret_key":"sk"})", "provider:stripe:live");
  const std::vector<std::string> unreadable{
      "no seal",
      other.seal(R"({"secret_key":"sk"})", "provider:stripe:test"),
      right,  // another environment's row, moved
      keys.seal("[]", "provider:stripe:test"),
      keys.seal("", "provider:stripe:test"),
      keys.seal(R"({"secret_key":1})", "provider:stripe:test"),
  };
  const auto which = GENERATE(0U, 1U, 2U, 3U, 4U, 5U);
  INFO("row " << which);
  store(*rows, {stripe, environment::test, unreadable[which], from_unix_ms(1)});
  store(*rows, {stripe, environment::live, right, from_unix_ms(1)});
  office o{rows};
  CHECK_FALSE(o.published.has_provider(stripe, environment::test));
  CHECK_FALSE(o.published.find_provider(stripe, environment::test));
  CHECK(o.published.has_provider(stripe, environment::live));
  CHECK(result_of(o, stripe_in_test()).status == "configured");
  CHECK(o.published.has_provider(stripe, environment::test));
}

// ---- when the store fails -----------------------------------------------------------------------

TEST_CASE("settings whose commit has an unknown outcome are published as the store has them") {
  const auto how = GENERATE(fault::before_commit, fault::after_commit);
  office o;
  result_of(o, stripe_in_test());
  o.rows().faults.push_back(how);
  CHECK(o.try_out(stripe_in_test({})).failed(actor_errc::store_unavailable));
  o.settle();
  CHECK(o.published.has_provider(stripe, environment::test) == (how == fault::before_commit));
}

TEST_CASE("settings that land late are published a minute later") {
  office o;
  o.rows().faults.push_back(fault::held_up);
  CHECK(o.try_out(stripe_in_test()).failed(actor_errc::store_unavailable));
  CHECK_FALSE(o.published.has_provider(stripe, environment::test));
  o.rows().land();
  o.advance(1min);
  CHECK(o.published.has_provider(stripe, environment::test));
}

TEST_CASE("settings sent by an earlier process are published when they land within a minute") {
  office o;
  store(o.rows(),
        {stripe, environment::test, o.keys.seal(R"({"secret_key":"sk"})", "provider:stripe:test"), from_unix_ms(1)});
  CHECK_FALSE(o.published.has_provider(stripe, environment::test));
  o.advance(1min);
  CHECK(o.published.has_provider(stripe, environment::test));
}

TEST_CASE("settings that a full store rejects change nothing") {
  office o;
  o.rows().faults.push_back(fault::queue_full);
  CHECK(o.try_out(stripe_in_test()).failed(actor_errc::overloaded));
  CHECK_FALSE(o.published.has_provider(stripe, environment::test));
  CHECK(o.stored().providers.empty());
}

// ---- several nodes ------------------------------------------------------------------------------

TEST_CASE("what one node configures, replaces or removes another publishes once it has read the log") {
  const auto rows = std::make_shared<failing_store>();
  office first{rows, true}, second{rows, true};
  result_of(first, stripe_in_test());
  CHECK_FALSE(second.published.has_provider(stripe, environment::test));
  second.catch_up_with_log();
  REQUIRE(second.published.find_provider(stripe, environment::test));
  CHECK(*second.published.find_provider(stripe, environment::test) == stripe_keys());

  result_of(second, stripe_in_test(stripe_keys("sk_test_2")));
  first.catch_up_with_log();
  CHECK(*first.published.find_provider(stripe, environment::test) == stripe_keys("sk_test_2"));

  result_of(first, stripe_in_test({}));
  second.catch_up_with_log();
  CHECK_FALSE(second.published.has_provider(stripe, environment::test));
  CHECK(rows->log.back().second == directory_change{directory_change::kind::provider, "stripe"});
}

TEST_CASE("two nodes that configure a provider at the same time leave one node's settings, the same on both") {
  const auto rows = std::make_shared<failing_store>();
  office first{rows, true}, second{rows, true};
  result_of(first, stripe_in_test(stripe_keys("sk_of_first")));
  // The second has not read the log yet: its commit is lost, and it plans again.
  result_of(second, stripe_in_test(stripe_keys("sk_of_second")));
  first.catch_up_with_log();
  second.catch_up_with_log();
  CHECK(*first.published.find_provider(stripe, environment::test) == stripe_keys("sk_of_second"));
  CHECK(*second.published.find_provider(stripe, environment::test) == stripe_keys("sk_of_second"));
}

TEST_CASE("a change of settings is answered once every other node has published it") {
  const auto rows = std::make_shared<failing_store>();
  office o{rows, true};
  o.kept.others_are_slow = true;
  const auto sent = o.send(stripe_in_test());
  o.settle();
  CHECK_FALSE(sent->done());
  o.others_follow();
  CHECK(sent->made);
}
