// Customers' pages: their languages, the prices on them, the card form, and what has become of a payment.
#include <catch2/catch.hpp>

#include <set>

#include "gateway/base/crypto.hpp"
#include "http/checkout/brand_style.hpp"
#include "http/checkout/customer_texts.hpp"
#include "http/checkout/hosted_page.hpp"
#include "http/checkout/shown_price.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

checkout_view seen_in(language reads, std::string shop = "Tea & Co") {
  checkout_view seen;
  seen.reads = reads;
  seen.shop.name = std::move(shop);
  return seen;
}

payment waiting_for_tea(flow how = flow::redirect) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.state = payment_state::processing;
  p.status = provider_status::pending;
  p.amount = {123'456, *currency::parse("HKD")};
  p.how = how;
  p.details.success_url = "https://shop.example/ok";
  p.details.cancel_url = "https://shop.example/no";
  return p;
}

response page_in(language reads, const payment& p, const card_entry& typed = {}) {
  return checkout_page(checkout_of(p, reads), seen_in(reads), {"key", "token", std::nullopt}, typed);
}

bool page_says(const response& page, std::string_view words) { return page.body.find(words) != std::string::npos; }

std::size_t count_in(const response& page, std::string_view words) {
  std::size_t count = 0;
  for (auto at = page.body.find(words); at != std::string::npos; at = page.body.find(words, at + 1)) ++count;
  return count;
}

form card_of(std::string_view number, std::string_view expiry, std::string_view cvc) {
  std::string body{"card_number="};
  body.append(number).append("&card_expiry=").append(expiry).append("&card_cvc=").append(cvc);
  return form::read(body).value();
}

const time_point today = *parse_seconds("2026-11-28T12:00:00Z");

}  // namespace

TEST_CASE("a browser's languages are weighed, and what is not spoken here is English") {
  struct {
    std::string_view header;
    language chosen;
  } const rows[] = {{"", language::english},
                    {"en", language::english},
                    {"zh-TW", language::chinese},
                    {"ZH-hant-hk", language::chinese},
                    {"ur-PK,en;q=0.9", language::urdu},
                    {"de, fr;q=0.9", language::english},
                    {"de, ur;q=0.1", language::urdu},
                    {"en;q=0.4, zh;q=0.5, ur;q=0.45", language::chinese},
                    {"zh;q=0, en;q=0.1", language::english},
                    {"ur; q=0.8 , zh ; q=0.9", language::chinese},
                    {"zh;q=nonsense, ur;q=0.1", language::urdu},
                    {"zh;level=1", language::english},
                    {"zhx", language::english},
                    {";;,,;q=", language::english},
                    {"*", language::english}};
  for (const auto& row : rows) {
    CAPTURE(row.header);
    CHECK(preferred_language(row.header) == row.chosen);
  }
  CHECK(find_language("zh-hant") == language::chinese);
  CHECK_FALSE(find_language("zh"));
  CHECK_FALSE(find_language(""));
}

TEST_CASE("only so many of a browser's languages are read") {
  std::string header;
  for (int i = 0; i < 1000; ++i) header += "de,";
  CHECK(preferred_language(header + "ur") == language::english);
}

TEST_CASE("every text has the same places for names in every language") {
  const auto places = [](std::string_view words) {
    std::multiset<std::string> found;
    for (auto at = words.find('{'); at != words.npos; at = words.find('{', at + 1))
      found.emplace(words.substr(at, words.find('}', at) + 1 - at));
    return found;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(customer_text::count); ++i) {
    const auto what = static_cast<customer_text>(i);
    CAPTURE(say(language::english, what));
    for (const auto& each : languages) CHECK(places(say(each.value, what)) == places(say(language::english, what)));
  }
  CHECK(say(language::english, customer_text::was_paid, {{"amount", "{shop}"}, {"shop", "Tea"}}) ==
        "Thank you. You have paid {shop} to Tea.");
}

TEST_CASE("a page is in one language, says so, offers the others, and keeps its buttons' values") {
  struct {
    language reads;
    std::string_view root, pay, title;
  } const rows[] = {{language::english, R"(<html lang="en" dir="ltr">)", ">Pay<", "Complete your payment"},
                    {language::chinese, R"(<html lang="zh-Hant" dir="ltr">)", ">付款<", "完成付款"},
                    {language::urdu, R"(<html lang="ur" dir="rtl">)", ">ادا کریں<", "اپنی ادائیگی مکمل کریں"}};
  for (const auto& row : rows) {
    CAPTURE(row.title);
    const auto page = page_in(row.reads, waiting_for_tea());
    CHECK(page_says(page, row.root));
    CHECK(page_says(page, row.pay));
    CHECK(page_says(page, row.title));
    for (const auto* action : {"pay", "decline", "cancel"})
      CHECK(count_in(page, "name=\"action\" value=\"" + std::string{action} + '"') == 1);
    CHECK(count_in(page, "name=\"action\"") == 3);
    CHECK(page_says(page, R"(<a href="?lang=zh-Hant" hreflang="zh-Hant" lang="zh-Hant" dir="ltr")"));
    CHECK(page_says(page, R"(<a href="?lang=ur" hreflang="ur" lang="ur" dir="rtl")"));
    CHECK(count_in(page, "aria-current") == 2);  // one in the style
    CHECK_FALSE(page_says(page, "<script"));
    CHECK_FALSE(page_says(page, "{{"));
  }
  auto alone = seen_in(language::urdu);
  alone.offers_languages = false;
  CHECK_FALSE(page_says(customer_notice_page({"a", "b"}, alone), "?lang="));
}

TEST_CASE("prices are written as the language writes them, with the currency's own decimals") {
  const auto price = [](language in, std::int64_t minor, std::string_view code) {
    return shown_price(in, {minor, *currency::parse(code)});
  };
  CHECK(price(language::english, 123'456, "HKD") == "HKD 1,234.56");
  CHECK(price(language::chinese, 123'456, "HKD") == "HK$1,234.56");
  CHECK(price(language::urdu, 123'456, "PKR") == "PKR 1,234.56");
  CHECK(price(language::chinese, 4'200, "JPY") == "¥4,200");
  CHECK(price(language::chinese, 4'200, "KWD") == "KWD 4.200");
  CHECK(price(language::chinese, 4'200, "CHF") == "CHF 42.00");
  CHECK(currency_name(language::english, *currency::parse("HKD")) == "Hong Kong dollars");
  CHECK(currency_name(language::urdu, *currency::parse("PKR")) == "پاکستانی روپے");
  CHECK(currency_name(language::english, *currency::parse("CHF")).empty());
  CHECK(page_says(page_in(language::chinese, waiting_for_tea()), "港元"));
}

TEST_CASE("a description of several lines is a list, each line escaped") {
  auto p = waiting_for_tea();
  p.details.description = "Two <b>books</b>\r\n\n  One map  \n";
  const auto page = page_in(language::english, p);
  CHECK(page_says(page, R"(<li dir="auto">Two &lt;b&gt;books&lt;/b&gt;</li>)"));
  CHECK(page_says(page, R"(<li dir="auto">One map</li>)"));
  CHECK_FALSE(page_says(page, "class=\"description\""));
  p.details.description = "One line";
  CHECK(page_says(page_in(language::english, p), R"(<p class="description" dir="auto">One line</p>)"));
}

TEST_CASE("only cards' payments have a card form: no challenge, and no wallet") {
  auto p = waiting_for_tea();
  CHECK(page_says(page_in(language::english, p), "name=\"card_number\""));
  p.provider = provider_kind::sandbox_hosted;
  CHECK(page_says(page_in(language::english, p), "name=\"card_number\""));
  p.provider = provider_kind::sandbox_wallet;
  CHECK_FALSE(page_says(page_in(language::english, p), "name=\"card_number\""));
  CHECK_FALSE(page_says(page_in(language::english, waiting_for_tea(flow::server)), "name=\"card_number\""));
}

TEST_CASE("a card's form is checked field by field, and each test number has its outcome") {
  using enum customer_text;
  struct {
    std::string_view number, expiry, cvc;
    std::optional<customer_text> at_number, at_expiry, at_cvc;
  } const rows[] = {
      {"4242 4242 4242 4242", "08/30", "123", {}, {}, {}},
      {"4242-4242-4242-4242", "8 / 2030", "000", {}, {}, {}},
      {"5555555555554444", "1126", "123", {}, {}, {}},
      {"4242424242424242", "112026", "123", {}, {}, {}},
      {"4000000000000002", "08/30", "123", card_declined, {}, {}},
      {"4000000000009995", "08/30", "123", insufficient_funds, {}, {}},
      {"4000000000000119", "08/30", "123", processing_error, {}, {}},
      {"4000000000000069", "08/30", "123", {}, expired_card, {}},
      {"4000000000000127", "08/30", "123", {}, {}, incorrect_cvc},
      {"", "", "", number_missing, expiry_malformed, cvc_malformed},
      {"   ", "13/30", "12", number_missing, expiry_malformed, cvc_malformed},
      {"4111111111111111", "10/26", "12a", number_not_for_tests, expiry_past, cvc_malformed},
      {"4242424242424242", "0/30", "1234", {}, expiry_malformed, cvc_malformed},
      {"4242424242424242", "08/030", "123", {}, expiry_malformed, {}},
      {"4242424242424242", "080", "123", {}, expiry_malformed, {}},
      {"4242424242424242", "a8/30", "123", {}, expiry_malformed, {}},
      // The card is asked only if the form is in order.
      {"4000000000000002", "08/30", "", {}, {}, cvc_malformed},
  };
  for (const auto& row : rows) {
    CAPTURE(row.number, row.expiry, row.cvc);
    const auto words = [](std::optional<customer_text> what) {
      return what ? std::string{say(language::english, *what)} : std::string{};
    };
    const auto judged = judge_card(card_of(row.number, row.expiry, row.cvc), language::english, today);
    CHECK(judged.number.fault == words(row.at_number));
    CHECK(judged.expiry.fault == words(row.at_expiry));
    CHECK(judged.cvc.fault == words(row.at_cvc));
    CHECK(judged.is_faulty() == (row.at_number || row.at_expiry || row.at_cvc));
    CHECK(judged.cvc.value.empty());
  }
}

TEST_CASE("a number that is no test card's, and any security code, is never shown again") {
  const auto judged = judge_card(card_of("4111111111111111", "<b>", "987"), language::english, today);
  const auto page = page_in(language::english, waiting_for_tea(), judged);
  CHECK_FALSE(page_says(page, "4111"));
  CHECK_FALSE(page_says(page, "value=\"987\""));
  CHECK(page_says(page, "value=\"&lt;b&gt;\""));
  CHECK(page_says(page, R"(aria-invalid="true" aria-describedby="card_number-fault")"));
  CHECK(page_says(page, R"(id="card_expiry-fault")"));
  CHECK(page_says(page, R"(role="alert">You have not paid.)"));
  CHECK_FALSE(is_card_form(*form::read("card_number=4242424242424242&action=pay")));
  CHECK(is_card_form(*form::read("card_number=")));
}

TEST_CASE("what has become of a payment is said with its amount and the way back to the shop") {
  struct {
    payment_state state;
    std::string_view code;
    int status;
    std::string_view title, words, leads_to;
  } const rows[] = {
      {payment_state::captured, "", 200, "Payment approved", "You have paid HKD 1,234.56 to Tea &amp; Co.", "ok"},
      {payment_state::partially_refunded, "", 200, "Payment approved", "You have paid HKD 1,234.56", "ok"},
      {payment_state::authorized, "", 200, "Payment approved", "Your payment of HKD 1,234.56", "ok"},
      {payment_state::refunded, "", 200, "Payment refunded", "Tea &amp; Co has refunded your payment", "no"},
      {payment_state::voided, "", 200, "Payment released", "Nothing was charged.", "no"},
      {payment_state::failed, "card_declined", 200, "Payment declined", "was declined. Nothing was charged.", "no"},
      {payment_state::failed, "checkout_expired", 410, "This page has expired", "was not made in time.", "no"},
      {payment_state::failed, "PAYMENT_EXPIRED", 410, "This page has expired", "was not made in time.", "no"},
      {payment_state::failed, "checkout_cancelled", 410, "This page is no longer open",
       "Tea &amp; Co has cancelled the payment of HKD 1,234.56.", "no"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.title, row.code);
    auto p = waiting_for_tea();
    p.state = row.state;
    if (!row.code.empty())
      p.error = provider_error{error_category::provider, std::string{row.code}, "Why.", false, false};
    const auto page = outcome_page(p, seen_in(language::english));
    CHECK(page.status == row.status);
    CHECK(page_says(page, row.title));
    CHECK(page_says(page, row.words));
    CHECK(page_says(page, "<bdi>HKD 1,234.56</bdi>"));
    CHECK(
        page_says(page, "href=\"https://shop.example/" + std::string{row.leads_to} + "\">Return to Tea &amp; Co</a>"));
    CHECK_FALSE(page_says(page, "<form"));
  }
  CHECK(outcome_page(waiting_for_tea(), seen_in(language::english)).status == 410);
  auto paid = waiting_for_tea();
  paid.state = payment_state::captured;
  CHECK(page_says(outcome_page(paid, seen_in(language::chinese)), "您已向 Tea &amp; Co 支付 HK$1,234.56。"));
  paid.how = flow::embedded;
  CHECK(page_says(outcome_page(paid, seen_in(language::english)), "target=\"_top\""));
}

TEST_CASE("an error is in the customer's language, under its own status") {
  for (const auto what : {page_error::incomplete_form, page_error::doubtful_return, page_error::stale_form,
                          page_error::unknown_page, page_error::closed_page, page_error::busy}) {
    const auto& row = row_of(what);
    CAPTURE(row.title);
    const auto english = customer_error(what, seen_in(language::english)),
               urdu = customer_error(what, seen_in(language::urdu));
    CHECK(english.status == row.status);
    CHECK(urdu.status == row.status);
    CHECK(english.error_page == &row);
    CHECK(page_says(english, row.title));
    CHECK(page_says(urdu, "<html lang=\"ur\" dir=\"rtl\">"));
    CHECK_FALSE(page_says(urdu, row.title));
  }
}

TEST_CASE("a shop's colour is a style of the page, allowed by its hash, and unreadable text never stands on it") {
  auto seen = seen_in(language::english);
  seen.shop.colour = "#ffd400";
  const auto p = waiting_for_tea();
  const auto page = checkout_page(checkout_of(p, language::english), seen, {"key", "token", std::nullopt});
  const auto style = brand_style("#ffd400");
  CHECK(style.starts_with(":root{--brand:#ffd400;--on-brand:#000000}@media(prefers-color-scheme:dark){"));
  CHECK(page_says(page, "<style>" + style + "</style>"));
  auto hash = crypto::base64url(crypto::to_text(crypto::sha256(style)));
  for (auto& c : hash) c = c == '-' ? '+' : c == '_' ? '/' : c;
  std::string policy;
  for (const auto& [name, value] : page.headers)
    if (name == "Content-Security-Policy") policy = value;
  CHECK(policy.find(" 'sha256-" + hash + "='; base-uri") != std::string::npos);
  CHECK(brand_style("").empty());
  CHECK(brand_style("red;}").empty());
}

TEST_CASE("where to ask is a link of its kind") {
  struct {
    std::string_view contact, link;
  } const rows[] = {{"help@tea.example", "href=\"mailto:help@tea.example\""},
                    {"+852 2345 6789", "href=\"tel:+85223456789\""},
                    {"https://tea.example/help?a=1&b=2", "href=\"https://tea.example/help?a=1&amp;b=2\""},
                    {"javascript:alert(1)", ""}};
  for (const auto& row : rows) {
    auto seen = seen_in(language::english);
    seen.shop.support = row.contact;
    const auto page = customer_notice_page({"a", "b"}, seen);
    CAPTURE(row.contact);
    CHECK(page_says(page, "Questions about this payment?") == !row.link.empty());
    CHECK(page_says(page, row.link));
    CHECK_FALSE(page_says(page, "javascript:"));
  }
}
