// The pages of the merchant portal as views: no value becomes markup, people without permission see no button for an
// action, and a form's faults are shown beside their fields.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "member_samples.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

bool shows(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

std::vector<std::string> between(std::string_view body, std::string_view begin, std::string_view end) {
  std::vector<std::string> found;
  for (auto at = body.find(begin); at != body.npos; at = body.find(begin, at)) {
    at += begin.size();
    found.emplace_back(body.substr(at, body.find(end, at) - at));
  }
  return found;
}

/// The verbs of the page's buttons, except sign-out, which every page has.
std::set<std::string> verbs(const response& page) {
  std::set<std::string> all;
  for (auto& verb : between(page.body, "type=\"submit\" name=\"action\" value=\"", "\"")) all.insert(std::move(verb));
  all.erase("sign-out");
  return all;
}

/// Each tag as the browser sees it, without quoted values.
std::vector<std::string> tags(std::string_view body) {
  std::vector<std::string> all;
  body = body.substr(body.find("</style>"));
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] != '<') continue;
    std::string tag;
    for (bool quoted = false; at < body.size() && (quoted || body[at] != '>'); ++at) {
      if (body[at] == '"') quoted = !quoted;
      if (!quoted) tag += body[at];
    }
    all.push_back(std::move(tag));
  }
  return all;
}

constexpr member_role roles[] = {member_role::owner, member_role::viewer};

}  // namespace

TEST_CASE("no text on a merchant's pages becomes markup, an attribute or a script's address") {
  const auto attack = GENERATE(as<std::string>{}, "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
                               "' onfocus='alert(1)' autofocus='", "\" onmouseover=\"alert(1)", "javascript:alert(1)",
                               "</textarea></title></style></select><svg onload=alert(1)>", "{{TITLE}}",
                               " java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>");
  const auto role = GENERATE(from_range(std::begin(roles), std::end(roles)));
  const samples plain{role}, attacked{role, environment::test, [&](const std::string&) { return attack; }};
  const auto expected = plain.all(), found = attacked.all();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(expected[i].name, attack);
    const auto& page = found[i].page;
    CHECK_FALSE(shows(page, "<script"));
    CHECK_FALSE(shows(page, "<img"));
    CHECK_FALSE(shows(page, "{{%"));
    std::vector<std::string> faults;
    for (const auto& tag : tags(page.body))
      for (const auto* part : {" on", " style", " autofocus"})
        if (tag.find(part) != tag.npos) faults.push_back(tag);
    for (const auto* attribute : {"href=\"", "action=\"", "src=\""})
      for (const auto& url : between(page.body, attribute, "\""))
        if (!url.starts_with("https://") && !url.starts_with("#") && !url.starts_with("/")) faults.push_back(url);
    CHECK(faults == std::vector<std::string>{});
    if (attack.find_first_of("<\"'") != attack.npos) CHECK_FALSE(shows(page, attack));
  }
}

TEST_CASE("an owner's pages have the buttons of the table, and a viewer's have none that act for the merchant") {
  const std::map<std::string, std::set<std::string>> table{
      {"overview", {}},
      {"payments", {}},
      {"payment", {"capture", "refund", "void", "cancel", "redeliver"}},
      {"disputes", {}},
      {"subscriptions", {}},
      {"subscription", {"cancel"}},
      {"customers", {}},
      {"customer", {}},
      {"keys", {"mint", "revoke"}},
      {"key-minted", {}},
      {"destinations", {"add"}},
      {"destination",
       {"events", "change", "rename", "standard-webhooks-on", "disable", "rotate", "test", "redeliver",
        "redeliver-failed", "delete"}},
      {"destination-disabled",
       {"events", "change", "rename", "standard-webhooks-on", "enable", "rotate", "redeliver", "redeliver-failed",
        "delete"}},
      {"destination-deleted", {}},
      {"delivery", {"redeliver"}},
      {"destination-secret", {}},
      {"connections", {"connect", "reconnect"}},
      {"connections-back", {"connect", "reconnect", "return"}},
      {"platforms", {"revoke"}},
      {"team", {"invite", "remove", "role"}},
      {"branding", {"save", "remove-logo"}},
      {"audit", {}},
      {"invited", {}},
      {"account",
       {"set-password", "second-factor-off", "new-recovery-codes", "set-zone", "end-session", "end-other-sessions",
        "accept"}},
      {"account-one-factor",
       {"set-password", "second-factor-on", "set-zone", "end-session", "end-other-sessions", "accept"}},
      {"second-factor", {"confirm-second-factor"}},
      {"recovery-codes", {}}};
  const auto owners = samples{member_role::owner}.all(), viewers = samples{member_role::viewer}.all();
  REQUIRE(owners.size() == table.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    CAPTURE(owners[i].name);
    const auto& wanted = table.at(owners[i].name);
    CHECK(verbs(owners[i].page) == wanted);
    const bool own = shows(viewers[i].page, "href=\"https://pay.example/portal/account\" aria-current=\"page\"");
    std::set<std::string> allowed = own ? wanted : std::set<std::string>{};
    if (wanted.contains("return")) allowed.insert("return");  // it leads away, and changes nothing
    CHECK(verbs(viewers[i].page) == allowed);
  }
}

TEST_CASE("every form that acts posts to its own page with the page's token, and moves money under a key") {
  for (const auto& [name, page] : samples{}.all()) {
    CAPTURE(name);
    for (const auto& form : between(page.body, "<form", "</form>")) {
      INFO(form);
      if (form.find("method=\"get\"") != form.npos) {
        CHECK(form.find("csrf") == form.npos);
        CHECK(form.find("name=\"action\" value=\"\"") == form.npos);
        continue;
      }
      CHECK(form.find("method=\"post\"") != form.npos);
      const bool leaves = form.find("value=\"sign-out\"") != form.npos;
      CHECK((form.find("action=\"https://pay.example/portal/sign-out\"") != form.npos) == leaves);
      CHECK(form.find(leaves ? "name=\"csrf\" value=\"sign-out-token\"" : "name=\"csrf\" value=\"page-token\"") !=
            form.npos);
      for (const auto* verb : {"value=\"capture\"", "value=\"refund\"", "value=\"void\"", "value=\"cancel\""})
        if (form.find(verb) != form.npos) CHECK(form.find("name=\"key\" value=\"key-") != form.npos);
    }
  }
}

TEST_CASE("a field's fault is shown beside it, and the input is kept, except passwords") {
  const samples of;
  struct {
    response page;
    std::string_view id, value;
  } const rows[] = {{payments_page(of.payments()), "from", "2026-13-40"},
                    {payments_page(of.payments()), "currency", "XX"},
                    {payment_page(of.payment()), "refund-amount", "99.999"},
                    {payment_page(of.payment()), "refund-reason", "a long reason"},
                    {destinations_page(of.destinations()), "url", "http:/hooks"},
                    {destination_page(of.destination()), "disable-reason", "moving"},
                    {destination_page(of.destination()), "change-url", "http:/hooks"},
                    {destination_page(of.destination()), "rename-name", "Till"},
                    {platforms_page(of.platforms()), "revoke-grant_1-reason", "not needed"},
                    {team_page(of.team()), "email", "nobody"},
                    {member_audit_page(of.audit()), "from", "2026-13-40"},
                    {account_page(of.account()), "password", ""},
                    {account_page(of.account()), "new_password", ""},
                    {account_page(of.account()), "disable-password", ""},
                    {second_factor_page(of.second_factor()), "code", "12345"}};
  for (const auto& row : rows) {
    CAPTURE(row.id);
    const std::string id{row.id};
    const auto inputs = between(row.page.body, "<input id=\"" + id + "\"", ">");
    REQUIRE(inputs.size() == 1);
    CHECK(inputs.front().find("aria-invalid=\"true\"") != std::string::npos);
    CHECK(inputs.front().find(id + "-fault\"") != std::string::npos);
    CHECK(inputs.front().find("value=\"" + std::string{row.value} + "\"") != std::string::npos);
    CHECK(shows(row.page, "id=\"" + id + "-fault\" role=\"alert\">"));
  }
  // A folded form is opened to show its faults.
  CHECK(shows(payment_page(of.payment()), "<details class=\"fold\" open><summary>Refund"));
  CHECK(shows(payment_page(of.payment()), "<details class=\"fold\"><summary>Void"));
}

TEST_CASE("no id occurs twice on a page, and every reference to an id has a target") {
  for (const auto& source : {samples{}.all(), samples{}.empty()})
    for (const auto& [name, page] : source) {
      CAPTURE(name);
      std::set<std::string> ids;
      for (const auto& id : between(page.body, " id=\"", "\"")) {
        INFO(id);
        CHECK(ids.insert(id).second);
      }
      for (const auto* reference : {" aria-labelledby=\"", " for=\"", " aria-describedby=\""})
        for (const auto& text : between(page.body, reference, "\"")) {
          INFO(text);
          for (std::size_t at = 0; at <= text.size();) {
            const auto end = std::min(text.find(' ', at), text.size());
            CHECK(ids.contains(text.substr(at, end - at)));
            at = end + 1;
          }
        }
    }
}

TEST_CASE("test and live are distinguished in words, and the navigation shows the current page") {
  for (const auto env : {environment::test, environment::live}) {
    const bool live = env == environment::live;
    const auto page = keys_page(samples{member_role::owner, env}.keys());
    CHECK(shows(page, "Live: real payments") == live);
    CHECK(shows(page, "Test: no money moves") != live);
    const std::string base = "https://pay.example/portal/merch_lantern/";
    CHECK(shows(page, "href=\"" + base + (live ? "live" : "test") + "/keys\" aria-current=\"page\">Keys<"));
    CHECK(shows(page, "href=\"" + base + (live ? "test" : "live") + "/keys\">"));
    CHECK(between(page.body, "aria-current=\"page\"", "<").size() == 1);
  }
  const auto account = account_page(samples{}.account());
  CHECK_FALSE(shows(account, "class=\"band"));
  CHECK(shows(account, "/portal/merch_tea/live/\""));
}

TEST_CASE("a list's links keep the filter, and only the links to further pages carry the cursor") {
  auto view = samples{}.payments();
  view.q = {"pay_1 & 2", {}};
  view.from = view.until = view.currency = {};
  view.zone.clear();
  view.searched.clear();
  const auto page = payments_page(view);
  const std::string path = "href=\"https://pay.example/portal/merch_lantern/test/payments";
  CHECK(shows(page, path + "?q=pay_1%20%26%202&amp;state=captured\">Newest<"));
  CHECK(shows(page, path + "?q=pay_1%20%26%202&amp;state=captured&amp;cursor=b2xkZXI%3D\">Older<"));
  CHECK(shows(page, path + ".csv?q=pay_1%20%26%202&amp;state=captured\">Download as CSV<"));
  // A tab keeps the search; the filter's form keeps the tab.
  CHECK(shows(page, path + "?q=pay_1%20%26%202\">All<"));
  CHECK(shows(page, path + "?q=pay_1%20%26%202&amp;state=captured\" aria-current=\"true\">Captured <span"));
  CHECK(shows(page, path + "?q=pay_1%20%26%202&amp;state=failed\">Failed <span class=\"count\">1000+</span>"));
  CHECK(shows(page, "<input type=\"hidden\" name=\"state\" value=\"captured\">"));
  view.searched = "Searched 1000 payments.";
  CHECK(shows(payments_page(view), path + ".csv?q=pay_1%20%26%202&amp;state=captured&amp;cursor=bmV3ZXI%3D\">"));
  CHECK(shows(payments_page(view), "Searched 1000 payments."));
  view.at_newest = true;
  view.older.clear();
  CHECK_FALSE(shows(payments_page(view), ">Newest<"));
  CHECK_FALSE(shows(payments_page(view), ">Older<"));
}

TEST_CASE(
    "each status of a dispute and of a refund is a word, and the disputes have the day by which evidence is due") {
  const samples of;
  const auto payment = payment_page(of.payment()), list = disputes_page(of.all_disputes());
  for (const auto* badge : {"state waiting\">Inquiry<", "state bad\">Needs a response<",
                            "state waiting\">Under review<", "state good\">Won<", "state bad\">Lost<"}) {
    CAPTURE(badge);
    CHECK(shows(payment, badge));
    CHECK(shows(list, badge));
  }
  for (const auto* badge : {"state waiting\">Pending<", "state bad\">Failed<", "state good\">Succeeded<"}) {
    CAPTURE(badge);
    CHECK(shows(payment, badge));
  }
  CHECK(shows(payment, "<code>lost_or_stolen_card</code>"));
  for (const auto* page : {&payment, &list}) {
    CHECK(shows(*page, "data-name=\"Evidence due by\""));
    CHECK(between(page->body, ">30 November 2026", "<").size() == 5);
  }
  CHECK(shows(list, "href=\"https://pay.example/portal/merch_lantern/test/payments/pay_1763689200\">pay_1763689200<"));
  CHECK_FALSE(shows(payment, "/payments/pay_1763689200\">"));
}

TEST_CASE("the list of disputes keeps its filter on the way to older ones") {
  auto view = samples{}.all_disputes();
  view.status = "under_review";
  const auto page = disputes_page(view);
  const std::string path = "href=\"https://pay.example/portal/merch_lantern/test/disputes";
  CHECK(shows(page, "<option value=\"under_review\" selected>Under review<"));
  CHECK(shows(page, path + "?status=under_review\">Newest<"));
  CHECK(shows(page, path + "?status=under_review&amp;cursor=b2xkZXI%3D\">Older<"));
  view.rows.clear();
  CHECK(shows(disputes_page(view), "No dispute has this status."));
}

TEST_CASE("while a dispute is open the page says why there is no refund, unless a refund's outcome is unknown") {
  constexpr std::string_view why = "There is no refund while a dispute is open";
  auto view = samples{}.payment();
  CHECK_FALSE(shows(payment_page(view), why));  // the form of the unknown refund repeats the same request
  view.refund.reset();
  view.capture.reset();
  view.cancel.reset();
  view.checkout.reset();
  CHECK(shows(payment_page(view), why));
  view.blocks_refund = false;
  CHECK_FALSE(shows(payment_page(view), why));
  CHECK_FALSE(shows(payment_page(view), "What you can do"));
}

TEST_CASE("the overview names the open disputes first, with the day by which evidence is due") {
  auto view = samples{}.overview();
  const auto page = overview_page(view);
  const auto first = page.body.find("HKD 42.00 is disputed");
  CHECK(first < page.body.find("HKD 10.00 is disputed"));
  CHECK(first < page.body.find("Sandbox cards"));
  CHECK(shows(page, "Evidence is due by 3 Dec 2026."));
  CHECK(shows(page, "The evidence is with the cardholder&#39;s bank."));
  CHECK(shows(page, "The provider names no day by which evidence is due."));
  CHECK(shows(page, "4 disputes are open."));
  view.open_disputes = view.disputes.size();
  CHECK_FALSE(shows(overview_page(view), "disputes are open."));
  view.connections.clear();
  view.destinations.clear();
  CHECK(shows(overview_page(view), "Needs your attention"));
  view.disputes.clear();
  view.open_disputes = 0;
  CHECK_FALSE(shows(overview_page(view), "Needs your attention"));
}

TEST_CASE("a page without data says what to do") {
  for (const auto& [name, page] : samples{}.empty()) {
    CAPTURE(name);
    CHECK(shows(page, "class=\"empty\""));
    CHECK_FALSE(shows(page, "<table"));
  }
  auto view = samples{}.payments();
  view.rows.clear();
  CHECK(shows(payments_page(view), "Nothing matches"));
}

TEST_CASE("bars are as tall as their days' amounts, and a table has the same figures") {
  overview_view view = samples{}.overview();
  view.chosen.days = {{"23 November", "23", {1000, 2, "HKD 10.00"}, {}, {}},
                      {"24 November", "24", {500, 1, "HKD 5.00"}, {1, 1, "HKD 0.01"}, {}}};
  const auto page = overview_page(view);
  CHECK(shows(page, "class=\"captured\" x=\"5.0%\" y=\"20.0\" width=\"13.3%\" height=\"130.0\""));
  CHECK(shows(page, "class=\"captured\" x=\"55.0%\" y=\"85.0\" width=\"13.3%\" height=\"65.0\""));
  CHECK(shows(page, "class=\"refunded\" x=\"68.3%\" y=\"148.0\" width=\"13.3%\" height=\"2.0\""));
  CHECK(between(page.body, "<rect class=", ">").size() == 3);
  CHECK(shows(page, "HKD 5.00 (1)"));
  CHECK(shows(page, ">HKD 10.00</text>"));
}

TEST_CASE(
    "a day's bars and its line of the table lead to the day's payments, and the periods and currencies are links") {
  const auto view = samples{}.overview();
  const auto page = overview_page(view);
  const std::string base = "https://pay.example/portal/merch_lantern/test/";
  const auto day = "href=\"" + base + "payments?from=2026-11-24&amp;until=2026-11-24&amp;currency=HKD&amp;zone=UTC\"";
  CHECK(shows(page, "<a " + day + " tabindex=\"-1\"><rect class=\"way\""));
  CHECK(shows(page, "<a " + day + ">24 November</a>"));
  CHECK(between(page.body, "<rect class=\"way\"", ">").size() == 14);
  CHECK(shows(page, "<svg class=\"bars\" aria-hidden=\"true\""));
  CHECK(shows(page, "href=\"" + base + "?days=14&amp;currency=HKD\" aria-current=\"true\">14 days<"));
  CHECK(shows(page, "href=\"" + base + "?days=90&amp;currency=HKD\">90 days<"));
  CHECK(shows(page, "href=\"" + base + "?days=14&amp;currency=JPY\">JPY<"));
  CHECK(shows(page, "381 payments. 12.3% more than in the 14 days before"));
  CHECK(shows(page, "Of 412 decided payments, all currencies. 96.0% in the 14 days before"));
  CHECK(shows(page, "The days are those of UTC."));
  auto plain = view;
  plain.is_zoned = false;
  plain.currencies.resize(1);
  CHECK_FALSE(shows(overview_page(plain), "zone=UTC"));
  CHECK_FALSE(shows(overview_page(plain), "aria-label=\"Currency\""));
}

TEST_CASE("a payment's page begins with what the provider declined, what it waits for, and the actions") {
  auto view = samples{}.payment();
  const auto page = payment_page(view);
  const auto at = [&](std::string_view text) { return page.body.find(text); };
  CHECK(at("The provider declined the capture") < at("Waiting for the customer since 23 November 2026, 17:05"));
  CHECK(shows(page, "The card was declined. (Card declined)"));
  CHECK(at("Waiting for the customer since") < at("What you can do"));
  CHECK(at("What you can do") < at(">The payment</h2>"));
  CHECK(shows(page, "href=\"https://pay.example/sandbox/checkout/0123\""));
  CHECK(shows(page, "href=\"https://pay.example/portal/merch_lantern/test/customers/0123abcd\""));
  CHECK(shows(page, "/test/payments?q=ada%40example.com\""));
  view.declined.clear();
  view.is_waiting = false;
  CHECK_FALSE(shows(payment_page(view), "The provider declined the capture"));
  CHECK_FALSE(shows(payment_page(view), "Waiting for the customer"));
}

TEST_CASE("a list of payments has rows of one line, without the reference at the provider") {
  const auto page = payments_page(samples{}.payments());
  CHECK(shows(page, "<table class=\"brief\">"));
  for (const auto* column : {"Payment", "Amount", "Customer", "State", "Failure", "Created"}) {
    CAPTURE(column);
    CHECK(between(page.body, "data-name=\"" + std::string{column} + '"', ">").size() == 8);
  }
  CHECK_FALSE(shows(page, "Provider\""));
}

TEST_CASE("in test mode the pages of subscriptions and customers say that these exist in live only") {
  for (const auto env : {environment::test, environment::live}) {
    const samples of{member_role::owner, env};
    const bool test = env == environment::test;
    CHECK(shows(subscription_list_page({of.frame(member_place::subscriptions), {}, true, {}}), "live only") == test);
    CHECK(shows(customer_list_page({of.frame(member_place::customers), {}, true, {}}), "live only") == test);
  }
}

TEST_CASE("a secret is text to be copied, and only on its own page") {
  const samples of;
  CHECK(shows(minted_key_page(of.minted_key()), "<code>0f1e2d3c"));
  CHECK_FALSE(shows(keys_page(of.keys()), "0f1e2d3c"));
  CHECK(shows(destination_secret_page(of.destination_secret()), "<code>whsec_"));
  const auto invited = of.invited();
  CHECK(shows(invited_page(invited), "invitation?token="));
  auto known = invited;
  known.url.clear();
  CHECK(shows(invited_page(known), "operator must invite"));
}
