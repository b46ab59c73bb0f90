// The only source of gatewayctl that includes Beast: its parser, over a plain socket.
#include "operator_client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>

#include <boost/beast/http/basic_parser.hpp>

namespace gateway::ctl {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr std::chrono::seconds answer_timeout{30};
constexpr std::uint64_t most_answer_bytes = 64 << 20;  ///< enough for a list of a thousand events of the largest size
constexpr std::size_t bytes_at_once = 64 * 1024;

/// Keeps the status and the body.
class answer_parser : public http::basic_parser<false> {
 public:
  operator_answer answer;

 private:
  using text = boost::beast::string_view;

  void on_request_impl(http::verb, text, text, int, error_code&) override {}
  void on_response_impl(int status, text, int, error_code&) override { answer.status = static_cast<unsigned>(status); }
  void on_field_impl(http::field, text, text, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(text part, error_code&) override {
    answer.body.append(part.data(), part.size());
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text part, error_code& failure) override {
    return on_body_impl(part, failure);
  }
  void on_finish_impl(error_code&) override {}
};

std::string message_of(int error) { return std::generic_category().message(error); }

class descriptor {
 public:
  descriptor() : is_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~descriptor() { ::close(is_); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  operator int() const noexcept { return is_; }

 private:
  int is_;
};

}  // namespace

class operator_connection::conversation {
 public:
  explicit conversation(std::filesystem::path data_dir)
      : data_dir_(std::move(data_dir)), path_((data_dir_ / "operator.sock").string()) {}

  void connect() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof address.sun_path)
      throw no_answer("cannot use the operator socket of '" + data_dir_.string() + "': " + message_of(ENAMETOOLONG));
    std::ranges::copy(path_, address.sun_path);
    // A gateway that accepts no connection within this time counts as one that does not answer.
    const timeval longest{answer_timeout.count(), 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
    const int failure = errno;
    if (failure == ENOENT || failure == ECONNREFUSED)
      throw no_answer("no gateway is running on data directory '" + data_dir_.string() + "' (nothing listens on " +
                      path_ + ")");
    if (failure == EACCES)
      throw no_answer("this user may not use " + path_ + ": run gatewayctl as the gateway's user or as root");
    throw no_answer("cannot connect to " + path_ + ": " + message_of(failure == EAGAIN ? ETIMEDOUT : failure));
  }

  operator_answer exchange(const std::string& path, const std::string& body) {
    deadline_ = steady_clock::now() + answer_timeout;
    send("POST " + path + " HTTP/1.1\r\nHost: operator\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body);
    answer_parser parser;
    parser.eager(true);
    parser.body_limit(most_answer_bytes);
    while (!parser.is_done()) {
      parse(parser);
      if (!parser.is_done() && !receive()) end(parser);
    }
    return std::move(parser.answer);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw no_answer("the gateway on " + path_ +
                    " did not answer, so the command may or may not have taken effect: " + why);
  }
  void check(const error_code& failure) const {
    if (failure) fail(failure.message());
  }

  /// Waits until the socket can be read or written, or has failed.
  void wait_for(short event) const {
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - steady_clock::now()).count();
      pollfd waited{socket_, event, 0};
      const int ready = left > 0 ? ::poll(&waited, 1, static_cast<int>(left)) : 0;
      if (ready > 0) return;
      if (ready == 0) fail("no answer in 30 s");
      if (errno != EINTR) fail(message_of(errno));
    }
  }

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      wait_for(POLLOUT);
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0)
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      else if (errno != EAGAIN && errno != EINTR)
        fail(message_of(errno));
    }
  }

  /// Returns false if the gateway has closed the connection.
  bool receive() {
    const auto before = received_.size();
    for (;;) {
      wait_for(POLLIN);
      received_.resize(before + bytes_at_once);
      const auto count = ::recv(socket_, received_.data() + before, bytes_at_once, MSG_DONTWAIT);
      const int failure = errno;
      received_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
      if (count >= 0) return count > 0;
      if (failure != EAGAIN && failure != EINTR) fail(message_of(failure));
    }
  }

  /// Parses what has been received so far.
  void parse(answer_parser& parser) {
    error_code failure;
    std::size_t used = 0;
    if (!received_.empty()) used = parser.put(boost::asio::buffer(received_), failure);
    received_.erase(0, used);
    if (failure != http::error::need_more) check(failure);
  }

  /// To be called after the last byte. An answer without a length ends here; any other is incomplete.
  void end(answer_parser& parser) const {
    if (!parser.got_some()) fail(make_error_code(http::error::end_of_stream).message());
    error_code failure;
    parser.put_eof(failure);
    check(failure);
  }

  std::filesystem::path data_dir_;
  std::string path_;
  descriptor socket_;
  steady_clock::time_point deadline_;
  std::string received_;  ///< received, but not parsed yet
};

operator_connection::operator_connection(const std::filesystem::path& data_dir)
    : conversation_(std::make_unique<conversation>(data_dir)) {
  conversation_->connect();
}

operator_connection::~operator_connection() = default;

operator_answer operator_connection::post(const std::string& path, const std::string& body) {
  return conversation_->exchange(path, body);
}

operator_answer post(const std::filesystem::path& data_dir, const std::string& path, const std::string& body) {
  return operator_connection{data_dir}.post(path, body);
}

}  // namespace gateway::ctl
