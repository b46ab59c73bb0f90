#include "encode_subscription.hpp"

#include <utility>

#include "encode_payment.hpp"
#include "http/errors.hpp"
#include "json_writer.hpp"

namespace gateway::http {
namespace {

void time_if(json_object& to, std::string_view name, const std::optional<time_point>& at) {
  if (at) to.text(name, format_seconds(*at));
}

/// The provider's data about a subscription, except its status.
void append_state(json_object& to, const subscription_projection& state) {
  to.number("amount", state.amount.minor);
  to.text("currency", state.amount.unit.code());
  to.text("interval", to_string(state.every.interval));
  to.number("interval_count", state.every.count);
  time_if(to, "period_start", state.period_start);
  time_if(to, "period_end", state.period_end);
  time_if(to, "cancel_at", state.cancel_at);
  time_if(to, "canceled_at", state.canceled_at);
}

/// `docs`: where the error is explained; empty for a success.
std::string checkout_body(const subscription_outcome& result, std::string_view docs = {}) {
  const auto& subject = result.after;
  std::string out;
  {
    json_object body{out};
    body.text("subscription_id", subject.key.id);
    body.text("status", to_string(subject.state.status));
    if (!result.failure) {
      body.text("hosted_url", subject.hosted_url);
      body.text("checkout_session_id", subject.checkout_session_id);
    } else if (result.error) {
      append_error(body.member("error"), *result.error);
    }
    body.text_if("docs_url", docs);
  }
  return out;
}

/// `error`, `docs`: if the cancel failed.
std::string cancel_body(const subscription& subject, std::string_view error = {}, std::string_view docs = {}) {
  std::string out;
  {
    json_object body{out};
    body.text("subscription_id", subject.key.id);
    body.text("status", to_string(subject.state.status));
    time_if(body, "canceled_at", subject.state.canceled_at);
    body.text_if("error", error);
    body.text_if("docs_url", docs);
  }
  return out;
}

class json_subscription_encoder final : public subscription_encoder {
 public:
  explicit json_subscription_encoder(std::string base_url) : base_url_(std::move(base_url)) {}

  answer encode(const subscription_outcome& result) const override {
    if (!result.failure)
      return {status::ok,
              result.what == subscription_operation::open_checkout ? checkout_body(result) : cancel_body(result.after)};
    const auto& row = row_of(code_of(*result.failure));
    const auto status = static_cast<std::uint16_t>(row.status);
    if (*result.failure == subscription_problem::checkout_failed)
      return {status, checkout_body(result, docs_url(base_url_, row))};
    if (row.shape == body_shape::envelope)
      return {status, cancel_body(result.after, row.text, docs_url(base_url_, row))};
    return {status, error_body(row.code, {}, base_url_)};
  }

  std::string event_data(const subscription_event_data& what) const override {
    std::string out;
    {
      json_object data{out};
      data.text("subscription_id", what.subscription_id);
      data.text("provider_subscription_id", what.provider_subscription_id);
      data.text_if("provider_customer_id", what.state.provider_customer_id);
      data.text_if("customer_ref", what.customer_ref);
      data.text("subscription_status", to_string(what.state.status));
      append_state(data, what.state);
      data.text("source_event_id", what.source_event_id);
      data.text_if("hosted_url", what.hosted_url);
      append_metadata(data, "subscription_metadata", what.state.metadata);
    }
    return out;
  }

 private:
  std::string base_url_;
};

void append_subscription(json_object& body, const subscription& subject) {
  body.text("subscription_id", subject.key.id);
  body.text("status", to_string(subject.state.status));
  body.text_if("provider_subscription_id", subject.provider_subscription_id);
  body.text_if("provider_customer_id", subject.state.provider_customer_id);
  body.text_if("customer_ref", subject.details.customer_ref);
  body.text("subscription_status", to_string(subject.state.status));
  append_state(body, subject.state);
  if (subject.known) body.text_if("source_event_id", subject.known->event_id);
  body.text_if("hosted_url", action_url_of(subject));
  append_metadata(body, "subscription_metadata", subject.state.metadata);
}

void append_for_operator(std::string& out, const subscription& subject) {
  json_object object{out};
  object.text("subscription_id", subject.key.id);
  if (!subject.provider_subscription_id.empty())
    object.text("id", public_subscription_id(subject.key.merchant, subject.provider_subscription_id));
  object.text("status", to_string(subject.state.status));
  object.text("platform_id", subject.platform.value);
  object.text("customer_ref", subject.details.customer_ref);
}

}  // namespace

std::unique_ptr<subscription_encoder> make_subscription_encoder(std::string base_url) {
  return std::make_unique<json_subscription_encoder>(std::move(base_url));
}

std::string encode_subscription(const subscription& subject) {
  std::string out;
  {
    json_object body{out};
    append_subscription(body, subject);
  }
  return out;
}

std::string encode_subscription_details(const subscription& subject) {
  std::string out;
  {
    json_object body{out};
    append_subscription(body, subject);
    if (!subject.provider_subscription_id.empty())
      body.text("id", public_subscription_id(subject.key.merchant, subject.provider_subscription_id));
    body.text("merchant_id", subject.key.merchant.value);
    body.text("platform_id", subject.platform.value);
    body.text("provider", to_string(subject.provider));
    body.text("checkout_session_id", subject.checkout_session_id);
    body.text("created_at", format_millis(subject.created_at));
    body.number("notifications_waiting", static_cast<std::int64_t>(subject.waiting.size()));
    body.number("cycles_owed", static_cast<std::int64_t>(subject.owed.size()));
    if (subject.error) append_error(body.member("error"), *subject.error);
  }
  return out;
}

std::string encode_subscriptions(const std::vector<subscription_ptr>& subscriptions) {
  std::string out;
  {
    json_object body{out};
    auto& list = body.member("subscriptions");
    list += '[';
    for (std::size_t i = 0; i < subscriptions.size(); ++i) {
      if (i != 0) list += ',';
      append_for_operator(list, *subscriptions[i]);
    }
    list += ']';
  }
  return out;
}

std::string encode_subscription_for_operator(const subscription& subject) {
  std::string out;
  append_for_operator(out, subject);
  return out;
}

}  // namespace gateway::http
