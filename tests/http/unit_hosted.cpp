// The hosted page's routes: who may open it, and which forms are accepted.
#include "http/html/forms.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

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
  CHECK(run(unsigned_request("GET", genuine)).status == 410);
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
  CHECK(scene.seen.empty());
}
