// How the routes ask actors. Kept apart from the session: both are slow to compile.
#include "http/server/asio_actor.hpp"
#include "worker.hpp"

namespace gateway::http {

boost::asio::awaitable<caf::expected<entity_reply>> ask(worker& here, entity_request request) {
  return here.self->ask<entity_reply>(here.shared.router, std::move(request), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<operator_result>> ask(worker& here, operator_command command) {
  return here.self->ask<operator_result>(here.shared.operators, std::move(command),
                                         here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<deliveries_lookup>> ask(worker& here, find_deliveries query) {
  return here.self->ask<deliveries_lookup>(here.shared.archive, std::move(query),
                                           here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<events_lookup>> ask(worker& here, find_events query) {
  return here.self->ask<events_lookup>(here.shared.archive, std::move(query), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<redeliver_result>> ask(worker& here, redeliver wish) {
  return here.self->ask<redeliver_result>(here.shared.dispatcher, std::move(wish),
                                          here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<outbound_verdict>> check_outbound(worker& here, std::string url) {
  auto begin = [&outbound = here.shared.outbound, address = std::move(url)](auto done) {
    outbound.check(address, [tell = std::move(done)](std::optional<std::string> fault) {
      tell(outbound_verdict{std::move(fault)});
    });
  };
  return here.self->ask_by_callback<outbound_verdict>(std::move(begin), here.shared.config.http.answer_timeout);
}

}  // namespace gateway::http
