#include "persistence/tables/json_columns.hpp"

#include "persistence/connection/row_cursor.hpp"
#include "persistence/tables/json_fields.hpp"

namespace gateway::persistence {

namespace {

/// The text fields of the details under their stored names. Empty fields are left out.
struct detail_field {
  std::string_view name;
  std::string payment_details::* field;
};
constexpr detail_field detail_fields[] = {
    {"payment_method", &payment_details::payment_method},  {"success_url", &payment_details::success_url},
    {"cancel_url", &payment_details::cancel_url},          {"description", &payment_details::description},
    {"customer_email", &payment_details::customer_email},  {"customer_name", &payment_details::customer_name},
    {"customer_mobile", &payment_details::customer_mobile}};

}  // namespace

std::string to_json(const payment_details& details) {
  json::object object;
  for (const auto& [name, field] : detail_fields)
    if (!(details.*field).empty()) object[name] = details.*field;
  if (details.captures_at_once) object["captures_at_once"] = true;
  if (!details.made_by.empty()) object["made_by"] = details.made_by.value;
  if (!details.metadata.empty()) {
    json::object metadata;
    for (const auto& [name, value] : details.metadata) metadata[name] = value;
    object["metadata"] = std::move(metadata);
  }
  return json::serialize(object);
}

std::string to_json(const payment_customer& customer) {
  json::object object{{"platform", customer.platform.value},     {"ref", customer.ref},
                      {"provider_id", customer.provider_id},     {"saves_method", customer.saves_method},
                      {"charges_saved", customer.charges_saved}, {"saved_method", customer.saved_method}};
  if (customer.saves_on_session) object["saves_on_session"] = true;
  if (customer.generation > 0) object["generation"] = customer.generation;
  return json::serialize(object);
}

json::object object_of(const provider_error& error) {
  return {{"category", to_string(error.category)},
          {"code", error.code},
          {"message", error.message},
          {"retryable", error.retryable},
          {"outcome_unknown", error.outcome_unknown}};
}

std::string to_json(const provider_error& error) { return json::serialize(object_of(error)); }

std::string to_json(const open_operation& open) {
  json::object object{{"principal", open.command.principal},
                      {"key", open.command.key},
                      {"operation", to_string(open.what)},
                      {"amount", open.amount},
                      {"answered", open.answered},
                      {"asked", open.asked},
                      {"claim", open.claim},
                      {"begun_at", to_unix_ms(open.begun_at)}};
  if (!open.node.empty()) object["node"] = open.node;
  if (!open.reason.empty()) object["reason"] = open.reason;
  if (open.compares) object["compares"] = true;
  return json::serialize(object);
}

namespace {

void set_unless_empty(json::object& to, std::string_view name, const std::string& text) {
  if (!text.empty()) to[name] = text;
}
void set_if(json::object& to, std::string_view name, const std::optional<time_point>& at) {
  if (at) to[name] = to_unix_ms(*at);
}
std::string text_or_empty(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found ? text_of(*found) : std::string{};
}
std::optional<time_point> time_if_there(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found ? std::optional{from_unix_ms(found->to_number<std::int64_t>())} : std::nullopt;
}
std::int64_t amount_in(const json::object& from) { return from.at("amount").to_number<std::int64_t>(); }

json::object object_of(const refund& r) {
  json::object object{{"id", r.id},
                      {"amount", r.amount},
                      {"status", to_string(r.status)},
                      {"origin", to_string(r.by)},
                      {"created_at", to_unix_ms(r.created_at)}};
  set_unless_empty(object, "reason", r.reason);
  set_unless_empty(object, "failure_code", r.failure_code);
  set_unless_empty(object, "provider_ref", r.provider_ref);
  set_unless_empty(object, "provider_key", r.provider_key);
  return object;
}

refund refund_of(const json::object& from) {
  refund r;
  r.id = text_of(from.at("id"));
  r.amount = amount_in(from);
  r.status = known(parse_refund_status(text_of(from.at("status"))), "status of a refund");
  r.by = known(parse_entry_origin(text_of(from.at("origin"))), "origin");
  r.created_at = from_unix_ms(from.at("created_at").to_number<std::int64_t>());
  r.reason = text_or_empty(from, "reason");
  r.failure_code = text_or_empty(from, "failure_code");
  r.provider_ref = text_or_empty(from, "provider_ref");
  r.provider_key = text_or_empty(from, "provider_key");
  return r;
}

json::object object_of(const dispute& d) {
  json::object object{{"id", d.id},
                      {"amount", d.amount},
                      {"status", to_string(d.status)},
                      {"opened_at", to_unix_ms(d.opened_at)},
                      {"provider_ref", d.provider_ref}};
  set_unless_empty(object, "reason", d.reason);
  set_if(object, "evidence_due_by", d.evidence_due_by);
  set_if(object, "closed_at", d.closed_at);
  return object;
}

dispute dispute_of(const json::object& from) {
  dispute d;
  d.id = text_of(from.at("id"));
  d.amount = amount_in(from);
  d.reason = text_or_empty(from, "reason");
  d.status = known(parse_dispute_status(text_of(from.at("status"))), "status of a dispute");
  d.evidence_due_by = time_if_there(from, "evidence_due_by");
  d.opened_at = from_unix_ms(from.at("opened_at").to_number<std::int64_t>());
  d.closed_at = time_if_there(from, "closed_at");
  d.provider_ref = text_of(from.at("provider_ref"));
  return d;
}

json::object object_of(const sandbox_act& a) {
  json::object object{{"what", to_string(a.what)}, {"amount", a.amount}, {"at", to_unix_ms(a.at)}};
  set_unless_empty(object, "refund_id", a.refund_id);
  return object;
}

sandbox_act act_of(const json::object& from) {
  sandbox_act a;
  a.what = known(parse_sandbox_act_kind(text_of(from.at("what"))), "act of the sandbox");
  a.amount = amount_in(from);
  a.at = from_unix_ms(from.at("at").to_number<std::int64_t>());
  a.refund_id = text_or_empty(from, "refund_id");
  return a;
}

template <class Each>
void set_unless_empty(json::object& to, std::string_view name, const std::vector<Each>& all) {
  if (all.empty()) return;
  json::array list;
  for (const auto& each : all) list.push_back(object_of(each));
  to[name] = std::move(list);
}

template <class Each>
void append_from(const json::object& from, std::string_view name, std::vector<Each>& all,
                 Each (*read)(const json::object&)) {
  const auto* found = from.if_contains(name);
  if (!found) return;
  for (const auto& each : found->as_array()) all.push_back(read(each.as_object()));
}

}  // namespace

std::string to_json(const payment_records& records) {
  json::object object;
  set_unless_empty(object, "refunds", records.refunds);
  set_unless_empty(object, "disputes", records.disputes);
  set_unless_empty(object, "sandbox", records.acts);
  set_unless_empty(object, "void_reason", records.void_reason);
  if (records.paid_late) object["paid_late"] = true;
  return json::serialize(object);
}

payment_records records_from_json(std::string_view text) {
  return from_object(text, "records", [](const json::object& object) {
    payment_records records;
    append_from(object, "refunds", records.refunds, refund_of);
    append_from(object, "disputes", records.disputes, dispute_of);
    append_from(object, "sandbox", records.acts, act_of);
    records.void_reason = text_or_empty(object, "void_reason");
    if (const auto* late = object.if_contains("paid_late")) records.paid_late = late->as_bool();
    return records;
  });
}

std::string to_json(const std::vector<std::string>& texts) {
  return json::serialize(json::array(texts.begin(), texts.end()));
}

std::string to_json(const std::vector<auth_code>& codes) {
  json::array all;
  for (const auto& code : codes)
    all.push_back(json::object{
        {"hash", code.hash}, {"redirect_uri", code.redirect_uri}, {"expires_at", to_unix_ms(code.expires_at)}});
  return json::serialize(all);
}

std::string to_json(const std::vector<customer_name>& names) {
  json::array all;
  for (const auto& name : names)
    all.push_back(json::object{{"provider", to_string(name.provider)},
                               {"account", name.account},
                               {"id", name.id},
                               {"methods", json::array(name.methods.begin(), name.methods.end())}});
  return json::serialize(all);
}

std::string to_json(const std::map<std::string, time_point, std::less<>>& times) {
  json::object object;
  for (const auto& [name, at] : times) object[name] = to_unix_ms(at);
  return json::serialize(object);
}

payment_details details_from_json(std::string_view text) {
  return from_object(text, "details", [](const json::object& object) {
    payment_details details;
    for (const auto& [name, field] : detail_fields)
      if (const auto* value = object.if_contains(name)) details.*field = text_of(*value);
    if (const auto* at_once = object.if_contains("captures_at_once")) details.captures_at_once = at_once->as_bool();
    if (const auto* maker = object.if_contains("made_by")) details.made_by = platform_id{text_of(*maker)};
    if (const auto* metadata = object.if_contains("metadata"))
      for (const auto& [name, value] : metadata->as_object())
        details.metadata.emplace_back(std::string{name}, text_of(value));
    return details;
  });
}

payment_customer customer_from_json(std::string_view text) {
  return from_object(text, "customer", [](const json::object& object) {
    payment_customer customer;
    customer.platform = platform_id{text_of(object.at("platform"))};
    customer.ref = text_of(object.at("ref"));
    customer.provider_id = text_of(object.at("provider_id"));
    customer.saves_method = object.at("saves_method").as_bool();
    customer.charges_saved = object.at("charges_saved").as_bool();
    customer.saved_method = text_of(object.at("saved_method"));
    // Older rows lack this field: their methods were saved for charges without the customer.
    if (const auto* on = object.if_contains("saves_on_session")) customer.saves_on_session = on->as_bool();
    if (const auto* times = object.if_contains("generation")) customer.generation = times->to_number<unsigned>();
    return customer;
  });
}

provider_error error_of(const json::object& object) {
  provider_error error;
  error.category = known(parse_error_category(text_of(object.at("category"))), "error category");
  error.code = text_of(object.at("code"));
  error.message = text_of(object.at("message"));
  error.retryable = object.at("retryable").as_bool();
  error.outcome_unknown = object.at("outcome_unknown").as_bool();
  return error;
}

provider_error error_from_json(std::string_view text) { return from_object(text, "error", error_of); }

open_operation open_operation_from_json(std::string_view text, const entity_key& of) {
  return from_object(text, "open_command", [&](const json::object& object) {
    open_operation open;
    open.command = {of.merchant, of.env, text_of(object.at("principal")), text_of(object.at("key"))};
    open.what = known(parse_operation(text_of(object.at("operation"))), "operation");
    open.amount = object.at("amount").to_number<std::int64_t>();
    open.answered = object.at("answered").as_bool();
    open.asked = object.at("asked").to_number<unsigned>();
    open.claim = object.at("claim").to_number<std::int64_t>();
    open.begun_at = from_unix_ms(object.at("begun_at").to_number<std::int64_t>());
    if (const auto* node = object.if_contains("node")) open.node = text_of(*node);
    if (const auto* reason = object.if_contains("reason")) open.reason = text_of(*reason);
    if (const auto* compares = object.if_contains("compares")) open.compares = compares->as_bool();
    return open;
  });
}

namespace {

std::vector<std::string> texts_in(const json::value& parsed) {
  std::vector<std::string> texts;
  for (const auto& one : parsed.as_array()) texts.push_back(text_of(one));
  return texts;
}

}  // namespace

std::vector<std::string> texts_from_json(std::string_view text) { return from_value(text, "of texts", texts_in); }

std::vector<auth_code> codes_from_json(std::string_view text) {
  return from_value(text, "codes", [](const json::value& parsed) {
    std::vector<auth_code> codes;
    for (const auto& one : parsed.as_array()) {
      const auto& object = one.as_object();
      codes.push_back({text_of(object.at("hash")), text_of(object.at("redirect_uri")),
                       from_unix_ms(object.at("expires_at").to_number<std::int64_t>())});
    }
    return codes;
  });
}

std::vector<customer_name> names_from_json(std::string_view text) {
  return from_value(text, "other_names", [](const json::value& parsed) {
    std::vector<customer_name> names;
    for (const auto& one : parsed.as_array()) {
      const auto& object = one.as_object();
      names.push_back({known(parse_provider_kind(text_of(object.at("provider"))), "provider"),
                       text_of(object.at("account")), text_of(object.at("id")), texts_in(object.at("methods"))});
    }
    return names;
  });
}

std::map<std::string, time_point, std::less<>> times_from_json(std::string_view text) {
  return from_object(text, "saved_at", [](const json::object& object) {
    std::map<std::string, time_point, std::less<>> times;
    for (const auto& [name, at] : object) {
      const auto ms = at.to_number<std::int64_t>();
      if (ms < first_ms || ms > last_ms) throw corrupt_row("time out of bounds");
      times.emplace(std::string{name}, from_unix_ms(ms));
    }
    return times;
  });
}

}  // namespace gateway::persistence
