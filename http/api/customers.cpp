#include "customers.hpp"

#include <utility>

#include "gateway/messages/customer_key.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode.hpp"

namespace gateway::http {

std::optional<error_code> customers_unavailable(const permit& allowed) noexcept {
  if (!allowed.by_platform) return error_code::platform_key_required;
  if (allowed.env == environment::test) return error_code::test_customer_mappings_unavailable;
  return std::nullopt;
}

boost::asio::awaitable<response> refuse_customers(call& c, error_code why) {
  const auto write = take_idempotency(c);
  auto op = answer_unless_key_is_known(c, write, error_style::usual, why);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> show_customer(call& c) {
  const auto ref = decode_customer_query(c.in.query);
  if (const auto* rejected = std::get_if<rejection>(&ref)) co_return error_response(*rejected);
  if (const auto why = customers_unavailable(c.allowed)) co_return error_response(*why, {}, c.here.shared.base_url);
  entity_request wanted{
      customer_key(c.allowed.merchant, c.allowed.env, platform_id{c.allowed.principal}, std::get<std::string>(ref)),
      std::nullopt, common_command{view_entity{}}, nullptr};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* found = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  if (found && is_forgotten(*std::get<customer_ptr>(*found))) reply = entity_reply{problem::customer_not_found};
  co_return answer_of(c, reply);
}

}  // namespace gateway::http
