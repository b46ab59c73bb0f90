// The hosted page: what it shows, what its policy allows, and which posts are accepted.
#include <catch2/catch.hpp>

#include "gateway/base/crypto.hpp"
#include "http/checkout/hosted_page.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

constexpr std::string_view key = "key for hosted pages";
constexpr std::string_view browser_cookie = "0123456789abcdef0123456789abcdef";

payment example(flow how = flow::redirect) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.state = payment_state::processing;
  p.status = provider_status::pending;
  p.amount = {4200, *currency::parse("HKD")};
  p.how = how;
  p.provider_ref = "cs_1";
  p.hosted_url = "https://pay.example/sandbox/checkout/t";
  p.details.description = "Tea <script>alert(1)</script> & \"cups\"";
  if (how != flow::server) {
    p.details.success_url = "https://shop.example/ok?order=1";
    p.details.cancel_url = "https://cart.example:8443/no";
  }
  return p;
}

std::string header(const response& out, std::string_view name) {
  for (const auto& [key_name, value] : out.headers)
    if (key_name == name) return value;
  return {};
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

checkout_view seen_of(std::string shop) {
  checkout_view seen;
  seen.shop.name = std::move(shop);
  return seen;
}

response shown(const payment& p, std::optional<std::string_view> cookie = std::nullopt) {
  return checkout_page(checkout_of(p, language::english), seen_of("Tea & Co <b>"), {key, "token", cookie});
}

std::string sealed(std::string_view payload) { return crypto::sign_token(key, payload); }

}  // namespace

TEST_CASE("the page shows amount, shop and description, all escaped, and three buttons") {
  const auto page = shown(example());
  CHECK(page.status == 200);
  CHECK(page.content_type == "text/html; charset=utf-8");
  for (auto part : {"HKD 42.00", "Tea &amp; Co &lt;b&gt;", "&lt;script&gt;", "lang=\"en\"", "value=\"pay\"",
                    "value=\"decline\"", "value=\"cancel\"", ">Pay<", ">Decline<", ">Cancel<"}) {
    INFO(part);
    CHECK(has(page.body, part));
  }
  CHECK_FALSE(has(page.body, "<script"));
  CHECK_FALSE(has(page.body, "{{"));
}

TEST_CASE("a challenge of the server flow is approved or failed") {
  const auto page = shown(example(flow::server));
  CHECK(has(page.body, ">Approve<"));
  CHECK(has(page.body, ">Fail<"));
  CHECK_FALSE(has(page.body, "value=\"cancel\""));
}

TEST_CASE("the policy allows only the style, and the form to post to the gateway and return to the shop") {
  const auto policy = header(shown(example()), "Content-Security-Policy");
  CHECK(policy.starts_with("default-src 'none'; script-src 'none'; style-src 'sha256-"));
  CHECK(has(
      policy,
      "; base-uri 'none'; form-action 'self' https://shop.example https://cart.example:8443; frame-ancestors 'none'"));
  CHECK_FALSE(has(policy, "unsafe"));
  CHECK(header(shown(example()), "X-Content-Type-Options") == "nosniff");
  CHECK(header(shown(example()), "Referrer-Policy") == "no-referrer");
}

TEST_CASE("the hash in the policy is that of the style in the page") {
  const auto page = shown(example());
  const auto from = page.body.find("<style>") + 7;
  const auto style = std::string_view{page.body}.substr(from, page.body.find("</style>") - from);
  auto hash = crypto::base64url(crypto::to_text(crypto::sha256(style)));
  for (auto& c : hash) c = c == '-' ? '+' : c == '_' ? '/' : c;
  CHECK(has(header(page, "Content-Security-Policy"), "'sha256-" + hash + "='"));
}

TEST_CASE("an embedded page may be framed by the shop alone, and its cookie works in the frame") {
  const auto page = shown(example(flow::embedded));
  CHECK(has(header(page, "Content-Security-Policy"), "frame-ancestors https://shop.example"));
  CHECK(has(header(page, "Set-Cookie"), "; Path=/; Secure; HttpOnly; SameSite=None"));
  CHECK(has(header(shown(example()), "Set-Cookie"), "; Path=/; Secure; HttpOnly; SameSite=Lax"));
}

TEST_CASE("the hidden field is bound to the browser's cookie and to this page") {
  const auto cookie = "a=b; __Host-checkout=" + std::string{browser_cookie};
  const auto page = shown(example(), cookie);
  CHECK(has(header(page, "Set-Cookie"), browser_cookie));
  CHECK(has(page.body, csrf_token(key, browser_cookie, "token")));
  CHECK(csrf_token(key, browser_cookie, "token") != csrf_token(key, browser_cookie, "another"));
  CHECK(csrf_token(key, browser_cookie, "token") != csrf_token(key, "f123456789abcdef0123456789abcdef", "token"));
  CHECK(csrf_token(key, browser_cookie, "token") != csrf_token("another key", browser_cookie, "token"));
  CHECK(header(shown(example()), "Set-Cookie") != header(shown(example()), "Set-Cookie"));
}

TEST_CASE("only a cookie that the gateway made is accepted") {
  CHECK(find_checkout_cookie("x=1; __Host-checkout=0123456789abcdef0123456789abcdef; y=2") == browser_cookie);
  for (auto text : {"", "__Host-checkout=", "__Host-checkout=short", "__Host-checkout=0123456789ABCDEF0123456789ABCDEF",
                    "__Host-checkouts=0123456789abcdef0123456789abcdef", "checkout=0123456789abcdef0123456789abcdef"})
    CHECK_FALSE(find_checkout_cookie(text));
  CHECK_FALSE(find_checkout_cookie(std::nullopt));
}

TEST_CASE("forms are read strictly") {
  CHECK(parse_hosted_action("pay") == hosted_action::pay);
  CHECK(parse_hosted_action("decline") == hosted_action::decline);
  CHECK(parse_hosted_action("cancel") == hosted_action::cancel);
  for (const auto* text : {"", "Pay", "pay ", "steal"}) CHECK_FALSE(parse_hosted_action(text));
  SECTION("the form ends with the body, whatever follows in the buffer") {
    const std::string buffer = "action=pay&csrf=abcPOST /next";
    const auto cut = form::read(std::string_view{buffer}.substr(0, buffer.find("POST")));
    REQUIRE(cut);
    CHECK(cut->text("csrf") == "abc");
    const auto empty = form::read(std::string_view{buffer}.substr(0, buffer.find("abc")));
    REQUIRE(empty);
    CHECK(empty->one("csrf") == "");
  }
  CHECK(is_form_request("application/x-www-form-urlencoded"));
  CHECK_FALSE(is_form_request("text/plain"));
}

TEST_CASE("a link names one payment of one merchant, and only the gateway can make it") {
  const auto link = read_hosted_link(sealed("merch_1\nlive\npay_1\ncs_1"), key);
  REQUIRE(link);
  CHECK(link->key == payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_1"}));
  CHECK(link->provider_ref == "cs_1");
  CHECK_FALSE(read_hosted_link(sealed("merch_1\nlive\npay_1\ncs_1"), "another key"));
  for (auto payload :
       {"", "merch_1", "merch_1\nprod\npay_1\ncs_1", "merch_1\ntest\nx\ncs_1", "merch_1\ntest\npay_1\ncs_1\nmore"})
    CHECK_FALSE(read_hosted_link(sealed(payload), key));
  CHECK_FALSE(read_hosted_link("x", key));
}

TEST_CASE("a link names one subscription, and a payment's link names none") {
  const auto link = read_subscription_link(sealed("subscription\nmerch_1\nlive\ns-1\ncs_1"), key);
  REQUIRE(link);
  CHECK(link->key == subscription_key(merchant_id{"merch_1"}, environment::live, "s-1"));
  CHECK(link->provider_ref == "cs_1");
  for (auto payload : {"", "merch_1\nlive\npay_1\ncs_1", "subscription\nmerch_1\nprod\ns\ncs_1",
                       "subscription\nmerch_1\nlive\na b\ncs_1", "subscription\nmerch_1\nlive\ns\ncs_1\nmore"})
    CHECK_FALSE(read_subscription_link(sealed(payload), key));
  CHECK_FALSE(read_hosted_link(sealed("subscription\nmerch_1\nlive\ns-1\ncs_1"), key));
}

TEST_CASE("a subscription's page shows the price, the interval, and the start") {
  struct {
    billing_period every;
    std::uint32_t trial;
    std::string_view text, button;
  } const rows[] = {
      {{billing_interval::month, 1}, 0, "<p class=\"period\">every month</p>", "Subscribe"},
      {{billing_interval::week, 2}, 0, "<p class=\"period\">every 2 weeks</p>", "Subscribe"},
      {{billing_interval::year, 1}, 1, "<p class=\"period\">every year, after 1 free day</p>", "Start the free trial"},
      {{billing_interval::day, 3},
       14,
       "<p class=\"period\">every 3 days, after 14 free days</p>",
       "Start the free trial"},
  };
  for (const auto& row : rows) {
    subscription s;
    s.state.amount = {1900, *currency::parse("EUR")};
    s.state.every = row.every;
    s.details.trial_period_days = row.trial;
    s.details.success_url = "https://shop.example/ok";
    s.details.cancel_url = "https://shop.example/no";
    s.details.description = "<script>alert(1)</script>";
    const auto out =
        checkout_page(checkout_of(s, language::english), seen_of("Tea & Co"), {key, "token", std::nullopt});
    CHECK(has(out.body, "<bdi>EUR 19.00</bdi></p>"));
    CHECK(has(out.body, row.text));
    CHECK(has(out.body, ">" + std::string{row.button} + "<"));
    CHECK_FALSE(has(out.body, "<script"));
    CHECK(has(header(out, "Content-Security-Policy"), "form-action 'self' https://shop.example"));
    CHECK(header(after_checkout(s, true), "Location") == "https://shop.example/ok");
    CHECK(header(after_checkout(s, false), "Location") == "https://shop.example/no");
  }
}

TEST_CASE("the customer is redirected according to the payment's state") {
  auto paid = example();
  paid.state = payment_state::captured;
  auto failed = example();
  failed.state = payment_state::failed;
  const auto seen = seen_of("Tea & Co");
  CHECK(header(after_checkout(paid, hosted_action::pay, seen), "Location") == "https://shop.example/ok?order=1");
  CHECK(after_checkout(paid, hosted_action::pay, seen).status == 303);
  CHECK(header(after_checkout(failed, hosted_action::decline, seen), "Location") == "https://cart.example:8443/no");
  CHECK(header(after_checkout(example(), hosted_action::cancel, seen), "Location") == "https://cart.example:8443/no");
  // On a page that is out of date: the payment was made meanwhile, or is under way.
  CHECK(has(after_checkout(paid, hosted_action::cancel, seen).body, "You have paid HKD 42.00 to Tea &amp; Co."));
  CHECK(after_checkout(example(), hosted_action::pay, seen).status == 410);
}

TEST_CASE("a challenge without addresses ends on a page of the gateway") {
  auto p = example(flow::server);
  p.state = payment_state::authorized;
  CHECK(has(after_checkout(p, hosted_action::pay, {}).body, "Payment approved"));
  p.state = payment_state::failed;
  CHECK(has(after_checkout(p, hosted_action::decline, {}).body, "Payment declined"));
}

TEST_CASE("the policy of a message page allows nothing") {
  const auto page = notice_page("A <title>", "A & message");
  CHECK(page.status == 200);
  CHECK(has(page.body, "A &lt;title&gt;"));
  CHECK(has(page.body, "A &amp; message"));
  CHECK(has(header(page, "Content-Security-Policy"), "form-action 'none'; frame-ancestors 'none'"));
  CHECK_FALSE(has(page.body, "href"));
}

TEST_CASE("a message page may have a link") {
  const auto page = notice_page("A title", "A message", {}, {"https://shop.example/a?b=1&c=2", "Go on"});
  CHECK(has(page.body, R"(<a href="https://shop.example/a?b=1&amp;c=2">Go on</a>)"));
}

TEST_CASE("every error page has the status and the text of its row, and a busy gateway's has Retry-After") {
  struct {
    page_error what;
    int status;
    std::string_view words;
  } const rows[] = {{page_error::incomplete_form, 400, "The form is not complete"},
                    {page_error::doubtful_return, 400, "does not come from the wallet"},
                    {page_error::stale_form, 403, "Please open the payment page again"},
                    {page_error::unknown_page, 404, "This payment page does not exist."},
                    {page_error::closed_page, 410, "The payment does not wait for you any more"},
                    {page_error::recovering, 503, "is being restored after a fault"},
                    {page_error::busy, 503, "The payment service is busy."},
                    {page_error::too_many_requests, 429, "come from your network"}};
  for (const auto& row : rows) {
    INFO(row.words);
    const auto page = error_page(row.what);
    CHECK(page.status == row.status);
    CHECK(has(page.body, row.words));
    CHECK(page.content_type == "text/html; charset=utf-8");
    CHECK(header(page, "Retry-After") == (row.status == 503 || row.status == 429 ? "1" : ""));
  }
}
