#include "providers.hpp"

#include <utility>

#include "carry_out.hpp"
#include "decode_provider.hpp"
#include "encode.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

const provider_adapters& adapters_of(const services& shared) {
  static const provider_adapters none;
  return shared.adapters ? *shared.adapters : none;
}

}  // namespace

boost::asio::awaitable<response> configure_a_provider(call& c) {
  const auto& shared = c.here.shared;
  auto body =
      decode_configure_provider(c.in.body, shared.config.http.json_depth, adapters_of(shared), shared.config.dev);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  operator_command wanted{std::move(std::get<configure_provider>(body))};
  auto op = carry_out(c, std::move(wanted));
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> remove_provider_settings(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_remove_provider(c.in.body, shared.config.http.json_depth, adapters_of(shared));
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  operator_command wanted{std::move(std::get<configure_provider>(body))};
  auto op = carry_out(c, std::move(wanted));
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> list_providers(call& c) {
  const auto& shared = c.here.shared;
  co_return answer_with(encode_providers(adapters_of(shared), shared.merchants, shared.base_url));
}

}  // namespace gateway::http
