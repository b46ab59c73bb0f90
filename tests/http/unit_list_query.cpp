// The parameters of lists, and the cursors by which a list is continued.
#include <array>
#include <string>
#include <string_view>
#include <variant>

#include <catch2/catch.hpp>

#include "gateway/base/crypto.hpp"
#include "http/access/list_cursor.hpp"
#include "http/codec/list_query.hpp"

using namespace gateway;
using namespace gateway::http;

namespace {

constexpr auto some_filters = std::to_array<std::string_view>({"status", "payment_id"});

/// What the query asks for, or the message of its rejection.
std::string parameters_in(std::string_view query) {
  auto result = list_query::read(query, some_filters);
  if (const auto* wrong = std::get_if<rejection>(&result)) {
    CHECK(wrong->code == error_code::invalid_request);
    return wrong->message;
  }
  const auto& asked = std::get<list_query>(result);
  std::string text = std::to_string(asked.limit());
  text.append(" after=").append(asked.after());
  for (const auto name : some_filters) text.append(" ").append(name).append("=").append(asked.value(name));
  return text;
}

const merchant_id one_merchant{"merch_1"}, other_merchant{"merch_2"};
const cursor_scope test_disputes{"disputes", one_merchant, environment::test};
const timed_position somewhere{from_unix_ms(1'795'167'000'125), "dp_17"};

}  // namespace

TEST_CASE("the parameters of a list") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "20 after= status= payment_id="},
      {"&&", "20 after= status= payment_id="},
      {"limit=1", "1 after= status= payment_id="},
      {"limit=100&after=a.b", "100 after=a.b status= payment_id="},
      {"status=won&payment_id=pay%5F1", "20 after= status=won payment_id=pay_1"},
      {"environment=test&limit=7", "7 after= status= payment_id="},
  };
  for (const auto& [query, expected] : rows) {
    CAPTURE(query);
    CHECK(parameters_in(query) == expected);
  }
}

TEST_CASE("a parameter that is unknown, repeated, empty or malformed is rejected under its name") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"limit=0", "limit: must be a whole number from 1 to 100"},
      {"limit=101", "limit: must be a whole number from 1 to 100"},
      {"limit=-1", "limit: must be a whole number from 1 to 100"},
      {"limit=1.0", "limit: must be a whole number from 1 to 100"},
      {"limit=1e1", "limit: must be a whole number from 1 to 100"},
      {"limit=%2010", "limit: must be a whole number from 1 to 100"},
      {"limit=10%00", "limit: must be a whole number from 1 to 100"},
      {"limit=99999999999999999999", "limit: must be a whole number from 1 to 100"},
      {"limit=ten", "limit: must be a whole number from 1 to 100"},
      {"limit=", "limit: must not be empty"},
      {"limit", "limit: must not be empty"},
      {"limit=5&limit=5", "limit: must stand once"},
      {"limit=5&limit=", "limit: must stand once"},
      {"after=", "after: must not be empty"},
      {"after=a&after=a", "after: must stand once"},
      {"status=", "status: must not be empty"},
      {"status=won&payment_id=pay_1&status=lost", "status: must stand once"},
      // Judged with the signature for a platform, and without meaning for a merchant's key.
      {"environment=test&environment=test", "20 after= status= payment_id="},
      {"environment=", "20 after= status= payment_id="},
      {"state=won", "state: this list has no such parameter"},
      {"Status=won", "Status: this list has no such parameter"},
      {"status%20=won", "status%20: this list has no such parameter"},
      {"status[]=won", "status%5B%5D: this list has no such parameter"},
      {"=won", ": this list has no such parameter"},
      {"%ff%00%22=1", "%FF%00%22: this list has no such parameter"},
      // The first fault is reported.
      {"limit=0&page=2", "page: this list has no such parameter"},
  };
  for (const auto& [query, expected] : rows) {
    CAPTURE(query);
    CHECK(parameters_in(query) == expected);
  }
  const auto of_long_name = parameters_in(std::string(5'000, 'n') + "=1");
  CHECK(of_long_name.starts_with(std::string(64, 'n') + "…: "));
  std::string many = "limit=5";
  for (int i = 0; i < 300; ++i) many += "&a=1";
  CHECK(parameters_in(many) == "query: has too many parameters, or is too long");
}

TEST_CASE("a time in a list's query has whole seconds or milliseconds, in UTC") {
  const auto seconds = *parse_seconds("2026-11-20T09:30:00Z");
  CHECK(parse_listed_time("2026-11-20T09:30:00Z") == seconds);
  CHECK(parse_listed_time("2026-11-20T09:30:00.125Z") == seconds + std::chrono::milliseconds{125});
  CHECK(parse_listed_time("2026-11-20T09:30:00.000Z") == seconds);
  for (const auto* text : {"", "2026-11-20", "2026-11-20T09:30:00", "2026-11-20T09:30:00+01:00", "2026-11-31T09:30:00Z",
                           "2026-11-20T09:30:00.12Z", "2026-11-20T09:30:00.-12Z", "2026-11-20T09:30:00.1255",
                           "2026-11-20T09:30:00,125Z", "2026-11-20 09:30:00.125Z", "2026-11-31T09:30:00.125Z", "17"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_listed_time(text));
  }
}

TEST_CASE("a customer_ref in a list's query is what a customer's ref may be") {
  constexpr auto filters = std::to_array<std::string_view>({"customer_ref"});
  const auto read = [&](const std::string& query) {
    const auto parsed = list_query::read(query, filters);
    const auto ref = std::get<list_query>(parsed).customer_ref();
    const auto* wrong = std::get_if<rejection>(&ref);
    return wrong ? wrong->message.substr(0, wrong->message.find(' ')) : std::get<std::string>(ref);
  };
  CHECK(read("") == "");
  CHECK(read("customer_ref=Zo%C3%AB%20%2F42") == "Zoë /42");
  for (const auto* bad : {"%FF", "%00", "a%0Ab"}) CHECK(read(std::string{"customer_ref="} + bad) == "customer_ref:");
  CHECK(read("customer_ref=" + std::string(129, 'a')) == "customer_ref:");
}

TEST_CASE("a cursor leads back to its position, in its scope only") {
  const auto cursor = make_cursor("key", test_disputes, somewhere);
  CHECK(read_timed_cursor("key", test_disputes, cursor) == somewhere);
  CHECK(make_cursor("key", test_disputes, somewhere) == cursor);
  for (const char c : cursor) CHECK((is_id_character(c) || c == '.'));  // needs no escape in a query

  const struct {
    const char* what;
    std::string_view key;
    cursor_scope scope;
  } others[] = {
      {"another key", "other key", test_disputes},
      {"another list", "key", {"payments", one_merchant, environment::test}},
      {"a list whose name begins alike", "key", {"disputes_", one_merchant, environment::test}},
      {"another merchant", "key", {"disputes", other_merchant, environment::test}},
      {"the other environment", "key", {"disputes", one_merchant, environment::live}},
      {"a platform's list", "key", {"disputes", one_merchant, environment::test, "plat_1"}},
  };
  for (const auto& each : others) {
    INFO(each.what);
    CHECK_FALSE(read_timed_cursor(each.key, each.scope, cursor));
    const auto own = make_cursor(each.key, each.scope, somewhere);
    CHECK(read_timed_cursor(each.key, each.scope, own) == somewhere);
    CHECK_FALSE(read_timed_cursor("key", test_disputes, own));
  }
}

TEST_CASE("a forged cursor is none") {
  const auto genuine = make_cursor("key", test_disputes, somewhere);
  const auto dot = genuine.find('.');
  const auto position = genuine.substr(0, dot), mac = genuine.substr(dot + 1);
  const auto elsewhere = make_cursor("key", test_disputes, timed_position{somewhere.at, "dp_18"});
  const auto forged_position = crypto::base64url("1795167000125 dp_18");
  const std::string forgeries[] = {
      "",
      ".",
      "dp_17",
      position,
      position + ".",
      "." + mac,
      mac + "." + position,
      forged_position + "." + mac,
      position + "." + elsewhere.substr(elsewhere.find('.') + 1),
      position + "." + mac.substr(1),
      position + "." + mac + "A",
      position + "." + mac + "=",
      position + "." + mac + "." + mac,
      genuine + " ",
      " " + genuine,
      crypto::sign_token("key", "1795167000125 dp_17"),
  };
  for (const auto& each : forgeries) {
    CAPTURE(each);
    CHECK_FALSE(read_timed_cursor("key", test_disputes, each));
  }
  for (std::size_t i = 0; i < genuine.size(); ++i) {
    auto changed = genuine;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CAPTURE(changed);
    CHECK_FALSE(read_timed_cursor("key", test_disputes, changed));
  }
}

TEST_CASE("a genuine cursor whose position is of another form is none") {
  for (const auto* position :
       {"", " ", "17", "17 ", " dp_17", "soon dp_17", "-1 dp_17", "1.5 dp_17", "99999999999999999999 dp_17"}) {
    CAPTURE(position);
    const auto cursor = make_cursor("key", test_disputes, std::string_view{position});
    CHECK(read_cursor("key", test_disputes, cursor) == position);
    CHECK_FALSE(read_timed_cursor("key", test_disputes, cursor));
  }
  // An id may contain what separates it from the time.
  const timed_position spaced{from_unix_ms(0), "a b"};
  CHECK(read_timed_cursor("key", test_disputes, make_cursor("key", test_disputes, spaced)) == spaced);
}
