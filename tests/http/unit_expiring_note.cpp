// Notes that the gateway gives to browsers. Those given by an earlier gateway must stay readable, so their bytes are
// fixed.
#include <catch2/catch.hpp>

#include "http/access/expiring_note.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

const time_point note_read_at = from_unix_ms(1'795'167'000'000);
const time_point note_ends_at = note_read_at + duration_ms{1};

}  // namespace

TEST_CASE("a signed note is a JSON object with its purpose first and its end last") {
  const auto token = sign_note("key", "psp_setup", {{"merchant", "merch_1"}, {"id", "a\nb"}}, note_ends_at);
  CHECK(crypto::verify_token("key", token) ==
        R"({"purpose":"psp_setup","merchant":"merch_1","id":"a\nb","expires":1795167000001})");
  const auto note = signed_note::read(token, "psp_setup", "key", note_read_at);
  REQUIRE(note);
  CHECK(note->text("merchant") == "merch_1");
  CHECK(note->text("id") == "a\nb");
  CHECK(note->text("user").empty());
  CHECK(note->text("expires").empty());
  CHECK(note->expires() == note_ends_at);
  CHECK(crypto::verify_token("key", sign_note("key", "", {{"id", "1"}}, note_read_at)) ==
        R"({"id":"1","expires":1795167000000})");
}

TEST_CASE("a signed note is read before its end, with its key and for its purpose only") {
  const auto token = sign_note("key", "psp_setup", {}, note_ends_at);
  CHECK(signed_note::read(token, "psp_setup", "key", note_read_at));
  CHECK_FALSE(signed_note::read(token, "psp_setup", "key", note_ends_at));
  CHECK_FALSE(signed_note::read(token, "psp_setup", "other", note_read_at));
  CHECK_FALSE(signed_note::read(token, "setup_session", "key", note_read_at));
  CHECK_FALSE(signed_note::read(token, "", "key", note_read_at));
  CHECK_FALSE(signed_note::read(sign_note("key", "", {}, note_ends_at), "psp_setup", "key", note_read_at));
  for (const auto* payload : {"", "{", "[]", "{}", R"({"purpose":"p"})", R"({"purpose":"p","expires":"9999999999999"})",
                              R"({"purpose":"p","expires":9999999999999.5})", R"({"expires":9999999999999})",
                              R"({"purpose":1,"expires":9999999999999})"})
    CHECK_FALSE(signed_note::read(crypto::sign_token("key", payload), "p", "key", note_read_at));
}

TEST_CASE("a sealed note is its end and its text, and is opened before its end") {
  const crypto::derived_keys key{std::string(32, 'k')}, other{std::string(32, 'o')};
  const auto sealed = seal_note(key, "pending sign-in", "a\nb\n", note_ends_at);
  CHECK(key.open(sealed, "pending sign-in") == "1795167000001\na\nb\n");
  CHECK(open_note(key, "pending sign-in", sealed, note_read_at) == "a\nb\n");
  CHECK_FALSE(open_note(key, "pending sign-in", sealed, note_ends_at));
  CHECK_FALSE(open_note(key, "second factor", sealed, note_read_at));
  CHECK_FALSE(open_note(other, "pending sign-in", sealed, note_read_at));
  CHECK_FALSE(open_note(key, "pending sign-in", sealed.substr(1), note_read_at));
  for (const auto* text : {"", "\na", "soon\na", "-9999999999999\na", "1795167000001 \na"})
    CHECK_FALSE(open_note(key, "p", key.seal(text, "p"), note_read_at));
  CHECK(open_note(key, "p", key.seal("1795167000001", "p"), note_read_at) == "");
}

TEST_CASE("a time expires when it comes") {
  CHECK(has_expired("1795167000000", note_read_at));
  CHECK_FALSE(has_expired("1795167000001", note_read_at));
  for (const auto* text : {"", "x", "1795167000001x", "99999999999999999999"}) CHECK(has_expired(text, note_read_at));
}
