// A call to Stripe without Stripe: records what is sent and feeds made-up answers.
#pragma once

#include <catch2/catch.hpp>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "gateway/ports/provider_adapter.hpp"
#include "providers/stripe/stripe.hpp"

namespace gateway::actors {

inline const auto stripe_noon = from_unix_ms(1'795'176'000'000);  // 2026-11-20T12:00:00Z

inline provider_settings stripe_values() {
  return {{{"secret_key", "sk_test_51abc"}, {"publishable_key", "pk_test_51abc"}, {"webhook_secret", "whsec_first"}}};
}

inline const provider_adapter& stripe_adapter_under_test() {
  static const auto adapter = make_stripe_adapter({"https://gateway.example", "form key"});
  return *adapter;
}

inline payment stripe_payment(flow how = flow::server, std::string_view unit = "EUR") {
  payment p;
  p.key = payment_key(merchant_id{"merch_a1"}, environment::test, payment_id{"pay_7"});
  p.amount = {4200, *currency::parse(unit)};
  p.how = how;
  p.provider = provider_kind::stripe;
  p.account = "acct_1";
  p.version = 3;
  if (how == flow::server) p.details.payment_method = "pm_1";
  p.details.success_url = "https://shop.example/done?o=1";
  p.details.cancel_url = "https://shop.example/cart";
  return p;
}

inline provider_call stripe_call(operation what, payment subject) {
  provider_call call;
  call.provider_key = "pk_0123";
  call.what = what;
  call.amount = subject.amount.minor;
  call.subject = std::move(subject);
  call.begun_at = stripe_noon;
  if (what != operation::create) call.subject.provider_ref = "pi_1";
  return call;
}

inline http_outcome says(std::uint16_t status, std::string body) {
  http_answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

/// The answer that Stripe has stored under the key.
inline http_outcome says_again(std::uint16_t status, std::string body) {
  auto outcome = says(status, std::move(body));
  std::get<http_answer>(outcome).headers.add("Idempotent-Replayed", "true");
  return outcome;
}

inline http_outcome says_in_part(std::uint16_t status, std::string body) {
  auto outcome = says(status, std::move(body));
  std::get<http_answer>(outcome).cut = true;
  return outcome;
}

inline http_outcome fails(http_fault what, bool sent) { return http_failure{what, sent}; }

inline std::string intent_json(std::string_view status, std::string_view more = {}) {
  return std::string{R"({"id":"pi_1","object":"payment_intent","metadata":{"gateway_key":"pk_0123"},"status":")"}
      .append(status)
      .append("\"")
      .append(more)
      .append("}");
}

inline std::string error_json(std::string_view type, std::string_view code, std::string_view more = {}) {
  return std::string{R"({"error":{"message":"Stripe's words.","type":")"}
      .append(type)
      .append(R"(","code":")")
      .append(code)
      .append("\"")
      .append(more)
      .append("}}");
}

inline provider_call call_of_key(operation what, bool again) {
  auto call = stripe_call(what, stripe_payment());
  call.asked_again = again;
  return call;
}

inline constexpr std::string_view failed_attempt =
    R"(,"last_payment_error":{"type":"card_error","code":"card_declined","decline_code":"insufficient_funds","message":"No funds."})";

/// What was sent, and the result.
template <class Result>
struct talk_about {
  std::vector<http_request> sent;
  std::optional<Result> result;

  std::string_view body(std::size_t i) const { return sent.at(i).body; }
  std::string_view url(std::size_t i) const { return sent.at(i).url; }
  std::string_view header(std::size_t i, std::string_view name) const {
    for (const auto& [each, value] : sent.at(i).headers)
      if (each == name) return value;
    return {};
  }
};

using conversation = talk_about<provider_result>;

template <class Result>
talk_about<Result> run_dialogue(dialogue_ptr<Result> dialogue, std::span<const http_outcome> answers) {
  talk_about<Result> t;
  auto said = dialogue->next(nullptr);
  for (const auto& answer : answers) {
    if (!std::holds_alternative<http_request>(said)) break;
    t.sent.push_back(std::get<http_request>(said));
    said = dialogue->next(&answer);
  }
  if (auto* request = std::get_if<http_request>(&said))
    t.sent.push_back(std::move(*request));
  else
    t.result = std::get<Result>(std::move(said));
  return t;
}

template <class Result>
talk_about<Result> run_dialogue(dialogue_ptr<Result> dialogue, std::initializer_list<http_outcome> answers) {
  return run_dialogue(std::move(dialogue), std::span{answers.begin(), answers.size()});
}

inline conversation ask_stripe(const provider_call& call, std::span<const http_outcome> answers, time_point now) {
  return run_dialogue(stripe_adapter_under_test().open(call, stripe_values(), now), answers);
}

inline conversation ask_stripe(const provider_call& call, std::initializer_list<http_outcome> answers,
                               time_point now = stripe_noon) {
  return run_dialogue(stripe_adapter_under_test().open(call, stripe_values(), now), answers);
}

inline conversation ask_stripe(const payment& subject, bool closes, std::initializer_list<http_outcome> answers) {
  return run_dialogue(stripe_adapter_under_test().open(provider_inquiry{subject, closes}, stripe_values(), stripe_noon),
                      answers);
}

inline conversation compare_with_stripe(const payment& subject, std::initializer_list<http_outcome> answers) {
  return run_dialogue(
      stripe_adapter_under_test().open(provider_inquiry{subject, false, true}, stripe_values(), stripe_noon), answers);
}

/// A page of a list of Stripe's.
inline std::string list_json(std::string_view rows, bool more = false) {
  return std::string{R"({"object":"list","has_more":)"}
      .append(more ? "true" : "false")
      .append(R"(,"data":[)")
      .append(rows)
      .append("]}");
}

/// `approved`, `declined card_declined`, …
inline std::string in_words(const conversation& t) {
  if (!t.result) return "asks on";
  std::string text{to_string(t.result->status)};
  if (t.result->status == provider_status::declined) text += t.result->error ? " " + t.result->error->code : " -";
  return text;
}

}  // namespace gateway::actors
