#include "answers.hpp"

#include <algorithm>

#include "billing.hpp"
#include "gateway/domain/url.hpp"
#include "object_reader.hpp"
#include "requests.hpp"

namespace gateway::actors::stripe {

namespace {

constexpr std::size_t most_stored_url = 8 * 1024;

// docs.stripe.com/error-low-level, the table of status codes.
namespace status {
constexpr unsigned ok = 200, bad_request = 400, unauthorized = 401, request_failed = 402, forbidden = 403,
                   not_found = 404, conflict = 409, dependency_failed = 424, too_many = 429, server_error = 500;
}  // namespace status

/// Conversions and sums of amounts within these bounds cannot overflow.
std::int64_t amount_at(const json::object* object, std::string_view name, bool is_signed = false) {
  constexpr auto most = max_amount * 100;
  return std::clamp(number(object, name), is_signed ? -most : 0, most);
}

made_charge charge_in(const json::object* object) {
  made_charge read;
  read.amount = amount_at(object, "amount");
  read.captured = amount_at(object, "amount_captured");
  if (const auto* refunded = value_in(object, "amount_refunded"); refunded && refunded->is_int64())
    read.refunded = amount_at(object, "amount_refunded");
  if (const auto* disputed = value_in(object, "disputed"); disputed && disputed->is_bool())
    read.disputed = disputed->get_bool();
  const auto* details = member(object, "payment_method_details");
  for (const std::string_view kind : {"card", "card_present"})
    if (const auto until = time_in(member(details, kind), "capture_before")) read.capture_before = until;
  return read;
}

intent intent_in(const json::object* object) {
  intent read;
  read.id = own_id(object);
  read.status = word(object, "status");
  read.client_secret = word(object, "client_secret");
  read.customer = id_in(object, "customer");
  read.payment_method = id_in(object, "payment_method");
  read.redirect_url = url_in(member(member(object, "next_action"), "redirect_to_url"), "url");
  const auto* marks = member(object, "metadata");
  read.key = word(marks, key_mark);
  read.merchant = word(marks, merchant_mark);
  read.payment = word(marks, payment_mark);
  read.charge = id_in(object, "latest_charge");
  if (const auto* whole = member(object, "latest_charge")) read.whole_charge = charge_in(whole);
  read.cancellation_reason = word(object, "cancellation_reason");
  read.received = amount_at(object, "amount_received");
  if (const auto* failed = member(object, "last_payment_error")) read.last_error = error_in(failed);
  return read;
}

refund refund_in(const json::object* object) {
  refund read;
  read.id = own_id(object);
  read.status = word(object, "status");
  read.failure_reason = word(object, "failure_reason");
  read.reason = word(object, "reason");
  read.key = word(member(object, "metadata"), key_mark);
  read.amount = amount_at(object, "amount");
  read.created = time_in(object, "created");
  read.moved_money = !id_in(object, "balance_transaction").empty();
  return read;
}

made_dispute dispute_in(const json::object* object) {
  made_dispute read;
  read.id = own_id(object);
  read.status = word(object, "status");
  read.reason = word(object, "reason");
  read.unit = word(object, "currency");
  read.amount = amount_at(object, "amount");
  if (const auto* moves = list(object, "balance_transactions"))
    for (const auto& each : *moves) read.balance += amount_at(each.if_object(), "amount", true);
  read.created = time_in(object, "created");
  read.due_by = time_in(member(object, "evidence_details"), "due_by");
  return read;
}

reply read_rejection(const http_answer& answer, reply read) {
  read.error = read_error(answer.body);
  if (!read.error) return read;
  if (read.error->type == "idempotency_error" || read.error->code == "idempotency_key_in_use")
    read.kind = reply_kind::other_call;
  else if (read.error->type == "api_error")
    read.kind = reply_kind::server_fault;
  else
    read.kind = reply_kind::rejected;
  return read;
}

reply read_throttling(const http_answer& answer, reply read) {
  read.error = read_error(answer.body);
  // Refused because another request has locked the object, and not because of too many requests. The other request may
  // be the first sending of this one.
  const bool locked = read.error && read.error->code == "lock_timeout";
  read.kind = locked ? reply_kind::other_call : reply_kind::throttled;
  return read;
}

reply read_answer(const http_answer& answer) {
  reply read{reply_kind::unclear, answer.body, std::nullopt, answer.resent,
             answer.headers.find("Idempotent-Replayed") == "true"};
  if (answer.cut) return read;
  switch (answer.status) {
    case status::ok: read.kind = reply_kind::success; return read;
    case status::unauthorized:
    case status::forbidden:
      read.kind = reply_kind::credentials;
      read.error = read_error(answer.body);
      return read;
    case status::too_many: return read_throttling(answer, std::move(read));
    case status::conflict: read.kind = reply_kind::other_call; return read;
    case status::dependency_failed: read.kind = reply_kind::server_fault; return read;
    case status::bad_request:
    case status::request_failed:
    case status::not_found: return read_rejection(answer, std::move(read));
    default: break;
  }
  if (answer.status >= status::server_error) read.kind = reply_kind::server_fault;
  return read;
}

}  // namespace

std::string url_in(const json::object* object, std::string_view name) {
  const auto text = word(object, name);
  const bool is_url = text.starts_with("https://") && text.size() <= most_stored_url && has_only_url_characters(text);
  return is_url ? std::string{text} : std::string{};
}

stripe_error error_in(const json::object* object) {
  stripe_error error;
  error.type = word(object, "type");
  error.code = word(object, "code");
  error.decline_code = word(object, "decline_code");
  error.param = word(object, "param");
  error.message = word(object, "message");
  error.intent_id = id_in(object, "payment_intent");
  return error;
}

std::optional<intent> read_intent(std::string_view body) { return read_object(body, "payment_intent", intent_in); }

std::optional<checkout> read_checkout(std::string_view body) {
  return read_object(body, "checkout.session", [](const json::object* object) {
    checkout read;
    read.id = own_id(object);
    read.status = word(object, "status");
    read.payment_status = word(object, "payment_status");
    read.customer = id_in(object, "customer");
    read.url = url_in(object, "url");
    read.intent_id = id_in(object, "payment_intent");
    read.subscription_id = id_in(object, "subscription");
    if (const auto* whole = member(object, "payment_intent")) read.expanded = intent_in(whole);
    return read;
  });
}

std::optional<refund> read_refund(std::string_view body) { return read_object(body, "refund", refund_in); }

std::optional<page<intent>> read_intents(std::string_view body) {
  return read_page<intent>(body, "search_result", intent_in);
}

std::optional<page<refund>> read_refunds(std::string_view body) { return read_page<refund>(body, "list", refund_in); }

std::optional<page<made_dispute>> read_disputes(std::string_view body) {
  return read_page<made_dispute>(body, "list", dispute_in);
}

std::optional<page<made_customer>> read_customers(std::string_view body) {
  return read_page<made_customer>(body, "search_result", [](const json::object* object) {
    return made_customer{own_id(object), std::string{word(member(object, "metadata"), customer_mark)}};
  });
}

std::optional<stripe_error> read_error(std::string_view body) {
  const auto parsed = parse_object(body);
  const auto* error = parsed ? member(parsed->if_object(), "error") : nullptr;
  if (!error) return std::nullopt;
  return error_in(error);
}

std::optional<std::string> read_id(std::string_view body) {
  const auto parsed = parse_object(body);
  auto id = own_id(parsed ? parsed->if_object() : nullptr);
  if (id.empty()) return std::nullopt;
  return id;
}

reply read_reply(const http_outcome* received) {
  if (!received) return {};
  if (const auto* failure = std::get_if<http_failure>(received))
    return {failure->sent ? reply_kind::unclear : reply_kind::unsent};
  return read_answer(std::get<http_answer>(*received));
}

}  // namespace gateway::actors::stripe
