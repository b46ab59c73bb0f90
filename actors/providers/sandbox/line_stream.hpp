// Lines over a Unix socket, in both directions and in order: the connection to a sandbox provider in another process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/local/stream_protocol.hpp>

namespace gateway::actors {

/// Used by one thread, that of its io_context. Ends by itself when the peer closes the connection or stops reading.
class line_stream : public std::enable_shared_from_this<line_stream> {
 public:
  using protocol = boost::asio::local::stream_protocol;
  using line_handler = std::function<bool(std::string_view line)>;  ///< false: not a valid line, end the stream
  using end_handler = std::function<void()>;

  explicit line_stream(protocol::socket socket) : socket_(std::move(socket)) {}

  void connect(const std::string& path, line_handler on_line, end_handler on_end);
  /// For a connected socket.
  void start(line_handler on_line, end_handler on_end);
  /// `line` has no newline. Lines that are sent before the connection is established wait.
  void send(std::string_view line);
  /// Calls on_end, once.
  void end();

 private:
  void read();
  void write();

  protocol::socket socket_;
  line_handler on_line_;
  end_handler on_end_;
  std::string read_, waiting_, writing_;
  bool open_ = false;
};

}  // namespace gateway::actors
