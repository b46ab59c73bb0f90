#include "disputes.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/body_fields.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/errors.hpp"
#include "lists.hpp"

namespace gateway::http {
namespace {

/// `dp_<id>`, as the gateway makes it. Other texts name no dispute.
bool is_dispute_id(std::string_view text) noexcept {
  constexpr std::size_t longest = 64;
  return text.starts_with("dp_") && text.size() <= longest && std::ranges::all_of(text, is_id_character);
}

cursor_scope scope_of(const call& c) { return cursors_of_merchant(c, "disputes"); }

decoded<find_disputes> decode_list(const call& c) {
  auto query = list_query::read(c.in.query, dispute_filters);
  if (auto* wrong = std::get_if<rejection>(&query)) return std::move(*wrong);
  const auto& given = std::get<list_query>(query);
  find_disputes wanted{c.allowed.merchant, c.allowed.env};
  wanted.limit = given.limit();
  if (const auto status = given.value("status"); !status.empty()) {
    wanted.status = parse_dispute_status(status);
    if (!wanted.status)
      return malformed_parameter("status", "must be warning, needs_response, under_review, won or lost");
  }
  wanted.payment_id = given.value("payment_id");
  if (!wanted.payment_id.empty() && !is_payment_id(wanted.payment_id))
    return malformed_parameter("payment_id", "must be the id of a payment, pay_ and 1 to 60 letters, digits, _ or -");
  auto after = position_after(c, scope_of(c), given);
  if (auto* wrong = std::get_if<rejection>(&after)) return std::move(*wrong);
  if (auto& position = std::get<std::optional<timed_position>>(after))
    wanted.before = dispute_position{position->at, std::move(position->id)};
  return wanted;
}

/// Empty on the last page.
std::string cursor_behind(const call& c, const disputes_lookup& page) {
  if (!page.more || page.disputes.empty()) return {};
  const auto& last = page.disputes.back();
  const auto* one = find_dispute(*last.of, last.dispute_id);
  if (!one) return {};
  return make_cursor(c.here.shared.cursor_key, scope_of(c), timed_position{one->opened_at, one->id});
}

}  // namespace

boost::asio::awaitable<response> list_disputes(call& c) {
  auto wanted = decode_list(c);
  if (const auto* wrong = std::get_if<rejection>(&wanted)) co_return error_response(*wrong);
  auto op = ask(c.here, std::get<find_disputes>(std::move(wanted)));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_disputes(*found, cursor_behind(c, *found)));
}

boost::asio::awaitable<response> show_dispute(call& c) {
  if (!is_dispute_id(c.path.id)) co_return error_response(error_code::dispute_not_found);
  find_disputes wanted{c.allowed.merchant, c.allowed.env, std::string{c.path.id}};
  wanted.limit = 1;
  auto op = ask(c.here, std::move(wanted));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  const auto* of = found->disputes.empty() ? nullptr : found->disputes.front().of.get();
  const auto* one = of ? find_dispute(*of, c.path.id) : nullptr;
  if (!one) co_return error_response(error_code::dispute_not_found);
  std::string body;
  append_dispute(body, *of, *one);
  co_return answer_with(std::move(body));
}

}  // namespace gateway::http
