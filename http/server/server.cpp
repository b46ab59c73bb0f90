#include "server.hpp"

#include <algorithm>
#include <future>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/post.hpp>

#include "acceptor.hpp"
#include "gateway/base/log.hpp"
#include "gateway/base/networks.hpp"
#include "tls.hpp"

namespace gateway::http {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

/// Operators must be able to connect when clients cannot.
constexpr std::size_t operator_connections = 64;
constexpr auto look_again = 5ms;
constexpr auto abandoned_answers_time = 500ms;  ///< for answers to requests whose asks were abandoned

unsigned thread_count(const settings& config) {
  return config.http_threads != 0 ? config.http_threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

class server::implementation {
 public:
  implementation(const server_context& given, caf::actor_system& system, listeners sockets, handlers routes)
      : shared_(given),
        routes_(routes),
        identity_(find_tls_files(given.config)),
        port_(sockets.public_tls.port()),
        public_limits_(given.config.http.connections, given.config.http.connections_per_address),
        operator_limits_(operator_connections, operator_connections),
        proxies_(std::get<networks>(networks::parse(given.config.proxy_protocol_from))) {
    show_expiry();
    for (unsigned number = 0; number < thread_count(given.config); ++number) {
      threads_.push_back(std::make_unique<io_thread>(given, system, identity_, routes_, number));
    }
    listen(std::move(sockets.public_tls), entrance::public_tls, public_limits_);
    listen(std::move(sockets.operator_socket), entrance::operator_socket, operator_limits_);
    listen(std::move(sockets.operator_tcp), entrance::operator_tcp, operator_limits_);
  }

  ~implementation() { drain(0ms); }

  void start() {
    for (auto& one : acceptors_) one->start();
    for (auto& one : threads_) one->start();
    running_ = true;
  }

  void drain_clients(std::chrono::milliseconds longest) {
    shared_.draining.store(true);
    if (!running_ || drain_ends_) return;
    drain_ends_ = steady::now() + longest;
    end_sessions(whose::clients);
  }

  void drain(std::chrono::milliseconds longest) {
    drain_clients(longest);
    if (running_) {
      end_sessions(whose::everyone);
      running_ = false;
    }
    for (auto& one : threads_) one->join();
    acceptors_.clear();
  }

  std::uint16_t port() const { return port_; }
  void reload_certificate() {
    identity_.reload();
    show_expiry();
  }
  std::size_t connections() const { return connections(whose::everyone); }

 private:
  void show_expiry() { shared_.meters.certificate_expires_at.Set(static_cast<double>(expiry_of(identity_.current()))); }

  void listen(listening_socket socket, entrance kind, connection_limits& limits) {
    if (!socket) return;
    auto& context = threads_.front()->context();
    // Operators' programs and load balancers' probes connect to the other listeners without a PROXY header.
    const auto& proxies = kind == entrance::public_tls ? proxies_ : no_proxies_;
    acceptors_.push_back(
        std::make_unique<acceptor>(context, std::move(socket), kind, limits, proxies, threads_, shared_.meters));
  }

  std::size_t connections(whose of) const {
    const auto of_one = [of](const auto& one) { return one->connections(of); };
    return std::transform_reduce(threads_.begin(), threads_.end(), std::size_t{0}, std::plus{}, of_one);
  }

  void end_sessions(whose of) {
    refuse_new(of);
    if (!wait_until_empty(of, *drain_ends_)) cut_off(of);
  }

  void refuse_new(whose of) {
    std::promise<void> refused;
    boost::asio::post(threads_.front()->context(), [&] {
      for (auto& one : acceptors_) {
        if (covers(of, one->kind())) one->stop();
      }
      refused.set_value();
    });
    refused.get_future().wait();
  }

  /// Repeats the request to drain, because a connection that was just accepted may have no session yet.
  bool wait_until_empty(whose of, steady::time_point end) {
    for (;;) {
      if (connections(of) == 0) return true;
      const auto now = steady::now();
      if (now >= end) return false;
      for (auto& one : threads_) one->begin_drain(of, end - now > next_request_within);
      std::this_thread::sleep_for(look_again);
    }
  }

  void cut_off(whose of) {
    for (auto& one : threads_) one->abandon_asks();
    if (wait_until_empty(of, steady::now() + abandoned_answers_time)) return;
    log::warn("connections_cut_off", {{"count", connections(of)}});
    for (auto& one : threads_) one->abort(of);
    wait_until_empty(of, steady::now() + abandoned_answers_time);
  }

  const server_context shared_;
  const handlers routes_;
  tls_identity identity_;
  const std::uint16_t port_;
  connection_limits public_limits_;
  connection_limits operator_limits_;
  const networks proxies_;
  const networks no_proxies_;
  acceptor::thread_list threads_;
  std::vector<std::unique_ptr<acceptor>> acceptors_;  ///< on the first thread's context
  bool running_ = false;
  std::optional<steady::time_point> drain_ends_;
};

server::server(const server_context& given, caf::actor_system& system, listeners sockets, handlers routes)
    : self_(std::make_unique<implementation>(given, system, std::move(sockets), routes)) {}
server::~server() = default;

void server::start() { self_->start(); }
std::uint16_t server::port() const { return self_->port(); }
void server::reload_certificate() { self_->reload_certificate(); }
void server::drain_clients(std::chrono::milliseconds longest) { self_->drain_clients(longest); }
void server::drain(std::chrono::milliseconds longest) { self_->drain(longest); }
std::size_t server::connections() const { return self_->connections(); }

}  // namespace gateway::http
