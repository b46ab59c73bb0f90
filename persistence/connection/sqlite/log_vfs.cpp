#include "persistence/connection/sqlite/log_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace gateway::persistence {

namespace {

/// A larger commit is written in several pieces. SQLite's system file accepts less than 128 KiB at a time.
constexpr std::size_t most_gathered = 124 * 1024;

sqlite3_vfs* system_vfs() { return sqlite3_vfs_find(nullptr); }

/// An open log. SQLite allocates the memory, in which the system's own file object follows this one.
class log_file : public sqlite3_file {
 public:
  explicit log_file(const sqlite3_io_methods& mine) noexcept : sqlite3_file{&mine} {}

  static log_file& of(sqlite3_file* file) noexcept { return *static_cast<log_file*>(file); }
  sqlite3_file* real() noexcept { return reinterpret_cast<sqlite3_file*>(this + 1); }
  const sqlite3_io_methods& methods() noexcept { return *real()->pMethods; }

  bool make_room() noexcept {
    gathered_.reset(new (std::nothrow) std::byte[most_gathered]);
    return gathered_ != nullptr;
  }

  int write(const void* bytes, std::size_t count, sqlite3_int64 at) {
    synced_ = false;
    const bool follows = size_ > 0 && at == begin_ + static_cast<sqlite3_int64>(size_);
    if (size_ > 0 && (!follows || size_ + count > most_gathered))
      if (const int code = flush(); code != SQLITE_OK) return code;
    if (count > most_gathered) return methods().xWrite(real(), bytes, static_cast<int>(count), at);
    if (size_ == 0) begin_ = at;
    const auto* const first = static_cast<const std::byte*>(bytes);
    std::copy_n(first, count, gathered_.get() + size_);
    size_ += count;
    return SQLITE_OK;
  }

  int truncate(sqlite3_int64 size) {
    synced_ = false;
    const int code = flush();
    return code != SQLITE_OK ? code : methods().xTruncate(real(), size);
  }

  /// A checkpoint syncs the log again, and each sync flushes the disk. The sync is skipped if this file has synced
  /// everything it wrote; other files that write to the log have synced their own writes.
  int sync(int flags) {
    if (const int code = flush(); code != SQLITE_OK) return code;
    if (synced_) return SQLITE_OK;
    const int code = methods().xSync(real(), flags);
    synced_ = code == SQLITE_OK;
    return code;
  }

  /// Discards what could not be written: SQLite rolls back, and writes its next commit to the same place.
  int flush() {
    if (size_ == 0) return SQLITE_OK;
    const auto count = static_cast<int>(size_);
    size_ = 0;
    return methods().xWrite(real(), gathered_.get(), count, begin_);
  }

 private:
  std::unique_ptr<std::byte[]> gathered_;
  std::size_t size_ = 0;
  sqlite3_int64 begin_ = 0;  ///< where in the file the gathered bytes belong
  bool synced_ = false;  ///< not at first: the process before this one may have ended between write and sync
};
// SQLite aligns a file's memory to 8 bytes, and the system's file needs no more.
static_assert(alignof(log_file) <= 8 && sizeof(log_file) % 8 == 0);

/// Writes everything that was gathered, and then calls the system's function.
template <auto Method, class... Arguments>
int flushed(sqlite3_file* file, Arguments... arguments) {
  auto& log = log_file::of(file);
  if (const int code = log.flush(); code != SQLITE_OK) return code;
  return (log.methods().*Method)(log.real(), arguments...);
}

template <auto Method, class... Arguments>
int passed_on(sqlite3_file* file, Arguments... arguments) {
  auto& log = log_file::of(file);
  return (log.methods().*Method)(log.real(), arguments...);
}

int close(sqlite3_file* file) {
  auto& log = log_file::of(file);
  const int flushed = log.flush();
  const int closed = log.methods().xClose(log.real());
  log.~log_file();
  return flushed != SQLITE_OK ? flushed : closed;
}

int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  return log_file::of(file).write(bytes, static_cast<std::size_t>(count), at);
}

int sync(sqlite3_file* file, int flags) { return log_file::of(file).sync(flags); }

int truncate(sqlite3_file* file, sqlite3_int64 size) { return log_file::of(file).truncate(size); }

using methods = sqlite3_io_methods;

constexpr methods log_methods{
    .iVersion = 1,  // no shared memory and no mapping: a log has neither
    .xClose = close,
    .xRead = flushed<&methods::xRead>,
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = flushed<&methods::xFileSize>,
    .xLock = passed_on<&methods::xLock>,
    .xUnlock = passed_on<&methods::xUnlock>,
    .xCheckReservedLock = passed_on<&methods::xCheckReservedLock>,
    .xFileControl = flushed<&methods::xFileControl>,
    .xSectorSize = passed_on<&methods::xSectorSize>,
    .xDeviceCharacteristics = passed_on<&methods::xDeviceCharacteristics>,
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

/// Every file other than a log is the system's, unchanged.
int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* opened_with) {
  auto* const system = system_vfs();
  if ((flags & SQLITE_OPEN_WAL) == 0) return system->xOpen(system, name, file, flags, opened_with);
  auto* const log = new (file) log_file{log_methods};
  log->real()->pMethods = nullptr;
  int code = log->make_room() ? SQLITE_OK : SQLITE_NOMEM;
  if (code == SQLITE_OK) code = system->xOpen(system, name, log->real(), flags, opened_with);
  if (code == SQLITE_OK) return code;
  if (log->real()->pMethods != nullptr) log->methods().xClose(log->real());
  log->~log_file();
  file->pMethods = nullptr;  // SQLite does not close it then
  return code;
}

}  // namespace

const char* log_vfs_name() {
  static sqlite3_vfs* const made = [] {
    static sqlite3_vfs vfs = *system_vfs();
    vfs.zName = "gateway-log";
    vfs.szOsFile = static_cast<int>(sizeof(log_file)) + system_vfs()->szOsFile;
    vfs.pNext = nullptr;
    vfs.xOpen = open;
    sqlite3_vfs_register(&vfs, 0);
    return &vfs;
  }();
  return made->zName;
}

}  // namespace gateway::persistence
