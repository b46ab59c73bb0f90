#include "public.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "http/api/connect.hpp"
#include "http/api/customers.hpp"
#include "http/api/disputes.hpp"
#include "http/api/events.hpp"
#include "http/api/notifications.hpp"
#include "http/api/payment_list.hpp"
#include "http/api/payments.hpp"
#include "http/api/setup_token.hpp"
#include "http/api/subscriptions.hpp"
#include "http/call/serve.hpp"
#include "http/checkout/customer_page.hpp"
#include "http/checkout/provider_pages.hpp"
#include "http/checkout/sandbox.hpp"
#include "http/checkout/subscription.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/header_lines.hpp"
#include "http/docs/routes.hpp"
#include "http/errors.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "http/operator/console/console.hpp"
#include "http/operator/health.hpp"
#include "http/portal/as_member.hpp"
#include "http/portal/error_pages.hpp"
#include "http/portal/member/connections.hpp"
#include "http/portal/member/handlers.hpp"
#include "http/portal/person/account.hpp"
#include "http/portal/person/consent.hpp"
#include "http/portal/person/forgotten.hpp"
#include "http/portal/person/invitation.hpp"
#include "http/portal/person/provider_return.hpp"
#include "http/portal/person/setup.hpp"
#include "http/portal/person/sign_in.hpp"

namespace gateway::http {
namespace {

using enum access;

// Matched in order, so the busiest addresses come first.
constexpr auto public_table = std::to_array<endpoint>({
    with_body({"POST", "/v1/payment_intents", create_payment_intent, signed_write, scope::payments_write},
              body_fields::create),
    with_body({"POST", "/v1/payment_intents/{id}/capture", capture_payment_intent, signed_write, scope::payments_write},
              body_fields::capture),
    with_body({"POST", "/v1/payment_intents/{id}/refund", refund_payment_intent, signed_write, scope::payments_write},
              body_fields::refund),
    with_body({"POST", "/v1/payment_intents/{id}/void", void_payment_intent, signed_write, scope::payments_write},
              body_fields::voiding),
    with_body({"POST", "/v1/payment_intents/{id}/cancel", cancel_payment_intent, signed_write, scope::payments_write},
              body_fields::cancel),
    {"GET", "/v1/payment_intents/{id}/timeline", show_timeline, signed_read, scope::payments_read},
    {"GET", "/v1/payment_intents/{id}", show_payment_intent, signed_read, scope::payments_read},
    {"GET", "/v1/payment_intents", list_payment_intents, signed_read, scope::payments_read},
    {"GET", "/v1/payment_intents/{id}/refunds", show_refunds, signed_read, scope::payments_read},
    {"GET", "/v1/disputes", list_disputes, signed_read, scope::payments_read},
    {"GET", "/v1/disputes/{id}", show_dispute, signed_read, scope::payments_read},
    {"GET", "/v1/events", read_event_log, signed_read, scope::payments_read, acts_as::reader_of_events},
    {"GET", "/v1/events/{id}", show_logged_event, signed_read, scope::payments_read, acts_as::reader_of_events},
    {"POST", "/v1/public/providers/{id}/{mode}/notifications", take_notification},
    {"POST", "/v1/public/connect/token", exchange_token, signed_write, scope::all, acts_as::platform,
     error_style::oauth},
    {"POST", "/v1/grants/{id}/revoke", revoke_platforms_grant, signed_write, scope::all, acts_as::platform,
     error_style::revoke},
    {"POST", "/v1/platform_keys/{id}/revoke", revoke_platforms_key, signed_write, scope::all, acts_as::platform},
    {"GET", "/sandbox/checkout/{id}", show_hosted_page},
    {"POST", "/sandbox/checkout/{id}", act_on_hosted_page},
    {"GET", "/v1/public/pay/{id}", show_wallet_page},
    {"POST", "/v1/public/pay/{id}", pass_on_wallet_form},
    {"GET", "/checkout/returned", show_returned_page},
    {"GET", "/checkout/logo/{merchant}", show_logo},
    {"POST", "/v1/public/providers/{merchant}/{mode}/return", return_from_provider},
    {"POST", "/v1/public/onboarding/exchange-setup-token", exchange_setup_token},
    {"GET", "/v1/public/accounts/{id}", return_from_onboarding},
    {"GET", "/v1/public/accounts/{id}/again", repeat_onboarding},
    {"GET", "/connect/authorize", show_consent},
    {"POST", "/connect/authorize", answer_consent},
    {"GET", "/portal", enter_portal},
    {"GET", "/portal/", enter_portal},
    {"GET", "/portal/sign-in", show_sign_in},
    {"POST", "/portal/sign-in", sign_in},
    {"POST", "/portal/sign-out", sign_out},
    {"GET", "/portal/account", show_account},
    {"POST", "/portal/account", act_on_account},
    {"GET", "/portal/invitation", show_invitation},
    {"POST", "/portal/invitation", act_on_invitation},
    {"GET", "/portal/forgotten", show_forgotten},
    {"POST", "/portal/forgotten", act_on_forgotten},
    {"GET", "/portal/setup", show_setup},
    {"POST", "/portal/setup", act_on_setup},
    {"GET", "/portal/connections", show_renewal},
    {"POST", "/portal/connections", act_on_renewal},
    {"GET", "/portal/{merchant}/{mode}", as_member<go_to_overview>},
    {"GET", "/portal/{merchant}/{mode}/", as_member<show_overview>},
    {"GET", "/portal/{merchant}/{mode}/payments", as_member<show_payments>},
    {"GET", "/portal/{merchant}/{mode}/payments.csv", as_member<show_payments_csv>},
    {"GET", "/portal/{merchant}/{mode}/payments/{id}", as_member<show_payment>},
    {"POST", "/portal/{merchant}/{mode}/payments/{id}", as_owner<act_on_payment>},
    {"GET", "/portal/{merchant}/{mode}/disputes", as_member<show_disputes>},
    {"GET", "/portal/{merchant}/{mode}/subscriptions", as_member<show_subscriptions>},
    {"GET", "/portal/{merchant}/{mode}/subscriptions/{id}", as_member<show_subscription_of_merchant>},
    {"POST", "/portal/{merchant}/{mode}/subscriptions/{id}", as_owner<act_on_subscription>},
    {"GET", "/portal/{merchant}/{mode}/customers", as_member<show_customers>},
    {"GET", "/portal/{merchant}/{mode}/customers/{id}", as_member<show_customer_of_merchant>},
    {"GET", "/portal/{merchant}/{mode}/keys", as_member<show_keys>},
    {"POST", "/portal/{merchant}/{mode}/keys", as_owner<act_on_keys>},
    {"GET", "/portal/{merchant}/{mode}/destinations", as_member<show_destinations>},
    {"POST", "/portal/{merchant}/{mode}/destinations", as_owner<act_on_destinations>},
    {"GET", "/portal/{merchant}/{mode}/destinations/{id}", as_member<show_destination>},
    {"POST", "/portal/{merchant}/{mode}/destinations/{id}", as_owner<act_on_destination>},
    {"GET", "/portal/{merchant}/{mode}/deliveries/{id}", as_member<show_delivery_of_member>},
    {"POST", "/portal/{merchant}/{mode}/deliveries/{id}", as_owner<act_on_delivery>},
    {"GET", "/portal/{merchant}/{mode}/connections", as_member<show_connections>},
    {"POST", "/portal/{merchant}/{mode}/connections", as_owner<act_on_connections>},
    {"GET", "/portal/{merchant}/{mode}/platforms", as_member<show_platforms>},
    {"POST", "/portal/{merchant}/{mode}/platforms", as_owner<act_on_platforms>},
    {"GET", "/portal/{merchant}/{mode}/team", as_member<show_team>},
    {"POST", "/portal/{merchant}/{mode}/team", as_owner<act_on_team>},
    {"GET", "/portal/{merchant}/{mode}/branding", as_member<show_branding>},
    {"POST", "/portal/{merchant}/{mode}/branding", as_owner<act_on_branding>},
    {"GET", "/portal/{merchant}/{mode}/audit", as_member<show_audit>},
    {"GET", "/sandbox/onboarding/{id}", show_onboarding},
    {"POST", "/sandbox/onboarding/{id}", act_on_onboarding},
    with_body({"POST", "/v1/charges/saved", charge_saved_method, signed_write, scope::payments_write,
               acts_as::platforms_merchant},
              body_fields::charge),
    {"GET", "/v1/customers/by_ref", show_customer, signed_read, scope::customers_read, acts_as::platforms_merchant},
    {"GET", "/v1/customers", list_platform_customers, signed_read, scope::customers_read, acts_as::platforms_merchant},
    {"POST", "/sandbox/confirm", confirm_by_sdk},
    with_body({"POST", "/v1/subscription_checkouts", open_subscription, signed_write, scope::payments_write,
               acts_as::platforms_merchant},
              body_fields::subscription),
    {"GET", "/v1/subscriptions", list_platform_subscriptions, signed_read, scope::payments_read,
     acts_as::platforms_merchant},
    {"GET", "/v1/subscriptions/{id}", show_subscription, signed_read, scope::payments_read,
     acts_as::platforms_merchant},
    {"DELETE", "/v1/subscriptions/{id}", cancel_subscription_at_once, signed_write, scope::payments_write,
     acts_as::platforms_merchant},
    {"GET", "/sandbox/subscription/{id}", show_subscription_page},
    {"POST", "/sandbox/subscription/{id}", act_on_subscription_page},
    {"GET", "/healthz", show_health},
    {"GET", "/readyz", show_readiness},
    {"GET", "/docs", show_documentation},
    {"GET", "/docs/search", search_documentation},
    {"GET", "/docs/samples.js", show_samples_script},
    {"GET", "/docs/{id}", show_document},
    {"GET", "/docs/", go_to_document},
    {"GET", "/docs/{id}/", go_to_document},
    {"GET", "/v1/event_types", show_event_types},
    {"GET", "/openapi.json", show_openapi},
});

constexpr auto metrics_table = std::to_array<endpoint>({
    {"GET", "/metrics", show_metrics},
    {"GET", "/healthz", show_health},
    {"GET", "/readyz", show_readiness},
});

/// Whether the path's answers are shown in a person's browser.
bool is_page(std::string_view path) noexcept {
  if (!path.starts_with("/v1/")) return path != "/sandbox/confirm";
  constexpr std::string_view pages[] = {"/v1/public/pay/", "/v1/public/accounts/", "/v1/public/providers/"};
  return std::ranges::any_of(pages, [&](std::string_view start) { return path.starts_with(start); });
}

/// Only the API's answers have rate limit headers. Pages and redirects have none: they are for people's browsers.
bool shows_limits(const response& out) noexcept { return out.content_type == response{}.content_type; }

response too_many_from_address(const request& in, const rate_verdict& verdict) {
  if (is_page(in.path)) return error_page(page_error::too_many_requests);
  auto out = error_response(error_code::rate_limited);
  add_rate_limits(out, verdict.standings());
  return out;
}

/// Handles a request from an address that is limited.
boost::asio::awaitable<response> handle_limited(worker& here, request& in, std::uint64_t number) {
  const auto verdict = here.shared.limits.pass_address(number);
  if (!verdict.passed) co_return too_many_from_address(in, verdict);
  auto op = serve(here, in, public_table);
  auto out = co_await std::move(op);
  // A 429 names only the limit that rejected the request.
  if (shows_limits(out) && out.sent_status() != row_of(error_code::rate_limited).status)
    add_rate_limits(out, verdict.standings());
  co_return out;
}

/// Whether the request may change stored data. Sign-in and sign-out do not count, because members must sign in to read.
bool is_write(const request& in) noexcept {
  if (in.method == "GET" || in.method == "HEAD") return false;
  return in.path != "/portal/sign-in" && in.path != "/portal/sign-out";
}

response no_writes_taken(const request& in) {
  const bool is_shown = is_page(in.path) && !in.path.ends_with("/notifications");
  return is_shown ? error_page(page_error::recovering) : error_response(error_code::recovery_required);
}

boost::asio::awaitable<response> handle_page_or_api(worker& here, request& in) {
  // Without its lease a node may have missed a key's revocation: it answers only requests for its own health.
  const bool is_probe = in.path == "/healthz" || in.path == "/readyz";
  if (!here.shared.nodes.serves() && !is_probe) co_return error_response(error_code::store_unavailable);
  if (here.shared.gate->is_closed() && is_write(in)) co_return no_writes_taken(in);
  const bool limited = in.address_number && !is_free_of_limits(in.path) && !is_notification(here.shared, in);
  auto op = limited ? handle_limited(here, in, *in.address_number) : serve(here, in, public_table);
  co_return co_await std::move(op);
}

/// Every error of the portal is a page with a link to go on.
boost::asio::awaitable<response> handle_portal(worker& here, request& in) {
  auto op = handle_page_or_api(here, in);
  auto out = co_await std::move(op);
  co_return with_link_back(here.shared, std::move(out));
}

/// Whether the client accepts HTML by name, as browsers do. A program that accepts JSON, or anything, gets the error as
/// JSON.
bool is_browsers(const request& in) noexcept {
  return first_header(in.head, "Accept").value_or(std::string_view{}).find("text/html") != std::string_view::npos;
}

/// A browser at an unknown address gets a page with a link to the documentation.
boost::asio::awaitable<response> handle_other(worker& here, request& in) {
  if (in.path == "/" && is_browsers(in)) co_return redirect_to(here.shared.base_url + "/docs");
  auto op = handle_page_or_api(here, in);
  auto out = co_await std::move(op);
  const bool is_missing = out.error && out.error->code == error_code::not_found && out.route == response{}.route;
  if (!is_missing || !is_browsers(in)) co_return out;
  auto page = error_page(page_error::unknown_address);
  add_way_on(page, {here.shared.base_url + "/docs", "Go to the documentation"});
  co_return page;
}

}  // namespace

std::span<const endpoint> public_endpoints() noexcept { return public_table; }

boost::asio::awaitable<response> handle_public(worker& here, request& in) {
  // Not a coroutine itself, so that the pages cost the API's requests nothing.
  if (in.path.starts_with("/v1/")) return handle_page_or_api(here, in);
  return is_of_portal(in.path) ? handle_portal(here, in) : handle_other(here, in);
}

boost::asio::awaitable<response> handle_metrics(worker& here, request& in) {
  return is_for_console(here, in) ? handle_console(here, in) : serve(here, in, metrics_table);
}

}  // namespace gateway::http
