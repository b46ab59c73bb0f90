// The contents of a request's span.
#include <catch2/catch.hpp>

#include <map>

#include "http/server/request_span.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

tracing::entry entered_trace() {
  return {{{0x4bf92f3577b34da6, 0xa3ce929d0e0e4736}, 0x00f067aa0ba902b7, trace_context::sampled, true},
          0xb7ad6b7169203331};
}

http::response answered_with(int status, std::string_view route) {
  http::response out;
  out.status = status;
  out.route = route;
  return out;
}

}  // namespace

TEST_CASE("a request's span has its method and route, and no path") {
  const auto one =
      http::request_span(entered_trace(), answered_with(200, "/v1/payment_intents/{id}/capture"), "POST", "req_1", 5ms);
  CHECK(one.name == "POST /v1/payment_intents/{id}/capture");
  CHECK(one.kind == span_kind::server);
  CHECK(one.where == entered_trace().at);
  CHECK(one.parent == 0xb7ad6b7169203331);
  CHECK(one.ended - one.begun == 5'000'000);
  CHECK_FALSE(one.failed);
  std::map<std::string_view, std::variant<std::string, std::int64_t>> reported;
  for (const auto& [name, value] : one.attributes) reported.emplace(name, value);
  CHECK(reported.size() == 4);
  CHECK(std::get<std::string>(reported.at("http.request.method")) == "POST");
  CHECK(std::get<std::string>(reported.at("http.route")) == "/v1/payment_intents/{id}/capture");
  CHECK(std::get<std::int64_t>(reported.at("http.response.status_code")) == 200);
  CHECK(std::get<std::string>(reported.at("gateway.request_id")) == "req_1");
}

TEST_CASE("a request's span has failed if the gateway failed, not if its caller did") {
  const auto failed = [](int status) {
    return http::request_span(entered_trace(), answered_with(status, "/x"), "GET", "req_1", 1ms).failed;
  };
  for (const int status : {200, 303, 400, 401, 404, 409, 422, 429}) CHECK_FALSE(failed(status));
  for (const int status : {500, 502, 503}) CHECK(failed(status));
}

TEST_CASE("an unknown method adds no span name") {
  const auto one = http::request_span(entered_trace(), answered_with(405, "/v1/payment_intents"), "BREW", "req_1", 1ms);
  CHECK(one.name == "HTTP /v1/payment_intents");
  CHECK(std::get<std::string>(one.attributes.front().value) == "_OTHER");
}
