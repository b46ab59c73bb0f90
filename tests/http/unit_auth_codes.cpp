// Authorization codes: each leads to its binding, and only the gateway can make or change one.
#include <catch2/catch.hpp>

#include "http/access/auth_codes.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

const crypto::derived_keys key{std::string(32, 'k')};

entity_key binding(environment env) {
  return {merchant_id{"merch_0123456789abcdef0123456789abcdef"}, env, entity_kind::grant, "plat_1"};
}

}  // namespace

TEST_CASE("a code leads to its binding, in its environment") {
  for (const auto env : {environment::test, environment::live})
    CHECK(binding_of(make_code(binding(env), key).text, key) == binding(env));
}

TEST_CASE("a code leads to its binding after a rotation of the master key, while the old key is there") {
  const auto entry = [](const char* id, char byte, bool named) {
    return crypto::keyring::entry{id, std::make_shared<const crypto::master_key>(std::string(32, byte)), named};
  };
  for (const bool named : {true, false}) {
    crypto::keyring ring{{entry("k1", '1', named)}};
    const auto keys = ring.derive("authorization code");
    const auto code = make_code(binding(environment::live), keys).text;
    CHECK(code.find_first_of(".") == std::string::npos);
    CHECK(binding_of(code, keys) == binding(environment::live));
    ring.replace({entry("k2", '2', true), entry("k1", '1', named)});
    CHECK(binding_of(code, keys) == binding(environment::live));
    CHECK(binding_of(make_code(binding(environment::test), keys).text, keys) == binding(environment::test));
    ring.replace({entry("k2", '2', true)});
    CHECK_FALSE(binding_of(code, keys));
  }
}

TEST_CASE("no two codes are equal, and what is stored is the hash of the text") {
  const auto one = make_code(binding(environment::live), key);
  const auto other = make_code(binding(environment::live), key);
  CHECK(one.text != other.text);
  CHECK(one.hash != other.hash);
  CHECK(one.hash == code_hash(one.text));
  CHECK(one.hash.size() == 64);
  CHECK(one.text.find(one.hash) == std::string::npos);
}

TEST_CASE("a code needs no escaping in a query, and does not show its binding") {
  const auto text = make_code(binding(environment::live), key).text;
  CHECK(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
        std::string::npos);
  CHECK(text.size() < 256);
}

TEST_CASE("a code that this gateway has not made leads nowhere") {
  const auto made = make_code(binding(environment::live), key).text;
  for (std::size_t at = 0; at < made.size(); at += 7) {
    auto changed = made;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    CHECK_FALSE(binding_of(changed, key));
  }
  CHECK_FALSE(binding_of(made, crypto::derived_keys{std::string(32, 'x')}));
  CHECK_FALSE(binding_of("", key));
  CHECK_FALSE(binding_of("code", key));
  CHECK_FALSE(binding_of(made + "A", key));
  CHECK_FALSE(binding_of(std::string(100'000, 'A'), key));
  // Sealed with the same key, but for another purpose.
  CHECK_FALSE(binding_of(key.seal(std::string(40, 'a') + "\nplat_1", "webhook secret"), key));
  CHECK_FALSE(binding_of(key.seal("short", "authorization code"), key));
  CHECK_FALSE(binding_of(crypto::base64url("k1." + key.seal("short", "authorization code")), key));
}
