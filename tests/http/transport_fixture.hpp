// A server with handlers of its own, on free ports and in a directory of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include "http/call/services.hpp"
#include "http/server/server.hpp"
#include "transport_client.hpp"

namespace gateway::http::testing {

using namespace std::chrono_literals;

/// Removed with its contents.
class temporary_directory {
 public:
  temporary_directory();
  ~temporary_directory();
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// True as soon as the condition holds; false if it does not within ten seconds.
bool eventually(const std::function<bool()>& condition);

// What the handlers below do, by path:
//   /echo        the request as they saw it, in lines
//   /wait        answers once `gate` is open
//   /from        the client's address
//   /large       8 MiB
//   /throw       throws
//   /ask         asks the router for a payment: 200, or 503 with the error
//   /stream?3x1000  streams three chunks of 1000 bytes: a, b, c, and so on
//   /stream/throws  throws after them, instead of ending
//   /stream/gated   makes a chunk only while `gate` is open
//   /stream/slow    makes each chunk in 50 ms
//   /stream/asks    asks the router before each chunk, and throws if it gets an error
extern std::atomic<bool> gate;
extern std::atomic<int> waiting;
extern std::atomic<int> chunks_made;
extern std::atomic<int> streams;  ///< streams whose producers exist
constexpr std::size_t large_body = 8 * 1024 * 1024;

/// The transport makes no outbound calls.
struct mute_outbound final : webhook_client {
  void post(outgoing_post, std::function<void(delivery_attempt)>) override {}
  void check(std::string, std::string, std::function<void(std::optional<std::string>)>) override {}
};

struct test_server {
  explicit test_server(const std::function<void(settings&)>& adjust = {}, router_actor router = {});
  ~test_server();

  client connect() { return client{running->port()}; }
  client connect_operator() { return client::over(config.data_dir / "operator.sock"); }

  temporary_directory directory;
  settings config;
  caf::actor_system_config actor_config;
  caf::actor_system system{actor_config};
  metrics meters;
  gateway::directory merchants;
  system_wall_clock clock;
  mute_outbound outbound;
  write_brakes brake;
  std::unique_ptr<services> shared;
  std::uint16_t operator_port = 0;
  std::unique_ptr<server> running;
};

}  // namespace gateway::http::testing
