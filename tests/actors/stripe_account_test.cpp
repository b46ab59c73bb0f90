#include "stripe_fixture.hpp"

using namespace gateway;
using namespace gateway::actors;

namespace {

using account_talk = talk_about<account_answer>;

account_talk ask_account(const account_question& question, std::initializer_list<http_outcome> answers) {
  return run_dialogue(stripe_adapter_under_test().open(question, stripe_values(), stripe_noon), answers);
}

account_question account_question_of(bool onboards, std::string_view account = "acct_1") {
  account_question question;
  question.merchant = merchant_id{"merch_a1"};
  question.provider = provider_kind::stripe;
  question.account = account;
  question.onboards = onboards;
  question.provider_key = "pk_0123";
  question.merchant_name = "Lantern Books";
  question.back_url = "https://gateway.example/back";
  question.again_url = "https://gateway.example/again";
  return question;
}

std::string account_json(bool charges, bool details, std::string_view disabled = {}) {
  std::string text{R"({"id":"acct_1","object":"account","charges_enabled":)"};
  text.append(charges ? "true" : "false").append(R"(,"details_submitted":)").append(details ? "true" : "false");
  text.append(R"(,"requirements":{"disabled_reason":)");
  if (disabled.empty())
    text.append("null");
  else
    text.append("\"").append(disabled).append("\"");
  return text.append("}}");
}

const auto onboarding_link = says(200, R"({"object":"account_link","url":"https://connect.stripe.com/setup/s/1"})");

std::string in_words(const account_talk& t) {
  if (!t.result) return "asks on";
  constexpr std::string_view names[] = {"unknown", "incomplete", "ready", "restricted"};
  std::string text{names[static_cast<std::size_t>(t.result->standing)]};
  if (t.result->error) text.append(" ").append(t.result->error->code);
  if (!t.result->url.empty()) text.append(" with a link");
  return text;
}

}  // namespace

TEST_CASE("the state of an account") {
  struct row {
    bool charges, details;
    std::string_view disabled, asked, onboarding;
  };
  const row rows[] = {
      {true, true, "", "ready", "ready"},
      {true, false, "", "ready", "asks on"},
      {false, false, "", "incomplete", "asks on"},
      {false, false, "requirements.past_due", "incomplete", "asks on"},
      {false, true, "requirements.pending_verification", "incomplete", "asks on"},
      {false, true, "requirements.past_due", "restricted", "asks on"},
      {false, true, "under_review", "restricted", "asks on"},
      {false, true, "rejected.fraud", "restricted", "restricted"},
      {false, false, "rejected.other", "restricted", "restricted"},
      {false, true, "platform_paused", "restricted", "asks on"},
      {false, true, "a_reason_of_tomorrow", "restricted", "asks on"},
  };
  for (const auto& [charges, details, disabled, asked, onboarding] : rows) {
    INFO(disabled << charges << details);
    const auto received = says(200, account_json(charges, details, disabled));
    const auto t = ask_account(account_question_of(false), {received});
    CHECK(in_words(t) == asked);
    CHECK(t.url(0) == "https://api.stripe.com/v1/accounts/acct_1");
    CHECK(t.header(0, "Stripe-Account").empty());
    CHECK(t.result->account == "acct_1");
    CHECK(in_words(ask_account(account_question_of(true), {received})) == onboarding);
  }
}

TEST_CASE("an account that is gone is invalid, and one that cannot be asked about is unknown") {
  struct row {
    http_outcome received;
    std::string_view now;
  };
  const row rows[] = {
      {says(403, error_json("invalid_request_error", "account_invalid")), "restricted account_invalid"},
      {says(404, error_json("invalid_request_error", "resource_missing")), "restricted account_invalid"},
      // About the gateway's own key.
      {says(401, error_json("invalid_request_error", "")), "unknown provider_unavailable"},
      {says(429, ""), "unknown provider_unavailable"},
      {says(500, ""), "unknown provider_error"},
      {says(200, "<html>"), "unknown provider_outcome_unknown"},
      {says(200, R"({"id":"acct_2","object":"account","charges_enabled":true})"), "unknown provider_outcome_unknown"},
      {fails(http_fault::connect_failed, false), "unknown provider_unavailable"},
      {fails(http_fault::answer_timeout, true), "unknown provider_error"},
  };
  for (const auto& [received, now] : rows) {
    CHECK(in_words(ask_account(account_question_of(false), {received})) == now);
    CHECK(in_words(ask_account(account_question_of(true), {received})) == now);
  }
  CHECK(in_words(ask_account(account_question_of(false, ""), {})) == "unknown");
  CHECK(in_words(ask_account(account_question_of(false, "a/b"), {})) == "restricted account_invalid");
}

TEST_CASE("a merchant without an account gets one, and its owner is sent to Stripe") {
  const auto t = ask_account(account_question_of(true, ""),
                             {says(200, account_json(false, false, "requirements.past_due")), onboarding_link});
  CHECK(in_words(t) == "incomplete with a link");
  CHECK(t.result->account == "acct_1");
  CHECK(t.result->url == "https://connect.stripe.com/setup/s/1");
  CHECK(t.url(0) == "https://api.stripe.com/v1/accounts");
  CHECK(t.header(0, "Idempotency-Key") == "pk_0123");
  CHECK(t.body(0) ==
        "controller[stripe_dashboard][type]=full&controller[fees][payer]=account&controller[losses][payments]=stripe"
        "&controller[requirement_collection]=stripe&business_profile[name]=Lantern%20Books"
        "&metadata[gateway_merchant]=merch_a1");
  CHECK(t.url(1) == "https://api.stripe.com/v1/account_links");
  CHECK(t.header(1, "Idempotency-Key").empty());
  CHECK(t.body(1) ==
        "account=acct_1&type=account_onboarding&refresh_url=https%3A%2F%2Fgateway.example%2Fagain"
        "&return_url=https%3A%2F%2Fgateway.example%2Fback");
}

TEST_CASE("a failure that Stripe has stored under an account's key leads to the account's next key") {
  const auto stored = says_again(500, "");
  const auto t =
      ask_account(account_question_of(true, ""), {stored, says(200, account_json(false, false)), onboarding_link});
  CHECK(in_words(t) == "incomplete with a link");
  CHECK(t.header(0, "Idempotency-Key") == "pk_0123");
  CHECK(t.header(1, "Idempotency-Key") == "pk_0123_2");
  CHECK(t.body(1) == t.body(0));
  // Only a repeated failure shows that the key stays useless.
  CHECK(in_words(ask_account(account_question_of(true, ""), {says(500, "")})) == "unknown provider_error");
  CHECK(in_words(ask_account(account_question_of(true, ""), {stored, says(500, "")})) == "unknown provider_error");
  const auto all = ask_account(account_question_of(true, ""), {stored, stored, stored, stored});
  CHECK(in_words(all) == "unknown provider_error");
  CHECK(all.sent.size() == 4);
}

TEST_CASE("an account is reported even if its link cannot be made") {
  const auto made = says(200, account_json(false, false));
  for (const auto& received : {says(500, ""), says(200, R"({"object":"account_link","url":"http://x"})"),
                               says(400, error_json("invalid_request_error", "url_invalid"))}) {
    const auto t = ask_account(account_question_of(true, ""), {made, received});
    REQUIRE(t.result);
    CHECK(t.result->standing == account_standing::unknown);
    CHECK(t.result->account == "acct_1");
    CHECK(t.result->error);
  }
  const auto refused =
      ask_account(account_question_of(true, ""), {says(400, error_json("invalid_request_error", "not_allowed"))});
  CHECK(in_words(refused) == "unknown not_allowed");
  CHECK(refused.result->account.empty());
}
