// The result of a request as a delivery receives it.
#include <catch2/catch.hpp>

#include "http/outbound/webhook_attempt.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace std::chrono_literals;

TEST_CASE("each failure of a request is a result of the attempt") {
  const std::pair<http_fault, attempt_result> rows[] = {
      {http_fault::bad_request, attempt_result::unreachable},
      {http_fault::bad_address, attempt_result::forbidden_address},
      {http_fault::forbidden_address, attempt_result::forbidden_address},
      {http_fault::lookup_failed, attempt_result::unreachable},
      {http_fault::connect_failed, attempt_result::unreachable},
      {http_fault::connect_timeout, attempt_result::connect_timeout},
      {http_fault::tls_failed, attempt_result::tls_failed},
      {http_fault::send_failed, attempt_result::unreachable},
      {http_fault::broken, attempt_result::unreachable},
      {http_fault::answer_timeout, attempt_result::answer_timeout},
      {http_fault::garbage, attempt_result::bad_answer},
      {http_fault::too_large, attempt_result::bad_answer},
      {http_fault::overloaded, attempt_result::unreachable},
      {http_fault::stopping, attempt_result::unreachable},
      {http_fault::internal, attempt_result::unreachable},
  };
  for (const auto& [what, result] : rows) {
    INFO(to_string(result));
    for (const bool sent : {false, true}) {
      delivery_attempt wanted;
      wanted.result = result;
      CHECK(attempt_of(http_failure{what, sent}, time_point{}) == wanted);
    }
  }
}

TEST_CASE("an answer yields its status, its first bytes and its Retry-After") {
  http_answer answer;
  answer.status = 503;
  answer.headers.add("retry-after", "120");
  answer.body = "no\nmore";
  const auto seen = attempt_of(answer, time_point{});
  CHECK(seen.result == attempt_result::rejected);
  CHECK(seen.status == 503);
  CHECK(seen.excerpt == "no more");
  CHECK(seen.retry_after == duration_ms{120s});
}
