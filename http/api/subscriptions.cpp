#include "subscriptions.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "customers.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/checkout/hosted_page.hpp"
#include "http/checkout/sandbox.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/encode_subscription.hpp"
#include "http/errors.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "http/operator/decode_directory.hpp"

namespace gateway::http {
namespace {

using found_key = std::variant<entity_key, response>;

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

entity_key enrollment_of(const entity_key& subscription, std::string_view checkout_session_id) {
  constexpr std::string_view prefix = "cs_";
  if (checkout_session_id.starts_with(prefix)) checkout_session_id.remove_prefix(prefix.size());
  return enrollment_key(subscription.merchant, subscription.env, checkout_session_id);
}

// ---- the page -----------------------------------------------------------------------------------

using page_subject = std::variant<subscription_ptr, response>;

/// The subscription that the link names, or the page to show.
boost::asio::awaitable<page_subject> subject_of(call& c, hosted_link link) {
  auto op = ask(c, entity_request{link.key, std::nullopt, view_entity{}});
  auto reply = co_await std::move(op);
  if (!reply) co_return error_page(page_error::busy);
  auto* row = std::get_if<entity_row>(&reply->what);
  if (!row) {
    const auto* why = std::get_if<problem>(&reply->what);
    const bool unknown = why && *why == problem::subscription_not_found;
    co_return error_page(unknown ? page_error::unknown_page : page_error::busy);
  }
  auto subject = std::get<subscription_ptr>(std::move(*row));
  if (subject->checkout_session_id != link.provider_ref) co_return error_page(page_error::closed_page);
  co_return subject;
}

/// Nothing if the sandbox did not answer; otherwise whether the customer has the subscription now.
boost::asio::awaitable<std::optional<bool>> pay_at_sandbox(call& c, hosted_link link) {
  entity_request paid{enrollment_of(link.key, link.provider_ref), std::nullopt, enrollment_command{pay_enrollment{}}};
  auto op = ask(c, std::move(paid));
  const auto reply = co_await std::move(op);
  const auto* row = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  if (!row) co_return std::nullopt;
  co_return std::get<enrollment_ptr>(*row)->what.newest.sequence > 0;
}

// ---- operators ----------------------------------------------------------------------------------

/// Finds it by the id in events, or by the caller's id if only one merchant has it.
boost::asio::awaitable<found_key> find_for_operator(call& c, named_subscription named) {
  std::vector<entity_key> keys;
  if (const auto at = named.id.rfind("_sub_"); at != std::string::npos) {
    auto op = ask(c.here, find_subscription_keys{{}, named.id.substr(at + 1)});
    const auto found = co_await std::move(op);
    if (!found) co_return error_response(code_of(found.error()));
    for (const auto& key : found->keys)
      if (public_subscription_id(key.merchant, std::string_view{named.id}.substr(at + 1)) == named.id &&
          (named.merchant.empty() || key.merchant == named.merchant))
        keys.push_back(key);
  }
  // Many merchants may have a subscription with that id, and the look-up's result is limited. All subscriptions are in
  // live.
  if (keys.empty() && !named.merchant.empty() && is_subscription_id(named.id))
    co_return subscription_key(named.merchant, environment::live, named.id);
  if (keys.empty() && named.merchant.empty()) {
    auto op = ask(c.here, find_subscription_keys{named.id, {}});
    const auto found = co_await std::move(op);
    if (!found) co_return error_response(code_of(found.error()));
    keys = found->keys;
  }
  if (keys.empty()) co_return error_response(no_such("subscription", named.id));
  if (keys.size() == 1) co_return std::move(keys.front());
  std::string merchants;
  for (const auto& key : keys) merchants += (merchants.empty() ? "" : ", ") + key.merchant.value;
  co_return error_response(error_code::conflict,
                           "Several merchants have a subscription of that id: " + merchants + ". Name one.");
}

boost::asio::awaitable<response> tell_operator(call& c, entity_request wanted) {
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* row = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  if (!row) co_return answer_of(c, reply);
  co_return answer_with(encode_subscription_for_operator(*std::get<subscription_ptr>(*row)));
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

boost::asio::awaitable<response> show_subscription_page(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_subscription_link(c.path.id, shared.hosted_page_key);
  if (!link) co_return error_page(page_error::unknown_page);
  auto looking = subject_of(c, *link);
  auto seen = co_await std::move(looking);
  if (auto* page = std::get_if<response>(&seen)) co_return std::move(*page);
  const auto& subject = *std::get<subscription_ptr>(seen);
  if (decide(subject, checkout_choice::pay, shared.clock.now()) == checkout_verdict::closed)
    co_return error_page(page_error::closed_page);
  auto naming = shop_name(c.here, link->key.merchant);
  const auto shop = co_await std::move(naming);
  co_return checkout_page(checkout_of(subject, shop), shared.hosted_page_key, c.path.id, c.in.cookie);
}

boost::asio::awaitable<response> act_on_subscription_page(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_subscription_link(c.path.id, shared.hosted_page_key);
  if (!link) co_return error_page(page_error::unknown_page);
  const auto sent = read_form(c.in);
  if (!is_genuine_checkout(c, sent)) co_return error_page(page_error::stale_form);
  const auto action = parse_hosted_action(sent.text("action"));
  if (!action) co_return error_page(page_error::incomplete_form);
  auto looking = subject_of(c, *link);
  auto seen = co_await std::move(looking);
  if (auto* page = std::get_if<response>(&seen)) co_return std::move(*page);
  const auto& subject = *std::get<subscription_ptr>(seen);

  const bool pays = *action == hosted_action::pay;
  const bool closed = decide(subject, pays ? checkout_choice::pay : checkout_choice::decline, shared.clock.now()) ==
                      checkout_verdict::closed;
  // Paying twice, on two pages or by a second click, counts as paid.
  if (closed && !(pays && subject.activated)) co_return error_page(page_error::closed_page);
  if (!pays) co_return after_checkout(subject, false);
  auto paying = pay_at_sandbox(c, *link);
  const auto made = co_await std::move(paying);
  if (!made) co_return error_page(page_error::busy);
  if (!*made) co_return error_page(page_error::closed_page);
  co_return after_checkout(subject, true);
}

boost::asio::awaitable<response> list_subscriptions(call& c) {
  auto body = decode_find_subscriptions(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& query = std::get<find_subscriptions>(body);
  auto making = make_known(c.here, query.merchant);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (!c.here.shared.merchants.find_merchant(query.merchant))
    co_return error_response(no_such("merchant", query.merchant.value));
  auto op = ask(c.here, std::move(query));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_subscriptions(found->subscriptions));
}

boost::asio::awaitable<response> show_subscription_for_operator(call& c) {
  auto body = decode_show_subscription(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto finding = find_for_operator(c, std::get<named_subscription>(body));
  auto found = co_await std::move(finding);
  if (auto* failed = std::get_if<response>(&found)) co_return std::move(*failed);
  entity_request wanted{std::get<entity_key>(std::move(found)), std::nullopt, view_entity{}};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* row = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  if (!row) co_return answer_of(c, reply);
  co_return answer_with(encode_subscription_details(*std::get<subscription_ptr>(*row)));
}

boost::asio::awaitable<response> move_sandbox_subscription(call& c) {
  auto body = decode_move_subscription(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& wanted = std::get<moved_subscription>(body);
  auto finding = find_for_operator(c, wanted);
  auto found = co_await std::move(finding);
  if (auto* failed = std::get_if<response>(&found)) co_return std::move(*failed);
  const auto& key = std::get<entity_key>(found);
  auto looking = ask(c, entity_request{key, std::nullopt, view_entity{}});
  auto seen = co_await std::move(looking);
  const auto* row = seen ? std::get_if<entity_row>(&seen->what) : nullptr;
  if (!row) co_return answer_of(c, seen);
  const auto& subject = *std::get<subscription_ptr>(*row);

  if (machine::awaits_customer(subject)) {
    if (wanted.what.to != sandbox_move::expire)
      co_return error_response(error_code::conflict, "Nobody has paid the checkout yet: there is nothing to move.");
    auto op = tell_operator(c, {key, std::nullopt, subscription_command{expire_subscription_checkout{}}});
    co_return co_await std::move(op);
  }
  if (is_final(subject.state.status)) {
    const auto words = "The subscription has ended, as " + std::string{to_string(subject.state.status)} +
                       ": there is nothing to move.";
    co_return error_response(error_code::conflict, words);
  }
  if (subject.checkout_session_id.empty())
    co_return error_response(error_code::conflict, "The checkout was never opened: there is nothing to move.");
  entity_request move{enrollment_of(key, subject.checkout_session_id), std::nullopt, enrollment_command{wanted.what}};
  auto moving = ask(c, std::move(move));
  auto moved = co_await std::move(moving);
  if (!moved || !std::holds_alternative<entity_row>(moved->what)) co_return answer_of(c, moved);
  auto op = tell_operator(c, {key, std::nullopt, view_entity{}});
  co_return co_await std::move(op);
}

}  // namespace gateway::http
