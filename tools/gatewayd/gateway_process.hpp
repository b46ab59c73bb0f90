// The composition root: the one place that depends on all folders, creates the parts, and connects them.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "gateway/settings.hpp"

/// An unusable setting, found by a check that needs more than its own text.
struct bad_setting : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A gateway, started and ended once. Construction does all that can fail for reasons outside the program (files,
/// ports, database, keys) and throws std::runtime_error with one line for the operator; bad_setting before the database
/// is opened.
class gateway_process {
 public:
  /// Call before any thread is started, with the signals that main waits for blocked.
  explicit gateway_process(gateway::settings config);
  ~gateway_process();
  gateway_process(const gateway_process&) = delete;
  gateway_process& operator=(const gateway_process&) = delete;

  void start();
  const std::string& listening_on() const;  ///< https://ADDR:PORT
  const std::string& operator_listening_on() const;  ///< http://ADDR:PORT, or empty

  void reload_certificate();
  /// Refuses new connections, lets requests in flight finish, then stops the actors in order. Takes at most 20 s after
  /// settings.drain_timeout: if an actor is still stuck then, the process ends with status 1.
  void drain();
  /// Why an essential part has ended; empty while none has.
  std::string failure() const;

 private:
  class parts;
  std::unique_ptr<parts> parts_;
};
