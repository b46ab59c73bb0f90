// A request of a scenario, and its answer.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::load {

using clock = std::chrono::steady_clock;

/// Statistics are kept by operation.
enum class operation : unsigned char {
  create,
  hosted,
  charge,
  capture,
  refund,
  void_payment,
  read,
  timeline,
  by_ref,
  checkout,  ///< of a subscription
  page,      ///< a browser's, as the one below
  pay,
  move,      ///< an operator's: moves a subscription to its next cycle
  cancel,
  status,
};
inline constexpr std::array operation_names{"create", "hosted", "charge",   "capture", "refund",
                                            "void",   "read",   "timeline", "by_ref",  "checkout",
                                            "page",   "pay",    "move",     "cancel",  "status"};
inline constexpr std::size_t operations = operation_names.size();
constexpr std::string_view to_string(operation of) noexcept { return operation_names[static_cast<std::size_t>(of)]; }

struct request {
  operation kind = operation::create;
  std::string path;             ///< with a leading slash
  std::string body;             ///< JSON; empty: a GET
  std::string idempotency_key;  ///< a UUID; empty for a GET
  /// For the scenario's own use: the subject of the request, and which of the subject's requests this is. The engine
  /// passes both back with the answer.
  std::uint64_t subject = 0;
  std::uint32_t step = 0;
  std::uint32_t caller = 0;  ///< number of the key in the key ring that signs it

  std::string_view method() const noexcept {
    if (kind == operation::cancel) return "DELETE";
    return body.empty() ? "GET" : "POST";
  }
};

/// Why there is no answer.
enum class loss : unsigned char { none, connect_failed, connection_broken, timed_out, bad_answer };
inline constexpr std::array loss_names{"", "connect_failed", "connection_broken", "timed_out", "bad_answer"};
constexpr std::string_view to_string(loss of) noexcept { return loss_names[static_cast<std::size_t>(of)]; }

/// Valid during the call that passes it.
struct answer {
  int status = 0;  ///< 0: there is none, and `lost` says why
  loss lost = loss::none;
  std::string_view body;
  std::string_view request_id;  ///< Request-Id
  bool replayed = false;  ///< Idempotent-Replayed: true
  bool has_retry_after = false;
};

}  // namespace gateway::load
