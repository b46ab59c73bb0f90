// A merchant's endpoint for webhooks: it records the posts that it receives, and answers by a script. It checks
// signatures as a merchant would, by docs/served/webhooks.md and without the gateway's code.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json.hpp"
#include "transport.hpp"

namespace gateway::e2e {

/// One post, as it arrived.
struct webhook_post {
  std::chrono::system_clock::time_point at{};  ///< when its last byte arrived
  std::string path;
  header_list headers;
  std::string body;

  std::optional<std::string> header(std::string_view name) const;
  /// X-Service-Delivery; empty if absent.
  std::string delivery() const { return header("X-Service-Delivery").value_or(""); }
  json envelope() const { return json::parse(body); }
  std::string event() const { return envelope()["id"].text(); }
  std::string type() const { return envelope()["type"].text(); }
  /// Milliseconds since the event's `created`.
  double late_ms() const;
};

/// The parsed X-Service-Signature.
struct webhook_signature {
  std::int64_t at = 0;              ///< `t`, seconds since 1970
  std::vector<std::string> by;      ///< all v1 values
};
/// Nothing unless the header is exactly `t=…,v1=…[,v1=…]`.
std::optional<webhook_signature> read_signature(std::string_view header);
/// What is wrong with the post's signature under that secret; empty if nothing is. The time may differ by 300 s.
std::string signature_fault(const webhook_post& post, std::string_view secret);
/// Whether one of its signatures was made with that secret.
bool signed_by(const webhook_post& post, std::string_view secret);

/// The answer to one post.
struct webhook_answer {
  enum class ending { answer, hang, close };  ///< hang: until the other side gives up. close: without an answer

  int status = 200;
  header_list headers = {};
  std::string body = {};
  std::chrono::milliseconds delay{0};
  ending how = ending::answer;
};

class webhook_receiver {
 public:
  enum class protocol { http, https };
  /// The answer to the n-th post (from 1) of one delivery. Called on the receiver's thread.
  using program = std::function<webhook_answer(const webhook_post& post, unsigned attempt)>;

  /// Starts on a free port of 127.0.0.1.
  explicit webhook_receiver(protocol how = protocol::http);
  ~webhook_receiver();
  webhook_receiver(const webhook_receiver&) = delete;
  webhook_receiver& operator=(const webhook_receiver&) = delete;

  /// Breaks its connections and refuses new ones; keeps what it has recorded.
  void stop();
  /// Starts it again, on the same port.
  void start();

  std::string url(std::string_view path = "/hooks") const;
  /// Its self-signed certificate. Only with https.
  const std::filesystem::path& certificate() const { return certificate_; }

  /// Sets the script of a path from now on. Paths without a script answer 200.
  void answers(const std::string& path, program how);
  void answers(const std::string& path, webhook_answer always);

  /// The posts in order of arrival, answered or not. At most `most_kept` are kept; all are counted.
  std::vector<webhook_post> posts(const std::string& path = "/hooks") const;
  std::size_t count(const std::string& path = "/hooks") const;
  /// The number of posts that are left without an answer.
  std::size_t hanging() const;
  /// Waits until `count` posts have arrived; false if they do not arrive in time.
  bool comes_to(std::size_t count, const std::string& path = "/hooks",
                std::chrono::milliseconds within = hang_timeout) const;
  /// Waits for the first matching post. Throws if none comes.
  webhook_post wait_for(const std::function<bool(const webhook_post&)>& fits, const std::string& path = "/hooks",
                        std::chrono::milliseconds within = hang_timeout) const;
  /// The same for a type and a payment.
  webhook_post wait_for(const std::string& type, const std::string& payment_id,
                        const std::string& path = "/hooks") const;

  static constexpr std::size_t most_kept = 200'000;

 private:
  struct memory;
  struct server;

  const protocol speaks_;
  std::filesystem::path certificate_;
  std::uint16_t port_ = 0;
  std::shared_ptr<memory> memory_;
  std::unique_ptr<server> server_;
};

}  // namespace gateway::e2e
