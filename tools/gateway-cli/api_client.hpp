// Signed requests to the gateway, repeated under the same Idempotency-Key while their outcome is open.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "access.hpp"
#include "gateway/ports/http_client.hpp"

namespace gateway::cli {

struct api_request {
  http_method method = http_method::get;
  std::string target;  ///< path and query
  std::string body{};
  std::string key{};  ///< Idempotency-Key; empty: none
};

/// For whom a platform's key acts, and where.
struct api_scope {
  std::string merchant{};
  std::string environment{};
};

struct api_answer {
  std::uint16_t status = 0;
  std::string body;
  bool replayed = false;  ///< the stored result of an earlier request with the same key
  std::optional<std::chrono::milliseconds> retry_after{};

  bool ok() const noexcept { return status >= 200 && status < 300; }
};

/// The last try had no answer.
struct no_answer : failure {
  no_answer(http_failure what, const std::string& url);
  http_failure what_failed;
};

/// SIGINT or SIGTERM ended the wait.
struct was_stopped {};

struct repeat_rule {
  unsigned most_repeats = 5;
  std::chrono::milliseconds answer_timeout{30'000};
};

using api_outcome = std::variant<api_answer, http_failure>;

/// How long to wait before the request is sent again with the same key: after a failure of the connection, a time-out,
/// a 5xx that is not a stored result, a 429, or the 409 of a request that is still running. Nothing if it is final.
std::optional<std::chrono::milliseconds> pause_before_repeat(const api_outcome& seen, unsigned repeats,
                                                             const repeat_rule& rule);

/// In words for a user.
std::string describe(const http_failure& what, const std::string& url);

/// The value of X-Service-Signature for a request. The query is not signed.
std::string request_signature(std::string_view secret, std::string_view method, std::string_view target,
                              std::string_view timestamp, std::string_view body);

/// A random UUID, version 4.
std::string new_idempotency_key();

/// Appends `name=value` to a target's query; nothing if the value is empty.
void add_parameter(std::string& target, const char* name, const std::string& value);

class api_client {
 public:
  /// Throws failure if the scope contradicts the key, or the authorities' file cannot be read.
  api_client(gateway_access who, api_scope scope);
  ~api_client();
  api_client(const api_client&) = delete;
  api_client& operator=(const api_client&) = delete;

  /// Throws no_answer, and was_stopped.
  api_answer send(const api_request& what, const repeat_rule& rule = {});
  /// One try. Throws was_stopped.
  api_outcome try_once(const api_request& what, std::chrono::milliseconds answer_timeout);

  const gateway_access& who() const noexcept { return who_; }
  /// Whether its requests are test mode's.
  bool in_test_mode() const noexcept;

 private:
  const gateway_access who_;
  const api_scope scope_;
  std::unique_ptr<http_client> http_;
};

/// Posts to an address of the user's. Throws was_stopped.
http_outcome exchange(http_client& client, http_request request);

/// For https anywhere, and http to this machine.
std::unique_ptr<http_client> make_client(const std::string& ca_file,
                                         std::vector<std::pair<std::string, std::string>> headers);

}  // namespace gateway::cli
