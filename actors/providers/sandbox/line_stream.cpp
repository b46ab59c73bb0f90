#include "line_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace gateway::actors {

namespace {

using boost::system::error_code;

constexpr std::size_t longest_line = 64 * 1024;
/// Limit for unsent data. The connection ends when it is exceeded, because the peer does not read.
constexpr std::size_t most_waiting = 4 * 1024 * 1024;

}  // namespace

void line_stream::connect(const std::string& path, line_handler on_line, end_handler on_end) {
  on_line_ = std::move(on_line);
  on_end_ = std::move(on_end);
  socket_.async_connect(protocol::endpoint{path}, [self = shared_from_this()](error_code failed) {
    if (failed) return self->end();
    self->start(std::move(self->on_line_), std::move(self->on_end_));
  });
}

void line_stream::start(line_handler on_line, end_handler on_end) {
  on_line_ = std::move(on_line);
  on_end_ = std::move(on_end);
  open_ = true;
  read();
  write();
}

void line_stream::send(std::string_view line) {
  if (waiting_.size() > most_waiting) return end();
  waiting_.append(line).append("\n");
  write();
}

void line_stream::end() {
  open_ = false;
  error_code ignored;
  socket_.close(ignored);
  // The handlers' owner may release this stream within them.
  const auto self = shared_from_this();
  on_line_ = nullptr;
  if (const auto on_end = std::exchange(on_end_, nullptr)) on_end();
}

void line_stream::read() {
  boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(read_, longest_line), '\n',
                                [self = shared_from_this()](error_code failed, std::size_t size) {
                                  if (!self->open_) return;
                                  if (failed) return self->end();
                                  const auto line = self->read_.substr(0, size - 1);
                                  self->read_.erase(0, size);
                                  // A copy: the handler may end this stream, which destroys the original.
                                  const auto handle = self->on_line_;
                                  if (!handle(line)) return self->end();
                                  if (self->open_) self->read();
                                });
}

void line_stream::write() {
  if (!open_ || !writing_.empty() || waiting_.empty()) return;
  writing_.swap(waiting_);
  boost::asio::async_write(socket_, boost::asio::buffer(writing_),
                           [self = shared_from_this()](error_code failed, std::size_t) {
                             self->writing_.clear();
                             if (!self->open_) return;
                             if (failed) return self->end();
                             self->write();
                           });
}

}  // namespace gateway::actors
