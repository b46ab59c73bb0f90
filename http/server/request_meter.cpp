#include "request_meter.hpp"

namespace gateway::http {

void request_meter::answered(std::string_view route, int status, double seconds) {
  auto at = routes_.find(route);
  if (at == routes_.end())
    at = routes_.emplace(std::string{route}, route_series{&shared_.request_seconds(route), {}}).first;
  at->second.seconds->Observe(seconds);
  counter(at->second, route, status).Increment();
}

prometheus::Counter& request_meter::counter(route_series& of, std::string_view route, int status) {
  for (const auto& [known, series] : of.by_status) {
    if (known == status) return *series;
  }
  return *of.by_status.emplace_back(status, &shared_.requests(route, status)).second;
}

}  // namespace gateway::http
