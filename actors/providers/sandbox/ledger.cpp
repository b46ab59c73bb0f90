// An append-only file, one write(2) per line: a written line survives a kill of this process, but not a power failure,
// because it is a tool for tests and not the gateway's record.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "gateway/base/log.hpp"
#include "gateway/domain/ledger.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "sandbox.hpp"

namespace gateway::actors {

namespace {

/// Start of the part between the effect and the status.
constexpr std::string_view ledger_details = R"(,"currency":")";
constexpr std::string_view head = R"({"provider_key":")", approval = R"(,"status":"approved"})",
                           conflict = R"(,"status":"conflict"})";

/// The part between the key and the status. The values need no escaping: they are ids and names that the gateway made
/// or checked.
std::string effect_of(std::string_view operation, const entity_key& key, std::string_view payment,
                      std::int64_t amount) {
  std::string text = R"(","operation":")";
  text.append(operation).append(R"(","payment_id":")").append(payment);
  text.append(R"(","merchant":")").append(key.merchant.value);
  text.append(R"(","environment":")").append(to_string(key.env));
  return text.append(R"(","amount":)").append(std::to_string(amount));
}

/// The further fields that the settlement report needs. A charge that is captured by a separate call has moved nothing
/// yet.
std::string details_of(const provider_call& call, std::string_view reference) {
  std::string_view moved;
  if (call.what == operation::capture ||
      (call.what == operation::create && !machine::captures_separately(call.subject)))
    moved = to_string(ledger_kind::captured);
  else if (call.what == operation::refund)
    moved = to_string(ledger_kind::refunded);
  std::string text{ledger_details};
  text.append(call.subject.amount.unit.code()).append(R"(","moved":")").append(moved);
  text.append(R"(","reference":")").append(reference);
  return text.append(R"(","begun_at":")").append(format_millis(call.begun_at)).append("\"");
}

}  // namespace

struct sandbox_ledger::contents {
  std::mutex access;
  int file = -1;
  off_t size = 0;
  std::unordered_map<std::string, std::string> effects;  ///< by provider key

  bool record(const std::string& provider_key, std::string effect, std::string_view more = {}) {
    const std::lock_guard hold{access};
    const auto line_with = [&](std::string_view fields, std::string_view status) {
      return std::string{head}.append(provider_key).append(effect).append(fields).append(status).append("\n");
    };
    const auto known = effects.find(provider_key);
    if (known != effects.end()) {
      if (known->second == effect) return true;
      append(line_with({}, conflict));
      return false;
    }
    if (!append(line_with(more, approval))) return false;
    effects.emplace(provider_key, std::move(effect));
    return true;
  }

  void read(const std::string& path) {
    std::ifstream past{path};
    for (std::string line; std::getline(past, line) && !past.eof(); size += static_cast<off_t>(line.size()) + 1)
      if (line.starts_with(head) && line.ends_with(approval)) {
        const auto key = line.substr(head.size(), line.find('"', head.size()) - head.size());
        auto effect = line.substr(head.size() + key.size(), line.size() - head.size() - key.size() - approval.size());
        effect.resize(std::min(effect.find(ledger_details), effect.size()));
        effects.emplace(key, std::move(effect));
      }
  }

  bool append(const std::string& line) {
    if (::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size())) {
      size += static_cast<off_t>(line.size());
      return true;
    }
    log::error("sandbox_ledger_unwritable", {{"why", std::strerror(errno)}});
    cut();
    return false;
  }

  /// Removes the part of a line that was written before space ran out.
  void cut() const {
    if (::ftruncate(file, size) != 0) log::error("sandbox_ledger_uncut", {{"why", std::strerror(errno)}});
  }
};

sandbox_ledger::sandbox_ledger(const std::string& path) : contents_(std::make_unique<contents>()) {
  contents_->read(path);
  contents_->file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (contents_->file < 0)
    throw std::runtime_error{"cannot open the sandbox ledger " + path + ": " + std::strerror(errno)};
  contents_->cut();
}

sandbox_ledger::~sandbox_ledger() {
  if (contents_->file >= 0) ::close(contents_->file);
}

bool sandbox_ledger::record(const provider_call& call, std::string_view reference) {
  const auto& key = call.subject.key;
  return contents_->record(call.provider_key, effect_of(to_string(call.what), key, key.id, call.amount),
                           details_of(call, reference));
}

bool sandbox_ledger::record_customer(const provider_call& call) {
  return contents_->record(call.customer_key, effect_of("customer", call.subject.key, {}, 0));
}

}  // namespace gateway::actors
