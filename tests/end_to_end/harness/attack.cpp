#include "attack.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <optional>
#include <sstream>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace gateway::e2e {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

/// Removes the first whole answer from `bytes` and returns it.
std::optional<reply> take_answer(std::string_view& bytes) {
  const auto head = bytes.find("\r\n\r\n");
  if (head == bytes.npos || !bytes.starts_with("HTTP/1.1 ")) return std::nullopt;
  reply answer;
  std::from_chars(bytes.data() + 9, bytes.data() + head, answer.status);
  std::size_t length = 0;
  for (std::size_t line = bytes.find("\r\n") + 2; line < head + 2;) {
    const auto end = bytes.find("\r\n", line);
    const auto text = bytes.substr(line, end - line);
    const auto colon = text.find(": ");
    if (colon != text.npos) answer.headers.emplace_back(text.substr(0, colon), text.substr(colon + 2));
    line = end + 2;
  }
  if (const auto value = answer.header("Content-Length"))
    std::from_chars(value->data(), value->data() + value->size(), length);
  if (bytes.size() < head + 4 + length) return std::nullopt;
  answer.body = bytes.substr(head + 4, length);
  bytes.remove_prefix(head + 4 + length);
  return answer;
}

int connected(const endpoint& server) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw connection_failed{"no socket"};
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(server.port);
  inet_pton(AF_INET, server.host.c_str(), &to.sin_addr);
  const int on = 1;
  const timeval second{1, 0};
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return fd;
  ::close(fd);
  throw connection_failed{"cannot connect"};
}

bool readable(int fd, std::chrono::milliseconds within) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(within.count())) > 0;
}

}  // namespace

std::vector<std::string> received_bytes::answers() const {
  std::vector<std::string> lines;
  for (std::string_view left = bytes; !left.empty();) {
    const auto answer = take_answer(left);
    if (!answer) {
      lines.push_back("not an answer: " + std::string{left.substr(0, 100)});
      break;
    }
    lines.push_back(summary_of(*answer));
  }
  return lines;
}

// ---- one connection -------------------------------------------------------------------------------

hostile_connection::hostile_connection(const endpoint& server, protocol how) : fd_{connected(server)} {
  [[maybe_unused]] static const auto before = std::signal(SIGPIPE, SIG_IGN);
  if (how == protocol::nothing) {
    open_ = true;
    return;
  }
  context_ = {SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  const int version = how == protocol::tls_1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
  SSL_CTX_set_min_proto_version(context_.get(), version);
  SSL_CTX_set_max_proto_version(context_.get(), version);
  SSL_CTX_set_options(context_.get(), SSL_OP_ALLOW_CLIENT_RENEGOTIATION);
  tls_ = {SSL_new(context_.get()), SSL_free};
  SSL_set_fd(tls_.get(), fd_);
  ERR_clear_error();
  // The socket's own time-out limits only sends that the server does not take. The handshake has this deadline instead.
  const auto deadline = steady::now() + hang_timeout;
  int done = 0;
  do {
    ERR_clear_error();
    done = SSL_connect(tls_.get());
  } while (done != 1 && SSL_get_error(tls_.get(), done) == SSL_ERROR_WANT_READ && steady::now() < deadline);
  open_ = done == 1;
}

hostile_connection::hostile_connection(hostile_connection&& other) noexcept
    : fd_{std::exchange(other.fd_, -1)},
      context_{std::move(other.context_)},
      tls_{std::move(other.tls_)},
      open_{other.open_} {}

hostile_connection::~hostile_connection() {
  if (fd_ >= 0) ::close(fd_);
}

bool hostile_connection::send(std::string_view bytes) {
  if (!tls_) return send_beneath(bytes);
  ERR_clear_error();
  return bytes.empty() ||
         SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
}

bool hostile_connection::send_in_pieces(std::string_view bytes, std::size_t size) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size())))
    if (!send(bytes.substr(0, size))) return false;
  return true;
}

bool hostile_connection::send_beneath(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

received_bytes hostile_connection::listen(std::size_t answers, std::chrono::milliseconds timeout) {
  received_bytes all;
  std::size_t whole = 0;
  std::string_view left;
  char bytes[16'384];
  while (whole < answers) {
    const bool buffered = tls_ && SSL_has_pending(tls_.get()) == 1;
    if (!buffered && !readable(fd_, timeout)) break;
    ERR_clear_error();
    const auto count =
        tls_ ? SSL_read(tls_.get(), bytes, sizeof bytes) : static_cast<int>(::recv(fd_, bytes, sizeof bytes, 0));
    if (count > 0) {
      const auto at = all.bytes.size() - left.size();
      all.bytes.append(bytes, static_cast<std::size_t>(count));
      left = std::string_view{all.bytes}.substr(at);
      while (take_answer(left)) ++whole;
      continue;
    }
    if (tls_ && SSL_get_error(tls_.get(), count) == SSL_ERROR_WANT_READ) continue;  // a ticket, or half a record
    all.closed = true;
    break;
  }
  return all;
}

bool hostile_connection::update_keys() {
  ERR_clear_error();
  return SSL_key_update(tls_.get(), SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(tls_.get()) == 1;
}

bool hostile_connection::renegotiate() {
  ERR_clear_error();
  return SSL_renegotiate(tls_.get()) == 1 && SSL_do_handshake(tls_.get()) == 1;
}

void hostile_connection::close_notify() {
  ERR_clear_error();
  SSL_shutdown(tls_.get());
}

void hostile_connection::half_close() { ::shutdown(fd_, SHUT_WR); }

void hostile_connection::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(fd_, -1));
}

std::string client_hello() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls{SSL_new(context.get()), SSL_free};
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(tls.get(), BIO_new(BIO_s_mem()), out);
  SSL_connect(tls.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

// ---- crowds ---------------------------------------------------------------------------------------

attackers::attackers(unsigned threads, std::function<void(unsigned)> once) {
  for (unsigned number = 0; number < threads; ++number)
    threads_.emplace_back([this, number, once] {
      // Lowest priority, as if the attackers ran on another machine. Only where speed is judged: while other programs
      // keep all cores busy, they would hardly run.
      const sched_param none{};
      if (judges_speed()) ::sched_setscheduler(0, SCHED_IDLE, &none);
      while (!stopping_) {
        try {
          once(number);
        } catch (const connection_failed&) {
          std::this_thread::sleep_for(1ms);
        }
        ++rounds_;
      }
    });
}

attackers::~attackers() { stop(); }

std::size_t attackers::stop() {
  stopping_ = true;
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
  return rounds_;
}

struct quiet_clients::client {
  api caller;
  std::vector<double> milliseconds;
  std::string answer;

  /// Creates, reads and captures a payment, with a call every four milliseconds.
  void work(std::chrono::milliseconds lasts) {
    milliseconds.clear();
    const auto end = steady::now() + lasts;
    while (steady::now() < end && answer.empty()) {
      const auto id = new_payment_id();
      expect("200 authorized", [&] { return caller.create(server_payment(id)); });
      expect("200 authorized", [&] { return caller.view(id); });
      expect("200 captured", [&] { return caller.capture(id); });
    }
  }

  template <class Call>
  void expect(std::string_view expected, Call call) {
    const auto begun = steady::now();
    std::string got;
    try {
      got = summary_of(call());
    } catch (const connection_failed& fault) {
      got = fault.what();
    }
    milliseconds.push_back(std::chrono::duration<double, std::milli>(steady::now() - begun).count());
    if (got != expected) got = "expected " + std::string{expected} + ", told " + got;
    std::this_thread::sleep_until(begun + 4ms);
  }
};

quiet_clients::quiet_clients(const gateway_process& gateway, const credentials& key, unsigned count) {
  for (unsigned i = 0; i < count; ++i) clients_.push_back(std::make_unique<client>(client{api{gateway, key}, {}, {}}));
}

quiet_clients::~quiet_clients() = default;

std::vector<double> quiet_clients::work(std::chrono::milliseconds lasts) {
  std::vector<std::thread> threads;
  for (const auto& one : clients_) threads.emplace_back([&one, lasts] { one->work(lasts); });
  for (auto& thread : threads) thread.join();
  std::vector<double> all;
  for (const auto& one : clients_) {
    all.insert(all.end(), one->milliseconds.begin(), one->milliseconds.end());
    if (!one->answer.empty()) surprises_.push_back(std::exchange(one->answer, {}));
  }
  std::ranges::sort(all);
  return all;
}

// ---- the gateway's process ------------------------------------------------------------------------

std::size_t resident_kb(pid_t process) {
  std::ifstream statm{"/proc/" + std::to_string(process) + "/statm"};
  std::size_t pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

std::chrono::milliseconds processor_time(pid_t process) {
  std::ifstream stat{"/proc/" + std::to_string(process) + "/stat"};
  std::string text;
  std::getline(stat, text);
  std::istringstream fields{text.substr(text.rfind(')') + 2)};
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  long user = 0, system = 0;
  fields >> user >> system;
  return std::chrono::milliseconds{(user + system) * 1000 / ::sysconf(_SC_CLK_TCK)};
}

std::size_t raise_descriptor_limit() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  return static_cast<std::size_t>(files.rlim_cur);
}

}  // namespace gateway::e2e
