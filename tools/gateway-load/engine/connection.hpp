// A kept-alive TLS connection with at most one request in flight, on a non-blocking socket. The owner polls the socket
// and calls on_ready().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "request.hpp"
#include "target.hpp"

namespace gateway::load {

class connection {
 public:
  static constexpr std::size_t most_answer_bytes = 1 << 20;

  enum class state : unsigned char {
    closed,
    opening,  ///< connecting, or in the TLS handshake
    free,
    busy,     ///< a request is in flight
  };
  enum class event : unsigned char {
    none,
    opened,    ///< the connection is free
    answered,  ///< got() returns the answer
    broken,    ///< the connection is closed; a request in flight gets no answer, and why() says why
  };

  explicit connection(const target& to) : to_(&to) {}
  ~connection() { close(); }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Begins to connect. Returns false if that fails at once. fd() stays the same until the connection is closed.
  bool open();
  /// Begins to send a request. Returns false, and closes the connection, if that is impossible.
  bool send(std::string_view bytes);
  /// To be called when the socket is ready. A call at another time does nothing.
  event on_ready();
  void close();

  state now() const noexcept { return state_; }
  int fd() const noexcept { return fd_; }
  /// Whether to poll for room to write as well as for something to read.
  bool wants_to_write() const noexcept { return wants_to_write_; }
  /// Valid until the next call of any other member.
  const answer& got() const noexcept { return got_; }
  /// The head of that answer: the status line and the fields, each with its CR LF.
  std::string_view head() const noexcept { return std::string_view{buffer_}.substr(0, head_size_); }
  loss why() const noexcept { return why_; }
  /// Why the connection did not open, in one line.
  const std::string& fault() const noexcept { return fault_; }

 private:
  event handshake();
  event read();
  event parse();
  event fail(loss why);
  bool write();
  bool parse_head(std::string_view head);
  bool parse_field(std::string_view line);

  const target* to_;
  target::session tls_{nullptr, SSL_free};
  int fd_ = -1;
  state state_ = state::closed;
  bool connected_ = false;       ///< TCP is connected
  bool wants_to_write_ = false;
  std::string unsent_;           ///< what the socket had no room for

  std::string buffer_;           ///< its size is its capacity
  std::size_t filled_ = 0;
  std::size_t searched_ = 0;     ///< no head ends before this position
  std::size_t head_size_ = 0;    ///< 0: the head has not arrived completely
  std::size_t body_size_ = 0;
  bool length_known_ = false;
  bool last_ = false;            ///< the server closes after this answer
  answer got_;
  std::size_t id_at_ = 0, id_size_ = 0;
  loss why_ = loss::none;
  std::string fault_;
};

}  // namespace gateway::load
