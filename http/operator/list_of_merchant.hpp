// The operator's lists of what one merchant has.
#pragma once

#include <utility>
#include <variant>

#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"

namespace gateway::http {

/// Runs the decoded query about its `merchant`, and encodes the store's answer. The answer is an error if the body is
/// invalid or the merchant does not exist.
template <page_question Question, class Encode>
boost::asio::awaitable<response> list_of_merchant(call& c, std::variant<Question, rejection> body, Encode encode) {
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& query = std::get<Question>(body);
  auto making = make_known(c.here, query.merchant);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (!c.here.shared.merchants.find_merchant(query.merchant))
    co_return error_response(no_such("merchant", query.merchant.value));
  auto op = ask(c.here, std::move(query));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode(*found));
}

}  // namespace gateway::http
