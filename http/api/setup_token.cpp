#include "setup_token.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "http/access/setup_link.hpp"
#include "http/call/ask.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

response session_answer(const setup_token& token, const services& shared) {
  const auto session = make_setup_session(token, shared.setup_token_key, shared.clock.now());
  response out;
  out.body = boost::json::serialize(boost::json::object{{"merchant_id", token.merchant.value},
                                                        {"scope", "psp_setup"},
                                                        {"session_token", session.token},
                                                        {"expires_at", session.expires_at}});
  return out;
}

}  // namespace

boost::asio::awaitable<response> exchange_setup_token(call& c) {
  const auto& shared = c.here.shared;
  if (c.in.repeated)
    co_return error_response(error_code::invalid_request, "A header of the request was sent more than once.");
  if (auto rejected = require_json(c.in)) co_return error_response(*rejected);
  auto body = decode_setup_token(c.in.body, shared.config.http.json_depth);
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(*rejected);

  const auto token = read_setup_token(std::get<std::string>(body), shared.setup_token_key, shared.clock.now());
  if (!token) co_return error_response(error_code::token_unusable);
  auto making = make_known(c.here, token->merchant);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (!is_still_bound(shared.merchants.find_merchant(token->merchant).get(), *token))
    co_return error_response(error_code::token_unusable);
  operator_command redeem = redeem_setup_token{token->merchant, token->id};
  auto op = ask(c.here, std::move(redeem));
  auto reply = co_await std::move(op);
  if (!reply) co_return error_response(code_of(reply.error()));
  if (!std::holds_alternative<spent_setup_token>(*reply)) co_return error_response(error_code::token_unusable);
  co_return session_answer(*token, shared);
}

}  // namespace gateway::http
