#include "encode_payment.hpp"

#include <algorithm>
#include <utility>

#include "encode_list.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "http/errors.hpp"
#include "json_writer.hpp"

namespace gateway::http {
namespace {

/// The content of a provider object: the payment's current state, or one operation's.
struct provider_part {
  provider_status status = provider_status::none;
  const provider_error* error = nullptr;
};

/// Callers see three values. A call that is under way, or whose outcome is unknown, is shown as pending.
std::string_view shown_status(provider_status status) noexcept {
  const bool settled = status == provider_status::approved || status == provider_status::declined;
  return settled ? to_string(status) : to_string(provider_status::pending);
}

void append_provider(std::string& out, const payment& subject, const provider_part& part) {
  json_object object{out};
  if (!subject.hides_provider) {
    object.text("provider", to_string(subject.provider));
    object.text_if("provider_ref", subject.provider_ref);
  }
  object.text("status", shown_status(part.status));
  object.text_if("hosted_url", subject.hosted_url);
  if (part.error)
    append_error(object.member("error"), subject.hides_provider ? neutral_error(*part.error) : *part.error);
}

void append_envelope(json_object& body, const payment& subject, const provider_part& part) {
  body.text("payment_id", subject.key.id);
  body.text("state", to_string(subject.state));
  append_provider(body.member("provider"), subject, part);
}

provider_part part_of(const outcome& result) {
  // An operation that never reached the provider shows the payment's own status.
  const auto status = result.status == provider_status::none ? result.after.status : result.status;
  return {status, result.error ? &*result.error : nullptr};
}

std::string success_body(const outcome& result) {
  std::string out;
  out.reserve(256);
  {
    json_object body{out};
    body.text("payment_id", result.after.key.id);
    body.text("state", to_string(result.after.state));
    if (result.what == operation::capture) body.number("captured_amount", result.after.captured);
    if (result.what == operation::refund) {
      body.number("refunded_amount", result.refunded_amount);
      body.number("refunded_total", result.after.refunded);
      body.number("remaining_amount", machine::remaining(result.after));
      body.text_if("refund_id", result.refund_id);
    }
    append_provider(body.member("provider"), result.after, part_of(result));
  }
  return out;
}

/// A charge of a saved method has a separate format.
std::string charge_body(const outcome& result) {
  const auto& subject = result.after;
  const bool declined = result.status == provider_status::declined;
  std::string out;
  out.reserve(256);
  {
    json_object body{out};
    body.text("payment_id", subject.key.id);
    body.text("status", declined                                     ? "failed"
                        : result.status == provider_status::approved ? "succeeded"
                                                                     : "requires_action");
    body.text("state", to_string(subject.state));
    body.text("provider", to_string(subject.provider));
    body.text_if("provider_ref", subject.provider_ref);
    if (result.action) {
      json_object action{body.member("next_action")};
      action.text("type", "use_provider_sdk");
      action.text("client_secret", result.action->client_secret);
      action.text("connected_account_id", subject.account);
      action.text("publishable_key", result.action->publishable_key);
    }
    if (declined && result.error) append_error(body.member("error"), *result.error);
  }
  return out;
}

std::string failed_envelope(const outcome& result, const error_row& row, std::string_view base_url) {
  std::string out;
  {
    json_object body{out};
    append_envelope(body, result.after, part_of(result));
    body.text("error", row.text);
    body.text("docs_url", docs_url(base_url, row));
  }
  return out;
}

const refund* refund_of(const payment& subject, std::string_view id) {
  const auto found = std::ranges::find(subject.records.refunds, id, &refund::id);
  return found == subject.records.refunds.end() ? nullptr : &*found;
}

class json_payment_encoder final : public payment_encoder {
 public:
  explicit json_payment_encoder(std::string base_url) : base_url_(std::move(base_url)) {}

  answer encode(const outcome& result) const override {
    if (!result.failure)
      return {status::ok, result.what == operation::charge ? charge_body(result) : success_body(result)};
    const auto& row = row_of(code_of(*result.failure));
    const auto status = static_cast<std::uint16_t>(row.status);
    if (row.shape == body_shape::envelope) return {status, failed_envelope(result, row, base_url_)};
    return {status, error_body(row.code, {}, base_url_, operation_of(*result.failure).value_or(""))};
  }

  std::string event_data(const payment& subject, std::string_view type_name, std::string_view about) const override {
    using enum event_type;
    const auto type = parse_event_type(type_name);
    std::string out;
    if (const auto* changed = find_dispute(subject, about)) {
      append_dispute(out, subject, *changed);
      return out;
    }
    {
      json_object data{out};
      data.text("payment_id", subject.key.id);
      data.text("state", to_string(subject.state));
      const auto failed = type == payment_refund_failed ? refund_of(subject, about) : nullptr;
      if (failed) data.text("refund_id", failed->id);
      data.number("amount", failed ? failed->amount : subject.amount.minor);
      data.text("currency", subject.amount.unit.code());
      if (subject.captured > 0 && type != payment_failed) data.number("captured_amount", subject.captured);
      if (type == payment_refunded || type == payment_partially_refunded || type == payment_refund_failed)
        data.number("refunded_amount", subject.refunded);
      if (failed) data.text("failure_code", failed->failure_code);
      if (type == payment_captured && subject.records.paid_late) data.boolean("late", true);
      if (type == payment_voided)
        data.text("void_reason", subject.records.void_reason.empty() ? void_requested : subject.records.void_reason);
      if (type == payment_failed && subject.error) {
        const auto error = subject.hides_provider ? neutral_error(*subject.error) : *subject.error;
        data.text("failure_code", error.code);
        data.text("failure_category", to_string(error.category));
      }
      // Private fields, which encode_event.cpp removes for other platforms, must come last.
      if (const auto& customer = subject.customer) {
        data.text("customer_ref", customer->ref);
        if (type == payment_captured) data.text_if("payment_method_id", customer->saved_method);
      }
      append_metadata(data, "metadata", subject.details.metadata);
    }
    return out;
  }

 private:
  std::string base_url_;
};

void append_entry(std::string& out, const timeline_view& view, const timeline_entry& entry) {
  json_object object{out};
  object.text("kind", entry.kind == timeline_kind::attempt ? "attempt" : "event");
  object.text("operation", entry.operation);
  if (!view.hides_provider) object.text("provider", to_string(view.provider));
  object.text("status", entry.status);
  if (!view.hides_provider) {
    object.text_if("error_code", entry.error_code);
    object.text_if("message", entry.message);
  }
  object.text("occurred_at", format_millis(entry.occurred_at));
  object.text("origin", to_string(entry.by));
}

template <class Each>
void append_list(std::string& out, const payment& subject, const std::vector<Each>& all,
                 void (*append)(std::string&, const payment&, const Each&)) {
  out += '[';
  for (const auto& each : all) {
    if (out.back() != '[') out += ',';
    append(out, subject, each);
  }
  out += ']';
}

}  // namespace

void append_refund(std::string& out, const payment& subject, const refund& one) {
  json_object object{out};
  object.text("refund_id", one.id);
  object.number("amount", one.amount);
  object.text("currency", subject.amount.unit.code());
  object.text("status", to_string(one.status));
  object.text_if("reason", one.reason);
  object.text("origin", to_string(one.by));
  object.text("created_at", format_seconds(one.created_at));
  object.text_if("failure_code", one.failure_code);
}

void append_dispute(std::string& out, const payment& subject, const dispute& one) {
  json_object object{out};
  object.text("dispute_id", one.id);
  object.text("payment_id", subject.key.id);
  object.number("amount", one.amount);
  object.text("currency", subject.amount.unit.code());
  object.text_if("reason", one.reason);
  object.text("status", to_string(one.status));
  if (one.evidence_due_by) object.text("evidence_due_by", format_seconds(*one.evidence_due_by));
  object.text("opened_at", format_seconds(one.opened_at));
  if (one.closed_at) object.text("closed_at", format_seconds(*one.closed_at));
}

const dispute* find_dispute(const payment& of, std::string_view dispute_id) {
  const auto found = std::ranges::find(of.records.disputes, dispute_id, &dispute::id);
  return found == of.records.disputes.end() ? nullptr : &*found;
}

std::string encode_disputes(const disputes_lookup& page, std::string_view next) {
  return encode_list("disputes", page.disputes, next, [](std::string& out, const disputes_lookup::found& each) {
    if (const auto* one = find_dispute(*each.of, each.dispute_id)) append_dispute(out, *each.of, *one);
  });
}

std::string encode_refunds(const payment& subject) {
  std::string out;
  {
    json_object body{out};
    body.text("payment_id", subject.key.id);
    append_list(body.member("refunds"), subject, subject.records.refunds, append_refund);
  }
  return out;
}

void append_metadata(json_object& to, std::string_view name, const metadata_map& metadata) {
  if (metadata.empty()) return;
  json_object object{to.member(name)};
  for (const auto& [key, value] : metadata) object.text(key, value);
}

void append_error(std::string& out, const provider_error& error) {
  json_object object{out};
  object.text("category", to_string(error.category));
  object.text("code", error.code);
  object.text("message", error.message);
  object.boolean("retryable", error.retryable);
  if (error.outcome_unknown) object.text("outcome", "unknown");
}

std::unique_ptr<payment_encoder> make_payment_encoder(std::string base_url) {
  return std::make_unique<json_payment_encoder>(std::move(base_url));
}

void append_payment(json_object& body, const payment& subject, bool whole) {
  append_envelope(body, subject, {subject.status, subject.error ? &*subject.error : nullptr});
  body.number("amount", subject.amount.minor);
  body.text("currency", subject.amount.unit.code());
  body.number("captured_amount", subject.captured);
  body.number("refunded_total", subject.refunded);
  body.number("remaining_amount", machine::remaining(subject));
  body.number("disputed_amount", machine::disputed(subject));
  append_list(body.member("refunds"), subject, subject.records.refunds, append_refund);
  append_list(body.member("disputes"), subject, subject.records.disputes, append_dispute);
  body.text("created_at", format_seconds(subject.created_at));
  body.text_if("description", subject.details.description);
  if (whole && subject.customer) body.text("customer_ref", subject.customer->ref);
  if (whole) append_metadata(body, "metadata", subject.details.metadata);
}

std::string encode_payment(const payment& subject, bool whole) {
  std::string out;
  out.reserve(320);
  {
    json_object body{out};
    append_payment(body, subject, whole);
  }
  return out;
}

std::string encode_timeline(const timeline_view& view) {
  std::string out;
  out.reserve(64 + 192 * view.entries.size());
  {
    json_object body{out};
    body.text("payment_id", view.key.id);
    auto& list = body.member("timeline");
    list += '[';
    for (std::size_t i = 0; i < view.entries.size(); ++i) {
      if (i != 0) list += ',';
      append_entry(list, view, view.entries[i]);
    }
    list += ']';
  }
  return out;
}

provider_error neutral_error(const provider_error& native) {
  auto neutral = native;
  if (native.outcome_unknown) {
    neutral.code = "PAYMENT_OUTCOME_UNKNOWN";
    neutral.message = "The outcome of the payment is not known yet.";
  } else if (native.code == checkout_cancelled) {
    return neutral;  // the merchant cancelled it
  } else if (native.code == "checkout_expired") {
    neutral.code = "PAYMENT_EXPIRED";
    neutral.message = "The payment was not completed in time.";
  } else if (native.category == error_category::provider || native.category == error_category::risk) {
    neutral.code = "PAYMENT_DECLINED";
    neutral.message = "The payment was declined.";
  } else {
    neutral.code = "PAYMENT_FAILED";
    neutral.message = "The payment failed.";
  }
  return neutral;
}

}  // namespace gateway::http
