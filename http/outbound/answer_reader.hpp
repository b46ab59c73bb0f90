// Turns the bytes of one connection into the answer to one request. No socket, no clock. Memory is bounded whatever
// the peer sends: a header of 16 KiB, and as much of a body as the caller requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/ports/http_client.hpp"

namespace gateway::http {

inline constexpr std::size_t most_answer_head_bytes = 16 * 1024;
/// A body that is wanted in part or not at all is read up to this size, so that the connection can be reused.
inline constexpr std::size_t most_answer_body_bytes = 64 * 1024;
inline constexpr unsigned most_interim_answers = 8;

class answer_reader {
 public:
  enum class state : unsigned char {
    partial,
    whole,
    cut,     ///< its body is longer than what is read; the status is valid, the connection cannot be reused
    broken,  ///< the connection ended before the answer was complete
    garbage, ///< not HTTP, or over a limit
  };

  /// Keeps at most that much of the body.
  explicit answer_reader(std::size_t most_body_bytes = most_answer_body_bytes) : most_body_bytes_(most_body_bytes) {}

  state received(std::string_view bytes);
  /// The peer has ended the connection.
  state ended();

  bool nothing_received() const noexcept { return nothing_received_; }
  /// Why it is garbage: a limit was exceeded.
  bool past_limit() const noexcept { return past_limit_; }
  std::uint16_t status() const noexcept { return answer_.status; }
  const http_fields& headers() const noexcept { return answer_.headers; }
  std::string_view body_start() const noexcept { return answer_.body; }
  /// Whether another request may follow on this connection. Valid once the answer is whole.
  bool keep_alive() const noexcept { return keep_alive_ && input_.empty(); }
  /// Valid once the answer is whole, or cut.
  http_answer take_answer() noexcept { return std::move(answer_); }

 private:
  enum class framing : unsigned char { head, length, chunk_size, chunk_data, chunk_end, trailer, until_end };

  state advance();
  state pass_limit();
  std::optional<state> read_head();
  std::optional<state> read_data();
  std::optional<state> read_chunk_line();
  void take_body(std::size_t count);
  /// The next line, without its end, once it is complete.
  std::optional<std::string_view> next_line() const noexcept;

  const std::size_t most_body_bytes_;
  std::string input_;  ///< not parsed yet
  framing expecting_ = framing::head;
  std::size_t scanned_ = 0;       ///< bytes of input_ searched for the end of the head
  std::uint64_t left_ = 0;        ///< bytes left of the body or chunk
  std::size_t framing_bytes_ = 0; ///< of chunks' sizes, extensions and trailers
  std::size_t body_bytes_ = 0;
  unsigned interim_ = 0;
  bool nothing_received_ = true;
  bool keep_alive_ = false;
  bool past_limit_ = false;
  http_answer answer_;
};

}  // namespace gateway::http
