// Requests over the operator socket.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace gateway::ctl {

struct operator_answer {
  unsigned status = 0;
  std::string body;
};

/// Thrown if there is no answer. Its one line for the operator says why.
struct no_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A connection to the gateway that runs on `data_dir`, kept open for many requests, one at a time. Throws no_answer.
class operator_connection {
 public:
  explicit operator_connection(const std::filesystem::path& data_dir);
  ~operator_connection();
  operator_connection(const operator_connection&) = delete;
  operator_connection& operator=(const operator_connection&) = delete;

  /// Posts JSON and waits half a minute at most. After an exception the connection must not be used again.
  operator_answer post(const std::string& path, const std::string& body);

 private:
  class conversation;
  std::unique_ptr<conversation> conversation_;
};

/// Posts JSON to the gateway that runs on `data_dir`, on a new connection. Waits half a minute at most.
operator_answer post(const std::filesystem::path& data_dir, const std::string& path, const std::string& body);

}  // namespace gateway::ctl
