// An append-only file, one write(2) a line: what has been written is in the kernel's hands and survives the
// kill of this process (not a power failure: it is a test instrument, not the gateway's record).

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <unordered_set>

#include "sandbox.hpp"

namespace gateway::actors {

struct sandbox_ledger::contents {
  std::mutex access;
  int file = -1;
  std::unordered_set<std::string> executed;
};

sandbox_ledger::sandbox_ledger(const std::string& path) : contents_(std::make_unique<contents>()) {
  constexpr std::string_view head = R"({"provider_key":")";
  std::ifstream past{path};
  for (std::string line; std::getline(past, line);)
    if (line.starts_with(head)) contents_->executed.insert(line.substr(head.size(), line.find('"', head.size()) - head.size()));
  contents_->file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (contents_->file < 0) throw std::runtime_error{"cannot open the sandbox ledger " + path + ": " + std::strerror(errno)};
}

sandbox_ledger::~sandbox_ledger() {
  if (contents_->file >= 0) ::close(contents_->file);
}

void sandbox_ledger::record(const provider_call& call) {
  const std::lock_guard hold{contents_->access};
  if (!contents_->executed.insert(call.provider_key).second) return;
  const auto& key = call.subject.key;
  // None of these values needs escaping: ids and names of the gateway's own making or checked form.
  std::string line = R"({"provider_key":")" + call.provider_key + R"(","operation":")" + std::string{to_string(call.what)} +
                     R"(","payment_id":")" + key.id.value + R"(","merchant":")" + key.merchant.value + R"(","environment":")" +
                     std::string{to_string(key.env)} + R"(","amount":)" + std::to_string(call.amount) + R"(,"status":"approved"})" + "\n";
  if (::write(contents_->file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error{std::string{"cannot write the sandbox ledger: "} + std::strerror(errno)};
}

}  // namespace gateway::actors
