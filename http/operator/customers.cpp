#include "customers.hpp"

#include <utility>

#include "decode_lists.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/encode_customer.hpp"
#include "http/errors.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_customers(call& c) {
  auto body = decode_find_customers(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& query = std::get<find_customers>(body);
  auto making = make_known(c.here, query.merchant);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (!c.here.shared.merchants.find_merchant(query.merchant))
    co_return error_response(no_such("merchant", query.merchant.value));
  auto op = ask(c.here, std::move(query));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_customers(found->customers));
}

}  // namespace gateway::http
