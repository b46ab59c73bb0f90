// What each scope permits, in the words of the consent screen.
#pragma once

#include <string_view>

#include "gateway/domain/scopes.hpp"

namespace gateway::http {

struct scope_words {
  scope value;
  std::string_view title;
  std::string_view detail;
};

/// Every scope except `*`, to which no merchant can consent, in the order of the screen.
inline constexpr scope_words scope_table[] = {
    {scope::payments_write, "Take payments for you", "Create, capture, refund and void payments in your name."},
    {scope::payments_read, "See your payments", "Read payments and what happened to each of them."},
    {scope::refunds_write, "Refund payments", "Give customers their money back, in part or in full."},
    {scope::customers_read, "Find your customers", "Look up customers whose payment methods are saved."},
    {scope::customers_write, "Change your customers", "Save and remove customers and their payment methods."},
    {scope::payouts_read, "See your payouts", "Read what is paid out to your bank account, and when."},
    {scope::mcp_read, "Read for an assistant", "Let a software assistant read your payment data. It changes nothing."},
    {scope::webhooks_configure, "Set up notifications", "Choose where events of your payments are sent."},
};

}  // namespace gateway::http
