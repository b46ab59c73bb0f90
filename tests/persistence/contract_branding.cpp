// The store contract: how a merchant's checkout looks.
#include <catch2/catch.hpp>

#include "contract_store.hpp"
#include "gateway/base/crypto.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const merchant_id branded_shop{"merch_branded"}, plain_shop{"merch_plain"};

commit_outcome save_look(contract_store& store, const branding& look, const std::string& png) {
  unit_of_work unit;
  unit.inserts.push_back(save_branding{branded_shop, look});
  unit.inserts.push_back(save_logo{branded_shop, crypto::base64url(png)});
  return store.commit(unit);
}

}  // namespace

TEST_CASE("a merchant's branding is read with its entry, is replaced, and its logo is read alone") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  std::string longest;
  for (int i = 0; i < 100; ++i) longest += "店";
  const branding first{longest, "#2350c8", std::string(320, 'a'), std::string(64, 'f')};
  std::string picture;
  for (int i = 0; i < 64 * 1024; ++i) picture += static_cast<char>(i * 7);
  CHECK(entries_of(store, {branded_shop, plain_shop}).brandings.empty());
  REQUIRE(save_look(store, first, picture) == committed);
  auto found = entries_of(store, {branded_shop, plain_shop});
  REQUIRE(found.brandings.size() == 1);
  CHECK(found.brandings[0].merchant == branded_shop);
  CHECK(found.brandings[0].look == first);
  CHECK(store.run(find_logo{branded_shop}).png == picture);
  CHECK(store.run(find_logo{plain_shop}).png.empty());

  REQUIRE(save_look(store, {}, {}) == committed);
  found = entries_of(store, {branded_shop});
  REQUIRE(found.brandings.size() == 1);
  CHECK(found.brandings[0].look == branding{});
  CHECK(store.run(find_logo{branded_shop}).png.empty());
}
