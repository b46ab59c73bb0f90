#include "requests.hpp"

#include <algorithm>
#include <span>

#include "form.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::actors::stripe {

namespace {

// docs.stripe.com/metadata
constexpr std::size_t most_entries = 50, most_key = 40, most_value = 500;
constexpr std::size_t most_description = 1000, most_product_name = 250, most_subscription_text = 500,
                      most_account_name = 100;
/// Stripe's objects are a few kilobytes, and a page of refunds holds a hundred.
constexpr std::size_t most_answer = 512 * 1024;

std::string lower(std::string_view text) {
  std::string lowered{text};
  std::ranges::transform(lowered, lowered.begin(), to_lower);
  return lowered;
}

http_request request_to(const access& as, std::string_view path) {
  http_request request;
  request.url = as.api_base + std::string{path};
  request.headers = {{"Authorization", "Bearer " + as.secret_key}, {"Stripe-Version", std::string{api_version}}};
  if (!as.account.empty()) request.headers.emplace_back("Stripe-Account", as.account);
  request.most_body_bytes = most_answer;
  request.repeatable = true;  // a repeated key, or a repeated read, has no further effect
  return request;
}

/// Entries that do not fit are left out: with them Stripe would decline the payment.
bool fits(std::string_view key, std::string_view value) noexcept {
  return !key.empty() && !value.empty() && !is_mark(key) && key.find_first_of("[]") == key.npos &&
         count_characters(key) <= most_key && count_characters(value) <= most_value;
}

/// Marks the object with its merchant, its id and its provider key. `kind`: the name of the id's mark.
void add_marks(form& to, std::string_view map, const entity_key& subject, std::string_view kind, std::string_view key) {
  to.add_to(map, merchant_mark, subject.merchant.value);
  to.add_to(map, kind, subject.id);
  to.add_to(map, key_mark, key);
}

void add_metadata(form& to, std::string_view map, const metadata_map& metadata) {
  std::size_t room = most_entries - 3;  // the marks are there already
  for (const auto& [key, value] : metadata) {
    if (room == 0) return;
    if (!fits(key, value)) continue;
    to.add_to(map, key, value);
    --room;
  }
}

void add_metadata(form& to, std::string_view map, const provider_call& call) {
  add_marks(to, map, call.subject.key, payment_mark, call.provider_key);
  add_metadata(to, map, call.subject.details.metadata);
}

/// Stripe requires the time in seconds.
void add_expiry(form& to, time_point begun_at) {
  const auto ends = std::chrono::floor<std::chrono::seconds>(begun_at + checkout_life);
  to.add("expires_at", ends.time_since_epoch().count());
}

std::string search_path_by(std::string_view kind, std::string_view mark, std::string_view value) {
  std::string query{"metadata['"};
  query.append(mark).append("']:'").append(value).append("'");
  return std::string{"/v1/"}.append(kind).append("/search?limit=10&query=").append(percent_encoded(query));
}

/// Stripe.js makes a payment method or a confirmation token of a card: a token also records what the customer was
/// shown. Values of the request take precedence over the token's (docs.stripe.com/api/payment_intents/create).
std::string_view method_field(std::string_view token) noexcept {
  return token.starts_with("ctoken_") ? "confirmation_token" : "payment_method";
}

std::string_view return_url_of(const priced_call& of) {
  const auto& own = of.call.subject.details.success_url;
  return own.empty() ? of.return_url : std::string_view{own};
}

/// Empty: the method is not saved. off_session: it will be charged without its customer, so Stripe may ask for a
/// challenge now.
std::string_view future_usage_of(const provider_call& call) {
  const auto& customer = call.subject.customer;
  if (!customer || !customer->saves_method) return {};
  return customer->saves_on_session ? "on_session" : "off_session";
}

}  // namespace

bool is_mark(std::string_view key) noexcept {
  return key == merchant_mark || key == payment_mark || key == subscription_mark || key == key_mark;
}

http_request read_request(const access& as, std::string_view path) { return request_to(as, path); }

http_request write_request(const access& as, std::string_view path, std::string body, std::string_view key) {
  auto request = request_to(as, path);
  request.method = http_method::post;
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  if (!key.empty()) request.headers.emplace_back("Idempotency-Key", std::string{key});
  request.body = std::move(body);
  return request;
}

http_request delete_request(const access& as, std::string_view path) {
  auto request = request_to(as, path);
  request.method = http_method::delete_;
  return request;
}

bool charges_off_session(const provider_call& call) noexcept {
  return call.subject.customer && call.subject.customer->charges_saved;
}

std::string key_of_attempt(std::string_view key, unsigned attempt) {
  std::string text{key};
  if (attempt > 0) text.append("_").append(std::to_string(attempt + 1));
  return text;
}

std::string customer_form(const merchant_id& merchant, std::string_view customer_key, std::string_view ref) {
  form body;
  body.add_to("metadata", merchant_mark, merchant.value);
  body.add_to("metadata", customer_mark, customer_key);
  if (!ref.empty()) body.add_to("metadata", "gateway_customer_ref", first_characters(ref, most_value));
  return body.text();
}

std::string intent_form(const priced_call& of) {
  const auto& call = of.call;
  const auto& details = call.subject.details;
  form body;
  body.add("amount", of.amount).add("currency", lower(call.subject.amount.unit.code()));
  body.add("confirm", "true").add(method_field(details.payment_method), details.payment_method);
  body.add("capture_method", details.captures_at_once ? "automatic" : "manual");
  body.add_unless_empty("customer", of.customer);
  // All payment methods that the account accepts. Those that redirect the customer need a return address.
  body.add("automatic_payment_methods[enabled]", "true");
  if (call.by_sdk)
    body.add("automatic_payment_methods[allow_redirects]", "never");
  else
    body.add("return_url", return_url_of(of));
  // Stripe accepts only one of the two: a method that is charged without its customer is already set up.
  if (charges_off_session(call)) {
    body.add("off_session", "true");
  } else {
    body.add_unless_empty("setup_future_usage", future_usage_of(call));
    if (call.by_sdk) body.add("use_stripe_sdk", "true");
  }
  body.add_unless_empty("description", first_characters(details.description, most_description));
  add_metadata(body, "metadata", call);
  return body.text();
}

std::string confirmation_form(const priced_call& of) {
  form body;
  body.add("payment_method", of.call.subject.details.payment_method).add("off_session", "false");
  if (of.call.by_sdk)
    body.add("use_stripe_sdk", "true");
  else
    body.add("return_url", return_url_of(of));
  return body.text();
}

std::string checkout_form(const priced_call& of) {
  const auto& call = of.call;
  const auto& details = call.subject.details;
  form body;
  body.add("mode", "payment").add("line_items[0][quantity]", "1");
  body.add("line_items[0][price_data][currency]", lower(call.subject.amount.unit.code()));
  body.add("line_items[0][price_data][unit_amount]", of.amount);
  const auto name = first_characters(details.description, most_product_name);
  body.add("line_items[0][price_data][product_data][name]", name.empty() ? "Payment" : name);
  body.add("success_url", return_url_of(of)).add_unless_empty("cancel_url", details.cancel_url);
  body.add("client_reference_id", call.subject.key.id);
  add_expiry(body, call.begun_at);
  // One of the two: Stripe takes the email from a customer that it knows, and asks for it otherwise.
  if (!of.customer.empty())
    body.add("customer", of.customer);
  else
    body.add_unless_empty("customer_email", details.customer_email);
  body.add("payment_intent_data[capture_method]", "automatic");
  body.add_unless_empty("payment_intent_data[setup_future_usage]", future_usage_of(call));
  body.add_unless_empty("payment_intent_data[description]", first_characters(details.description, most_description));
  // On both: the session's events carry its own metadata, and search finds the payment by the payment's.
  add_metadata(body, "payment_intent_data[metadata]", call);
  add_metadata(body, "metadata", call);
  return body.text();
}

std::string capture_form(std::int64_t amount) {
  form body;
  body.add("amount_to_capture", amount);
  return body.text();
}

std::string refund_form(const provider_call& call, std::int64_t amount, std::string_view intent) {
  form body;
  body.add("payment_intent", intent).add("amount", amount);
  add_marks(body, "metadata", call.subject.key, payment_mark, call.provider_key);
  return body.text();
}

std::string subscription_checkout_form(const subscription_call& call, std::int64_t amount, std::string_view customer) {
  const auto& subject = call.subject;
  const auto& details = subject.details;
  form body;
  body.add("mode", "subscription").add("line_items[0][quantity]", "1");
  body.add("line_items[0][price_data][currency]", lower(subject.state.amount.unit.code()));
  body.add("line_items[0][price_data][unit_amount]", amount);
  body.add("line_items[0][price_data][recurring][interval]", to_string(subject.state.every.interval));
  body.add("line_items[0][price_data][recurring][interval_count]", std::int64_t{subject.state.every.count});
  const auto name = first_characters(details.description, most_product_name);
  body.add("line_items[0][price_data][product_data][name]", name.empty() ? "Subscription" : name);
  body.add("success_url", details.success_url).add_unless_empty("cancel_url", details.cancel_url);
  body.add("client_reference_id", subject.key.id);
  if (subject.open) add_expiry(body, subject.open->begun_at);
  body.add_unless_empty("customer", customer);
  if (details.trial_period_days > 0)
    body.add("subscription_data[trial_period_days]", std::int64_t{details.trial_period_days});
  body.add_unless_empty("subscription_data[description]",
                        first_characters(details.description, most_subscription_text));
  for (const std::string_view map : {"subscription_data[metadata]", "metadata"}) {
    add_marks(body, map, subject.key, subscription_mark, call.provider_key);
    add_metadata(body, map, subject.state.metadata);
  }
  return body.text();
}

/// An account like one that its owner would have created, with Stripe's full dashboard: Stripe collects the required
/// information, charges its fees to the account and bears its losses
/// (docs.stripe.com/connect/migrate-to-controller-properties, of Standard accounts). Its country is the platform's,
/// until its owner changes it.
std::string account_form(const account_question& question) {
  form body;
  body.add("controller[stripe_dashboard][type]", "full").add("controller[fees][payer]", "account");
  body.add("controller[losses][payments]", "stripe").add("controller[requirement_collection]", "stripe");
  body.add_unless_empty("business_profile[name]", first_characters(question.merchant_name, most_account_name));
  body.add_to("metadata", merchant_mark, question.merchant.value);
  return body.text();
}

std::string account_link_form(const account_question& question, std::string_view account) {
  form body;
  body.add("account", account).add("type", "account_onboarding");
  body.add("refresh_url", question.again_url).add("return_url", question.back_url);
  return body.text();
}

std::string search_path(std::string_view kind, std::string_view provider_key) {
  return search_path_by(kind, key_mark, provider_key);
}

std::string payment_search_path(std::string_view payment_id) {
  return search_path_by("payment_intents", payment_mark, payment_id);
}

std::string customer_search_path(std::string_view customer_key) {
  return search_path_by("customers", customer_mark, customer_key);
}

std::string paid_invoices_path(std::string_view subscription) {
  return std::string{"/v1/invoices?limit=10&status=paid&subscription="}.append(subscription);
}

std::string invoice_payments_path(std::string_view invoice, bool with_intents) {
  auto path = std::string{"/v1/invoice_payments?limit=100&invoice="}.append(invoice);
  if (with_intents) path.append("&expand%5B%5D=data.payment.payment_intent");
  return path;
}

std::string invoices_of_path(std::string_view intent) {
  return std::string{"/v1/invoice_payments?limit=10&payment%5Btype%5D=payment_intent&payment%5Bpayment_intent%5D="}
      .append(intent)
      .append("&expand%5B%5D=data.invoice");
}

std::string intent_with_charge_path(std::string_view intent) {
  return std::string{"/v1/payment_intents/"}.append(intent).append("?expand%5B%5D=latest_charge");
}

std::string checkout_with_charge_path(std::string_view session) {
  return std::string{"/v1/checkout/sessions/"}.append(session).append("?expand%5B%5D=payment_intent.latest_charge");
}

std::string disputes_path(std::string_view intent) {
  return std::string{"/v1/disputes?limit=100&payment_intent="}.append(intent);
}

std::string refunds_path(std::string_view intent, std::string_view after) {
  auto path = std::string{"/v1/refunds?limit=100&payment_intent="}.append(intent);
  if (!after.empty()) path.append("&starting_after=").append(after);
  return path;
}

std::string closing_key(const entity_key& subject, std::int64_t version) {
  std::string text = subject.merchant.value;
  text.append(1, '\n').append(to_string(subject.env)).append(1, '\n').append(subject.id);
  text.append(1, '\n').append(std::to_string(static_cast<int>(subject.kind))).append(1, '\n');
  text.append(std::to_string(version));
  const auto hash = crypto::sha256(text);
  return "close_" + crypto::hex(std::span{hash}.first(16));
}

}  // namespace gateway::actors::stripe
