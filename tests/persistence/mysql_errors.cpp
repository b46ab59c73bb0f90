// The meaning of each database error for a unit: in a statement before COMMIT, and at COMMIT.
#include <catch2/catch.hpp>

#include <algorithm>

#include "persistence/connection/mysql/mysql_errors.hpp"
#include "persistence/session/database_session.hpp"

using namespace gateway::persistence;
using kind = database_error::kind;

namespace {

struct expected {
  int code;
  const char* what;
  kind in_statement;
  kind at_commit;
};

constexpr expected rows[] = {
    {1213, "a deadlock or a lost certification is repeated: the server has rolled back", kind::busy, kind::busy},
    {1205, "a lock wait that took too long is repeated; a COMMIT waits for none", kind::busy, kind::failed},
    {1317, "an interrupted statement is repeated; an interrupted COMMIT is in doubt", kind::busy, kind::failed},
    {1615, "a statement that must be prepared again is repeated; a COMMIT is not prepared", kind::busy, kind::failed},
    {1461, "a server with too many prepared statements has executed nothing", kind::busy, kind::failed},
    {1047, "outside the primary component nothing is executed: another host is asked", kind::gone, kind::gone},
    {1290, "a server that has become read-only rolls back: another host is asked", kind::gone, kind::gone},
    {1836, "likewise", kind::gone, kind::gone},
    {1180, "a COMMIT that left the primary component is in doubt", kind::failed, kind::failed},
    {1053, "a server that ends: a COMMIT is in doubt", kind::gone, kind::failed},
    {1927, "a connection that was killed: a COMMIT is in doubt", kind::gone, kind::failed},
    {2006, "a connection that broke: a COMMIT is in doubt", kind::gone, kind::failed},
    {2013, "an answer that was lost: a COMMIT is in doubt", kind::gone, kind::failed},
    {8002, "TiDB: a conflict after SELECT FOR UPDATE is rolled back and repeated", kind::busy, kind::busy},
    {8005, "TiDB: a conflict within the server is rolled back and repeated", kind::busy, kind::busy},
    {8022, "TiDB: a commit that failed and was rolled back is repeated", kind::busy, kind::busy},
    {8028, "TiDB: a transaction during which the schema changed is rolled back and repeated", kind::busy, kind::busy},
    {9007, "TiDB: a write conflict is rolled back and repeated", kind::busy, kind::busy},
    {9003, "TiDB: busy storage; a COMMIT is in doubt", kind::busy, kind::failed},
    {9004, "TiDB: locks that are not removed in time; a COMMIT is in doubt", kind::busy, kind::failed},
    {1105, "TiDB: an error without a number, such as a lock wait: repeated; a COMMIT is in doubt", kind::busy,
     kind::failed},
    {8027, "TiDB: a server without the newest schema: another host is asked; a COMMIT is in doubt", kind::gone,
     kind::failed},
    {9001, "TiDB: the placement driver does not answer: another host is asked; a COMMIT is in doubt", kind::gone,
     kind::failed},
    {9002, "TiDB: the storage does not answer; a COMMIT is in doubt", kind::gone, kind::failed},
    {9005, "TiDB: a region is unavailable; a COMMIT is in doubt", kind::gone, kind::failed},
    {1021, "any other error (a full disk): a COMMIT is in doubt", kind::failed, kind::failed},
};

}  // namespace

TEST_CASE("each error of the database has one meaning in a statement and one at COMMIT") {
  for (const auto& row : rows) {
    INFO(row.code << ": " << row.what);
    const auto found = meaning_of(row.code);
    CHECK(found.in_statement == row.in_statement);
    CHECK(found.at_commit == row.at_commit);
  }
}

TEST_CASE("every row of the table of errors is tested, and none twice") {
  for (const auto& row : mysql_error_meanings) {
    INFO(row.code);
    CHECK(std::ranges::count(rows, row.code, &expected::code) == 1);
    CHECK(std::ranges::count(mysql_error_meanings, row.code, &mysql_error_meaning::code) == 1);
  }
  CHECK(std::size(rows) == mysql_error_meanings.size() + 1);
}

TEST_CASE("a connection closes its prepared statements when they are the cause of an error, and for no other error") {
  for (const auto& row : rows) {
    INFO(row.code << ": " << row.what);
    CHECK(is_about_prepared_statements(row.code) == (row.code == 1615 || row.code == 1461));
  }
}

TEST_CASE("the reason for an outage is described by the error's number, without customer data") {
  CHECK(description_of(dialect::sqlite, 13) == "database or disk is full");
  CHECK(description_of(dialect::sqlite, 10) == "disk I/O error");
  CHECK(description_of(dialect::mysql, 1021) == "the server's disk is full");
  CHECK(description_of(dialect::mysql, 1114).find("full") != std::string_view::npos);
  CHECK(description_of(dialect::mysql, 2013) == "the connection broke");
  CHECK(description_of(dialect::mysql, 9005) == "a part of TiDB's storage does not answer");
  CHECK(description_of(dialect::sqlite, 0).empty());
  CHECK(description_of(dialect::mysql, 1062).empty());
}
