// The server that receives the load: its address, whether that address is allowed, and the certificates that TLS
// trusts.
#pragma once

#include <sys/socket.h>

#include <filesystem>
#include <memory>
#include <string>

#include <openssl/ssl.h>

namespace gateway::load {

struct target_options {
  std::string url;                 ///< https://HOST[:PORT]; empty: where the gateway of data_dir listens
  bool allow_remote = false;       ///< otherwise the URL has to resolve to this machine
  bool insecure = false;           ///< trusts any certificate, of this machine only
  std::filesystem::path ca_file;   ///< PEM; empty: see data_dir
  std::filesystem::path
      data_dir;  ///< of a gateway on this machine: its development certificate is trusted; empty: the system's list
};

class target {
 public:
  /// Resolves the name once. Throws std::invalid_argument with one line.
  explicit target(const target_options& options);

  const std::string& url() const noexcept { return url_; }
  const std::string& authority() const noexcept { return authority_; }
  const sockaddr* address() const noexcept { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t address_size() const noexcept { return address_size_; }

  using session = std::unique_ptr<SSL, decltype(&SSL_free)>;
  /// A TLS session that is not yet connected. It checks the server's name where certificates are checked. Threads may
  /// share a target.
  session new_session() const;

 private:
  std::string url_, authority_, host_;
  bool host_is_address_ = false;
  sockaddr_storage address_{};
  socklen_t address_size_ = 0;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_;
};

}  // namespace gateway::load
