// What mails say, and their form on the wire.
#include <catch2/catch.hpp>

#include "gateway/domain/mail.hpp"
#include "http/mail/mail_composer.hpp"
#include "http/mail/mime_message.hpp"
#include "http/portal/invitation_link.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

const mail_addresses known_addresses{"https://pay.example/portal", "invitation key"};

/// With every value that a template reads.
mail_content example_mail(mail_kind kind, const std::string& merchant = "Tea & Co") {
  return {kind,
          "ada@example.com",
          {{"merchant", merchant},
           {"merchant_id", "merch_1"},
           {"user", "user_1"},
           {"invitation", "0123456789abcdef"},
           {"expires", "1795253400000"},
           {"role", "viewer"},
           {"token", std::string(64, 'a')},
           {"address", "192.0.2.7"},
           {"browser", "Firefox on Linux"},
           {"at", "1795167000000"},
           {"mode", "live"},
           {"id", "dest_1"},
           {"url", "https://shop.example/hooks?a=1&b=2"},
           {"since", "1795163400000"},
           {"reason", "It answered <410>"}}};
}

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("each kind of mail says what happened and leads to where something can be done") {
  struct {
    mail_kind kind;
    std::string_view subject, link;
  } const rows[] = {
      {mail_kind::invitation, "You are invited to Tea & Co", "https://pay.example/portal/invitation?token="},
      {mail_kind::forgotten_password, "Choose a new password", "https://pay.example/portal/forgotten?token=aaaa"},
      {mail_kind::new_password, "Your password was set", "https://pay.example/portal/account"},
      {mail_kind::second_factor_on, "Your second factor is on", "https://pay.example/portal/account"},
      {mail_kind::second_factor_off, "Your second factor is off", "https://pay.example/portal/account"},
      {mail_kind::new_browser, "A sign-in from a new browser", "https://pay.example/portal/account"},
      {mail_kind::destination_failing, "Webhooks of Tea & Co do not arrive",
       "https://pay.example/portal/merch_1/live/destinations/dest_1"},
      {mail_kind::destination_disabled, "A webhook destination of Tea & Co is disabled",
       "https://pay.example/portal/merch_1/live/destinations/dest_1"},
  };
  CHECK(std::size(rows) == enum_count<mail_kind>);
  for (const auto& row : rows) {
    CAPTURE(to_string(row.kind));
    const auto said = text_of_mail(example_mail(row.kind), known_addresses);
    CHECK(said.subject == row.subject);
    CHECK(said.link.starts_with(row.link));
    const auto text = mail_as_text(said), html = mail_as_html(said);
    CHECK(mentions(text, '\n' + said.link + '\n'));
    CHECK(mentions(html, "href=\"" + said.link));
    for (const auto& fact : said.facts) CHECK(mentions(text, std::string{fact.name} + ": " + fact.value));
    CHECK_FALSE(mentions(html, "{{"));
    CHECK_FALSE(mentions(html, "<script"));
    CHECK_FALSE(mentions(html, "http://"));
  }
}

TEST_CASE("an invitation's link is that of the invitation") {
  const auto said = text_of_mail(example_mail(mail_kind::invitation), known_addresses);
  const auto token = said.link.substr(said.link.find('=') + 1);
  const auto read = read_invitation(token, "invitation key", from_unix_ms(1'795'167'000'000));
  REQUIRE(read);
  CHECK(read->merchant == merchant_id{"merch_1"});
  CHECK(read->user == user_id{"user_1"});
  CHECK(read->email == "ada@example.com");
  CHECK(read->id == "0123456789abcdef");
}

TEST_CASE("a mail escapes what merchants and destinations wrote") {
  const auto said = text_of_mail(example_mail(mail_kind::destination_disabled, "<b>Zoë</b>"), known_addresses);
  const auto html = mail_as_html(said);
  CHECK_FALSE(mentions(html, "<b>"));
  CHECK(mentions(html, "&lt;b&gt;Zo&#235;&lt;/b&gt;"));
  CHECK(mentions(html, "It answered &lt;410&gt;"));
  CHECK(mentions(mail_as_text(said), "<b>Zoë</b>"));
}

TEST_CASE("a message has both parts, and its lines are ASCII and end in CRLF") {
  const auto made = make_mail_composer("Zoë's shop <payments@shop.example>", known_addresses)
                        ->compose(example_mail(mail_kind::invitation, "Süß\r\nBcc: eve@example.com"), "mail_1",
                                  from_unix_ms(1'795'167'000'000));
  CHECK(made.from == "payments@shop.example");
  CHECK(made.to == "ada@example.com");
  const auto& message = made.message;
  CHECK(message.starts_with("From: =?utf-8?B?"));
  CHECK(mentions(message, "\r\nTo: ada@example.com\r\n"));
  CHECK(mentions(message, "\r\nMessage-ID: <mail_1@shop.example>\r\n"));
  CHECK(mentions(message, "\r\nDate: Fri, 20 Nov 2026 09:30:00 +0000\r\n"));
  CHECK(mentions(message, "\r\nAuto-Submitted: auto-generated\r\n"));
  CHECK(mentions(message, "Content-Type: multipart/alternative; boundary="));
  CHECK(mentions(message, "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable"));
  CHECK(mentions(message, "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 7bit"));
  CHECK_FALSE(mentions(message, "\nBcc:"));
  std::size_t width = 0;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto byte = static_cast<unsigned char>(message[i]);
    REQUIRE(byte < 0x80);
    if (message[i] == '\n') {
      REQUIRE(i > 0);
      REQUIRE(message[i - 1] == '\r');
      width = 0;
    } else {
      REQUIRE(++width <= 999);
    }
  }
}

TEST_CASE("a header's text is one line, and encoded unless it is plain ASCII") {
  CHECK(header_text("Your password was set") == "Your password was set");
  CHECK(header_text("a\r\nb") == "a  b");
  CHECK(header_text("Zoë") == "=?utf-8?B?Wm/Dqw==?=");
  CHECK(header_text("=?x?=") == "=?utf-8?B?PT94Pz0=?=");
  const auto folded = header_text(std::string(50, 'x') + "ë");
  CHECK(mentions(folded, "?=\r\n =?utf-8?B?"));
}

TEST_CASE("an address with anything that could begin another command or header is not one") {
  for (const auto* good : {"a@b", "ada.l+x@shop.example", "zoë@exämple.org"}) CHECK(is_mail_address(good));
  for (const auto* bad :
       {"", "a", "@b", "a@", "a@b@c", "a b@c", "a@b>", "<a@b", "a@b\r\nRCPT TO:<e@f>", "a@b,c@d", "\"a\"@b"})
    CHECK_FALSE(is_mail_address(bad));
  CHECK(address_of_mailbox("Shop <a@b>") == "a@b");
  CHECK(address_of_mailbox("a@b") == "a@b");
  for (const auto* bad : {"Shop", "Shop <a@b", "Shop <a>", "Shop\r\n <a@b>", "a@b <a@b>", "<a@b> x"})
    CHECK(address_of_mailbox(bad).empty());
}

TEST_CASE("the pauses between attempts double from half a minute to an hour") {
  CHECK(pause_before_next_mail(1) == std::chrono::seconds{30});
  CHECK(pause_before_next_mail(2) == std::chrono::minutes{1});
  CHECK(pause_before_next_mail(5) == std::chrono::minutes{8});
  CHECK(pause_before_next_mail(100) == std::chrono::hours{1});
}
