// An endpoint for webhooks: answers 200 to all, on a thread of its own, and remembers what came.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workload.hpp"

namespace gateway::load {

struct receiver_options {
  std::string listen = "127.0.0.1:0";  ///< ADDR:PORT
  std::string certificate, key;        ///< PEM files; empty: plain HTTP
};

class receiver {
 public:
  /// Listens from now on. Throws std::runtime_error with one line.
  explicit receiver(const receiver_options& options);
  ~receiver();
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;

  std::string url() const;
  /// Of the destination: what signatures are checked with. Before the first event.
  void expect_signatures_of(std::string secret);
  std::uint64_t count() const;
  /// Distinct events.
  std::uint64_t events() const;
  std::vector<received_event> received() const;

 private:
  struct server;
  std::unique_ptr<server> server_;
};

}  // namespace gateway::load
