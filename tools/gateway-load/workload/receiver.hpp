// An endpoint for webhooks: it answers 200 to every post, on its own thread, and keeps the posts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "workload.hpp"

namespace gateway::load {

struct receiver_options {
  std::string listen = "127.0.0.1:0";  ///< ADDR:PORT
  std::string certificate, key;        ///< PEM files; empty: plain HTTP
  /// Called by the receiver's thread with each post that is not the repeat of an earlier one.
  std::function<void(const boost::json::object& envelope, bool rightly_signed)> on_new = {};
};

class receiver {
 public:
  /// Starts listening. Throws std::runtime_error with one line.
  explicit receiver(const receiver_options& options);
  ~receiver();
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;

  std::string url() const;
  /// Sets the destination's secret, with which signatures are checked. To be called before the first event.
  void expect_signatures_of(std::string secret);
  std::uint64_t count() const;
  /// The number of distinct events.
  std::uint64_t events() const;
  std::vector<received_event> received() const;

 private:
  struct server;
  std::unique_ptr<server> server_;
};

}  // namespace gateway::load
