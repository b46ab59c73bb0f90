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

/// No answer, and why, in one line for the operator.
struct no_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A connection to the gateway that runs on `data_dir`, kept open for one request after the other. Throws no_answer.
class operator_connection {
 public:
  explicit operator_connection(const std::filesystem::path& data_dir);
  ~operator_connection();
  operator_connection(const operator_connection&) = delete;
  operator_connection& operator=(const operator_connection&) = delete;

  /// JSON. Waits half a minute at most; after a throw there is no further request.
  operator_answer post(const std::string& path, const std::string& body);

 private:
  class conversation;
  std::unique_ptr<conversation> with_gateway_;
};

/// One request on a connection of its own: POSTs JSON to the gateway that runs on `data_dir`. Waits half a minute at
/// most.
operator_answer post(const std::filesystem::path& data_dir, const std::string& path, const std::string& body);

}  // namespace gateway::ctl
