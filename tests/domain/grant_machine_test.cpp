// The grant's state machine as a table: every state of a binding × every command.
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "gateway/domain/grant_machine.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

const time_point now = from_unix_ms(1'795'167'000'125);
const platform_id acme{"plat_acme"};
const grant_id first{"grant_first"}, second{"grant_second"};
const user_id owner{"user_owner"};
constexpr auto callback = "https://p.example/cb";

scope_set scopes(std::string_view names) { return parse_scopes(names).value(); }

auth_code code(std::string hash, time_point issued, std::string redirect_uri = callback) {
  return {std::move(hash), std::move(redirect_uri), issued + auth_code_lifetime};
}

/// An active grant has `payments:write payments:read`, and one code waits.
grant_binding binding_in(grant_state state) {
  grant_binding b;
  b.key = binding_key(merchant_id{"merch_1"}, environment::live, acme);
  if (state == grant_state::none) return b;
  b.version = 7;
  b.newest = grant{first, scopes("payments:write payments:read"), owner, now - 24h, std::nullopt, {}};
  if (state == grant_state::active) b.codes = {code("waiting", now - 1min)};
  if (state == grant_state::revoked) {
    b.newest->revoked_at = now - 1h;
    b.newest->revoke_reason = "first reason";
  }
  return b;
}

give_consent consent(std::string_view asked, bool shown = true) {
  return {second, scopes(asked), user_id{"user_other"}, shown, "fresh", callback};
}
exchange_code exchange(std::string hash, platform_id by = acme, std::string redirect_uri = callback) {
  return {std::move(by), std::move(hash), std::move(redirect_uri)};
}
revoke_grant revoke(grant_id id, std::string reason = "second reason") { return {std::move(id), std::move(reason)}; }

std::string verdict(const grant_decision& d) {
  if (const auto* why = std::get_if<grant_refusal>(&d)) {
    switch (*why) {
      case grant_refusal::not_covered: return "not_covered";
      case grant_refusal::invalid_code: return "invalid_code";
      case grant_refusal::unknown_grant: return "unknown_grant";
    }
  }
  return std::holds_alternative<grant_change>(d) ? "change" : "unchanged";
}

const grant_change& change_of(const grant_decision& d) {
  REQUIRE(std::holds_alternative<grant_change>(d));
  return std::get<grant_change>(d);
}

std::vector<std::string> hashes(const grant_binding& b) {
  std::vector<std::string> list;
  for (const auto& each : b.codes) list.push_back(each.hash);
  return list;
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("every state of a binding answers every command") {
  using enum grant_state;
  struct row {
    const char *consent_same, *consent_more, *quiet_same, *quiet_more;  // quiet: without asking the user
    const char *exchange, *exchange_unknown;
    const char *revoke_first, *revoke_second, *revoke_past;
  };
  const std::map<grant_state, row> table{
      {none,
       {"change", "change", "not_covered", "not_covered", "invalid_code", "invalid_code", "unknown_grant",
        "unknown_grant", "unchanged"}},
      {active,
       {"change", "change", "change", "not_covered", "change", "invalid_code", "change", "unknown_grant", "unchanged"}},
      {revoked,
       {"change", "change", "not_covered", "not_covered", "invalid_code", "invalid_code", "unchanged", "unknown_grant",
        "unchanged"}},
  };
  REQUIRE(table.size() == enum_count<grant_state>);
  for (const auto& [state, expected] : table) {
    CAPTURE(to_string(state));
    const auto b = binding_in(state);
    CHECK(verdict(decide(b, consent("payments:read"), now)) == expected.consent_same);
    CHECK(verdict(decide(b, consent("payments:read customers:read"), now)) == expected.consent_more);
    CHECK(verdict(decide(b, consent("payments:read", false), now)) == expected.quiet_same);
    CHECK(verdict(decide(b, consent("payments:read customers:read", false), now)) == expected.quiet_more);
    CHECK(verdict(decide(b, exchange("waiting"), now)) == expected.exchange);
    CHECK(verdict(decide(b, exchange("never issued"), now)) == expected.exchange_unknown);
    CHECK(verdict(decide(b, revoke(first), false, now)) == expected.revoke_first);
    CHECK(verdict(decide(b, revoke(second), false, now)) == expected.revoke_second);
    CHECK(verdict(decide(b, revoke(grant_id{"grant_earlier"}), true, now)) == expected.revoke_past);
  }
}

TEST_CASE("the first consent makes a grant with the requested scopes, and one code") {
  const auto decided = decide(binding_in(grant_state::none), consent("payments:read"), now);
  const auto& [next, past] = change_of(decided);
  CHECK(next.version == 1);
  CHECK(next.newest == grant{second, scopes("payments:read"), user_id{"user_other"}, now, std::nullopt, {}});
  CHECK(next.codes == std::vector{code("fresh", now)});
  CHECK_FALSE(past);
}

TEST_CASE("a further consent widens the grant by new scopes, and removes none") {
  const auto decided = decide(binding_in(grant_state::active), consent("payments:read customers:read"), now);
  const auto& [next, past] = change_of(decided);
  CHECK(next.version == 8);
  CHECK(next.newest->scopes == scopes("payments:write payments:read customers:read"));
  CHECK(next.newest->id == first);
  CHECK(next.newest->given_by == owner);
  CHECK(next.newest->granted_at == now - 24h);
  CHECK(hashes(next) == list{"waiting", "fresh"});
  CHECK_FALSE(past);
}

TEST_CASE("a consent to granted scopes leaves the grant unchanged, with a code, whether the user was asked or not") {
  for (const bool shown : {true, false}) {
    const auto before = binding_in(grant_state::active);
    const auto decided = decide(before, consent("payments:write", shown), now);
    const auto& next = change_of(decided).next;
    CHECK(next.newest == before.newest);
    CHECK(hashes(next) == list{"waiting", "fresh"});
  }
}

TEST_CASE(
    "after a revoke a consent makes a new grant with a new id and only the requested scopes, and the old one is past") {
  const auto before = binding_in(grant_state::revoked);
  const auto decided = decide(before, consent("payments:read"), now);
  const auto& [next, past] = change_of(decided);
  CHECK(next.version == 8);
  CHECK(next.newest->id == second);
  CHECK(next.newest->scopes == scopes("payments:read"));
  CHECK(state_of(next.newest) == grant_state::active);
  CHECK(past == before.newest);
  CHECK(hashes(next) == list{"fresh"});
}

TEST_CASE("a code is spent by its exchange, once, and the grant stays unchanged") {
  const auto before = binding_in(grant_state::active);
  const auto decided = decide(before, exchange("waiting"), now);
  const auto& [next, past] = change_of(decided);
  CHECK(next.version == 8);
  CHECK(next.newest == before.newest);
  CHECK(next.codes.empty());
  CHECK_FALSE(past);
  CHECK(verdict(decide(next, exchange("waiting"), now)) == "invalid_code");
}

TEST_CASE("each consent's code is exchanged by itself, in any order") {
  auto b = binding_in(grant_state::active);
  b = change_of(decide(b, consent("payments:read"), now)).next;
  b = change_of(decide(b, exchange("fresh"), now)).next;
  CHECK(hashes(b) == list{"waiting"});
  b = change_of(decide(b, exchange("waiting"), now)).next;
  CHECK(b.codes.empty());
}

TEST_CASE("a failed exchange spends nothing, for whatever reason it fails") {
  const auto b = binding_in(grant_state::active);
  for (const auto& wrong :
       {exchange("waiting", platform_id{"plat_other"}), exchange("waiting", acme, "https://p.example/cb/"),
        exchange("waiting", acme, "https://P.example/cb"), exchange("waiting", acme, ""), exchange("Waiting"),
        exchange("")}) {
    CAPTURE(wrong.platform.value, wrong.code_hash, wrong.redirect_uri);
    CHECK(verdict(decide(b, wrong, now)) == "invalid_code");
  }
  CHECK(verdict(decide(b, exchange("waiting"), now)) == "change");
}

TEST_CASE("a code expires after exactly ten minutes") {
  auto b = binding_in(grant_state::active);
  b.codes = {code("waiting", now)};
  CHECK(verdict(decide(b, exchange("waiting"), now + 10min - 1ms)) == "change");
  CHECK(verdict(decide(b, exchange("waiting"), now + 10min)) == "invalid_code");
  // Every change removes expired codes.
  CHECK(hashes(change_of(decide(b, consent("payments:read"), now + 10min)).next) == list{"fresh"});
}

TEST_CASE("a revoke keeps its reason and time, and invalidates the codes") {
  const auto decided = decide(binding_in(grant_state::active), revoke(first), false, now);
  const auto& [next, past] = change_of(decided);
  CHECK(next.version == 8);
  CHECK(next.newest->revoked_at == now);
  CHECK(next.newest->revoke_reason == "second reason");
  CHECK(next.codes.empty());
  CHECK_FALSE(past);
  CHECK(verdict(decide(next, exchange("waiting"), now)) == "invalid_code");
  // The first reason stays.
  CHECK(verdict(decide(next, revoke(first, "third reason"), false, now + 1h)) == "unchanged");
}

TEST_CASE("a code of a revoked grant stays invalid when the merchant consents again") {
  auto b = binding_in(grant_state::active);
  b = change_of(decide(b, revoke(first), false, now)).next;
  b = change_of(decide(b, consent("payments:write payments:read"), now)).next;
  CHECK(verdict(decide(b, exchange("waiting"), now)) == "invalid_code");
  CHECK(verdict(decide(b, exchange("fresh"), now)) == "change");
}

TEST_CASE("a late revoke of the earlier grant does not affect the one after it") {
  const auto b = change_of(decide(binding_in(grant_state::revoked), consent("payments:read"), now)).next;
  CHECK(verdict(decide(b, revoke(first), true, now)) == "unchanged");
  CHECK(state_of(b.newest) == grant_state::active);
}

TEST_CASE("beyond the most codes that may wait, the oldest is removed") {
  auto b = binding_in(grant_state::none);
  for (std::size_t i = 0; i <= most_auth_codes; ++i) {
    auto wanted = consent("payments:read");
    wanted.code_hash = std::to_string(i);
    b = change_of(decide(b, wanted, now + i * 1s)).next;
  }
  CHECK(b.codes.size() == most_auth_codes);
  CHECK(b.codes.front().hash == "1");
  CHECK(b.codes.back().hash == std::to_string(most_auth_codes));
}

TEST_CASE("a binding is identified by merchant, environment and platform") {
  const auto key = binding_key(merchant_id{"merch_1"}, environment::live, acme);
  CHECK(key.kind == entity_kind::grant);
  CHECK(key.id == "plat_acme");
  CHECK_FALSE(key == binding_key(merchant_id{"merch_1"}, environment::test, acme));
  CHECK_FALSE(key == binding_key(merchant_id{"merch_2"}, environment::live, acme));
  CHECK_FALSE(key == binding_key(merchant_id{"merch_1"}, environment::live, platform_id{"plat_other"}));
}

TEST_CASE("characters are counted, not bytes") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("abc") == 3);
  CHECK(count_characters("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") == 3);
}

TEST_CASE("a reason has 200 characters at most") {
  std::string euros;
  for (int i = 0; i < 200; ++i) euros += "\xe2\x82\xac";
  CHECK(is_revoke_reason(""));
  CHECK(is_revoke_reason(euros));
  CHECK_FALSE(is_revoke_reason(euros + "x"));
}
