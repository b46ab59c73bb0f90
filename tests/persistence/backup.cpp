// Backups of the embedded store: consistent while others write, and proved byte for byte.
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "gateway/base/crypto.hpp"
#include "gateway/ports/store/witness_rows.hpp"
#include "persistence/backup/backup.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/unit_batch.hpp"
#include "samples.hpp"
#include "stores.hpp"

using namespace gateway;
using namespace gateway::persistence;
using namespace gateway::persistence::test;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

constexpr const char* files_of_backup[] = {"gateway.sqlite", "manifest.json", "SHA256SUMS"};

std::string contents_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void put_contents(const fs::path& file, const std::string& bytes) {
  std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
}

unsigned mode_of(const fs::path& file) {
  struct stat found{};
  REQUIRE(::stat(file.c_str(), &found) == 0);
  return found.st_mode & 0777;
}

save_audit audited(int number) {
  save_audit entry;
  entry.user = user_id{"operator:root"};
  entry.at = at(number);
  entry.id = "audit_" + std::to_string(number);
  entry.address = "192.0.2.7";
  entry.action = "revoke key";
  return entry;
}

/// A payment with its ledger entry and an entry on the audit log, in one commit.
void write_payment(db_connection& db, int number) {
  const auto id = std::to_string(number);
  auto parts = begin_unit(id);
  auto p = captured(a_payment(id));
  p.next_seq = 2;
  p.provider_ref = "pi_" + id;
  parts.ledger = {entry_of({ledger_kind::captured, 4200}, p, "ch_" + id)};
  unit_of_work unit = parts;
  unit.inserts.emplace_back(audited(number));
  REQUIRE(commit_units(db, {&unit, 1}).front() == commit_outcome::committed);
}

/// A store with rows, and a place for backups of it.
struct backed_up_store : migrated_store {
  explicit backed_up_store(int payments = 20) : migrated_store(store_kind::sqlite) {
    for (int i = 0; i < payments; ++i) write_payment(*writer, i);
  }

  made_backup back_up() const { return make_backup(where().file, folder(), "1.2.3", at(5'000)); }
  fs::path folder() const { return place.path() / "backup"; }
  fs::path file(const char* name) const { return folder() / name; }
  std::vector<std::string> problems() const { return verify_backup(folder()).problems; }

  temporary_folder place;
};

std::int64_t rows_in(const fs::path& file, std::string_view table) {
  store_location where;
  where.file = file;
  const statement count{"SELECT COUNT(*) FROM " + std::string{table}};
  std::int64_t found = -1;
  connect(where, access::read)->read(count, {}, [&](const result_row& row) { found = row.integer(0); });
  return found;
}

/// No file of this process grows beyond `bytes` meanwhile.
class disk_limit {
 public:
  explicit disk_limit(std::size_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~disk_limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a backup holds the database and its description, for its owner only, and verifies") {
  const backed_up_store store;
  const auto made = store.back_up();
  const auto found = verify_backup(store.folder());
  CHECK(found.problems.empty());
  CHECK(found.manifest == made.manifest);
  CHECK(found.manifest_sha256 == made.manifest_sha256);
  CHECK(mode_of(store.folder()) == 0700);
  for (const auto* name : files_of_backup) CHECK(mode_of(store.file(name)) == 0600);
  CHECK(std::distance(fs::directory_iterator{store.folder()}, {}) == 3);
  CHECK_THAT(made.manifest, Contains(R"("version":"1.2.3")") && Contains(R"({"table":"payments","rows":20})") &&
                                Contains(R"("currency":"HKD","entries":20,"customer":-84000,)"));
  CHECK_THAT(contents_of(store.file("SHA256SUMS")), Contains(made.manifest_sha256 + "  manifest.json\n"));
}

TEST_CASE("a copy opens as a store, holds what the store held, and says that it is a copy") {
  backed_up_store store;
  store.back_up();
  gateway::settings restored;
  restored.data_dir = store.folder();
  const auto db = connect(locate_store(restored), access::write);
  migrate(*db);
  CHECK(read_meta(*db, backup_mark_name) == format_millis(at(5'000)));
  CHECK_FALSE(read_meta(*store.reader, backup_mark_name));
  db->rollback();
  write_payment(*db, 1'000);
  CHECK(rows_in(store.file("gateway.sqlite"), "payments") == 21);
  CHECK(rows_in(store.where().file, "payments") == 20);
  CHECK_THAT(store.problems().at(0), Contains("gateway.sqlite"));
}

TEST_CASE("a backup made while another connection commits is one moment of the database") {
  backed_up_store store{200};
  std::atomic<int> written{0};
  const std::jthread other{[&](const std::stop_token& ends) {
    const auto db = connect(store.where(), access::write);
    for (int i = 10'000; !ends.stop_requested(); ++i) {
      unit_parts parts = begin_unit(std::to_string(i));
      unit_of_work unit = parts;
      unit.inserts.emplace_back(audited(i));
      if (commit_units(*db, {&unit, 1}).front() != commit_outcome::committed) break;
      ++written;
    }
  }};
  for (int round = 0; round < 5; ++round) {
    const auto before = written.load();
    while (written == before) std::this_thread::yield();
    const auto to = store.place.path() / std::to_string(round);
    make_backup(store.where().file, to, "1.2.3", at(0));
    CHECK(verify_backup(to).problems.empty());
    const auto copy = to / "gateway.sqlite";
    const auto payments = rows_in(copy, "payments");
    CHECK(payments > 200 + before);
    CHECK(rows_in(copy, "commands") == payments);
    CHECK(rows_in(copy, "audit_log") == payments);
  }
}

TEST_CASE("a changed byte in any file of a backup is found, and the file is named") {
  const backed_up_store store{3};
  store.back_up();
  for (const auto* name : files_of_backup) {
    const auto file = store.file(name);
    const auto good = contents_of(file);
    // Every byte of a small file, and of the database the first ones and some of each page.
    const auto step = good.size() > 10'000 ? std::size_t{3'001} : std::size_t{1};
    for (std::size_t place = 0; place < good.size(); place += place < 100 ? 1 : step) {
      for (const char change : {'\x01', '\x80'}) {
        auto bad = good;
        bad[place] = static_cast<char>(bad[place] ^ change);
        put_contents(file, bad);
        const auto problems = store.problems();
        INFO(name << " at " << place);
        REQUIRE_FALSE(problems.empty());
        REQUIRE(std::ranges::any_of(problems, [&](const auto& each) { return each.find(name) != each.npos; }));
      }
    }
    put_contents(file, good + "\n");
    CHECK_FALSE(store.problems().empty());
    put_contents(file, good.substr(0, good.size() - 1));
    CHECK_FALSE(store.problems().empty());
    put_contents(file, good);
    REQUIRE(store.problems().empty());
    fs::remove(file);
    CHECK_THAT(store.problems().at(0), Contains(name));
    put_contents(file, good);
  }
  CHECK(store.problems().empty());
}

TEST_CASE("new checksums do not hide a changed database, ledger, audit log or manifest") {
  struct change {
    const char* sql;
    const char* found;
  };
  const auto each = GENERATE(
      change{"UPDATE audit_log SET action = 'revoke nothing' WHERE audit_id = 'audit_2'", "audit log"},
      change{"DELETE FROM audit_log WHERE audit_id = 'audit_3'", "audit log"},
      change{"DELETE FROM payments WHERE payment_id = 'pay_1'", "manifest.json does not describe the database"},
      change{"PRAGMA ignore_check_constraints = ON; UPDATE ledger SET merchant_amount = merchant_amount + 1", "ledger"},
      change{"CREATE TABLE plain AS SELECT * FROM ledger; DROP TABLE ledger; ALTER TABLE plain RENAME TO ledger; "
             "UPDATE ledger SET merchant_amount = merchant_amount + 1",
             "not zero"});
  CAPTURE(each.sql);
  backed_up_store store{5};
  const auto good = store.back_up();
  temporary_folder other;
  store.writer->execute(each.sql);
  make_backup(store.where().file, other.path() / "backup", "1.2.3", at(5'000));
  const auto changed = other.path() / "backup";
  if (std::string_view{each.found}.starts_with("manifest")) put_contents(changed / "manifest.json", good.manifest);
  const auto sums = [&](const char* name) {
    const auto bytes = contents_of(changed / name);
    return crypto::hex(crypto::sha256(bytes)) + "  " + name + "\n";
  };
  put_contents(changed / "SHA256SUMS", sums("gateway.sqlite") + sums("manifest.json"));
  const auto problems = verify_backup(changed).problems;
  REQUIRE_FALSE(problems.empty());
  CHECK_THAT(problems.front(), Contains(each.found));
}

TEST_CASE("files that SQLite would read with a copy make it another one") {
  const backed_up_store store{1};
  store.back_up();
  const auto* name = GENERATE("gateway.sqlite-wal", "gateway.sqlite-shm", "gateway.sqlite-journal");
  put_contents(store.file(name), "");
  CHECK_THAT(store.problems().at(0), Contains(name));
}

TEST_CASE("a directory with files, or a name that is a file's, is refused and left as it is") {
  const backed_up_store store{1};
  fs::create_directory(store.folder());
  put_contents(store.file("notes"), "mine");
  CHECK_THROWS_WITH(store.back_up(), Contains("not empty"));
  CHECK(contents_of(store.file("notes")) == "mine");
  CHECK(std::distance(fs::directory_iterator{store.folder()}, {}) == 1);
  CHECK_THROWS_WITH(make_backup(store.where().file, store.file("notes"), "1", at(0)), Contains("not a directory"));
  fs::remove(store.file("notes"));
  store.back_up();
  CHECK(store.problems().empty());
  CHECK(mode_of(store.folder()) == 0700);
}

TEST_CASE("a full disk leaves no backup, and the next one succeeds") {
  const backed_up_store store{200};
  {
    const disk_limit full{64 * 1024};
    CHECK_THROWS(store.back_up());
  }
  CHECK_FALSE(fs::exists(store.folder()));
  CHECK_FALSE(verify_backup(store.folder()).problems.empty());
  store.back_up();
  CHECK(store.problems().empty());
}
