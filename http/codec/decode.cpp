#include "decode.hpp"

#include <algorithm>
#include <span>

#include "body_fields.hpp"
#include "gateway/domain/customer.hpp"
#include "gateway/domain/text.hpp"
#include "ignored_fields.hpp"
#include "json_body.hpp"
#include "json_writer.hpp"
#include "query.hpp"
#include "web_address.hpp"

namespace gateway::http {
namespace {

// Limits of names and identifiers, in characters. Free text is limited by most_free_text_bytes only.
constexpr std::size_t most_url = 2048;
constexpr std::size_t most_token = 255;
constexpr std::size_t most_word = 64;
constexpr std::size_t most_setup_token = 2048;
constexpr std::size_t most_metadata_keys = 50;
constexpr std::size_t most_metadata_bytes = 64 * 1024;  ///< in total, as the JSON in events
constexpr std::int64_t most_interval_count = 1'000;
constexpr std::int64_t most_trial_days = 3'650;
constexpr std::string_view reserved_metadata_prefix = "service_";

/// Only a provider's token is stored, never what might be a card number.
bool is_payment_method_token(std::string_view text) noexcept {
  for (std::string_view prefix : {"pm_", "ctoken_"})
    if (text.starts_with(prefix) && text.size() > prefix.size())
      return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  return false;
}

merchant_id read_merchant(field_reader& fields) { return merchant_id{fields.text("merchant_id", most_word)}; }

money read_money(field_reader& fields) {
  money amount;
  if (const auto minor = fields.integer("amount", 1, max_amount))
    amount.minor = *minor;
  else
    fields.reject("amount", "is required");
  const auto code = fields.required_text("currency", most_word);
  if (const auto unit = currency::parse(code))
    amount.unit = *unit;
  else
    fields.reject("currency", "must be an ISO 4217 code in force");
  return amount;
}

flow read_flow(field_reader& fields) {
  const auto name = fields.text("flow", most_word);
  if (name.empty()) return flow::server;
  const auto how = parse_flow(name);
  if (!how) fields.reject("flow", "must be server, redirect or embedded");
  return how.value_or(flow::server);
}

std::string read_payment_method(field_reader& fields) {
  auto token = fields.text("payment_method", most_token);
  if (!token.empty() && !is_payment_method_token(token))
    fields.reject("payment_method", "must be a token that begins with pm_ or ctoken_");
  return token;
}

std::string read_return_url(field_reader& fields, std::string_view name, bool required, environment env) {
  auto url = required ? fields.required_text(name, most_url) : fields.text(name, most_url);
  if (!url.empty() && !is_return_url(url, env)) fields.reject(name, "must be an absolute https URL");
  return url;
}

std::size_t json_bytes_of(const metadata_map& metadata) {
  std::string written;
  {
    json_object object{written};
    for (const auto& [name, value] : metadata) object.text(name, value);
  }
  return written.size();
}

metadata_map read_metadata(field_reader& fields) {
  auto metadata = fields.free_text_map("metadata");
  std::erase_if(metadata, [](const auto& pair) { return pair.first.starts_with(reserved_metadata_prefix); });
  if (metadata.size() > most_metadata_keys) fields.reject("metadata", "must have at most 50 keys");
  if (json_bytes_of(metadata) > most_metadata_bytes) fields.reject("metadata", "must be at most 65536 bytes of JSON");
  return metadata;
}

/// The description and the customer's data, in every request that creates a payment.
void read_description(field_reader& fields, payment_details& details) {
  details.description = fields.free_text("description");
  details.customer_email = fields.free_text("customer_email");
  if (!details.customer_email.empty() && !looks_like_email(details.customer_email))
    fields.reject("customer_email", "must be an e-mail address");
  details.customer_name = fields.free_text("customer_name");
  details.metadata = read_metadata(fields);
}

payment_details read_details(field_reader& fields, flow how, environment env) {
  payment_details details;
  details.payment_method = read_payment_method(fields);
  details.success_url = read_return_url(fields, "success_url", how != flow::server, env);
  details.cancel_url = read_return_url(fields, "cancel_url", how != flow::server, env);
  read_description(fields, details);
  details.customer_mobile = fields.free_text("customer_mobile");
  return details;
}

payment_id read_payment_id(field_reader& fields) {
  payment_id id{fields.required_text("payment_id", most_word)};
  if (!is_payment_id(id.value)) fields.reject("payment_id", "must be pay_ and 1 to 60 letters, digits, _ or -");
  return id;
}

constexpr std::string_view about_customer_ref = "must have 1 to 128 characters, none of them a control character";

/// Empty if absent.
std::string read_customer_ref(field_reader& fields) {
  auto ref = fields.text("customer_ref", most_customer_ref);
  if (fields.has("customer_ref") && !is_customer_ref(ref)) fields.reject("customer_ref", about_customer_ref);
  return ref;
}

void read_wallet_selector(field_reader& fields, create_payment& command) {
  const auto method = fields.text("payment_method_type", most_word);
  if (method.empty()) return;
  if (method != "pkr_wallet") return fields.reject("payment_method_type", "must be pkr_wallet, or left out");
  command.wallet_selected = true;
  if (command.how == flow::server)
    return fields.reject("flow", "must be redirect or embedded with payment_method_type pkr_wallet");
  if (command.amount.unit.code() != "PKR")
    fields.reject(error_code::currency_not_supported, "currency",
                  "currency: must be PKR with payment_method_type pkr_wallet");
}

/// A caller that cannot have customers is refused later for that reason, so it gets no fault for a missing usage.
void read_customer(field_reader& fields, create_payment& command, bool has_customers) {
  auto ref = read_customer_ref(fields);
  const auto usage = fields.text("setup_future_usage", most_word);
  if (!usage.empty() && usage != "on_session" && usage != "off_session")
    fields.reject("setup_future_usage", "must be on_session or off_session");
  if (!usage.empty() && ref.empty() && !fields.is_rejected("customer_ref"))
    fields.reject("setup_future_usage", "requires customer_ref");
  if (!ref.empty() && usage.empty() && has_customers && !fields.is_rejected("setup_future_usage"))
    fields.reject("customer_ref", "requires setup_future_usage");
  if (!ref.empty())
    command.customer = wanted_customer{{},
                                       std::move(ref),
                                       !usage.empty(),
                                       usage == "off_session" && command.how == flow::server,
                                       usage == "on_session"};
}

/// The server flow needs a payment method, given or saved. If a field that decides about it has a fault, only that
/// fault is reported.
void check_payment_method(field_reader& fields, const create_payment& command) {
  const bool charges_saved = command.customer && command.customer->off_session;
  if (command.how != flow::server || !command.details.payment_method.empty() || charges_saved) return;
  for (std::string_view decides : {"flow", "payment_method", "customer_ref", "setup_future_usage"})
    if (fields.is_rejected(decides)) return;
  fields.reject(error_code::server_flow_requires_payment_method, "payment_method", {});
}

/// The length of a cycle. A count of 0 means 1.
billing_period read_period(field_reader& fields) {
  billing_period every;
  if (const auto interval = parse_billing_interval(fields.required_text("interval", most_word)))
    every.interval = *interval;
  else
    fields.reject("interval", "must be day, week, month or year");
  const auto count = fields.integer("interval_count", 0, most_interval_count).value_or(1);
  every.count = count == 0 ? 1 : static_cast<std::uint32_t>(count);
  return every;
}

template <class T>
decoded<T> finish(field_reader& fields, T&& value) {
  if (!fields.ok()) return fields.take_rejection();
  return std::forward<T>(value);
}

/// In test mode, once all fields have been read: notes those that the operation does not know.
void note_ignored(const field_reader& fields, const decode_context& context, std::span<const std::string_view> known) {
  if (!context.ignored || !fields.ok()) return;
  *context.ignored = fields.may_have_others() ? ignored_fields(fields.object(), known) : std::string{};
}

/// Reads a body that may be empty: `read` fills the command from its fields.
template <class Command, class Read>
decoded<write_body<Command>> decode_optional(std::string_view body, const decode_context& context,
                                             std::span<const std::string_view> known, Read read) {
  write_body<Command> result;
  if (body.empty()) return result;
  auto parsed = parse_fields(body, context.json_depth, known);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  auto& fields = std::get<field_reader>(parsed);
  read(fields, result.command);
  result.merchant = read_merchant(fields);
  note_ignored(fields, context, known);
  return finish(fields, std::move(result));
}

}  // namespace

decoded<create_body> decode_create(std::string_view body, const decode_context& context) {
  auto parsed = parse_fields(body, context.json_depth, body_fields::create);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  auto& fields = std::get<field_reader>(parsed);

  create_body result;
  auto& command = result.command;
  result.id = read_payment_id(fields);
  command.amount = read_money(fields);
  command.how = read_flow(fields);
  command.details = read_details(fields, command.how, context.env);
  read_wallet_selector(fields, command);
  read_customer(fields, command, context.has_customers);
  result.merchant = read_merchant(fields);
  check_payment_method(fields, command);
  note_ignored(fields, context, body_fields::create);
  return finish(fields, std::move(result));
}

decoded<charge_body> decode_charge(std::string_view body, const decode_context& context) {
  auto parsed = parse_fields(body, context.json_depth, body_fields::charge);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  auto& fields = std::get<field_reader>(parsed);

  charge_body result;
  auto& command = result.command;
  result.id = read_payment_id(fields);
  command.amount = read_money(fields);
  command.customer.ref = read_customer_ref(fields);
  if (command.customer.ref.empty()) fields.reject("customer_ref", "is required");
  auto& details = command.details;
  details.payment_method = fields.required_text("payment_method_id", most_token);
  if (!is_payment_method_token(details.payment_method))
    fields.reject("payment_method_id", "must be a token that begins with pm_ or ctoken_");
  // Checked and ignored: a provider that requires the customer's presence reports it.
  fields.boolean("off_session", true);
  details.captures_at_once = fields.boolean("auto_capture", true);
  read_description(fields, details);
  result.merchant = read_merchant(fields);
  note_ignored(fields, context, body_fields::charge);
  return finish(fields, std::move(result));
}

decoded<subscription_body> decode_subscription(std::string_view body, const decode_context& context) {
  auto parsed = parse_fields(body, context.json_depth, body_fields::subscription);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  auto& fields = std::get<field_reader>(parsed);

  subscription_body result;
  auto& command = result.command;
  result.id = fields.required_text("subscription_id", most_word);
  if (!is_subscription_id(result.id)) fields.reject("subscription_id", "must be 1 to 64 letters, digits, _ or -");
  auto& details = command.details;
  details.customer_ref = read_customer_ref(fields);
  if (details.customer_ref.empty()) fields.reject("customer_ref", "is required");
  command.amount = read_money(fields);
  command.every = read_period(fields);
  details.trial_period_days =
      static_cast<std::uint32_t>(fields.integer("trial_period_days", 0, most_trial_days).value_or(0));
  details.success_url = read_return_url(fields, "success_url", true, context.env);
  details.cancel_url = read_return_url(fields, "cancel_url", true, context.env);
  details.description = fields.free_text("description");
  command.metadata = read_metadata(fields);
  result.merchant = read_merchant(fields);
  note_ignored(fields, context, body_fields::subscription);
  return finish(fields, std::move(result));
}

decoded<std::string> decode_customer_query(std::string_view query) {
  const auto pairs = read_query(query);
  const auto count = pairs ? std::ranges::count(*pairs, customer_ref_parameter, &query_parameter::name) : 0;
  if (count != 1) return rejection{error_code::invalid_request, "ref: must stand in the query, once"};
  auto ref = std::ranges::find(*pairs, customer_ref_parameter, &query_parameter::name)->value;
  if (!simdjson::validate_utf8(ref)) return rejection{error_code::invalid_request, "ref: not valid UTF-8"};
  if (!is_customer_ref(ref)) return rejection{error_code::invalid_request, "ref: " + std::string{about_customer_ref}};
  return ref;
}

decoded<sdk_confirmation> decode_sdk_confirmation(std::string_view body, std::size_t json_depth) {
  auto parsed = parse_fields(body, json_depth, body_fields::sdk_confirmation);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  auto& fields = std::get<field_reader>(parsed);
  sdk_confirmation result;
  result.client_secret = fields.required_text("client_secret", most_setup_token);
  const auto outcome = fields.required_text("outcome", most_word);
  if (outcome != "approve" && outcome != "decline") fields.reject("outcome", "must be approve or decline");
  result.signal = outcome == "approve" ? hosted_signal::paid : hosted_signal::declined;
  return finish(fields, std::move(result));
}

decoded<write_body<capture_payment>> decode_capture(std::string_view body, const decode_context& context) {
  return decode_optional<capture_payment>(body, context, body_fields::capture,
                                          [](field_reader& fields, capture_payment& command) {
                                            command.amount = fields.integer("amount", 0, max_amount).value_or(0);
                                          });
}

decoded<write_body<refund_payment>> decode_refund(std::string_view body, const decode_context& context) {
  return decode_optional<refund_payment>(body, context, body_fields::refund,
                                         [](field_reader& fields, refund_payment& command) {
                                           // null could mean all that remains, so it is rejected instead of guessed.
                                           if (fields.is_null("amount")) fields.reject("amount", "must not be null");
                                           command.amount = fields.integer("amount", 0, max_amount).value_or(0);
                                           command.reason = fields.free_text("reason");
                                         });
}

decoded<write_body<void_payment>> decode_void(std::string_view body, const decode_context& context) {
  return decode_optional<void_payment>(
      body, context, body_fields::voiding,
      [](field_reader& fields, void_payment& command) { command.reason = fields.free_text("reason"); });
}

decoded<write_body<cancel_payment>> decode_cancel(std::string_view body, const decode_context& context) {
  return decode_optional<cancel_payment>(
      body, context, body_fields::cancel,
      [](field_reader& fields, cancel_payment& command) { command.reason = fields.free_text("reason"); });
}

decoded<std::string> decode_setup_token(std::string_view body, std::size_t json_depth) {
  auto parsed = parse_fields(body, json_depth, body_fields::setup_token);
  if (auto* wrong = std::get_if<rejection>(&parsed)) return std::move(*wrong);
  auto& fields = std::get<field_reader>(parsed);
  auto token = fields.required_text("token", most_setup_token);
  return finish(fields, std::move(token));
}

decoded<std::string> decode_idempotency_key(std::optional<std::string_view> header) {
  if (!header || header->empty()) return rejection{error_code::idempotency_key_required, {}};
  constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (header->size() != shape.size()) return rejection{error_code::idempotency_key_invalid, {}};
  std::string key(shape.size(), ' ');
  std::ranges::transform(*header, key.begin(), to_lower);
  const auto fits = [](char c, char wanted) { return wanted == '-' ? c == '-' : is_lower_hex_digit(c); };
  if (!std::ranges::equal(key, shape, fits)) return rejection{error_code::idempotency_key_invalid, {}};
  return key;
}

bool is_json_request(std::string_view body, std::optional<std::string_view> content_type) noexcept {
  if (body.empty()) return true;
  if (!content_type) return false;
  auto type = content_type->substr(0, content_type->find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
  return equal_ignoring_case(type, "application/json");
}

bool looks_like_email(std::string_view text) noexcept {
  const auto at = text.find('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || text.find('@', at + 1) != std::string_view::npos)
    return false;
  const auto domain = text.substr(at + 1);
  if (domain.empty() || domain.front() == '.' || domain.back() == '.') return false;
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7F || c == '<' || c == '>' || c == '"' || c == ',' || c == ';';
  });
}

}  // namespace gateway::http
