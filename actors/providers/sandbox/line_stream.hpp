// Lines over a Unix socket, both ways and in order: what a sandbox provider in a process of its own is reached by.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/local/stream_protocol.hpp>

namespace gateway::actors {

/// Belongs to one thread, that of its io_context. Ends by itself when the other side goes away or stops reading.
class line_stream : public std::enable_shared_from_this<line_stream> {
 public:
  using protocol = boost::asio::local::stream_protocol;
  using line_handler = std::function<bool(std::string_view line)>;  ///< false: no line of ours, end it
  using end_handler = std::function<void()>;

  explicit line_stream(protocol::socket socket) : socket_(std::move(socket)) {}

  void connect(const std::string& path, line_handler on_line, end_handler on_end);
  /// For a socket that is connected.
  void start(line_handler on_line, end_handler on_end);
  /// `line` without its newline. Before it is connected, lines wait.
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
