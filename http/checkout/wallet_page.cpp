#include "wallet_page.hpp"

#include <tuple>
#include <utility>

#include "customer_texts.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "hosted_page.hpp"
#include "http/codec/web_address.hpp"
#include "http/html/fill.hpp"
#include "http/html/forms.hpp"
#include "shown_order.hpp"

namespace gateway::http {
namespace {

/// If the payment is embedded, the merchant's site may show the page in a frame.
std::string framed_by(const payment& subject) {
  return subject.how == flow::embedded ? origin_of(subject.details.success_url) : std::string{};
}

}  // namespace

std::optional<entity_key> read_form_link(std::string_view token, const crypto::derived_keys& key) {
  const auto payload = key.verify(token);
  if (!payload) return std::nullopt;
  std::string_view rest = *payload;
  if (cut_before(rest, '\n') != "form") return std::nullopt;
  merchant_id merchant{std::string{cut_before(rest, '\n')}};
  const auto env = parse_environment(cut_before(rest, '\n'));
  if (merchant.empty() || !env || !is_payment_id(rest)) return std::nullopt;
  return payment_key(std::move(merchant), *env, payment_id{std::string{rest}});
}

/// Browsers apply form-action to the redirect after the post, too.
response wallet_page(const payment& subject, const checkout_view& seen, const hosted_form& form) {
  ctemplate::TemplateDictionary values{"wallet"};
  show_order(values, seen.reads, subject.amount, subject.details.description);
  set(values, "CONTINUE", say(seen.reads, customer_text::go_to_wallet));
  for (const auto& [name, value] : form.fields) {
    auto& row = *values.AddSectionDictionary("FIELD");
    set(row, "NAME", name);
    set(row, "VALUE", value);
  }
  return customer_response(page_template::wallet, values, say(seen.reads, customer_text::pay_with_wallet), seen,
                           {"'self' " + origin_of(form.action), framed_by(subject)});
}

response after_wallet(const payment& subject, const checkout_view& seen) {
  using enum payment_state;
  const auto& [success, cancel] = std::tie(subject.details.success_url, subject.details.cancel_url);
  const page_policy policy{{}, framed_by(subject)};
  const auto words = [&](customer_text what) { return std::string{say(seen.reads, what)}; };
  switch (subject.state) {
    case authorized:
    case captured:
    case partially_refunded:
    case refunded: return success.empty() ? outcome_page(subject, seen) : redirect_to(success);
    case failed:
    case voided: return cancel.empty() ? outcome_page(subject, seen) : redirect_to(cancel);
    case created:
    case processing: break;
  }
  if (subject.error && subject.error->retryable && !subject.error->outcome_unknown) {
    customer_notice failed_try{words(customer_text::try_failed), words(customer_text::wallet_try_failed)};
    failed_try.url = cancel.empty() ? success : cancel;
    return customer_notice_page(failed_try, seen, policy);
  }
  customer_notice waiting{words(customer_text::being_confirmed), words(customer_text::wallet_confirms)};
  waiting.url = success.empty() ? cancel : success;
  return customer_notice_page(waiting, seen, policy);
}

}  // namespace gateway::http
