// Turns the bytes of one connection into the answer to one request. No socket, no clock. What is kept is bounded
// whatever the peer sends: a header of 16 KiB, the first bytes of a body, of which 64 KiB are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/time.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway::http {

inline constexpr std::size_t most_answer_head_bytes = 16 * 1024;
inline constexpr std::size_t most_answer_body_bytes = 64 * 1024;
inline constexpr unsigned most_interim_answers = 8;

class answer_reader {
 public:
  enum class state : unsigned char {
    partial,
    whole,
    cut,     ///< its body is longer than what is read; the status counts, the connection cannot be used again
    broken,  ///< the connection ended within it
    garbage, ///< not HTTP, or past a limit
  };

  state received(std::string_view bytes);
  /// The peer has ended the connection.
  state ended();

  bool nothing_received() const noexcept { return nothing_received_; }
  std::uint16_t status() const noexcept { return status_; }
  std::string_view body_start() const noexcept { return body_start_; }
  std::optional<std::string_view> retry_after() const noexcept;
  /// Another request may follow on this connection; once the answer is whole.
  bool keep_alive() const noexcept { return keep_alive_ && input_.empty(); }

 private:
  enum class framing : unsigned char { head, length, chunk_size, chunk_data, chunk_end, trailer, until_end };

  state advance();
  std::optional<state> read_head();
  std::optional<state> read_data();
  std::optional<state> read_chunk_line();
  void take_body(std::size_t count);
  /// The next line, without its end, once it is there.
  std::optional<std::string_view> next_line() const noexcept;

  std::string input_;  ///< not understood yet
  framing expecting_ = framing::head;
  std::size_t scanned_ = 0;       ///< of input_, looked through for the end of the head
  std::uint64_t left_ = 0;        ///< of the body or chunk
  std::size_t framing_bytes_ = 0; ///< of chunks' sizes, extensions and trailers
  std::size_t body_bytes_ = 0;
  unsigned interim_ = 0;
  std::uint16_t status_ = 0;
  bool nothing_received_ = true;
  bool keep_alive_ = false;
  bool has_retry_after_ = false;
  std::string retry_after_;
  std::string body_start_;
};

/// What is shown to an operator: the first 256 bytes as UTF-8, cut between characters; what is not valid is replaced by
/// U+FFFD, control characters by spaces.
std::string excerpt_of(std::string_view bytes);

/// Seconds, or one of the three forms of HTTP-date. Not negative; at most 1000 days. Nothing: neither.
std::optional<duration_ms> read_retry_after(std::string_view text, time_point now);

/// By the status alone.
attempt_result result_of(std::uint16_t status) noexcept;

}  // namespace gateway::http
