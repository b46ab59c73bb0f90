// Mails from the outside: what people get, what their links do once, what strangers learn, and what is left in the
// database.
#include <catch2/catch.hpp>

#include <regex>

#include "authenticator.hpp"
#include "destinations.hpp"
#include "mail_server.hpp"
#include "merchant.hpp"
#include "platform.hpp"
#include "text.hpp"
#include "visitor.hpp"
#include "webhook_receiver.hpp"

using namespace gateway::e2e;

namespace {

const std::string ada = "ada@lantern.example", bob = "bob@lantern.example", eve = "eve@nowhere.example";
const std::string old_password{owner_password}, new_password = "another good password";

/// A gateway with a mail server, a merchant, and its owner ada.
struct mailed_shop {
  explicit mailed_shop(store_kind store, const std::string& login = {}, const std::string& password = {})
      : server{login, password},
        gateway{gateway_options{.store = store, .arguments = {"--mail-url=" + server.url(), from_option}}} {}

  static inline const std::string from_option = "--mail-from=Lantern pay <pay@lantern.example>";

  mail_server server;
  gateway_process gateway;
  merchant_account shop = new_merchant(gateway);
  std::string user = add_person(gateway, shop.id, ada);
  visitor person{gateway};

  std::string portal(const std::string& page) const { return gateway.base_url() + "/portal/" + page; }
  /// Whether the person is signed in afterwards.
  bool signs_in(visitor& who, const std::string& email, const std::string& password) {
    who.open("/portal/sign-in");
    who.click("sign-in", {{"email", email}, {"password", password}});
    return is_in(who);
  }
  bool is_in(visitor& who) { return who.open("/portal/account").status == 200 && who.at() == "/portal/account"; }
  const reply& forgot(visitor& who, const std::string& email) {
    who.open("/portal/forgotten");
    return who.click("send", {{"email", email}});
  }
  void invite(const std::string& email) {
    person.open("/portal/" + shop.id + "/live/team");
    person.click("invite", {{"email", email}, {"role", "viewer"}});
    REQUIRE(person.answer().status == 200);
  }
  json mails(const std::string& status = {}) const {
    std::vector<std::string> words{"mail", "list"};
    if (!status.empty()) words.insert(words.end(), {"--status", status});
    return gateway.ctl(words)["mails"];
  }
  /// One mail waits for its second attempt, after this error.
  bool waits_after(const std::string& error) const {
    return eventually([&] {
      const auto waiting = mails("pending");
      return waiting.size() == 1 && waiting.at(0)["last_error"].text().find(error) != std::string::npos;
    });
  }
  bool all_are_sent() const {
    return eventually([&] { return mails("pending").size() == 0; });
  }
};

std::string token_of(const std::string& link) { return link.substr(link.find('=') + 1); }

/// The files of the embedded store, as they are on the disk.
std::string raw_database(const gateway_process& gateway) {
  std::string bytes;
  for (const auto& file : std::filesystem::directory_iterator{gateway.sqlite_file().parent_path()})
    if (file.path().filename().string().starts_with(gateway.sqlite_file().filename().string()))
      bytes += read_file(file.path());
  return bytes;
}

}  // namespace

TEST_CASE("an owner's invitation goes out by mail, is shown on no page, and its link sets the first password") {
  mailed_shop s{GENERATE(from_range(stores()))};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  s.invite(bob);
  CHECK(s.person.html().find("invitation?token=") == std::string::npos);
  const auto mail = s.server.wait_for(bob, "You are invited to Lantern Books");
  CHECK(mail.from == "pay@lantern.example");
  CHECK(mail.header("From") == "Lantern pay <pay@lantern.example>");
  CHECK(mail.header("Content-Type").starts_with("multipart/alternative"));
  const auto link = mail.link(s.portal("invitation?token="));
  CHECK(unescape_html(mail.html).find(link) != std::string::npos);
  CHECK(mail.html.find("<script") == std::string::npos);
  visitor guest{s.gateway};
  guest.open(link);
  guest.click("set-password", {{"password", new_password}});
  CHECK(s.signs_in(guest, bob, new_password));
  CHECK(guest.open("/portal/" + s.shop.id + "/live/").status == 200);
  CHECK(guest.open(link).status == 410);
  // No owner has seen the link, so another merchant's invitation can be accepted with this password.
  CHECK(s.gateway.sql("SELECT password_shown_to FROM people WHERE email = '" + bob + "';").find("merch_") ==
        std::string::npos);
}

TEST_CASE("a newer invitation replaces the mailed link, and the operator still gets the link of theirs") {
  mailed_shop s{GENERATE(from_range(stores()))};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  s.invite(bob);
  const auto first = s.server.wait_for(bob, "You are invited").link(s.portal("invitation?token="));
  const auto printed =
      s.gateway.ctl({"merchant", "user", "invite", "--merchant", s.shop.id, "--email", bob})["invitation_url"].text();
  const auto second = s.server.wait_for(bob, "You are invited", 2).link(s.portal("invitation?token="));
  CHECK(second == printed);
  visitor guest{s.gateway};
  CHECK(guest.open(first).status == 410);
  CHECK(guest.open(second).status == 200);
}

TEST_CASE("a forgotten password is replaced by a link that works once, and every session ends") {
  mailed_shop s{GENERATE(from_range(stores()))};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  visitor stranger{s.gateway};
  CHECK(s.forgot(stranger, "ADA@lantern.example").status == 200);
  const auto link = s.server.wait_for(ada, "Choose a new password").link(s.portal("forgotten?token="));
  CHECK(s.signs_in(s.person, ada, old_password));  // until the link is used, nothing has changed
  visitor reader{s.gateway};
  reader.open(link);
  CHECK(reader.click("set-password", {{"password", "short"}}).status == 422);
  reader.click("set-password", {{"password", new_password}});
  CHECK(reader.at().starts_with("/portal/sign-in"));
  CHECK_FALSE(s.is_in(s.person));
  CHECK_FALSE(s.signs_in(stranger, ada, old_password));
  CHECK(s.signs_in(reader, ada, new_password));
  CHECK(stranger.open(link).status == 410);
  s.server.wait_for(ada, "Your password was set");
}

TEST_CASE("of several links for a forgotten password only the newest works, for an hour") {
  mailed_shop s{GENERATE(from_range(stores()))};
  visitor stranger{s.gateway};
  s.forgot(stranger, ada);
  const auto first = s.server.wait_for(ada, "Choose a new password").link(s.portal("forgotten?token="));
  s.forgot(stranger, ada);
  const auto second = s.server.wait_for(ada, "Choose a new password", 2).link(s.portal("forgotten?token="));
  CHECK(stranger.open(first).status == 410);
  CHECK(stranger.open(second).status == 200);
  s.gateway.sql("UPDATE password_links SET expires_at = expires_at - 3600000;");
  CHECK(stranger.open(second).status == 410);
}

TEST_CASE("a stranger cannot tell which addresses have an account, and is slowed down for each alike") {
  mailed_shop s{GENERATE(from_range(stores()))};
  visitor stranger{s.gateway};
  const auto known = s.forgot(stranger, ada);
  const auto unknown = s.forgot(stranger, eve);
  CHECK(known.status == 200);
  CHECK(known.status == unknown.status);
  CHECK(known.body == unknown.body);
  int sent = 2;
  while (s.forgot(stranger, sent % 2 == 0 ? eve : ada).status == 200) REQUIRE(++sent < 20);
  CHECK(sent == 10);
  for (const auto& email : {ada, eve}) {
    CAPTURE(email);
    const auto slowed = s.forgot(stranger, email);
    CHECK(slowed.status == 429);
    CHECK(slowed.header("Retry-After").has_value());
  }
  REQUIRE(s.all_are_sent());
  CHECK(s.server.mails(eve, "").empty());
}

TEST_CASE("people get a notice of a new browser, a new password, and a second factor that is turned on and off") {
  mailed_shop s{store_kind::sqlite};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  const auto first = s.server.wait_for(ada, "A sign-in from a new browser");
  CHECK(first.text.find("From: 127.0.0.1") != std::string::npos);
  // The same browser is known now.
  s.person.click("sign-out");
  REQUIRE(s.signs_in(s.person, ada, old_password));
  s.person.click("set-password", {{"password", old_password}, {"new_password", new_password}});
  s.server.wait_for(ada, "Your password was set");
  s.person.open("/portal/account");
  s.person.click("second-factor-on", {{"password", new_password}});
  std::smatch secret;
  REQUIRE(std::regex_search(s.person.html(), secret, std::regex{"([A-Z2-7]{4} ){7}[A-Z2-7]{4}"}));
  s.person.click("confirm-second-factor", {{"code", totp_code(secret.str())}});
  s.server.wait_for(ada, "Your second factor is on");
  s.person.open("/portal/account");
  s.person.click("second-factor-off", {{"password", new_password}});
  s.server.wait_for(ada, "Your second factor is off");
  REQUIRE(s.all_are_sent());
  CHECK(s.server.mails(ada, "A sign-in from a new browser").size() == 1);
  // Another browser is a new one.
  visitor other{s.gateway};
  REQUIRE(s.signs_in(other, ada, new_password));
  s.server.wait_for(ada, "A sign-in from a new browser", 2);
}

TEST_CASE("the database holds no link in the clear, and what a mail says only until it is sent") {
  mailed_shop s{store_kind::sqlite};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  s.server.answers([](const std::string& to) { return to == bob ? "451 4.3.0 later" : ""; });
  s.invite(bob);
  visitor stranger{s.gateway};
  s.forgot(stranger, ada);
  const auto token = token_of(s.server.wait_for(ada, "Choose a new password").link(s.portal("forgotten?token=")));
  REQUIRE(token.size() == 64);
  REQUIRE(s.waits_after("451"));
  CHECK(s.gateway.sql("SELECT COUNT(*) FROM mail WHERE status = 'sent' AND sealed <> '';").starts_with("0"));
  CHECK(s.gateway.sql("SELECT COUNT(*) FROM mail WHERE status = 'pending' AND sealed <> '';").starts_with("1"));
  CHECK(s.gateway.sql("SELECT link_hash FROM password_links;").find(sha256_hex(token)) == 0);
  const auto bytes = raw_database(s.gateway);
  CHECK(bytes.find(token) == std::string::npos);
  CHECK(bytes.find("token=") == std::string::npos);
  for (const auto& text : {s.gateway.log(), s.gateway.run_ctl({"mail", "list"}).out}) {
    CHECK(text.find(token) == std::string::npos);
  }
  CHECK(s.gateway.log().find(bob) == std::string::npos);
}

TEST_CASE("a mail outlives a kill -9 and a mail server that refuses for now, and arrives once") {
  mailed_shop s{GENERATE(from_range(stores()))};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  REQUIRE(s.all_are_sent());
  s.server.answers([](const std::string&) { return "451 4.3.0 later"; });
  s.invite(bob);
  REQUIRE(s.waits_after("451"));
  const auto waiting = s.mails("pending").at(0);
  CHECK(waiting["kind"] == "invitation");
  CHECK(waiting["to"] == bob);
  CHECK(waiting["last_error"].text().find("451") != std::string::npos);
  s.gateway.kill();
  s.server.answers({});
  s.gateway.start();
  CHECK(s.gateway.ctl({"mail", "retry", waiting["mail_id"].text()})["status"] == "pending");
  const auto link = s.server.wait_for(bob, "You are invited").link(s.portal("invitation?token="));
  REQUIRE(s.all_are_sent());
  CHECK(s.server.mails(bob, "You are invited").size() == 1);
  visitor guest{s.gateway};
  CHECK(guest.open(link).status == 200);
}

TEST_CASE("a recipient that the mail server refuses is listed as failed, and sent to again on request") {
  mailed_shop s{store_kind::sqlite};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  s.server.answers([](const std::string& to) { return to == bob ? "550 5.1.1 no such user" : ""; });
  s.invite(bob);
  REQUIRE(eventually([&] { return s.mails("failed").size() == 1; }));
  const auto failed = s.mails("failed").at(0);
  CHECK(failed["last_error"].text().find("550") != std::string::npos);
  CHECK(failed["attempts"] == 1);
  s.server.answers({});
  const auto id = failed["mail_id"].text();
  s.gateway.ctl({"mail", "retry", id});
  s.server.wait_for(bob, "You are invited");
  REQUIRE(eventually([&] { return s.mails("failed").size() == 0; }));
  // A mail that was sent is not sent again.
  REQUIRE(s.all_are_sent());
  const auto again = s.gateway.run_ctl({"mail", "retry", id});
  CHECK(again.code == 1);
  CHECK(s.gateway.run_ctl({"mail", "retry", "mail_none"}).code == 1);
}

TEST_CASE("the gateway signs in to the mail server, and its password is in no log") {
  mailed_shop s{store_kind::sqlite, "gateway", "hunter2secret"};
  REQUIRE(s.signs_in(s.person, ada, old_password));
  s.server.wait_for(ada, "A sign-in from a new browser");
  CHECK(s.gateway.log().find("hunter2secret") == std::string::npos);
}

TEST_CASE("owners get one mail about a destination at which everything has failed for an hour") {
  mailed_shop s{GENERATE(from_range(stores()))};
  webhook_receiver receiver;
  receiver.answers("/hooks", webhook_answer{.status = 500});
  set_destination(s.gateway, s.shop, receiver.url(), "test", {});
  api client{s.gateway, s.shop.test};
  REQUIRE(client.create(server_payment(new_payment_id(), "pm_card_chargeDeclined")).status == 200);
  REQUIRE(receiver.comes_to(1));
  REQUIRE(eventually([&] { return s.gateway.sql("SELECT COUNT(*) FROM destination_health;").starts_with("1"); }));
  s.gateway.kill();
  s.gateway.sql("UPDATE destination_health SET failing_since = failing_since - 7200000;");
  s.gateway.sql("UPDATE destinations SET enabled_at = NULL;");
  s.gateway.start();
  REQUIRE(client.create(server_payment(new_payment_id(), "pm_card_chargeDeclined")).status == 200);
  const auto mail = s.server.wait_for(ada, "Webhooks of Lantern Books do not arrive");
  CHECK(mail.text.find(receiver.url()) != std::string::npos);
  CHECK(mail.text.find("/portal/" + s.shop.id + "/test/destinations/dest_") != std::string::npos);
  REQUIRE(s.all_are_sent());
  CHECK(s.server.mails(ada, "do not arrive").size() == 1);
}

TEST_CASE("owners get a mail about a destination that the gateway has disabled") {
  mailed_shop s{GENERATE(from_range(stores()))};
  webhook_receiver receiver;
  receiver.answers("/hooks", webhook_answer{.status = 500});
  set_destination(s.gateway, s.shop, receiver.url(), "test", {});
  api client{s.gateway, s.shop.test};
  REQUIRE(client.create(server_payment(new_payment_id(), "pm_card_chargeDeclined")).status == 200);
  REQUIRE(receiver.comes_to(1));
  REQUIRE(eventually([&] { return s.gateway.sql("SELECT COUNT(*) FROM destination_health;").starts_with("1"); }));
  s.gateway.kill();
  s.gateway.sql("UPDATE destination_health SET failing_since = failing_since - 691200000;");
  s.gateway.sql("UPDATE destinations SET enabled_at = NULL;");
  s.gateway.start();
  REQUIRE(client.create(server_payment(new_payment_id(), "pm_card_chargeDeclined")).status == 200);
  const auto mail = s.server.wait_for(ada, "is disabled");
  CHECK(mail.text.find("Reason: Nothing was delivered to it for 7 days.") != std::string::npos);
}

TEST_CASE("without mail the sign-in page leads to no page for a forgotten password, and links are shown as before") {
  gateway_process gateway{gateway_options{}};
  const auto shop = new_merchant(gateway);
  add_person(gateway, shop.id, ada);
  visitor person{gateway};
  CHECK(person.open("/portal/forgotten").status == 404);
  person.open("/portal/sign-in");
  CHECK(person.html().find("forgotten") == std::string::npos);
  person.click("sign-in", {{"email", ada}, {"password", old_password}});
  person.open("/portal/" + shop.id + "/live/team");
  person.click("invite", {{"email", bob}, {"role", "viewer"}});
  CHECK(person.html().find("/portal/invitation?token=") != std::string::npos);
  CHECK(gateway.ctl({"mail", "list"})["mails"].size() == 0);
  CHECK(gateway.run_ctl({"mail", "retry", "mail_none"}).code == 1);
}
