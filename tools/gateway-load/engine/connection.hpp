// One kept-alive TLS connection with at most one request under way, on a non-blocking socket. Whoever polls the socket
// tells it when it is ready.
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
    opening,  ///< TCP or TLS is being agreed on
    free,
    busy,     ///< a request is under way
  };
  enum class news : unsigned char {
    none,
    opened,    ///< it is free
    answered,  ///< got() tells
    broken,    ///< it is closed; a request under way has no answer, and why() says why
  };

  explicit connection(const target& to) : to_(&to) {}
  ~connection() { close(); }
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Begins to connect. False if that fails at once. fd() stays the same until it is closed.
  bool open();
  /// The request begins to leave. False if the connection is over: it is closed then.
  bool send(std::string_view bytes);
  /// The socket is ready. May be called at any time.
  news on_ready();
  void close();

  state now() const noexcept { return state_; }
  int fd() const noexcept { return fd_; }
  /// Whether to poll for room to write as well as for something to read.
  bool wants_to_write() const noexcept { return wants_to_write_; }
  /// Valid until the next call of anything.
  const answer& got() const noexcept { return got_; }
  loss why() const noexcept { return why_; }
  /// Of a connection that did not open: one line.
  const std::string& fault() const noexcept { return fault_; }

 private:
  news agree();
  news read();
  news parse();
  news break_off(loss why);
  bool write();
  bool parse_head(std::string_view head);
  bool parse_field(std::string_view line);

  const target* to_;
  target::session tls_{nullptr, SSL_free};
  int fd_ = -1;
  state state_ = state::closed;
  bool connected_ = false;       ///< TCP
  bool wants_to_write_ = false;
  std::string unsent_;           ///< what the socket had no room for

  std::string buffer_;           ///< sized to what it can hold
  std::size_t filled_ = 0;
  std::size_t searched_ = 0;     ///< before here, no head ends
  std::size_t head_size_ = 0;    ///< 0: the head is not here yet
  std::size_t body_size_ = 0;
  bool length_known_ = false;
  bool last_ = false;            ///< the server closes after this answer
  answer got_;
  std::size_t id_at_ = 0, id_size_ = 0;
  loss why_ = loss::none;
  std::string fault_;
};

}  // namespace gateway::load
