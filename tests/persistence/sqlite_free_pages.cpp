// Once free pages were cleared, no page of the embedded store's files has replaced or deleted data.
#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

#include "stores.hpp"

using namespace gateway::persistence;
using namespace gateway::persistence::test;

namespace {

std::size_t marks_in(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  std::size_t count = 0;
  for (auto at = bytes.find("MARKED TEXT"); at != bytes.npos; at = bytes.find("MARKED TEXT", at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("cleared files hold no copy of a replaced or deleted text, and every other row") {
  empty_store store{store_kind::sqlite};
  const auto writer = connect(store.where(), access::write);
  writer->execute("CREATE TABLE kept (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID");
  std::string marked;
  for (int i = 0; i < 1'500; ++i) {
    // Ids in no order, and rows of very different sizes: pages are split, and rows move to others.
    const auto id = std::to_string(i * 7'919 % 1'500);
    const auto length = static_cast<std::size_t>(i * 37 % 700 + 20);
    const bool is_marked = i % 5 == 0;
    std::string text(is_marked ? "MARKED TEXT " : "another one ");
    while (text.size() < length) text += text;
    writer->begin();
    writer->execute("INSERT INTO kept VALUES ('" + id + "', '" + text + "')");
    writer->commit();
    if (is_marked) marked += (marked.empty() ? "'" : ",'") + id + "'";
  }
  const auto file = store.where().file;
  const auto log = std::filesystem::path{file.string() + "-wal"};
  REQUIRE(marks_in(file) + marks_in(log) > 300);
  writer->begin();
  writer->execute("UPDATE kept SET text = '' WHERE id IN (" + marked + ") AND id < '5'");
  writer->execute("DELETE FROM kept WHERE id IN (" + marked + ") AND id >= '5'");
  writer->commit();
  REQUIRE(marks_in(file) + marks_in(log) > 0);

  CHECK(writer->clear_free_pages());
  CHECK(marks_in(file) == 0);
  CHECK(marks_in(log) == 0);
  std::int64_t others = 0;
  const auto reader = connect(store.where(), access::read);
  const statement count{"SELECT COUNT(*) FROM kept WHERE text LIKE 'another one %'"};
  reader->read(count, {}, [&](const result_row& row) { others = row.integer(0); });
  CHECK(others == 1'200);
  // The writer goes on as before.
  writer->begin();
  writer->execute("INSERT INTO kept VALUES ('last', 'row')");
  writer->commit();
}
