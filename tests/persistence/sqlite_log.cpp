// The embedded store's write-ahead log stays small, whoever looks after it.
#include <catch2/catch.hpp>

#include "stores.hpp"

using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

constexpr std::size_t page = 4096;

/// A table of rows that fill a page each.
struct filled_store : empty_store {
  filled_store() : empty_store(store_kind::sqlite), writer(connect(where(), access::write)) {
    writer->execute("CREATE TABLE filler (id INTEGER PRIMARY KEY, bytes BLOB)");
  }

  void commit_a_page() { commit_pages(1); }
  void commit_pages(int count) {
    writer->begin();
    for (int i = 0; i < count; ++i) writer->execute("INSERT INTO filler (bytes) VALUES (zeroblob(3900))");
    writer->commit();
  }
  std::size_t log_bytes() const { return std::filesystem::file_size(where().file.string() + "-wal"); }

  std::unique_ptr<db_connection> writer;
};

}  // namespace

TEST_CASE("a log that is tended between commits stays near a megabyte") {
  filled_store store;
  for (int i = 0; i < 3'000; ++i) {
    store.commit_a_page();
    store.writer->maintain();
  }
  CHECK(store.log_bytes() < 320 * page);
}

TEST_CASE("where commits are large, the log holds some of them before it is copied") {
  filled_store store;
  for (int i = 0; i < 30; ++i) {
    store.commit_pages(200);
    store.writer->maintain();
  }
  CHECK(store.log_bytes() > 700 * page);
  CHECK(store.log_bytes() < 1'100 * page);
}

TEST_CASE("a log that nobody tends is bounded all the same") {
  filled_store store;
  for (int i = 0; i < 6'000; ++i) store.commit_a_page();
  CHECK(store.log_bytes() < 4'100 * page);
}

TEST_CASE("a log that a reader needs waits for it, and shrinks to a start anew when the reader has gone") {
  filled_store store;
  store.commit_a_page();
  const auto reader = connect(store.where(), access::read);
  reader->execute("BEGIN");
  reader->execute("SELECT COUNT(*) FROM filler");
  for (int i = 0; i < 500; ++i) {
    store.commit_a_page();
    store.writer->maintain();
  }
  const auto held = store.log_bytes();
  CHECK(held > 500 * page);
  reader->execute("COMMIT");
  for (int i = 0; i < 500; ++i) {
    store.commit_a_page();
    store.writer->maintain();
  }
  CHECK(store.log_bytes() < held + 10 * page);
}
