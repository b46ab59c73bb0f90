#include "card_form.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "gateway/domain/text.hpp"

namespace gateway::http {
namespace {

constexpr auto cards = std::to_array<test_card>({
    {"4242424242424242", customer_text::outcome_approved, std::nullopt},
    {"5555555555554444", customer_text::outcome_approved, std::nullopt},
    {"4000000000000002", customer_text::outcome_declined, customer_text::card_declined},
    {"4000000000009995", customer_text::outcome_insufficient_funds, customer_text::insufficient_funds},
    {"4000000000000069", customer_text::outcome_expired_card, customer_text::expired_card, card_expiry_field},
    {"4000000000000127", customer_text::outcome_incorrect_cvc, customer_text::incorrect_cvc, card_cvc_field},
    {"4000000000000119", customer_text::outcome_processing_error, customer_text::processing_error},
});

constexpr std::size_t most_typed_number = 64, most_typed_date = 16, most_typed_code = 8;

/// Without the blanks and hyphens that people write between digits.
std::string digits_of(std::string_view typed) {
  std::string digits;
  for (const char c : typed)
    if (c != ' ' && c != '-') digits += c;
  return digits;
}

/// The month that a card is valid to, from `08/30`, `8 / 2030` or `0830`.
std::optional<std::chrono::year_month> read_expiry(std::string_view typed) {
  auto text = digits_of(typed);
  const bool divided = text.find('/') != text.npos;
  if (!divided && text.size() != 4 && text.size() != 6) return std::nullopt;
  std::string_view rest = text;
  const auto month_text = divided ? cut_before(rest, '/') : rest.substr(0, 2);
  if (!divided) rest.remove_prefix(2);
  const auto month = parse_whole(month_text, 1, 12);
  const auto year = rest.size() == 2 || rest.size() == 4 ? parse_whole(rest, 0, 9999) : std::nullopt;
  if (!month || !year) return std::nullopt;
  const auto full_year = static_cast<int>(rest.size() == 2 ? 2000 + *year : *year);
  return std::chrono::year{full_year} / std::chrono::month{static_cast<unsigned>(*month)};
}

std::optional<customer_text> fault_of_expiry(std::string_view typed, time_point now) {
  const auto valid_to = read_expiry(typed);
  if (!valid_to) return customer_text::expiry_malformed;
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  return *valid_to < today.year() / today.month() ? std::optional{customer_text::expiry_past} : std::nullopt;
}

std::string typed_in(const form& sent, std::string_view name, std::size_t most) {
  auto typed = sent.text(name);
  return typed.size() <= most ? std::string{trimmed(typed)} : std::string{};
}

}  // namespace

std::span<const test_card> test_cards() noexcept { return cards; }

bool is_card_form(const form& sent) { return !sent.has("action") && sent.has(card_number_field); }

card_entry judge_card(const form& sent, language in, time_point now) {
  const auto words = [&](customer_text what) { return std::string{say(in, what)}; };
  card_entry entry;
  const bool number_given = !trimmed(sent.text(card_number_field)).empty();
  const auto digits = digits_of(typed_in(sent, card_number_field, most_typed_number));
  const auto card = std::ranges::find(cards, digits, &test_card::digits);
  if (card != cards.end())
    entry.number.value = digits;
  else
    entry.number.fault = words(number_given ? customer_text::number_not_for_tests : customer_text::number_missing);

  entry.expiry.value = typed_in(sent, card_expiry_field, most_typed_date);
  if (const auto fault = fault_of_expiry(entry.expiry.value, now)) entry.expiry.fault = words(*fault);

  const auto code = typed_in(sent, card_cvc_field, most_typed_code);
  if (code.size() != 3 || !std::ranges::all_of(code, is_digit)) entry.cvc.fault = words(customer_text::cvc_malformed);

  // The card's own fault applies only if the form has none.
  if (entry.is_faulty() || !card->fault) return entry;
  auto& where = card->field == card_expiry_field ? entry.expiry
                : card->field == card_cvc_field  ? entry.cvc
                                                 : entry.number;
  where.fault = words(*card->fault);
  return entry;
}

}  // namespace gateway::http
