#include "cards.hpp"

#include <algorithm>
#include <array>

namespace gateway::stripe_stand_in {

namespace {

constexpr std::string_view declined = "Your card was declined.";

constexpr std::array cards{
    card{"visa"},
    card{"mastercard"},
    card{"amex"},
    card{"chargeDeclined", behaviour::declines, "card_declined", "generic_decline", declined},
    card{"visa_chargeDeclined", behaviour::declines, "card_declined", "generic_decline", declined},
    card{"chargeDeclinedInsufficientFunds", behaviour::declines, "card_declined", "insufficient_funds",
         "Your card has insufficient funds."},
    card{"visa_chargeDeclinedInsufficientFunds", behaviour::declines, "card_declined", "insufficient_funds",
         "Your card has insufficient funds."},
    card{"chargeDeclinedLostCard", behaviour::declines, "card_declined", "lost_card", declined},
    card{"chargeDeclinedStolenCard", behaviour::declines, "card_declined", "stolen_card", declined},
    card{"chargeDeclinedExpiredCard", behaviour::declines, "expired_card", "expired_card", "Your card has expired."},
    card{"chargeDeclinedIncorrectCvc", behaviour::declines, "incorrect_cvc", "incorrect_cvc",
         "Your card's security code is incorrect."},
    card{"chargeDeclinedProcessingError", behaviour::declines, "processing_error", "processing_error",
         "An error occurred while processing your card. Try again in a little bit."},
    card{"chargeDeclinedFraudulent", behaviour::blocked, "card_declined", "fraudulent", declined},
    card{"riskLevelHighest", behaviour::blocked, "card_declined", "fraudulent", declined},
    card{"radarBlock", behaviour::blocked, "card_declined", "fraudulent", declined},
    card{"authenticationRequired", behaviour::authenticates},
    card{"threeDSecure2Required", behaviour::authenticates},
    card{"authenticationRequiredOnSetup", behaviour::authenticates_on_setup},
    card{.token = "refundFail", .refund_fails = true},
    card{.token = "pendingRefund", .refund_waits = true},
};

}  // namespace

const card* find_card(std::string_view token) {
  const auto at = std::ranges::find(cards, token, &card::token);
  return at == cards.end() ? nullptr : &*at;
}

}  // namespace gateway::stripe_stand_in
