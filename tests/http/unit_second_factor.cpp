// The second factor: the vectors of RFC 6238 and RFC 4648, and the forms in which people type codes.
#include <set>

#include <catch2/catch.hpp>

#include "http/portal/second_factor.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace std::chrono_literals;

namespace {
constexpr std::string_view rfc_secret = "12345678901234567890";

time_point seconds_after_1970(std::int64_t count) { return time_point{std::chrono::seconds{count}}; }
}  // namespace

TEST_CASE("codes are those of RFC 6238, appendix B, for SHA-1") {
  // The RFC's codes have eight digits; ours are their last six.
  struct {
    std::int64_t seconds;
    std::string_view code;
  } const rows[] = {{59, "287082"},
                    {1'111'111'109, "081804"},
                    {1'111'111'111, "050471"},
                    {1'234'567'890, "005924"},
                    {2'000'000'000, "279037"},
                    {20'000'000'000, "353130"}};
  for (const auto& row : rows) {
    const auto at = seconds_after_1970(row.seconds);
    CHECK(totp_code(rfc_secret, totp_step_at(at)) == row.code);
    CHECK(matching_totp_step(rfc_secret, row.code, at, 0) == totp_step_at(at));
  }
}

TEST_CASE("a code is valid in its own half minute and in the two adjacent ones, once") {
  const auto now = seconds_after_1970(1'111'111'109);
  const auto step = totp_step_at(now);
  for (const auto near : {step - 1, step, step + 1}) {
    CHECK(matching_totp_step(rfc_secret, totp_code(rfc_secret, near), now, 0) == near);
    CHECK(matching_totp_step(rfc_secret, totp_code(rfc_secret, near), now, near - 1) == near);
    CHECK_FALSE(matching_totp_step(rfc_secret, totp_code(rfc_secret, near), now, near));
  }
  for (const auto far : {step - 2, step + 2})
    CHECK_FALSE(matching_totp_step(rfc_secret, totp_code(rfc_secret, far), now, 0));
  for (const auto* wrong : {"", "000000", "81804", "0081804", "07081804"})
    CHECK_FALSE(matching_totp_step(rfc_secret, wrong, now, 0));
}

TEST_CASE("six digits may be typed in groups") {
  for (const auto* typed : {"123456", "123 456", " 12-34-56 "}) CHECK(typed_totp_code(typed) == "123456");
  for (const auto* typed : {"", "12345", "1234567", "12345a", "123456\n", "k3zt-0m9q-h7wc-x4ae"})
    CHECK_FALSE(typed_totp_code(typed));
}

TEST_CASE("base32 is that of RFC 4648, without padding") {
  CHECK(base32("").empty());
  CHECK(base32("f") == "MY");
  CHECK(base32("fo") == "MZXQ");
  CHECK(base32("foo") == "MZXW6");
  CHECK(base32("foob") == "MZXW6YQ");
  CHECK(base32("fooba") == "MZXW6YTB");
  CHECK(base32("foobar") == "MZXW6YTBOI");
}

TEST_CASE("an app reads the account's name, whatever characters it has") {
  CHECK(otpauth_uri("Pay & Co: \"live\"", "ada+1@example.com", "foobar") ==
        "otpauth://totp/Pay%20%26%20Co%3A%20%22live%22:ada%2B1%40example.com?secret=MZXW6YTBOI"
        "&issuer=Pay%20%26%20Co%3A%20%22live%22");
}

TEST_CASE("secrets and recovery codes are random") {
  CHECK(make_totp_secret().size() == totp_secret_size);
  CHECK(make_totp_secret() != make_totp_secret());
  const auto made = make_recovery_codes();
  REQUIRE(made.texts.size() == recovery_code_count);
  REQUIRE(made.hashes.size() == recovery_code_count);
  CHECK(std::set<std::string>(made.texts.begin(), made.texts.end()).size() == recovery_code_count);
  for (std::size_t i = 0; i < made.texts.size(); ++i) {
    CHECK(made.texts[i].size() == 19);
    CHECK(made.texts[i].find_first_of("ilouILOU") == std::string::npos);
    CHECK(made.hashes[i].size() == 64);
    CHECK(typed_recovery_hash(made.texts[i]) == made.hashes[i]);
  }
}

TEST_CASE("a recovery code may be typed in any case and grouping, and with letters for the digits they look like") {
  const auto hash = typed_recovery_hash("k3zt-0m1q-h7wc-x4ae");
  REQUIRE(hash);
  for (const auto* typed : {"K3ZT-0M1Q-H7WC-X4AE", "k3zt0m1qh7wcx4ae", " k3zt 0m1q h7wc x4ae ", "k3zt-om1q-h7wc-x4ae",
                            "k3zt-OmIq-h7wc-x4ae", "k3zt-0mLq-h7wc-x4ae"})
    CHECK(typed_recovery_hash(typed) == hash);
  for (const auto* typed : {"", "123456", "k3zt-0m1q-h7wc-x4a", "k3zt-0m1q-h7wc-x4aee", "k3zt-0m1q-h7wc-x4au",
                            "k3zt_0m1q_h7wc_x4ae", "k3zt-0m1q-h7wc-x4a\xc3\xa9"})
    CHECK_FALSE(typed_recovery_hash(typed));
  CHECK(typed_recovery_hash("k3zt-0m1q-h7wc-x4af") != hash);
}

TEST_CASE("a sealed secret is bound to one person and to one key") {
  const crypto::derived_keys key{std::string(32, 'k')};
  const crypto::derived_keys another{std::string(32, 'x')};
  const auto sealed = seal_totp_secret(key, user_id{"user_1"}, rfc_secret);
  CHECK(open_totp_secret(key, user_id{"user_1"}, sealed) == rfc_secret);
  CHECK_FALSE(open_totp_secret(key, user_id{"user_2"}, sealed));
  CHECK_FALSE(open_totp_secret(another, user_id{"user_1"}, sealed));
}
