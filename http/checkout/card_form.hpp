// The card form of the sandbox's pages. It takes test numbers only, each of which has one outcome. Any other number is
// neither kept nor shown again, because it may be a real card's.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "customer_texts.hpp"
#include "gateway/domain/time.hpp"
#include "http/html/blocks.hpp"
#include "http/html/forms.hpp"

namespace gateway::http {

inline constexpr std::string_view card_number_field = "card_number", card_expiry_field = "card_expiry",
                                  card_cvc_field = "card_cvc";

struct test_card {
  std::string_view digits;
  customer_text outcome;                ///< as listed beside the number
  std::optional<customer_text> fault;  ///< nothing: approved
  std::string_view field = card_number_field;  ///< where the fault is shown
};
std::span<const test_card> test_cards() noexcept;

/// The fields as typed, with their faults in the customer's language.
struct card_entry {
  field number, expiry, cvc;

  bool is_faulty() const noexcept { return !number.fault.empty() || !expiry.fault.empty() || !cvc.fault.empty(); }
};

/// Whether the form is the card's, and not one of the buttons.
bool is_card_form(const form& sent);
/// Without a fault, the card is approved.
card_entry judge_card(const form& sent, language in, time_point now);

}  // namespace gateway::http
