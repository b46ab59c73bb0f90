// Starts programs as children, reads their output, signals them and waits for them. A child never outlives the test
// that started it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text.hpp"

namespace gateway::e2e {

struct exit_result {
  int code = -1;   ///< exit code; -1 if a signal ended it
  int signal = 0;  ///< the signal that ended it, or 0

  bool operator==(const exit_result&) const = default;
};

struct child_options {
  std::filesystem::path error_log{};  ///< standard error is appended to this file; empty: the child inherits standard
                                      ///< error
  std::vector<std::pair<std::string, std::string>> environment{};  ///< added to this program's environment
  std::filesystem::path directory{};  ///< working directory; empty: this program's
};

class child_process {
 public:
  child_process() = default;
  /// The first argument is the program. It is searched for in PATH unless it contains a slash.
  child_process(const std::vector<std::string>& arguments, const child_options& options = {});
  ~child_process();
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&& other) noexcept;

  pid_t pid() const noexcept { return pid_; }
  bool running();
  /// A line of standard output; nothing at the end of the time or of the output.
  std::optional<std::string> read_line(std::chrono::milliseconds within = hang_timeout);
  void send_signal(int number);
  /// Nothing if the program is still running after that time.
  std::optional<exit_result> wait(std::chrono::milliseconds within = hang_timeout);

 private:
  void end_now() noexcept;

  pid_t pid_ = -1;
  int output_ = -1;
  std::string unread_;
  std::optional<exit_result> ended_;
};

struct command_output {
  int code = -1;  ///< -1: ended by a signal or out of time
  std::string out;
  std::string err;
};

/// Runs a program to its end.
command_output run_command(const std::vector<std::string>& arguments, std::string_view input = {},
                           const child_options& options = {}, std::chrono::seconds within = hang_timeout);

}  // namespace gateway::e2e
