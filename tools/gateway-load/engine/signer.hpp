// Writes signed requests in the form in which they are sent. What does not change between requests is computed once: at
// tens of thousands of requests a second, computing the key's state each time would be half of the cost.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "request.hpp"

namespace gateway::load {

struct credentials {
  std::string key_id;
  std::string secret;
};

/// The merchant for which a platform's key acts, and the environment.
struct merchant_scope {
  std::string merchant;  ///< becomes Service-Merchant; empty: the keys are merchants' own
  std::string environment;  ///< test or live
};

/// The keys of all callers, by number, prepared for signing. Each takes some 90 bytes, since there may be a million.
/// Concurrency: filled by one thread, then read by all.
class key_ring {
 public:
  /// The states of HMAC's inner and outer SHA-256 after their first block, which depends on the key only.
  struct key_state {
    std::array<std::uint32_t, 8> inner, outer;
  };

  /// The key gets the next number, from 0.
  void add(const credentials& key);

  std::size_t size() const noexcept { return states_.size(); }
  const key_state& state(std::size_t caller) const { return states_[caller]; }
  std::string_view id(std::size_t caller) const {
    const auto begin = caller == 0 ? 0 : ids_end_[caller - 1];
    return std::string_view{ids_}.substr(begin, ids_end_[caller] - begin);
  }

 private:
  std::vector<key_state> states_;
  std::string ids_;  ///< all ids, concatenated
  std::vector<std::uint32_t> ids_end_;
};

/// Concurrency: each thread has a copy; the copies share the keys.
class signer {
 public:
  using hex_digest = std::array<char, 64>;

  /// `authority` becomes the Host header. `keys` must have all its keys, at least one.
  signer(std::string_view authority, std::shared_ptr<const key_ring> keys, const merchant_scope& as = {});
  /// For one caller.
  signer(std::string_view authority, const credentials& key, const merchant_scope& as = {});

  /// Replaces `into` with the whole request.
  void write(const request& what, std::time_t now, std::string& into);

  /// `path` without the query.
  hex_digest signature(std::uint32_t caller, std::string_view method, std::string_view path, std::string_view timestamp,
                       std::string_view body) const;

 private:
  std::shared_ptr<const key_ring> keys_;
  std::string environment_;  ///< the last part of each query; empty: none
  std::string host_;  ///< the text between the query and the key's id
  std::time_t at_ = -1;
  std::string timestamp_;
};

}  // namespace gateway::load
