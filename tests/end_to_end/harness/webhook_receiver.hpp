// A merchant's endpoint for webhooks: it records what is posted to it, and answers as its script says. It checks
// signatures as a merchant would, by the specification and with nothing of the gateway's own code.
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
  std::chrono::system_clock::time_point at{};  ///< when its last byte had come
  std::string path;
  header_list headers;
  std::string body;

  std::optional<std::string> header(std::string_view name) const;
  /// X-Service-Delivery; empty without.
  std::string delivery() const { return header("X-Service-Delivery").value_or(""); }
  json envelope() const { return json::parse(body); }
  std::string event() const { return envelope()["id"].text(); }
  std::string type() const { return envelope()["type"].text(); }
  /// From the event's `created`.
  double late_ms() const;
};

/// X-Service-Signature taken apart.
struct webhook_signature {
  std::int64_t at = 0;              ///< t, seconds since 1970
  std::vector<std::string> by;      ///< every v1
};
/// Nothing unless it is `t=…,v1=…[,v1=…]` to the letter.
std::optional<webhook_signature> read_signature(std::string_view header);
/// What is wrong with the post's signature for one who knows that secret; empty if nothing is. The time may differ by
/// 300 s.
std::string signature_fault(const webhook_post& post, std::string_view secret);
/// Whether one of its signatures is by that secret.
bool signed_by(const webhook_post& post, std::string_view secret);

/// The answer to one post.
struct webhook_answer {
  enum class ending { answer, hang, close };  ///< hang: until the other side gives up. close: without a word

  int status = 200;
  header_list headers = {};
  std::string body = {};
  std::chrono::milliseconds delay{0};
  ending how = ending::answer;
};

class webhook_receiver {
 public:
  enum class protocol { http, https };
  /// What to answer to the n-th post (from 1) of one delivery. Called on the receiver's thread.
  using program = std::function<webhook_answer(const webhook_post& post, unsigned attempt)>;

  /// Starts, on a free port of 127.0.0.1.
  explicit webhook_receiver(protocol how = protocol::http);
  ~webhook_receiver();
  webhook_receiver(const webhook_receiver&) = delete;
  webhook_receiver& operator=(const webhook_receiver&) = delete;

  /// Its connections break, and new ones are refused; what it has recorded stays.
  void stop();
  /// Again, on the same port.
  void start();

  std::string url(std::string_view path = "/hooks") const;
  /// Of its own certificate, which stands for itself. Only with https.
  const std::filesystem::path& certificate() const { return certificate_; }

  /// From now on. Paths without a script are answered 200.
  void answers(const std::string& path, program how);
  void answers(const std::string& path, webhook_answer always);

  /// In order of arrival; also those that were not answered. At most `most_kept` are kept, all are counted.
  std::vector<webhook_post> posts(const std::string& path = "/hooks") const;
  std::size_t count(const std::string& path = "/hooks") const;
  /// Posts that are waiting for an answer that will not come.
  std::size_t hanging() const;
  /// Whether so many come to have arrived.
  bool comes_to(std::size_t count, const std::string& path = "/hooks",
                std::chrono::milliseconds within = hang_timeout) const;
  /// The first that fits; waits for it. Throws if none comes.
  webhook_post wait_for(const std::function<bool(const webhook_post&)>& fits, const std::string& path = "/hooks",
                        std::chrono::milliseconds within = hang_timeout) const;
  /// That tells of this payment.
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
