#include "encode_payments.hpp"

#include <utility>

#include "gateway/domain/payment_machine.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/codec/json_writer.hpp"

namespace gateway::http {
namespace {

/// Writes what the API does not show. An absent value is null, so that all rows have the same members.
void append_outcome(json_object& object, const payment& subject, duration_ms hosted_expiry) {
  if (subject.open)
    object.text("open_operation", to_string(subject.open->what));
  else
    object.member("open_operation") += "null";
  if (const auto since = unknown_since(subject, hosted_expiry))
    object.text("unknown_since", format_millis(*since));
  else
    object.member("unknown_since") += "null";
}

}  // namespace

std::string encode_listed_payments(const std::vector<payment_ptr>& payments, duration_ms hosted_expiry,
                                   std::string_view rest) {
  std::string out = R"({"payments":[)";
  out.reserve(64 + 320 * payments.size());
  bool first = true;
  for (const auto& p : payments) {
    if (!std::exchange(first, false)) out += ',';
    json_object object{out};
    object.text("payment_id", p->key.id);
    object.text("merchant_id", p->key.merchant.value);
    object.text("mode", to_string(p->key.env));
    object.text("state", to_string(p->state));
    object.number("amount", p->amount.minor);
    object.text("currency", p->amount.unit.code());
    append_outcome(object, *p, hosted_expiry);
    object.text("provider", to_string(p->provider));
    object.text("provider_ref", p->provider_ref);
  }
  return out.append("]").append(rest).append("}");
}

std::string encode_payment_for_operator(const payment& subject, duration_ms hosted_expiry) {
  auto shown = subject;
  shown.hides_provider = false;
  std::string out;
  {
    json_object body{out};
    append_payment(body, shown, true);
    body.text("merchant_id", shown.key.merchant.value);
    body.text("mode", to_string(shown.key.env));
    append_outcome(body, shown, hosted_expiry);
    body.text("provider_ref", shown.provider_ref);
  }
  return out;
}

}  // namespace gateway::http
