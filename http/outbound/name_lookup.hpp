// Resolves names without blocking the caller. The system's resolver blocks, so it runs on separate threads, once at a
// time for each name. Tenants (the parties that chose the names) share the threads and the queue of waiting names
// (gateway/base/shared_amount.hpp): a tenant whose names never resolve leaves at least half of both to the others.
// Answers are fresh for 30 s, and are used for ten minutes while they are looked up again. Failures are kept for as
// long as the lookup took, from 1 s to a minute.
//
// Concurrency: find() on any thread. A thread that is stuck in the resolver when the lookup is destroyed is detached:
// it ends by itself, and calls nothing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace gateway::http {

struct found_addresses {
  std::vector<boost::asio::ip::address> addresses;  ///< in the order of attempts; at most 16
  std::string why;  ///< the resolver's message, if there are no addresses
};

/// Blocks. Called on several threads at once, for different names.
using resolve_function = std::function<found_addresses(const std::string& name)>;

/// getaddrinfo.
found_addresses resolve_by_system(const std::string& name);

class name_lookup {
 public:
  static constexpr unsigned most_threads = 32;  ///< started as they are needed

  explicit name_lookup(resolve_function resolve);
  /// No callback runs after this.
  ~name_lookup();
  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

  using callback = std::function<void(const found_addresses&)>;
  /// Returns a cached result. Otherwise returns nothing, and calls `later` on a thread of the lookup; `later` must not
  /// call into this object. Calls with an empty `tenant` count as one tenant.
  std::optional<found_addresses> find(const std::string& name, const std::string& tenant, callback later);

 private:
  struct shared;
  static void work(std::shared_ptr<shared> state);

  std::shared_ptr<shared> state_;
};

}  // namespace gateway::http
