// TLS for one connection, without a socket: bytes from the peer are put in, bytes for the peer come out.
// OpenSSL reads and writes through a BIO of our own, so nothing is copied into buffers that an idle
// connection would have to keep (Asio's ssl::stream keeps some 70 KiB for each).
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
    wants_input,  ///< put more bytes of the peer's in
    closed,       ///< the peer has ended the connection
    failed,
  };

  explicit tls_engine(tls_context context);
  ~tls_engine();
  tls_engine(const tls_engine&) = delete;
  tls_engine& operator=(const tls_engine&) = delete;

  // Each of these may append to `out` what must be sent to the peer before anything else happens.
  result handshake(std::string& out);
  result read(std::span<char> into, std::size_t& count, std::string& out);
  bool write(std::string_view bytes, std::string& out);
  void say_goodbye(std::string& out);

  /// Where the peer's next bytes go, once an operation wants input.
  std::span<char> input_space() noexcept { return input_; }
  void received(std::size_t count) noexcept { unread_ = {input_.data(), count}; }
  /// What is left of them. Of what is not TLS, the caller takes its part from the front.
  std::string_view& unread() noexcept { return unread_; }
  /// A read may succeed without new input.
  bool may_have_data() const noexcept;

 private:
  friend struct tls_engine_bio;
  result outcome_of(int returned);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  std::string* out_ = nullptr;
  unsigned key_updates_ = 0;  ///< that the peer has sent
  std::string_view unread_;  ///< of input_
  std::array<char, 4096> input_;
};

}  // namespace gateway::http
