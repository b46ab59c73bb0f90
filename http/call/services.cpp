#include "services.hpp"

namespace gateway::http {

server_context server_context_of(services& shared) {
  const auto number_of = [](const services& of, std::string_view remote_address) {
    return of.limits.number_of_address(remote_address);
  };
  return {shared, shared.config, shared.meters, shared.traces, shared.draining, number_of};
}

}  // namespace gateway::http
