#include "wallet_page.hpp"

#include <cstring>  // ctemplate uses strlen without including it: keep this first

#include <tuple>
#include <utility>

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
response wallet_page(const payment& subject, std::string_view merchant_name, const hosted_form& form) {
  ctemplate::TemplateDictionary values{"wallet"};
  const auto set = [&](const char* name, std::string_view value) { values.SetValue(name, std::string{value}); };
  set("TITLE", "Pay with your wallet");
  set("MERCHANT", merchant_name);
  set("AMOUNT", amount_text(subject.amount));
  if (!subject.details.description.empty()) {
    values.ShowSection("DESCRIBED");
    set("DESCRIPTION", subject.details.description);
  }
  for (const auto& [name, value] : form.fields) {
    auto* row = values.AddSectionDictionary("FIELD");
    row->SetValue("NAME", name);
    row->SetValue("VALUE", value);
  }
  return page_response(render(page_template::wallet, values), {"'self' " + origin_of(form.action), framed_by(subject)});
}

response after_wallet(const payment& subject) {
  using enum payment_state;
  const auto& [success, cancel] = std::tie(subject.details.success_url, subject.details.cancel_url);
  const page_policy policy{{}, framed_by(subject)};
  switch (subject.state) {
    case authorized:
    case captured:
    case partially_refunded:
    case refunded:
      if (!success.empty()) return redirect_to(success);
      return notice_page("Payment approved", "Thank you. You can close this page and return to the shop.", policy);
    case failed:
    case voided:
      if (!cancel.empty()) return redirect_to(cancel);
      return notice_page("Payment declined",
                         "The payment was declined. You can close this page and return to the shop.", policy);
    case created:
    case processing: break;
  }
  if (subject.error && subject.error->retryable && !subject.error->outcome_unknown)
    return notice_page(
        "The payment was not made",
        "The wallet did not take the payment, and nothing was paid. You can go back to the wallet's page "
        "and try again, or return to the shop.",
        policy, {cancel.empty() ? success : cancel, "Return to the shop"});
  return notice_page("Your payment is being confirmed",
                     "The wallet has not confirmed it yet, which can take some minutes. Please do not pay again: the "
                     "shop is informed as soon as it is known.",
                     policy, {success.empty() ? cancel : success, "Return to the shop"});
}

}  // namespace gateway::http
