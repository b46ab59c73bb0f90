#include "sandbox.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "gateway/domain/payment_machine.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode.hpp"
#include "http/html/page.hpp"

namespace gateway::http {
namespace {

using looked_at = std::variant<payment_ptr, page_error>;

/// The payment in the router's reply, or the error to show instead.
looked_at payment_of(caf::expected<entity_reply>& reply, const hosted_link& link) {
  if (!reply) return page_error::busy;
  if (auto* row = std::get_if<entity_row>(&reply->what)) {
    auto subject = std::get<payment_ptr>(std::move(*row));
    if (subject->provider_ref != link.provider_ref) return page_error::closed_page;
    return subject;
  }
  const auto* why = std::get_if<problem>(&reply->what);
  return why && *why == problem::payment_not_found ? page_error::unknown_page : page_error::busy;
}

/// The payment that the link names, as it is now.
boost::asio::awaitable<looked_at> look_at_payment(call& c, hosted_link link) {
  entity_request wanted{link.key, std::nullopt, view_entity{}};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  co_return payment_of(reply, link);
}

/// The token of the payment method entered on the sandbox's page: constant for the page.
std::string fresh_method_of(std::string_view provider_ref) {
  return "pm_" + std::string{provider_ref.substr(provider_ref.find('_') + 1)};
}

/// A customer's cancel leaves the payment open: the request only reads where to redirect the customer.
entity_request request_for(hosted_action action, hosted_link link) {
  if (action == hosted_action::cancel) return {std::move(link.key), std::nullopt, view_entity{}};
  const auto signal = action == hosted_action::pay ? hosted_signal::paid : hosted_signal::declined;
  auto fresh = fresh_method_of(link.provider_ref);
  return {std::move(link.key), std::nullopt, hosted_result{signal, std::move(link.provider_ref), std::move(fresh)}};
}

/// The page of a payment that was cancelled or has expired; nothing for any other.
boost::asio::awaitable<std::optional<response>> show_if_gone(call& c, hosted_link link) {
  const auto merchant = link.key.merchant;
  auto looking = look_at_payment(c, std::move(link));
  const auto looked = co_await std::move(looking);
  const auto* subject = std::get_if<payment_ptr>(&looked);
  if (!subject || awaits_customer(**subject)) co_return std::nullopt;
  auto viewing = view_for(c, merchant);
  const auto seen = co_await std::move(viewing);
  auto page = outcome_page(**subject, seen);
  if (page.status != row_of(page_error::closed_page).status) co_return std::nullopt;
  co_return std::move(page);
}

/// A card that is refused leaves the payment open: the page is shown again, and the customer can try another card.
/// Nothing if the card is approved.
boost::asio::awaitable<std::optional<response>> try_card(call& c, hosted_link link, form sent, checkout_view seen) {
  auto looking = look_at_payment(c, std::move(link));
  const auto looked = co_await std::move(looking);
  if (const auto* error = std::get_if<page_error>(&looked)) co_return customer_error(*error, seen);
  const auto& subject = *std::get<payment_ptr>(looked);
  if (!awaits_customer(subject)) co_return outcome_page(subject, seen);
  const auto what = checkout_of(subject, seen.reads);
  if (!what.takes_cards) co_return customer_error(page_error::incomplete_form, seen);
  co_return refused_card_page(c, sent, what, seen);
}

}  // namespace

page_visitor visitor_of(const call& c) { return {c.here.shared.hosted_page_key, c.path.id, c.in.cookie}; }

std::optional<response> refused_card_page(const call& c, const form& sent, const checkout& what,
                                          const checkout_view& seen) {
  const auto typed = judge_card(sent, seen.reads, c.here.shared.clock.now());
  if (!typed.is_faulty()) return std::nullopt;
  auto page = checkout_page(what, seen, visitor_of(c), typed);
  page.status = row_of(page_error::refused_form).status;
  return page;
}

bool is_genuine_checkout(const call& c, const form& sent) {
  const auto cookie = find_checkout_cookie(c.in.cookie);
  return cookie && is_genuine(sent, c.here.shared.hosted_page_key, *cookie, c.path.id);
}

boost::asio::awaitable<response> show_hosted_page(call& c) {
  const auto link = read_hosted_link(c.path.id, c.here.shared.hosted_page_key);
  if (!link) co_return customer_error(page_error::unknown_page, plain_view(c.in));
  auto looking = look_at_payment(c, *link);
  const auto looked = co_await std::move(looking);
  auto viewing = view_for(c, link->key.merchant);
  const auto seen = co_await std::move(viewing);
  if (const auto* error = std::get_if<page_error>(&looked)) co_return customer_error(*error, seen);
  const auto& subject = *std::get<payment_ptr>(looked);
  if (!awaits_customer(subject)) co_return outcome_page(subject, seen);
  co_return checkout_page(checkout_of(subject, seen.reads), seen, visitor_of(c));
}

boost::asio::awaitable<response> act_on_hosted_page(call& c) {
  const auto link = read_hosted_link(c.path.id, c.here.shared.hosted_page_key);
  if (!link) co_return customer_error(page_error::unknown_page, plain_view(c.in));
  const auto sent = read_form(c.in);
  if (!is_genuine_checkout(c, sent)) {
    // A closed page has no genuine form, so the answer shows that it is closed.
    auto closing = show_if_gone(c, *link);
    auto gone = co_await std::move(closing);
    co_return gone ? *std::move(gone) : customer_error(page_error::stale_form, plain_view(c.in));
  }
  const bool by_card = is_card_form(sent);
  const auto action = by_card ? std::optional{hosted_action::pay} : parse_hosted_action(sent.text("action"));
  if (!action) co_return customer_error(page_error::incomplete_form, plain_view(c.in));
  auto viewing = view_for(c, link->key.merchant);
  const auto seen = co_await std::move(viewing);
  if (by_card) {
    auto trying = try_card(c, *link, sent, seen);
    auto refused = co_await std::move(trying);
    if (refused) co_return *std::move(refused);
  }

  auto wanted = request_for(*action, *link);
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto looked = payment_of(reply, *link);
  if (const auto* error = std::get_if<page_error>(&looked)) co_return customer_error(*error, seen);
  co_return after_checkout(*std::get<payment_ptr>(looked), *action, seen);
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
