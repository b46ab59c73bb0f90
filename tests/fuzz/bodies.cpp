// JSON bodies. The first byte names the request (see `kinds`), the second the environment (`t` or `l`), a line feed
// ends them, and the rest is the body.
//
// Boost.JSON is the second opinion: it must accept what the gateway accepts, with the same values, and refuse what the
// gateway calls malformed. The decoded value is written again and must be decoded to the same.
#include <algorithm>
#include <string>

#include <boost/json.hpp>

#include "gateway/domain/customer.hpp"
#include "gateway/domain/text.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/json_body.hpp"
#include "http/codec/web_address.hpp"
#include "http/operator/decode_directory.hpp"
#include "must.hpp"

namespace gateway::fuzz {
namespace {

namespace json = boost::json;
using namespace http;

// create, capture, refund, void, setup token; the operator's six; a saved charge, a subscription's checkout; the query
// that names a customer
constexpr std::string_view kinds = "CPRVSmkxunrhbqc";
constexpr std::size_t depth = 32;

// ---- the second opinion -----------------------------------------------------------------------------

std::size_t levels(const json::value& value) {
  std::size_t below = 0;
  if (const auto* list = value.if_array())
    for (const auto& item : *list) below = std::max(below, levels(item));
  else if (const auto* object = value.if_object())
    for (const auto& member : *object) below = std::max(below, levels(member.value()));
  else
    return 0;
  return below + 1;
}

std::size_t members(const json::value& value) {
  std::size_t count = 0;
  if (const auto* list = value.if_array())
    for (const auto& item : *list) count += members(item);
  else if (const auto* object = value.if_object())
    for (const auto& member : *object) count += 1 + members(member.value());
  return count;
}

/// Colons outside strings: one for each member of a valid document, repeated names included.
std::size_t colons(std::string_view body) {
  std::size_t count = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (quoted && body[i] == '\\')
      ++i;
    else if (body[i] == '"')
      quoted = !quoted;
    else if (body[i] == ':' && !quoted)
      ++count;
  }
  return count;
}

struct second_opinion {
  explicit second_opinion(std::string_view body) {
    json::parse_options options;
    options.max_depth = 4 * depth;
    boost::system::error_code failure;
    document = json::parse(body, failure, {}, options);
    is_object = !failure && document.is_object();
    has_no_opinion = failure == json::error::exponent_overflow;
    repeats = is_object && colons(body) != members(document);
  }

  json::value document;
  bool is_object = false;
  bool has_no_opinion = false;  ///< an exponent that this reader refuses, in a field that the gateway ignores
  bool repeats = false;
};

// ---- what must hold of every accepted value ------------------------------------------------------------

bool is_text(std::string_view text, std::size_t most) {
  return count_characters(text) <= most && text.find('\0') == text.npos;
}
bool is_email(std::string_view text) { return text.empty() || (is_text(text, 320) && text.find('@') != text.npos); }
bool is_free_text(std::string_view text) { return text.size() <= most_free_text_bytes && text.find('\0') == text.npos; }

void check_return_url(const std::string& url, environment env) {
  if (url.empty()) return;
  must(is_text(url, 2048), "a return URL has at most 2048 characters");
  must(is_return_url(url, env), "a return URL is absolute https");
  const auto origin = origin_of(url);
  must(origin.starts_with("https://") || (env == environment::test && origin.starts_with("http://")) || !origin.empty(),
       "it has an origin");
  must(origin.find_first_of(" ;,'\"<>\r\n\\*") == origin.npos, "an origin cannot break out of a policy");
}

void check_metadata(const metadata_map& metadata) {
  must(metadata.size() <= 50, "metadata has at most 50 keys");
  for (const auto& [name, value] : metadata) {
    must(is_free_text(name) && is_free_text(value), "metadata has its bounds");
    must(!name.starts_with("service_"), "reserved metadata is dropped");
    must(std::ranges::count(metadata, name, &std::pair<std::string, std::string>::first) == 1,
         "a metadata key stands once");
  }
}
void check_money(const money& amount) {
  must(amount.minor >= 1 && amount.minor <= max_amount, "an amount is within its bounds");
  must(currency::parse(amount.unit.code()) == amount.unit, "a currency is in force, in upper case");
}

void check(const create_body& read, environment env) {
  const auto& [amount, how, wallet, customer, details] = read.command;
  must(is_text(read.merchant.value, 64), "a merchant_id has its bound");
  must(is_payment_id(read.id.value), "a payment_id has its form");
  check_money(amount);
  must(how != flow::server || !details.payment_method.empty() || customer, "the server flow has something to charge");
  must(how == flow::server || (!details.success_url.empty() && !details.cancel_url.empty()),
       "a hosted flow leads back");
  must(!wallet || (how != flow::server && amount.unit.code() == "PKR"), "the wallet takes PKR on a hosted page");
  const auto& token = details.payment_method;
  must(token.empty() || token.starts_with("pm_") || token.starts_with("ctoken_"), "no card number is let in");
  must(is_text(token, 255) && token.find(' ') == token.npos, "a payment method is one token");
  check_return_url(details.success_url, env);
  check_return_url(details.cancel_url, env);
  must(is_free_text(details.description) && is_free_text(details.customer_name) &&
           is_free_text(details.customer_mobile) && is_free_text(details.customer_email),
       "texts have their bounds");
  must(details.customer_email.empty() || details.customer_email.find('@') != std::string::npos,
       "an e-mail address has an @");
  check_metadata(details.metadata);
}
void check(const charge_body& read, environment) {
  const auto& details = read.command.details;
  must(is_text(read.merchant.value, 64), "a merchant_id has its bound");
  must(is_payment_id(read.id.value), "a payment_id has its form");
  check_money(read.command.amount);
  must(is_customer_ref(read.command.customer.ref), "a charge has a customer");
  must((details.payment_method.starts_with("pm_") || details.payment_method.starts_with("ctoken_")) &&
           is_text(details.payment_method, 255),
       "no card number is let in");
  must(is_free_text(details.description) && is_free_text(details.customer_name), "texts have their bounds");
  check_metadata(details.metadata);
}
void check(const subscription_body& read, environment env) {
  const auto& command = read.command;
  must(is_text(read.merchant.value, 64), "a merchant_id has its bound");
  must(is_subscription_id(read.id), "a subscription_id has its form");
  check_money(command.amount);
  must(is_customer_ref(command.details.customer_ref), "a subscription has a customer");
  must(command.every.count >= 1 && command.every.count <= 1'000, "a cycle has its bounds");
  must(command.details.trial_period_days <= 3'650, "a trial has its bound");
  must(!command.details.success_url.empty() && !command.details.cancel_url.empty(), "the page leads back");
  check_return_url(command.details.success_url, env);
  check_return_url(command.details.cancel_url, env);
  must(is_free_text(command.details.description), "a description has its bound");
  check_metadata(command.metadata);
}
void check(const capture_payment& read) {
  must(read.amount >= 0 && read.amount <= max_amount, "a capture is within its bounds");
}
void check(const refund_payment& read) {
  must(read.amount >= 0 && read.amount <= max_amount && is_free_text(read.reason), "a refund is within its bounds");
}
void check(const void_payment& read) { must(is_free_text(read.reason), "a reason has its bound"); }
void check(const cancel_payment& read) { must(is_free_text(read.reason), "a reason has its bound"); }
template <class Command>
void check(const write_body<Command>& read, environment) {
  must(is_text(read.merchant.value, 64), "a merchant_id has its bound");
  check(read.command);
}
void check(const std::string& token, environment) {
  must(!token.empty() && is_text(token, 2048), "a setup token has its bounds");
}
void check(const create_merchant& read, environment) {
  must(!read.name.empty() && is_text(read.name, 200) && is_email(read.owner_email), "a merchant is within its bounds");
}
void check(const mint_key& read, environment) {
  must(!read.merchant.empty() && read.scopes.bits != 0 && parse_scopes(to_string(read.scopes)) == read.scopes,
       "a key has a merchant and scopes");
}
void check(const revoke_key& read, environment) {
  must(!read.id.empty() && is_text(read.id.value, 64), "a key id has its bounds");
}
void check(const add_user& read, environment) {
  must(!read.merchant.empty() && !read.email.empty() && is_email(read.email), "a user has an e-mail address");
  must(count_characters(read.password) >= 8 && is_text(read.password, 1024), "a password has its bounds");
}
void check(const set_connection& read, environment) {
  must(!read.merchant.empty() && is_text(read.link.account, 255), "a connection has its bounds");
}
void check(const set_route& read, environment) {
  must(
      !read.merchant.empty() && !read.way.methods.empty() && read.way.methods.size() <= enum_count<payment_method_kind>,
      "a route has methods, each once");
  must(read.way.currencies.size() <= 200, "a route has at most 200 currencies");
}

// ---- the same values, written again ------------------------------------------------------------------

void put(json::object& into, std::string_view name, const std::string& text) {
  if (!text.empty()) into[name] = text;
}

void put_metadata(json::object& into, const metadata_map& metadata) {
  auto& object = into["metadata"].emplace_object();
  for (const auto& [name, value] : metadata) object[name] = value;
}

json::object written(const create_body& read) {
  const auto& command = read.command;
  const auto& details = command.details;
  json::object out{{"payment_id", read.id.value},
                   {"amount", command.amount.minor},
                   {"currency", command.amount.unit.code()},
                   {"flow", to_string(command.how)}};
  put(out, "merchant_id", read.merchant.value);
  put(out, "payment_method", details.payment_method);
  put(out, "success_url", details.success_url);
  put(out, "cancel_url", details.cancel_url);
  put(out, "description", details.description);
  put(out, "customer_email", details.customer_email);
  put(out, "customer_name", details.customer_name);
  put(out, "customer_mobile", details.customer_mobile);
  if (command.wallet_selected) out["payment_method_type"] = "pkr_wallet";
  if (command.customer) {
    out["customer_ref"] = command.customer->ref;
    out["setup_future_usage"] = command.customer->off_session ? "off_session" : "on_session";
  }
  put_metadata(out, details.metadata);
  return out;
}
json::object written(const charge_body& read) {
  const auto& [amount, customer, details] = read.command;
  json::object out{{"payment_id", read.id.value},
                   {"amount", amount.minor},
                   {"currency", amount.unit.code()},
                   {"customer_ref", customer.ref},
                   {"payment_method_id", details.payment_method},
                   {"auto_capture", details.captures_at_once}};
  put(out, "merchant_id", read.merchant.value);
  put(out, "description", details.description);
  put(out, "customer_email", details.customer_email);
  put(out, "customer_name", details.customer_name);
  put_metadata(out, details.metadata);
  return out;
}
json::object written(const subscription_body& read) {
  const auto& command = read.command;
  const auto& details = command.details;
  json::object out{{"subscription_id", read.id},
                   {"customer_ref", details.customer_ref},
                   {"amount", command.amount.minor},
                   {"currency", command.amount.unit.code()},
                   {"interval", to_string(command.every.interval)},
                   {"trial_period_days", details.trial_period_days},
                   {"success_url", details.success_url},
                   {"cancel_url", details.cancel_url}};
  // A caller's 0 means 1.
  if (command.every.count != 1) out["interval_count"] = command.every.count;
  put(out, "merchant_id", read.merchant.value);
  put(out, "description", details.description);
  put_metadata(out, command.metadata);
  return out;
}
/// No amount, null and 0 have one meaning.
json::object written(const capture_payment& read) {
  if (read.amount == 0) return {};
  return {{"amount", read.amount}};
}
json::object written(const refund_payment& read) { return {{"amount", read.amount}, {"reason", read.reason}}; }
json::object written(const void_payment& read) { return {{"reason", read.reason}}; }
json::object written(const cancel_payment& read) { return {{"reason", read.reason}}; }
template <class Command>
json::object written(const write_body<Command>& read) {
  auto out = written(read.command);
  put(out, "merchant_id", read.merchant.value);
  return out;
}
json::object written(const std::string& token) { return {{"token", token}}; }
json::object written(const create_merchant& read) {
  return {{"name", read.name}, {"entity", to_string(read.kind)}, {"owner_email", read.owner_email}};
}
json::object written(const mint_key& read) {
  return {{"merchant_id", read.merchant.value}, {"mode", to_string(read.env)}, {"scopes", to_string(read.scopes)}};
}
json::object written(const revoke_key& read) { return {{"key_id", read.id.value}}; }
json::object written(const add_user& read) {
  return {{"merchant_id", read.merchant.value}, {"email", read.email}, {"password", read.password}};
}
json::object written(const set_connection& read) {
  return {{"merchant_id", read.merchant.value},
          {"mode", to_string(read.link.env)},
          {"provider", to_string(read.link.provider)},
          {"account", read.link.account},
          {"status", to_string(read.link.status)}};
}
json::object written(const set_route& read) {
  json::object out{{"merchant_id", read.merchant.value},
                   {"mode", to_string(read.way.env)},
                   {"provider", to_string(read.way.provider)}};
  auto& currencies = out["currencies"].emplace_array();
  for (const auto c : read.way.currencies) currencies.emplace_back(c.code());
  auto& methods = out["methods"].emplace_array();
  for (const auto m : read.way.methods) methods.emplace_back(to_string(m));
  return out;
}

/// Compares the members that a body and its decoded form share: those that are strings or numbers in both.
void check_same_values(const json::object& sent, const json::object& understood) {
  for (const auto& member : understood) {
    const auto* as_sent = sent.if_contains(member.key());
    if (!as_sent) continue;
    if (member.value().is_int64()) must(as_sent->is_int64() && *as_sent == member.value(), "a number is what was sent");
    const bool normalised = member.key() == "currency" || member.key() == "flow" || member.key() == "scopes";
    if (member.value().is_string() && as_sent->is_string() && !normalised && !as_sent->get_string().empty())
      must(*as_sent == member.value(), "a text is what was sent");
  }
}

// ---- every rejection is a valid answer ------------------------------------------------------------------

void check_rejection(const rejection& why, const second_opinion& second) {
  const auto& row = row_of(why.code);
  must(row.status == 400, "a body is rejected with 400");
  must(!why.message.empty() || !row.message.empty(), "a rejection says something");
  must(why.message.size() <= 400, "a message does not grow with the body");
  const auto answer = error_response(why);
  const auto shown = json::parse(answer.body);
  must(answer.status == 400 && shown.at("error").as_string() == row.text && shown.at("message").is_string(),
       "a rejection is JSON");

  const auto* fields = shown.as_object().if_contains("fields");
  must(why.fields.empty() || (fields && fields->as_array().at(0).at("message") == shown.at("message")),
       "the first field's message is the answer's");
  for (const auto& fault : why.fields)
    must(fault.name.size() <= 64 && fault.message.size() <= 400, "a fault does not grow with the body");
  must(why.fields.size() <= 120, "the faults are bounded");

  // An error "body: …" means that the body is not a JSON object.
  const bool readable = second.is_object && !second.repeats && levels(second.document) <= depth;
  must(!why.message.starts_with("body: ") || !readable, "what is called malformed is malformed");
}

template <class Decode>
void drive(std::string_view body, environment env, Decode decode) {
  const auto result = decode(body);
  const second_opinion second{body};
  if (const auto* why = std::get_if<rejection>(&result)) return check_rejection(*why, second);

  const auto& read = std::get<0>(result);
  check(read, env);
  if (!body.empty() && !second.has_no_opinion) {
    must(second.is_object, "what is let in is JSON");
    must(!second.repeats, "no name stands twice");
    must(levels(second.document) <= depth, "the depth is bounded");
    check_same_values(second.document.get_object(), written(read));
  }
  const auto again = decode(json::serialize(written(read)));
  must(again.index() == 0, "what was accepted is accepted again");
  must(written(std::get<0>(again)) == written(read), "what is accepted again has the same value");
}

void drive_customer_query(std::string_view query) {
  const auto result = decode_customer_query(query);
  if (const auto* why = std::get_if<rejection>(&result)) return check_rejection(*why, second_opinion{query});
  const auto& ref = std::get<std::string>(result);
  must(is_customer_ref(ref) && is_text(ref, 128), "a customer_ref has its bounds");
  // Boost.JSON takes valid UTF-8 only.
  must(json::parse(json::serialize(json::value(ref))).as_string() == ref, "a customer_ref can stand in an answer");
  std::string escaped = "ref=";
  for (const char c : ref) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    escaped.append(1, '%').append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
  const auto again = decode_customer_query(escaped);
  must(again.index() == 0 && std::get<std::string>(again) == ref, "what was let in, written again, means the same");
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  using namespace gateway;
  using namespace gateway::fuzz;
  std::string_view body{reinterpret_cast<const char*>(bytes), size};
  const auto head = cut(body, '\n');
  if (head.size() != 2) return 0;
  const auto env = head[1] == 'l' ? environment::live : environment::test;
  const http::decode_context context{env, depth};
  const auto payments = [&](auto decode) {
    drive(body, env, [&](std::string_view text) { return decode(text, context); });
  };
  const auto operators = [&](auto decode) {
    drive(body, env, [&](std::string_view text) { return decode(text, depth); });
  };
  switch (kinds.find(head[0])) {
    case 0: payments(http::decode_create); break;
    case 1: payments(http::decode_capture); break;
    case 2: payments(http::decode_refund); break;
    case 3: payments(http::decode_void); break;
    case 4: operators(http::decode_setup_token); break;
    case 5: operators(http::decode_create_merchant); break;
    case 6: operators(http::decode_mint_key); break;
    case 7: operators(http::decode_revoke_key); break;
    case 8: operators(http::decode_add_user); break;
    case 9: operators(http::decode_set_connection); break;
    case 10: operators(http::decode_set_route); break;
    case 11: payments(http::decode_charge); break;
    case 12: payments(http::decode_subscription); break;
    case 13: drive_customer_query(body); break;
    case 14: payments(http::decode_cancel); break;
    default: return -1;  // not kept in the corpus
  }
  return 0;
}
