// Whether a platform may act for a merchant: every combination of grants, and of scopes.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gateway/domain/on_behalf.hpp"

using namespace gateway;

namespace {

std::string text(std::optional<acting_refusal> why) {
  if (!why) return "permit";
  switch (*why) {
    case acting_refusal::grant_not_found: return "GRANT_NOT_FOUND";
    case acting_refusal::merchant_grant_required: return "MERCHANT_GRANT_REQUIRED";
    case acting_refusal::scope_denied: return "SCOPE_DENIED";
    case acting_refusal::scope_not_granted: return "SCOPE_NOT_GRANTED";
    case acting_refusal::key_lacks_scope: return "forbidden";
  }
  return "another";
}

scope_set scopes(std::string_view names) { return names.empty() ? scope_set{} : parse_scopes(names).value(); }

}  // namespace

TEST_CASE("which grants permit to act, and the problem if none does") {
  using enum grant_state;
  struct row {
    grant_state here, elsewhere;
    const char* verdict;
  };
  // A merchant that does not exist is the row with two nones.
  constexpr row table[] = {{none, none, "GRANT_NOT_FOUND"},      {none, active, "MERCHANT_GRANT_REQUIRED"},
                           {none, revoked, "GRANT_NOT_FOUND"},   {active, none, "permit"},
                           {active, active, "permit"},           {active, revoked, "permit"},
                           {revoked, none, "GRANT_NOT_FOUND"},   {revoked, active, "GRANT_NOT_FOUND"},
                           {revoked, revoked, "GRANT_NOT_FOUND"}};
  static_assert(std::size(table) == enum_count<grant_state> * enum_count<grant_state>);
  for (const auto& [here, elsewhere, verdict] : table) {
    CAPTURE(to_string(here), to_string(elsewhere));
    CHECK(text(judge_grant(here, elsewhere)) == verdict);
  }
}

TEST_CASE("the three refusals of scopes, in their order") {
  struct row {
    const char *needed, *of_key, *of_grant, *verdict;
  };
  constexpr row table[] = {
      {"payments:write", "payments:write", "payments:write", "permit"},
      {"payments:write", "payments:write payments:read", "payments:read payments:write", "permit"},
      {"payments:write", "payments:read", "customers:read", "SCOPE_DENIED"},
      {"payments:write", "payments:write", "payments:read", "SCOPE_DENIED"},
      {"payments:write", "payments:read", "payments:write", "SCOPE_DENIED"},
      {"payments:write", "payments:write payments:read", "payments:read", "SCOPE_NOT_GRANTED"},
      {"payments:write", "payments:read", "payments:write payments:read", "forbidden"},
      {"payments:write", "payments:read", "payments:read",
       "SCOPE_NOT_GRANTED"},  // both lack it: the merchant's grant is checked first
      {"payments:write", "refunds:write", "refunds:write", "SCOPE_NOT_GRANTED"},
      {"payments:read", "payments:write", "payments:write", "SCOPE_NOT_GRANTED"},  // write does not include read
      {"customers:read", "*", "customers:read", "permit"},
      {"payments:write", "*", "customers:read", "SCOPE_NOT_GRANTED"},
      {"customers:read", "customers:read", "*", "permit"},
      {"payments:write", "customers:read", "*", "forbidden"},
      {"payouts:read", "*", "*", "permit"},
      {"payments:write", "", "payments:write", "SCOPE_DENIED"},
      {"payments:write", "payments:write", "", "SCOPE_DENIED"},
      {"payments:write", "*", "", "SCOPE_DENIED"},
      {"payments:write", "", "*", "SCOPE_DENIED"},
      {"payments:write", "", "", "SCOPE_DENIED"},
  };
  for (const auto& [needed, of_key, of_grant, verdict] : table) {
    CAPTURE(needed, of_key, of_grant);
    const auto wanted = static_cast<scope>(scopes(needed).bits);
    CHECK(text(judge_scopes(wanted, scopes(of_key), scopes(of_grant))) == verdict);
  }
}

TEST_CASE("for every pair of sets, the verdict agrees with the definitions") {
  // Three scopes and the star represent all: each set of them on either side, and each needed scope.
  constexpr scope some[] = {scope::payments_write, scope::payments_read, scope::customers_read};
  std::vector<scope_set> sets;
  for (unsigned bits = 0; bits < 16; ++bits) {
    scope_set set;
    for (unsigned i = 0; i < 3; ++i)
      if ((bits & (1u << i)) != 0) set.add(some[i]);
    if ((bits & 8u) != 0) set.add(scope::all);
    sets.push_back(set);
  }
  for (const auto key : sets)
    for (const auto grant : sets) {
      bool any = key.permits(scope::all) && grant.permits(scope::all);
      for (const auto& [value, name] : scope_names)
        if (value != scope::all) any = any || (key.permits(value) && grant.permits(value));
      for (const auto needed : some) {
        CAPTURE(to_string(key), to_string(grant), static_cast<unsigned>(needed));
        const auto* expected = !any                     ? "SCOPE_DENIED"
                               : !grant.permits(needed) ? "SCOPE_NOT_GRANTED"
                               : !key.permits(needed)   ? "forbidden"
                                                        : "permit";
        CHECK(text(judge_scopes(needed, key, grant)) == expected);
        CHECK(intersection(key, grant).permits(needed) == (key.permits(needed) && grant.permits(needed)));
      }
    }
}

TEST_CASE("scopes are united, and removed by name") {
  CHECK(united(scopes("payments:read"), scopes("payments:write")) == scopes("payments:read payments:write"));
  CHECK(without(scopes("payments:read *"), scopes("*")) == scopes("payments:read"));
  CHECK(without(scopes("payments:read"), scopes("*")) == scopes("payments:read"));
  CHECK(without(scopes("*"), scopes("*")).bits == 0);
}
