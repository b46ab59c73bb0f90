// Texts compared without case, and ids that begin with their time.
#include <catch2/catch.hpp>

#include <string>

#include "gateway/domain/folded_text.hpp"
#include "gateway/domain/timed_id.hpp"

using namespace gateway;

TEST_CASE("texts are compared without case in Latin, Greek and Cyrillic, and other characters stay as they are") {
  struct row {
    const char* text;
    const char* folded;
  };
  for (const auto& [text, folded] :
       {row{"Corner SHOP 100%_", "corner shop 100%_"}, row{"ÄÖÜ ÀÞ × Ÿ ß", "äöü àþ × ÿ ß"},
        row{"ŁÓDŹ Čeština Ğİ", "łódź čeština ğİ"}, row{"ΑΘΉΝΑ Σς", "αθήνα σσ"}, row{"МОСКВА Ёлка", "москва ёлка"},
        row{"店 🏪 Tea", "店 🏪 tea"}, row{"\xc3", "\xc3"}, row{"A\xc3Z\xff", "a\xc3z\xff"}, row{"", ""}}) {
    INFO(text);
    CHECK(folded_text(text) == folded);
    CHECK(folded_text(folded) == folded);
  }
}

TEST_CASE("a searched text is a part, and each of its signs is literal") {
  CHECK(contains_folded("Corner 100% Shop", folded_text("0% SH")));
  CHECK(contains_folded("anything", folded_text("")));
  CHECK_FALSE(contains_folded("Corner", folded_text("c%r")));
  CHECK_FALSE(contains_folded("Corner", folded_text("c_rner")));
}

TEST_CASE("an id that begins with its time says when it was made") {
  const auto at = from_unix_ms(1'790'000'000'123);
  const auto id = timed_id("evt_", at, "0011223344556677aabb");
  CHECK(id == "evt_01a0c4506c7b0011223344556677aabb");
  CHECK(time_of_id("evt_", id) == at);
  CHECK(timed_id("evt_", at, "ff") < timed_id("evt_", at + duration_ms{1}, "00"));
  for (const auto* other :
       {"req_01a0c4506c7b0011", "evt_", "evt_01a0c4506c7", "evt_01a0c4506c7B", "evt_stripe_subscription"}) {
    INFO(other);
    CHECK_FALSE(time_of_id("evt_", other));
  }
}
