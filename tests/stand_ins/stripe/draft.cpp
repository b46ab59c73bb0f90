#include "draft.hpp"

#include <algorithm>

namespace gateway::stripe_stand_in {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

std::int64_t number_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_int64() ? value->as_int64() : 0;
}

json::object* draft::find(std::string_view kind, std::string_view id) {
  if (const auto at = changed_.find(id); at != changed_.end())
    return text_of(at->second, "object") == kind ? &at->second : nullptr;
  const auto* known = all_.find(kind, id, who_);
  if (!known) return nullptr;
  order_.emplace_back(id);
  return &changed_.emplace(id, *known).first->second;
}

json::object& draft::make(std::string_view kind, std::string_view id_prefix) {
  const auto id = random_id(id_prefix);
  order_.push_back(id);
  auto& made = changed_[id];
  made = {{"id", id},
          {"object", kind},
          {"created", now()},
          {"livemode", who_.live},
          {"_account", who_.account},
          {"_version", who_.version}};
  return made;
}

void draft::notify(std::string_view type, const json::object& about, const json::object& previous,
                   std::string_view account) {
  json::object data{{"object", shown(all_, about)}};
  if (type.ends_with(".updated") || type == "payment_method.detached") data["previous_attributes"] = previous;
  json::object event{{"id", random_id("evt_")},
                     {"object", "event"},
                     {"account", account.empty() ? std::string_view{who_.account} : account},
                     {"api_version", who_.version},
                     {"created", now()},
                     {"data", std::move(data)},
                     {"livemode", who_.live},
                     {"pending_webhooks", 1},
                     {"type", type}};
  json::object request{{"id", nullptr}, {"idempotency_key", nullptr}};
  if (!who_.request_id.empty()) request["id"] = who_.request_id;
  if (!who_.idempotency_key.empty()) request["idempotency_key"] = who_.idempotency_key;
  event["request"] = std::move(request);
  if (!posts_) event["_unposted"] = true;
  events_.push_back(std::move(event));
}

void draft::effect(std::string_view kind, const json::object& of, std::int64_t amount, std::string_view currency) {
  const auto* metadata = of.if_contains("metadata");
  effect_ = {{"kind", kind}, {"object", of.at("id")}, {"amount", amount}, {"currency", currency}};
  effect_["metadata"] = metadata ? *metadata : json::object{};
  effect_["gateway_key"] = metadata ? text_of(metadata->as_object(), "gateway_key") : std::string{};
  effect_["payment_intent"] =
      text_of(of, "object") == "payment_intent" ? text_of(of, "id") : text_of(of, "payment_intent");
  effect_["invoice"] = text_of(of, "_invoice");
  effect_["session"] = text_of(of, "object") == "checkout.session" ? text_of(of, "id") : text_of(of, "_session");
}

json::object draft::line(std::string_view request) const {
  json::object line{{"at_ms", now_milliseconds()},
                    {"kind", ""},
                    {"request", request},
                    {"request_id", who_.request_id},
                    {"account", who_.account},
                    {"livemode", who_.live},
                    {"idempotency_key", who_.idempotency_key}};
  for (const auto& field : effect_) line[field.key()] = field.value();
  json::array objects;
  for (const auto& id : order_) objects.push_back(changed_.find(id)->second);
  line["objects"] = std::move(objects);
  line["events"] = events_;
  return line;
}

namespace {

/// The kind of the object that an id in this field names.
std::string_view kind_behind(std::string_view field) {
  if (field == "payment_intent") return "payment_intent";
  if (field == "latest_charge" || field == "charge") return "charge";
  if (field == "payment_method" || field == "invoice") return field;
  return field == "customer" ? "customer" : std::string_view{};
}

void expand_in(const store& all, json::object& object, std::string_view path) {
  const auto name = path.substr(0, path.find('.'));
  auto* field = object.if_contains(name);
  if (!field) return;
  if (field->is_string()) {
    const auto* found = all.find_anyones(kind_behind(name), {field->as_string().data(), field->as_string().size()});
    if (!found) return;
    *field = shown(all, *found);
  }
  if (field->is_object() && name.size() < path.size()) expand_in(all, field->as_object(), path.substr(name.size() + 1));
}

}  // namespace

json::value shown(const store& all, const json::object& object, const std::vector<std::string>& expand) {
  json::object seen;
  for (const auto& field : object)
    if (!field.key().starts_with('_')) seen[field.key()] = field.value();
  for (const auto& path : expand) expand_in(all, seen, path.starts_with("data.") ? path.substr(5) : path);
  return seen;
}

std::optional<answer> fault_of_expand(const std::vector<std::string>& expand, std::string_view allowed) {
  for (const auto& path : expand)
    if ((' ' + std::string{allowed} + ' ').find(' ' + path + ' ') == std::string::npos)
      return invalid("This property cannot be expanded (" + path + ").", {}, "expand");
  return std::nullopt;
}

answer list_of(const store& all, const std::vector<const json::object*>& objects, const form& asked,
               std::string_view url) {
  const auto limit = asked.number("limit", 10);
  if (limit < 1 || limit > 100) return invalid("Invalid limit: must be from 1 to 100.", {}, "limit");
  const auto* after = asked.find("starting_after");
  const auto* before = asked.find("ending_before");
  if (after && before)
    return invalid("You may only specify one of these parameters: starting_after, ending_before.",
                   "parameters_exclusive", "ending_before");
  auto from = objects.begin(), to = objects.end();
  if (const auto* cursor = after ? after : before) {
    const auto at = std::ranges::find_if(objects, [&](const auto* each) { return text_of(*each, "id") == *cursor; });
    if (at == objects.end()) return missing("object", *cursor, 400, after ? "starting_after" : "ending_before");
    if (after)
      from = at + 1;
    else
      to = at;
  }
  const bool has_more = to - from > limit;
  // Of the objects before a cursor, those next to it.
  if (has_more && before) from = to - limit;
  if (has_more && !before) to = from + limit;
  json::array data;
  for (; from != to; ++from) data.push_back(shown(all, **from, asked.list("expand")));
  return json_answer(200,
                     json::object{{"object", "list"}, {"data", std::move(data)}, {"has_more", has_more}, {"url", url}});
}

}  // namespace gateway::stripe_stand_in
