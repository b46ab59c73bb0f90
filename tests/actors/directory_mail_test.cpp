// The mails that the directory queues, each in the commit of its change.
#include "directory_fixture.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

/// A directory with a merchant that ada owns; mail is configured.
struct mailed_office {
  mail_sealer sealer{std::string(32, 'm')};
  failing_store_ptr rows = std::make_shared<failing_store>();
  office o{rows, false, nullptr, &sealer};
  merchant_id shop = new_shop(o, "Ada@shop.example");

  std::vector<queued_mail> mails() const { return rows->run(find_mail{}).mails; }
  /// What the only mail of this kind says.
  mail_content said(mail_kind kind) const {
    std::vector<queued_mail> of_kind;
    for (const auto& mail : mails())
      if (mail.kind == kind) of_kind.push_back(mail);
    REQUIRE(of_kind.size() == 1);
    return sealer.open(of_kind.front()).value();
  }
  invited_user invite(const std::string& email, invited_by by) {
    return std::get<invited_user>(o.ask(invite_user{shop, email, member_role::viewer, by}));
  }
  stored_invitation standing(const user_id& who) const {
    return rows->run(find_invitations{who}).invitations.at(0).what;
  }
  destination_id hook() {
    return std::get<destination_secret>(
               o.ask(set_destination{
                   destination_kind::merchant, shop.value, environment::test, "https://shop.example/hooks", {}}))
        .id;
  }
};

}  // namespace

TEST_CASE("an invitation's mail is queued with it, and holds what makes its link") {
  mailed_office m;
  const auto by = GENERATE(invited_by::owner, invited_by::operators);
  const auto made = m.invite("Bob@shop.example", by);
  REQUIRE(m.mails().size() == 1);
  CHECK(m.mails()[0].to == "Bob@shop.example");
  CHECK(m.mails()[0].expires_at == made.expires);
  const auto said = m.said(mail_kind::invitation);
  CHECK(said.value("merchant") == "Shop");
  CHECK(said.value("merchant_id") == m.shop.value);
  CHECK(said.value("user") == made.id.value);
  CHECK(said.value("invitation") == made.invitation);
  CHECK(said.value("role") == "viewer");
  CHECK(m.standing(made.id).mailed == (by == invited_by::owner));
}

TEST_CASE("an invitation that is not stored queues no mail") {
  mailed_office m;
  m.rows->faults = {fault::before_commit};
  CHECK(m.o.try_out(invite_user{m.shop, "bob@shop.example", member_role::viewer, invited_by::owner}).failure);
  CHECK(m.mails().empty());
  CHECK(m.o.problem(invite_user{m.shop, "ada@SHOP.example", member_role::viewer, invited_by::owner}) ==
        "belongs to the merchant already");
  CHECK(m.mails().empty());
}

TEST_CASE("a password that is set by a mailed link is known to no owner") {
  mailed_office m;
  const auto made = m.invite("bob@shop.example", invited_by::owner);
  REQUIRE(std::holds_alternative<added_user>(
      m.o.ask(accept_invitation{m.shop, made.id, made.invitation, "a good password"})));
  const auto person = m.rows->run(find_invitations{made.id});
  CHECK(person.has_password);
  CHECK(person.is_member);
  CHECK(person.shown_to.empty());
  CHECK(m.said(mail_kind::new_password).to == "bob@shop.example");
}

TEST_CASE("a mailed link sets a first password of a member of another merchant, and never a second one") {
  mailed_office m;
  const auto cafe = new_shop(m.o, "bob@shop.example");
  const auto made = m.invite("bob@shop.example", invited_by::owner);
  REQUIRE(std::holds_alternative<added_user>(
      m.o.ask(accept_invitation{m.shop, made.id, made.invitation, "a good password"})));
  CHECK_FALSE(m.rows->run(find_invitations{made.id}).shown_to.value == cafe.value);
  m.o.ask(remove_member{m.shop, made.id});
  const auto again = m.invite("bob@shop.example", invited_by::owner);
  CHECK(m.o.problem(accept_invitation{m.shop, again.id, again.invitation, "another password"}) ==
        "the person has a password, or belongs to a merchant already");
}

TEST_CASE("an operator's new password for a known person is reported to that person") {
  mailed_office m;
  m.o.ask(add_user{m.shop, "eve@shop.example", "her first password", member_role::viewer});
  CHECK(m.mails().empty());
  m.o.ask(add_user{m.shop, "eve@shop.example", "her next password", member_role::viewer});
  CHECK(m.said(mail_kind::new_password).to == "eve@shop.example");
}

TEST_CASE("the owners of a failing destination get one mail for each failure, whatever node reports it") {
  mailed_office m;
  m.o.ask(add_user{m.shop, "eve@shop.example", "a good password", member_role::viewer});
  const auto hook = m.hook();
  const auto since = m.o.clock.now() - 2h;
  CHECK(std::get<named_result>(m.o.ask(report_failing_destination{hook, since})).status == "enabled");
  const auto said = m.said(mail_kind::destination_failing);
  CHECK(said.to == "Ada@shop.example");
  CHECK(said.value("url") == "https://shop.example/hooks");
  CHECK(said.value("mode") == "test");
  CHECK(said.value("since") == std::to_string(to_unix_ms(since)));
  CHECK(m.o.problem(report_failing_destination{hook, since}) ==
        "the owners have been sent a mail about this failure already");
  office other{m.rows, false, nullptr, &m.sealer};
  other.problem(report_failing_destination{hook, since});
  CHECK(m.mails().size() == 1);
  m.o.ask(report_failing_destination{hook, since + 1h});
  CHECK(m.mails().size() == 2);
  m.o.ask(disable_destination{hook, "by the merchant"});
  m.o.ask(report_failing_destination{hook, since + 90min});
  CHECK(m.mails().size() == 2);
}

TEST_CASE("owners get a mail when the gateway disables a destination, and none when a person does") {
  mailed_office m;
  const auto hook = m.hook();
  m.o.ask(disable_destination{hook, "by the merchant"});
  CHECK(m.mails().empty());
  m.o.ask(enable_destination{hook});
  m.o.ask(disable_destination{hook, "Nothing was delivered to it for 7 days.", true});
  const auto said = m.said(mail_kind::destination_disabled);
  CHECK(said.to == "Ada@shop.example");
  CHECK(said.value("reason") == "Nothing was delivered to it for 7 days.");
}

TEST_CASE("without mail nothing is queued, and an owner's link counts as shown") {
  office o;
  const auto shop = new_shop(o, "ada@shop.example");
  const auto made =
      std::get<invited_user>(o.ask(invite_user{shop, "bob@shop.example", member_role::viewer, invited_by::owner}));
  o.ask(accept_invitation{shop, made.id, made.invitation, "a good password"});
  CHECK(o.rows().run(find_invitations{made.id}).shown_to == shop);
  const auto hook = std::get<destination_secret>(
      o.ask(set_destination{destination_kind::merchant, shop.value, environment::test, "https://shop.example/h", {}}));
  CHECK(std::get<named_result>(o.ask(report_failing_destination{hook.id, o.clock.now()})).status == "enabled");
  CHECK(o.rows().run(find_mail{}).mails.empty());
}
