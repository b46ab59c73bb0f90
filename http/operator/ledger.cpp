#include "ledger.hpp"

#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "ledger_json.hpp"

namespace gateway::http {
namespace {

/// The error if the named merchant does not exist or cannot be looked up. nullopt if it exists, or none is named.
boost::asio::awaitable<std::optional<response>> no_such_merchant(call& c, merchant_id named) {
  if (named.empty()) co_return std::nullopt;
  auto making = make_known(c.here, named);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (c.here.shared.merchants.find_merchant(named)) co_return std::nullopt;
  co_return error_response(no_such("merchant", named.value));
}

}  // namespace

boost::asio::awaitable<response> sum_ledger(call& c) {
  auto body = decode_find_ledger_sums(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& what = std::get<find_ledger_sums>(body);
  auto looking = no_such_merchant(c, what.merchant);
  if (auto missing = co_await std::move(looking)) co_return *std::move(missing);
  auto op = ask(c.here, std::move(what));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_ledger_sums(*found));
}

boost::asio::awaitable<response> list_ledger(call& c) {
  auto body = decode_find_ledger(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& what = std::get<find_ledger>(body);
  auto looking = no_such_merchant(c, what.merchant);
  if (auto missing = co_await std::move(looking)) co_return *std::move(missing);
  auto op = ask(c.here, std::move(what));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_ledger(*found));
}

}  // namespace gateway::http
