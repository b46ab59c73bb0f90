// How the routes ask actors. Kept apart from the session: both are slow to compile.
#include "asio_actor.hpp"
#include "worker.hpp"

namespace gateway::http {

boost::asio::awaitable<caf::expected<payment_reply>> ask(worker& here, payment_request request) {
  return here.self->ask<payment_reply>(here.shared.router, std::move(request), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<operator_result>> ask(worker& here, operator_command command) {
  return here.self->ask<operator_result>(here.shared.operators, std::move(command), here.shared.config.http.answer_timeout);
}

}  // namespace gateway::http
