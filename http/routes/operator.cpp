// The operator socket: what gatewayctl asks for. The socket's file mode is its authentication.
#include <array>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "asking.hpp"
#include "health.hpp"
#include "http/codec/decode_operator.hpp"
#include "http/errors.hpp"
#include "operator_webhooks.hpp"
#include "table.hpp"

namespace gateway::http {
namespace {

using boost::json::object;

response answered(const object& body) {
  response out;
  out.body = boost::json::serialize(body);
  return out;
}

// ---- what a command needs to exist: told apart from a conflict -------------------------------------

response no_merchant(const merchant_id& id) {
  return error_response(error_code::not_found, "There is no merchant " + id.value + ".");
}

std::optional<response> missing(const services&, const create_merchant&) { return std::nullopt; }

std::optional<response> missing(const services& shared, const revoke_key& command) {
  if (shared.merchants.find_key(command.id)) return std::nullopt;
  return error_response(error_code::not_found, "There is no key " + command.id.value + ".");
}

template <class Command>
std::optional<response> missing(const services& shared, const Command& command) {
  if (shared.merchants.find_merchant(command.merchant)) return std::nullopt;
  return no_merchant(command.merchant);
}

// ---- what gatewayctl prints -------------------------------------------------------------------------

object shown(const create_merchant&, const created_merchant& made) {
  return {{"merchant_id", made.merchant.value}, {"entity_id", made.entity.value}};
}
object shown(const mint_key&, const minted_key& made) {
  return {{"key_id", made.id.value}, {"secret", made.secret}, {"scopes", to_string(made.scopes)}};
}
object shown(const revoke_key&, const named_result& made) { return {{"id", made.id}, {"status", made.status}}; }
object shown(const set_connection&, const named_result& made) { return {{"id", made.id}, {"status", made.status}}; }
object shown(const add_user&, const named_result& made) { return {{"user_id", made.id}}; }
object shown(const set_route&, const named_result& made) { return {{"id", made.id}}; }

template <class Command>
response answer_to(const Command& command, const operator_result& result) {
  if (const auto* no = std::get_if<refused>(&result)) return error_response(error_code::conflict, no->why);
  return std::visit(
      [&](const auto& made) {
        if constexpr (requires { shown(command, made); })
          return answered(shown(command, made));
        else
          return error_response(error_code::internal_error);
      },
      result);
}

template <class Command>
using decoder = decoded<Command> (*)(std::string_view, std::size_t);

template <class Command>
boost::asio::awaitable<response> run(call& c, decoder<Command> decode) {
  const auto& shared = c.here.shared;
  auto body = decode(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& command = std::get<Command>(body);
  if (auto refusal = missing(shared, command)) co_return *std::move(refusal);
  operator_command wanted{command};
  auto op = ask(c.here, std::move(wanted));
  auto reply = co_await std::move(op);
  if (!reply)
    co_return error_response(code_of(reply.error()),
                             "The command may or may not have taken effect: look, then repeat it.");
  co_return answer_to(command, *reply);
}

boost::asio::awaitable<response> make_merchant(call& c) { return run<create_merchant>(c, decode_create_merchant); }
boost::asio::awaitable<response> make_key(call& c) { return run<mint_key>(c, decode_mint_key); }
boost::asio::awaitable<response> end_key(call& c) { return run<revoke_key>(c, decode_revoke_key); }
boost::asio::awaitable<response> make_user(call& c) { return run<add_user>(c, decode_add_user); }
boost::asio::awaitable<response> put_connection(call& c) { return run<set_connection>(c, decode_set_connection); }
boost::asio::awaitable<response> put_route(call& c) { return run<set_route>(c, decode_set_route); }

constexpr auto operator_table = std::to_array<endpoint>({
    {"POST", "/operator/merchants", make_merchant},
    {"POST", "/operator/keys", make_key},
    {"POST", "/operator/keys/revoke", end_key},
    {"POST", "/operator/users", make_user},
    {"POST", "/operator/connections", put_connection},
    {"POST", "/operator/routes", put_route},
    {"POST", "/operator/destinations", put_destination},
    {"POST", "/operator/destinations/list", list_destinations},
    {"POST", "/operator/destinations/enable", enable},
    {"POST", "/operator/destinations/disable", disable},
    {"POST", "/operator/destinations/rotate-secret", rotate_secret},
    {"POST", "/operator/deliveries/list", list_deliveries},
    {"POST", "/operator/deliveries/show", show_delivery},
    {"POST", "/operator/deliveries/redeliver", deliver_again},
    {"POST", "/operator/events/list", list_events},
    {"GET", "/metrics", show_metrics},
    {"GET", "/healthz", show_health},
    {"GET", "/readyz", show_readiness},
});

}  // namespace

boost::asio::awaitable<response> handle_operator(worker& here, request& in) { return serve(here, in, operator_table); }

}  // namespace gateway::http
