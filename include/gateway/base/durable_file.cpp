#include "gateway/base/durable_file.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "gateway/base/crypto.hpp"

namespace gateway {

namespace {

[[noreturn]] void file_failed(const char* what, const std::filesystem::path& file, int why) {
  throw std::runtime_error{std::string{"cannot "} + what + ' ' + file.string() + ": " + std::strerror(why)};
}

class open_file {
 public:
  open_file(const std::filesystem::path& file, int flags, const char* what)
      : fd_(::open(file.c_str(), flags | O_CLOEXEC, 0600)) {
    if (fd_ < 0) file_failed(what, file, errno);
  }
  ~open_file() { ::close(fd_); }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, std::string_view bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      file_failed("write", file, errno);
  }
}

/// Returns 0 at the file's end.
std::size_t read_some(int fd, char* into, std::size_t most, const std::filesystem::path& file) {
  for (;;) {
    const auto count = ::read(fd, into, most);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) file_failed("read", file, errno);
  }
}

}  // namespace

void write_durably(const std::filesystem::path& file, std::string_view contents) {
  auto next = file;
  next += ".new";
  {
    const open_file opened{next, O_WRONLY | O_CREAT | O_TRUNC, "write"};
    write_all(opened.get(), contents, next);
    if (::fsync(opened.get()) != 0) file_failed("write", next, errno);
  }
  if (::rename(next.c_str(), file.c_str()) != 0) file_failed("replace", file, errno);
  sync_to_disk(file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."});
}

void make_private_file(const std::filesystem::path& file) {
  const open_file made{file, O_WRONLY | O_CREAT | O_EXCL, "make"};
}

void sync_to_disk(const std::filesystem::path& file) {
  const open_file opened{file, O_RDONLY, "open"};
  if (::fsync(opened.get()) != 0) file_failed("flush", file, errno);
}

std::string read_small_file(const std::filesystem::path& file, std::size_t most_bytes) {
  const open_file opened{file, O_RDONLY, "read"};
  std::string contents(most_bytes + 1, '\0');
  std::size_t size = 0;
  while (const auto count = read_some(opened.get(), contents.data() + size, contents.size() - size, file))
    size += count;
  if (size > most_bytes) throw std::runtime_error{file.string() + " is too long"};
  contents.resize(size);
  return contents;
}

std::string sha256_of_file(const std::filesystem::path& file) {
  const open_file opened{file, O_RDONLY, "read"};
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  crypto::digest sum;
  bool is_good = hash && EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> part(256 * 1024);
  while (const auto count = read_some(opened.get(), part.data(), part.size(), file))
    is_good = is_good && EVP_DigestUpdate(hash.get(), part.data(), count) == 1;
  if (!is_good || EVP_DigestFinal_ex(hash.get(), sum.data(), nullptr) != 1)
    throw std::runtime_error{"cannot compute SHA-256"};
  return crypto::hex(sum);
}

}  // namespace gateway
