// The folder of a backup has three files: the database, manifest.json, which describes it, and SHA256SUMS, which has
// the checksums of both in the form of sha256sum(1) and is written last. The manifest is a function of the database,
// its checksum, the program's version and the time: verification makes it again and compares the texts.
#include "persistence/backup/backup.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <boost/json.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/base/durable_file.hpp"
#include "gateway/base/json_text.hpp"
#include "gateway/ports/store/witness_rows.hpp"
#include "persistence/backup/backup_contents.hpp"
#include "persistence/connection/sqlite/sqlite_copy.hpp"
#include "persistence/connection/store_location.hpp"

namespace gateway::persistence {

namespace {

namespace fs = std::filesystem;

constexpr const char* database_name = "gateway.sqlite";
constexpr const char* manifest_name = "manifest.json";
constexpr const char* sums_name = "SHA256SUMS";
/// Files that SQLite reads together with the database, and which would change its contents.
constexpr const char* files_of_use[] = {"gateway.sqlite-wal", "gateway.sqlite-shm", "gateway.sqlite-journal"};
constexpr std::size_t most_manifest_bytes = 4 * 1024 * 1024, most_sums_bytes = 4'096;

struct copied_file {
  std::uint64_t bytes = 0;
  std::string sha256;
};

copied_file measure(const fs::path& file) { return {fs::file_size(file), sha256_of_file(file)}; }

std::string sha256_hex(std::string_view text) { return crypto::hex(crypto::sha256(text)); }

std::unique_ptr<db_connection> open_copy(const fs::path& folder) {
  store_location where;
  where.file = folder / database_name;
  return connect(where, access::read);
}

// ---- the manifest ----------------------------------------------------------------------------------

std::string json_word(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

/// One item a line, so that a difference can be shown.
template <class Items, class Write>
std::string json_list(const Items& items, Write write) {
  std::string out = "[";
  for (const auto& each : items) out.append(out.size() > 1 ? ",\n  " : "\n  ").append(write(each));
  return out + "]";
}

std::string number(std::int64_t value) { return std::to_string(value); }

std::string manifest_of(std::string_view version, std::string_view made_at, const copied_file& database,
                        const backup_contents& has) {
  const auto count = [](const backup_contents::table_rows& t) {
    return R"({"table":)" + json_word(t.table) + R"(,"rows":)" + number(t.rows) + "}";
  };
  const auto total = [](const backup_contents::ledger_total& t) {
    return R"({"mode":)" + json_word(t.environment) + R"(,"currency":)" + json_word(t.currency) + R"(,"entries":)" +
           number(t.entries) + R"(,"customer":)" + number(t.customer) + R"(,"provider":)" + number(t.provider) +
           R"(,"merchant":)" + number(t.merchant) + "}";
  };
  const auto head = [](const audit_head& h) {
    return R"({"chain":)" + number(h.chain) + R"(,"number":)" + number(h.number) + R"(,"hash":)" + json_word(h.hash) +
           "}";
  };
  return R"({"format":1,)"
         "\n\"version\":" +
         json_word(version) + ",\n\"schema_version\":" + number(has.schema_version) +
         ",\n\"made_at\":" + json_word(made_at) +
         ",\n\"store\":\"sqlite\",\n\"files\":[{\"name\":" + json_word(database_name) +
         ",\"bytes\":" + std::to_string(database.bytes) + ",\"sha256\":" + json_word(database.sha256) +
         "}],\n\"counts\":" + json_list(has.counts, count) + ",\n\"ledger\":" + json_list(has.ledger, total) +
         ",\n\"audit_heads\":" + json_list(has.audit_heads, head) + "}\n";
}

std::string sums_of(std::string_view database_sha256, std::string_view manifest_sha256) {
  std::string text{database_sha256};
  text.append("  ").append(database_name).append("\n");
  return text.append(manifest_sha256).append("  ").append(manifest_name).append("\n");
}

// ---- making one ------------------------------------------------------------------------------------

/// The folder of a backup that is being made. Unless it is kept, the destructor removes what was made.
class new_folder {
 public:
  explicit new_folder(fs::path path) : path_(std::move(path)) {
    std::error_code failure;
    if (fs::exists(path_, failure)) {
      if (!fs::is_directory(path_, failure)) throw std::runtime_error{path_.string() + " is not a directory"};
      if (!fs::is_empty(path_, failure) || failure)
        throw std::runtime_error{path_.string() + " is not empty: a backup needs a directory of its own"};
    } else {
      is_made_ = fs::create_directories(path_, failure);
    }
    if (failure) throw std::runtime_error{"cannot make the directory " + path_.string() + ": " + failure.message()};
    fs::permissions(path_, fs::perms::owner_all, failure);
    if (failure) remove();
    if (failure) throw std::runtime_error{"cannot protect the directory " + path_.string() + ": " + failure.message()};
  }
  ~new_folder() {
    if (!is_kept_) remove();
  }
  new_folder(const new_folder&) = delete;
  new_folder& operator=(const new_folder&) = delete;

  fs::path file(const char* name) const { return path_ / name; }
  const fs::path& path() const noexcept { return path_; }
  void keep() noexcept { is_kept_ = true; }

 private:
  void remove() const noexcept {
    std::error_code ignored;
    // The checksums first: without them the rest is no backup.
    for (const auto* name :
         {sums_name, "SHA256SUMS.new", manifest_name, "manifest.json.new", database_name, "gateway.sqlite-journal"})
      fs::remove(path_ / name, ignored);
    if (is_made_) fs::remove(path_, ignored);
  }

  fs::path path_;
  bool is_made_ = false, is_kept_ = false;
};

made_backup fill(const new_folder& folder, const fs::path& from, std::string_view version, time_point now) {
  const auto copy = folder.file(database_name);
  const auto made_at = format_millis(now);
  make_private_file(copy);
  copy_database(from, copy);
  put_meta_in_copy(copy, backup_mark_name, made_at);
  sync_to_disk(copy);
  made_backup made;
  const auto measured = measure(copy);
  made.manifest = manifest_of(version, made_at, measured, read_contents(*open_copy(folder.path())));
  made.manifest_sha256 = sha256_hex(made.manifest);
  write_durably(folder.file(manifest_name), made.manifest);
  write_durably(folder.file(sums_name), sums_of(measured.sha256, made.manifest_sha256));
  return made;
}

// ---- verifying one ---------------------------------------------------------------------------------

/// The lines at which two texts first differ.
std::string first_difference(std::string_view stored, std::string_view expected) {
  while (!stored.empty() || !expected.empty()) {
    const auto line = stored.substr(0, stored.find('\n')), other = expected.substr(0, expected.find('\n'));
    if (line != other) return "it has '" + std::string{line} + "', and the database '" + std::string{other} + "'";
    stored.remove_prefix(std::min(line.size() + 1, stored.size()));
    expected.remove_prefix(std::min(other.size() + 1, expected.size()));
  }
  return "they differ";
}

class backup_verification {
 public:
  explicit backup_verification(const fs::path& folder) : folder_(folder) {}

  verified_backup run() && {
    if (check_files() && check_sums()) check_database();
    if (!found_.problems.empty()) found_.manifest.clear();
    return std::move(found_);
  }

 private:
  void report(std::string problem) { found_.problems.push_back(std::move(problem)); }

  bool check_files() {
    std::error_code failure;
    if (!fs::is_directory(folder_, failure)) {
      report(folder_.string() + " is not a directory");
      return false;
    }
    for (const auto* name : {database_name, manifest_name, sums_name})
      if (!fs::is_regular_file(fs::symlink_status(folder_ / name, failure)))
        report(std::string{name} + " is missing" + (name == sums_name ? ": the backup was not completed" : ""));
    for (const auto* name : files_of_use)
      if (fs::exists(fs::symlink_status(folder_ / name, failure)))
        report(std::string{name} + " is there: the copy has been opened by a program that writes");
    return found_.problems.empty();
  }

  bool check_sums() {
    const auto sums = read_small_file(folder_ / sums_name, most_sums_bytes);
    stored_manifest_ = read_small_file(folder_ / manifest_name, most_manifest_bytes);
    database_ = measure(folder_ / database_name);
    found_.manifest = stored_manifest_;
    found_.manifest_sha256 = sha256_hex(stored_manifest_);
    const auto expected = sums_of(database_.sha256, found_.manifest_sha256);
    if (sums == expected) return true;
    const auto names = [&](const std::string& sha256, const char* name) {
      return sums.find(sha256 + "  " + name + "\n") != sums.npos;
    };
    const bool has_database = names(database_.sha256, database_name);
    const bool has_manifest = names(found_.manifest_sha256, manifest_name);
    const bool lists_both = sums.size() == expected.size();
    if (!has_database) report(std::string{database_name} + " does not have the checksum in " + sums_name);
    if (!has_manifest) report(std::string{manifest_name} + " does not have the checksum in " + sums_name);
    if ((has_database && has_manifest) || !lists_both)
      report(std::string{sums_name} + " is not as it was written");
    else if (has_database != has_manifest && manifest_names_database())
      report("the checksums in " + std::string{sums_name} + " contradict " + manifest_name +
             ": one of these two files was changed");
    return false;
  }

  bool manifest_names_database() const {
    return stored_manifest_.find(json_word(database_.sha256)) != std::string::npos;
  }

  void check_database() {
    const auto faults = faults_of_copy(folder_ / database_name);
    if (!faults.empty()) return report(std::string{database_name} + " is damaged: " + faults);
    const auto db = open_copy(folder_);
    const auto contents = read_contents(*db);
    for (auto& fault : faults_in_records(*db, contents)) report(std::move(fault));
    boost::system::error_code failure;
    const auto parsed = boost::json::parse(stored_manifest_, failure);
    const auto* object = failure ? nullptr : parsed.if_object();
    const auto text = [&](const char* name) -> std::string {
      const auto* value = object ? object->if_contains(name) : nullptr;
      const auto* string = value ? value->if_string() : nullptr;
      return string ? std::string{*string} : std::string{};
    };
    const auto expected = manifest_of(text("version"), text("made_at"), database_, contents);
    if (expected != stored_manifest_)
      report(std::string{manifest_name} +
             " does not describe the database: " + first_difference(stored_manifest_, expected));
  }

  const fs::path& folder_;
  verified_backup found_;
  std::string stored_manifest_;
  copied_file database_;
};

}  // namespace

made_backup make_backup(const fs::path& from, const fs::path& to, std::string_view version, time_point now) {
  new_folder folder{to};
  made_backup made;
  try {
    made = fill(folder, from, version, now);
  } catch (const database_error& failure) {
    throw std::runtime_error{"cannot copy " + from.string() + " to " + to.string() + ": " + failure.what()};
  }
  const auto absolute = fs::absolute(to).lexically_normal();
  sync_to_disk((absolute.has_filename() ? absolute : absolute.parent_path()).parent_path());
  folder.keep();
  return made;
}

verified_backup verify_backup(const fs::path& folder) {
  try {
    return backup_verification{folder}.run();
  } catch (const std::exception& failure) {
    verified_backup unreadable;
    unreadable.problems.emplace_back(failure.what());
    return unreadable;
  }
}

}  // namespace gateway::persistence
