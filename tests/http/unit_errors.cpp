// The form of every error, and that every one is documented.
#include <map>
#include <set>

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "http/call/error_style.hpp"
#include "http/docs/documents.hpp"
#include "http/docs/error_texts.hpp"
#include "http/errors.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {
constexpr std::string_view base = "https://pay.example";
boost::json::object parsed(std::string_view body) { return boost::json::parse(body).as_object(); }
}  // namespace

TEST_CASE("every problem of the domain has its status, text, shape and whether it is stored") {
  using enum body_shape;
  struct {
    problem why;
    int status;
    std::string_view text;
    body_shape shape;
    bool stored;
  } const rows[] = {
      {problem::payment_not_found, 404, "payment_not_found", plain, false},
      {problem::payment_already_exists, 409, "payment already exists", plain, false},
      {problem::merchant_not_charge_capable, 422, "merchant_not_charge_capable", typed, false},
      {problem::no_eligible_provider, 422, "ROUTING_NO_ELIGIBLE_PROVIDER", typed, false},
      {problem::platform_key_required, 422, "platform_key_required", typed, false},
      {problem::invalid_grant, 400, "invalid_grant", described, false},
      {problem::grant_not_found, 404, "GRANT_NOT_FOUND", plain, false},
      {problem::grant_not_covering, 403, "forbidden", plain, false},
      {problem::platform_suspended, 401, "PLATFORM_SUSPENDED", described, false},
      {problem::key_ended, 401, "unauthorized", described, false},
      {problem::grant_ended, 403, "GRANT_NOT_FOUND", plain, false},
      {problem::customer_not_found, 404, "customer_not_found", plain, false},
      {problem::subscription_not_found, 404, "subscription_not_found", plain, false},
      {problem::subscription_already_exists, 409, "subscription already exists", plain, false},
      {problem::no_saved_method, 400, "server_flow_requires_payment_method", plain, false},
      {problem::wallet_not_available, 422, "wallet_not_available", typed, false},
      {problem::currency_not_supported, 400, "currency_not_supported", plain, false},
      {problem::request_in_progress, 409, "request already processing", plain, false},
      {problem::idempotency_key_reused, 409, "IDEMPOTENCY_KEY_REUSED", plain, false},
      {problem::overloaded, 503, "overloaded", plain, false},
      {problem::provider_unavailable, 503, "provider_unavailable", plain, false},
      {problem::notification_not_found, 404, "not_found", plain, false},
      {problem::account_lookup_failed, 500, "CONNECTED_ACCOUNT_LOOKUP_ERROR", plain, false},
      {problem::store_unavailable, 503, "store_unavailable", plain, false},
      {problem::outcome_pending_timeout, 503, "answer_timeout", plain, false},
      {problem::not_capturable, 409, "payment not authorized for capture", plain, true},
      {problem::not_voidable, 409, "payment not voidable in current state", plain, true},
      {problem::not_cancellable, 409, "payment not cancellable in current state", plain, true},
      {problem::not_refundable, 409, "payment not refundable in current state", plain, true},
      {problem::payment_disputed, 409, "payment disputed", plain, true},
      {problem::refund_already_recorded, 409, "conflict", plain, false},
      {problem::nothing_to_settle, 409, "conflict", plain, false},
      {problem::impossible_at_provider, 409, "conflict", plain, false},
      {problem::refund_exceeds_captured, 422, "refund amount exceeds captured amount", bare, true},
      {problem::capture_exceeds_authorized, 422, "capture_amount_exceeds_authorized", typed, true},
      {problem::capture_unsupported, 422, "provider_operation_unsupported", typed, true},
      {problem::void_unsupported, 422, "provider_operation_unsupported", typed, true},
      {problem::payment_outcome_pending, 409, "payment outcome pending", plain, true},
      {problem::refund_not_supported, 502, "refund not supported by configured provider", envelope, true},
      {problem::void_not_supported, 502, "void not supported by configured provider", envelope, true},
      {problem::refund_rejected, 502, "refund rejected by provider", envelope, true},
      {problem::void_rejected, 502, "void rejected by provider", envelope, true},
      {problem::provider_outcome_unknown, 502, "provider outcome unknown", envelope, true},
  };
  std::set<problem> seen;
  for (const auto& expected : rows) {
    INFO(expected.text);
    const auto& row = row_of(code_of(expected.why));
    CHECK(row.status == expected.status);
    CHECK(row.text == expected.text);
    CHECK(row.shape == expected.shape);
    CHECK(row.stored == expected.stored);
    seen.insert(expected.why);
  }
  CHECK(seen.size() == static_cast<std::size_t>(problem::provider_outcome_unknown) + 1);
}

TEST_CASE("the shape follows from the status") {
  using enum body_shape;
  for (const auto& row : error_catalogue()) {
    INFO(row.text);
    if (row.status == 401)
      CHECK(row.shape == described);
    else if (row.status == 422)
      CHECK((row.shape == typed || row.shape == bare));
    else if (row.status == 502)
      CHECK(row.shape == envelope);
    else if (row.code == error_code::oauth_invalid_request || row.code == error_code::invalid_grant)
      CHECK(row.shape == described);  // the token endpoint describes all its errors
    else
      CHECK(row.shape == plain);
  }
}

TEST_CASE("a 401 says error and error_description") {
  CHECK(error_response(error_code::unauthorized, "Why.").body ==
        R"({"error":"unauthorized","error_description":"Why."})");
  CHECK(error_response(error_code::platform_key_invalid).status == 401);
}

TEST_CASE("a plain error says error and message, and escapes what a caller sent") {
  const auto out = error_response(error_code::invalid_request, "a\"b\n: no");
  CHECK(out.status == 400);
  CHECK(parsed(out.body).at("message").as_string() == "a\"b\n: no");
  CHECK(error_response(error_code::not_found).body ==
        R"({"error":"not_found","message":"There is nothing at this address."})");
}

TEST_CASE("a typed 422 carries code, message and where to read more") {
  const auto error = parsed(error_response(problem::platform_key_required, base).body).at("error").as_object();
  CHECK(error.at("code").as_string() == "platform_key_required");
  CHECK_FALSE(error.at("message").as_string().empty());
  CHECK(error.at("docs_url").as_string() == "https://pay.example/docs/errors#platform_key_required");
}

TEST_CASE("an unsupported operation is named, and a refund too large has only its message") {
  const auto error =
      parsed(error_body(error_code::provider_operation_unsupported, {}, base, "capture")).at("error").as_object();
  CHECK(error.at("operation").as_string() == "capture");
  CHECK(operation_of(problem::void_unsupported) == "void");
  CHECK(error_body(error_code::refund_exceeds_captured, {}, base) ==
        R"({"error":"refund amount exceeds captured amount"})");
}

TEST_CASE("every error says where it is explained, save the refund that is too large") {
  for (const auto& row : error_catalogue()) {
    INFO(row.text);
    auto out = error_response(row.code, {}, base);
    add_docs_url(out, base);
    const auto body = parsed(out.body);
    const auto& holder = row.shape == body_shape::typed ? body.at("error").as_object() : body;
    const auto* url = holder.if_contains("docs_url");
    // The encoders of payments and subscriptions write the bodies of the shape `envelope`.
    if (row.shape == body_shape::bare || row.shape == body_shape::envelope) {
      CHECK_FALSE(url);
      continue;
    }
    REQUIRE(url);
    CHECK(url->as_string() == docs_url(base, row));
    CHECK(out.body == error_body(row.code, {}, base));  // as it is stored
    const auto once = out.body;
    add_docs_url(out, base);
    CHECK(out.body == once);
  }
}

TEST_CASE("an error in OAuth's shape says where it is explained, whatever its usual shape") {
  for (const auto code : {error_code::invalid_grant, error_code::platform_key_required, error_code::overloaded}) {
    auto out = error_response(error_style::oauth, code, {}, base);
    add_docs_url(out, base);
    const auto body = parsed(out.body);
    CHECK(body.at("error").as_string() == row_of(code).text);
    CHECK(body.at("docs_url").as_string() == docs_url(base, row_of(code)));
  }
}

TEST_CASE("a rejection lists its fields between the message and the docs_url") {
  const rejection why{error_code::invalid_request, "a: no", {{"a", "a: no"}, {"b\"", "b\": is required"}}};
  auto out = error_response(why);
  add_docs_url(out, base);
  CHECK(out.body == R"({"error":"invalid_request","message":"a: no","fields":[{"name":"a","message":"a: no"},)"
                    R"({"name":"b\"","message":"b\": is required"}],)"
                    R"("docs_url":"https://pay.example/docs/errors#invalid_request"})");
  auto described = error_response(error_style::oauth, why);
  add_docs_url(described, base);
  CHECK(described.body ==
        R"({"error":"invalid_request","error_description":"a: no","fields":[{"name":"a","message":"a: no"},)"
        R"({"name":"b\"","message":"b\": is required"}],)"
        R"("docs_url":"https://pay.example/docs/errors#invalid_request"})");
}

TEST_CASE("a code that is always about one field names it") {
  const auto name = [](error_code code) {
    return parsed(error_response(code).body).at("fields").at(0).at("name").as_string();
  };
  CHECK(name(error_code::currency_not_supported) == "currency");
  CHECK(name(error_code::server_flow_requires_payment_method) == "payment_method");
  for (const auto code : {error_code::invalid_environment, error_code::idempotency_key_required,
                          error_code::merchant_id_mismatch, error_code::bad_request})
    CHECK_FALSE(parsed(error_response(code).body).contains("fields"));
}

TEST_CASE("every 503 and 429 has Retry-After") {
  CHECK(row_of(error_code::rate_limited).status == 429);
  for (const auto& row : error_catalogue()) {
    if (row.status != 503 && row.status != 429) continue;
    INFO(row.text);
    const auto out = error_response(row.code);
    REQUIRE(out.headers.size() == 1);
    CHECK(out.headers.front().first == "Retry-After");
    CHECK(out.headers.front().second == "1");
    if (row.code != error_code::not_ready) CHECK(out.body.find("same Idempotency-Key") != std::string::npos);
  }
}

TEST_CASE("the text of each 503 says whether the request may have had an effect") {
  const auto says = [](error_code code, std::string_view words) {
    return text_about(code).find(words) != std::string::npos;
  };
  CHECK(says(error_code::overloaded, "did nothing and recorded nothing"));
  CHECK(says(error_code::provider_unavailable, "Nothing was begun and nothing recorded"));
  CHECK(says(error_code::recovery_required, "nothing was done and nothing recorded"));
  for (const auto code : {error_code::store_unavailable, error_code::stopping}) {
    INFO(row_of(code).text);
    CHECK(says(code, "may have been carried out"));
    CHECK(says(code, "it is not executed again"));
  }
  CHECK(says(error_code::answer_timeout, "It runs on to its end"));
  const auto page = document_page("idempotency").value().body;
  for (const auto* code : {"store_unavailable", "stopping", "answer_timeout"}) {
    INFO(code);
    const auto at = page.find(std::string{"<code>"} + code);
    REQUIRE(at != page.npos);
    CHECK(page.substr(at, page.find("</tr>", at) - at).find("may have been carried out") != std::string::npos);
  }
}

TEST_CASE("the documentation has an anchor and a paragraph for every code") {
  const auto page = document_page("errors").value();
  CHECK(page.status == 200);
  for (const auto& row : error_catalogue()) {
    INFO(row.text);
    CHECK(text_about(row.code).size() > 60);
    const auto anchor = anchor_of(row);
    CHECK(anchor.find(' ') == std::string::npos);
    CHECK(page.body.find("<section id=\"" + anchor + "\"") != std::string::npos);
  }
  CHECK(page.body.find("{{") == std::string::npos);
}

TEST_CASE("a code with two forms has one section, which describes both") {
  auto page = document_page("errors").value().body;
  for (auto at = page.find("&#39;"); at != page.npos; at = page.find("&#39;", at)) page.replace(at, 5, "'");
  std::map<std::string, int> rows;
  for (const auto& row : error_catalogue()) ++rows[anchor_of(row)];
  CHECK(rows.at("invalid_request") == 2);
  CHECK(rows.at("GRANT_NOT_FOUND") == 2);
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (auto at = page.find(text); at != page.npos; at = page.find(text, at + 1)) ++found;
    return found;
  };
  for (const auto& [anchor, times] : rows) {
    INFO(anchor);
    CHECK(count("id=\"" + anchor + "\"") == 1);
    CHECK(count("href=\"#" + anchor + "\"") == 2);  // one in the list, and one in its own section
    CHECK(count("id=\"" + anchor + "-name\"") == 1);
    const auto begin = page.find("<section id=\"" + anchor + "\"");
    const auto section = page.substr(begin, page.find("</section>", begin) - begin);
    for (const auto& row : error_catalogue()) {
      if (anchor_of(row) != anchor) continue;
      const auto about = text_about(row.code);
      CHECK(section.find("HTTP status " + std::to_string(row.status)) != std::string::npos);
      CHECK(section.find(about.substr(0, about.find_first_of("\"&<>"))) != std::string::npos);
    }
  }
}

TEST_CASE("an error that platforms' endpoints also return says so") {
  const std::string_view key = text_about(error_code::platform_key_required);
  for (const auto* words : {"exchange of a code", "revoke"}) CHECK(key.find(words) != key.npos);
  const std::string_view other = text_about(error_code::merchant_id_mismatch);
  CHECK(other.find("platform") != other.npos);
}
