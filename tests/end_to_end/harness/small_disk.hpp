// A small disk, for tests that fill it.
#pragma once

#include <cstddef>
#include <filesystem>

namespace gateway::e2e {

/// A tmpfs on a folder. It is mounted in a private mount namespace of this test program and its children, so the kernel
/// removes it with the last of them, however they end.
class small_disk {
 public:
  /// Whether this program may mount. Call before it starts threads: an unprivileged program first becomes root in a
  /// user namespace of its own.
  static bool possible();

  explicit small_disk(std::size_t bytes);
  ~small_disk();
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Fills the disk to the last byte.
  void fill() const;
  void make_room() const;
  std::size_t free_bytes() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace gateway::e2e
