// TLS for one connection, without a socket: the caller puts in the peer's bytes and takes out the bytes for the peer.
// OpenSSL reads and writes through a custom BIO, so that an idle connection keeps no buffers for copying (Asio's
// ssl::stream keeps some 70 KiB for each).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tls.hpp"

struct ssl_st;  // OpenSSL's SSL

namespace gateway::http {

class tls_engine {
 public:
  enum class result : unsigned char {
    done,
    wants_input,  ///< more bytes from the peer are needed
    closed,       ///< the peer has ended the connection
    failed,
  };

  explicit tls_engine(tls_context context);
  ~tls_engine();
  tls_engine(const tls_engine&) = delete;
  tls_engine& operator=(const tls_engine&) = delete;

  // Each of these may append to `out` bytes that must be sent to the peer before anything else happens.
  result handshake(std::string& out);
  result read(std::span<char> into, std::size_t& count, std::string& out);
  bool write(std::string_view bytes, std::string& out);
  void send_close_notify(std::string& out);

  /// Where the peer's next bytes go, once an operation wants input.
  std::span<char> input_space() noexcept { return input_; }
  void received(std::size_t count) noexcept { unread_ = {input_.data(), count}; }
  /// What is left of the received bytes. The caller removes what is not TLS (a PROXY header) from the front.
  std::string_view& unread() noexcept { return unread_; }
  /// Whether a read may succeed without new input.
  bool may_have_data() const noexcept;

 private:
  friend struct tls_engine_bio;
  result outcome_of(int returned);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  std::string* out_ = nullptr;
  unsigned key_updates_ = 0;  ///< those received from the peer
  std::string_view unread_;  ///< part of input_
  std::array<char, 4096> input_;
};

}  // namespace gateway::http
