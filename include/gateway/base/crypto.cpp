#include "gateway/base/crypto.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "gateway/base/primitives.hpp"

namespace gateway::crypto {

namespace {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};

using md_ptr = std::unique_ptr<EVP_MD, freed_by<EVP_MD_free>>;
using md_ctx_ptr = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using mac_ptr = std::unique_ptr<EVP_MAC, freed_by<EVP_MAC_free>>;
using mac_ctx_ptr = std::unique_ptr<EVP_MAC_CTX, freed_by<EVP_MAC_CTX_free>>;
using cipher_ptr = std::unique_ptr<EVP_CIPHER, freed_by<EVP_CIPHER_free>>;
using cipher_ctx_ptr = std::unique_ptr<EVP_CIPHER_CTX, freed_by<EVP_CIPHER_CTX_free>>;
using kdf_ptr = std::unique_ptr<EVP_KDF, freed_by<EVP_KDF_free>>;
using kdf_ctx_ptr = std::unique_ptr<EVP_KDF_CTX, freed_by<EVP_KDF_CTX_free>>;

constexpr std::size_t key_size = 32;
constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;

void require(bool worked, const char* what) {
  if (worked) return;
  char reason[160] = "no reason given";
  if (const auto code = ERR_get_error(); code != 0) ERR_error_string_n(code, reason, sizeof reason);
  ERR_clear_error();
  throw std::runtime_error(std::string{"OpenSSL: "} + what + ": " + reason);
}

const unsigned char* bytes_of(std::string_view text) noexcept {
  // Never null, because OpenSSL takes a null key to mean the key of the previous call.
  return reinterpret_cast<const unsigned char*>(text.data() ? text.data() : "");
}
unsigned char* bytes_of(std::string& text) noexcept { return reinterpret_cast<unsigned char*>(text.data()); }

/// A hash that keeps its fetched algorithm and its context between calls.
class sha256_engine {
 public:
  sha256_engine() : algorithm_(EVP_MD_fetch(nullptr, "SHA2-256", nullptr)), context_(EVP_MD_CTX_new()) {
    require(algorithm_ && context_, "SHA-256");
  }

  digest operator()(std::string_view data) {
    digest out;
    require(EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1 &&
                EVP_DigestUpdate(context_.get(), data.data(), data.size()) == 1 &&
                EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1,
            "SHA-256");
    return out;
  }

 private:
  md_ptr algorithm_;
  md_ctx_ptr context_;
};

/// A MAC whose context is re-initialised with each key: a quarter of the cost of the one-shot HMAC().
class hmac_engine {
 public:
  hmac_engine()
      : algorithm_(EVP_MAC_fetch(nullptr, "HMAC", nullptr)),
        context_(algorithm_ ? EVP_MAC_CTX_new(algorithm_.get()) : nullptr) {
    char name[] = "SHA2-256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                                     OSSL_PARAM_construct_end()};
    require(context_ && EVP_MAC_CTX_set_params(context_.get(), parameters) == 1, "HMAC");
  }

  digest operator()(std::string_view key, std::string_view data) {
    digest out;
    std::size_t written = 0;
    require(EVP_MAC_init(context_.get(), bytes_of(key), key.size(), nullptr) == 1 &&
                EVP_MAC_update(context_.get(), bytes_of(data), data.size()) == 1 &&
                EVP_MAC_final(context_.get(), out.data(), &written, out.size()) == 1 && written == out.size(),
            "HMAC");
    return out;
  }

 private:
  mac_ptr algorithm_;
  mac_ctx_ptr context_;
};

class aes_gcm_engine {
 public:
  aes_gcm_engine() : algorithm_(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr)), context_(EVP_CIPHER_CTX_new()) {
    require(algorithm_ && context_, "AES-256-GCM");
  }

  /// Ciphertext followed by its tag.
  std::string encrypt(std::string_view key, std::string_view nonce, std::string_view plain, std::string_view bound_to) {
    std::string out(plain.size() + tag_size, '\0');
    int length = 0;
    bool worked = EVP_EncryptInit_ex2(context_.get(), algorithm_.get(), bytes_of(key), bytes_of(nonce), nullptr) == 1;
    worked = worked && EVP_EncryptUpdate(context_.get(), nullptr, &length, bytes_of(bound_to),
                                         static_cast<int>(bound_to.size())) == 1;
    worked = worked && EVP_EncryptUpdate(context_.get(), bytes_of(out), &length, bytes_of(plain),
                                         static_cast<int>(plain.size())) == 1;
    worked = worked && EVP_EncryptFinal_ex(context_.get(), bytes_of(out) + plain.size(), &length) == 1;
    worked =
        worked && EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, out.data() + plain.size()) == 1;
    EVP_CIPHER_CTX_reset(context_.get());
    require(worked, "AES-256-GCM encryption");
    return out;
  }

  /// nullopt if the tag does not match. `sealed` is ciphertext followed by its tag.
  std::optional<std::string> decrypt(std::string_view key, std::string_view nonce, std::string_view sealed,
                                     std::string_view bound_to) {
    const auto cipher_text = sealed.substr(0, sealed.size() - tag_size);
    std::string tag{sealed.substr(cipher_text.size())};
    std::string plain(cipher_text.size(), '\0');
    unsigned char none[1];
    int length = 0;
    bool worked = EVP_DecryptInit_ex2(context_.get(), algorithm_.get(), bytes_of(key), bytes_of(nonce), nullptr) == 1;
    worked = worked && EVP_DecryptUpdate(context_.get(), nullptr, &length, bytes_of(bound_to),
                                         static_cast<int>(bound_to.size())) == 1;
    worked = worked && EVP_DecryptUpdate(context_.get(), bytes_of(plain), &length, bytes_of(cipher_text),
                                         static_cast<int>(cipher_text.size())) == 1;
    worked = worked && EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1;
    const bool genuine = worked && EVP_DecryptFinal_ex(context_.get(), none, &length) == 1;
    EVP_CIPHER_CTX_reset(context_.get());
    if (genuine) return plain;
    OPENSSL_cleanse(plain.data(), plain.size());
    require(worked, "AES-256-GCM decryption");
    ERR_clear_error();
    return std::nullopt;
  }

 private:
  cipher_ptr algorithm_;
  cipher_ctx_ptr context_;
};

std::string derive_with(const char* algorithm, const OSSL_PARAM* parameters) {
  const kdf_ptr kdf{EVP_KDF_fetch(nullptr, algorithm, nullptr)};
  require(kdf != nullptr, algorithm);
  const kdf_ctx_ptr context{EVP_KDF_CTX_new(kdf.get())};
  require(context != nullptr, algorithm);
  std::string out(key_size, '\0');
  require(EVP_KDF_derive(context.get(), bytes_of(out), out.size(), parameters) == 1, algorithm);
  return out;
}

OSSL_PARAM octets(const char* name, std::string_view value) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<unsigned char*>(bytes_of(value)), value.size());
}

/// Holds a derived key, and wipes it on destruction.
class passing_secret {
 public:
  explicit passing_secret(std::string bytes) : bytes_(std::move(bytes)) {}
  ~passing_secret() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }
  passing_secret(const passing_secret&) = delete;
  passing_secret& operator=(const passing_secret&) = delete;
  operator std::string_view() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

digest sha256(std::string_view data) {
  thread_local sha256_engine engine;
  return engine(data);
}

digest hmac_sha256(std::string_view key, std::string_view data) {
  thread_local hmac_engine engine;
  return engine(key, data);
}

std::string hkdf_sha256(std::string_view key, std::string_view salt, std::string_view info) {
  char name[] = "SHA2-256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, name, 0),
                                   octets(OSSL_KDF_PARAM_KEY, key), octets(OSSL_KDF_PARAM_SALT, salt),
                                   octets(OSSL_KDF_PARAM_INFO, info), OSSL_PARAM_construct_end()};
  return derive_with("HKDF", parameters);
}

std::string scrypt(std::string_view password, std::string_view salt, scrypt_cost cost) {
  std::uint64_t n = std::uint64_t{1} << cost.log2_n;
  // The memory that the algorithm itself needs (128·r·(N + p)), plus some for OpenSSL.
  std::uint64_t memory = 128ull * cost.r * (n + cost.p) + (1 << 20);
  const OSSL_PARAM parameters[] = {octets(OSSL_KDF_PARAM_PASSWORD, password),
                                   octets(OSSL_KDF_PARAM_SALT, salt),
                                   OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
                                   OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &cost.r),
                                   OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &cost.p),
                                   OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory),
                                   OSSL_PARAM_construct_end()};
  return derive_with("SCRYPT", parameters);
}

namespace {
void check_sizes(std::string_view key, std::string_view nonce) {
  if (key.size() != key_size || nonce.size() != nonce_size)
    throw std::invalid_argument("AES-256-GCM takes a key of 32 bytes and a nonce of 12");
}

aes_gcm_engine& gcm() {
  thread_local aes_gcm_engine engine;
  return engine;
}
}  // namespace

std::string gcm_encrypt(std::string_view key, std::string_view nonce, std::string_view plain,
                        std::string_view bound_to) {
  check_sizes(key, nonce);
  return gcm().encrypt(key, nonce, plain, bound_to);
}

std::optional<std::string> gcm_decrypt(std::string_view key, std::string_view nonce, std::string_view sealed,
                                       std::string_view bound_to) {
  check_sizes(key, nonce);
  return sealed.size() < tag_size ? std::nullopt : gcm().decrypt(key, nonce, sealed, bound_to);
}

bool equal_constant_time(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(bytes_of(a), bytes_of(b), a.size()) == 0;
}

std::string random_bytes(std::size_t count) {
  std::string out(count, '\0');
  require(RAND_bytes(bytes_of(out), static_cast<int>(count)) == 1, "random bytes");
  return out;
}

std::string random_hex(std::size_t bytes) {
  const auto raw = random_bytes(bytes);
  return hex({bytes_of(raw), raw.size()});
}

void leave_thread() noexcept { OPENSSL_thread_stop(); }

// ---- the master key -----------------------------------------------------------------------------

master_key::master_key(std::string bytes) : key_(std::move(bytes)) {
  if (key_.size() == key_size) return;
  OPENSSL_cleanse(key_.data(), key_.size());
  throw std::invalid_argument("a master key is 32 bytes");
}

master_key::~master_key() { OPENSSL_cleanse(key_.data(), key_.size()); }

std::string master_key::derive(std::string_view purpose) const { return hkdf_sha256(key_, "", purpose); }

namespace {
// Sealing uses a derived key, so that the master key only derives others.
constexpr std::string_view sealing_purpose = "gateway/seal/v1";
}  // namespace

std::string master_key::seal(std::string_view secret, std::string_view bound_to) const {
  const passing_secret key{derive(sealing_purpose)};
  const auto nonce = random_bytes(nonce_size);
  return base64url(nonce + gcm_encrypt(key, nonce, secret, bound_to));
}

std::optional<std::string> master_key::open(std::string_view sealed, std::string_view bound_to) const {
  const auto raw = from_base64url(sealed);
  if (!raw || raw->size() < nonce_size) return std::nullopt;
  const passing_secret key{derive(sealing_purpose)};
  const std::string_view all = *raw;
  return gcm_decrypt(key, all.substr(0, nonce_size), all.substr(nonce_size), bound_to);
}

// ---- signed tokens ------------------------------------------------------------------------------

std::string sign_token(std::string_view key, std::string_view payload) {
  const auto body = base64url(payload);
  return body + '.' + base64url(to_text(hmac_sha256(key, body)));
}

std::optional<std::string> verify_token(std::string_view key, std::string_view token) {
  const auto dot = token.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto body = token.substr(0, dot);
  const auto mac = from_base64url(token.substr(dot + 1));
  if (!mac || !equal_constant_time(*mac, to_text(hmac_sha256(key, body)))) return std::nullopt;
  return from_base64url(body);
}

}  // namespace gateway::crypto
