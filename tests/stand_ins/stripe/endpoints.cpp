// The platform's endpoints for events. They are kept; the stand-in posts to the address that it was started with.

#include <algorithm>

#include "operations.hpp"

namespace gateway::stripe_stand_in {

namespace json = boost::json;

namespace {

using enum shape;

bool exists(const json::object& endpoint) { return text_of(endpoint, "status") != "_deleted"; }

json::object* find_endpoint(draft& in, const std::string& id) {
  auto* found = in.find("webhook_endpoint", id);
  return found && exists(*found) ? found : nullptr;
}

/// The secret is shown only by the request that makes the endpoint.
answer shown_endpoint(const draft& in, const json::object& endpoint, const json::value* secret = nullptr) {
  auto seen = shown(in.stored(), endpoint).as_object();
  if (secret) seen["secret"] = *secret;
  return json_answer(200, seen);
}

json::array types_in(const form& given) {
  json::array types;
  for (const auto& each : given.list("enabled_events")) types.emplace_back(each);
  return types;
}

}  // namespace

answer create_endpoint(draft& in, const form& given) {
  static constexpr parameter known[]{
      {"url", url, true}, {"enabled_events[#]", text}, {"connect", boolean}, {"api_version"},
      {"description"},    {"metadata[*]", metadata},   {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  if (given.list("enabled_events").empty())
    return invalid("Missing required param: enabled_events.", "parameter_missing", "enabled_events");
  auto& endpoint = in.make("webhook_endpoint", "we_");
  endpoint["api_version"] = given.find("api_version") ? json::value(given.text("api_version")) : json::value(nullptr);
  endpoint["application"] = given.flag("connect") ? json::value("ca_stand_in") : json::value(nullptr);
  endpoint["description"] = given.text("description");
  endpoint["enabled_events"] = types_in(given);
  endpoint["metadata"] = given.texts_under("metadata");
  endpoint["status"] = "enabled";
  endpoint["url"] = given.text("url");
  const json::value secret(random_id("whsec_"));
  return shown_endpoint(in, endpoint, &secret);
}

answer update_endpoint(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"url", url},    {"enabled_events[#]", text}, {"disabled", boolean},
                                     {"description"}, {"metadata[*]", metadata},   {"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  auto* endpoint = find_endpoint(in, id);
  if (!endpoint) return missing("webhook endpoint", id);
  if (const auto types = types_in(given); !types.empty()) (*endpoint)["enabled_events"] = types;
  if (given.find("disabled")) (*endpoint)["status"] = given.flag("disabled") ? "disabled" : "enabled";
  if (given.find("url")) (*endpoint)["url"] = given.text("url");
  return shown_endpoint(in, *endpoint);
}

answer retrieve_endpoint(draft& in, const form& given, const std::string& id) {
  static constexpr parameter known[]{{"expand[#]"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  const auto* endpoint = find_endpoint(in, id);
  return endpoint ? shown_endpoint(in, *endpoint) : missing("webhook endpoint", id);
}

answer list_endpoints(draft& in, const form& given) {
  static constexpr parameter known[]{{"limit", integer}, {"starting_after"}, {"ending_before"}};
  if (const auto fault = fault_of(given, known)) return *fault;
  auto found = in.stored().all("webhook_endpoint", in.who());
  std::erase_if(found, [](const auto* each) { return !exists(*each); });
  return list_of(in.stored(), found, given, "/v1/webhook_endpoints");
}

answer delete_endpoint(draft& in, const std::string& id) {
  auto* endpoint = find_endpoint(in, id);
  if (!endpoint) return missing("webhook endpoint", id);
  (*endpoint)["status"] = "_deleted";
  return json_answer(200, json::object{{"id", id}, {"object", "webhook_endpoint"}, {"deleted", true}});
}

}  // namespace gateway::stripe_stand_in
