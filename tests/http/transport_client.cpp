#include "transport_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "gateway/base/crypto.hpp"

namespace gateway::http::testing {

namespace {

void set_patience(int fd, std::chrono::milliseconds time) {
  const timeval patience{time.count() / 1000, static_cast<suseconds_t>(time.count() % 1000 * 1000)};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

int connect_to(int family, const sockaddr* address, socklen_t size) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_patience(fd, tests::hang_timeout);
  const int on = 1;
  if (family == AF_INET) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, address, size) == 0) return fd;
  ::close(fd);
  return -1;
}

int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect_to(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

/// OpenSSL writes with write(2); SIGPIPE of a connection that the server has closed must not end the test program.
[[maybe_unused]] const auto pipes_ignored = ::signal(SIGPIPE, SIG_IGN);

}  // namespace

client::client(std::uint16_t port, tls_options options) : fd_(connect_to(port)) {
  if (fd_ < 0) return;
  for (auto rest = options.first; !rest.empty();) {
    const auto count = options.piece == 0 ? rest.size() : std::min(options.piece, rest.size());
    if (::send(fd_, rest.data(), count, MSG_NOSIGNAL) < 0) return;
    rest.remove_prefix(count);
  }
  context_ = {SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  if (options.most_version != 0) {
    SSL_CTX_set_min_proto_version(context_.get(), 0);
    SSL_CTX_set_max_proto_version(context_.get(), options.most_version);
    SSL_CTX_set_cipher_list(context_.get(), "ALL:@SECLEVEL=0");
  }
  if (!options.protocols.empty()) {
    SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(options.protocols.data()),
                            static_cast<unsigned>(options.protocols.size()));
  }
  ssl_ = {SSL_new(context_.get()), SSL_free};
  SSL_set_fd(ssl_.get(), fd_);
  shaken_ = SSL_connect(ssl_.get()) == 1;
}

client client::plain(std::uint16_t port) { return client{connect_to(port)}; }

client client::over(const std::filesystem::path& unix_socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, unix_socket.c_str(), sizeof address.sun_path - 1);
  return client{connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address)};
}

client::client(client&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      context_(std::move(other.context_)),
      ssl_(std::move(other.ssl_)),
      shaken_(other.shaken_),
      buffer_(std::move(other.buffer_)) {}

client::~client() {
  ssl_.reset();
  if (fd_ >= 0) ::close(fd_);
}

std::string client::subject() const {
  const std::unique_ptr<X509, decltype(&X509_free)> peer{SSL_get1_peer_certificate(ssl_.get()), X509_free};
  char text[256] = "";
  X509_NAME_oneline(X509_get_subject_name(peer.get()), text, sizeof text);
  return text;
}

std::string client::fingerprint() const {
  const std::unique_ptr<X509, decltype(&X509_free)> peer{SSL_get1_peer_certificate(ssl_.get()), X509_free};
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(peer.get(), EVP_sha256(), digest, &size);
  return crypto::hex({digest, size});
}

std::string client::chosen_protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

bool client::has_ticket() const { return SSL_SESSION_has_ticket(SSL_get0_session(ssl_.get())) == 1; }

void client::patience(std::chrono::milliseconds time) { set_patience(fd_, time); }

bool client::send(std::string_view bytes) {
  if (fd_ < 0) return false;
  if (ssl_)
    return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
  return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool client::fill() {
  char bytes[16384];
  const auto count =
      ssl_ ? SSL_read(ssl_.get(), bytes, sizeof bytes) : static_cast<int>(::recv(fd_, bytes, sizeof bytes, 0));
  if (count <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

client::rest client::receive_all() {
  for (;;) {
    errno = 0;
    if (fill()) continue;
    const bool in_order = ssl_ ? (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0 : errno == 0;
    return {std::exchange(buffer_, {}), in_order};
  }
}

std::optional<std::string> client::take_line() {
  for (;;) {
    if (const auto end = buffer_.find("\r\n"); end != buffer_.npos) {
      auto line = buffer_.substr(0, end);
      buffer_.erase(0, end + 2);
      return line;
    }
    if (!fill()) return std::nullopt;
  }
}

std::optional<reply> client::receive(bool without_body) {
  auto line = take_line();
  if (!line || line->size() < 12 || !line->starts_with("HTTP/1.1 ")) return std::nullopt;
  reply out;
  out.status = std::stoi(line->substr(9, 3));
  while ((line = take_line()) && !line->empty()) {
    const auto colon = line->find(": ");
    auto name = line->substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    out.headers[name] = line->substr(colon + 2);
  }
  if (!line) return std::nullopt;
  const auto length =
      without_body || out.header("content-length").empty() ? 0 : std::stoul(out.header("content-length"));
  while (buffer_.size() < length) {
    if (!fill()) return std::nullopt;
  }
  out.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return out;
}

bool client::ends() {
  char byte = 0;
  errno = 0;
  const auto count = ssl_ ? SSL_read(ssl_.get(), &byte, 1) : static_cast<int>(::recv(fd_, &byte, 1, 0));
  const bool waited_in_vain = errno == EAGAIN || errno == EWOULDBLOCK;
  return count <= 0 && !waited_in_vain;
}

std::string get(std::string_view target, std::string_view more_headers) {
  return "GET " + std::string{target} + " HTTP/1.1\r\nHost: localhost\r\n" + std::string{more_headers} + "\r\n";
}

std::string post(std::string_view target, std::string_view body, std::string_view more_headers) {
  return "POST " + std::string{target} +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string{more_headers} + "\r\n" + std::string{body};
}

}  // namespace gateway::http::testing
