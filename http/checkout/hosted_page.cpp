#include "hosted_page.hpp"

#include <tuple>

#include "customer_texts.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/text.hpp"
#include "http/codec/web_address.hpp"
#include "http/html/fill.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "shown_order.hpp"
#include "shown_price.hpp"

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

struct interval_words {
  customer_text one;
  customer_text several;
};
constexpr interval_words words_of_interval(billing_interval interval) noexcept {
  using enum customer_text;
  switch (interval) {
    case billing_interval::day: return {every_day, every_days};
    case billing_interval::week: return {every_week, every_weeks};
    case billing_interval::month: break;
    case billing_interval::year: return {every_year, every_years};
  }
  return {every_month, every_months};
}

/// `every month`, `every 3 months`
std::string period_text(language reads, const billing_period& every) {
  const auto words = words_of_interval(every.interval);
  if (every.count == 1) return std::string{say(reads, words.one)};
  return say(reads, words.several, {{"count", std::to_string(every.count)}});
}

bool is_paid(payment_state state) noexcept {
  using enum payment_state;
  return state == authorized || state == captured || state == partially_refunded || state == refunded;
}

std::string in_groups_of_four(std::string_view digits) {
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && i % 4 == 0) grouped += ' ';
    grouped += digits[i];
  }
  return grouped;
}

/// How a payment that no longer waits for its customer is shown.
struct payment_end {
  customer_text title;
  customer_text message;
  bool good = false;           ///< the money was paid
  bool may_try_again = false;  ///< by another payment
  bool gone = false;           ///< the page is shown under status 410
};

payment_end end_of_failure(const payment& subject) {
  if (is_cancelled(subject)) return {customer_text::closed, customer_text::was_cancelled, false, false, true};
  const auto code = subject.error ? std::string_view{subject.error->code} : std::string_view{};
  if (code == "checkout_expired" || code == "PAYMENT_EXPIRED")
    return {customer_text::expired, customer_text::has_expired, false, true, true};
  return {customer_text::declined, customer_text::was_declined, false, true};
}

/// Nothing while the payment is under way.
std::optional<payment_end> end_of(const payment& subject) {
  using enum payment_state;
  switch (subject.state) {
    case authorized: return payment_end{customer_text::approved, customer_text::was_authorized, true};
    case captured:
    case partially_refunded: return payment_end{customer_text::approved, customer_text::was_paid, true};
    case refunded: return payment_end{customer_text::was_refunded_title, customer_text::was_refunded};
    case voided: return payment_end{customer_text::was_voided_title, customer_text::was_voided};
    case failed: return end_of_failure(subject);
    case created:
    case processing: break;
  }
  return std::nullopt;
}

void show_card_form(ctemplate::TemplateDictionary& values, const checkout& what, language reads,
                    const card_entry& typed) {
  auto& card = *values.AddSectionDictionary("CARD");
  set(card, "HEADING", say(reads, customer_text::card_heading));
  set(card, "WARNING", say(reads, customer_text::card_warning));
  if (typed.is_faulty()) set_if_any(card, "FAULTY", "TEXT", say(reads, customer_text::check_card));
  struct {
    std::string_view name;
    customer_text label;
    std::string_view example, most;
    const field& now;
  } const fields[] = {{card_number_field, customer_text::card_number, "4242 4242 4242 4242", "24", typed.number},
                      {card_expiry_field, customer_text::card_expiry, "08/30", "9", typed.expiry},
                      {card_cvc_field, customer_text::card_cvc, "123", "3", typed.cvc}};
  for (const auto& each : fields) {
    auto& item = *card.AddSectionDictionary("FIELD");
    set(item, "NAME", each.name);
    set(item, "LABEL", say(reads, each.label));
    set(item, "VALUE", each.now.value);
    set(item, "EXAMPLE", each.example);
    set(item, "MOST", each.most);
    if (each.now.fault.empty()) continue;
    item.ShowSection("WRONG");
    set_if_any(item, "FAULT", "TEXT", each.now.fault);
  }
  set(card, "PAY_AMOUNT",
      what.period.empty() ? say(reads, customer_text::pay_amount, {{"amount", shown_price(reads, what.amount)}})
                          : std::string{what.pay_label});
  set(card, "TEST_CARDS", say(reads, customer_text::test_cards));
  for (const auto& each : test_cards()) {
    auto& item = *card.AddSectionDictionary("NUMBER");
    set(item, "DIGITS", in_groups_of_four(each.digits));
    set(item, "OUTCOME", say(reads, each.outcome));
  }
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

checkout checkout_of(const payment& subject, language reads) {
  const bool challenge = subject.how == flow::server;
  checkout what;
  what.title = say(reads, challenge ? customer_text::confirm_payment : customer_text::complete_payment);
  what.amount = subject.amount;
  what.description = subject.details.description;
  what.customer_email = subject.details.customer_email;
  what.success_url = subject.details.success_url;
  what.cancel_url = subject.details.cancel_url;
  what.embedded = subject.how == flow::embedded;
  what.pay_label = say(reads, challenge ? customer_text::approve : customer_text::pay);
  what.decline_label = say(reads, challenge ? customer_text::fail : customer_text::decline);
  what.takes_cards = !challenge && !traits_of(subject.provider).wallet;
  return what;
}

checkout checkout_of(const subscription& subject, language reads) {
  const auto& details = subject.details;
  checkout what;
  what.title = say(reads, customer_text::confirm_subscription);
  what.amount = subject.state.amount;
  what.period = period_text(reads, subject.state.every);
  if (const auto days = details.trial_period_days; days > 0)
    what.period = say(reads, days == 1 ? customer_text::after_free_day : customer_text::after_free_days,
                      {{"period", what.period}, {"count", std::to_string(days)}});
  what.description = details.description;
  what.success_url = details.success_url;
  what.cancel_url = details.cancel_url;
  what.pay_label = say(reads, details.trial_period_days > 0 ? customer_text::start_trial : customer_text::subscribe);
  what.decline_label = say(reads, customer_text::decline);
  what.takes_cards = true;
  return what;
}

checkout cycle_approval_of(const subscription& subject, language reads) {
  auto what = checkout_of(subject, reads);
  what.title = say(reads, customer_text::confirm_payment);
  what.period = period_text(reads, subject.state.every);
  what.pay_label = say(reads, customer_text::approve);
  what.takes_cards = false;
  return what;
}

response checkout_page(const checkout& what, const checkout_view& seen, const page_visitor& who,
                       const card_entry& typed) {
  const auto cookie = find_checkout_cookie(who.cookie_header).value_or(crypto::random_hex(cookie_digits / 2));
  const auto csrf = csrf_token(who.key, cookie, who.link_token);
  ctemplate::TemplateDictionary values{"checkout"};
  set(values, "BADGE", say(seen.reads, customer_text::sandbox_badge));
  show_order(values, seen.reads, what.amount, what.description);
  set_if_any(values, "MAILED", "EMAIL", what.customer_email);
  set(values, "QUICK_HEADING", say(seen.reads, customer_text::quick_heading));
  set(values, "QUICK_HINT", say(seen.reads, customer_text::quick_hint));
  set(values, "CSRF", csrf);
  set(values, "PAY", what.pay_label);
  set(values, "DECLINE", what.decline_label);
  if (!what.period.empty()) {
    values.ShowSection("REPEATED");
    set(values, "PERIOD", what.period);
  }
  if (!what.cancel_url.empty()) set_if_any(values, "CANCELLABLE", "CANCEL", say(seen.reads, customer_text::cancel));
  if (what.takes_cards) show_card_form(values, what, seen.reads, typed);
  auto out = customer_response(page_template::checkout, values, what.title, seen, policy_of(what));
  out.headers.emplace_back("Set-Cookie", set_cookie(cookie, what.embedded));
  return out;
}

response outcome_page(const payment& subject, const checkout_view& seen) {
  const auto& details = subject.details;
  const auto end = end_of(subject);
  if (!end) return customer_error(page_error::closed_page, seen);
  const auto amount = shown_price(seen.reads, subject.amount);
  const auto shop = seen.shop.name.empty() ? std::string{say(seen.reads, customer_text::the_shop)} : seen.shop.name;
  customer_notice what;
  what.title = say(seen.reads, end->title);
  what.message = say(seen.reads, end->message, {{"amount", amount}, {"shop", shop}});
  what.amount = amount;
  what.good = end->good;
  const auto& [first, second] =
      end->good ? std::tie(details.success_url, details.cancel_url) : std::tie(details.cancel_url, details.success_url);
  what.url = first.empty() ? second : first;
  if (what.url.empty())
    what.advice = say(seen.reads, customer_text::close_page);
  else if (end->may_try_again)
    what.advice = say(seen.reads, customer_text::try_again_at_shop);
  auto policy = policy_of(checkout_of(subject, seen.reads));
  policy.form_targets.clear();
  auto page = customer_notice_page(what, seen, policy);
  if (end->gone) page.status = row_of(page_error::closed_page).status;
  return page;
}

response after_checkout(const payment& subject, hosted_action action, const checkout_view& seen) {
  const auto& details = subject.details;
  if (action == hosted_action::cancel && awaits_customer(subject)) {
    if (!details.cancel_url.empty()) return redirect_to(details.cancel_url);
    return customer_notice_page({std::string{say(seen.reads, customer_text::not_paid)},
                                 std::string{say(seen.reads, customer_text::still_open)}},
                                seen, policy_of(checkout_of(subject, seen.reads)));
  }
  if (action != hosted_action::cancel) {
    if (is_paid(subject.state) && !details.success_url.empty()) return redirect_to(details.success_url);
    const bool is_declined = subject.state == payment_state::failed && !is_cancelled(subject);
    if (is_declined && !details.cancel_url.empty()) return redirect_to(details.cancel_url);
  }
  return outcome_page(subject, seen);
}

response after_checkout(const subscription& subject, bool made) {
  return redirect_to(made ? subject.details.success_url : subject.details.cancel_url);
}

}  // namespace gateway::http
