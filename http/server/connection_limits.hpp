// How many connections may be open, in all and from one address. Any thread may ask.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gateway::http {

/// What counts as one address: an IPv4 address, the first 64 bits of an IPv6 address, or nothing (a Unix socket).
using address_key = std::array<unsigned char, 8>;
std::optional<address_key> key_of(const sockaddr_storage& peer);

class connection_limits {
 public:
  connection_limits(std::size_t in_all, std::size_t per_address) : most_(in_all), most_per_address_(per_address) {}
  connection_limits(const connection_limits&) = delete;
  connection_limits& operator=(const connection_limits&) = delete;

  /// A connection that was let in. Counts as open until this is destroyed.
  class admission {
   public:
    admission(admission&& other) noexcept : limits_(std::exchange(other.limits_, nullptr)), address_(other.address_) {}
    admission& operator=(admission&&) = delete;
    ~admission() {
      if (limits_ != nullptr) limits_->leave(address_);
    }

   private:
    friend connection_limits;
    admission(connection_limits* limits, std::optional<address_key> address) : limits_(limits), address_(address) {}
    connection_limits* limits_;
    std::optional<address_key> address_;
  };

  /// Nothing if a limit is reached.
  std::optional<admission> admit(const std::optional<address_key>& address);
  std::size_t open() const;

 private:
  struct hash {
    std::size_t operator()(const address_key& key) const noexcept {
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(key.data()), key.size()});
    }
  };

  void leave(const std::optional<address_key>& address);

  const std::size_t most_;
  const std::size_t most_per_address_;
  mutable std::mutex mutex_;
  std::size_t open_ = 0;
  std::unordered_map<address_key, std::size_t, hash> by_address_;
};

}  // namespace gateway::http
