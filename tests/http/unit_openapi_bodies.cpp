// Bodies in docs/openapi.json are those that the decoders read: the same fields, with the same bounds.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "http/codec/body_fields.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/decode_grant.hpp"
#include "openapi_document.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

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
    {"createPayment", body_fields::create,
     [](std::string_view b) { return only_rejection(decode_create(b, any_context)); }},
    {"capturePayment", body_fields::capture,
     [](std::string_view b) { return only_rejection(decode_capture(b, any_context)); }},
    {"refundPayment", body_fields::refund,
     [](std::string_view b) { return only_rejection(decode_refund(b, any_context)); }},
    {"voidPayment", body_fields::voiding,
     [](std::string_view b) { return only_rejection(decode_void(b, any_context)); }},
    {"cancelPayment", body_fields::cancel,
     [](std::string_view b) { return only_rejection(decode_cancel(b, any_context)); }},
    {"chargeSavedMethod", body_fields::charge,
     [](std::string_view b) { return only_rejection(decode_charge(b, any_context)); }},
    {"createSubscriptionCheckout", body_fields::subscription,
     [](std::string_view b) { return only_rejection(decode_subscription(b, any_context)); }},
    {"exchangeConnectToken", body_fields::token,
     [](std::string_view b) { return only_rejection(decode_token(b, 32)); }},
    {"revokeGrant", body_fields::revoke,
     [](std::string_view b) { return only_rejection(decode_revoke_reason(b, 32)); }},
    {"revokePlatformKey", {}, [](std::string_view b) { return check_no_fields(b, 32); }},
    {"exchangeSetupToken", body_fields::setup_token,
     [](std::string_view b) { return only_rejection(decode_setup_token(b, 32)); }},
    {"confirmSandboxAction", body_fields::sdk_confirmation,
     [](std::string_view b) { return only_rejection(decode_sdk_confirmation(b, 32)); }},
};

/// The operations with a JSON body, by operationId. Notifications are in the providers' own formats.
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

/// Values of a property at and beyond the bounds of its schema.
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

TEST_CASE("the document has exactly the bodies that are decoded") {
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
