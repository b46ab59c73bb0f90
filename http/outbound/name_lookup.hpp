// Names to addresses, without holding anybody up: the system's resolver blocks, so it runs on threads of its own, for
// each name once at a time. Tenants share the threads and the places of names that wait (gateway/shared_amount.hpp):
// names of one tenant that never resolve leave half of them to the others. Answers are kept for 30 s, and serve for ten
// minutes while they are looked for anew; failures for as long as they took, from 1 s to a minute.
//
// Concurrency: find() on any thread. A thread that is stuck in the resolver when the lookup is destroyed is left behind:
// it ends by itself, and tells nobody.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace gateway::http {

struct found_addresses {
  std::vector<boost::asio::ip::address> addresses;  ///< in the order to try them; at most 16
  std::string why;  ///< there are none, in the resolver's words
};

/// Blocks. Called on several threads at once, for different names.
using resolve_function = std::function<found_addresses(const std::string& name)>;

/// getaddrinfo.
found_addresses resolve_by_system(const std::string& name);

class name_lookup {
 public:
  static constexpr unsigned most_threads = 32;  ///< begun as they are needed

  explicit name_lookup(resolve_function resolve);
  /// No callback runs after this.
  ~name_lookup();
  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

  using callback = std::function<void(const found_addresses&)>;
  /// What is known; or nothing, and then `later` is called, on a thread of the lookup. It must not call back into this.
  /// `tenant`: for whom; all that have none count as one.
  std::optional<found_addresses> find(const std::string& name, const std::string& tenant, callback later);

 private:
  struct shared;
  static void work(std::shared_ptr<shared> state);

  std::shared_ptr<shared> state_;
};

}  // namespace gateway::http
