// Published vectors for every primitive, then the gateway's own formats.
#include <catch2/catch.hpp>

#include <array>
#include <set>
#include <thread>
#include <vector>

#include "gateway/base/crypto.hpp"
#include "gateway/base/primitives.hpp"

using namespace gateway::crypto;

namespace {

std::string hex_of(std::string_view bytes) {
  return hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

/// The text with its character at `at` replaced by another of the same alphabet.
std::string changed(std::string text, std::size_t at) {
  text[at] = text[at] == 'A' ? 'B' : 'A';
  return text;
}

}  // namespace

TEST_CASE("SHA-256 gives the digests of FIPS 180-4") {
  struct row {
    std::string data, expected;
  };
  const row rows[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};
  for (const auto& r : rows) CHECK(hex(sha256(r.data)) == r.expected);
}

TEST_CASE("HMAC-SHA256 gives the values of RFC 4231") {
  struct row {
    std::string key, data, expected;
  };
  const row rows[] = {
      {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {*from_hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), std::string(50, '\xcd'),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
       "hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"}};
  for (const auto& r : rows) CHECK(hex(hmac_sha256(r.key, r.data)) == r.expected);
}

TEST_CASE("an empty HMAC key is used as such, not replaced by the key of the call before") {
  const auto alone = hmac_sha256("", "data");
  CHECK(hex(alone) == "e528c4d99e6177f5841f712a143b90843299a4aa181a06501422d9ca862bd2a5");
  hmac_sha256("another", "data");
  CHECK(hmac_sha256(std::string_view{}, "data") == alone);
}

TEST_CASE("HMAC contexts belong to their thread") {
  const auto expected = hmac_sha256("key", "data");
  std::vector<std::thread> threads;
  std::array<bool, 4> same{};
  for (auto& one : same)
    threads.emplace_back([&one, &expected] {
      one = true;
      for (int i = 0; i < 2000; ++i) one = one && hmac_sha256("key", "data") == expected;
    });
  for (auto& t : threads) t.join();
  for (const auto one : same) CHECK(one);
}

TEST_CASE("HKDF-SHA256 gives the values of RFC 5869") {
  struct row {
    std::string key, salt, info, expected;
  };
  std::string key_2, salt_2, info_2;
  for (int i = 0; i < 0x50; ++i) {
    key_2 += static_cast<char>(i);
    salt_2 += static_cast<char>(0x60 + i);
    info_2 += static_cast<char>(0xb0 + i);
  }
  const row rows[] = {
      {std::string(22, '\x0b'), *from_hex("000102030405060708090a0b0c"), *from_hex("f0f1f2f3f4f5f6f7f8f9"),
       "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"},
      {key_2, salt_2, info_2, "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"},
      {std::string(22, '\x0b'), "", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"}};
  for (const auto& r : rows) CHECK(hex_of(hkdf_sha256(r.key, r.salt, r.info)) == r.expected);
}

TEST_CASE("scrypt gives the values of RFC 7914") {
  struct row {
    std::string password, salt;
    scrypt_cost cost;
    std::string expected;
  };
  const row rows[] = {
      {"", "", {4, 1, 1}, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"},
      {"password", "NaCl", {10, 8, 16}, "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"},
      {"pleaseletmein",
       "SodiumChloride",
       {14, 8, 1},
       "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"}};
  for (const auto& r : rows) CHECK(hex_of(scrypt(r.password, r.salt, r.cost)) == r.expected);
}

TEST_CASE("AES-256-GCM gives the values of the GCM specification's test cases 13, 14 and 16") {
  struct row {
    std::string key, nonce, plain, bound_to, expected;
  };
  const std::string zero_key(64, '0'), zero_nonce(24, '0');
  const row rows[] = {{zero_key, zero_nonce, "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
                      {zero_key, zero_nonce, std::string(32, '0'), "",
                       "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"},
                      {"feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
                       "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b52"
                       "5b16aedf5aa0de657ba637b39",
                       "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                       "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b105682883"
                       "8c5f61e6393ba7a0abcc9f662"
                       "76fc6ece0f4e1768cddf8853bb2d551b"}};
  for (const auto& r : rows) {
    const auto key = *from_hex(r.key), nonce = *from_hex(r.nonce), plain = *from_hex(r.plain),
               bound_to = *from_hex(r.bound_to);
    const auto sealed = gcm_encrypt(key, nonce, plain, bound_to);
    CHECK(hex_of(sealed) == r.expected);
    CHECK(gcm_decrypt(key, nonce, sealed, bound_to) == plain);
    for (std::size_t i = 0; i < sealed.size(); ++i) {
      auto tampered = sealed;
      tampered[i] = static_cast<char>(tampered[i] ^ 1);
      CHECK_FALSE(gcm_decrypt(key, nonce, tampered, bound_to).has_value());
    }
    CHECK_FALSE(gcm_decrypt(key, nonce, sealed, bound_to + "x").has_value());
    CHECK_FALSE(gcm_decrypt(key, nonce, sealed.substr(0, 15), bound_to).has_value());
  }
}

TEST_CASE("base64url is written without padding and read strictly") {
  struct row {
    std::string bytes, text;
  };
  const row rows[] = {{"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
                      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff\xfe", "-__-"}};
  for (const auto& r : rows) {
    CHECK(base64url(r.bytes) == r.text);
    CHECK(from_base64url(r.text) == r.bytes);
  }
  // a lone character, padding, the other alphabet, white space, and a second spelling of "f"
  for (const auto* bad : {"Z", "Zg==", "+//+", "Zm 9", "Zm9v\n", "Zh", "Zm9"})
    CHECK_FALSE(from_base64url(bad).has_value());
}

TEST_CASE("constant-time comparison compares lengths and bytes") {
  CHECK(equal_constant_time("", ""));
  CHECK(equal_constant_time("abc", "abc"));
  CHECK_FALSE(equal_constant_time("abc", "abd"));
  CHECK_FALSE(equal_constant_time("abc", "ab"));
  CHECK_FALSE(equal_constant_time("", "a"));
}

TEST_CASE("random identifiers have their length and do not repeat") {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto id = random_hex(10);
    CHECK(id.size() == 20);
    seen.insert(id);
  }
  CHECK(seen.size() == 1000);
}

TEST_CASE("a sealed secret opens only under the same key and binding") {
  const master_key key{std::string(32, 'k')}, other{std::string(32, 'o')};
  const auto sealed = key.seal("the secret", "mk_test_1");
  CHECK(key.open(sealed, "mk_test_1") == "the secret");
  CHECK(key.seal("the secret", "mk_test_1") != sealed);
  CHECK_FALSE(other.open(sealed, "mk_test_1").has_value());
  CHECK_FALSE(key.open(sealed, "mk_test_2").has_value());
  CHECK_FALSE(key.open("", "mk_test_1").has_value());
  CHECK_FALSE(key.open(sealed.substr(0, 20), "mk_test_1").has_value());
  for (std::size_t i = 0; i < sealed.size(); ++i) CHECK_FALSE(key.open(changed(sealed, i), "mk_test_1").has_value());
  CHECK(key.open(key.seal("", ""), "") == "");
}

TEST_CASE("a master key is 32 bytes, and each purpose has a key of its own") {
  CHECK_THROWS_AS(master_key{"short"}, std::invalid_argument);
  const master_key key{std::string(32, 'k')};
  CHECK(key.derive("one").size() == 32);
  CHECK(key.derive("one") == key.derive("one"));
  CHECK(key.derive("one") != key.derive("two"));
}

TEST_CASE("a password is verified against its hash, and a malformed hash verifies nothing") {
  const auto stored = hash_password("correct horse");
  CHECK(stored.starts_with("scrypt$15$8$1$"));
  CHECK(verify_password("correct horse", stored));
  CHECK_FALSE(verify_password("correct horsf", stored));
  CHECK(hash_password("correct horse") != stored);
  const auto salt_and_hash = stored.substr(std::string_view{"scrypt$15$8$1$"}.size());
  for (const auto& bad : {std::string{}, std::string{"scrypt"}, stored + "$", "bcrypt$15$8$1$" + salt_and_hash,
                          "scrypt$30$8$1$" + salt_and_hash, "scrypt$0$8$1$" + salt_and_hash,
                          "scrypt$15$-8$1$" + salt_and_hash, std::string{"scrypt$15$8$1$AA"}})
    CHECK_FALSE(verify_password("correct horse", bad));
}

TEST_CASE("hexadecimal text is written in lower case and read in either") {
  const std::string every = [] {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    return bytes;
  }();
  const auto text = hex_of(every);
  CHECK(text.starts_with("000102"));
  CHECK(text.ends_with("fdfeff"));
  CHECK(from_hex(text) == every);
  CHECK(from_hex("00FfAb") == std::string("\0\xff\xab", 3));
  CHECK(from_hex("") == "");
  for (const auto* bad : {"0", "0g", "g0", "0x00", " 0", "00 ", "+1", "\xff\xff"}) CHECK_FALSE(from_hex(bad));
}

TEST_CASE("a signed token is verified as a whole, under its own key") {
  const auto token = sign_token("key", R"({"purpose":"psp_setup"})");
  CHECK(verify_token("key", token) == R"({"purpose":"psp_setup"})");
  CHECK_FALSE(verify_token("other", token).has_value());
  for (std::size_t i = 0; i < token.size(); ++i) CHECK_FALSE(verify_token("key", changed(token, i)).has_value());
  for (const auto* bad : {"", ".", "abc", "abc.", ".abc"}) CHECK_FALSE(verify_token("key", bad).has_value());
  CHECK(verify_token("key", sign_token("key", "")) == "");
}
