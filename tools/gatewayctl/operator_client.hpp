// One request over the operator socket.
#pragma once

#include <filesystem>
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

/// POSTs JSON to the gateway that runs on `data_dir`. Waits half a minute at most.
operator_answer post(const std::filesystem::path& data_dir, const std::string& path, const std::string& body);

}  // namespace gateway::ctl
