#include "payment_search.hpp"

#include <algorithm>
#include <utility>

#include "gateway/domain/shown_money.hpp"
#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/portal/member_page.hpp"

namespace gateway::http {
namespace {

// One read is also limited in bytes, because texts may be long.
constexpr std::uint32_t rows_of_a_read = 250;
constexpr std::size_t bytes_of_a_read = 512 * 1024;
constexpr unsigned most_reads = 10;

std::string in_lower_case(std::string_view text) {
  std::string made{text};
  std::ranges::transform(made, made.begin(), to_lower);
  return made;
}

/// Removes a currency from the beginning or the end of the text.
std::string take_currency(std::string_view& text) {
  constexpr std::size_t code_size = 3;
  if (text.size() <= code_size) return {};
  for (const bool first : {true, false}) {
    const auto code = first ? text.substr(0, code_size) : text.substr(text.size() - code_size);
    const auto unit = currency::parse(code);
    if (!unit) continue;
    text = trimmed(first ? text.substr(code_size) : text.substr(0, text.size() - code_size));
    return std::string{unit->code()};
  }
  return {};
}

boost::asio::awaitable<std::optional<std::vector<payment_ptr>>> find_by_name(call& c, std::string q) {
  std::vector<payment_ptr> found;
  if (is_payment_id(q)) {
    entity_request wanted{payment_key(c.visit->who->id, c.visit->env, payment_id{q}), std::nullopt,
                          common_command{view_entity{}}};
    auto asking = ask(c, std::move(wanted));
    const auto reply = co_await std::move(asking);
    if (!reply || is_unread(*reply)) co_return std::nullopt;
    if (const auto* row = std::get_if<entity_row>(&reply->what))
      if (const auto* one = std::get_if<payment_ptr>(row)) found.push_back(*one);
  }
  if (found.empty() && c.visit->who->kind != merchant_kind::wallet) {
    find_payments_by_ref query{c.visit->who->id, c.visit->env, q};
    auto asking = ask(c.here, std::move(query));
    const auto reply = co_await std::move(asking);
    if (!reply) co_return std::nullopt;
    found = reply->payments;
  }
  co_return found;
}

}  // namespace

payment_pattern::payment_pattern(std::string_view typed) {
  auto text = trimmed(typed);
  text_ = in_lower_case(text);
  currency_ = take_currency(text);
  number_ = std::string{text};
  std::erase(number_, ',');
  const bool is_number =
      !number_.empty() && std::ranges::all_of(number_, [](char c) { return is_digit(c) || c == '.'; });
  if (!is_number) number_.clear();
}

bool payment_pattern::is_in(std::string_view text) const {
  const auto same = [](char a, char b) { return to_lower(a) == b; };
  return !std::ranges::search(text, text_, same).empty();
}

bool payment_pattern::is_amount(const money& amount) const {
  if (number_.empty() || (!currency_.empty() && amount.unit.code() != currency_)) return false;
  const auto read = read_amount(number_, amount.unit);
  const auto* wanted = std::get_if<money>(&read);
  return wanted && wanted->minor == amount.minor;
}

bool payment_pattern::matches(const payment& each) const {
  if (text_.empty()) return false;
  if (is_amount(each.amount)) return true;
  const auto& details = each.details;
  for (const auto* text : {&each.key.id, &details.description, &details.customer_name, &details.customer_email})
    if (is_in(*text)) return true;
  if (each.customer && is_in(each.customer->ref)) return true;
  return std::ranges::any_of(details.metadata, [&](const auto& pair) { return is_in(pair.second); });
}

boost::asio::awaitable<std::optional<payments_found>> search_payments(call& c, std::string q, find_payments filter) {
  payments_found found;
  if (!filter.before) {
    auto naming = find_by_name(c, q);
    auto named = co_await std::move(naming);
    if (!named) co_return std::nullopt;
    if (!named->empty()) {
      found.payments = std::move(*named);
      found.by_name = true;
      co_return found;
    }
  }
  const payment_pattern pattern{q};
  filter.most_bytes = bytes_of_a_read;
  for (unsigned reads = 0;; ++reads) {
    const auto left = most_payments_searched - found.searched;
    if (left == 0 || reads == most_reads) {
      found.complete = false;
      co_return found;
    }
    filter.limit = static_cast<std::uint32_t>(std::min<std::size_t>(left, rows_of_a_read));
    auto asking = ask(c.here, find_payments{filter});
    const auto page = co_await std::move(asking);
    if (!page) co_return std::nullopt;
    for (std::size_t i = 0; i < page->payments.size(); ++i) {
      const auto& each = page->payments[i];
      ++found.searched;
      found.last = payment_position{each->created_at, each->key.id};
      if (!pattern.matches(*each)) continue;
      found.payments.push_back(each);
      if (found.payments.size() < rows_of_a_page) continue;
      found.complete = !page->more && i + 1 == page->payments.size();
      co_return found;
    }
    if (!page->more || page->payments.empty()) co_return found;
    filter.before = found.last;
  }
}

}  // namespace gateway::http
