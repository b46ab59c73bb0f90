#include "subscriptions.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "decode_lists.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/checkout/subscription.hpp"
#include "http/codec/encode_subscription.hpp"
#include "http/errors.hpp"
#include "list_of_merchant.hpp"
#include "operator_note.hpp"

namespace gateway::http {
namespace {

using found_key = std::variant<entity_key, response>;

/// Finds the subscription by the id in events, or by the caller's id if only one merchant has it.
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
  // A limited look-up by the caller's id could miss this merchant's row, so build the key. All subscriptions are live.
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

boost::asio::awaitable<response> answer_operator(call& c, entity_request wanted) {
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* row = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  if (!row) co_return answer_of(c, reply);
  co_return answer_with(encode_subscription_for_operator(*std::get<subscription_ptr>(*row)));
}

}  // namespace

boost::asio::awaitable<response> list_subscriptions(call& c) {
  return list_of_merchant(c, decode_find_subscriptions(c.in.body, c.here.shared.config.http.json_depth),
                          [](const auto& found) { return encode_subscriptions(found.subscriptions); });
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

  const auto move_text = std::string{to_string(wanted.what.to)};
  const auto note_move = [&] {
    return commit_note(
        c, note_of_operator(c, "move sandbox subscription", key.id + ": " + move_text, key.merchant, key.env));
  };

  if (machine::awaits_customer(subject)) {
    if (wanted.what.to != sandbox_move::expire)
      co_return error_response(error_code::conflict, "Nobody has paid the checkout yet: there is nothing to move.");
    auto noting = note_move();
    if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
    auto op = answer_operator(c, {key, std::nullopt, subscription_command{expire_subscription_checkout{}}});
    co_return co_await std::move(op);
  }
  if (is_final(subject.state.status)) {
    const auto words = "The subscription has ended, as " + std::string{to_string(subject.state.status)} +
                       ": there is nothing to move.";
    co_return error_response(error_code::conflict, words);
  }
  if (subject.checkout_session_id.empty())
    co_return error_response(error_code::conflict, "The checkout was never opened: there is nothing to move.");
  auto noting = note_move();
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  entity_request move{enrollment_of(key, subject.checkout_session_id), std::nullopt, enrollment_command{wanted.what}};
  auto moving = ask(c, std::move(move));
  auto moved = co_await std::move(moving);
  if (!moved || !std::holds_alternative<entity_row>(moved->what)) co_return answer_of(c, moved);
  auto op = answer_operator(c, {key, std::nullopt, view_entity{}});
  co_return co_await std::move(op);
}

}  // namespace gateway::http
