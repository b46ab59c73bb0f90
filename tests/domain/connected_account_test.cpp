// How a connection changes when its provider reports the state of the merchant's account.
#include <catch2/catch.hpp>

#include "gateway/directory/connected_account.hpp"

using namespace gateway;

TEST_CASE("a connection follows its account, unless it was abandoned") {
  using enum connection_status;
  using enum account_standing;
  struct {
    connection_status before;
    account_standing reported;
    connection_status after;
  } const rows[] = {
      {not_connected, unknown, not_connected}, {not_connected, incomplete, not_connected},
      {not_connected, ready, not_connected},   {not_connected, restricted, not_connected},
      {in_progress, unknown, in_progress},     {in_progress, incomplete, in_progress},
      {in_progress, ready, connected},         {in_progress, restricted, unavailable},
      {connected, unknown, connected},         {connected, incomplete, unavailable},
      {connected, ready, connected},           {connected, restricted, unavailable},
      {unavailable, unknown, unavailable},     {unavailable, incomplete, unavailable},
      {unavailable, ready, connected},         {unavailable, restricted, unavailable},
  };
  for (const auto& row : rows) {
    INFO(to_string(row.before) << ", told " << static_cast<int>(row.reported));
    const auto next = status_after(row.before, row.reported);
    CHECK(next.value_or(row.before) == row.after);
    CHECK(next.has_value() == (row.before != row.after));
  }
}

TEST_CASE("a connection belongs to one provider in one environment") {
  merchant m;
  m.connections = {{environment::test, provider_kind::stripe, connection_status::connected, "acct_test"},
                   {environment::live, provider_kind::sandbox, connection_status::connected, "acct_sandbox"}};
  CHECK(find_connection(m, environment::test, provider_kind::stripe)->account == "acct_test");
  CHECK_FALSE(find_connection(m, environment::live, provider_kind::stripe));
}
