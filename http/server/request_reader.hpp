// Turns the bytes of one connection into requests, in order. No socket, no clock: the session reads into
// free_space() and reports the count. The limits are exact, and anything that two HTTP parsers could read differently
// (two lengths, folded lines, bare line feeds) is rejected.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "buffer_budget.hpp"
#include "gateway/settings.hpp"
#include "http/errors.hpp"
#include "http/message.hpp"

namespace gateway::http {

class request_reader {
 public:
  enum class state : unsigned char {
    partial,  ///< more bytes are needed; perhaps none have arrived yet
    whole,    ///< current() may be answered
    rejected,  ///< why() must be answered, and the connection closed
  };

  /// A null budget: only the limits bound the memory.
  explicit request_reader(const http_limits& limits, buffer_budget* budget = nullptr);
  ~request_reader();
  request_reader(const request_reader&) = delete;
  request_reader& operator=(const request_reader&) = delete;

  /// Where the next bytes go while the state is partial. Empty if the budget is exhausted: the state is rejected.
  std::span<char> free_space();
  /// `count` bytes have been written there.
  state received(std::size_t count);
  /// The current request has been answered: discards it and parses what arrived after it.
  state next();

  /// Whether no byte of a request has arrived.
  bool empty() const noexcept { return begin_ == end_; }
  request& current() noexcept { return current_; }
  /// The method of an incomplete request, if it is known.
  std::string_view method() const noexcept { return parsed_at_ == start() ? current_.method : std::string_view{}; }
  const rejection& why() const noexcept { return why_; }
  /// Whether the current request asks to keep the connection; false before its header is known.
  bool keep_alive() const noexcept { return keep_alive_; }
  bool http_1_0() const noexcept { return http_1_0_; }
  /// True once for each request that waits for `100 Continue` before it sends its body.
  bool takes_continue() noexcept;
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  class parser;

  state advance();
  state find_head();
  state read_head();
  state read_body();
  state read_chunks();
  state finish(std::size_t size);
  /// An empty message means the row's own.
  state reject(error_code code, std::string_view message = {});
  /// Fills current_ with views into the buffer's current position.
  bool parse_head(parser& into);
  bool reserve(std::size_t more, std::size_t most);
  bool count(std::size_t capacity);
  void shrink();
  char* start() const noexcept { return bytes_.get() + begin_; }
  std::size_t size() const noexcept { return end_ - begin_; }

  const http_limits& limits_;
  buffer_budget* const budget_;
  std::size_t counted_ = 0;  ///< bytes taken from the budget
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  ///< of the current request
  std::size_t end_ = 0;    ///< of what has arrived

  // All offsets below count from begin_.
  std::size_t scanned_ = 0;       ///< bytes searched for the end of the header
  std::size_t line_ = 0;          ///< start of the line that is being scanned
  unsigned skipped_ = 0;          ///< empty lines before the request
  std::size_t head_size_ = 0;     ///< 0: the header's end has not been seen
  std::size_t body_size_ = 0;     ///< Content-Length; for a chunked body, the bytes decoded so far
  std::size_t request_size_ = 0;  ///< bytes that the whole request took
  const char* parsed_at_ = nullptr;
  std::unique_ptr<parser> chunks_;  ///< of a chunked body only
  bool keep_alive_ = false;
  bool http_1_0_ = false;
  bool expects_continue_ = false;

  request current_;
  rejection why_;
};

}  // namespace gateway::http
