// docs/openapi.json describes the code: its operations are the public listener's, and its errors those of the table.
// After a change to either, these tests say what the document lacks. unit_openapi_bodies.cpp covers bodies.
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "gateway/domain/authorize_request.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/list_query.hpp"
#include "http/docs/error_texts.hpp"
#include "http/errors.hpp"
#include "http/table/public.hpp"
#include "openapi_document.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

/// Pages of the portal and of the documentation are for people, who find them by links.
bool is_documented_elsewhere(std::string_view pattern) {
  return pattern == "/portal" || pattern.starts_with("/portal/") || pattern == "/docs" ||
         pattern.starts_with("/docs/") || pattern == "/openapi.json";
}

std::string name_of_scope(scope wanted) {
  const auto at = std::ranges::find(scope_names, wanted, &scope_name::value);
  return std::string{at->name};
}

/// Empty of an operation that lists nothing.
std::span<const std::string_view> filters_of(std::string_view operation) {
  if (operation == "GET /v1/payment_intents") return payment_filters;
  if (operation == "GET /v1/disputes") return dispute_filters;
  if (operation == "GET /v1/customers") return customer_filters;
  if (operation == "GET /v1/subscriptions") return subscription_filters;
  if (operation == "GET /v1/events") return event_filters;
  return {};
}

void add_list_parameters(name_set& to, std::span<const std::string_view> filters) {
  to.insert(filters.begin(), filters.end());
  to.emplace(list_query::limit_parameter);
  to.emplace(list_query::after_parameter);
}

// ---- errors ---------------------------------------------------------------------------------------

struct documented_error {
  int status = 0;
  boost::json::value body;
  std::string description;

  /// Empty if the body has no error code of the gateway.
  std::string code() const {
    const auto* error = body.as_object().if_contains("error");
    if (!error) return {};
    if (error->is_string()) return string_in(*error);
    const bool providers = error->as_object().contains("category");
    return providers ? std::string{} : string_in(error->at("code"));
  }
};

void add_errors(std::vector<documented_error>& to, const std::string& status, const boost::json::value& answer) {
  const auto* content = resolved(answer).if_contains("content");
  const auto* as_json = content ? content->as_object().if_contains("application/json") : nullptr;
  const auto* examples = as_json ? as_json->as_object().if_contains("examples") : nullptr;
  if (!examples) return;
  for (const auto& each : examples->as_object()) {
    const auto& example = resolved(each.value());
    const auto* about = example.if_contains("description");
    to.push_back({std::stoi(status), example.at("value"), about ? string_in(*about) : std::string{}});
  }
}

std::vector<documented_error> documented_errors() {
  std::vector<documented_error> all;
  for (const auto& [name, operation] : documented_operations())
    for (const auto& answer : operation->at("responses").as_object())
      if (answer.key() >= "400") add_errors(all, answer.key(), answer.value());
  const auto& shared = openapi_document().at("components").at("responses");
  add_errors(all, std::to_string(row_of(error_code::not_found).status), shared.at("NotFound"));
  add_errors(all, std::to_string(row_of(error_code::method_not_allowed).status), shared.at("MethodNotAllowed"));
  return all;
}

/// Whether the example equals the real answer. Bodies that contain the merchant or the payment are compared by their
/// code.
bool is_example_of(const documented_error& example, const error_row& row) {
  if (example.status != row.status) return false;
  if (row.code == error_code::checkout_failed)
    return example.body.as_object().contains("checkout_session_id") ||
           (example.code().empty() && example.body.at("status") == "failed");
  const bool partly = row.shape == body_shape::envelope || row.code == error_code::merchant_not_charge_capable;
  if (partly) return example.code() == row.text;
  const auto operation = row.code == error_code::provider_operation_unsupported ? "capture" : "";
  return example.body == boost::json::parse(error_body(row.code, {}, "https://gateway.example", operation));
}

}  // namespace

TEST_CASE("the document has every endpoint of the public listener, and no other") {
  name_set served, documented;
  for (const auto& way : public_endpoints())
    if (!is_documented_elsewhere(way.pattern)) served.insert(operation_name(std::string{way.method}, way.pattern));
  for (const auto& [name, operation] : documented_operations()) documented.insert(name);
  CHECK(served == documented);
}

TEST_CASE("an operation is signed, deprecated and bound to a merchant in the document as in the table") {
  const auto documented = documented_operations();
  for (const auto& way : public_endpoints()) {
    const auto at = documented.find(operation_name(std::string{way.method}, way.pattern));
    if (at == documented.end()) continue;
    CAPTURE(at->first);
    const auto& operation = *at->second;
    const bool is_signed = way.needs == access::signed_read || way.needs == access::signed_write;
    const bool for_merchant = is_signed && way.subject != acts_as::platform;
    CHECK(operation.at("security").as_array().empty() == !is_signed);
    const auto* deprecated = operation.if_contains("deprecated");
    CHECK((deprecated && deprecated->as_bool()) == way.ends.has_value());
    if (way.ends) {
      CHECK_FALSE(way.ends->link.empty());
      CHECK((!way.ends->sunset || *way.ends->sunset >= way.ends->since));
    }
    const auto headers = parameters_of(operation, "header");
    CHECK(headers.contains("Idempotency-Key") == (way.needs == access::signed_write));
    CHECK(headers.contains("Service-Merchant") == for_merchant);
    const auto reported = string_in(operation.at("description"));
    CHECK((reported.find("Scope: `") != reported.npos) == for_merchant);
    if (for_merchant) CHECK(reported.ends_with("Scope: `" + name_of_scope(way.allowed_by) + "`."));

    name_set read;
    if (for_merchant) read.emplace(environment_parameter);
    if (way.pattern == "/v1/customers/by_ref") read.emplace(customer_ref_parameter);
    const auto filters = filters_of(operation_name(std::string{way.method}, way.pattern));
    if (!filters.empty()) add_list_parameters(read, filters);
    if (way.pattern == "/connect/authorize") read.insert(authorize_parameters.begin(), authorize_parameters.end());
    CHECK(parameters_of(operation, "query") == read);
  }
}

TEST_CASE("the bounds of a list's limit are those that the reader of lists has") {
  const auto& schema = openapi_document().at("components").at("parameters").at("Limit").at("schema");
  CHECK(schema.at("minimum") == 1);
  CHECK(schema.at("maximum") == most_listed);
  CHECK(schema.at("default") == usually_listed);
}

TEST_CASE("the document has every error that callers of the interface can get, with the gateway's texts") {
  const auto examples = documented_errors();
  for (const auto& row : error_catalogue()) {
    if (row.code == error_code::conflict) continue;  // operators' commands only
    CAPTURE(row.text, row.status);
    const auto shown = std::ranges::find_if(examples, [&](const auto& each) { return is_example_of(each, row); });
    CHECK(shown != examples.end());
    if (shown != examples.end()) CHECK(shown->description == text_about(row.code));
  }
}

TEST_CASE("the document has no error that does not exist") {
  std::set<std::pair<int, std::string>> known;
  for (const auto& row : error_catalogue()) known.emplace(row.status, std::string{row.text});
  for (const auto& each : documented_errors()) {
    CAPTURE(each.status, boost::json::serialize(each.body));
    const auto code = each.code();
    CHECK((code.empty() || known.contains({each.status, code})));
  }
}

TEST_CASE("every answer has the headers of all answers, and those of its status") {
  for (const auto& [name, operation] : documented_operations())
    for (const auto& answer : operation->at("responses").as_object()) {
      CAPTURE(name, std::string{answer.key()});
      const auto& headers = resolved(answer.value()).at("headers").as_object();
      for (const auto* header : {"Request-Id", "Cache-Control"}) CHECK(headers.contains(header));
      const auto status = std::stoi(std::string{answer.key()});
      if (status == row_of(error_code::overloaded).status) CHECK(headers.contains("Retry-After"));
      if (status == status::see_other) CHECK(headers.contains("Location"));
      if (status == status::ok && parameters_of(*operation, "header").contains("Idempotency-Key"))
        CHECK(headers.contains("Idempotent-Replayed"));
      // Requests that are not read whole, or not authenticated, are not looked at for ignored fields.
      const std::set<int> before{401, 408, 413, 431};
      const auto asked = parameters_of(*operation, "header");
      if (asked.contains("Idempotency-Key") && asked.contains("Service-Merchant"))
        CHECK(headers.contains("Ignored-Fields") != before.contains(status));
      CHECK(headers.contains("RateLimit") == headers.contains("RateLimit-Policy"));
      if (status == status::ok && !operation->at("security").as_array().empty()) CHECK(headers.contains("RateLimit"));
    }
}
