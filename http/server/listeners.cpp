#include "listeners.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "gateway/domain/text.hpp"

namespace gateway::http {

namespace fs = std::filesystem;

namespace {

constexpr int backlog = 4096;
constexpr int socket_flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

[[noreturn]] void cannot_listen(const std::string& where, const std::string& why) {
  throw std::runtime_error("cannot listen on " + where + ": " + why);
}

/// HOST:PORT, or [IPV6]:PORT.
std::pair<std::string, std::string> split_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == text.npos || colon == 0 || colon + 1 == text.size()) cannot_listen(text, "not an ADDRESS:PORT");
  auto host = text.substr(0, colon);
  const auto port = text.substr(colon + 1);
  if (!parse_whole(port, 0, most_port)) {
    cannot_listen(text, "not a port number");
  }
  if (host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != host.npos)
    cannot_listen(text, "an IPv6 address stands in brackets");
  return {host, port};
}

using address_list = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

address_list resolve(const std::string& text) {
  const auto [host, port] = split_address(text);
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); failed != 0)
    cannot_listen(text, gai_strerror(failed));
  return {found, &freeaddrinfo};
}

sockaddr_un unix_address(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    cannot_listen(path.string(),
                  "the path of a Unix socket has at most " + std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
  return address;
}

/// Removes a socket that a crash left behind, but not one that still accepts connections.
void clear_path(const fs::path& path, const sockaddr_un& address) {
  struct stat what{};
  if (::lstat(path.c_str(), &what) != 0) return;
  if (!S_ISSOCK(what.st_mode)) cannot_listen(path.string(), "the path is taken by something else");
  const listening_socket probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (::connect(probe.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    cannot_listen(path.string(), "another gateway runs in this data directory");
  }
  if (errno != ECONNREFUSED) cannot_listen(path.string(), std::strerror(errno));
  ::unlink(path.c_str());
}

/// While it exists, new files and sockets are accessible to this user only.
struct private_umask {
  private_umask() : before(::umask(0177)) {}
  ~private_umask() { ::umask(before); }
  private_umask(const private_umask&) = delete;
  private_umask& operator=(const private_umask&) = delete;
  mode_t before;
};

}  // namespace

listening_socket& listening_socket::operator=(listening_socket&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  path_ = std::exchange(other.path_, {});
  return *this;
}

void listening_socket::close() noexcept {
  if (fd_ < 0) return;
  if (!path_.empty()) ::unlink(path_.c_str());  // before the close: afterwards the path may belong to another gateway
  ::close(fd_);
  fd_ = -1;
}

std::uint16_t listening_socket::port() const {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  if (bound.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  if (bound.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(bound).sin6_port);
  return 0;
}

std::string listening_socket::address() const {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  char host[NI_MAXHOST] = "";
  if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&bound), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&bound), size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) !=
          0) {
    return {};
  }
  const std::string text{host};
  return (text.find(':') == text.npos ? text : "[" + text + "]") + ":" + std::to_string(port());
}

void listening_socket::listen() const {
  if (::listen(fd_, backlog) != 0) cannot_listen(address(), std::strerror(errno));
}

listening_socket bind_tcp(const std::string& address_and_port) {
  const auto found = resolve(address_and_port);
  listening_socket made{::socket(found->ai_family, socket_flags, found->ai_protocol)};
  const int on = 1;
  // REUSEADDR lets a restart take the port despite old connections; it never shares a port that is listened on.
  if (!made || ::setsockopt(made.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(made.fd(), found->ai_addr, found->ai_addrlen) != 0) {
    cannot_listen(address_and_port, std::strerror(errno));
  }
  return made;
}

listening_socket listen_tcp(const std::string& address_and_port) {
  auto made = bind_tcp(address_and_port);
  made.listen();
  return made;
}

listening_socket listen_unix(const fs::path& path) {
  std::error_code failed;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  if (failed) cannot_listen(path.string(), failed.message());
  const auto address = unix_address(path);
  clear_path(path, address);
  listening_socket made{::socket(AF_UNIX, socket_flags, 0)};
  const private_umask alone;
  if (!made || ::bind(made.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    cannot_listen(path.string(), std::strerror(errno));
  }
  made.remove_on_close(path);
  if (::listen(made.fd(), backlog) != 0) cannot_listen(path.string(), std::strerror(errno));
  return made;
}

listeners open_listeners(const settings& config) {
  listeners made;
  // The operator socket first, because two gateways on one data directory is the worse error.
  made.operator_socket = listen_unix(config.data_dir / "operator.sock");
  made.public_tls = config.node.empty() ? listen_tcp(config.listen) : bind_tcp(config.listen);
  if (!config.operator_listen.empty()) made.operator_tcp = listen_tcp(config.operator_listen);
  return made;
}

}  // namespace gateway::http
