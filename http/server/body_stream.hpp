// A streamed body: each piece is made when the one before has been written, and has the write timeout of a whole
// response. An incomplete body resets the connection, because an HTTP/1.0 client would take an orderly close for the
// end of a whole body.
#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/asio/post.hpp>

#include "gateway/base/log.hpp"
#include "io_thread.hpp"
#include "response_writer.hpp"
#include "transport.hpp"

namespace gateway::http {

/// The most that is written at once.
constexpr std::size_t streamed_piece = 64 * 1024;

/// Lives in its session, for one response.
template <class Transport>
class body_stream {
 public:
  body_stream(io_thread& home, session_record& session, Transport& to, socket_error& failure)
      : home_(home), session_(session), to_(to), failure_(failure) {}
  body_stream(const body_stream&) = delete;
  body_stream& operator=(const body_stream&) = delete;

  /// Sends the header and the body except its end. Sets the failure if the body is incomplete.
  boost::asio::awaitable<void> begin(response& what, framing how) {
    http_1_0_ = how.http_1_0;
    write_response(home_.text, what, how);
    auto heading = send(home_.text);
    co_await std::move(heading);
    try {
      auto streaming = send_body(what);
      co_await std::move(streaming);
    } catch (const std::exception& e) {
      log::error(
          "stream_failed",
          {{"request_id", how.request_id}, {"trace_id", how.trace}, {"route", what.route}, {"reason", e.what()}});
      failure_ = boost::asio::error::operation_aborted;
    }
    what.next_chunk = {};  // frees what it holds, because end() may wait for a slow client
  }

  /// Marks the body as complete.
  boost::asio::awaitable<void> end() { return send(last_chunk(http_1_0_)); }

  /// Bytes of the body so far.
  std::size_t sent() const noexcept { return sent_; }

 private:
  boost::asio::awaitable<void> send_body(response& what) {
    while (!failure_) {
      session_.deadline = session_record::never;  // the asks behind a chunk have deadlines of their own
      auto making = what.next_chunk();
      const auto chunk = co_await std::move(making);
      if (!chunk) co_return;
      // The session has taken the budget for one piece. A slow client keeps the whole chunk in memory.
      budget_share held{home_.buffers};
      if (chunk->capacity() > streamed_piece && !held.take(chunk->capacity() - streamed_piece))
        throw std::runtime_error("no memory is left for so large a chunk");
      for (std::size_t at = 0; at < chunk->size() && !failure_; at += streamed_piece) {
        const auto piece = std::string_view{*chunk}.substr(at, streamed_piece);
        write_chunk(home_.text, piece, http_1_0_);
        auto sending = send(home_.text);
        co_await std::move(sending);
        if (!failure_) sent_ += piece.size();
      }
      // A client that reads as fast as chunks are made must not keep the thread from its other connections.
      auto yielding = boost::asio::post(to_.socket().get_executor(), boost::asio::use_awaitable);
      co_await std::move(yielding);
    }
  }

  boost::asio::awaitable<void> send(std::string_view bytes) {
    session_.deadline = session_record::clock::now() + home_.shared.config.http.request_timeout;
    return send_all(to_, bytes, failure_);
  }

  io_thread& home_;
  session_record& session_;
  Transport& to_;
  socket_error& failure_;
  std::size_t sent_ = 0;
  bool http_1_0_ = false;
};

}  // namespace gateway::http
