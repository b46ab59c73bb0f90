// Clients without manners: they write what no HTTP library would, speak TLS as nobody should, stop half-way and never
// read. And beside them quiet ones, who must not notice.
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

/// What a server has said on one connection.
struct heard {
  std::string bytes;
  bool closed = false;  ///< and then ended the connection, in whichever way

  /// The answers in it, each as `told` puts it: `200`, `400 bad_request`.
  std::vector<std::string> answers() const;
};

class hostile_connection {
 public:
  enum class speaks { tls, tls_1_2, nothing };  ///< nothing: bytes go out as they are

  explicit hostile_connection(const endpoint& server, speaks how = speaks::tls);
  ~hostile_connection();
  hostile_connection(hostile_connection&&) noexcept;
  hostile_connection& operator=(hostile_connection&&) = delete;

  /// The handshake, if there is one, has succeeded.
  bool open() const { return open_; }
  /// False once the server has gone, or has not taken the bytes for a second.
  bool send(std::string_view bytes);
  /// Each piece in a record and a packet of its own.
  bool send_in_pieces(std::string_view bytes, std::size_t size);
  /// Beneath TLS.
  bool send_beneath(std::string_view bytes);
  /// What comes until `answers` have come whole, the server ends the connection, or nothing comes for so long.
  heard listen(std::size_t answers, std::chrono::milliseconds patience = std::chrono::seconds{5});
  bool ended_by_server(std::chrono::milliseconds patience = std::chrono::seconds{5}) {
    return listen(1'000'000, patience).closed;
  }

  /// Asks for other keys: TLS 1.3, and the server must do as much.
  bool update_keys();
  /// Asks for another handshake within this one: TLS 1.2. Whether the server joined in.
  bool renegotiate();
  void close_notify();
  /// FIN: nothing more will be written.
  void half_close();
  /// RST.
  void reset();
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_{nullptr, nullptr};
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_{nullptr, nullptr};
  bool open_ = false;
};

/// A first flight of TLS that could go on: what a client sends before it hears anything.
std::string client_hello();

/// Threads that attack until they are told to stop. They get what processor time the others leave: it is the gateway
/// that must bear the attack, not the machine.
class attackers {
 public:
  /// Each thread calls `once` again and again, with its number; what it throws is a connection that the gateway
  /// refused.
  attackers(unsigned threads, std::function<void(unsigned)> once);
  ~attackers();
  attackers(const attackers&) = delete;
  attackers& operator=(const attackers&) = delete;

  /// Lets each finish what it has begun. How often it was done, by all together.
  std::size_t stop();

 private:
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> rounds_{0};
  std::vector<std::thread> threads_;
};

/// Merchants about their ordinary business, at a steady pace.
class quiet_clients {
 public:
  quiet_clients(const gateway_process& gateway, const credentials& key, unsigned count);
  ~quiet_clients();
  quiet_clients(const quiet_clients&) = delete;
  quiet_clients& operator=(const quiet_clients&) = delete;

  /// Lets them work for so long. Milliseconds of each call, sorted.
  std::vector<double> work(std::chrono::milliseconds lasts);
  /// Calls that failed or were answered with anything but what was expected.
  const std::vector<std::string>& surprises() const { return surprises_; }

 private:
  struct client;
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::string> surprises_;
};

std::size_t resident_kb(pid_t process);
/// Processor time that it has used.
std::chrono::milliseconds processor_time(pid_t process);
/// As many as the system lets this process have; the number.
std::size_t raise_descriptor_limit();

}  // namespace gateway::e2e
