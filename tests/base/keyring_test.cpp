// Several master keys: what each seals and signs, and what a rotation changes.
#include <catch2/catch.hpp>

#include <stdexcept>
#include <thread>

#include "gateway/base/keyring.hpp"

using namespace gateway::crypto;

namespace {

keyring::entry entry(const std::string& id, char byte, bool named = true) {
  return {id, std::make_shared<const master_key>(std::string(32, byte)), named};
}

/// What the key alone seals, as gateways did before keys had names.
std::string old_format(char byte, std::string_view secret, std::string_view bound_to) {
  return master_key{std::string(32, byte)}.seal(secret, bound_to);
}

}  // namespace

TEST_CASE("what is sealed names the current key, and each key opens what names it") {
  keyring ring{{entry("k1", '1')}};
  const auto first = ring.seal("secret", "row");
  CHECK(first.starts_with("k1."));
  CHECK(ring.is_current(first));
  ring.replace({entry("k2", '2'), entry("k1", '1')});
  const auto second = ring.seal("secret", "row");
  CHECK(second.starts_with("k2."));
  CHECK(ring.is_current(second));
  CHECK_FALSE(ring.is_current(first));
  CHECK(ring.open(first, "row") == "secret");
  CHECK(ring.open(second, "row") == "secret");
}

TEST_CASE("a sealed text opens only with the key that it names, and only where it is bound to") {
  const keyring ring{{entry("k2", '2'), entry("k1", '1'), entry("old", 'o', false)}};
  struct row {
    std::string what, sealed;
    bool opens;
  };
  const auto body = [](char byte) { return old_format(byte, "secret", "row"); };
  const row rows[] = {{"the current key's", "k2." + body('2'), true},
                      {"an older key's", "k1." + body('1'), true},
                      {"without a name, of the first key", body('o'), true},
                      {"without a name, of another key", body('1'), true},
                      {"a key that is not held", "k3." + body('2'), false},
                      {"another key than it names", "k1." + body('2'), false},
                      {"without a name, of a key that is not held", body('x'), false},
                      {"bound to another row", "k2." + old_format('2', "secret", "another"), false},
                      {"an empty name", "." + body('2'), false},
                      {"two names", "k2.k2." + body('2'), false},
                      {"nothing but a name", "k2.", false},
                      {"nothing", "", false}};
  for (const auto& r : rows) {
    INFO(r.what);
    CHECK(ring.open(r.sealed, "row").has_value() == r.opens);
    if (r.opens) CHECK(ring.open(r.sealed, "row") == "secret");
  }
}

TEST_CASE("the first key of an older database seals without a name until another key is current") {
  keyring ring{{entry("k1", '1', false)}};
  const auto before = ring.seal("secret", "row");
  CHECK(before.find('.') == std::string::npos);
  CHECK(master_key{std::string(32, '1')}.open(before, "row") == "secret");  // a gateway without names opens it
  CHECK(ring.is_current(before));
  CHECK_FALSE(ring.is_current("k1." + before));
  ring.replace({entry("k2", '2'), entry("k1", '1', false)});
  CHECK_FALSE(ring.is_current(before));
  CHECK(ring.open(before, "row") == "secret");
}

TEST_CASE(
    "derived keys follow a rotation, and what an older key signed or sealed stays valid while that key is there") {
  keyring ring{{entry("k1", '1')}};
  const auto links = ring.derive("links");
  const auto copy = links;
  const auto token = links.sign("payload"), sealed = links.seal("note", "purpose");
  const auto mac = links.mac("text");
  CHECK(token == sign_token(master_key{std::string(32, '1')}.derive("links"), "payload"));
  CHECK(sealed.starts_with("k1."));
  ring.replace({entry("k2", '2'), entry("k1", '1')});
  for (const auto& keys : {links, copy, ring.derive("links")}) {
    CHECK(keys.verify(token) == "payload");
    CHECK(keys.open(sealed, "purpose") == "note");
    CHECK(keys.sign("payload") == sign_token(master_key{std::string(32, '2')}.derive("links"), "payload"));
    CHECK(keys.seal("note", "purpose").starts_with("k2."));
    CHECK(keys.mac("text") != mac);
    CHECK(keys.first_of([&](std::string_view key) { return hmac_sha256(key, "text") == mac; }));
  }
  CHECK_FALSE(ring.derive("others").verify(token));
  ring.replace({entry("k2", '2')});
  CHECK_FALSE(links.verify(token));
  CHECK_FALSE(links.open(sealed, "purpose"));
  CHECK_FALSE(links.first_of([&](std::string_view key) { return hmac_sha256(key, "text") == mac; }));
}

TEST_CASE("one fixed key signs and seals as the functions for one key do") {
  const derived_keys signs{"any text"};
  CHECK(signs.verify(sign_token("any text", "payload")) == "payload");
  CHECK(verify_token("any text", signs.sign("payload")) == "payload");
  const derived_keys seals{std::string(32, 'k')};
  CHECK(seals.open(old_format('k', "secret", "row"), "row") == "secret");
  CHECK(master_key{std::string(32, 'k')}.open(seals.seal("secret", "row"), "row") == "secret");
}

TEST_CASE("an id of a key has characters that nothing needs to escape") {
  for (const auto* good : {"k1", "k0123456789ab", "vault-2", "9"}) CHECK(is_key_id(good));
  for (const auto& bad : {std::string{}, std::string{"K1"}, std::string{"k_1"}, std::string{"k.1"}, std::string{"k 1"},
                          std::string{"%"}, std::string(33, 'k')})
    CHECK_FALSE(is_key_id(bad));
  CHECK(is_key_id(std::string(32, 'k')));
}

TEST_CASE("a keyring without a key is refused") { CHECK_THROWS_AS(keyring{keyring::list{}}, std::invalid_argument); }

TEST_CASE("keys may be replaced while other threads use them") {
  keyring ring{{entry("k1", '1')}};
  const auto links = ring.derive("links");
  const auto sealed = ring.seal("secret", "row"), token = links.sign("payload");
  std::thread rotation{[&] {
    for (int i = 0; i < 200; ++i) {
      ring.replace({entry("k2", '2'), entry("k1", '1')});
      ring.replace({entry("k1", '1'), entry("k2", '2')});
    }
  }};
  bool all = true;
  for (int i = 0; i < 200; ++i) all = all && ring.open(sealed, "row") == "secret" && links.verify(token) == "payload";
  rotation.join();
  CHECK(all);
}
