#include "webhook_client.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "http_client.hpp"
#include "webhook_attempt.hpp"

namespace gateway::http {

using clock = std::chrono::steady_clock;

namespace {

http_client_options client_options(const settings& config, outbound_options&& options) {
  http_client_options out;
  out.thread_name = "webhooks";
  out.most_connections = config.webhook_workers;
  out.idle_kept = options.idle_kept;
  out.destinations = config.dev ? destination_rule::public_and_loopback : destination_rule::public_only;
  out.headers = {{"User-Agent", "Service-Webhooks/1"}, {"Content-Type", "application/json"}};
  out.ca_file = config.webhook_ca_file;
  out.resolve = std::move(options.resolve);
  return out;
}

class http_webhook_client final : public webhook_client {
 public:
  http_webhook_client(const settings& config, outbound_options options)
      : connect_timeout_(config.webhook_connect_timeout),
        answer_timeout_(config.webhook_answer_timeout),
        client_(make_http_client(client_options(config, std::move(options)))) {}

  void post(outgoing_post outgoing, std::function<void(delivery_attempt)> done) override {
    http_request request;
    request.method = http_method::post;
    request.url = std::move(outgoing.url);
    request.tenant = std::move(outgoing.owner);
    request.headers = std::move(outgoing.headers);
    request.body = std::move(outgoing.body);
    request.connect_timeout = connect_timeout_;
    request.answer_timeout = answer_timeout_;
    request.most_body_bytes = most_excerpted_bytes;
    request.repeatable = true;  // receivers recognise repeats by the delivery's number
    client_->send(std::move(request), [done_with = std::move(done), begun = clock::now()](const http_outcome& outcome) {
      const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
      auto seen = attempt_of(outcome, now);
      const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begun);
      seen.took_ms = static_cast<std::uint32_t>(took.count());
      done_with(std::move(seen));
    });
  }

  void check(std::string url, std::string owner, std::function<void(std::optional<std::string>)> done) override {
    client_->check(std::move(url), std::move(owner), connect_timeout_, std::move(done));
  }

 private:
  const std::chrono::milliseconds connect_timeout_;
  const std::chrono::milliseconds answer_timeout_;
  const std::unique_ptr<http_client> client_;
};

}  // namespace

std::unique_ptr<webhook_client> make_webhook_client(const settings& config, outbound_options options) {
  return std::make_unique<http_webhook_client>(config, std::move(options));
}

}  // namespace gateway::http
