#include "hosted.hpp"

#include "asking.hpp"
#include "gateway/base/crypto.hpp"
#include "http/pages/checkout.hpp"
#include "http/pages/forms.hpp"
#include "http/pages/page.hpp"

namespace gateway::http {
namespace {

using looked_at = std::variant<payment_ptr, response>;

/// The payment that the router answered with, or the page to show instead.
looked_at payment_of(caf::expected<entity_reply>& reply) {
  if (!reply) return error_page(page_error::busy);
  if (auto* row = std::get_if<entity_row>(&reply->what)) return std::get<payment_ptr>(std::move(*row));
  const auto* why = std::get_if<problem>(&reply->what);
  const bool unknown = why && *why == problem::payment_not_found;
  return error_page(unknown ? page_error::unknown_page : page_error::busy);
}

std::string shop_name(const services& shared, const merchant_id& id) {
  const auto who = shared.merchants.find_merchant(id);
  return who ? who->name : std::string{};
}

bool is_genuine(const call& c, const hosted_form& form) {
  const auto cookie = find_checkout_cookie(c.in.cookie);
  return cookie && crypto::equal_constant_time(csrf_token(c.here.shared.hosted_page_key, *cookie, c.id), form.csrf);
}

/// Cancelling leaves the payment open: it only looks where to send the customer.
entity_request request_for(hosted_action action, hosted_link link) {
  if (action == hosted_action::cancel) return {std::move(link.key), std::nullopt, view_entity{}};
  const auto signal = action == hosted_action::pay ? hosted_signal::paid : hosted_signal::declined;
  return {std::move(link.key), std::nullopt, hosted_result{signal, std::move(link.provider_ref)}};
}

}  // namespace

boost::asio::awaitable<response> show_hosted_page(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_hosted_link(c.id, shared.hosted_page_key);
  if (!link) co_return error_page(page_error::unknown_page);
  entity_request wanted{link->key, std::nullopt, view_entity{}};
  auto op = ask(c.here, std::move(wanted));
  auto reply = co_await std::move(op);
  auto looked = payment_of(reply);
  if (auto* page = std::get_if<response>(&looked)) co_return std::move(*page);
  const auto& subject = *std::get<payment_ptr>(looked);
  if (!awaits_customer(subject) || subject.provider_ref != link->provider_ref)
    co_return error_page(page_error::closed_page);
  const auto shop = shop_name(shared, link->key.merchant);
  co_return checkout_page(subject, shop, shared.hosted_page_key, c.id, c.in.cookie);
}

boost::asio::awaitable<response> act_on_hosted_page(call& c) {
  const auto link = read_hosted_link(c.id, c.here.shared.hosted_page_key);
  if (!link) co_return error_page(page_error::unknown_page);
  const auto form = is_form_request(c.in.content_type) ? read_hosted_form(c.in.body) : std::nullopt;
  if (!form) co_return error_page(page_error::incomplete_form);
  if (!is_genuine(c, *form)) co_return error_page(page_error::stale_form);

  auto wanted = request_for(form->action, *link);
  auto op = ask(c.here, std::move(wanted));
  auto reply = co_await std::move(op);
  auto looked = payment_of(reply);
  if (auto* page = std::get_if<response>(&looked)) co_return std::move(*page);
  const auto& subject = *std::get<payment_ptr>(looked);
  if (subject.provider_ref != link->provider_ref) co_return error_page(page_error::closed_page);
  co_return after_checkout(subject, form->action);
}

}  // namespace gateway::http
