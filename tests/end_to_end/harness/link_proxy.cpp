#include "link_proxy.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gateway::e2e {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using generic = asio::generic::stream_protocol;
using error_code = boost::system::error_code;
using steady = std::chrono::steady_clock;

namespace {

/// How much one direction of one connection may buffer before the proxy stops reading, so that the sender waits, as on
/// a network.
constexpr std::size_t held_at_most = std::size_t{1} << 20;

generic::endpoint target_of(const endpoint& target) {
  asio::io_context context;
  tcp::resolver resolver{context};
  return resolver.resolve(tcp::v4(), target.host, std::to_string(target.port)).begin()->endpoint();
}

generic::endpoint target_of(const std::filesystem::path& unix_socket) {
  return asio::local::stream_protocol::endpoint{unix_socket.string()};
}

}  // namespace

// ---- all of it, on the proxy's thread -------------------------------------------------------------

struct link_proxy::switchboard {
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  generic::endpoint target;
  tcp::acceptor acceptor{context};
  tcp::endpoint listens_at{asio::ip::make_address("127.0.0.1"), 0};
  bool is_cut = false;
  bool swallows = false;
  std::chrono::milliseconds there{0}, back{0};
  std::vector<std::shared_ptr<channel>> channels;
  std::thread thread;

  template <class Work>
  auto on_thread(Work what) {
    std::packaged_task<decltype(what())()> task{std::move(what)};
    auto done = task.get_future();
    asio::post(context, [&task] { task(); });
    return done.get();
  }

  explicit switchboard(generic::endpoint to) : target{std::move(to)} {
    listen();
    thread = std::thread{[this] { context.run(); }};
  }
  ~switchboard() {
    on_thread([this] { break_all(); });
    work.reset();
    thread.join();
  }

  void listen();
  void accept();
  void break_all();
  void resume();
  void set(bool hole, std::chrono::milliseconds one_way, std::chrono::milliseconds other_way);
};

// ---- one connection -------------------------------------------------------------------------------

struct link_proxy::channel : std::enable_shared_from_this<channel> {
  struct chunk {
    std::string bytes;
    steady::time_point came;
  };
  /// One direction.
  struct flow {
    std::deque<chunk> held;
    std::size_t held_bytes = 0;
    std::array<char, 16 * 1024> buffer{};
    asio::steady_timer due;
    bool reading = false, writing = false, waiting = false;
    bool ended = false;   ///< the sender has sent its end
    bool closed = false;  ///< the end was passed on to the receiver

    explicit flow(asio::io_context& context) : due{context} {}
  };

  switchboard& board;
  generic::socket client, server;
  flow there{board.context}, back{board.context};
  bool connecting = false, connected = false, over = false;

  channel(switchboard& owner, tcp::socket accepted)
      : board{owner}, client{std::move(accepted)}, server{owner.context} {}

  /// Continues every operation that may continue now.
  void resume() {
    if (over || board.swallows) return;
    if (!connected) return connect();
    for (auto* one : {&there, &back}) {
      one->due.cancel();
      pump(*one);
      read(*one);
    }
  }

  /// Stops pending reads, so that nothing that arrives from now on is read.
  void pause() {
    error_code ignored;
    client.cancel(ignored);
    if (connected) server.cancel(ignored);
  }

  void end() {
    if (std::exchange(over, true)) return;
    const auto self = shared_from_this();  // the list may hold the last reference
    error_code ignored;
    client.close(ignored);
    server.close(ignored);
    there.due.cancel();
    back.due.cancel();
    std::erase_if(board.channels, [this](const auto& one) { return one.get() == this; });
  }

 private:
  void connect() {
    if (std::exchange(connecting, true)) return;
    server.async_connect(board.target, [self = shared_from_this()](const error_code& failed) {
      if (failed) return self->end();
      self->connected = true;
      error_code none;
      self->server.set_option(tcp::no_delay{true}, none);
      self->resume();
    });
  }

  generic::socket& sender(const flow& one) { return &one == &there ? client : server; }
  generic::socket& receiver(const flow& one) { return &one == &there ? server : client; }
  std::chrono::milliseconds delay_of(const flow& one) const { return &one == &there ? board.there : board.back; }

  void read(flow& one) {
    if (over || board.swallows || one.reading || one.ended || one.held_bytes >= held_at_most) return;
    one.reading = true;
    sender(one).async_read_some(asio::buffer(one.buffer),
                                [self = shared_from_this(), &one](const error_code& failed, std::size_t size) {
                                  self->came(one, failed, size);
                                });
  }

  void came(flow& one, const error_code& failed, std::size_t size) {
    one.reading = false;
    if (over) return;
    if (size > 0) {
      one.held.push_back({std::string{one.buffer.data(), size}, steady::now()});
      one.held_bytes += size;
    }
    if (failed && failed != asio::error::operation_aborted) one.ended = true;
    pump(one);
    read(one);
  }

  void pump(flow& one) {
    if (over || board.swallows || one.writing || one.waiting) return;
    if (one.held.empty()) {
      if (one.ended) close(one);
      return;
    }
    const auto due = one.held.front().came + delay_of(one);
    if (due > steady::now()) {
      one.waiting = true;
      one.due.expires_at(due);
      one.due.async_wait([self = shared_from_this(), &one](const error_code&) {
        one.waiting = false;
        self->pump(one);
      });
      return;
    }
    one.writing = true;
    asio::async_write(receiver(one), asio::buffer(one.held.front().bytes),
                      [self = shared_from_this(), &one](const error_code& failed, std::size_t size) {
                        self->went(one, failed, size);
                      });
  }

  void went(flow& one, const error_code& failed, std::size_t size) {
    one.writing = false;
    if (over) return;
    if (failed && failed != asio::error::operation_aborted) return end();
    // A black hole may have interrupted this write; the rest is sent when it is over.
    auto& first = one.held.front();
    one.held_bytes -= size;
    first.bytes.erase(0, size);
    if (first.bytes.empty()) one.held.pop_front();
    pump(one);
    read(one);
  }

  void close(flow& one) {
    if (std::exchange(one.closed, true)) return;
    error_code ignored;
    receiver(one).shutdown(asio::socket_base::shutdown_send, ignored);
    if (there.closed && back.closed) end();
  }
};

void link_proxy::switchboard::listen() {
  acceptor.open(tcp::v4());
  acceptor.set_option(tcp::acceptor::reuse_address{true});
  acceptor.bind(listens_at);
  listens_at = acceptor.local_endpoint();
  acceptor.listen();
  accept();
}

void link_proxy::switchboard::accept() {
  acceptor.async_accept([this](const error_code& failed, tcp::socket accepted) {
    if (failed) return;
    error_code none;
    accepted.set_option(tcp::no_delay{true}, none);
    channels.push_back(std::make_shared<channel>(*this, std::move(accepted)));
    channels.back()->resume();
    accept();
  });
}

void link_proxy::switchboard::break_all() {
  error_code ignored;
  acceptor.close(ignored);
  while (!channels.empty()) channels.back()->end();
}

void link_proxy::switchboard::resume() {
  // A copy, because a channel that ends removes itself from the list.
  const auto all = channels;
  for (const auto& one : all) one->resume();
}

void link_proxy::switchboard::set(bool hole, std::chrono::milliseconds one_way, std::chrono::milliseconds other_way) {
  swallows = hole;
  there = one_way;
  back = other_way;
  if (std::exchange(is_cut, false)) listen();
  if (swallows)
    for (const auto& one : channels) one->pause();
  else
    resume();
}

// ---- what tests see -------------------------------------------------------------------------------

link_proxy::link_proxy(const endpoint& target) : board_{std::make_unique<switchboard>(target_of(target))} {}
link_proxy::link_proxy(const std::filesystem::path& unix_socket)
    : board_{std::make_unique<switchboard>(target_of(unix_socket))} {}
link_proxy::~link_proxy() = default;

endpoint link_proxy::address() const { return {board_->listens_at.address().to_string(), board_->listens_at.port()}; }

void link_proxy::pass() { delay(std::chrono::milliseconds{0}, std::chrono::milliseconds{0}); }

void link_proxy::delay(std::chrono::milliseconds there, std::chrono::milliseconds back) {
  board_->on_thread([&] { board_->set(false, there, back); });
}

void link_proxy::black_hole() {
  board_->on_thread([&] { board_->set(true, board_->there, board_->back); });
}

void link_proxy::cut() {
  board_->on_thread([&] {
    board_->is_cut = true;
    board_->break_all();
  });
}

std::size_t link_proxy::connections() const {
  return board_->on_thread([&] { return board_->channels.size(); });
}

}  // namespace gateway::e2e
