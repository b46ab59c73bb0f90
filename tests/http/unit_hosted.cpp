// The hosted page's routes: who may open it, and which forms are accepted.
#include <algorithm>

#include "http/html/forms.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

/// A browser on the page of pay_1.
struct hosted_fixture : gateway_fixture {
  const std::string token = crypto::sign_token("hosted key", "merch_1\ntest\npay_1\ncs_1");
  const std::string path = "/sandbox/checkout/" + token;
  const std::string jar = "__Host-checkout=" + std::string(32, 'a');
  payment subject = *waiting_payment();

  hosted_fixture() {
    scene.router = [this](const entity_request& asked) {
      if (command_if<hosted_result>(asked.what)) {
        subject.state = payment_state::captured;
        subject.hosted_url.clear();
      }
      return entity_reply{std::make_shared<const payment>(subject)};
    };
  }
  response open(std::string_view query = {}, std::string_view headers = {}) {
    auto in = unsigned_request("GET", path);
    in.query = query;
    in.has_query = !query.empty();
    in.head = headers;
    return run(in);
  }
  response post(const std::string& fields, std::string_view query = {}) {
    const auto body = "csrf=" + csrf_token("hosted key", std::string(32, 'a'), token) + '&' + fields;
    auto in = unsigned_request("POST", path, body, "application/x-www-form-urlencoded");
    in.cookie = jar;
    in.query = query;
    in.has_query = !query.empty();
    return run(in);
  }
  /// Whether an outcome was sent to the payment's actor.
  bool sent_outcome() const {
    return std::ranges::any_of(
        scene.seen, [](const entity_request& each) { return command_if<hosted_result>(each.what) != nullptr; });
  }
};

bool hosted_shows(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(hosted_fixture, "a card that is declined leaves the payment open, and another card pays") {
  const auto refused = post("card_number=4000+0000+0000+0002&card_expiry=08%2F30&card_cvc=123");
  CHECK(refused.status == 422);
  CHECK(hosted_shows(refused, R"(id="card_number-fault">The card was declined. Nothing was charged)"));
  CHECK(hosted_shows(refused, R"(value="4000000000000002")"));
  CHECK(hosted_shows(refused, R"(value="08/30")"));
  CHECK_FALSE(hosted_shows(refused, R"(value="123")"));
  for (const auto* action : {"pay", "decline", "cancel"})
    CHECK(hosted_shows(refused, "name=\"action\" value=\"" + std::string{action} + '"'));
  CHECK_FALSE(sent_outcome());

  const auto paid = post("card_number=4242424242424242&card_expiry=08%2F30&card_cvc=123");
  CHECK(paid.status == 303);
  CHECK(header(paid, "Location") == "https://shop.example/ok");
  CHECK(sent_outcome());
  CHECK(command_if<hosted_result>(scene.seen.back().what)->signal == hosted_signal::paid);
}

TEST_CASE_METHOD(hosted_fixture, "a card form has no effect once the payment is over, and on a page without one") {
  subject.state = payment_state::captured;
  const auto late = post("card_number=4242424242424242&card_expiry=08%2F30&card_cvc=123");
  CHECK(late.status == 200);
  CHECK(hosted_shows(late, "You have paid HKD 42.00"));
  subject = *waiting_payment();
  subject.how = flow::server;  // a challenge: the card is known
  CHECK_FALSE(hosted_shows(open(), "card_number"));
  CHECK(post("card_number=4242424242424242&card_expiry=08%2F30&card_cvc=123").status == 400);
  CHECK_FALSE(sent_outcome());
}

TEST_CASE_METHOD(hosted_fixture, "the page is in the language of its parameter, else of the browser, else in English") {
  struct {
    std::string_view query, headers, tag;
  } const rows[] = {{"", "", "en"},
                    {"", "GET / HTTP/1.1\r\nAccept-Language: zh-HK,en;q=0.5", "zh-Hant"},
                    {"", "GET / HTTP/1.1\r\naccept-language: fr, ur;q=0.4", "ur"},
                    {"lang=ur", "GET / HTTP/1.1\r\nAccept-Language: zh-HK", "ur"},
                    {"lang=en", "GET / HTTP/1.1\r\nAccept-Language: zh-HK", "en"},
                    {"lang=xx", "GET / HTTP/1.1\r\nAccept-Language: zh-HK", "zh-Hant"}};
  for (const auto& row : rows) {
    CAPTURE(row.query, row.headers);
    const auto page = open(row.query, row.headers);
    CHECK(page.status == 200);
    CHECK(hosted_shows(page, "<html lang=\"" + std::string{row.tag} + '"'));
  }
  const auto refused = post("card_number=&card_expiry=&card_cvc=", "lang=zh-Hant");
  CHECK(refused.status == 422);
  CHECK(hosted_shows(refused, "請輸入卡號。"));
  CHECK(hosted_shows(post("action=dance", "lang=ur"), "فارم مکمل نہیں ہے"));
}

TEST_CASE_METHOD(hosted_fixture, "the page shows the merchant's branding, and the logo is served as a picture alone") {
  const std::string png{"\x89PNG\0", 5};
  merchant branded = *merchants.find_merchant(merchant_id{"merch_1"});
  branded.look = {"Tea <b>House</b>", "#0a7d4f", "help@tea.example", std::string(64, 'a')};
  merchants.publish(std::make_shared<const merchant>(branded));
  scene.of<find_logo>() = [&](const find_logo& what) -> caf::expected<logo_lookup> {
    CHECK(what.merchant == merchant_id{"merch_1"});
    return logo_lookup{png};
  };
  const auto page = open();
  CHECK(hosted_shows(page, "Tea &lt;b&gt;House&lt;/b&gt;"));
  CHECK(hosted_shows(page, R"(<img src="https://pay.example/checkout/logo/merch_1?v=aaaaaaaaaaaaaaaa" alt="">)"));
  CHECK(hosted_shows(page, R"(href="mailto:help@tea.example")"));
  CHECK(hosted_shows(page, "--brand:#0a7d4f"));
  CHECK(header(page, "Content-Security-Policy").find("; img-src 'self'; ") != std::string::npos);

  const auto logo = run(unsigned_request("GET", "/checkout/logo/merch_1"));
  CHECK(logo.status == 200);
  CHECK(logo.content_type == "image/png");
  CHECK(logo.body == png);
  CHECK(header(logo, "X-Content-Type-Options") == "nosniff");
  CHECK(header(logo, "Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'; sandbox");
  branded.look.logo.clear();
  merchants.publish(std::make_shared<const merchant>(branded));
  CHECK(run(unsigned_request("GET", "/checkout/logo/merch_1")).status == 404);
  CHECK(run(unsigned_request("GET", "/checkout/logo/merch_2")).status == 404);
  CHECK(header(open(), "Content-Security-Policy").find("img-src") == std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "the hosted page is shown while the payment waits, and paid by a genuine form only") {
  const auto token = crypto::sign_token("hosted key", "merch_1\ntest\npay_1\ncs_1");
  const auto path = "/sandbox/checkout/" + token;
  scene.router = [](const entity_request& asked) {
    const bool acted = command_if<hosted_result>(asked.what) != nullptr;
    return entity_reply{waiting_payment(acted ? payment_state::captured : payment_state::processing)};
  };
  const auto page = run(unsigned_request("GET", path));
  CHECK(page.status == 200);
  CHECK(page.route == "/sandbox/checkout/{id}");
  const auto set_cookie = header(page, "Set-Cookie");
  const auto cookie = set_cookie.substr(0, set_cookie.find(';'));
  const auto csrf = csrf_token("hosted key", cookie.substr(cookie.find('=') + 1), token);
  CHECK(page.body.find(csrf) != std::string::npos);

  const auto body = "csrf=" + csrf + "&action=pay";
  auto post = unsigned_request("POST", path, body, "application/x-www-form-urlencoded");
  CHECK(run(post).status == 403);  // without the cookie
  CHECK((command_if<view_entity>(scene.seen.back().what) != nullptr));
  post.cookie = cookie;
  const auto paid = run(post);
  CHECK(paid.status == 303);
  CHECK(header(paid, "Location") == "https://shop.example/ok");
  const auto& asked = *command_if<hosted_result>(scene.seen.back().what);
  CHECK(asked.signal == hosted_signal::paid);
  CHECK(asked.provider_ref == "cs_1");

  const auto cancel_body = "csrf=" + csrf + "&action=cancel";
  post.body = cancel_body;
  CHECK(header(run(post), "Location") == "https://shop.example/no");
  CHECK((command_if<view_entity>(scene.seen.back().what) != nullptr));
}

TEST_CASE_METHOD(gateway_fixture, "a hosted page that is forged, stale or closed says so") {
  const auto path_of = [](std::string_view payload) {
    return "/sandbox/checkout/" + crypto::sign_token("hosted key", payload);
  };
  CHECK(run(unsigned_request("GET", "/sandbox/checkout/forged")).status == 404);
  const auto genuine = path_of("merch_1\ntest\npay_1\ncs_1");
  CHECK(run(unsigned_request("GET", genuine)).status == 404);  // the fake router has no payment
  scene.router = [](const entity_request&) { return entity_reply{waiting_payment(payment_state::captured)}; };
  const auto paid = run(unsigned_request("GET", genuine));
  CHECK(paid.status == 200);
  CHECK(paid.body.find("You have paid HKD 42.00 to Tea &amp; Co.") != std::string::npos);
  CHECK(paid.body.find(R"(href="https://shop.example/ok")") != std::string::npos);
  CHECK(paid.body.find("<form") == std::string::npos);
  scene.router = [](const entity_request&) { return entity_reply{waiting_payment()}; };
  const auto stale = path_of("merch_1\ntest\npay_1\ncs_0");
  CHECK(run(unsigned_request("GET", stale)).status == 410);
  scene.router = [](const entity_request&) -> caf::result<entity_reply> { return make_error(actor_errc::overloaded); };
  CHECK(run(unsigned_request("GET", genuine)).status == 503);
}

TEST_CASE_METHOD(gateway_fixture, "a post without the page's one token is 403, whatever its other fields") {
  const auto token = crypto::sign_token("hosted key", "merch_1\ntest\npay_1\ncs_1");
  const auto path = "/sandbox/checkout/" + token;
  scene.router = [](const entity_request&) { return entity_reply{waiting_payment()}; };
  const std::string cookie(32, 'a');
  const auto jar = "__Host-checkout=" + cookie;
  const auto field = "csrf=" + csrf_token("hosted key", cookie, token);
  const auto status = [&](const std::string& body, std::string_view type = "application/x-www-form-urlencoded") {
    auto post = unsigned_request("POST", path, body, type);
    post.cookie = jar;
    return run(post).status;
  };
  for (const std::string& body :
       {std::string{}, std::string{"action=pay"}, std::string{"action=steal"}, std::string{"csrf="},
        std::string{"csrf=&action=pay"}, field + "&" + field + "&action=pay", field + "&csrf=&action=steal",
        field + "&action=%zz"}) {
    CAPTURE(body);
    CHECK(status(body) == 403);
  }
  CHECK(status(field + "&action=pay", "text/plain") == 403);
  for (const auto& body : {field, field + "&action=steal", field + "&action=pay&action=pay"})
    CHECK(status(body) == 400);
  for (const auto& each : scene.seen) CHECK(command_if<view_entity>(each.what));
}

TEST_CASE_METHOD(gateway_fixture, "a post to a page that is closed is 410, also without the page's token") {
  const auto path = "/sandbox/checkout/" + crypto::sign_token("hosted key", "merch_1\ntest\npay_1\ncs_1");
  scene.router = [](const entity_request&) {
    auto cancelled = std::make_shared<payment>(*waiting_payment());
    cancelled->state = payment_state::failed;
    cancelled->error =
        provider_error{error_category::validation, std::string{checkout_cancelled}, "Cancelled.", false, false};
    return entity_reply{entity_row{payment_ptr{cancelled}}};
  };
  CHECK(run(unsigned_request("POST", path, "action=pay", "application/x-www-form-urlencoded")).status == 410);
  for (const auto& each : scene.seen) CHECK(command_if<view_entity>(each.what));
}
