// Stripe's list of events, and the endpoint that sends them to the gateway.
#include "providers/stripe/notifications.hpp"
#include "providers/stripe/settings.hpp"
#include "stripe_fixture.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

using list_talk = talk_about<event_list_page>;
using endpoint_talk = talk_about<endpoint_answer>;
using texts = std::vector<std::string>;

event_list_question list_question(std::string_view account = "acct_1", std::string_view after = {}) {
  event_list_question question;
  question.provider = provider_kind::stripe;
  question.account = account;
  question.from = stripe_noon;
  question.until = stripe_noon + 60s;
  question.after = after;
  return question;
}

list_talk ask_list(const event_list_question& question, std::initializer_list<http_outcome> answers) {
  return run_dialogue(stripe_adapter_under_test().open(question, stripe_values(), stripe_noon), answers);
}

std::string event_json(std::string_view id, std::string_view type = "charge.refunded", std::string_view more = {}) {
  return std::string{R"({"object":"event","id":")"}
      .append(id)
      .append(R"(","type":")")
      .append(type)
      .append(R"(","created":1795176001,"data":{"object":{"id":"ch_1"}})")
      .append(more)
      .append(more.find("livemode") == more.npos ? R"(,"livemode":false})" : "}");
}

std::string page_json(const texts& rows, bool more = false) {
  std::string all;
  for (const auto& row : rows) all.append(all.empty() ? "" : ",").append(row);
  return R"({"object":"list","data":[)" + all + R"(],"has_more":)" + (more ? "true}" : "false}");
}

std::string in_words(const list_talk& t) {
  if (!t.result) return "asks on";
  constexpr std::string_view names[] = {"unknown", "refused", "listed"};
  std::string text{names[static_cast<std::size_t>(t.result->what)]};
  for (const auto& each : t.result->events) text.append(" ").append(each.event_id);
  if (!t.result->next.empty()) text.append(" then ").append(t.result->next);
  if (t.result->error) text.append(" ").append(t.result->error->code);
  return text;
}

endpoint_talk ask_endpoint(bool registers, std::initializer_list<http_outcome> answers) {
  endpoint_question question;
  question.provider = provider_kind::stripe;
  question.url = "https://pay.example/hook";
  question.registers = registers;
  return run_dialogue(stripe_adapter_under_test().open(question, stripe_values(), stripe_noon), answers);
}

std::string types_json(std::size_t left_out = 0, std::string_view more = {}) {
  const auto all = stripe::notification_types();
  std::string list;
  for (const auto type : all.first(all.size() - left_out))
    list.append(list.empty() ? "\"" : ",\"").append(type).append("\"");
  if (!more.empty()) list.append(",\"").append(more).append("\"");
  return list;
}

struct endpoint_shape {
  std::string_view id = "we_1", url = "https://pay.example/hook", application = R"("ca_1")", status = "enabled";
  std::size_t left_out = 0;
  std::string_view more_types{}, more{};
};

std::string endpoint_json(const endpoint_shape& of = {}) {
  return std::string{R"({"object":"webhook_endpoint","id":")"}
      .append(of.id)
      .append(R"(","url":")")
      .append(of.url)
      .append(R"(","application":)")
      .append(of.application)
      .append(R"(,"status":")")
      .append(of.status)
      .append(R"(","api_version":"2024-06-20","enabled_events":[)")
      .append(types_json(of.left_out, of.more_types))
      .append("]")
      .append(of.more)
      .append("}");
}

std::string in_words(const endpoint_talk& t) {
  if (!t.result) return "asks on";
  constexpr std::string_view names[] = {"unknown", "absent", "found", "made", "changed"};
  std::string text{names[static_cast<std::size_t>(t.result->what)]};
  if (!t.result->id.empty()) text.append(" ").append(t.result->id);
  if (!t.result->missing.empty()) text.append(" without ").append(std::to_string(t.result->missing.size()));
  if (!t.result->id.empty() && !t.result->enabled) text.append(" disabled");
  if (!t.result->id.empty() && !t.result->of_accounts) text.append(" of the platform");
  if (t.result->error) text.append(" ").append(t.result->error->code);
  return text;
}

const auto secret = R"(,"secret":"whsec_new")";

}  // namespace

TEST_CASE("a page of an account's events is read on its behalf, and comes oldest first") {
  const auto t = ask_list(list_question(), {says(200, page_json({event_json("evt_3"), event_json("evt_2")}, true))});
  CHECK(t.url(0) ==
        "https://api.stripe.com/v1/events?limit=100&created%5Bgte%5D=1795176000&created%5Blt%5D=1795176060");
  CHECK(t.header(0, "Stripe-Account") == "acct_1");
  CHECK(in_words(t) == "listed evt_2 evt_3 then evt_2");
  const auto& event = t.result->events.front();
  CHECK(event.provider == provider_kind::stripe);
  CHECK(event.type == "charge.refunded");
  CHECK(event.account == "acct_1");
  // As the endpoint gets it: the list of an account does not name the account.
  const auto read = stripe::read_event(event.body);
  REQUIRE(read);
  CHECK(read->account == "acct_1");
  CHECK(read->object_id == "ch_1");

  const auto next = ask_list(list_question("acct_1", "evt_2"), {says(200, page_json({event_json("evt_1")}))});
  CHECK(next.url(0).ends_with("&starting_after=evt_2"));
  CHECK(in_words(next) == "listed evt_1");
}

TEST_CASE("the platform's own list is read without an account") {
  const auto t = ask_list(list_question(""), {says(200, page_json({event_json("evt_1")}))});
  CHECK(t.header(0, "Stripe-Account").empty());
  CHECK(in_words(t) == "listed evt_1");
  CHECK(t.result->events.front().account.empty());
}

TEST_CASE("only events that the gateway handles are taken from a list, and the others count for the next page") {
  const auto huge = R"(,"filler":")" + std::string(most_notification_bytes, 'x') + "\"";
  const texts rows{event_json("evt_9", "payout.paid"),
                   event_json("evt_8", "charge.refunded", R"(,"livemode":true)"),
                   event_json("evt_7", "charge.refunded", R"(,"account":"acct_2")"),
                   event_json("evt_6", "charge.refunded", R"(,"account":"acct_1")"),
                   event_json("evt_5", "charge.refunded", huge),
                   event_json("no_id"),
                   "7",
                   event_json("evt_1", "invoice.created")};
  CHECK(in_words(ask_list(list_question(), {says(200, page_json(rows, true))})) == "listed evt_6 then evt_1");
}

TEST_CASE("what Stripe's answer to a request for events means") {
  struct row {
    http_outcome received;
    std::string_view account, after, now;
  };
  const auto missing = says(404, error_json("invalid_request_error", "resource_missing"));
  const row rows[] = {
      {says(200, page_json({})), "acct_1", "", "listed"},
      {says(403, error_json("invalid_request_error", "account_invalid")), "acct_1", "", "refused"},
      {missing, "acct_1", "", "refused"},
      // The event to go on from is older than Stripe keeps them.
      {missing, "", "evt_1", "refused"},
      {missing, "", "", "unknown resource_missing"},
      {says(401, error_json("invalid_request_error", "")), "acct_1", "", "unknown provider_unavailable"},
      {says(403, error_json("invalid_request_error", "more_permissions_required")), "", "",
       "unknown provider_unavailable"},
      {says(429, ""), "acct_1", "", "unknown provider_unavailable"},
      {says(500, ""), "acct_1", "", "unknown provider_error"},
      {says(200, "<html>"), "acct_1", "", "unknown provider_outcome_unknown"},
      {says(200, R"({"object":"event"})"), "acct_1", "", "unknown provider_outcome_unknown"},
      // There are more events, and no cursor to them.
      {says(200, page_json({}, true)), "acct_1", "", "unknown provider_outcome_unknown"},
      {says(200, page_json({event_json("evt_1")}, true)), "acct_1", "evt_1", "unknown provider_outcome_unknown"},
      {fails(http_fault::connect_failed, false), "acct_1", "", "unknown provider_unavailable"},
      {fails(http_fault::answer_timeout, true), "acct_1", "", "unknown provider_error"},
  };
  for (const auto& [received, account, after, now] : rows)
    CHECK(in_words(ask_list(list_question(account, after), {received})) == now);
  const auto invalid = ask_list(list_question("a/b"), {});
  CHECK(in_words(invalid) == "refused");
  CHECK(invalid.sent.empty());
}

TEST_CASE("a page that is too long is requested again with fewer events") {
  const auto t = ask_list(list_question(), {says_in_part(200, "{"), says_in_part(200, "{"),
                                            says(200, page_json({event_json("evt_1")}, true))});
  REQUIRE(t.sent.size() == 3);
  CHECK(t.url(1).find("limit=10&") != std::string_view::npos);
  CHECK(t.url(2).find("limit=1&") != std::string_view::npos);
  CHECK(in_words(t) == "listed evt_1 then evt_1");
  CHECK(in_words(ask_list(list_question(), {says_in_part(200, "{"), says_in_part(200, "{"), says_in_part(200, "{")})) ==
        "unknown provider_error");
}

TEST_CASE("how the gateway's address is registered at Stripe") {
  struct row {
    std::string rows;
    std::string_view now;
  };
  const auto list = [](const texts& rows) { return page_json(rows); };
  const row rows[] = {
      {list({}), "absent"},
      {list({endpoint_json({.url = "https://other.example/hook"})}), "absent"},
      {list({endpoint_json()}), "found we_1"},
      {list({endpoint_json({.left_out = 2})}), "found we_1 without 2"},
      {list({endpoint_json({.left_out = 30, .more_types = "*"})}), "found we_1"},
      {list({endpoint_json({.status = "disabled"})}), "found we_1 disabled"},
      {list({endpoint_json({.application = "null"})}), "found we_1 of the platform"},
      {list({endpoint_json(
           {.application = "null", .more = R"(,"metadata":{"gateway_endpoint":"connected_accounts"})"})}),
       "found we_1"},
      {list({endpoint_json({.application = "null"}), endpoint_json({.id = "we_2", .status = "disabled"}),
             endpoint_json({.id = "we_3"}), endpoint_json({.id = "we_4"})}),
       "found we_3"},
      {"{}", "unknown provider_outcome_unknown"},
  };
  for (const auto& [body, now] : rows) {
    const auto t = ask_endpoint(false, {says(200, body)});
    CHECK(in_words(t) == now);
    CHECK(t.sent.size() == 1);
    CHECK(t.url(0) == "https://api.stripe.com/v1/webhook_endpoints?limit=100");
    CHECK(t.header(0, "Stripe-Account").empty());
  }
  const auto second =
      ask_endpoint(false, {says(200, page_json({endpoint_json({.id = "we_9", .url = "https://b.example"})}, true)),
                           says(200, page_json({endpoint_json()}))});
  CHECK(second.url(1).ends_with("limit=100&starting_after=we_9"));
  CHECK(in_words(second) == "found we_1");
  CHECK(in_words(ask_endpoint(false, {says(500, "")})) == "unknown provider_error");
}

TEST_CASE("an endpoint for connected accounts is made, with the types that the gateway handles") {
  const auto t = ask_endpoint(true, {says(200, page_json({})), says(200, endpoint_json({.more = secret}))});
  CHECK(in_words(t) == "made we_1");
  CHECK(t.result->secret == "whsec_new");
  CHECK(t.url(1) == "https://api.stripe.com/v1/webhook_endpoints");
  CHECK(t.body(1).starts_with("url=https%3A%2F%2Fpay.example%2Fhook&connect=true&api_version=2026-07-29.dahlia&"));
  for (const auto type : stripe::notification_types())
    CHECK(t.body(1).find("&enabled_events[]=" + std::string{type}) != std::string_view::npos);
  CHECK_FALSE(t.header(1, "Idempotency-Key").empty());
  // An endpoint of the platform's own account does not count.
  const auto beside = ask_endpoint(true, {says(200, page_json({endpoint_json({.application = "null"})})),
                                          says(200, endpoint_json({.id = "we_2", .more = secret}))});
  CHECK(in_words(beside) == "made we_2");
  // Without its secret it would be useless.
  CHECK(in_words(ask_endpoint(true, {says(200, page_json({})), says(200, endpoint_json())})) ==
        "unknown provider_outcome_unknown");
  CHECK(in_words(ask_endpoint(
            true, {says(200, page_json({})), says(400, error_json("invalid_request_error", "url_invalid"))})) ==
        "unknown url_invalid");
}

TEST_CASE("registering again makes no other endpoint, and adds the types that it lacks") {
  const auto again = ask_endpoint(true, {says(200, page_json({endpoint_json()}))});
  CHECK(in_words(again) == "found we_1");
  CHECK(again.result->secret.empty());
  const auto more =
      ask_endpoint(true, {says(200, page_json({endpoint_json({.left_out = 3, .more_types = "payout.paid"})})),
                          says(200, endpoint_json())});
  CHECK(in_words(more) == "changed we_1");
  CHECK(more.url(1) == "https://api.stripe.com/v1/webhook_endpoints/we_1");
  CHECK(more.body(1).starts_with("enabled_events[]=payout.paid&enabled_events[]=account.application.deauthorized&"));
  const auto enabled =
      ask_endpoint(true, {says(200, page_json({endpoint_json({.status = "disabled"})})), says(200, endpoint_json())});
  CHECK(in_words(enabled) == "changed we_1");
  CHECK(enabled.body(1).ends_with("&disabled=false"));
}

TEST_CASE("an endpoint in an answer that Stripe repeats must still be there") {
  const auto made = says_again(200, endpoint_json({.more = secret}));
  const auto gone = says(404, error_json("invalid_request_error", "resource_missing"));
  const auto there = ask_endpoint(true, {says(200, page_json({})), made, says(200, endpoint_json())});
  CHECK(in_words(there) == "made we_1");
  CHECK(there.url(2) == "https://api.stripe.com/v1/webhook_endpoints/we_1");
  const auto anew = ask_endpoint(
      true, {says(200, page_json({})), made, gone, says(200, endpoint_json({.id = "we_2", .more = secret}))});
  CHECK(in_words(anew) == "made we_2");
  CHECK(anew.header(3, "Idempotency-Key") != anew.header(1, "Idempotency-Key"));
}

TEST_CASE("the settings take the new endpoint's secret, and keep the one that they had") {
  const auto with = [](std::string_view before) {
    provider_settings values{{{"secret_key", "sk_test_1"}}};
    if (!before.empty()) values.values.emplace_back("webhook_secret", before);
    return stripe::with_endpoint(std::move(values), "we_1", "whsec_new");
  };
  CHECK(with("").find("webhook_secret") == "whsec_new");
  CHECK(with("whsec_a").find("webhook_secret") == "whsec_new,whsec_a");
  CHECK(with("whsec_a,whsec_b").find("webhook_secret") == "whsec_new,whsec_a");
  CHECK(with("whsec_new").find("webhook_secret") == "whsec_new");
  CHECK(with("").find("webhook_endpoint") == "we_1");
  CHECK(with("").find("secret_key") == "sk_test_1");
  endpoint_answer endpoint;
  endpoint.id = "we_1";
  const auto& adapter = stripe_adapter_under_test();
  CHECK(adapter.secret_of(with("whsec_a"), endpoint) == endpoint_secret::known);
  CHECK(adapter.secret_of(stripe_values(), endpoint) == endpoint_secret::unknown);
  CHECK(adapter.secret_of(provider_settings{}, endpoint) == endpoint_secret::missing);
}
