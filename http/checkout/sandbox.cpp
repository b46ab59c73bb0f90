#include "sandbox.hpp"

#include "hosted_page.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"

namespace gateway::http {
namespace {

using looked_at = std::variant<payment_ptr, response>;

/// The payment in the router's reply, or the page to show instead.
looked_at payment_of(caf::expected<entity_reply>& reply) {
  if (!reply) return error_page(page_error::busy);
  if (auto* row = std::get_if<entity_row>(&reply->what)) return std::get<payment_ptr>(std::move(*row));
  const auto* why = std::get_if<problem>(&reply->what);
  const bool unknown = why && *why == problem::payment_not_found;
  return error_page(unknown ? page_error::unknown_page : page_error::busy);
}

/// The token of the payment method entered on the sandbox's page: constant for the page.
std::string fresh_method_of(std::string_view provider_ref) {
  return "pm_" + std::string{provider_ref.substr(provider_ref.find('_') + 1)};
}

/// Cancelling leaves the payment open: it only reads where to redirect the customer.
entity_request request_for(hosted_action action, hosted_link link) {
  if (action == hosted_action::cancel) return {std::move(link.key), std::nullopt, view_entity{}};
  const auto signal = action == hosted_action::pay ? hosted_signal::paid : hosted_signal::declined;
  auto fresh = fresh_method_of(link.provider_ref);
  return {std::move(link.key), std::nullopt, hosted_result{signal, std::move(link.provider_ref), std::move(fresh)}};
}

}  // namespace

boost::asio::awaitable<std::string> shop_name(worker& here, merchant_id id) {
  auto making = make_known(here, id);
  co_await std::move(making);
  const auto who = here.shared.merchants.find_merchant(id);
  co_return who ? who->name : std::string{};
}

bool is_genuine_checkout(const call& c, const form& sent) {
  const auto cookie = find_checkout_cookie(c.in.cookie);
  return cookie && is_genuine(sent, c.here.shared.hosted_page_key, *cookie, c.path.id);
}

boost::asio::awaitable<response> show_hosted_page(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_hosted_link(c.path.id, shared.hosted_page_key);
  if (!link) co_return error_page(page_error::unknown_page);
  entity_request wanted{link->key, std::nullopt, view_entity{}};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  auto looked = payment_of(reply);
  if (auto* page = std::get_if<response>(&looked)) co_return std::move(*page);
  const auto& subject = *std::get<payment_ptr>(looked);
  if (!awaits_customer(subject) || subject.provider_ref != link->provider_ref)
    co_return error_page(page_error::closed_page);
  auto naming = shop_name(c.here, link->key.merchant);
  const auto shop = co_await std::move(naming);
  co_return checkout_page(checkout_of(subject, shop), shared.hosted_page_key, c.path.id, c.in.cookie);
}

boost::asio::awaitable<response> act_on_hosted_page(call& c) {
  const auto link = read_hosted_link(c.path.id, c.here.shared.hosted_page_key);
  if (!link) co_return error_page(page_error::unknown_page);
  const auto sent = read_form(c.in);
  if (!is_genuine_checkout(c, sent)) co_return error_page(page_error::stale_form);
  const auto action = parse_hosted_action(sent.text("action"));
  if (!action) co_return error_page(page_error::incomplete_form);

  auto wanted = request_for(*action, *link);
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  auto looked = payment_of(reply);
  if (auto* page = std::get_if<response>(&looked)) co_return std::move(*page);
  const auto& subject = *std::get<payment_ptr>(looked);
  if (subject.provider_ref != link->provider_ref) co_return error_page(page_error::closed_page);
  co_return after_checkout(subject, *action);
}

boost::asio::awaitable<response> confirm_by_sdk(call& c) {
  const auto& shared = c.here.shared;
  if (auto rejected = require_json(c.in)) co_return error_response(*rejected);
  auto body = decode_sdk_confirmation(c.in.body, shared.config.http.json_depth);
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(*rejected);
  const auto& said = std::get<sdk_confirmation>(body);
  constexpr std::string_view unknown = "There is no such client_secret.";
  constexpr std::string_view prefix = "sdk_";
  if (!said.client_secret.starts_with(prefix)) co_return error_response(error_code::not_found, unknown);
  const auto link = read_hosted_link(std::string_view{said.client_secret}.substr(prefix.size()), shared.sdk_key);
  if (!link) co_return error_response(error_code::not_found, unknown);

  entity_request wanted{link->key, std::nullopt, hosted_result{said.signal, link->provider_ref}};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  if (!reply) co_return error_response(code_of(reply.error()));
  if (const auto* why = std::get_if<problem>(&reply->what)) co_return error_response(code_of(*why));
  const auto& subject = *std::get<payment_ptr>(std::get<entity_row>(reply->what));
  if (subject.provider_ref != link->provider_ref) co_return error_response(error_code::not_found, unknown);
  const bool failed = subject.state == payment_state::failed;
  co_return answer_with(failed ? R"({"status":"failed"})" : R"({"status":"succeeded"})");
}

}  // namespace gateway::http
