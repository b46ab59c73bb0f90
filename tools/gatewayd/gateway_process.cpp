#include "gateway_process.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "actor_graph.hpp"
#include "foundations.hpp"
#include "http/call/services.hpp"
#include "http/operator/table.hpp"
#include "http/server/server.hpp"
#include "http/table/public.hpp"

using namespace gateway;

class gateway_process::parts {
 public:
  explicit parts(settings config) : base{std::move(config)}, graph{base} {
    try {
      server = std::make_unique<http::server>(http::server_context_of(graph.services()), graph.system(),
                                              std::move(*base.sockets),
                                              http::handlers{.public_routes = http::handle_public,
                                                             .operator_routes = http::handle_operator,
                                                             .metrics_routes = http::handle_metrics});
    } catch (...) {
      stop();
      throw;
    }
  }

  ~parts() { stop(); }

  void stop() {
    if (!graph.running()) return;
    if (server) server->drain_clients(std::chrono::milliseconds{0});
    graph.drain_dispatcher();
    graph.drain_key_uses();
    graph.drain_mail();
    server.reset();  // operators are answered until here, because the actors that their requests need still run
    graph.drain_witness();
    graph.stop();
  }

  foundations base;
  actor_graph graph;
  std::unique_ptr<http::server> server;
};

gateway_process::gateway_process(settings config) : parts_(std::make_unique<parts>(std::move(config))) {}
gateway_process::~gateway_process() = default;

void gateway_process::start() {
  parts_->graph.wait_for_the_others();
  parts_->server->start();
  parts_->graph.services().ready = true;
}

const std::string& gateway_process::listening_on() const { return parts_->base.listening_on; }
const std::string& gateway_process::operator_listening_on() const { return parts_->base.operator_listening_on; }
void gateway_process::reload_certificate() { parts_->server->reload_certificate(); }

void gateway_process::drain() {
  parts_->graph.leave_the_others();
  const auto longest = parts_->base.config.drain_timeout;
  const auto began = std::chrono::steady_clock::now();
  parts_->server->drain_clients(longest);
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  parts_->graph.drain_gate(std::max(longest - spent, std::chrono::milliseconds{0}));
  parts_->stop();
}

std::string gateway_process::failure() const { return parts_->graph.failure(); }
