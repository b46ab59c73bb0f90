#include "open_loop.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <memory>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace gateway::e2e {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

using tls_context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using tls_session = std::unique_ptr<SSL, decltype(&SSL_free)>;

/// One kept-alive connection with at most one request in flight.
struct client {
  int fd = -1;
  tls_session tls{nullptr, SSL_free};
  std::string got;
  std::size_t request = 0;
  steady::time_point due{};
  bool busy = false;

  client(const endpoint& server, SSL_CTX* context)
      : fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}, tls{SSL_new(context), SSL_free} {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(server.port);
    inet_pton(AF_INET, server.host.c_str(), &to.sin_addr);
    const int on = 1;
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
      throw connection_failed{"the load cannot connect"};
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL_set_fd(tls.get(), fd);
    if (SSL_connect(tls.get()) != 1) throw connection_failed{"the load's handshake failed"};
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  ~client() {
    if (fd >= 0) ::close(fd);
  }
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  bool send(const std::string& bytes) {
    ERR_clear_error();
    return SSL_write(tls.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
  }

  /// False if the connection has ended.
  bool receive() {
    char bytes[4096];
    for (;;) {
      ERR_clear_error();
      const int count = SSL_read(tls.get(), bytes, sizeof bytes);
      if (count <= 0) return SSL_get_error(tls.get(), count) == SSL_ERROR_WANT_READ;
      got.append(bytes, static_cast<std::size_t>(count));
    }
  }

  /// The status of the answer in `got` once it is complete; 0 until then.
  int status() const {
    const auto head = got.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    constexpr std::string_view length = "\r\nContent-Length: ";
    const auto at = got.find(length);
    std::size_t body = 0;
    if (at < head) std::from_chars(got.data() + at + length.size(), got.data() + head, body);
    return got.size() < head + 4 + body ? 0 : std::stoi(got.substr(9, 3));
  }
};

class generator {
 public:
  generator(const gateway_process& gateway, const std::vector<std::string>& requests, const load_plan& plan)
      : requests_{requests},
        plan_{plan},
        context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free},
        epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
    for (std::size_t i = 0; i < plan.connections; ++i) {
      clients_.push_back(std::make_unique<client>(gateway.address(), context_.get()));
      epoll_event wanted{};
      wanted.events = EPOLLIN;
      wanted.data.ptr = clients_.back().get();
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, clients_.back()->fd, &wanted);
      idle_.push_back(clients_.back().get());
    }
  }
  ~generator() { ::close(epoll_); }
  generator(const generator&) = delete;
  generator& operator=(const generator&) = delete;

  load_report run() {
    begun_ = steady::now();
    const auto end = begun_ + plan_.lasts;
    while (arriving_) {
      const auto now = steady::now();
      arriving_ = now < end && arrived_ < requests_.size();
      if (arriving_) arrive(now);
      wait(1);
    }
    report_.took = steady::now() - begun_;
    const auto last = steady::now() + hang_timeout;
    while (report_.broken + answered_ < arrived_ && steady::now() < last) wait(5);
    report_.offered = arrived_;
    report_.broken = arrived_ - answered_;
    std::ranges::sort(report_.accepted_ms);
    std::ranges::sort(report_.refused_ms);
    std::ranges::sort(report_.accepted);
    return std::move(report_);
  }

 private:
  /// Sends each request that is due to a free connection, or queues it until one is free.
  void arrive(steady::time_point now) {
    if (plan_.per_second <= 0) {
      while (!idle_.empty() && arrived_ < requests_.size()) start(arrived_++, now);
      return;
    }
    // Request n is due n / per_second after the first, which is due at once.
    const auto due =
        static_cast<std::size_t>(std::chrono::duration<double>(now - begun_).count() * plan_.per_second) + 1;
    for (; arrived_ < std::min(due, requests_.size()); ++arrived_) waiting_.push_back(arrived_);
    while (!idle_.empty() && !waiting_.empty()) take_waiting();
    report_.most_waiting = std::max(report_.most_waiting, waiting_.size());
  }

  void take_waiting() {
    const auto number = waiting_.front();
    waiting_.pop_front();
    const std::chrono::duration<double> after{static_cast<double>(number) / plan_.per_second};
    start(number, begun_ + std::chrono::duration_cast<steady::duration>(after));
  }

  void start(std::size_t number, steady::time_point due) {
    auto* const one = idle_.back();
    idle_.pop_back();
    one->request = number;
    one->due = due;
    one->busy = true;
    if (!one->send(requests_[number])) lose(one);
  }

  void wait(int milliseconds) {
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, 256, milliseconds);
    for (int i = 0; i < count; ++i) hear(static_cast<client*>(events[i].data.ptr));
    while (!idle_.empty() && !waiting_.empty()) take_waiting();
  }

  void hear(client* one) {
    const bool open = one->receive();
    if (const int status = one->busy ? one->status() : 0) note(one, status);
    if (!open) lose(one);
  }

  void note(client* one, int status) {
    const std::chrono::duration<double, std::milli> took = steady::now() - one->due;
    ++answered_;
    ++report_.answers[status];
    if (status == 503) {
      if (one->got.find("\r\nRetry-After: ") == std::string::npos) ++report_.without_retry_after;
      report_.refused_ms.push_back(took.count());
    } else if (status == 200) {
      report_.accepted_ms.push_back(took.count());
      report_.accepted.push_back(one->request);
    }
    one->got.clear();
    one->busy = false;
    idle_.push_back(one);
  }

  /// Handles the end of a connection; its request, if any, stays unanswered.
  void lose(client* one) {
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, one->fd, nullptr);
    std::erase(idle_, one);
    if (std::exchange(one->busy, false)) ++report_.broken;
  }

  const std::vector<std::string>& requests_;
  const load_plan plan_;
  tls_context context_;
  int epoll_;
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<client*> idle_;
  std::deque<std::size_t> waiting_;
  steady::time_point begun_{};
  std::size_t arrived_ = 0;
  std::size_t answered_ = 0;
  bool arriving_ = true;
  load_report report_;
};

}  // namespace

std::vector<std::string> signed_creates(const gateway_process& gateway, const credentials& key, std::size_t count,
                                        const std::string& token) {
  const std::string target = "/v1/payment_intents";
  const auto series = new_payment_id();
  const auto at = timestamp();
  std::vector<std::string> made;
  made.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto body = server_payment(series + '_' + std::to_string(i), token).text();
    std::string text = "POST " + target + " HTTP/1.1\r\nHost: " + gateway.address().authority();
    text.append("\r\nX-Service-Key-Id: ").append(key.key_id).append("\r\nX-Service-Timestamp: ").append(at);
    text.append("\r\nX-Service-Signature: ").append(signature_of(key.secret, "POST", target, at, body));
    text.append("\r\nIdempotency-Key: ")
        .append(new_uuid())
        .append("\r\nContent-Type: application/json\r\nContent-Length: ");
    made.push_back(text.append(std::to_string(body.size())).append("\r\n\r\n").append(body));
  }
  return made;
}

std::size_t load_report::count(int status) const {
  const auto at = answers.find(status);
  return at == answers.end() ? 0 : at->second;
}

double percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

load_report run_load(const gateway_process& gateway, const std::vector<std::string>& requests, const load_plan& plan) {
  return generator{gateway, requests, plan}.run();
}

}  // namespace gateway::e2e
