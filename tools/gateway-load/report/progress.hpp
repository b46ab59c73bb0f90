// The progress of a run: on a terminal one line that is redrawn each second.
#pragma once

#include <mutex>
#include <string>

#include "engine/engine.hpp"

namespace gateway::load {

enum class progress_style {
  none,
  redrawn,  ///< one line, each second
  lines,    ///< a line each 5 seconds
};

/// Redrawn if standard error is a terminal; else lines, if `wanted`.
progress_style progress_style_of(bool wanted);

/// Concurrency: one thread at a time.
class status_line {
 public:
  explicit status_line(progress_style how) : how_(how) {}
  ~status_line();  ///< clears the redrawn line
  status_line(const status_line&) = delete;
  status_line& operator=(const status_line&) = delete;

  /// The interval between lines; nothing is shown before the first one ends.
  unsigned seconds() const noexcept { return how_ == progress_style::lines ? 5 : 1; }
  bool is_shown() const noexcept { return how_ != progress_style::none; }
  void show(const std::string& line);

 private:
  const progress_style how_;
  bool drawn_ = false;
};

/// Concurrency: any thread.
class progress {
 public:
  progress(progress_style how, unsigned threads) : shown_(how), threads_(threads) {}

  void operator()(const load_moment& moment);

 private:
  status_line shown_;
  const unsigned threads_;
  std::mutex mutex_;
  load_moment sum_;        ///< of the threads that have reported this second
  unsigned reported_ = 0;
  unsigned seconds_ = 0;   ///< how many seconds the sum covers
};

/// The text for a sum over this many seconds, without a newline.
std::string progress_line(const load_moment& moment, unsigned seconds);

}  // namespace gateway::load
