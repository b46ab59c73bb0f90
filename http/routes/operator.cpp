// The operator socket: what gatewayctl asks for. The socket's file mode is its authentication.
#include <array>

#include "asking.hpp"
#include "health.hpp"
#include "http/codec/decode_operator.hpp"
#include "http/errors.hpp"
#include "operator_webhooks.hpp"
#include "table.hpp"

namespace gateway::http {
namespace {

/// A command to the directory: read by its decoder, carried out, told by the encoder of what it made.
template <auto Decode>
boost::asio::awaitable<response> run(call& c) {
  auto body = Decode(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  operator_command wanted{std::get<0>(std::move(body))};
  auto op = carry_out(c, std::move(wanted));
  co_return co_await std::move(op);
}

constexpr auto operator_table = std::to_array<endpoint>({
    {"POST", "/operator/merchants", run<decode_create_merchant>},
    {"POST", "/operator/keys", run<decode_mint_key>},
    {"POST", "/operator/keys/revoke", run<decode_revoke_key>},
    {"POST", "/operator/users", run<decode_add_user>},
    {"POST", "/operator/connections", run<decode_set_connection>},
    {"POST", "/operator/routes", run<decode_set_route>},
    {"POST", "/operator/destinations", put_destination},
    {"POST", "/operator/destinations/list", list_destinations},
    {"POST", "/operator/destinations/enable", run<decode_enable_destination>},
    {"POST", "/operator/destinations/disable", run<decode_disable_destination>},
    {"POST", "/operator/destinations/rotate-secret", run<decode_rotate_destination_secret>},
    {"POST", "/operator/deliveries/list", list_deliveries},
    {"POST", "/operator/deliveries/show", show_delivery},
    {"POST", "/operator/deliveries/redeliver", deliver_again},
    {"POST", "/operator/events/list", list_events},
    {"POST", "/operator/address", show_address},
    {"GET", "/metrics", show_metrics},
    {"GET", "/healthz", show_health},
    {"GET", "/readyz", show_readiness},
});

}  // namespace

boost::asio::awaitable<response> handle_operator(worker& here, request& in) { return serve(here, in, operator_table); }

}  // namespace gateway::http
