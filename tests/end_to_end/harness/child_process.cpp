#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "text.hpp"

namespace gateway::e2e {

namespace {

using steady = std::chrono::steady_clock;

class pipe_pair {
 public:
  pipe_pair() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::system_error{errno, std::generic_category(), "pipe2"};
  }
  ~pipe_pair() {
    close_read();
    close_write();
  }
  pipe_pair(const pipe_pair&) = delete;
  pipe_pair& operator=(const pipe_pair&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  int take_read() { return std::exchange(ends_[0], -1); }
  void close_read() { close_end(0); }
  void close_write() { close_end(1); }

 private:
  void close_end(std::size_t which) {
    if (ends_[which] >= 0) ::close(std::exchange(ends_[which], -1));
  }
  std::array<int, 2> ends_{-1, -1};
};

/// argv and envp, made before the fork, because nothing may allocate between fork and exec.
struct program_image {
  std::vector<std::string> words;
  std::vector<std::string> settings;
  std::vector<char*> argv;
  std::vector<char*> envp;

  program_image(const std::vector<std::string>& arguments, const child_options& options) : words{arguments} {
    for (char** entry = environ; *entry; ++entry) {
      const std::string_view setting{*entry};
      bool replaced = false;
      for (const auto& [name, value] : options.environment) replaced |= setting.starts_with(name + '=');
      if (!replaced) settings.emplace_back(setting);
    }
    for (const auto& [name, value] : options.environment) settings.push_back(name + '=' + value);
    for (auto& word : words) argv.push_back(word.data());
    for (auto& setting : settings) envp.push_back(setting.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
  }
};

struct standard_streams {
  int input = -1;
  int output = -1;
  int error = -1;
};

/// A negative descriptor leaves the stream unchanged, except that input becomes /dev/null.
pid_t start(program_image& image, const standard_streams& streams, const std::string& directory) {
  const int null_input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int input = streams.input >= 0 ? streams.input : null_input;
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error{errno, std::generic_category(), "fork"};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(input, STDIN_FILENO);
    if (streams.output >= 0) ::dup2(streams.output, STDOUT_FILENO);
    if (streams.error >= 0) ::dup2(streams.error, STDERR_FILENO);
    // Asio's sockets are inherited by default; a port that a test closes would stay open in its children.
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    if (!directory.empty() && ::chdir(directory.c_str()) != 0) ::_exit(127);
    ::execvpe(image.argv[0], image.argv.data(), image.envp.data());
    ::_exit(127);
  }
  ::close(null_input);
  return child;
}

std::optional<exit_result> reap(pid_t child, bool block) {
  int status = 0;
  pid_t reaped;
  do reaped = ::waitpid(child, &status, block ? 0 : WNOHANG);
  while (reaped < 0 && errno == EINTR);
  if (reaped == 0) return std::nullopt;
  if (reaped < 0) return exit_result{};
  if (WIFSIGNALED(status)) return exit_result{-1, WTERMSIG(status)};
  return exit_result{WEXITSTATUS(status), 0};
}

int milliseconds_left(steady::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

/// Appends the available bytes. False at the end of the stream.
bool drain(int descriptor, std::string& into) {
  std::array<char, 65536> block;
  const auto count = ::read(descriptor, block.data(), block.size());
  if (count > 0) into.append(block.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace

child_process::child_process(const std::vector<std::string>& arguments, const child_options& options) {
  program_image image{arguments, options};
  pipe_pair output;
  standard_streams streams;
  streams.output = output.write_end();
  if (!options.error_log.empty()) {
    streams.error = ::open(options.error_log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (streams.error < 0) throw std::system_error{errno, std::generic_category(), options.error_log.string()};
  }
  pid_ = start(image, streams, options.directory.string());
  if (streams.error >= 0) ::close(streams.error);
  output_ = output.take_read();
}

child_process::~child_process() { end_now(); }

child_process::child_process(child_process&& other) noexcept
    : pid_{std::exchange(other.pid_, -1)},
      output_{std::exchange(other.output_, -1)},
      unread_{std::move(other.unread_)},
      ended_{std::exchange(other.ended_, std::nullopt)} {}

child_process& child_process::operator=(child_process&& other) noexcept {
  if (this != &other) {
    end_now();
    pid_ = std::exchange(other.pid_, -1);
    output_ = std::exchange(other.output_, -1);
    unread_ = std::move(other.unread_);
    ended_ = std::exchange(other.ended_, std::nullopt);
  }
  return *this;
}

void child_process::end_now() noexcept {
  if (pid_ > 0 && !ended_) {
    ::kill(pid_, SIGKILL);
    ended_ = reap(pid_, true);
  }
  if (output_ >= 0) ::close(std::exchange(output_, -1));
  pid_ = -1;
}

bool child_process::running() {
  if (pid_ <= 0) return false;
  if (!ended_) ended_ = reap(pid_, false);
  return !ended_;
}

std::optional<std::string> child_process::read_line(std::chrono::milliseconds within) {
  const auto deadline = steady::now() + within;
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      auto line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd waiting{output_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, milliseconds_left(deadline));
    if (ready == 0 || (ready > 0 && !drain(output_, unread_))) return std::nullopt;
  }
}

void child_process::send_signal(int number) {
  if (running()) ::kill(pid_, number);
}

std::optional<exit_result> child_process::wait(std::chrono::milliseconds within) {
  eventually([&] { return !running(); }, within);
  return ended_;
}

command_output run_command(const std::vector<std::string>& arguments, std::string_view input,
                           const child_options& options, std::chrono::seconds within) {
  // A program may end without reading its input.
  [[maybe_unused]] static const auto was = ::signal(SIGPIPE, SIG_IGN);
  program_image image{arguments, options};
  pipe_pair in, out, err;
  const pid_t child = start(image, {in.read_end(), out.write_end(), err.write_end()}, options.directory.string());
  in.close_read();
  out.close_write();
  err.close_write();
  // The tests' input fits into a pipe, so writing it first cannot block.
  if (!input.empty() && ::write(in.write_end(), input.data(), input.size()) < 0 && errno != EPIPE)
    throw std::system_error{errno, std::generic_category(), "write to " + arguments.front()};
  in.close_write();

  command_output result;
  const auto deadline = steady::now() + within;
  bool out_open = true, err_open = true;
  while (out_open || err_open) {
    std::array<pollfd, 2> waiting{
        {{out_open ? out.read_end() : -1, POLLIN, 0}, {err_open ? err.read_end() : -1, POLLIN, 0}}};
    const int ready = ::poll(waiting.data(), waiting.size(), milliseconds_left(deadline));
    if (ready == 0) break;
    if (waiting[0].revents) out_open = drain(out.read_end(), result.out);
    if (waiting[1].revents) err_open = drain(err.read_end(), result.err);
  }
  if (out_open || err_open) {
    ::kill(child, SIGKILL);
    result.err += "\n(did not end in time)";
  }
  result.code = reap(child, true)->code;
  return result;
}

}  // namespace gateway::e2e
