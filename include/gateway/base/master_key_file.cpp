#include "gateway/base/master_key_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gateway/base/key_program.hpp"
#include "gateway/base/keyring.hpp"

namespace gateway {

namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t most_file_bytes = 16 * 1024;
constexpr std::string_view what_it_holds =
    "must hold keys of 64 hexadecimal digits, one a line, and nothing else but their ids";

[[noreturn]] void fail(const std::string& from, std::string_view why) {
  throw master_key_error(from + ": " + std::string{why});
}
[[noreturn]] void fail_with_errno(const std::string& from, const char* what) {
  fail(from, std::string{what} + ": " + std::strerror(errno));
}

class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const noexcept { return fd_; }
  bool open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// Text that is wiped on destruction.
struct wiped_text {
  std::string text;
  ~wiped_text() { OPENSSL_cleanse(text.data(), text.size()); }
};

std::string name_of(const std::filesystem::path& file) { return "master key " + file.string(); }

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
}

named_master_key parse_line(std::string_view line, const std::string& from) {
  const auto space = line.find(' ');
  const auto id = space == line.npos ? std::string_view{} : line.substr(0, space);
  if (space != line.npos) line.remove_prefix(space + 1);
  if (line.size() != key_bytes * 2 || (space != line.npos && !crypto::is_key_id(id))) fail(from, what_it_holds);
  auto bytes = crypto::from_hex(line);
  if (!bytes) fail(from, what_it_holds);
  named_master_key made;
  made.key = std::make_shared<const crypto::master_key>(*std::move(bytes));
  made.fingerprint = fingerprint(*made.key);
  made.id = id.empty() ? id_from_fingerprint(made.fingerprint) : std::string{id};
  return made;
}

/// False if there is no such file.
bool read_text(const std::filesystem::path& file, wiped_text& into) {
  const auto name = name_of(file);
  const descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!in.open()) {
    if (errno == ENOENT) return false;
    fail_with_errno(name, "cannot be opened");
  }
  struct stat about{};
  if (::fstat(in.get(), &about) != 0) fail_with_errno(name, "cannot be examined");
  if (!S_ISREG(about.st_mode)) fail(name, "is not a regular file");
  if ((about.st_mode & 077) != 0) fail(name, "others may read it: chmod 600 it, and think about who has");
  into.text.assign(most_file_bytes + 1, '\0');
  std::size_t filled = 0;
  while (filled < into.text.size()) {
    const auto count = ::read(in.get(), into.text.data() + filled, into.text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with_errno(name, "cannot be read");
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  if (filled > most_file_bytes) fail(name, what_it_holds);
  into.text.resize(filled);
  return true;
}

void sync_directory(const std::filesystem::path& file) {
  const descriptor directory{::open(directory_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!directory.open() || ::fsync(directory.get()) != 0)
    fail_with_errno(name_of(file), "its directory cannot be synchronised");
}

/// A temporary file, removed on destruction.
class temporary_file {
 public:
  explicit temporary_file(const std::filesystem::path& beside)
      : path_(beside.string() + "." + crypto::random_hex(6) + ".new"),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  ~temporary_file() {
    if (fd_.open()) ::unlink(path_.c_str());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  bool write_durably(std::string_view text) const {
    return fd_.open() && ::write(fd_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
           ::fsync(fd_.get()) == 0;
  }
  /// Gives the file its final name. Fails if a file of that name exists.
  bool publish_new(const std::filesystem::path& as) const { return ::link(path_.c_str(), as.c_str()) == 0; }
  /// The same owner as the file that it replaces, if this process may set it.
  void take_owner_of(const std::filesystem::path& other) const {
    struct stat about{};
    if (::stat(other.c_str(), &about) == 0 && ::fchown(fd_.get(), about.st_uid, about.st_gid) != 0) return;
  }
  bool replace(const std::filesystem::path& as) const { return ::rename(path_.c_str(), as.c_str()) == 0; }

 private:
  std::string path_;
  descriptor fd_;
};

void write_new(const std::filesystem::path& file) {
  const wiped_text text{crypto::random_hex(key_bytes) + '\n'};
  {
    const temporary_file fresh{file};
    if (!fresh.write_durably(text.text)) fail_with_errno(name_of(file), "cannot be written");
    // EEXIST: another process has created the key first, and that key is used.
    if (!fresh.publish_new(file) && errno != EEXIST) fail_with_errno(name_of(file), "cannot be created");
  }
  sync_directory(file);
}

/// Changes the text of the file in one step: a reader sees the old or the new one. `change` returns whether it changed
/// anything. The lock is on the directory, because the file itself is replaced.
template <class Change>
void rewrite(const std::filesystem::path& path, Change change) {
  const auto name = name_of(path);
  std::error_code failed;
  const auto file = std::filesystem::weakly_canonical(path, failed);  // a link stays, and its target is replaced
  if (failed) fail(name, "cannot be found");
  const descriptor directory{::open(directory_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!directory.open() || ::flock(directory.get(), LOCK_EX) != 0) fail_with_errno(name, "cannot be locked");
  wiped_text text;
  if (!read_text(file, text)) fail(name, "has disappeared");
  if (!text.text.empty() && !text.text.ends_with('\n')) text.text += '\n';
  wiped_text changed;
  if (!change(std::string_view{text.text}, changed.text)) return;
  {
    const temporary_file fresh{file};
    if (!fresh.write_durably(changed.text)) fail_with_errno(name, "cannot be written");
    fresh.take_owner_of(file);
    if (!fresh.replace(file)) fail_with_errno(name, "cannot be replaced");
  }
  sync_directory(file);
}

}  // namespace

std::string fingerprint(const crypto::master_key& key) {
  return crypto::hex(crypto::sha256(key.derive("gateway/master-key-fingerprint/v1"))).substr(0, 32);
}

std::string id_from_fingerprint(std::string_view fingerprint) {
  return std::string{"k"}.append(fingerprint.substr(0, 12));
}

std::vector<named_master_key> parse_master_keys(std::string_view text, const std::string& from) {
  std::vector<named_master_key> keys;
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (bool more = true; more;) {
    const auto end = text.find('\n');
    auto key = parse_line(text.substr(0, end), from);
    more = end != text.npos;
    if (more) text.remove_prefix(end + 1);
    for (const auto& other : keys)
      if (other.fingerprint == key.fingerprint || other.id == key.id) fail(from, "holds a key or an id twice");
    keys.push_back(std::move(key));
  }
  return keys;
}

// ---- the source ---------------------------------------------------------------------------------

master_key_source master_key_source::file(std::filesystem::path path) {
  master_key_source made{name_of(path)};
  made.path_ = std::move(path);
  return made;
}

master_key_source master_key_source::program(std::string command, std::chrono::milliseconds patience) {
  master_key_source made{"master-key-command"};
  made.command_ = std::move(command);
  made.patience_ = patience;
  return made;
}

std::vector<named_master_key> master_key_source::read() const {
  wiped_text text;
  if (!is_file())
    output_of_program(command_, patience_, most_file_bytes, text.text);
  else if (!read_text(path_, text))
    return {};
  return parse_master_keys(text.text, name_);
}

std::vector<named_master_key> master_key_source::load(bool create) const {
  if (auto keys = read(); !keys.empty()) return keys;
  if (!create)
    fail(name_, "is missing, and the database holds secrets sealed under it: restore the file from its backup");
  write_new(path_);
  auto keys = read();
  if (keys.empty()) fail(name_, "disappeared");
  return keys;
}

named_master_key master_key_source::add() const {
  const wiped_text bytes{crypto::random_bytes(key_bytes)};
  named_master_key made;
  made.key = std::make_shared<const crypto::master_key>(bytes.text);
  made.fingerprint = fingerprint(*made.key);
  made.id = id_from_fingerprint(made.fingerprint);
  add(made.id, bytes.text);
  return made;
}

void master_key_source::add(std::string_view id, std::string_view bytes) const {
  const auto print = fingerprint(crypto::master_key{std::string{bytes}});
  rewrite(path_, [&](std::string_view text, std::string& changed) {
    for (const auto& each : parse_master_keys(text, name_))
      if (each.fingerprint == print) return false;
    changed.reserve(text.size() + id.size() + 2 * bytes.size() + 2);  // so that no copy is left in memory
    const wiped_text hex{crypto::hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()})};
    changed.append(text).append(id).append(1, ' ').append(hex.text).append(1, '\n');
    return true;
  });
}

void master_key_source::remove(std::span<const std::string> fingerprints) const {
  rewrite(path_, [&](std::string_view text, std::string& changed) {
    changed.reserve(text.size());
    for (auto rest = text; !rest.empty();) {
      const auto line = rest.substr(0, rest.find('\n') + 1);
      rest.remove_prefix(line.size());
      const auto key = parse_line(line.substr(0, line.size() - 1), name_);
      if (std::ranges::find(fingerprints, key.fingerprint) == fingerprints.end()) changed.append(line);
    }
    return !changed.empty() && changed.size() != text.size();
  });
}

}  // namespace gateway
