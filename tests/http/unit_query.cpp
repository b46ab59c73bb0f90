// Decoding queries and forms.
#include <catch2/catch.hpp>

#include "http/codec/query.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

/// `name=value` of each pair, in brackets.
std::string reported(std::string_view text) {
  const auto pairs = read_query(text);
  if (!pairs) return "nothing";
  std::string all;
  for (const auto& each : *pairs) all += "[" + each.name + "=" + each.value + "]";
  return all;
}

}  // namespace

TEST_CASE("a query's pairs are decoded in order, with repeats") {
  const std::pair<std::string_view, std::string> rows[] = {
      {"", ""},
      {"environment=test", "[environment=test]"},
      {"a=1&b=2&a=3", "[a=1][b=2][a=3]"},
      {"a", "[a=]"},
      {"a=", "[a=]"},
      {"=a", "[=a]"},
      {"a=b=c", "[a=b=c]"},
      {"&&a=1&&", "[a=1]"},
      {"scope=payments%3Awrite+payments:read", "[scope=payments:write payments:read]"},
      {"%65nvironment=t%65st", "[environment=test]"},
      {"a=%2B%26%3d%25", "[a=+&=%]"},
      {"a=%C3%a9", "[a=\xC3\xA9]"},
  };
  for (const auto& [text, wanted] : rows) CHECK(reported(text) == wanted);
  CHECK(reported("a=%00b") == std::string("[a=\0b]", 6));
}

TEST_CASE("a percent sign that escapes nothing is itself") {
  CHECK(reported("a=100%") == "[a=100%]");
  CHECK(reported("a=%4") == "[a=%4]");
  CHECK(reported("a=%zz&b=%4g") == "[a=%zz][b=%4g]");
  CHECK(reported("a=%%41") == "[a=%A]");
}

TEST_CASE("more pairs than the limit are rejected") {
  std::string many;
  for (std::size_t i = 0; i < most_query_parameters; ++i) many += "a=1&";
  CHECK(read_query(many)->size() == most_query_parameters);
  CHECK_FALSE(read_query(many + "b=2"));
  CHECK(read_query("a=" + std::string(most_query_bytes - 2, 'x')));
  CHECK_FALSE(read_query("a=" + std::string(most_query_bytes - 1, 'x')));
}
