// The operator socket's routes about providers: the commands to the directory, what is refused, and that secrets are
// never shown.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using Catch::Contains;

namespace {

constexpr provider_setting_row stripe_rows[] = {
    {"secret_key", true, true}, {"webhook_secret", true, false}, {"api_base", false, false, "https://api.stripe.com"}};
constexpr provider_setting_row jazzcash_rows[] = {{"merchant", false, true}, {"password", true, true}};

/// An adapter that has settings, and is used for nothing else here.
class settings_adapter final : public provider_adapter {
 public:
  settings_adapter(provider_kind kind, std::span<const provider_setting_row> rows) : kind_{kind}, rows_{rows} {}

  provider_kind kind() const noexcept override { return kind_; }
  std::span<const provider_setting_row> settings() const noexcept override { return rows_; }
  std::optional<std::string> fault_of(const provider_settings& values, environment env, bool dev) const override {
    const bool live_key = values.find("secret_key").starts_with("sk_live_");
    if (kind_ == provider_kind::stripe && live_key != (env == environment::live))
      return "secret_key: is a key of the other mode";
    if (values.find("api_base").starts_with("http://") && !dev) return "api_base: must be https";
    return std::nullopt;
  }
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

 private:
  provider_kind kind_;
  std::span<const provider_setting_row> rows_;
};

struct provider_fixture : gateway_fixture {
  provider_adapters adapters;
  std::optional<configure_provider> asked;

  provider_fixture() {
    const auto add = [&](provider_kind kind, std::span<const provider_setting_row> rows) {
      adapters[static_cast<std::size_t>(kind)] = std::make_unique<settings_adapter>(kind, rows);
    };
    add(provider_kind::stripe, stripe_rows);
    add(provider_kind::jazzcash, jazzcash_rows);
    shared.adapters = &adapters;
    scene.operators = [this](const operator_command& command) -> operator_result {
      asked = std::get<configure_provider>(command);
      return named_result{"stripe:test", asked->settings.values.empty() ? "not_configured" : "configured"};
    };
  }

  response ask_operator(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }
  /// Sets these settings of stripe in test mode.
  response set_stripe(std::string_view settings) {
    return ask_operator("/operator/providers",
                        R"({"provider":"stripe","mode":"test","settings":)" + std::string{settings} + "}");
  }
};

using values = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE_METHOD(provider_fixture, "settings that the provider's adapter accepts are passed to the directory") {
  const auto out = set_stripe(R"({"api_base":"https://a.example","secret_key":"sk_test_1"})");
  CHECK(out.status == 200);
  CHECK(out.body == R"({"id":"stripe:test","status":"configured"})");
  REQUIRE(asked);
  CHECK(asked->provider == provider_kind::stripe);
  CHECK(asked->env == environment::test);
  CHECK(asked->settings.values == values{{"secret_key", "sk_test_1"}, {"api_base", "https://a.example"}});
}

TEST_CASE_METHOD(provider_fixture,
                 "an empty value counts as absent, and a value keeps every character up to four KiB") {
  const std::string longest(4'096, 'k');
  CHECK(set_stripe(R"({"secret_key":")" + longest + R"(","webhook_secret":"","api_base":" \"ż\" "})").status == 200);
  REQUIRE(asked);
  CHECK(asked->settings.values == values{{"secret_key", longest}, {"api_base", " \"ż\" "}});
}

TEST_CASE_METHOD(provider_fixture, "operators' mistakes about providers are named, and change nothing") {
  const std::string long_value(4'097, 'v'), long_name(65, 'n');
  const auto stripe = [](std::string_view settings) {
    return R"({"provider":"stripe","mode":"test","settings":)" + std::string{settings} + "}";
  };
  constexpr std::string_view names = "the settings of stripe are secret_key, webhook_secret, api_base";
  const struct {
    std::string body;
    std::vector<std::string_view> parts;
  } rows[] = {
      {R"({"mode":"test","settings":{}})", {"provider: is required"}},
      {R"({"provider":"paypal","mode":"test","settings":{}})",
       {"provider: 'paypal' is not a provider of this gateway", "those that take settings: stripe, jazzcash"}},
      {R"({"provider":"sandbox","mode":"test","settings":{}})",
       {"provider: 'sandbox' takes no settings", "those that take settings: stripe, jazzcash"}},
      {R"({"provider":"stripe","settings":{"secret_key":"hidden"}})", {"mode: is required"}},
      {R"({"provider":"stripe","mode":"both","settings":{"secret_key":"hidden"}})", {"mode: must be test or live"}},
      {R"({"provider":"stripe","mode":"test"})", {"settings: must be an object", "secret_key"}},
      {stripe("null"), {"settings: must be an object", "secret_key"}},
      {stripe(R"(["hidden"])"), {"settings: must be an object", "secret_key"}},
      {stripe(R"({"secret_key":"hidden","secretkey":"hidden"})"), {"settings: 'secretkey' is not known", names}},
      {stripe(R"({")" + long_name + R"(":"hidden"})"), {"a name of 65 bytes is not known", names}},
      {stripe("{}"), {"settings: 'secret_key' is required", names}},
      {stripe(R"({"secret_key":""})"), {"settings: 'secret_key' is required", names}},
      {stripe(R"({"webhook_secret":"hidden"})"), {"settings: 'secret_key' is required", names}},
      {stripe(R"({"secret_key":7})"), {"settings: 'secret_key' must be a string", names}},
      {stripe(R"({"secret_key":null})"), {"settings: 'secret_key' must be a string", names}},
      {stripe(R"({"secret_key":")" + long_value + R"("})"), {"'secret_key' must have at most 4096 bytes", names}},
      {stripe(R"({"secret_key":"hidden\u0000"})"), {"'secret_key' must not contain the character NUL", names}},
      {stripe(R"({"secret_key":"a","secret_key":"b"})"), {"secret_key: stands twice in one object"}},
      // With the adapter's message.
      {stripe(R"({"secret_key":"sk_live_1"})"), {"secret_key: is a key of the other mode"}},
      {stripe(R"({"secret_key":"hidden","api_base":"http://a.example"})"), {"api_base: must be https"}},
  };
  for (const auto& row : rows) {
    const auto out = ask_operator("/operator/providers", row.body);
    INFO(row.body.substr(0, 200) << '\n' << out.body);
    CHECK(out.status == 400);
    for (const auto part : row.parts) CHECK_THAT(out.body, Contains(std::string{part}));
    CHECK_THAT(out.body, !Contains("hidden") && !Contains("vvvv") && !Contains("sk_live_1"));
    CHECK_FALSE(asked);
  }
}

TEST_CASE_METHOD(provider_fixture, "in development a provider may be on this machine, without TLS") {
  config.dev = true;
  CHECK(set_stripe(R"({"secret_key":"sk_test_1","api_base":"http://127.0.0.1:4242"})").status == 200);
}

TEST_CASE_METHOD(provider_fixture, "removing a provider's settings leaves none configured") {
  const auto out = ask_operator("/operator/providers/remove", R"({"provider":"stripe","mode":"live"})");
  CHECK(out.status == 200);
  CHECK(out.body == R"({"id":"stripe:test","status":"not_configured"})");
  REQUIRE(asked);
  CHECK(asked->provider == provider_kind::stripe);
  CHECK(asked->env == environment::live);
  CHECK(asked->settings.values.empty());
}

TEST_CASE_METHOD(provider_fixture, "a removal must name its provider and mode") {
  for (const auto* body : {R"({"mode":"live"})", R"({"provider":"stripe"})", R"({"provider":"sandbox","mode":"live"})",
                           R"({"provider":"stripe","mode":"all"})", "[]", ""})
    CHECK(ask_operator("/operator/providers/remove", body).status == 400);
  CHECK_FALSE(asked);
}

TEST_CASE_METHOD(provider_fixture,
                 "the list has each provider in each mode and the names of its settings, and never a secret") {
  provider_settings set{{{"secret_key", "hidden"}, {"api_base", "https://a.example"}, {"of_before", "hidden"}}};
  merchants.publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>(set));
  const auto out = ask_operator("/operator/providers/list", "{}");
  CHECK(out.status == 200);
  const auto url = [](std::string_view of) {
    return R"("notifications_url":"https://pay.example/v1/public/providers/)" + std::string{of} + R"(/notifications"})";
  };
  CHECK(
      out.body ==
      R"({"providers":[{"provider":"stripe","mode":"test","status":"configured","settings":{"api_base":"https://a.example"},)"
      R"("secrets":["secret_key","of_before"],)" +
          url("stripe/test") +
          R"(,{"provider":"stripe","mode":"live","status":"not_configured","settings":{},"secrets":[],)" +
          url("stripe/live") +
          R"(,{"provider":"jazzcash","mode":"test","status":"not_configured","settings":{},"secrets":[],)" +
          url("jazzcash/test") +
          R"(,{"provider":"jazzcash","mode":"live","status":"not_configured","settings":{},"secrets":[],)" +
          url("jazzcash/live") + "]}");
}

TEST_CASE_METHOD(gateway_fixture, "a gateway without adapters has no providers to configure") {
  const auto ask = [&](std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  };
  CHECK(ask("/operator/providers/list", "{}").body == R"({"providers":[]})");
  const auto out = ask("/operator/providers", R"({"provider":"stripe","mode":"test","settings":{"secret_key":"sk"}})");
  CHECK(out.status == 400);
  CHECK_THAT(out.body, Contains("'stripe' takes no settings; those that take settings: none"));
}
