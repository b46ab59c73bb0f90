// The store contract: mails that wait to be sent, and links for a forgotten password.
#include <catch2/catch.hpp>

#include "contract_store.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using enum commit_outcome;

namespace {

const user_id ada{"user_ada"};

template <class... Records>
commit_outcome save(contract_store& store, const Records&... records) {
  unit_parts unit;
  (unit.records.emplace_back(records), ...);
  return store.commit(unit);
}

template <class... Records>
commit_outcome change(contract_store& store, const Records&... records) {
  unit_parts unit;
  (unit.record_claims.emplace_back(records), ...);
  return store.commit(unit);
}

queued_mail a_mail(const std::string& id, std::int64_t due, mail_kind kind = mail_kind::invitation) {
  queued_mail mail;
  mail.id = id;
  mail.kind = kind;
  mail.to = "zoë@shop.example";
  mail.sealed = "sealed " + id;
  mail.created_at = mail.due_at = at(due);
  mail.expires_at = at(1'000);
  return mail;
}

queued_mail stored(contract_store& store, const std::string& id) {
  find_mail query;
  query.id = id;
  return store.run(query).mails.at(0);
}

std::vector<std::string> ids_of(const mail_lookup& found) {
  std::vector<std::string> ids;
  for (const auto& mail : found.mails) ids.push_back(mail.id);
  return ids;
}

using ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a mail is stored with the change that causes it, once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto mail = a_mail("mail_1", 5);
  REQUIRE(save(store, save_user{ada, "ada@example.com", "", at(1)}, save_mail{mail}) == committed);
  CHECK(stored(store, "mail_1") == mail);
  CHECK(save(store, save_mail{a_mail("mail_2", 5)}, save_user{ada, "ada@example.com", "", at(1)}) == duplicate_record);
  CHECK(save(store, save_mail{mail}) == duplicate_record);
  CHECK(ids_of(store.run(find_mail{})) == ids{"mail_1"});
}

TEST_CASE("due mails are found until they are leased, the longest due first") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, save_mail{a_mail("mail_3", 30)}, save_mail{a_mail("mail_1", 10)},
               save_mail{a_mail("mail_2", 20)}) == committed);
  CHECK(ids_of(store.run(find_due_mail{at(20), 10})) == ids{"mail_1", "mail_2"});
  CHECK(ids_of(store.run(find_due_mail{at(90), 1})) == ids{"mail_1"});
  REQUIRE(change(store, lease_mail{"mail_1", 0, at(50)}) == committed);
  CHECK(ids_of(store.run(find_due_mail{at(49), 10})) == ids{"mail_2", "mail_3"});
  CHECK(ids_of(store.run(find_due_mail{at(50), 10})) == ids{"mail_1", "mail_2", "mail_3"});
}

TEST_CASE("of two leases of the same attempt one is lost, and so is the outcome of an attempt that was overtaken") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, save_mail{a_mail("mail_1", 10)}) == committed);
  CHECK(change(store, lease_mail{"mail_1", 0, at(50)}) == committed);
  CHECK(change(store, lease_mail{"mail_1", 0, at(50)}) == lost_claim);
  CHECK(change(store, lease_mail{"mail_none", 0, at(50)}) == lost_claim);
  REQUIRE(change(store, lease_mail{"mail_1", 1, at(90)}) == committed);
  const finish_mail late{"mail_1", 1, mail_status::sent, at(60), at(60), {}, false};
  CHECK(change(store, late) == lost_claim);
  CHECK(stored(store, "mail_1").sealed == "sealed mail_1");
  auto done = late;
  done.attempts = 2;
  CHECK(change(store, done) == committed);
  CHECK(change(store, done) == lost_claim);
  const auto mail = stored(store, "mail_1");
  CHECK(mail.status == mail_status::sent);
  CHECK(mail.sealed.empty());
  CHECK(mail.ended_at == at(60));
  CHECK_FALSE(mail.leased_until);
  CHECK(change(store, lease_mail{"mail_1", 2, at(99)}) == lost_claim);
}

TEST_CASE("a failed mail is due again on request, unless what it says is deleted") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const bool keeps = GENERATE(true, false);
  REQUIRE(save(store, save_mail{a_mail("mail_1", 10)}) == committed);
  REQUIRE(change(store, lease_mail{"mail_1", 0, at(50)}) == committed);
  REQUIRE(change(store, finish_mail{"mail_1", 1, mail_status::failed, at(20), at(20), "550 no", keeps}) == committed);
  CHECK(stored(store, "mail_1").last_error == "550 no");
  CHECK(store.run(find_due_mail{at(90), 10}).mails.empty());
  CHECK(change(store, retry_mail{"mail_1", at(30), at(2'000)}) == (keeps ? committed : lost_claim));
  CHECK(ids_of(store.run(find_due_mail{at(30), 10})) == (keeps ? ids{"mail_1"} : ids{}));
  if (!keeps) return;
  CHECK_FALSE(stored(store, "mail_1").ended_at);
  CHECK(stored(store, "mail_1").expires_at == at(2'000));
  // A retry while a node sends it does not end the lease.
  REQUIRE(change(store, lease_mail{"mail_1", 1, at(80)}) == committed);
  CHECK(change(store, retry_mail{"mail_1", at(40), at(2'000)}) == committed);
  CHECK(store.run(find_due_mail{at(79), 10}).mails.empty());
}

TEST_CASE("mails are listed newest first, by status, page after page") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  auto sent = a_mail("mail_4", 20);
  sent.status = mail_status::sent;
  REQUIRE(save(store, save_mail{a_mail("mail_1", 10)}, save_mail{a_mail("mail_2", 20)}, save_mail{a_mail("mail_3", 20)},
               save_mail{sent}) == committed);
  find_mail query;
  CHECK(ids_of(store.run(query)) == ids{"mail_4", "mail_3", "mail_2", "mail_1"});
  query.limit = 2;
  CHECK(ids_of(store.run(query)) == ids{"mail_4", "mail_3"});
  query.before = at(20);
  query.before_id = "mail_3";
  CHECK(ids_of(store.run(query)) == ids{"mail_2", "mail_1"});
  query = {};
  query.status = mail_status::pending;
  CHECK(ids_of(store.run(query)) == ids{"mail_3", "mail_2", "mail_1"});
}

TEST_CASE("mails that ended by then are deleted, and expired links in failed ones are forgotten") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const auto failed = [&](const std::string& id, std::int64_t ended, mail_kind what) {
    auto mail = a_mail(id, 1, what);
    mail.status = mail_status::failed;
    mail.ended_at = at(ended);
    mail.expires_at = at(100);
    REQUIRE(save(store, save_mail{mail}) == committed);
  };
  failed("mail_1", 10, mail_kind::invitation);
  failed("mail_2", 20, mail_kind::forgotten_password);
  failed("mail_3", 20, mail_kind::new_password);
  REQUIRE(save(store, save_mail{a_mail("mail_4", 1)}) == committed);
  REQUIRE(change(store, purge_mail{at(10), at(99)}) == committed);
  CHECK(ids_of(store.run(find_mail{})) == ids{"mail_4", "mail_3", "mail_2"});
  CHECK(stored(store, "mail_2").sealed == "sealed mail_2");
  REQUIRE(change(store, purge_mail{at(10), at(100)}) == committed);
  CHECK(stored(store, "mail_2").sealed.empty());
  CHECK(stored(store, "mail_3").sealed == "sealed mail_3");
  CHECK(stored(store, "mail_4").sealed == "sealed mail_4");
}

TEST_CASE("a link for a forgotten password is found by its hash, replaced by a newer one, and spent once") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, save_user{ada, "Ada@example.com", "old", at(1)}) == committed);
  REQUIRE(save(store, save_password_link{ada, "hash one", at(1), at(100)}) == committed);
  const auto found = store.run(find_password_link{"hash one"}).found;
  REQUIRE(found);
  CHECK(found->user == ada);
  CHECK(found->email == "Ada@example.com");
  CHECK(found->expires == at(100));
  REQUIRE(save(store, save_password_link{ada, "hash two", at(2), at(100)}) == committed);
  CHECK_FALSE(store.run(find_password_link{"hash one"}).found);
  CHECK(change(store, spend_password_link{ada, "hash one", at(50)}, set_user_password{ada, "stolen", at(50), {}}) ==
        lost_claim);
  CHECK(change(store, spend_password_link{ada, "hash two", at(100)}) == lost_claim);
  CHECK(change(store, spend_password_link{ada, "hash two", at(99)}, set_user_password{ada, "new", at(99), {}}) ==
        committed);
  CHECK(store.run(find_user{"ada@example.com"}).found.value().password_hash == "new");
  CHECK(change(store, spend_password_link{ada, "hash two", at(99)}) == lost_claim);
  // The link of an address without an account belongs to no person.
  REQUIRE(save(store, save_password_link{user_id{"user_unknown"}, "hash three", at(2), at(100)}) == committed);
  CHECK_FALSE(store.run(find_password_link{"hash three"}).found);
}

TEST_CASE("a new password ends the link for a forgotten one") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  REQUIRE(save(store, save_user{ada, "ada@example.com", "old", at(1)},
               save_password_link{ada, "hash", at(1), at(100)}) == committed);
  REQUIRE(change(store, set_user_password{ada, "new", at(2), {}}) == committed);
  CHECK_FALSE(store.run(find_password_link{"hash"}).found);
}

TEST_CASE("an invitation by mail sets the first password of a member, too, and no second one") {
  FOR_EACH_CONTRACT_STORE(kind);
  contract_store store{kind};
  const merchant_id shop{"merch_shop"}, cafe{"merch_cafe"};
  stored_invitation invited{shop,    ada, std::string(32, 'a'), invited_by::owner, member_role::viewer, at(1),
                            at(100), true};
  REQUIRE(save(store, save_user{ada, "ada@example.com", "", at(1)},
               save_membership{cafe, ada, member_role::owner, at(1)}, save_invitation{invited}) == committed);
  CHECK(store.run(find_invitations{ada}).invitations.at(0).what == invited);
  CHECK(change(store, set_first_password{ada, "theirs", at(2), shop}) == lost_claim);
  REQUIRE(change(store, set_mailed_password{ada, "hers", at(2)}) == committed);
  CHECK(store.run(find_invitations{ada}).shown_to.empty());
  CHECK(change(store, set_mailed_password{ada, "again", at(3)}) == lost_claim);
  CHECK(store.run(find_user{"ada@example.com"}).found.value().password_hash == "hers");
}
