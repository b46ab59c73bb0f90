#include "gateway/base/master_key_file.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gateway {

namespace {

constexpr std::size_t key_bytes = 32;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw master_key_error("master key " + file.string() + ": " + why);
}
[[noreturn]] void fail_with_errno(const std::filesystem::path& file, const char* what) {
  fail(file, std::string{what} + ": " + std::strerror(errno));
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

std::unique_ptr<crypto::master_key> decode(const std::filesystem::path& file, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.size() != key_bytes * 2) fail(file, "must hold 64 hexadecimal digits and nothing else");
  auto bytes = crypto::from_hex(text);
  if (!bytes) fail(file, "must hold 64 hexadecimal digits and nothing else");
  return std::make_unique<crypto::master_key>(*std::move(bytes));
}

/// Nothing if there is no such file.
std::unique_ptr<crypto::master_key> read(const std::filesystem::path& file) {
  const descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!in.open()) {
    if (errno == ENOENT) return nullptr;
    fail_with_errno(file, "cannot be opened");
  }
  struct stat about{};
  if (::fstat(in.get(), &about) != 0) fail_with_errno(file, "cannot be examined");
  if (!S_ISREG(about.st_mode)) fail(file, "is not a regular file");
  if ((about.st_mode & 077) != 0) fail(file, "others may read it: chmod 600 it, and think about who has");
  wiped_text read_text{std::string(key_bytes * 2 + 2, '\0')};
  const auto count = ::read(in.get(), read_text.text.data(), read_text.text.size());
  if (count < 0) fail_with_errno(file, "cannot be read");
  return decode(file, std::string_view{read_text.text}.substr(0, static_cast<std::size_t>(count)));
}

void sync_directory(const std::filesystem::path& file) {
  const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
  const descriptor directory{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!directory.open() || ::fsync(directory.get()) != 0) fail_with_errno(file, "its directory cannot be synchronised");
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
  /// Gives the file its final name. Fails if a file of that name exists: a key is never overwritten.
  bool publish(const std::filesystem::path& as) const { return ::link(path_.c_str(), as.c_str()) == 0; }

 private:
  std::string path_;
  descriptor fd_;
};

void write_new(const std::filesystem::path& file) {
  const wiped_text text{crypto::random_hex(key_bytes) + '\n'};
  {
    const temporary_file fresh{file};
    if (!fresh.write_durably(text.text)) fail_with_errno(file, "cannot be written");
    // EEXIST: another process has created the key first, and that key is used.
    if (!fresh.publish(file) && errno != EEXIST) fail_with_errno(file, "cannot be created");
  }
  sync_directory(file);
}

}  // namespace

std::unique_ptr<crypto::master_key> load_master_key(const std::filesystem::path& file, bool create) {
  if (auto key = read(file)) return key;
  if (!create)
    fail(file, "is missing, and the database holds secrets sealed under it: restore the file from its backup");
  write_new(file);
  auto key = read(file);
  if (!key) fail(file, "disappeared");
  return key;
}

std::string fingerprint(const crypto::master_key& key) {
  return crypto::hex(crypto::sha256(key.derive("gateway/master-key-fingerprint/v1"))).substr(0, 32);
}

}  // namespace gateway
