// The master keys that the gateway holds, and the keys derived from them. The current key seals and signs new texts.
// Every key opens and verifies texts that were sealed or signed under it.
//
// A sealed text names its key: `<id>.<base64url>`. A text without a name was sealed before keys had names.
// Concurrency: any thread uses the keys while one thread replaces them. A use copies a shared_ptr to an immutable list.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/crypto.hpp"

namespace gateway::crypto {

/// A secret that is wiped on destruction.
class secret_bytes {
 public:
  explicit secret_bytes(std::string bytes) : bytes_{std::move(bytes)} {}
  ~secret_bytes();
  secret_bytes(const secret_bytes&) = delete;
  secret_bytes& operator=(const secret_bytes&) = delete;
  secret_bytes(secret_bytes&&) noexcept;
  secret_bytes& operator=(secret_bytes&&) = delete;
  operator std::string_view() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// The id of the key that sealed the text; empty if the text does not name it.
std::string_view sealing_key_of(std::string_view sealed) noexcept;

/// Whether `id` can name a key: 1 to 32 lower-case letters, digits and hyphens.
bool is_key_id(std::string_view id) noexcept;

/// The keys of one purpose, derived from the master keys. Copies share the keys, and follow a rotation.
class derived_keys {
 public:
  struct one {
    std::string id;
    secret_bytes bytes;
    bool named = true;  ///< whether texts that it seals name it
  };
  using list = std::vector<one>;  ///< the current key first

  /// One key that no rotation changes. Texts that it seals do not name it.
  derived_keys(std::string_view only = {});
  derived_keys(const std::string& only) : derived_keys{std::string_view{only}} {}
  derived_keys(const char* only) : derived_keys{std::string_view{only}} {}

  std::shared_ptr<const list> all() const { return slot_->load(std::memory_order_acquire); }

  /// As sign_token() and verify_token().
  std::string sign(std::string_view payload) const;
  std::optional<std::string> verify(std::string_view token) const;
  /// HMAC-SHA-256 under the current key.
  digest mac(std::string_view text) const;
  /// Calls `read(std::string_view key)` for each key, the current one first. Returns the first result that is not
  /// empty.
  template <class Read>
  auto first_of(Read read) const -> decltype(read(std::string_view{})) {
    const auto keys = all();
    for (const auto& each : *keys)
      if (auto found = read(std::string_view{each.bytes})) return found;
    return {};
  }

  /// As master_key::seal() and open(), for keys of 32 bytes.
  std::string seal(std::string_view secret, std::string_view bound_to) const;
  std::optional<std::string> open(std::string_view sealed, std::string_view bound_to) const;

 private:
  friend class keyring;
  using slot = std::atomic<std::shared_ptr<const list>>;
  explicit derived_keys(std::shared_ptr<slot> of) : slot_{std::move(of)} {}

  std::shared_ptr<slot> slot_;
};

class keyring {
 public:
  struct entry {
    std::string id;
    std::shared_ptr<const master_key> key;
    bool named = true;  ///< as in derived_keys
  };
  using list = std::vector<entry>;  ///< the current key first

  /// Throws std::invalid_argument if there is no key.
  explicit keyring(list keys);
  /// One key of 32 bytes. Texts that it seals do not name it.
  explicit keyring(std::string bytes);
  keyring(const keyring&) = delete;
  keyring& operator=(const keyring&) = delete;

  /// From now on only these keys are used, also for the derived keys. Texts that were sealed under a removed key can no
  /// longer be opened.
  void replace(list keys);
  std::shared_ptr<const list> all() const { return keys_.load(std::memory_order_acquire); }

  derived_keys derive(const std::string& purpose) const;

  std::string seal(std::string_view secret, std::string_view bound_to) const;
  /// nullopt if the text was changed, is bound to other text, or names a key that is not held.
  std::optional<std::string> open(std::string_view sealed, std::string_view bound_to) const;
  /// Whether the text was sealed under the current key.
  bool is_current(std::string_view sealed) const;

 private:
  static std::shared_ptr<const derived_keys::list> derived(const list& keys, const std::string& purpose);

  std::atomic<std::shared_ptr<const list>> keys_;
  mutable std::mutex derived_access_;
  mutable std::map<std::string, std::shared_ptr<derived_keys::slot>> derived_;  ///< by purpose
};

}  // namespace gateway::crypto
