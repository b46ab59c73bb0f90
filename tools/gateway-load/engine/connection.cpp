#include "connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <openssl/err.h>
#include <openssl/x509.h>

#include "gateway/domain/text.hpp"

namespace gateway::load {

namespace {

constexpr std::size_t first_buffer = 8 * 1024;

/// `lower` must be in lower case.
bool same_name(std::string_view name, std::string_view lower) noexcept {
  if (name.size() != lower.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != static_cast<unsigned char>(lower[i])) return false;
  }
  return true;
}

}  // namespace

bool connection::open() {
  close();
  fault_.clear();
  fd_ = ::socket(to_->address()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) {
    fault_ = std::string{"no socket: "} + std::strerror(errno);
    return false;
  }
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  connected_ = ::connect(fd_, to_->address(), to_->address_size()) == 0;
  if (!connected_ && errno != EINPROGRESS) {
    fault_ = std::strerror(errno);
    close();
    return false;
  }
  tls_ = to_->new_session();
  SSL_set_fd(tls_.get(), fd_);
  SSL_set_connect_state(tls_.get());
  state_ = state::opening;
  wants_to_write_ = true;
  return true;
}

void connection::close() {
  tls_.reset();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  state_ = state::closed;
  wants_to_write_ = false;
  connected_ = false;
  unsent_.clear();
}

connection::event connection::fail(loss why) {
  why_ = why;
  close();
  ERR_clear_error();
  return event::broken;
}

connection::event connection::on_ready() {
  switch (state_) {
    case state::closed: return event::none;
    case state::opening: return handshake();
    case state::busy:
      if (!unsent_.empty() && !write()) return fail(loss::connection_broken);
      return read();
    case state::free: return read();
  }
  return event::none;
}

connection::event connection::handshake() {
  if (!connected_) {
    int failure = 0;
    socklen_t size = sizeof failure;
    ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &failure, &size);
    if (failure != 0) {
      fault_ = std::strerror(failure);
      return fail(loss::connect_failed);
    }
    sockaddr_storage peer{};
    socklen_t peer_size = sizeof peer;
    if (::getpeername(fd_, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) return event::none;
    connected_ = true;
  }
  const int done = SSL_do_handshake(tls_.get());
  if (done == 1) {
    state_ = state::free;
    wants_to_write_ = false;
    return event::opened;
  }
  const int reason = SSL_get_error(tls_.get(), done);
  wants_to_write_ = reason == SSL_ERROR_WANT_WRITE;
  if (reason == SSL_ERROR_WANT_WRITE || reason == SSL_ERROR_WANT_READ) return event::none;
  if (const long wrong = SSL_get_verify_result(tls_.get()); wrong != X509_V_OK) {
    fault_ = std::string{"its certificate is not trusted: "} + X509_verify_cert_error_string(wrong);
  } else if (const auto* text = ERR_reason_error_string(ERR_peek_error()); text != nullptr) {
    fault_ = std::string{"TLS: "} + text;
  } else {
    fault_ = "TLS: the server closed the connection";
  }
  return fail(loss::connect_failed);
}

bool connection::send(std::string_view bytes) {
  filled_ = searched_ = head_size_ = body_size_ = 0;
  length_known_ = last_ = false;
  state_ = state::busy;
  const int count = SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
  if (count == static_cast<int>(bytes.size())) return true;
  unsent_ = bytes.substr(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count <= 0) {
    if (SSL_get_error(tls_.get(), count) != SSL_ERROR_WANT_WRITE) {
      fail(loss::connection_broken);
      return false;
    }
    wants_to_write_ = true;
    return true;
  }
  if (write()) return true;
  fail(loss::connection_broken);
  return false;
}

bool connection::write() {
  while (!unsent_.empty()) {
    const int count = SSL_write(tls_.get(), unsent_.data(), static_cast<int>(unsent_.size()));
    if (count <= 0) {
      wants_to_write_ = SSL_get_error(tls_.get(), count) == SSL_ERROR_WANT_WRITE;
      return wants_to_write_;
    }
    unsent_.erase(0, static_cast<std::size_t>(count));
  }
  wants_to_write_ = false;
  return true;
}

connection::event connection::read() {
  do {
    if (filled_ == buffer_.size()) {
      if (filled_ == most_answer_bytes) return fail(loss::bad_answer);
      buffer_.resize(std::clamp(buffer_.size() * 2, first_buffer, most_answer_bytes));
    }
    const int count = SSL_read(tls_.get(), buffer_.data() + filled_, static_cast<int>(buffer_.size() - filled_));
    if (count <= 0) {
      const int reason = SSL_get_error(tls_.get(), count);
      if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return event::none;
      return fail(loss::connection_broken);
    }
    // An answer without a request.
    if (state_ != state::busy) return fail(loss::bad_answer);
    filled_ += static_cast<std::size_t>(count);
    if (const auto now = parse(); now != event::none) return now;
    // Once OpenSSL holds no more bytes, another read would return nothing: polling reports the next ones.
  } while (SSL_has_pending(tls_.get()) == 1);
  return event::none;
}

connection::event connection::parse() {
  const std::string_view all{buffer_.data(), filled_};
  if (head_size_ == 0) {
    const auto end = all.find("\r\n\r\n", searched_);
    if (end == std::string_view::npos) {
      searched_ = filled_ < 3 ? 0 : filled_ - 3;
      return event::none;
    }
    head_size_ = end + 4;
    if (!parse_head(all.substr(0, end + 2))) return fail(loss::bad_answer);
  }
  if (body_size_ > most_answer_bytes - std::min(most_answer_bytes, head_size_)) return fail(loss::bad_answer);
  if (filled_ < head_size_ + body_size_) return event::none;
  if (filled_ > head_size_ + body_size_) return fail(loss::bad_answer);
  got_.body = all.substr(head_size_);
  got_.request_id = all.substr(id_at_, id_size_);
  if (last_)
    close();
  else
    state_ = state::free;
  return event::answered;
}

/// `head` is lines that each end with CR LF.
bool connection::parse_head(std::string_view head) {
  got_ = {};
  id_at_ = id_size_ = 0;
  if (head.size() < 14 || !head.starts_with("HTTP/1.") || head[8] != ' ') return false;
  if (std::from_chars(head.data() + 9, head.data() + 12, got_.status).ptr != head.data() + 12) return false;
  if (got_.status < 200 || got_.status > 599) return false;
  last_ = head[7] == '0';
  const auto line = head.find('\n');
  if (head[line - 1] != '\r') return false;
  head.remove_prefix(line + 1);
  while (!head.empty()) {
    const auto end = head.find('\n');
    if (end == 0 || head[end - 1] != '\r' || !parse_field(head.substr(0, end - 1))) return false;
    head.remove_prefix(end + 1);
  }
  return length_known_ || got_.status == 204 || got_.status == 304;
}

/// Compares the length of the name first, because most names differ in it.
bool connection::parse_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto name = line.substr(0, colon);
  const auto value = trimmed(line.substr(colon + 1));
  switch (name.size()) {
    case 10:
      if (same_name(name, "request-id")) {
        id_at_ = static_cast<std::size_t>(value.data() - buffer_.data());
        id_size_ = value.size();
      } else if (same_name(name, "connection") && same_name(value, "close")) {
        last_ = true;
      }
      return true;
    case 11:
      if (same_name(name, "retry-after")) got_.has_retry_after = true;
      return true;
    case 14:
      if (same_name(name, "content-length")) {
        const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), body_size_);
        if (length_known_ || failure != std::errc{} || end != value.data() + value.size()) return false;
        length_known_ = true;
      }
      return true;
    case 17: return !same_name(name, "transfer-encoding");
    case 19:
      if (same_name(name, "idempotent-replayed")) got_.replayed = same_name(value, "true");
      return true;
    default: return true;
  }
}

}  // namespace gateway::load
