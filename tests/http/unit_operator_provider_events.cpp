// The operator socket's routes about the endpoint at a provider, and about its list of events.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using Catch::Contains;
using enum endpoint_answer::state;

namespace {

constexpr provider_setting_row setting_rows[] = {{"secret_key", true, true}, {"webhook_secret", true, false}};

/// Says whose secret the settings have by its name: `secret of we_1`.
class endpoint_adapter final : public provider_adapter {
 public:
  explicit endpoint_adapter(provider_kind kind) : kind_{kind} {}

  provider_kind kind() const noexcept override { return kind_; }
  std::span<const provider_setting_row> settings() const noexcept override { return setting_rows; }
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
    return nullptr;
  }
  std::variant<receive_notification, notification_fault> verify(const incoming_notification&, const provider_settings&,
                                                                environment, time_point) const override {
    return notification_fault::unsigned_;
  }
  bool registers_endpoints() const noexcept override { return kind_ == provider_kind::stripe; }
  provider_settings with_endpoint(provider_settings values, const endpoint_answer& made) const override {
    values.values.emplace_back("webhook_secret", made.secret);
    return values;
  }
  endpoint_secret secret_of(const provider_settings& values, const endpoint_answer& endpoint) const override {
    const auto secret = values.find("webhook_secret");
    if (secret.empty()) return endpoint_secret::missing;
    return secret == "secret of " + endpoint.id ? endpoint_secret::known : endpoint_secret::unknown;
  }

 private:
  provider_kind kind_;
};

struct endpoint_fixture : gateway_fixture {
  provider_adapters adapters;
  std::optional<configure_provider> stored;
  endpoint_answer endpoint;

  endpoint_fixture() {
    for (const auto kind : {provider_kind::stripe, provider_kind::jazzcash})
      adapters[static_cast<std::size_t>(kind)] = std::make_unique<endpoint_adapter>(kind);
    shared.adapters = &adapters;
    configure({});
    scene.operators = [this](const operator_command& command) -> operator_result {
      stored = std::get<configure_provider>(command);
      return named_result{"stripe:test", "configured"};
    };
    endpoint.what = found;
    endpoint.id = "we_1";
    endpoint.enabled = endpoint.of_accounts = true;
    scene.endpoints = [this](const endpoint_question&) { return endpoint; };
  }

  void configure(std::string_view secret) {
    provider_settings values{{{"secret_key", "sk_hidden"}}};
    if (!secret.empty()) values.values.emplace_back("webhook_secret", secret);
    merchants.publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>(values));
  }
  response ask(std::string_view command, std::string_view body = R"({"provider":"stripe","mode":"test"})") {
    return run(unsigned_request("POST", "/operator/providers/" + std::string{command}, body), handle_operator);
  }
};

constexpr auto url = "https://pay.example/v1/public/providers/stripe/test/notifications";

}  // namespace

TEST_CASE_METHOD(endpoint_fixture, "a check names what is wrong with the endpoint at the provider") {
  const auto with = [](auto change) {
    endpoint_answer one;
    one.what = found;
    one.id = "we_1";
    one.enabled = one.of_accounts = true;
    change(one);
    return one;
  };
  const struct {
    endpoint_answer seen;
    std::string_view secret;
    std::vector<std::string_view> parts;
  } rows[] = {
      {with([](auto&) {}), "secret of we_1", {R"("endpoint":"we_1","ok":true)", R"("problems":[])"}},
      {with([](auto&) {}), "another", {R"("ok":true)"}},
      {with([](auto&) {}), "", {R"("ok":false)", "have no secret"}},
      {with([](auto& e) { e.what = absent, e.id.clear(); }),
       "another",
       {R"("ok":false)", "No endpoint", "register-notifications stripe --mode test"}},
      {with([](auto& e) { e.of_accounts = false; }), "another", {R"("ok":false)", "must be a Connect endpoint"}},
      {with([](auto& e) { e.enabled = false; }), "another", {R"("ok":false)", "we_1 is disabled"}},
      {with([](auto& e) { e.missing = {"charge.refunded", "refund.failed"}; }),
       "another",
       {R"("ok":false)", R"("missing_types":["charge.refunded","refund.failed"])", "does not get all types"}},
      {with([](auto& e) { e.version = "2024-06-20"; }), "another", {R"("ok":true,"api_version":"2024-06-20")"}},
  };
  for (const auto& row : rows) {
    endpoint = row.seen;
    configure(row.secret);
    const auto out = ask("check");
    INFO(out.body);
    CHECK(out.status == 200);
    for (const auto part : row.parts) CHECK_THAT(out.body, Contains(std::string{part}));
    CHECK_THAT(out.body, Contains(url) && !Contains("hidden") && !Contains("secret of we_1"));
  }
  CHECK_FALSE(stored);
  REQUIRE_FALSE(scene.endpoint_questions.empty());
  CHECK(scene.endpoint_questions.front().url == url);
  CHECK_FALSE(scene.endpoint_questions.front().registers);
}

TEST_CASE_METHOD(endpoint_fixture, "the secret of a new endpoint is stored, and not shown") {
  endpoint.what = made;
  endpoint.secret = "whsec_hidden";
  const auto out = ask("register-notifications");
  CHECK(out.body == R"({"provider":"stripe","mode":"test","notifications_url":")" + std::string{url} +
                        R"(","endpoint":"we_1","status":"made","secret":"stored"})");
  REQUIRE(stored);
  CHECK(stored->settings.find("webhook_secret") == "whsec_hidden");
  CHECK(stored->settings.find("secret_key") == "sk_hidden");
  CHECK(scene.endpoint_questions.front().registers);
}

TEST_CASE_METHOD(endpoint_fixture, "an endpoint that is there already stays, and whether its secret is known is said") {
  configure("secret of we_1");
  CHECK_THAT(ask("register-notifications").body, Contains(R"("status":"unchanged","secret":"stored"})"));
  configure("another");
  CHECK_THAT(ask("register-notifications").body,
             Contains(R"("status":"unchanged","secret":"unknown","note":"stripe gives the secret)") &&
                 Contains("only when it is made") && Contains("delete the endpoint"));
  endpoint.what = changed;
  CHECK_THAT(ask("register-notifications").body, Contains(R"("status":"changed")"));
  CHECK_FALSE(stored);
}

TEST_CASE_METHOD(endpoint_fixture, "an endpoint whose secret could not be stored is named, so that it can be deleted") {
  endpoint.what = made;
  scene.operators = [](const operator_command&) -> caf::result<operator_result> {
    return make_error(actor_errc::store_unavailable);
  };
  const auto out = ask("register-notifications");
  CHECK(out.status == 409);
  CHECK_THAT(out.body, Contains("we_1 was made") && Contains("delete it"));
}

TEST_CASE_METHOD(endpoint_fixture,
                 "a provider that cannot be asked about the endpoint is a conflict, with the reason") {
  for (const auto* command : {"check", "register-notifications"}) {
    const auto jazzcash = ask(command, R"({"provider":"jazzcash","mode":"test"})");
    CHECK(jazzcash.status == 409);
    CHECK_THAT(jazzcash.body, Contains("providers/jazzcash/test/notifications"));
    const auto live = ask(command, R"({"provider":"stripe","mode":"live"})");
    CHECK(live.status == 409);
    CHECK_THAT(live.body, Contains("stripe is not configured in live"));
    CHECK(ask(command, R"({"provider":"sandbox","mode":"test"})").status == 400);
    CHECK(ask(command, R"({"provider":"stripe"})").status == 400);
  }
  CHECK(scene.endpoint_questions.empty());
  endpoint = {};
  endpoint.error = provider_error{error_category::provider, "provider_error", "It is away.", true, true};
  const auto away = ask("check");
  CHECK(away.status == 409);
  CHECK_THAT(away.body, Contains("It is away."));
}

TEST_CASE_METHOD(gateway_fixture, "an operator's backfill is passed to the reader of events") {
  std::optional<backfill_events> asked;
  backfill_result answer{7, 2, 0, true, {}};
  scene.backfills = [&](const backfill_events& wanted) {
    asked = wanted;
    return answer;
  };
  const auto ask = [&](std::string_view body) {
    return run(unsigned_request("POST", "/operator/providers/backfill", body), handle_operator);
  };
  const auto out = ask(R"({"provider":"stripe","mode":"live","from":"2026-11-20T09:30:00Z"})");
  CHECK(out.body == R"({"events":7,"new":2,"complete":true})");
  REQUIRE(asked);
  CHECK(asked->provider == provider_kind::stripe);
  CHECK(asked->env == environment::live);
  CHECK(asked->from == parse_seconds("2026-11-20T09:30:00Z"));

  answer = {7, 2, 1, false, {}};
  CHECK(ask(R"({"provider":"sandbox","mode":"test"})").body ==
        R"({"events":7,"new":2,"refused_accounts":1,"complete":false})");
  CHECK_FALSE(asked->from);

  answer.failure = "The database does not answer.";
  const auto failed = ask(R"({"provider":"stripe","mode":"live"})");
  CHECK(failed.status == 409);
  CHECK_THAT(failed.body, Contains("The database does not answer. Read: 7 events, 2 of them new."));

  for (const auto* wrong :
       {R"({"mode":"live"})", R"({"provider":"paypal","mode":"live"})", R"({"provider":"stripe"})",
        R"({"provider":"stripe","mode":"both"})", R"({"provider":"stripe","mode":"live","from":"yesterday"})"})
    CHECK(ask(wrong).status == 400);
}
