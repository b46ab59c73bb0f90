// The TLS side of the public listener: the certificate, the protocol versions, and replacing the certificate while the
// gateway runs. A connection keeps the context that it started with.
// Concurrency: current() on any thread; reload() on one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "gateway/settings.hpp"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace gateway::http {

using tls_context = std::shared_ptr<ssl_ctx_st>;

/// A certificate chain and its key, both PEM.
struct tls_files {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

/// The configured pair; if none is, the development certificate in data_dir (development_certificate.hpp).
/// Throws std::runtime_error with one line that names what is wrong.
tls_files find_tls_files(const settings& config);

/// Throws std::runtime_error with one line that names the file.
tls_context make_tls_context(const tls_files& files);

/// When the context's certificate expires, in seconds since 1970.
std::int64_t expiry_of(const tls_context& context);

class tls_identity {
 public:
  explicit tls_identity(tls_files files) : files_(std::move(files)), current_(make_tls_context(files_)) {}

  tls_context current() const { return current_.load(std::memory_order_acquire); }
  /// Reads the files again, for new connections. If the pair is invalid, logs that and keeps the old one.
  bool reload();

 private:
  tls_files files_;
  std::atomic<tls_context> current_;
};

}  // namespace gateway::http
