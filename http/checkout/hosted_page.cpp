#include "hosted_page.hpp"

#include <cstring>  // ctemplate uses strlen without including it: keep this first

#include <ctemplate/template_dictionary.h>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/text.hpp"
#include "http/codec/web_address.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "http/html/shown_money.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t cookie_digits = 32;

/// Browsers apply form-action to the redirect after the post too, so the policy includes the merchant's origins.
page_policy policy_of(const checkout& what) {
  page_policy policy{"'self'", {}};
  const auto success = origin_of(what.success_url);
  const auto cancel = origin_of(what.cancel_url);
  if (!success.empty()) policy.form_targets += " " + success;
  if (!cancel.empty() && cancel != success) policy.form_targets += " " + cancel;
  if (what.embedded) policy.frame_ancestors = success;
  return policy;
}

/// In a frame on the merchant's site this is a third-party cookie, which SameSite=Lax would withhold.
std::string set_cookie(std::string_view value, bool embedded) {
  std::string text{checkout_cookie_name};
  text.append("=").append(value).append("; Path=/; Secure; HttpOnly; SameSite=");
  return text += embedded ? "None; Partitioned" : "Lax";
}

std::optional<hosted_link> link_in(std::string_view rest) {
  hosted_link link;
  link.key.merchant = merchant_id{std::string{cut_before(rest, '\n')}};
  const auto env = parse_environment(cut_before(rest, '\n'));
  link.key.env = env.value_or(environment::test);
  link.key.id = cut_before(rest, '\n');
  link.provider_ref = cut_before(rest, '\n');
  const bool whole = !link.key.merchant.empty() && env && rest.empty();
  if (!whole) return std::nullopt;
  return link;
}

/// `every month`, `every 3 months`
std::string period_text(const billing_period& every) {
  const std::string unit{to_string(every.interval)};
  return every.count == 1 ? "every " + unit : "every " + std::to_string(every.count) + " " + unit + "s";
}

bool is_paid(payment_state state) noexcept {
  using enum payment_state;
  return state == authorized || state == captured || state == partially_refunded || state == refunded;
}

}  // namespace

std::optional<hosted_link> read_hosted_link(std::string_view token, const crypto::derived_keys& key) {
  const auto payload = key.verify(token);
  auto link = payload ? link_in(*payload) : std::nullopt;
  if (!link || !is_payment_id(link->key.id)) return std::nullopt;
  return link;
}

std::optional<hosted_link> read_subscription_link(std::string_view token, const crypto::derived_keys& key) {
  const auto payload = key.verify(token);
  if (!payload) return std::nullopt;
  std::string_view rest = *payload;
  if (cut_before(rest, '\n') != "subscription") return std::nullopt;
  auto link = link_in(rest);
  if (!link || !is_subscription_id(link->key.id)) return std::nullopt;
  link->key.kind = entity_kind::subscription;
  return link;
}

std::optional<std::string> find_checkout_cookie(std::optional<std::string_view> header) {
  return find_hex_cookie(header, checkout_cookie_name, cookie_digits);
}

std::optional<hosted_action> parse_hosted_action(std::string_view text) {
  if (text == "pay") return hosted_action::pay;
  if (text == "decline") return hosted_action::decline;
  if (text == "cancel") return hosted_action::cancel;
  return std::nullopt;
}

checkout checkout_of(const payment& subject, std::string_view merchant_name) {
  const bool challenge = subject.how == flow::server;
  checkout what;
  what.title = challenge ? "Confirm your payment" : "Complete your payment";
  what.merchant_name = merchant_name;
  what.amount = amount_text(subject.amount);
  what.description = subject.details.description;
  what.success_url = subject.details.success_url;
  what.cancel_url = subject.details.cancel_url;
  what.embedded = subject.how == flow::embedded;
  if (challenge) {
    what.pay_label = "Approve";
    what.decline_label = "Fail";
  }
  return what;
}

checkout checkout_of(const subscription& subject, std::string_view merchant_name) {
  const auto& details = subject.details;
  checkout what;
  what.title = "Confirm your subscription";
  what.merchant_name = merchant_name;
  what.amount = amount_text(subject.state.amount);
  what.period = period_text(subject.state.every);
  if (const auto days = details.trial_period_days; days > 0)
    what.period += ", after " + std::to_string(days) + (days == 1 ? " free day" : " free days");
  what.description = details.description;
  what.success_url = details.success_url;
  what.cancel_url = details.cancel_url;
  what.pay_label = details.trial_period_days > 0 ? "Start the free trial" : "Subscribe";
  return what;
}

checkout cycle_approval_of(const subscription& subject, std::string_view merchant_name) {
  auto what = checkout_of(subject, merchant_name);
  what.title = "Confirm your payment";
  what.period = period_text(subject.state.every);
  what.pay_label = "Approve";
  what.decline_label = "Decline";
  return what;
}

response checkout_page(const checkout& what, const crypto::derived_keys& key, std::string_view link_token,
                       std::optional<std::string_view> cookie_header) {
  const auto cookie = find_checkout_cookie(cookie_header).value_or(crypto::random_hex(cookie_digits / 2));
  ctemplate::TemplateDictionary values{"checkout"};
  const auto set = [&](const char* name, std::string_view value) { values.SetValue(name, std::string{value}); };
  set("TITLE", what.title);
  set("MERCHANT", what.merchant_name);
  set("AMOUNT", what.amount);
  set("CSRF", csrf_token(key, cookie, link_token));
  set("PAY", what.pay_label);
  set("DECLINE", what.decline_label);
  if (!what.period.empty()) {
    values.ShowSection("REPEATED");
    set("PERIOD", what.period);
  }
  if (!what.description.empty()) {
    values.ShowSection("DESCRIBED");
    set("DESCRIPTION", what.description);
  }
  if (!what.cancel_url.empty()) values.ShowSection("CANCELLABLE");
  auto out = page_response(render(page_template::checkout, values), policy_of(what));
  out.headers.emplace_back("Set-Cookie", set_cookie(cookie, what.embedded));
  return out;
}

response after_checkout(const payment& subject, hosted_action action) {
  const auto policy = policy_of(checkout_of(subject, {}));
  const auto& details = subject.details;
  if (action == hosted_action::cancel) {
    if (!awaits_customer(subject)) return error_page(page_error::closed_page);
    if (!details.cancel_url.empty()) return redirect_to(details.cancel_url);
    return notice_page("Not paid", "The payment is still open. You can close this page.", policy);
  }
  if (is_paid(subject.state)) {
    if (!details.success_url.empty()) return redirect_to(details.success_url);
    return notice_page("Payment approved", "Thank you. You can close this page and return to the shop.", policy);
  }
  if (is_cancelled(subject)) return error_page(page_error::closed_page);
  if (subject.state == payment_state::failed) {
    if (!details.cancel_url.empty()) return redirect_to(details.cancel_url);
    return notice_page("Payment declined", "The payment was declined. You can close this page and return to the shop.",
                       policy);
  }
  return error_page(page_error::closed_page);
}

response after_checkout(const subscription& subject, bool made) {
  return redirect_to(made ? subject.details.success_url : subject.details.cancel_url);
}

}  // namespace gateway::http
