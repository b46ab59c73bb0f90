#include "health.hpp"

#include <chrono>

#include "http/call/call.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

response status_answer(std::string_view status) {
  response out;
  out.body.append("{\"status\":\"").append(status).append("\"}");
  return out;
}

}  // namespace

boost::asio::awaitable<response> show_health(call&) { co_return status_answer("ok"); }

boost::asio::awaitable<response> show_readiness(call& c) {
  const auto& shared = c.here.shared;
  if (shared.draining) co_return error_response(error_code::not_ready, "The gateway is draining.");
  if (!shared.ready) co_return error_response(error_code::not_ready, "The gateway is starting.");
  if (!shared.nodes.serves()) co_return error_response(error_code::not_ready, "This node has no lease.");
  if (shared.meters.store_up.Value() < 1)
    co_return error_response(error_code::not_ready, "The database does not answer.");
  co_return status_answer("ready");
}

boost::asio::awaitable<response> show_address(call& c) {
  response out;
  {
    json_object body{out.body};
    body.text("address", c.here.shared.address);
  }
  co_return out;
}

boost::asio::awaitable<response> show_metrics(call& c) {
  const auto& shared = c.here.shared;
  if (shared.nodes.clustered()) {
    // Set when metrics are read, because a keeper that hangs could not update them.
    using seconds = std::chrono::duration<double>;
    shared.meters.node_lease_seconds.Set(seconds{shared.nodes.lease_left()}.count());
    shared.meters.directory_age_seconds.Set(seconds{shared.nodes.directory_age()}.count());
  }
  shared.limits.count_buckets();
  response out;
  out.content_type = "text/plain; version=0.0.4; charset=utf-8";
  out.body = shared.meters.expose();
  co_return out;
}

}  // namespace gateway::http
