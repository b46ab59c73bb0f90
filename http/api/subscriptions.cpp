#include "subscriptions.hpp"

#include <string>
#include <utility>
#include <variant>

#include "customers.hpp"
#include "http/call/ask.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

using found_subscription = std::variant<entity_key, error_code>;

/// The id in events takes precedence over the caller's id, because the gateway generates it in a known format.
boost::asio::awaitable<found_subscription> find_subscription(call& c) {
  const auto& merchant = c.allowed.merchant;
  if (const auto provider_id = provider_subscription_id_in(c.path.id, merchant)) {
    auto op = ask(c.here, find_subscription_keys{{}, std::string{*provider_id}});
    auto found = co_await std::move(op);
    if (!found) co_return code_of(found.error());
    for (auto& key : found->keys)
      if (key.merchant == merchant && key.env == c.allowed.env) co_return std::move(key);
  }
  if (!is_subscription_id(c.path.id)) co_return error_code::subscription_not_found;
  co_return subscription_key(merchant, c.allowed.env, std::string{c.path.id});
}

}  // namespace

boost::asio::awaitable<response> open_subscription(call& c) {
  if (auto rejected = require_json(c.in)) co_return error_response(*rejected);
  auto body = decode_subscription(c.in.body, context_of(c));
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(*rejected);
  auto& wanted = std::get<subscription_body>(body);
  if (auto rejected = check_merchant(c.allowed, wanted.merchant)) co_return error_response(*rejected);
  if (const auto why = customers_unavailable(c.allowed)) {
    auto op = refuse_customers(c, *why);
    co_return co_await std::move(op);
  }
  wanted.command.platform = platform_id{c.allowed.principal};
  auto key = subscription_key(c.allowed.merchant, c.allowed.env, std::move(wanted.id));
  auto asked = as_write(c, {std::move(key), std::nullopt, subscription_command{std::move(wanted.command)}});
  auto op = ask_router(c, std::move(asked));
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> show_subscription(call& c) {
  if (const auto why = customers_unavailable(c.allowed)) co_return error_response(*why, {}, c.here.shared.base_url);
  auto finding = find_subscription(c);
  auto found = co_await std::move(finding);
  if (const auto* failed = std::get_if<error_code>(&found)) co_return error_response(*failed);
  entity_request wanted{std::get<entity_key>(std::move(found)), std::nullopt, view_entity{}};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* row = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  const auto* subject = row ? std::get_if<subscription_ptr>(row) : nullptr;
  if (subject && (*subject)->platform.value != c.allowed.principal)
    co_return error_response(error_code::subscription_not_found);
  co_return answer_of(c, reply);
}

boost::asio::awaitable<response> cancel_subscription_at_once(call& c) {
  if (!c.in.body.empty()) co_return error_response(error_code::invalid_request, "A cancel has no body.");
  if (const auto why = customers_unavailable(c.allowed)) {
    auto op = refuse_customers(c, *why);
    co_return co_await std::move(op);
  }
  auto finding = find_subscription(c);
  auto found = co_await std::move(finding);
  if (const auto* failed = std::get_if<error_code>(&found)) {
    if (*failed != error_code::subscription_not_found) co_return error_response(*failed);
    auto op = answer_unless_key_is_known(c, take_idempotency(c), error_style::usual, *failed);
    co_return co_await std::move(op);
  }
  auto asked =
      as_write(c, {std::get<entity_key>(std::move(found)), std::nullopt, subscription_command{cancel_subscription{}}});
  auto op = ask_router(c, std::move(asked));
  co_return co_await std::move(op);
}

}  // namespace gateway::http
