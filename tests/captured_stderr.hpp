// Captures standard error. Before log::start() the calling thread itself writes each line of the log there.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace gateway::testing {

/// Redirects standard error to a file until it is destroyed or read.
class captured_stderr {
 public:
  captured_stderr() : file_(std::tmpfile()), saved_(::dup(STDERR_FILENO)) { ::dup2(::fileno(file_), STDERR_FILENO); }
  ~captured_stderr() {
    restore();
    std::fclose(file_);
  }

  std::vector<std::string> lines() {
    restore();
    std::rewind(file_);
    std::string text;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text += static_cast<char>(c);
    std::vector<std::string> out;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

 private:
  void restore() {
    if (saved_ < 0) return;
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    saved_ = -1;
  }

  std::FILE* file_;
  int saved_;
};

}  // namespace gateway::testing
