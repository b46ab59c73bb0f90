// The embedded store's write-ahead log stays small, with and without checkpoints between commits.
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "stores.hpp"

using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

constexpr std::size_t page = 2048;

/// A table of rows that fill a page each.
struct filled_store : empty_store {
  filled_store() : empty_store(store_kind::sqlite), writer(connect(where(), access::write)) {
    writer->execute("CREATE TABLE filler (id INTEGER PRIMARY KEY, bytes BLOB)");
  }

  void commit_a_page() { commit_pages(1); }
  void commit_pages(int count) {
    writer->begin();
    for (int i = 0; i < count; ++i) writer->execute("INSERT INTO filler (bytes) VALUES (zeroblob(1900))");
    writer->commit();
  }
  std::int64_t number(std::string_view sql) {
    std::int64_t found = -1;
    const statement query{sql};
    const auto reader = connect(where(), access::read);
    reader->read(query, {}, [&](const result_row& row) { found = row.integer(0); });
    return found;
  }
  std::int64_t rows() { return number("SELECT COUNT(*) FROM filler"); }
  bool is_sound() { return number("SELECT integrity_check = 'ok' FROM pragma_integrity_check") == 1; }
  std::size_t log_bytes() const { return std::filesystem::file_size(where().file.string() + "-wal"); }

  std::unique_ptr<db_connection> writer;
};

/// How many write calls this process has made.
std::int64_t writes_so_far() {
  std::ifstream counters{"/proc/self/io"};
  std::string name;
  for (std::int64_t value = 0; counters >> name >> value;)
    if (name == "syscw:") return value;
  throw std::runtime_error("no count of writes");
}

/// Limits every file to `bytes` while this object lives.
class file_size_limit {
 public:
  explicit file_size_limit(std::size_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~file_size_limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a new file has small pages, and one of an earlier version keeps its own") {
  filled_store store;
  store.commit_a_page();
  constexpr std::string_view size = "SELECT page_size FROM pragma_page_size";
  CHECK(store.number(size) == page);
  // As earlier versions made it.
  store.writer->execute("PRAGMA journal_mode = DELETE");
  store.writer->execute("PRAGMA page_size = 4096");
  store.writer->execute("VACUUM");
  store.writer.reset();
  store.writer = connect(store.where(), access::write);
  store.commit_pages(20);
  CHECK(store.writer->clear_free_pages());
  store.commit_pages(20);
  CHECK(store.number(size) == 4096);
  CHECK(store.rows() == 41);
  CHECK(store.is_sound());
}

TEST_CASE("a commit's pages reach the log in few writes, however many they are") {
  filled_store store;
  store.commit_a_page();
  const int pages = GENERATE(1, 20, 300);
  const auto before = writes_so_far();
  store.commit_pages(pages);
  CHECK(writes_so_far() - before < 4 + pages / 20);
  CHECK(store.rows() == 1 + pages);
  CHECK(store.is_sound());
}

TEST_CASE("a transaction larger than the page cache can be read back, committed or not") {
  filled_store store;
  store.commit_a_page();
  store.writer->begin();
  for (int i = 0; i < 3'000; ++i) store.writer->execute("INSERT INTO filler (bytes) VALUES (zeroblob(1900))");
  store.writer->execute("UPDATE filler SET bytes = randomblob(1900) WHERE id < 500");
  const bool kept = GENERATE(true, false);
  if (kept) {
    store.writer->commit();
  } else {
    store.writer->rollback();
  }
  store.commit_a_page();
  store.writer->maintain();
  CHECK(store.rows() == (kept ? 3'002 : 2));
  CHECK(store.is_sound());
}

TEST_CASE("a commit whose pages cannot be written fails whole, and the next one succeeds") {
  filled_store store;
  store.commit_a_page();
  {
    const file_size_limit full{store.log_bytes() + 5 * page};
    store.writer->begin();
    for (int i = 0; i < 20; ++i) store.writer->execute("INSERT INTO filler (bytes) VALUES (zeroblob(1900))");
    CHECK_THROWS_AS(store.writer->commit(), database_error);
    store.writer->rollback();
    CHECK(store.rows() == 1);
  }
  store.commit_pages(7);
  CHECK(store.rows() == 8);
  CHECK(store.is_sound());
}

TEST_CASE("a log with checkpoints between commits stays below a megabyte") {
  filled_store store;
  for (int i = 0; i < 3'000; ++i) {
    store.commit_a_page();
    store.writer->maintain();
  }
  CHECK(store.log_bytes() < 320 * page);
}

TEST_CASE("where commits are large, the log holds several of them before it is copied") {
  filled_store store;
  for (int i = 0; i < 30; ++i) {
    store.commit_pages(200);
    store.writer->maintain();
  }
  CHECK(store.log_bytes() > 700 * page);
  CHECK(store.log_bytes() < 1'100 * page);
}

TEST_CASE("a log without such checkpoints is bounded all the same") {
  filled_store store;
  for (int i = 0; i < 6'000; ++i) store.commit_a_page();
  CHECK(store.log_bytes() < 4'100 * page);
}

TEST_CASE("a log that a reader needs is kept, and restarts when the reader has finished") {
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
