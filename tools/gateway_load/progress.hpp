// What a running load shows: on a terminal one line that is redrawn each second.
// Concurrency: any thread.
#pragma once

#include <mutex>
#include <string>

#include "engine.hpp"

namespace gateway::load {

class progress {
 public:
  enum class style {
    none,
    redrawn,  ///< one line, each second
    lines,    ///< a line each 5 seconds
  };

  progress(style how, unsigned threads) : how_(how), threads_(threads) {}
  ~progress() { clear(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void operator()(const load_moment& moment);
  /// Takes the redrawn line away.
  void clear();

 private:
  void show(const std::string& line);

  const style how_;
  const unsigned threads_;
  std::mutex mutex_;
  load_moment sum_;        ///< of the threads that have told of this second
  unsigned told_ = 0;
  unsigned seconds_ = 0;   ///< in the sum: of a line each 5 seconds
  bool drawn_ = false;
};

/// The line for a moment that sums up so many seconds, without its end.
std::string progress_line(const load_moment& moment, unsigned seconds);

/// Redrawn if standard error is a terminal; else lines, if `wanted`.
progress::style progress_style(bool wanted);

}  // namespace gateway::load
