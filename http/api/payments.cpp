#include "payments.hpp"

#include "customers.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

template <class Command>
entity_request read_of(const call& c, std::string_view id, Command what) {
  return {payment_key(c.allowed.merchant, c.allowed.env, payment_id{std::string{id}}), std::nullopt, std::move(what)};
}

template <class Command>
entity_request write_of(call& c, std::string_view id, Command what) {
  return as_write(c, read_of(c, id, std::move(what)));
}

/// A write that makes a payment. `customer` is null if it has none; it belongs to the calling platform. Customers exist
/// in live only.
template <class Body>
boost::asio::awaitable<response> make_payment(call& c, Body& wanted, wanted_customer* customer) {
  if (customer)
    if (const auto why = customers_unavailable(c.allowed)) {
      auto op = refuse_customers(c, *why);
      co_return co_await std::move(op);
    }
  if (customer) customer->platform = platform_id{c.allowed.principal};
  auto asked = write_of(c, wanted.id.value, std::move(wanted.command));
  auto op = ask_router(c, std::move(asked));
  co_return co_await std::move(op);
}

template <class Command>
using decoder = decoded<write_body<Command>> (*)(std::string_view, const decode_context&);

/// Capture, refund, void and cancel differ only in their bodies.
template <class Command>
boost::asio::awaitable<response> change_payment(call& c, decoder<Command> decode) {
  if (auto rejected = require_json(c.in)) co_return error_response(*rejected);
  auto body = decode(c.in.body, context_of(c));
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(*rejected);
  auto& wanted = std::get<write_body<Command>>(body);
  if (auto rejected = check_merchant(c.allowed, wanted.merchant)) co_return error_response(*rejected);
  if (!is_payment_id(c.path.id)) {
    auto op = answer_unless_key_is_known(c, take_idempotency(c), error_style::usual, error_code::payment_not_found);
    co_return co_await std::move(op);
  }
  auto asked = write_of(c, c.path.id, std::move(wanted.command));
  auto op = ask_router(c, std::move(asked));
  co_return co_await std::move(op);
}

template <class View>
boost::asio::awaitable<response> answer_view(call& c) {
  if (!is_payment_id(c.path.id)) co_return error_response(error_code::payment_not_found);
  auto wanted = read_of(c, c.path.id, View{});
  auto op = ask_router(c, std::move(wanted));
  co_return co_await std::move(op);
}

}  // namespace

boost::asio::awaitable<response> create_payment_intent(call& c) {
  if (auto rejected = require_json(c.in)) co_return error_response(*rejected);
  auto body = decode_create(c.in.body, context_of(c));
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(*rejected);
  auto& wanted = std::get<create_body>(body);
  if (auto rejected = check_merchant(c.allowed, wanted.merchant)) co_return error_response(*rejected);
  auto* customer = wanted.command.customer ? &*wanted.command.customer : nullptr;
  auto op = make_payment(c, wanted, customer);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> charge_saved_method(call& c) {
  if (auto rejected = require_json(c.in)) co_return error_response(*rejected);
  auto body = decode_charge(c.in.body, context_of(c));
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(*rejected);
  auto& wanted = std::get<charge_body>(body);
  if (auto rejected = check_merchant(c.allowed, wanted.merchant)) co_return error_response(*rejected);
  auto op = make_payment(c, wanted, &wanted.command.customer);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> capture_payment_intent(call& c) {
  return change_payment<capture_payment>(c, decode_capture);
}
boost::asio::awaitable<response> refund_payment_intent(call& c) {
  return change_payment<refund_payment>(c, decode_refund);
}
boost::asio::awaitable<response> void_payment_intent(call& c) { return change_payment<void_payment>(c, decode_void); }
boost::asio::awaitable<response> cancel_payment_intent(call& c) {
  return change_payment<cancel_payment>(c, decode_cancel);
}
boost::asio::awaitable<response> show_payment_intent(call& c) { return answer_view<view_entity>(c); }
boost::asio::awaitable<response> show_timeline(call& c) { return answer_view<view_timeline>(c); }

boost::asio::awaitable<response> show_refunds(call& c) {
  if (!is_payment_id(c.path.id)) co_return error_response(error_code::payment_not_found);
  auto wanted = read_of(c, c.path.id, view_entity{});
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* row = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  const auto* subject = row ? std::get_if<payment_ptr>(row) : nullptr;
  co_return subject ? answer_with(encode_refunds(**subject)) : answer_of(c, reply);
}

}  // namespace gateway::http
