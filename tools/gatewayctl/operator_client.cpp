// The only source of gatewayctl that includes Beast.
#include "operator_client.hpp"

#include <chrono>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace gateway::ctl {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using local = asio::local::stream_protocol;

constexpr std::chrono::seconds answer_timeout{30};
constexpr std::uint64_t most_answer_bytes = 64 << 20;  ///< a list of a thousand events of the largest size

}  // namespace

class operator_connection::conversation {
 public:
  explicit conversation(std::filesystem::path data_dir)
      : data_dir_(std::move(data_dir)), socket_((data_dir_ / "operator.sock").string()), stream_(context_) {}

  void connect() {
    stream_.expires_after(answer_timeout);
    const auto failure = finish([&](auto done) { stream_.async_connect(local::endpoint{socket_}, done); });
    if (!failure) return;
    namespace errc = boost::system::errc;
    if (failure == errc::no_such_file_or_directory || failure == errc::connection_refused)
      throw no_answer("no gateway is running on data directory '" + data_dir_.string() + "' (nothing listens on " +
                      socket_ + ")");
    if (failure == errc::permission_denied)
      throw no_answer("this user may not use " + socket_ + ": run gatewayctl as the gateway's user or as root");
    throw no_answer("cannot connect to " + socket_ + ": " + failure.message());
  }

  operator_answer exchange(const std::string& path, const std::string& body) {
    stream_.expires_after(answer_timeout);
    http::request<http::string_body> request{http::verb::post, path, 11};
    request.set(http::field::host, "operator");
    request.set(http::field::content_type, "application/json");
    request.body() = body;
    request.prepare_payload();
    http::response_parser<http::string_body> response;
    response.body_limit(most_answer_bytes);
    check(finish([&](auto done) { http::async_write(stream_, request, done); }));
    check(finish([&](auto done) { http::async_read(stream_, buffer_, response, done); }));
    return {response.get().result_int(), std::move(response.get().body())};
  }

 private:
  /// Starts one operation and waits until it has ended.
  template <class Start>
  boost::system::error_code finish(Start start) {
    boost::system::error_code result;
    start([&result](boost::system::error_code failure, auto&&...) { result = failure; });
    context_.run();
    context_.restart();
    return result;
  }

  void check(boost::system::error_code failure) const {
    if (!failure) return;
    const std::string what = failure == beast::error::timeout ? "no answer in 30 s" : failure.message();
    throw no_answer("the gateway on " + socket_ +
                    " did not answer, so the command may or may not have taken effect: " + what);
  }

  std::filesystem::path data_dir_;
  std::string socket_;
  asio::io_context context_;
  beast::basic_stream<local> stream_;
  beast::flat_buffer buffer_;
};

operator_connection::operator_connection(const std::filesystem::path& data_dir) try {
  conversation_ = std::make_unique<conversation>(data_dir);
  conversation_->connect();
} catch (const boost::system::system_error& fault) {
  // The path of a socket may have some hundred bytes at most.
  throw no_answer("cannot use the operator socket of '" + data_dir.string() + "': " + fault.code().message());
}

operator_connection::~operator_connection() = default;

operator_answer operator_connection::post(const std::string& path, const std::string& body) {
  return conversation_->exchange(path, body);
}

operator_answer post(const std::filesystem::path& data_dir, const std::string& path, const std::string& body) {
  return operator_connection{data_dir}.post(path, body);
}

}  // namespace gateway::ctl
