#include "gateway/base/key_program.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway/base/master_key_file.hpp"

extern char** environ;

namespace gateway {

namespace {

[[noreturn]] void program_failed(std::string_view why) {
  throw master_key_error("master-key-command: " + std::string{why});
}

class pipe_ends {
 public:
  pipe_ends() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) program_failed(std::string{"no pipe: "} + std::strerror(errno));
  }
  ~pipe_ends() {
    close_writing();
    ::close(ends_[0]);
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;

  int reading() const noexcept { return ends_[0]; }
  int writing() const noexcept { return ends_[1]; }
  void close_writing() noexcept {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

/// How the program is started: no input, the pipe as output, no other files of the gateway, default signals, and its
/// own process group, so that its child processes end with it.
class spawn_options {
 public:
  explicit spawn_options(int output) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~spawn_options() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  spawn_options(const spawn_options&) = delete;
  spawn_options& operator=(const spawn_options&) = delete;

  const posix_spawn_file_actions_t* files() const noexcept { return &files_; }
  const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

bool is_program(const std::string& path) {
  struct stat about{};
  return path.find('/') != path.npos && ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

pid_t start(const std::string& command, const spawn_options& options) {
  std::string path = is_program(command) ? command : "/bin/sh", shell = "sh", flag = "-c", line = command;
  char* alone[] = {path.data(), nullptr};
  char* by_shell[] = {shell.data(), flag.data(), line.data(), nullptr};
  pid_t process = 0;
  const int failed = ::posix_spawn(&process, path.c_str(), options.files(), options.attributes(),
                                   path == command ? alone : by_shell, environ);
  if (failed != 0) program_failed(std::string{"cannot be started: "} + std::strerror(failed));
  return process;
}

/// Ends the program's process group on destruction, if it has not ended.
class running_program {
 public:
  running_program(const std::string& command, const spawn_options& options) : process_{start(command, options)} {}
  ~running_program() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    wait(0);
  }
  running_program(const running_program&) = delete;
  running_program& operator=(const running_program&) = delete;

  /// Whether it ended, then with `status`.
  bool has_ended(int& status) { return wait(WNOHANG, &status); }

 private:
  bool wait(int flags, int* status = nullptr) {
    pid_t got = 0;
    do got = ::waitpid(process_, status, flags);
    while (got < 0 && errno == EINTR);
    if (got != process_) return false;
    process_ = 0;
    return true;
  }

  pid_t process_;
};

class deadline {
 public:
  explicit deadline(std::chrono::milliseconds in) : at_{std::chrono::steady_clock::now() + in} {}
  int left_ms() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) program_failed("did not end in time");
    return static_cast<int>(left.count());
  }

 private:
  std::chrono::steady_clock::time_point at_;
};

void read_all(int from, const deadline& until, std::size_t most, std::string& into) {
  into.assign(most + 1, '\0');
  std::size_t filled = 0;
  while (filled < into.size()) {
    pollfd readable{from, POLLIN, 0};
    const int ready = ::poll(&readable, 1, until.left_ms());
    if (ready <= 0) continue;  // interrupted, or the time has passed
    const auto count = ::read(from, into.data() + filled, into.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) program_failed(std::string{"its output cannot be read: "} + std::strerror(errno));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  if (filled > most) program_failed("prints more than keys");
  into.resize(filled);
}

}  // namespace

void output_of_program(const std::string& command, std::chrono::milliseconds patience, std::size_t most,
                       std::string& into) {
  pipe_ends output;
  const spawn_options options{output.writing()};
  const deadline until{patience};
  running_program program{command, options};
  output.close_writing();
  read_all(output.reading(), until, most, into);
  int status = 0;
  while (!program.has_ended(status)) ::poll(nullptr, 0, std::min(5, until.left_ms()));
  if (!WIFEXITED(status)) program_failed("was ended by a signal");
  if (WEXITSTATUS(status) != 0) program_failed("ended with status " + std::to_string(WEXITSTATUS(status)));
}

}  // namespace gateway
