#include "wire.hpp"

#include <boost/describe/class.hpp>
#include <boost/json.hpp>

namespace gateway::actors::wire {

// The messages on the wire; Boost.JSON converts described structs.
struct call_line {
  std::uint64_t id = 0;
  std::string provider_key, operation, merchant, environment, payment_id, provider, flow, payment_method;
  std::int64_t amount = 0;
  std::int64_t begun_at = 0;  ///< unix milliseconds, as captured_at
  std::optional<std::int64_t> captured_at;
  bool asked_again = false;
  std::string customer_key;
  bool saves_method = false, charges_saved = false;
  std::string currency{};
  bool captures_at_once = false;
};
BOOST_DESCRIBE_STRUCT(call_line, (),
                      (id, provider_key, operation, merchant, environment, payment_id, provider, flow, payment_method,
                       amount, begun_at, captured_at, asked_again, customer_key, saves_method, charges_saved, currency,
                       captures_at_once))

struct error_line {
  std::string category, code, message;
  bool retryable = false, outcome_unknown = false;
};
BOOST_DESCRIBE_STRUCT(error_line, (), (category, code, message, retryable, outcome_unknown))

struct result_line {
  std::uint64_t id = 0;
  std::string status, provider_ref;
  std::optional<error_line> error;
  std::string customer_id, saved_method, movement_ref;
  bool is_followed = false;
};
BOOST_DESCRIBE_STRUCT(result_line, (),
                      (id, status, provider_ref, error, customer_id, saved_method, movement_ref, is_followed))

namespace {

namespace json = boost::json;

template <class Line>
std::optional<Line> read_line(std::string_view text) {
  json::error_code failed;
  const auto value = json::parse({text.data(), text.size()}, failed);
  if (failed) return std::nullopt;
  auto line = json::try_value_to<Line>(value);
  if (!line) return std::nullopt;
  return std::move(*line);
}

}  // namespace

std::string encode(const numbered_call& numbered) {
  const auto& call = numbered.call;
  const auto& subject = call.subject;
  call_line line{numbered.id,
                 call.provider_key,
                 std::string{to_string(call.what)},
                 subject.key.merchant.value,
                 std::string{to_string(subject.key.env)},
                 subject.key.id,
                 std::string{to_string(subject.provider)},
                 std::string{to_string(subject.how)},
                 subject.details.payment_method,
                 call.amount,
                 to_unix_ms(call.begun_at),
                 std::nullopt,
                 call.asked_again,
                 call.customer_key};
  if (subject.customer) {
    line.saves_method = subject.customer->saves_method;
    line.charges_saved = subject.customer->charges_saved;
  }
  line.currency = subject.amount.unit.code();
  line.captures_at_once = subject.details.captures_at_once;
  if (subject.captured_at) line.captured_at = to_unix_ms(*subject.captured_at);
  return json::serialize(json::value_from(line));
}

std::string encode(const numbered_result& numbered) {
  const auto& result = numbered.result;
  result_line line{numbered.id,         std::string{to_string(result.status)},
                   result.provider_ref, std::nullopt,
                   result.customer_id,  result.saved_method,
                   result.movement_ref, result.is_followed};
  if (const auto& e = result.error)
    line.error = error_line{std::string{to_string(e->category)}, e->code, e->message, e->retryable, e->outcome_unknown};
  return json::serialize(json::value_from(line));
}

std::optional<numbered_call> decode_call(std::string_view text) {
  auto line = read_line<call_line>(text);
  if (!line) return std::nullopt;
  const auto what = parse_operation(line->operation);
  const auto env = parse_environment(line->environment);
  const auto provider = parse_provider_kind(line->provider);
  const auto how = parse_flow(line->flow);
  if (!what || !env || !provider || !how) return std::nullopt;
  numbered_call numbered{line->id, {}};
  auto& call = numbered.call;
  call.provider_key = std::move(line->provider_key);
  call.what = *what;
  call.asked_again = line->asked_again;
  call.amount = line->amount;
  call.begun_at = from_unix_ms(line->begun_at);
  call.subject.key = payment_key(merchant_id{std::move(line->merchant)}, *env, payment_id{std::move(line->payment_id)});
  call.subject.provider = *provider;
  call.subject.how = *how;
  call.subject.amount.unit = currency::parse(line->currency).value_or(currency{});
  call.subject.details.payment_method = std::move(line->payment_method);
  call.subject.details.captures_at_once = line->captures_at_once;
  call.customer_key = std::move(line->customer_key);
  if (line->saves_method || line->charges_saved) {
    auto& customer = call.subject.customer.emplace();
    customer.saves_method = line->saves_method;
    customer.charges_saved = line->charges_saved;
  }
  if (line->captured_at) call.subject.captured_at = from_unix_ms(*line->captured_at);
  return numbered;
}

std::optional<numbered_result> decode_result(std::string_view text) {
  auto line = read_line<result_line>(text);
  if (!line) return std::nullopt;
  const auto status = parse_provider_status(line->status);
  if (!status) return std::nullopt;
  numbered_result numbered{line->id, {*status, std::move(line->provider_ref), {}, std::nullopt}};
  numbered.result.customer_id = std::move(line->customer_id);
  numbered.result.saved_method = std::move(line->saved_method);
  numbered.result.movement_ref = std::move(line->movement_ref);
  numbered.result.is_followed = line->is_followed;
  if (auto& e = line->error) {
    const auto category = parse_error_category(e->category);
    if (!category) return std::nullopt;
    numbered.result.error =
        provider_error{*category, std::move(e->code), std::move(e->message), e->retryable, e->outcome_unknown};
  }
  return numbered;
}

}  // namespace gateway::actors::wire
