// Hostile clients, which send malformed HTTP and unusual TLS, stop half-way and never read; and quiet clients, which
// must be served meanwhile.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "merchant.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace gateway::e2e {

/// The bytes that a server has sent on one connection.
struct received_bytes {
  std::string bytes;
  bool closed = false;  ///< whether the connection then ended, in any way

  /// The answers in it, each as `summary_of` writes it: `200`, `400 bad_request`.
  std::vector<std::string> answers() const;
};

class hostile_connection {
 public:
  enum class protocol { tls, tls_1_2, nothing };  ///< nothing: bytes are sent without TLS

  explicit hostile_connection(const endpoint& server, protocol how = protocol::tls);
  ~hostile_connection();
  hostile_connection(hostile_connection&&) noexcept;
  hostile_connection& operator=(hostile_connection&&) = delete;

  /// Whether the handshake, if there is one, has succeeded.
  bool open() const { return open_; }
  /// Returns false if the server has closed the connection, or has not taken the bytes for a second.
  bool send(std::string_view bytes);
  /// Sends each piece in a TLS record and a packet of its own.
  bool send_in_pieces(std::string_view bytes, std::size_t size);
  /// Sends bytes without TLS on a TLS connection.
  bool send_beneath(std::string_view bytes);
  /// Reads until this many whole answers have come, the server ends the connection, or nothing comes for `timeout`.
  received_bytes listen(std::size_t answers, std::chrono::milliseconds timeout = hang_timeout);
  bool ended_by_server(std::chrono::milliseconds timeout = hang_timeout) { return listen(1'000'000, timeout).closed; }

  /// Asks for a key update (TLS 1.3), which the server must answer with its own.
  bool update_keys();
  /// Asks for a renegotiation (TLS 1.2). Returns whether the server agreed.
  bool renegotiate();
  void close_notify();
  /// Sends a FIN: the client will write no more.
  void half_close();
  /// Sends an RST.
  void reset();
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_{nullptr, nullptr};
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_{nullptr, nullptr};
  bool open_ = false;
};

/// A valid ClientHello: the bytes that a TLS client sends first.
std::string client_hello();

/// Threads that attack until they are stopped. Where speed is judged they run at the lowest priority, because the
/// attack is meant for the gateway and must not use up the machine's processor time.
class attackers {
 public:
  /// Each thread calls `once` repeatedly with its number. An exception counts as a connection that the gateway
  /// rejected.
  attackers(unsigned threads, std::function<void(unsigned)> once);
  ~attackers();
  attackers(const attackers&) = delete;
  attackers& operator=(const attackers&) = delete;

  /// Waits until each thread has finished its current call. Returns the number of calls by all threads.
  std::size_t stop();

 private:
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> rounds_{0};
  std::vector<std::thread> threads_;
};

/// Merchants with ordinary requests at a steady rate.
class quiet_clients {
 public:
  quiet_clients(const gateway_process& gateway, const credentials& key, unsigned count);
  ~quiet_clients();
  quiet_clients(const quiet_clients&) = delete;
  quiet_clients& operator=(const quiet_clients&) = delete;

  /// Sends requests for this long. Returns the milliseconds of each call, sorted.
  std::vector<double> work(std::chrono::milliseconds lasts);
  /// Descriptions of calls that failed or got an unexpected answer.
  const std::vector<std::string>& unexpected_answers() const { return surprises_; }

 private:
  struct client;
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::string> surprises_;
};

std::size_t resident_kb(pid_t process);
/// The processor time that the process has used.
std::chrono::milliseconds processor_time(pid_t process);
/// Raises the limit of descriptors as far as the system allows, and returns it.
std::size_t raise_descriptor_limit();

}  // namespace gateway::e2e
