#include "gateway/base/keyring.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <openssl/crypto.h>

namespace gateway::crypto {

namespace {

constexpr char after_id = '.';  // no character of base64url
constexpr std::size_t most_of_id = 32;

std::string named(const std::string& id, bool is_named, std::string sealed) {
  if (!is_named || id.empty()) return sealed;
  return std::string{id}.append(1, after_id).append(sealed);
}

/// Opens with the key that the text names; a text without a name with any key.
template <class List, class Open>
std::optional<std::string> open_with(const List& keys, std::string_view sealed, Open open) {
  const auto id = sealing_key_of(sealed);
  if (id.empty()) {
    for (const auto& each : keys)
      if (auto text = open(each, sealed)) return text;
    return std::nullopt;
  }
  sealed.remove_prefix(id.size() + 1);
  for (const auto& each : keys)
    if (each.id == id) return open(each, sealed);
  return std::nullopt;
}

}  // namespace

secret_bytes::~secret_bytes() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

secret_bytes::secret_bytes(secret_bytes&& other) noexcept {
  bytes_.swap(other.bytes_);
  // Swapping copies a short text, so bytes of it may remain in the other string.
  OPENSSL_cleanse(other.bytes_.data(), other.bytes_.capacity());
}

std::string_view sealing_key_of(std::string_view sealed) noexcept {
  const auto at = sealed.find(after_id);
  return at == sealed.npos ? std::string_view{} : sealed.substr(0, at);
}

bool is_key_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= most_of_id &&
         std::ranges::all_of(id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// ---- derived keys -------------------------------------------------------------------------------

derived_keys::derived_keys(std::string_view only) : slot_{std::make_shared<slot>()} {
  auto keys = std::make_shared<list>();
  keys->push_back({{}, secret_bytes{std::string{only}}, false});
  slot_->store(std::move(keys), std::memory_order_release);
}

std::string derived_keys::sign(std::string_view payload) const { return sign_token(all()->front().bytes, payload); }

std::optional<std::string> derived_keys::verify(std::string_view token) const {
  return first_of([&](std::string_view key) { return verify_token(key, token); });
}

digest derived_keys::mac(std::string_view text) const { return hmac_sha256(all()->front().bytes, text); }

std::string derived_keys::seal(std::string_view secret, std::string_view bound_to) const {
  const auto keys = all();
  const auto& current = keys->front();
  return named(current.id, current.named,
               master_key{std::string{std::string_view{current.bytes}}}.seal(secret, bound_to));
}

std::optional<std::string> derived_keys::open(std::string_view sealed, std::string_view bound_to) const {
  const auto keys = all();
  return open_with(*keys, sealed, [&](const one& each, std::string_view text) {
    return master_key{std::string{std::string_view{each.bytes}}}.open(text, bound_to);
  });
}

// ---- master keys --------------------------------------------------------------------------------

keyring::keyring(list keys) { replace(std::move(keys)); }

keyring::keyring(std::string bytes)
    : keyring{list{{{}, std::make_shared<const master_key>(std::move(bytes)), false}}} {}

void keyring::replace(list keys) {
  if (keys.empty()) throw std::invalid_argument{"a keyring has a key"};
  const std::lock_guard hold{derived_access_};
  for (auto& [purpose, slot] : derived_) slot->store(derived(keys, purpose), std::memory_order_release);
  keys_.store(std::make_shared<const list>(std::move(keys)), std::memory_order_release);
}

std::shared_ptr<const derived_keys::list> keyring::derived(const list& keys, const std::string& purpose) {
  auto made = std::make_shared<derived_keys::list>();
  made->reserve(keys.size());
  for (const auto& each : keys) made->push_back({each.id, secret_bytes{each.key->derive(purpose)}, each.named});
  return made;
}

derived_keys keyring::derive(const std::string& purpose) const {
  const std::lock_guard hold{derived_access_};
  auto& slot = derived_[purpose];
  if (!slot) {
    slot = std::make_shared<derived_keys::slot>();
    slot->store(derived(*all(), purpose), std::memory_order_release);
  }
  return derived_keys{slot};
}

std::string keyring::seal(std::string_view secret, std::string_view bound_to) const {
  const auto keys = all();
  const auto& current = keys->front();
  return named(current.id, current.named, current.key->seal(secret, bound_to));
}

std::optional<std::string> keyring::open(std::string_view sealed, std::string_view bound_to) const {
  const auto keys = all();
  return open_with(*keys, sealed,
                   [&](const entry& each, std::string_view text) { return each.key->open(text, bound_to); });
}

bool keyring::is_current(std::string_view sealed) const {
  const auto keys = all();
  const auto& current = keys->front();
  const auto id = sealing_key_of(sealed);
  return current.named ? !id.empty() && id == current.id : id.empty();
}

}  // namespace gateway::crypto
