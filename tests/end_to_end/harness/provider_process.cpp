#include "provider_process.hpp"

#include <csignal>
#include <stdexcept>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

provider_process::provider_process(std::vector<std::string> arguments)
    : arguments_{std::move(arguments)}, folder_{new_folder("provider")} {
  start();
}

provider_process::~provider_process() {
  kill();
  std::error_code ignored;
  if (!keeps_data()) std::filesystem::remove_all(folder_, ignored);
}

void provider_process::start() {
  std::vector<std::string> words{program("sandbox-provider").string(), "--listen=" + socket().string(),
                                 "--ledger=" + ledger().string()};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  process_ = child_process{words, {folder_ / "log", {}, {}}};
  if (!process_.read_line())
    throw std::runtime_error("sandbox-provider does not listen: " + read_file(folder_ / "log"));
}

void provider_process::kill() {
  process_.send_signal(SIGKILL);
  if (process_.pid() > 0) process_.wait();
}

}  // namespace gateway::e2e
