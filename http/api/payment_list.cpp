#include "payment_list.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <simdjson.h>

#include "customers.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/encode_list.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/errors.hpp"
#include "lists.hpp"

namespace gateway::http {
namespace {

/// A payment may have 64 KiB of metadata: a page of such payments ends early.
constexpr std::size_t most_page_bytes = std::size_t{4} * 1024 * 1024;
/// The longest reference that a payment can have.
constexpr std::size_t most_reference = 255;

cursor_scope payment_cursors(const call& c) { return cursors_of_merchant(c, "payments"); }

using list_fault = std::optional<rejection>;

list_fault read_states(std::string_view text, find_payments& wanted) {
  if (text.empty()) return std::nullopt;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const auto state = parse_payment_state(text.substr(0, comma));
    if (!state)
      return malformed_parameter("state",
                                 "must be created, processing, authorized, captured, partially_refunded, refunded, "
                                 "failed or voided, or several of them with a comma between two");
    if (std::ranges::find(wanted.any_of, *state) == wanted.any_of.end()) wanted.any_of.push_back(*state);
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (wanted.any_of.size() == 1) wanted.state = wanted.any_of.front();
  // All states together are no filter.
  if (wanted.any_of.size() == 1 || wanted.any_of.size() == enum_count<payment_state>) wanted.any_of.clear();
  return std::nullopt;
}

list_fault read_currency(std::string_view text, find_payments& wanted) {
  if (text.empty()) return std::nullopt;
  const auto unit = currency::parse(text);
  if (!unit) return malformed_parameter("currency", "must be an ISO 4217 code in force");
  wanted.currency = unit->code();
  return std::nullopt;
}

list_fault read_time(const list_query& query, std::string_view name, std::optional<time_point>& to) {
  const auto text = query.value(name);
  if (text.empty()) return std::nullopt;
  to = parse_listed_time(text);
  if (!to) return malformed_parameter(name, "must be a time in UTC, such as 2026-11-20T09:30:00Z");
  return std::nullopt;
}

list_fault read_reference(std::string_view text, find_payments& wanted) {
  if (text.size() > most_reference || !simdjson::validate_utf8(text.data(), text.size()))
    return malformed_parameter("provider_ref", "must be valid UTF-8, at most 255 bytes");
  wanted.provider_ref = text;
  return std::nullopt;
}

decoded<find_payments> decode_payment_list(const call& c) {
  auto read = list_query::read(c.in.query, payment_filters);
  if (auto* wrong = std::get_if<rejection>(&read)) return std::move(*wrong);
  const auto& query = std::get<list_query>(read);
  find_payments wanted{c.allowed.merchant, c.allowed.env};
  wanted.limit = query.limit();
  wanted.most_bytes = most_page_bytes;
  if (auto wrong = read_states(query.value("state"), wanted)) return *std::move(wrong);
  if (auto wrong = read_currency(query.value("currency"), wanted)) return *std::move(wrong);
  if (auto wrong = read_time(query, "created_from", wanted.from)) return *std::move(wrong);
  if (auto wrong = read_time(query, "created_to", wanted.until)) return *std::move(wrong);
  if (auto wrong = read_reference(query.value("provider_ref"), wanted)) return *std::move(wrong);
  auto ref = query.customer_ref();
  if (auto* wrong = std::get_if<rejection>(&ref)) return std::move(*wrong);
  wanted.customer_ref = std::move(std::get<std::string>(ref));
  wanted.platform = platform_id{c.allowed.principal};
  auto after = position_after(c, payment_cursors(c), query);
  if (auto* wrong = std::get_if<rejection>(&after)) return std::move(*wrong);
  if (auto& position = std::get<std::optional<timed_position>>(after))
    wanted.before = payment_position{position->at, std::move(position->id)};
  return wanted;
}

/// Empty on the last page.
std::string next_of(const call& c, const payments_lookup& page) {
  if (!page.more) return {};
  timed_position behind;
  if (page.read_to) {
    behind = {page.read_to->created_at, page.read_to->payment_id};
  } else {
    if (page.payments.empty()) return {};
    behind = {page.payments.back()->created_at, page.payments.back()->key.id};
  }
  return make_cursor(c.here.shared.cursor_key, payment_cursors(c), behind);
}

}  // namespace

boost::asio::awaitable<response> list_payment_intents(call& c) {
  auto decoded_query = decode_payment_list(c);
  if (const auto* wrong = std::get_if<rejection>(&decoded_query)) co_return error_response(*wrong);
  auto& wanted = std::get<find_payments>(decoded_query);
  if (!wanted.customer_ref.empty())
    if (const auto why = customers_unavailable(c.allowed)) co_return error_response(*why, {}, c.here.shared.base_url);
  auto op = ask(c.here, std::move(wanted));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  const platform_id platform{c.allowed.principal};
  const auto append = [&](std::string& out, const payment_ptr& each) {
    json_object body{out};
    append_payment(body, *each, !c.allowed.by_platform || is_made_by(*each, platform));
  };
  co_return answer_with(encode_list("payments", found->payments, next_of(c, *found), append));
}

}  // namespace gateway::http
