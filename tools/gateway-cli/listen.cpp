#include "listen.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/time.hpp"
#include "interruption.hpp"
#include "output.hpp"
#include "webhook_signature.hpp"

namespace gateway::cli {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t secret_bytes = 32;
constexpr std::array<milliseconds, 3> pauses{milliseconds{1'000}, milliseconds{5'000}, milliseconds{30'000}};
constexpr milliseconds receiver_timeout{15'000};

std::int64_t now_s() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

/// Receivers ignore a delivery number that they have seen, so numbers of an earlier run must not return.
std::int64_t first_delivery_number() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

struct attempt {
  std::uint16_t status = 0;  ///< 0: no answer
  std::string fault{};
  bool reached = true;  ///< the receiver may have seen the post

  bool delivered() const noexcept { return status >= 200 && status < 300; }
};

class forwarder {
 public:
  forwarder(std::string url, std::string secret, std::string ca_file)
      : url_(std::move(url)),
        secret_(std::move(secret)),
        http_(make_client(ca_file, {{"User-Agent", "Service-Webhooks/1"}, {"Content-Type", "application/json"}})) {}

  std::int64_t new_number() noexcept { return next_number_++; }

  attempt post(const received_event& event, std::int64_t number) {
    http_request request;
    request.method = http_method::post;
    request.url = url_;
    request.headers = {{"X-Service-Signature", sign_webhook(secret_, event.bytes, now_s())},
                       {"X-Service-Delivery", std::to_string(number)}};
    request.body = event.bytes;
    request.answer_timeout = receiver_timeout;
    request.repeatable = true;
    const auto outcome = exchange(*http_, std::move(request));
    if (const auto* failed = std::get_if<http_failure>(&outcome)) return {0, describe(*failed, url_), failed->sent};
    return {std::get<http_answer>(outcome).status};
  }

 private:
  const std::string url_;
  const std::string secret_;
  std::unique_ptr<http_client> http_;
  std::int64_t next_number_ = first_delivery_number();
};

void print_delivery(std::ostream& out, const received_event& event, const attempt& last, unsigned attempts, bool json) {
  if (json) {
    boost::json::object line{
        {"event_id", event.id}, {"type", event.type}, {"attempts", attempts}, {"delivered", last.delivered()}};
    if (last.status != 0) line["status"] = last.status;
    out << boost::json::serialize(line) << std::endl;
    return;
  }
  out << event.created << "  " << event.type << "  " << event.id << "  " << last.status;
  if (attempts > 1) out << "  after " << attempts << " attempts";
  out << std::endl;
}

std::string result_text(const attempt& seen) {
  return seen.status != 0 ? "the receiver answered " + std::to_string(seen.status) : seen.fault;
}

void deliver(forwarder& to, const received_event& event, const listen_options& options, std::ostream& out,
             const std::function<void(std::string_view)>& notice) {
  const auto number = to.new_number();
  for (unsigned attempts = 1;; ++attempts) {
    const auto seen = to.post(event, number);
    if (seen.delivered()) return print_delivery(out, event, seen, attempts, options.json);
    const auto pause = pause_after_attempt(attempts, seen.reached);
    if (!pause) {
      notice(event.id + " is given up after " + std::to_string(attempts) + " attempts: " + result_text(seen));
      return print_delivery(out, event, seen, attempts, options.json);
    }
    if (attempts == 1) notice(event.id + ": " + result_text(seen) + "; trying again");
    if (!pause_for(*pause)) throw was_stopped{};
  }
}

}  // namespace

std::optional<milliseconds> pause_after_attempt(unsigned attempts, bool reached_receiver) {
  const std::size_t at = attempts - 1;
  if (at < pauses.size()) return reached_receiver ? pauses[at] : std::min(pauses[at], pauses[1]);
  if (reached_receiver) return std::nullopt;
  return pauses[1];
}

void listen(api_client& client, const listen_options& options, std::ostream& out,
            const std::function<void(std::string_view)>& notice) {
  event_feed feed{client, options.feed, notice};
  feed.begin();
  const auto secret = "whsec_" + crypto::random_hex(secret_bytes);
  forwarder to{options.forward_to, secret, client.who().ca_file};
  if (options.json)
    out << boost::json::serialize(boost::json::object{{"signing_secret", secret}}) << std::endl;
  else
    out << "signing secret: " << secret << std::endl;
  for (;;) {
    for (const auto& event : feed.next()) deliver(to, event, options, out, notice);
  }
}

}  // namespace gateway::cli
