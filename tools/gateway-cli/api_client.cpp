#include "api_client.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include <boost/json/parse.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/base/retry_after.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/domain/url.hpp"
#include "http/outbound/http_client.hpp"
#include "interruption.hpp"

namespace gateway::cli {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_pause{200}, longest_pause{5'000};
/// A gateway that asks for more than this is not waited for.
constexpr milliseconds longest_wait{60'000};
constexpr std::size_t most_answer_bytes = 64 << 20;
constexpr std::size_t client_connections = 4;

std::string_view name_of(http_method method) noexcept {
  switch (method) {
    case http_method::get: return "GET";
    case http_method::post: return "POST";
    case http_method::delete_: return "DELETE";
  }
  return {};
}

time_point current_time() { return system_wall_clock{}.now(); }

bool is_running_already(const api_answer& answer) {
  if (answer.status != 409) return false;
  boost::system::error_code fault;
  const auto body = boost::json::parse(answer.body, fault);
  const auto* object = fault ? nullptr : body.if_object();
  const auto* error = object ? object->if_contains("error") : nullptr;
  return error && error->is_string() && error->get_string() == "request already processing";
}

bool may_be_repeated(const http_failure& failed) noexcept {
  switch (failed.what) {
    case http_fault::connect_failed:
    case http_fault::connect_timeout:
    case http_fault::send_failed:
    case http_fault::broken:
    case http_fault::answer_timeout: return true;
    case http_fault::bad_request:
    case http_fault::bad_address:
    case http_fault::forbidden_address:
    case http_fault::lookup_failed:
    case http_fault::tls_failed:
    case http_fault::garbage:
    case http_fault::too_large:
    case http_fault::overloaded:
    case http_fault::stopping:
    case http_fault::internal: break;
  }
  return false;
}

bool may_be_repeated(const api_answer& answer) {
  if (answer.status >= 500) return !answer.replayed;
  return answer.status == 429 || is_running_already(answer);
}

std::string_view fault_text(http_fault what) noexcept {
  switch (what) {
    case http_fault::bad_request: return "a header of the request holds a character that cannot be sent";
    case http_fault::bad_address: return "this is no address of https, or of http on this machine";
    case http_fault::forbidden_address: return "http is used on this machine only: the address must be https";
    case http_fault::lookup_failed: return "the host's name is not known";
    case http_fault::connect_failed: return "nothing accepts connections there";
    case http_fault::connect_timeout: return "no connection in time";
    case http_fault::tls_failed:
      return "its certificate is not trusted, or TLS failed (GATEWAY_CA_FILE names authorities)";
    case http_fault::send_failed:
    case http_fault::broken: return "the connection broke before the answer";
    case http_fault::answer_timeout: return "no answer in time";
    case http_fault::garbage: return "the answer is not HTTP";
    case http_fault::too_large: return "the answer is too large";
    case http_fault::overloaded:
    case http_fault::stopping:
    case http_fault::internal: break;
  }
  return "an internal error";
}

/// What the client's thread leaves for the thread that waits.
struct outcome_box {
  std::mutex guard;
  std::optional<http_outcome> outcome;
};

/// A client that acts for itself names its environment by its key.
api_scope checked(const gateway_access& who, api_scope scope) {
  const auto mode = mode_of_key(who.key_id);
  if (mode == key_mode::platform || scope.environment.empty()) return scope;
  const std::string own = mode == key_mode::test ? "test" : "live";
  if (scope.environment != own)
    throw failure("the key " + who.key_id + " is a key of " + own + " mode: --environment " + scope.environment +
                  " is for platforms' keys");
  scope.environment.clear();
  return scope;
}

}  // namespace

no_answer::no_answer(http_failure what, const std::string& url) : failure(describe(what, url)), what_failed(what) {}

std::optional<milliseconds> pause_before_repeat(const api_outcome& seen, unsigned repeats, const repeat_rule& rule) {
  if (repeats >= rule.most_repeats) return std::nullopt;
  if (!std::visit([](const auto& each) { return may_be_repeated(each); }, seen)) return std::nullopt;
  const auto pause = doubled(first_pause, repeats, longest_pause);
  const auto* answer = std::get_if<api_answer>(&seen);
  if (!answer || !answer->retry_after) return pause;
  if (*answer->retry_after > longest_wait) return std::nullopt;
  return std::max(pause, *answer->retry_after);
}

std::string describe(const http_failure& what, const std::string& url) {
  return url + ": " + std::string{fault_text(what.what)};
}

std::string request_signature(std::string_view secret, std::string_view method, std::string_view target,
                              std::string_view timestamp, std::string_view body) {
  std::string canonical{method};
  canonical.append("\n").append(target.substr(0, target.find('?'))).append("\n").append(timestamp).append("\n");
  canonical += crypto::hex(crypto::sha256(body));
  return crypto::hex(crypto::hmac_sha256(secret, canonical));
}

std::string new_idempotency_key() {
  auto digits = crypto::random_hex(16);
  digits[12] = '4';
  digits[16] = "89ab"[static_cast<unsigned char>(digits[16]) % 4];
  for (const std::size_t at : {20, 16, 12, 8}) digits.insert(at, 1, '-');
  return digits;
}

void add_parameter(std::string& target, const char* name, const std::string& value) {
  if (value.empty()) return;
  target.append(1, target.find('?') == target.npos ? '?' : '&')
      .append(name)
      .append(1, '=')
      .append(percent_encoded(value));
}

std::unique_ptr<http_client> make_client(const std::string& ca_file,
                                         std::vector<std::pair<std::string, std::string>> headers) {
  http::http_client_options options;
  options.thread_name = "gateway-cli";
  options.most_connections = client_connections;
  options.destinations = http::destination_rule::any;
  options.headers = std::move(headers);
  options.ca_file = ca_file;
  try {
    return http::make_http_client(std::move(options));
  } catch (const std::runtime_error& fault) {
    throw failure(fault.what());
  }
}

http_outcome exchange(http_client& client, http_request request) {
  const auto box = std::make_shared<outcome_box>();
  // The client ends every request by itself, within this time.
  const auto deadline =
      std::chrono::steady_clock::now() + request.connect_timeout + request.answer_timeout + std::chrono::seconds{5};
  client.send(std::move(request), [box](http_outcome outcome) {
    {
      const std::lock_guard lock{box->guard};
      box->outcome = std::move(outcome);
    }
    wake_waiting();
  });
  const auto is_there = [&box] {
    const std::lock_guard lock{box->guard};
    return box->outcome.has_value();
  };
  if (wait_until(deadline, is_there)) return *std::move(box->outcome);
  if (interrupted()) throw was_stopped{};
  return http_failure{http_fault::answer_timeout, true};
}

api_client::api_client(gateway_access who, api_scope scope)
    : who_(std::move(who)),
      scope_(checked(who_, std::move(scope))),
      http_(make_client(who_.ca_file, {{"User-Agent", "gateway-cli"}})) {}

api_client::~api_client() = default;

bool api_client::in_test_mode() const noexcept {
  const auto mode = mode_of_key(who_.key_id);
  return mode == key_mode::test || (mode == key_mode::platform && scope_.environment == "test");
}

api_outcome api_client::try_once(const api_request& what, milliseconds answer_timeout) {
  auto target = what.target;
  add_parameter(target, "environment", scope_.environment);
  const auto timestamp = format_seconds(current_time());

  http_request request;
  request.method = what.method;
  request.url = who_.url + target;
  request.headers = {
      {"X-Service-Key-Id", who_.key_id},
      {"X-Service-Timestamp", timestamp},
      {"X-Service-Signature", request_signature(who_.secret, name_of(what.method), target, timestamp, what.body)}};
  if (!scope_.merchant.empty()) request.headers.emplace_back("Service-Merchant", scope_.merchant);
  if (!what.key.empty()) request.headers.emplace_back("Idempotency-Key", what.key);
  if (!what.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = what.body;
  request.answer_timeout = answer_timeout;
  request.most_body_bytes = most_answer_bytes;
  request.repeatable = true;  // a read, or a write under its key

  auto outcome = exchange(*http_, std::move(request));
  if (const auto* failed = std::get_if<http_failure>(&outcome)) return *failed;
  auto& answer = std::get<http_answer>(outcome);
  if (answer.cut) return http_failure{http_fault::too_large, true};
  api_answer result{answer.status, std::move(answer.body)};
  result.replayed = answer.headers.find("Idempotent-Replayed").has_value();
  if (const auto asked = answer.headers.find("Retry-After"))
    result.retry_after = read_retry_after(trimmed(*asked), current_time());
  return result;
}

api_answer api_client::send(const api_request& what, const repeat_rule& rule) {
  for (unsigned repeats = 0;; ++repeats) {
    auto seen = try_once(what, rule.answer_timeout);
    const auto pause = pause_before_repeat(seen, repeats, rule);
    if (pause) {
      if (!pause_for(*pause)) throw was_stopped{};
      continue;
    }
    if (const auto* failed = std::get_if<http_failure>(&seen)) throw no_answer(*failed, who_.url);
    return std::get<api_answer>(std::move(seen));
  }
}

}  // namespace gateway::cli
