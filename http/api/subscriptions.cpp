#include "subscriptions.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "customers.hpp"
#include "http/call/ask.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/encode_list.hpp"
#include "http/codec/encode_subscription.hpp"
#include "http/errors.hpp"
#include "lists.hpp"

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

cursor_scope subscription_cursors(const call& c) { return cursors_of_platform(c, "subscriptions"); }

decoded<find_subscriptions_of_platform> decode_subscription_list(const call& c) {
  auto read = list_query::read(c.in.query, subscription_filters);
  if (auto* wrong = std::get_if<rejection>(&read)) return std::move(*wrong);
  const auto& query = std::get<list_query>(read);
  find_subscriptions_of_platform wanted{c.allowed.merchant, platform_id{c.allowed.principal}};
  wanted.limit = query.limit();
  if (const auto status = query.value("status"); !status.empty()) {
    wanted.status = parse_subscription_status(status);
    if (!wanted.status)
      return malformed_parameter("status",
                                 "must be pending, failed, incomplete, trialing, active, past_due, unpaid, paused, "
                                 "incomplete_expired or canceled");
  }
  auto ref = query.customer_ref();
  if (auto* wrong = std::get_if<rejection>(&ref)) return std::move(*wrong);
  wanted.customer_ref = std::move(std::get<std::string>(ref));
  auto after = position_after(c, subscription_cursors(c), query);
  if (auto* wrong = std::get_if<rejection>(&after)) return std::move(*wrong);
  if (auto& position = std::get<std::optional<timed_position>>(after))
    wanted.before = listed_position{position->at, std::move(position->id)};
  return wanted;
}

}  // namespace

boost::asio::awaitable<response> list_platform_subscriptions(call& c) {
  auto decoded_query = decode_subscription_list(c);
  if (const auto* wrong = std::get_if<rejection>(&decoded_query)) co_return error_response(*wrong);
  if (const auto why = customers_unavailable(c.allowed)) co_return error_response(*why, {}, c.here.shared.base_url);
  auto op = ask(c.here, std::get<find_subscriptions_of_platform>(std::move(decoded_query)));
  const auto page = co_await std::move(op);
  if (!page) co_return error_response(code_of(page.error()));
  std::string next;
  if (page->next)
    next = make_cursor(c.here.shared.cursor_key, subscription_cursors(c),
                       timed_position{page->next->created_at, page->next->id});
  const auto append = [](std::string& out, const subscription_ptr& each) { out += encode_subscription(*each); };
  co_return answer_with(encode_list("subscriptions", page->subscriptions, next, append));
}

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
