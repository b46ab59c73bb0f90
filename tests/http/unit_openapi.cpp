// docs/openapi.json is what the code does: its operations are the public listener's, its errors those of the table, its
// bodies and queries what the decoders read. Whoever changes one of them is told here what the document lacks.
#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "gateway/domain/authorize_request.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/decode_grant.hpp"
#include "http/errors.hpp"
#include "http/routes/public.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

using name_set = std::set<std::string, std::less<>>;

/// Errors that the document tells of before the gateway has them.
const name_set announced_errors{"rate_limited"};

const boost::json::value& openapi() {
  static const auto document = [] {
    std::ifstream file{GATEWAY_TEST_DATA "/../../docs/openapi.json"};
    const std::string text{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
    boost::json::parse_options options;
    options.max_depth = 64;
    return boost::json::parse(text, {}, options);
  }();
  return document;
}

std::string string_in(const boost::json::value& from) { return boost::json::value_to<std::string>(from); }

/// The part itself, or what its `$ref` names.
const boost::json::object& resolved(const boost::json::value& part) {
  const auto* ref = part.as_object().if_contains("$ref");
  if (!ref) return part.as_object();
  const auto* at = &openapi();
  auto rest = string_in(*ref).substr(2);  // behind "#/"
  for (std::size_t end = 0; end != std::string::npos; rest.erase(0, end + 1)) {
    end = rest.find('/');
    at = &at->as_object().at(rest.substr(0, end));
    if (end == std::string::npos) break;
  }
  return at->as_object();
}

/// `POST /v1/payment_intents/{}/capture`: the names of what is variable are the document's own.
std::string operation_name(std::string method, std::string_view path) {
  std::ranges::transform(method, method.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  std::string name = method + ' ';
  bool variable = false;
  for (const char c : path) {
    variable = variable && c != '}';
    if (!variable) name += c;
    variable = variable || c == '{';
  }
  return name;
}

/// By operation_name().
std::map<std::string, const boost::json::object*> documented_operations() {
  std::map<std::string, const boost::json::object*> all;
  for (const auto& path : openapi().at("paths").as_object())
    for (const auto& each : path.value().as_object())
      all.emplace(operation_name(each.key(), path.key()), &each.value().as_object());
  return all;
}

/// Pages of the portal and of the documentation are for people, and found by following links.
bool is_documented_elsewhere(std::string_view pattern) {
  return pattern.starts_with("/portal/") || pattern.starts_with("/docs/") || pattern == "/openapi.json";
}

name_set parameters_of(const boost::json::object& operation, std::string_view where) {
  name_set found;
  for (const auto& each : operation.at("parameters").as_array()) {
    const auto& parameter = resolved(each);
    if (string_in(parameter.at("in")) == where) found.insert(string_in(parameter.at("name")));
  }
  return found;
}

std::string name_of_scope(scope wanted) {
  const auto at = std::ranges::find(scope_names, wanted, &scope_name::value);
  return std::string{at->name};
}

// ---- errors ---------------------------------------------------------------------------------------

struct documented_error {
  int status = 0;
  boost::json::value body;
  std::string description;

  /// Empty where the body has no code of ours.
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
  const auto& shared = openapi().at("components").at("responses");
  add_errors(all, std::to_string(row_of(error_code::not_found).status), shared.at("NotFound"));
  add_errors(all, std::to_string(row_of(error_code::method_not_allowed).status), shared.at("MethodNotAllowed"));
  return all;
}

/// Whether the example shows what callers get. Bodies that carry the merchant or the payment are compared by their
/// code.
bool shows(const documented_error& example, const error_row& row) {
  if (example.status != row.status) return false;
  if (row.code == error_code::checkout_failed)
    return example.body.as_object().contains("checkout_session_id") ||
           (example.code().empty() && example.body.at("status") == "failed");
  const bool partly = row.shape == body_shape::envelope || row.code == error_code::merchant_not_charge_capable;
  if (partly) return example.code() == row.text;
  const auto operation = row.code == error_code::provider_operation_unsupported ? "capture" : "";
  return example.body == boost::json::parse(error_body(row.code, {}, "https://gateway.example", operation));
}

// ---- bodies ---------------------------------------------------------------------------------------

using why_not = std::optional<rejection>;

template <class T>
why_not only_rejection(decoded<T> result) {
  auto* wrong = std::get_if<rejection>(&result);
  return wrong ? std::optional{std::move(*wrong)} : std::nullopt;
}

struct body_decoder {
  std::string operation;
  std::span<const std::string_view> fields;
  why_not (*decode)(std::string_view body);
};

constexpr decode_context any_context{environment::live, 32};

const std::vector<body_decoder> body_decoders{
    {"createPayment", fields_of::create,
     [](std::string_view b) { return only_rejection(decode_create(b, any_context)); }},
    {"capturePayment", fields_of::capture,
     [](std::string_view b) { return only_rejection(decode_capture(b, any_context)); }},
    {"refundPayment", fields_of::refund,
     [](std::string_view b) { return only_rejection(decode_refund(b, any_context)); }},
    {"voidPayment", fields_of::voiding, [](std::string_view b) { return only_rejection(decode_void(b, any_context)); }},
    {"chargeSavedMethod", fields_of::charge,
     [](std::string_view b) { return only_rejection(decode_charge(b, any_context)); }},
    {"createSubscriptionCheckout", fields_of::subscription,
     [](std::string_view b) { return only_rejection(decode_subscription(b, any_context)); }},
    {"exchangeConnectToken", fields_of::token, [](std::string_view b) { return only_rejection(decode_token(b, 32)); }},
    {"revokeGrant", fields_of::revoke, [](std::string_view b) { return only_rejection(decode_revoke_reason(b, 32)); }},
    {"revokePlatformKey", {}, [](std::string_view b) { return check_no_fields(b, 32); }},
    {"exchangeSetupToken", fields_of::setup_token,
     [](std::string_view b) { return only_rejection(decode_setup_token(b, 32)); }},
    {"confirmSandboxAction", fields_of::sdk_confirmation,
     [](std::string_view b) { return only_rejection(decode_sdk_confirmation(b, 32)); }},
};

/// What has a JSON body, by operationId. Notifications are in the providers' own forms.
std::map<std::string, const boost::json::object*> documented_bodies() {
  std::map<std::string, const boost::json::object*> all;
  for (const auto& [name, operation] : documented_operations()) {
    const auto id = string_in(operation->at("operationId"));
    const auto* body = operation->if_contains("requestBody");
    const auto* as_json = body ? body->at("content").as_object().if_contains("application/json") : nullptr;
    if (as_json && id != "receiveProviderNotification") all.emplace(id, &as_json->as_object());
  }
  return all;
}

/// Values of a property at the bounds that its schema names, and beyond them.
struct property_values {
  std::vector<boost::json::value> allowed, forbidden;
};

property_values values_of(const boost::json::object& schema, const boost::json::value* example) {
  property_values made{{}, {boost::json::array{1}}};
  const auto bound = [&](const char* name) -> std::optional<std::int64_t> {
    const auto* at = schema.if_contains(name);
    return at ? std::optional{at->to_number<std::int64_t>()} : std::nullopt;
  };
  if (const auto most = bound("maxLength")) {
    const auto* known = example ? nullptr : schema.if_contains("examples");
    auto text = example ? string_in(*example) : known ? string_in(known->at(0)) : std::string{"a"};
    text.resize(static_cast<std::size_t>(*most), 'a');
    made.allowed.emplace_back(text);
    made.forbidden.emplace_back(text + 'a');
  }
  if (const auto most = bound("maximum")) {
    made.allowed.emplace_back(*most);
    made.forbidden.emplace_back(*most + 1);
  }
  if (const auto least = bound("minimum")) {
    made.allowed.emplace_back(*least);
    made.forbidden.emplace_back(*least - 1);
  }
  if (schema.contains("enum") || schema.contains("const") || schema.contains("pattern"))
    made.forbidden.emplace_back("no such: ?");
  return made;
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
    const auto told = string_in(operation.at("description"));
    CHECK((told.find("Scope: `") != told.npos) == for_merchant);
    if (for_merchant) CHECK(told.ends_with("Scope: `" + name_of_scope(way.allowed_by) + "`."));

    name_set read;
    if (for_merchant) read.emplace(environment_parameter);
    if (way.pattern == "/v1/customers/by_ref") read.emplace(customer_ref_parameter);
    if (way.pattern == "/connect/authorize") read.insert(authorize_parameters.begin(), authorize_parameters.end());
    CHECK(parameters_of(operation, "query") == read);
  }
}

TEST_CASE("the document tells of every error that callers of the interface can get, in the gateway's words") {
  const auto examples = documented_errors();
  for (const auto& row : error_catalogue()) {
    if (row.code == error_code::conflict) continue;  // of operators' commands
    CAPTURE(row.text, row.status);
    const auto shown = std::ranges::find_if(examples, [&](const auto& each) { return shows(each, row); });
    CHECK(shown != examples.end());
    if (shown != examples.end()) CHECK(shown->description == row.about);
  }
}

TEST_CASE("the document tells of no error that there is not") {
  std::set<std::pair<int, std::string>> known;
  for (const auto& row : error_catalogue()) known.emplace(row.status, std::string{row.text});
  for (const auto& each : documented_errors()) {
    CAPTURE(each.status, boost::json::serialize(each.body));
    const auto code = each.code();
    CHECK((code.empty() || announced_errors.contains(code) || known.contains({each.status, code})));
  }
}

TEST_CASE("every answer has the headers that every answer has, and some that belong to its status") {
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
      CHECK(headers.contains("RateLimit") == headers.contains("RateLimit-Policy"));
      if (status == status::ok && !operation->at("security").as_array().empty()) CHECK(headers.contains("RateLimit"));
    }
}

TEST_CASE("the document has the bodies that are decoded, and no others") {
  name_set decoded_ones, documented;
  for (const auto& each : body_decoders) decoded_ones.insert(each.operation);
  for (const auto& [id, body] : documented_bodies()) documented.insert(id);
  CHECK(decoded_ones == documented);
}

TEST_CASE(
    "a body has in the document the fields that its decoder reads, and is refused where a field is not as the document "
    "says") {
  const auto documented = documented_bodies();
  for (const auto& decoder : body_decoders) {
    CAPTURE(decoder.operation);
    const auto& body = *documented.at(decoder.operation);
    name_set described;
    const auto* properties = resolved(body.at("schema")).if_contains("properties");
    if (properties)
      for (const auto& property : properties->as_object()) described.insert(property.key());
    CHECK(described == name_set(decoder.fields.begin(), decoder.fields.end()));

    const auto& examples = body.at("examples").as_object();
    for (const auto& example : examples) {
      const auto text = boost::json::serialize(example.value().at("value"));
      CAPTURE(text);
      const auto why = decoder.decode(text);
      CHECK((why ? why->message : "") == "");
    }
    if (!properties) continue;
    const auto& whole = examples.begin()->value().at("value").as_object();
    for (const auto& property : properties->as_object()) {
      const auto name = std::string{property.key()};
      const auto with = [&](const boost::json::value& value) {
        auto changed = whole;
        changed[name] = value;
        return decoder.decode(boost::json::serialize(changed));
      };
      const auto values = values_of(resolved(property.value()), whole.if_contains(name));
      for (const auto& right : values.allowed) {
        CAPTURE(name, boost::json::serialize(right).substr(0, 80));
        CHECK_FALSE(with(right));
      }
      for (const auto& wrong : values.forbidden) {
        CAPTURE(name, boost::json::serialize(wrong).substr(0, 80));
        const auto why = with(wrong);
        CHECK(why);
        if (why) CHECK(why->message.starts_with(name));
      }
    }
    const auto* required = resolved(body.at("schema")).if_contains("required");
    if (!required) continue;
    for (const auto& name : required->as_array()) {
      auto without = whole;
      without.erase(name.as_string());
      CAPTURE(string_in(name));
      CHECK(decoder.decode(boost::json::serialize(without)));
    }
  }
}
