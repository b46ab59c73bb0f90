#include "small_disk.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error{errno, std::generic_category(), what}; }

/// Maps the process's outside identity to root inside, in the order that the kernel requires.
bool become_root_inside(uid_t user, gid_t group) {
  try {
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
    write_file("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool enter_own_mounts() {
  const auto user = ::getuid();
  const auto group = ::getgid();
  if (::unshare(CLONE_NEWNS) != 0 && (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !become_root_inside(user, group)))
    return false;
  // Mounts made here do not propagate to other namespaces.
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

bool small_disk::possible() {
  static const bool entered = enter_own_mounts();
  if (!entered) return false;
  // Root in a namespace is not always enough: some machines forbid the mount itself.
  static const bool mounts = [] {
    const auto trial = new_folder("trial");
    const bool done = ::mount("tmpfs", trial.c_str(), "tmpfs", 0, "size=64k") == 0;
    if (done) ::umount2(trial.c_str(), MNT_DETACH);
    std::filesystem::remove(trial);
    return done;
  }();
  return mounts;
}

small_disk::small_disk(std::size_t bytes) : folder_{new_folder("disk")} {
  const auto options = "mode=0700,size=" + std::to_string(bytes);
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
    fail("mount " + folder_.string());
}

small_disk::~small_disk() {
  ::umount2(folder_.c_str(), MNT_DETACH);
  std::error_code ignored;
  std::filesystem::remove(folder_, ignored);
}

void small_disk::fill() const {
  const auto filler = folder_ / "filler";
  const int file = ::open(filler.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) fail(filler.string());
  static constexpr std::array<char, 1 << 16> block{};
  // Ever smaller pieces, to fill the last page, too.
  for (std::size_t size = block.size(); size > 0; size /= 2)
    while (::write(file, block.data(), size) > 0) {}
  ::close(file);
}

void small_disk::make_room() const { std::filesystem::remove(folder_ / "filler"); }

std::size_t small_disk::free_bytes() const { return std::filesystem::space(folder_).free; }

}  // namespace gateway::e2e
