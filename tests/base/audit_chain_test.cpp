// The hashes of the audit log's entries.
#include <catch2/catch.hpp>

#include "gateway/base/audit_chain.hpp"

using namespace gateway;

namespace {

audit_fields any_entry() {
  return {"audit_1", "user_1", 1'795'167'000'000, "192.0.2.7", "mint key", "merch_1", "test", "mk_1", "", "{}"};
}

}  // namespace

TEST_CASE("an entry follows the one before it, and matches its own hash") {
  const auto first = audit_link_after(3, 0, {}, any_entry());
  CHECK(first.chain == 3);
  CHECK(first.number == 1);
  CHECK(first.previous_hash.empty());
  CHECK(first.hash.size() == 64);
  CHECK(matches(first, any_entry()));
  const auto second = audit_link_after(3, first.number, first.hash, any_entry());
  CHECK(second.number == 2);
  CHECK(second.previous_hash == first.hash);
  CHECK(second.hash != first.hash);
  CHECK(second.details_salt != first.details_salt);
}

TEST_CASE("each part of an entry and of its link is covered by the hash") {
  const auto link = audit_link_after(0, 4, std::string(64, 'a'), any_entry());
  const auto changed = [&](auto change) {
    auto entry = any_entry();
    change(entry);
    return !matches(link, entry);
  };
  CHECK(changed([](audit_fields& e) { e.id = "audit_2"; }));
  CHECK(changed([](audit_fields& e) { e.user = "user_2"; }));
  CHECK(changed([](audit_fields& e) { e.at_ms += 1; }));
  CHECK(changed([](audit_fields& e) { e.address = {}; }));
  CHECK(changed([](audit_fields& e) { e.action = "mint"; }));
  CHECK(changed([](audit_fields& e) { e.merchant = {}; }));
  CHECK(changed([](audit_fields& e) { e.environment = "live"; }));
  CHECK(changed([](audit_fields& e) { e.subject = "mk_2"; }));
  CHECK(changed([](audit_fields& e) { e.before = "{}"; }));
  CHECK(changed([](audit_fields& e) { e.after = {}; }));
  // A text that moves to the neighbouring part is a change, too.
  CHECK(changed([](audit_fields& e) {
    e.before = "{}";
    e.after = {};
  }));
  const auto relinked = [&](auto change) {
    auto other = link;
    change(other);
    return !matches(other, any_entry());
  };
  CHECK(relinked([](audit_link& l) { l.chain = 1; }));
  CHECK(relinked([](audit_link& l) { l.number = 6; }));
  CHECK(relinked([](audit_link& l) { l.previous_hash.clear(); }));
  CHECK(relinked([](audit_link& l) { l.details_salt = "0"; }));
  CHECK(relinked([](audit_link& l) { l.details_hash = "0"; }));
  CHECK(relinked([](audit_link& l) { l.hash = "0"; }));
}

TEST_CASE("an entry whose texts were erased still matches, and one whose texts were replaced does not") {
  auto link = audit_link_after(0, 0, {}, any_entry());
  auto entry = any_entry();
  entry.subject = entry.before = entry.after = {};
  CHECK_FALSE(matches(link, entry));
  link.details_salt.clear();
  CHECK(matches(link, entry));
  entry.subject = "mk_2";
  CHECK_FALSE(matches(link, entry));
}
