// The published snapshot: grants, which many actors publish concurrently, and entries with more than one name.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gateway/directory/directory.hpp"

using namespace gateway;

namespace {

constexpr auto test = environment::test;
constexpr auto live = environment::live;
constexpr auto active = grant_state::active;
constexpr auto revoked = grant_state::revoked;

const scope_set reads = *parse_scopes("payments:read");
const scope_set writes = *parse_scopes("payments:write");

platform_and_merchant between(int platform, int merchant) {
  return {platform_id{"plat_" + std::to_string(platform)}, merchant_id{"merch_" + std::to_string(merchant)}};
}

grant_update changes(platform_and_merchant who, environment env, std::int64_t version, grant_state state = active,
                     scope_set scopes = reads) {
  return {std::move(who), env, {state, scopes, version}};
}

/// A grant as a reader sees it, in one line.
std::string shown(const published_grant& grant) {
  return std::string{to_string(grant.state)} + " " + std::to_string(grant.version) + " " + to_string(grant.scopes);
}

std::vector<std::string> listening(const directory& d, int merchant) {
  std::vector<std::string> ids;
  for (const auto& id : d.find_listening_platforms(merchant_id{"merch_" + std::to_string(merchant)}))
    ids.push_back(id.value);
  return ids;
}

using ids = std::vector<std::string>;

}  // namespace

// ---- grants -------------------------------------------------------------------------------------

TEST_CASE("an unpublished grant is none, in both environments") {
  const directory d;
  CHECK(shown(d.find_grants(between(1, 1)).test) == "none 0 ");
  CHECK(shown(d.find_grants(between(1, 1)).live) == "none 0 ");
  CHECK(listening(d, 1).empty());
}

TEST_CASE("a grant belongs to one platform, one merchant and one environment") {
  directory d;
  d.publish(changes(between(1, 1), live, 1, active, writes));
  CHECK(shown(d.find_grants(between(1, 1)).in(live)) == "active 1 payments:write");
  CHECK(shown(d.find_grants(between(1, 1)).other_than(test)) == "active 1 payments:write");
  CHECK(shown(d.find_grants(between(1, 1)).in(test)) == "none 0 ");
  CHECK(shown(d.find_grants(between(2, 1)).live) == "none 0 ");
  CHECK(shown(d.find_grants(between(1, 2)).live) == "none 0 ");
  d.publish(changes(between(1, 1), test, 7, revoked));
  CHECK(shown(d.find_grants(between(1, 1)).test) == "revoked 7 payments:read");
  CHECK(shown(d.find_grants(between(1, 1)).live) == "active 1 payments:write");
}

TEST_CASE("an older version never replaces a newer one, however it is published") {
  directory d;
  d.publish(changes(between(1, 1), live, 3, revoked));
  for (std::int64_t older = 1; older <= 3; ++older) {
    d.publish(changes(between(1, 1), live, older));
    const std::vector together{changes(between(1, 1), live, older)};
    d.publish(std::span{together});
    CHECK(shown(d.find_grants(between(1, 1)).live) == "revoked 3 payments:read");
    CHECK(listening(d, 1).empty());
  }
  d.publish(changes(between(1, 1), live, 4));
  CHECK(shown(d.find_grants(between(1, 1)).live) == "active 4 payments:read");
  CHECK(listening(d, 1) == ids{"plat_1"});
}

TEST_CASE("platforms with an active grant in live receive the merchant's events, in the order of their ids") {
  directory d;
  for (int platform : {3, 1, 2}) d.publish(changes(between(platform, 1), live, 1));
  d.publish(changes(between(4, 1), test, 1));
  d.publish(changes(between(5, 2), live, 1));
  CHECK(listening(d, 1) == ids{"plat_1", "plat_2", "plat_3"});
  CHECK(listening(d, 2) == ids{"plat_5"});
  d.publish(changes(between(2, 1), live, 2, revoked));
  CHECK(listening(d, 1) == ids{"plat_1", "plat_3"});
  d.publish(changes(between(2, 1), live, 3));
  CHECK(listening(d, 1) == ids{"plat_1", "plat_2", "plat_3"});
}

TEST_CASE(
    "grants published in bulk equal those published one by one, and later versions of a binding win in any order") {
  std::mt19937 random{7};
  std::vector<grant_update> all;
  for (int i = 0; i < 20'000; ++i)
    all.push_back(changes(between(static_cast<int>(random() % 7), static_cast<int>(random() % 300)),
                          random() % 2 == 0 ? test : live, static_cast<std::int64_t>(1 + random() % 50)));
  // A version has the same content, regardless of which node publishes it.
  for (auto& one : all) one.what.state = one.what.version % 3 == 0 ? revoked : active;
  directory one_by_one, in_bulk, in_parts;
  for (const auto& one : all) one_by_one.publish(one);
  in_bulk.publish(std::span<const grant_update>{all});
  for (std::size_t at = 0; at < all.size(); at += 1'000)
    in_parts.publish(std::span<const grant_update>{all}.subspan(at, 1'000));
  for (int merchant = 0; merchant < 300; ++merchant) {
    CHECK(listening(in_bulk, merchant) == listening(one_by_one, merchant));
    CHECK(listening(in_parts, merchant) == listening(one_by_one, merchant));
    for (int platform = 0; platform < 7; ++platform) {
      const auto expected = one_by_one.find_grants(between(platform, merchant));
      for (const auto* other : {&in_bulk, &in_parts}) {
        const auto found = other->find_grants(between(platform, merchant));
        CHECK(shown(found.test) == shown(expected.test));
        CHECK(shown(found.live) == shown(expected.live));
      }
    }
  }
}

TEST_CASE("grants published by many threads at once all arrive, each in its last version") {
  constexpr int threads = 4, merchants = 40;
  constexpr std::int64_t versions = 60;
  directory d;
  std::vector<grant_update> at_start;
  for (int merchant = 0; merchant < merchants; ++merchant)
    for (int platform = 0; platform < threads; ++platform)
      at_start.push_back(changes(between(platform, merchant), live, 1));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      std::mt19937 random{static_cast<unsigned>(t)};
      // Each thread publishes every version of every platform's grant, in an order of its own.
      std::vector<grant_update> mine;
      for (int merchant = 0; merchant < merchants; ++merchant)
        for (int platform = 0; platform < threads; ++platform)
          for (std::int64_t version = 1; version <= versions; ++version)
            mine.push_back(changes(between(platform, merchant), live, version, version == versions ? revoked : active));
      std::shuffle(mine.begin(), mine.end(), random);
      for (const auto& one : mine) d.publish(one);
      d.publish(std::span<const grant_update>{at_start});
    });
  for (auto& one : running) one.join();
  for (int merchant = 0; merchant < merchants; ++merchant) {
    CHECK(listening(d, merchant).empty());
    for (int platform = 0; platform < threads; ++platform)
      CHECK(shown(d.find_grants(between(platform, merchant)).live) == "revoked 60 payments:read");
  }
}

TEST_CASE("grants of one shard that threads publish at once do not overwrite each other") {
  // One merchant: all platforms that receive its events are in one value.
  constexpr int threads = 4, each = 100;
  directory d;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) d.publish(changes(between(t * each + i, 1), live, 1));
    });
  for (auto& one : running) one.join();
  CHECK(listening(d, 1).size() == threads * each);
}

// ---- platforms ----------------------------------------------------------------------------------

TEST_CASE("a platform is found by its id and by its slug, as last published") {
  directory d;
  platform p;
  p.id = platform_id{"plat_1"};
  p.slug = "tea";
  p.name = "Tea";
  d.publish(std::make_shared<const platform>(p));
  p.status = platform_status::suspended;
  d.publish(std::make_shared<const platform>(p));
  CHECK(*d.find_platform(p.id) == p);
  CHECK(*d.find_platform_by_slug("tea") == p);
  CHECK_FALSE(d.find_platform_by_slug("Tea"));
  std::size_t seen = 0;
  d.for_each_platform([&](const platform& one) { seen += one == p ? 1U : 100U; });
  CHECK(seen == 1);
}

TEST_CASE("a platform's destination is found by its mode; a merchant's belongs to no platform") {
  directory d;
  webhook_endpoint to;
  to.what.id = destination_id{"dest_1"};
  to.what.kind = destination_kind::platform;
  to.what.owner = "plat_1";
  to.what.env = live;
  to.what.url = "https://old.example/";
  d.publish(std::make_shared<const webhook_endpoint>(to));
  to.what.url = "https://new.example/";
  d.publish(std::make_shared<const webhook_endpoint>(to));
  REQUIRE(d.find_platform_destination(platform_id{"plat_1"}, live));
  CHECK(d.find_platform_destination(platform_id{"plat_1"}, live)->url == "https://new.example/");
  CHECK_FALSE(d.find_platform_destination(platform_id{"plat_1"}, test));
  to.what.kind = destination_kind::merchant;
  to.what.owner = "plat_2";
  to.what.env = test;
  d.publish(std::make_shared<const webhook_endpoint>(to));
  CHECK_FALSE(d.find_platform_destination(platform_id{"plat_2"}, test));
}
