#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>

#include "output.hpp"

using namespace gateway::ctl;

TEST_CASE("an answer is shown as aligned lines in its own order") {
  const auto answer = boost::json::parse(R"({"key_id":"mk_test_1","secret":"ab","scopes":["payments:read","mcp:read"],"count":2,"gone":null})");
  CHECK(as_lines(answer.get_object()) ==
        "key_id: mk_test_1\n"
        "secret: ab\n"
        "scopes: payments:read mcp:read\n"
        "count:  2\n"
        "gone:   null\n");
  CHECK(as_lines({}).empty());
}

TEST_CASE("an error is told in the gateway's words, or by its status") {
  struct row { std::string body, message; };
  const row rows[] = {{R"({"error":"not_found","message":"merchant merch_1 is unknown"})", "merchant merch_1 is unknown"},
                      {R"({"error":"overloaded"})", "overloaded"},
                      {R"({"error":{"code":"x"}})", "the gateway answered with status 503"},
                      {"", "the gateway answered with status 503"},
                      {"<html>", "the gateway answered with status 503"}};
  for (const auto& r : rows) CHECK(message_of(503, r.body) == r.message);
}
