#include "request_span.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gateway::http {

namespace {

/// Clients choose the method, so an unknown one is not part of a span's name: the routes must bound the number of
/// names.
std::string_view known_method(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 7> known{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};
  const auto at = std::ranges::find(known, method);
  return at == known.end() ? std::string_view{"_OTHER"} : *at;
}

}  // namespace

span request_span(const tracing::entry& where, const response& out, std::string_view method,
                  std::string_view request_id, std::chrono::nanoseconds took) {
  const auto verb = known_method(method);
  span one;
  one.where = where.at;
  one.parent = where.parent;
  one.kind = span_kind::server;
  one.name = verb == "_OTHER" ? std::string{"HTTP"} : std::string{verb};
  one.name.append(1, ' ').append(out.route);
  one.ended = trace_now();
  one.begun = one.ended - took.count();
  one.attributes.reserve(4);
  one.attributes.push_back({"http.request.method", std::string{verb}});
  one.attributes.push_back({"http.route", std::string{out.route}});
  one.attributes.push_back({"http.response.status_code", std::int64_t{out.sent_status()}});
  one.attributes.push_back({"gateway.request_id", std::string{request_id}});
  one.failed = status::is_server_error(out.sent_status());
  return one;
}

}  // namespace gateway::http
