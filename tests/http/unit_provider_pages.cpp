// The page with a form to a provider's own page, and the customer's return from there.
#include "http/checkout/wallet_page.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

template <class Result>
struct one_answer final : dialogue<Result> {
  explicit one_answer(Result what) : result{std::move(what)} {}
  std::variant<http_request, Result> next(const http_outcome*) override { return std::move(result); }
  Result result;
};

/// Takes `genuine` for the provider's signature.
struct scripted_adapter final : provider_adapter {
  provider_kind kind() const noexcept override { return provider_kind::jazzcash; }
  std::span<const provider_setting_row> settings() const noexcept override { return {}; }
  std::optional<std::string> fault_of(const provider_settings&, environment, bool) const override { return {}; }
  dialogue_ptr<provider_result> open(const provider_call&, const provider_settings&, time_point) const override {
    return nullptr;
  }
  dialogue_ptr<provider_result> open(const provider_inquiry&, const provider_settings&, time_point) const override {
    return nullptr;
  }
  dialogue_ptr<account_answer> open(const account_question&, const provider_settings&, time_point) const override {
    return nullptr;
  }
  dialogue_ptr<notification_subject> open(const notification_question&, const provider_settings&,
                                          time_point) const override {
    return std::make_unique<one_answer<notification_subject>>(about);
  }
  std::variant<receive_notification, notification_fault> verify(const incoming_notification& in,
                                                                const provider_settings&, environment env,
                                                                time_point) const override {
    if (in.body != "genuine" || env != environment::test) return notification_fault::unsigned_;
    return receive_notification{provider_kind::jazzcash, "event 1", "payment", "", "body"};
  }
  std::optional<hosted_form> form_of(const payment& subject, const provider_settings& with, time_point) const override {
    if (!has_form) return std::nullopt;
    return hosted_form{"https://wallet.example:8443/page",
                       {{"pp_TxnRefNo", subject.provider_ref},
                        {"pp_Password", std::string{with.find("password")}},
                        {"pp_Description", "\"><script>"}}};
  }

  notification_subject about =
      about_payment{payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"})};
  bool has_form = true;
};

payment_ptr wallet_payment(payment_state state = payment_state::processing) {
  auto p = *waiting_payment(state);
  p.provider = provider_kind::jazzcash;
  p.amount = {420'000, *currency::parse("PKR")};
  p.provider_ref = "T123";
  return std::make_shared<const payment>(std::move(p));
}

struct wallet_fixture : gateway_fixture {
  provider_adapters adapters;
  scripted_adapter* provider = nullptr;

  wallet_fixture() {
    auto made = std::make_unique<scripted_adapter>();
    provider = made.get();
    adapters[static_cast<std::size_t>(provider_kind::jazzcash)] = std::move(made);
    shared.adapters = &adapters;
    merchants.publish(provider_kind::jazzcash, environment::test,
                      std::make_shared<const provider_settings>(provider_settings{{{"password", "secret"}}}));
    becomes(payment_state::processing);
  }

  /// The payment's state after its provider was asked.
  void becomes(payment_state after) {
    scene.router = [after](const entity_request& asked) -> caf::result<entity_reply> {
      if (command_if<receive_notification>(asked.what))
        return entity_reply{entity_row{std::make_shared<const notification>()}};
      return entity_reply{entity_row{wallet_payment(after)}};
    };
  }
  response open(std::string_view payload = "form\nmerch_1\ntest\npay_1") {
    path_ = "/v1/public/pay/" + crypto::sign_token("hosted key", payload);
    return run(unsigned_request("GET", path_));
  }
  /// The browser posts the page's form.
  response go_on(std::string_view payload = "form\nmerch_1\ntest\npay_1") {
    path_ = "/v1/public/pay/" + crypto::sign_token("hosted key", payload);
    return run(
        unsigned_request("POST", path_, "pp_TxnRefNo=T123&pp_Password=secret", "application/x-www-form-urlencoded"));
  }
  response come_back(std::string_view body = "genuine", std::string_view mode = "test",
                     std::string_view kind = "jazzcash") {
    path_ = "/v1/public/providers/" + std::string{kind} + "/" + std::string{mode} + "/return";
    return run(unsigned_request("POST", path_, body, "application/x-www-form-urlencoded"));
  }

 private:
  std::string path_;
};

bool holds(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(wallet_fixture,
                 "the wallet's page has one button, whose form goes by its own address to the wallet only") {
  const auto page = open();
  CHECK(page.status == 200);
  CHECK(page.route == "/v1/public/pay/{id}");
  CHECK(holds(page, "Tea &amp; Co"));
  CHECK(holds(page, "PKR 4,200.00"));
  CHECK(holds(page, R"(<form method="post" autocomplete="off">)"));
  CHECK(holds(page, R"(<input type="hidden" name="pp_TxnRefNo" value="T123">)"));
  CHECK(holds(page, R"(name="pp_Password" value="secret")"));
  CHECK_FALSE(holds(page, "<script"));
  CHECK_FALSE(holds(page, "JazzCash"));
  const auto policy = header(page, "Content-Security-Policy");
  CHECK(policy.find("form-action 'self' https://wallet.example:8443; frame-ancestors 'none'") != std::string::npos);
}

TEST_CASE_METHOD(wallet_fixture, "the form is recorded, and then posted to the wallet unchanged") {
  const auto out = go_on();
  CHECK(out.status == 307);
  CHECK(out.route == "/v1/public/pay/{id}");
  CHECK(header(out, "Location") == "https://wallet.example:8443/page");
  CHECK(header(out, "Referrer-Policy") == "no-referrer");
  CHECK(out.body.empty());
  REQUIRE(scene.seen.size() == 2);
  CHECK(scene.seen[1].key == wallet_payment()->key);
  const auto* told = command_if<hosted_result>(scene.seen[1].what);
  REQUIRE(told);
  CHECK(told->signal == hosted_signal::sent);
  CHECK(told->provider_ref == "T123");
}

TEST_CASE_METHOD(wallet_fixture, "a form that cannot be recorded, or whose payment does not wait, goes nowhere") {
  scene.router = [](const entity_request& asked) -> caf::result<entity_reply> {
    if (command_if<hosted_result>(asked.what)) return entity_reply{problem::store_unavailable};
    return entity_reply{entity_row{wallet_payment()}};
  };
  auto out = go_on();
  CHECK(out.status == 503);
  CHECK(header(out, "Location").empty());
  // It was settled or cancelled between the two.
  scene.router = [](const entity_request& asked) -> caf::result<entity_reply> {
    const bool last = command_if<hosted_result>(asked.what) != nullptr;
    return entity_reply{entity_row{wallet_payment(last ? payment_state::failed : payment_state::processing)}};
  };
  out = go_on();
  CHECK(holds(out, "was declined. Nothing was charged."));
  CHECK(header(out, "Location").empty());
  struct {
    payment_state state;
    std::string_view words;
  } const ends[] = {{payment_state::captured, "You have paid PKR 4,200.00 to Tea &amp; Co."},
                    {payment_state::failed, "Your payment of PKR 4,200.00 to Tea &amp; Co was declined."},
                    {payment_state::refunded, "has refunded your payment of PKR 4,200.00."}};
  for (const auto& end : ends) {
    scene.seen.clear();
    becomes(end.state);
    out = go_on();
    CHECK(holds(out, end.words));
    CHECK(header(out, "Location").empty());
    CHECK(scene.seen.size() == 1);
  }
  becomes(payment_state::processing);
  CHECK(go_on("merch_1\ntest\npay_1\nT123").status == 404);
  CHECK(run(unsigned_request("POST", "/v1/public/pay/forged", "a=b")).status == 404);
  provider->has_form = false;
  CHECK(go_on().status == 410);
}

TEST_CASE_METHOD(wallet_fixture,
                 "a customer whose try has failed, and who can try again, reads that nothing was paid") {
  struct row {
    bool retryable, unknown, again;
  };
  for (const auto& r : {row{true, false, true}, row{false, false, false}, row{true, true, false}}) {
    scene.router = [r](const entity_request& asked) -> caf::result<entity_reply> {
      if (command_if<receive_notification>(asked.what))
        return entity_reply{entity_row{std::make_shared<const notification>()}};
      auto p = *wallet_payment();
      p.error = provider_error{error_category::provider, "insufficient_funds", "Low.", r.retryable, r.unknown};
      return entity_reply{entity_row{std::make_shared<const payment>(std::move(p))}};
    };
    const auto page = come_back();
    CHECK(page.status == 200);
    CHECK(holds(page, "nothing was paid") == r.again);
    CHECK(holds(page, R"(href="https://shop.example/no")") == r.again);
    CHECK(holds(page, "being confirmed") != r.again);
  }
}

TEST_CASE_METHOD(wallet_fixture, "a page that is forged, of another kind, or closed says so") {
  CHECK(open("merch_1\ntest\npay_1\nT123").status == 404);
  CHECK(open("form\nmerch_1\nprod\npay_1").status == 404);
  CHECK(open("form\nmerch_1\ntest\npay_1\nT123").status == 404);
  CHECK(run(unsigned_request("GET", "/v1/public/pay/forged")).status == 404);
  CHECK(open().status == 200);
  provider->has_form = false;
  CHECK(open().status == 410);
  provider->has_form = true;
  becomes(payment_state::captured);
  CHECK(holds(open(), "You have paid PKR 4,200.00"));
  becomes(payment_state::processing);
  merchants.publish(provider_kind::jazzcash, environment::test, nullptr);
  CHECK(open().status == 503);
}

TEST_CASE_METHOD(wallet_fixture, "a form's link does not open the sandbox's page") {
  const auto path = "/sandbox/checkout/" + crypto::sign_token("hosted key", "form\nmerch_1\ntest\npay_1");
  CHECK(run(unsigned_request("GET", path)).status == 404);
}

TEST_CASE_METHOD(wallet_fixture,
                 "a return is stored, the provider is asked, and the customer is redirected by the result") {
  becomes(payment_state::captured);
  auto out = come_back();
  CHECK(out.status == 303);
  CHECK(header(out, "Location") == "https://shop.example/ok");
  REQUIRE(scene.seen.size() == 2);
  CHECK(scene.seen[0].key == notification_key(provider_kind::jazzcash, environment::test, "event 1"));
  CHECK((command_if<receive_notification>(scene.seen[0].what) != nullptr));
  CHECK(scene.seen[1].key == wallet_payment()->key);
  CHECK((command_if<ask_provider>(scene.seen[1].what) != nullptr));

  becomes(payment_state::failed);
  out = come_back();
  CHECK(out.status == 303);
  CHECK(header(out, "Location") == "https://shop.example/no");

  becomes(payment_state::processing);
  out = come_back();
  CHECK(out.status == 200);
  CHECK(holds(out, "being confirmed"));
  CHECK(holds(out, R"(href="https://shop.example/ok")"));
}

TEST_CASE_METHOD(wallet_fixture, "a return that the provider has not signed changes nothing") {
  for (const auto* body : {"", "forged", "genuine "}) CHECK(come_back(body).status == 400);
  CHECK(come_back("genuine", "live").status == 404);  // not configured for live
  CHECK(come_back("genuine", "prod").status == 404);
  CHECK(come_back("genuine", "test", "stripe").status == 404);
  CHECK(come_back("genuine", "test", "sandbox").status == 404);
  CHECK(come_back("genuine", "test", "unheard_of").status == 404);
  CHECK(scene.seen.empty());
  provider->about = no_subject{};
  CHECK(come_back().status == 400);
  CHECK(scene.seen.size() == 1);  // stored, and no payment asked
}

TEST_CASE_METHOD(wallet_fixture, "while the provider is slow the customer sees what is known") {
  scene.router = [](const entity_request& asked) -> caf::result<entity_reply> {
    if (command_if<ask_provider>(asked.what)) return make_error(actor_errc::overloaded);
    if (command_if<receive_notification>(asked.what))
      return entity_reply{entity_row{std::make_shared<const notification>()}};
    return entity_reply{entity_row{wallet_payment()}};
  };
  CHECK(holds(come_back(), "being confirmed"));
  // The same if the provider answers, and says nothing of the payment.
  scene.router = [](const entity_request& asked) -> caf::result<entity_reply> {
    if (command_if<ask_provider>(asked.what)) return entity_reply{problem::provider_unavailable};
    if (command_if<receive_notification>(asked.what))
      return entity_reply{entity_row{std::make_shared<const notification>()}};
    return entity_reply{entity_row{wallet_payment()}};
  };
  CHECK(holds(come_back(), "being confirmed"));
  scene.router = [](const entity_request&) -> caf::result<entity_reply> { return make_error(actor_errc::overloaded); };
  CHECK(come_back().status == 503);
  scene.router = [](const entity_request&) { return entity_reply{problem::store_unavailable}; };
  CHECK(come_back().status == 503);
}

TEST_CASE_METHOD(wallet_fixture, "a customer who returns from a bank with any parameters sees only what is known") {
  for (const auto* query :
       {"", "payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2&source=%22%3E%3Cscript"}) {
    auto brought = unsigned_request("GET", "/checkout/returned");
    brought.query = query;
    brought.has_query = *query != '\0';
    const auto page = run(brought);
    CHECK(page.status == 200);
    CHECK(page.route == "/checkout/returned");
    CHECK(page.content_type == "text/html; charset=utf-8");
    CHECK(holds(page, "Your bank has answered"));
    CHECK(holds(page, "You can close this page."));
    for (const auto* word : {"pi_1", "<script", "approved", "declined", "paid", "href"}) CHECK_FALSE(holds(page, word));
    CHECK(header(page, "Content-Security-Policy").find("form-action 'none'; frame-ancestors 'none'") !=
          std::string::npos);
    CHECK(header(page, "Referrer-Policy") == "no-referrer");
    CHECK(header(page, "X-Content-Type-Options") == "nosniff");
  }
  CHECK(scene.seen.empty());
  CHECK(header(run(unsigned_request("POST", "/checkout/returned")), "Allow") == "GET");
}
