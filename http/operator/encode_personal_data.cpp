#include <utility>

#include "gateway/domain/time.hpp"
#include "http/codec/json_writer.hpp"
#include "personal_record.hpp"

namespace gateway::http {
namespace {

/// Appends an array of what `append` writes for each element, without the elements for which it writes nothing.
template <class Element, class Append>
void append_each(std::string& out, const std::vector<Element>& all, Append append) {
  out += '[';
  bool first = true;
  for (const auto& each : all) {
    std::string one;
    append(one, each);
    if (one.empty()) continue;
    if (!std::exchange(first, false)) out += ',';
    out += one;
  }
  out += ']';
}

void append_texts_by_name(std::string& out, const metadata_map& texts) {
  json_object object{out};
  for (const auto& [name, value] : texts) object.text(name, value);
}

void append_notifications(std::string& out, const std::vector<notification_ptr>& all) {
  append_each(out, all, [](std::string& one, const notification_ptr& each) {
    json_object object{one};
    object.text("notification_id", each->key.id);
    object.text("provider", to_string(each->provider));
    object.text("type", each->type);
    object.text("received_at", format_millis(each->received_at));
    object.text("body", each->body);
  });
}

/// Appends what is stored besides the entity's row.
void append_stored(json_object& to, const personal_record& record) {
  append_each(to.member("events"), record.timeline, [](std::string& one, const timeline_entry& each) {
    if (each.kind != timeline_kind::event) return;
    json_object object{one};
    object.text("id", each.event_id);
    object.text("type", each.operation);
    object.text("created", format_millis(each.occurred_at));
    object.member("data") += each.event_data.empty() ? "null" : each.event_data;
  });
  append_each(to.member("attempts"), record.timeline, [](std::string& one, const timeline_entry& each) {
    if (each.kind != timeline_kind::attempt || each.message.empty()) return;
    json_object object{one};
    object.text("operation", each.operation);
    object.text("occurred_at", format_millis(each.occurred_at));
    object.text("message", each.message);
  });
  append_each(to.member("commands"), record.texts.commands, [](std::string& one, const command_record& each) {
    json_object object{one};
    object.text("operation", each.operation);
    object.text("created_at", format_millis(each.created_at));
    object.text_if("reason", each.reason);
    if (each.result) object.text("answer", each.result->body);
  });
  append_each(to.member("deliveries"), record.deliveries, [](std::string& one, const delivery& each) {
    std::vector<delivery_attempt> attempts = each.earlier;
    if (each.last) attempts.push_back(*each.last);
    std::erase_if(attempts, [](const delivery_attempt& attempt) { return attempt.excerpt.empty(); });
    if (attempts.empty()) return;
    json_object object{one};
    object.number("delivery_id", each.id);
    object.text("destination_id", each.to.value);
    append_each(object.member("answers"), attempts,
                [](std::string& text, const delivery_attempt& attempt) { append_json_string(text, attempt.excerpt); });
  });
  append_notifications(to.member("notifications"), record.texts.notifications);
}

void append_payment_data(std::string& out, const personal_record& record) {
  const auto& p = *std::get<payment_ptr>(record.row);
  json_object object{out};
  object.text("payment_id", p.key.id);
  object.text("merchant_id", p.key.merchant.value);
  object.text("mode", to_string(p.key.env));
  object.text("state", to_string(p.state));
  object.number("amount", p.amount.minor);
  object.text("currency", p.amount.unit.code());
  object.text("created_at", format_millis(p.created_at));
  object.text_if("provider_ref", p.provider_ref);
  if (p.customer) object.text("customer_ref", p.customer->ref);
  object.text("customer_name", p.details.customer_name);
  object.text("customer_email", p.details.customer_email);
  object.text("customer_mobile", p.details.customer_mobile);
  object.text("description", p.details.description);
  append_texts_by_name(object.member("metadata"), p.details.metadata);
  object.text("success_url", p.details.success_url);
  object.text("cancel_url", p.details.cancel_url);
  if (p.error) object.text("error_message", p.error->message);
  append_each(object.member("refund_reasons"), p.records.refunds, [](std::string& one, const refund& each) {
    if (!each.reason.empty()) append_json_string(one, each.reason);
  });
  append_stored(object, record);
}

void append_subscription_data(std::string& out, const personal_record& record) {
  const auto& s = *std::get<subscription_ptr>(record.row);
  json_object object{out};
  object.text("subscription_id", s.key.id);
  object.text("merchant_id", s.key.merchant.value);
  object.text("mode", to_string(s.key.env));
  object.text("status", to_string(s.state.status));
  object.text_if("provider_subscription_id", s.provider_subscription_id);
  object.text("customer_ref", s.details.customer_ref);
  object.text("description", s.details.description);
  append_texts_by_name(object.member("metadata"), s.state.metadata);
  object.text("success_url", s.details.success_url);
  object.text("cancel_url", s.details.cancel_url);
  if (s.error) object.text("error_message", s.error->message);
  append_stored(object, record);
}

void append_customer_data(std::string& out, const customer& who, const std::vector<notification_ptr>& about) {
  json_object object{out};
  object.text("customer_ref", who.ref);
  object.text("platform_id", who.platform.value);
  object.text("merchant_id", who.key.merchant.value);
  object.text("provider_customer_id", who.provider_id);
  append_each(object.member("methods"), who.methods,
              [](std::string& one, const std::string& each) { append_json_string(one, each); });
  append_notifications(object.member("notifications"), about);
}

}  // namespace

std::string encode_personal_data(const std::vector<personal_record>& payments,
                                 const std::vector<personal_record>& subscriptions, const customer_ptr& customer,
                                 const std::vector<notification_ptr>& about_customer) {
  std::string out;
  {
    json_object body{out};
    append_each(body.member("payments"), payments, append_payment_data);
    append_each(body.member("subscriptions"), subscriptions, append_subscription_data);
    if (customer)
      append_customer_data(body.member("customer"), *customer, about_customer);
    else
      body.member("customer") += "null";
  }
  return out;
}

}  // namespace gateway::http
