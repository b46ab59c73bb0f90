// Every text of customers' pages, in every language, in one table.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "language.hpp"

namespace gateway::http {

enum class customer_text : unsigned char {
  languages_label,
  sandbox_badge,
  complete_payment,
  confirm_payment,
  confirm_subscription,
  pay_with_wallet,
  pay,
  decline,
  approve,
  fail,
  cancel,
  subscribe,
  start_trial,
  go_to_wallet,
  quick_heading,
  quick_hint,
  card_heading,
  card_warning,
  card_number,
  card_expiry,
  card_cvc,
  pay_amount,
  test_cards,
  outcome_approved,
  outcome_declined,
  outcome_insufficient_funds,
  outcome_expired_card,
  outcome_incorrect_cvc,
  outcome_processing_error,
  check_card,
  number_missing,
  number_not_for_tests,
  expiry_malformed,
  expiry_past,
  cvc_malformed,
  card_declined,
  insufficient_funds,
  expired_card,
  incorrect_cvc,
  processing_error,
  every_day,
  every_week,
  every_month,
  every_year,
  every_days,
  every_weeks,
  every_months,
  every_years,
  after_free_day,
  after_free_days,
  support,
  the_shop,
  back_to_shop,
  back_to_named_shop,
  approved,
  was_paid,
  was_authorized,
  close_page,
  was_refunded_title,
  was_refunded,
  was_voided_title,
  was_voided,
  declined,
  was_declined,
  try_again_at_shop,
  expired,
  has_expired,
  closed,
  was_cancelled,
  subscribed,
  has_subscribed,
  subscription_closed,
  not_paid,
  still_open,
  try_failed,
  wallet_try_failed,
  being_confirmed,
  wallet_confirms,
  bank_answered,
  bank_tells_shop,
  incomplete_form,
  incomplete_form_message,
  doubtful_return,
  doubtful_return_message,
  stale_form,
  stale_form_message,
  unknown_page,
  unknown_page_message,
  closed_message,
  busy,
  busy_message,
  count  ///< the number of texts
};

/// Static text.
std::string_view say(language in, customer_text what) noexcept;

struct text_slot {
  std::string_view name;  ///< as in the text, in braces
  std::string_view value;
};
/// The text with the names in braces replaced by their values.
std::string say(language in, customer_text what, std::initializer_list<text_slot> parts);

}  // namespace gateway::http
