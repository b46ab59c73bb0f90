#include "transport.hpp"

#include <openssl/x509.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <random>

#include "exchange_record.hpp"
#include "text.hpp"

namespace gateway::e2e {

namespace asio = boost::asio;
namespace beast = boost::beast;
using error_code = boost::system::error_code;
using tcp = asio::ip::tcp;

namespace {

using wire_request = beast::http::request<beast::http::string_body>;

/// Accepts a Location as long as a request line, which exceeds Beast's limit, and bodies of any length.
struct wire_parser : beast::http::response_parser<beast::http::string_body> {
  wire_parser() {
    header_limit(64 * 1024);
    body_limit(boost::none);
  }
};

wire_request to_wire(const http_request& request, const std::string& host) {
  wire_request wire;
  wire.version(11);
  wire.method_string(request.method);
  wire.target(request.target);
  wire.set(beast::http::field::host, host);
  for (const auto& [name, value] : request.headers) wire.insert(name, value);
  wire.body() = request.body;
  if (!request.body.empty() || request.method == "POST") wire.content_length(request.body.size());
  return wire;
}

reply from_wire(wire_parser& parser) {
  reply answer;
  answer.status = static_cast<int>(parser.get().result_int());
  for (const auto& field : parser.get())
    answer.headers.emplace_back(std::string{field.name_string()}, std::string{field.value()});
  answer.body = std::move(parser.get().body());
  return answer;
}

/// Runs one asynchronous operation to its end. Beast has time-outs for asynchronous operations only.
template <class Start>
error_code finish(asio::io_context& context, Start start) {
  error_code result;
  start([&result](error_code code, auto&&...) { result = code; });
  context.restart();
  context.run();
  return result;
}

[[noreturn]] void fail(std::string_view what, const error_code& code) {
  throw connection_failed{std::string{what} + ": " + code.message()};
}

/// Writes a request and reads its answer, on any stream.
template <class Stream>
reply exchange(asio::io_context& context, Stream& stream, const http_request& request, const std::string& host) {
  auto wire = to_wire(request, host);
  if (const auto failed = finish(context, [&](auto done) { beast::http::async_write(stream, wire, done); }))
    fail("write", failed);
  beast::flat_buffer buffer;
  wire_parser parser;
  if (const auto failed = finish(context, [&](auto done) { beast::http::async_read(stream, buffer, parser, done); }))
    fail("read", failed);
  return from_wire(parser);
}

tcp::endpoint resolve(asio::io_context& context, const endpoint& server) {
  tcp::resolver resolver{context};
  const auto found = resolver.resolve(tcp::v4(), server.host, std::to_string(server.port));
  return found.begin()->endpoint();
}

}  // namespace

endpoint endpoint::of_url(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const auto colon = url.rfind(':');
  endpoint server{std::string{url.substr(0, colon)}, 443};
  if (colon != std::string_view::npos) std::from_chars(url.data() + colon + 1, url.data() + url.size(), server.port);
  return server;
}

std::string target_of_url(std::string_view url) {
  const auto scheme = url.find("://");
  const auto path = url.find('/', scheme == std::string_view::npos ? 0 : scheme + 3);
  return path == std::string_view::npos ? "/" : std::string{url.substr(path, url.find('#') - path)};
}

std::optional<std::string> reply::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (beast::iequals(key, beast::string_view{name.data(), name.size()})) return value;
  return std::nullopt;
}

// ---- the kept-alive connection --------------------------------------------------------------------

struct https_client::connection {
  asio::io_context context;
  asio::ssl::context tls{asio::ssl::context::tls_client};
  beast::ssl_stream<beast::tcp_stream> stream;
  beast::flat_buffer buffer;
  const std::chrono::milliseconds patience;
  bool used = false;

  connection(const endpoint& server, const std::filesystem::path& trusted, std::chrono::milliseconds at_most)
      : stream{context, prepared(tls, trusted)}, patience{at_most} {
    stream.set_verify_callback(asio::ssl::host_name_verification{server.host});
    beast::get_lowest_layer(stream).expires_after(patience);
    const auto address = resolve(context, server);
    if (const auto failed =
            finish(context, [&](auto done) { beast::get_lowest_layer(stream).async_connect(address, done); }))
      fail("connect", failed);
    beast::get_lowest_layer(stream).socket().set_option(tcp::no_delay{true});
    if (const auto failed =
            finish(context, [&](auto done) { stream.async_handshake(asio::ssl::stream_base::client, done); }))
      fail("TLS handshake", failed);
  }

  static asio::ssl::context& prepared(asio::ssl::context& tls, const std::filesystem::path& trusted) {
    tls.set_verify_mode(asio::ssl::verify_peer);
    tls.load_verify_file(trusted.string());
    return tls;
  }

  void write(const wire_request& wire) {
    beast::get_lowest_layer(stream).expires_after(patience);
    if (const auto failed = finish(context, [&](auto done) { beast::http::async_write(stream, wire, done); }))
      fail("write", failed);
  }

  error_code write_bytes(std::string_view bytes) {
    beast::get_lowest_layer(stream).expires_after(patience);
    return finish(context, [&](auto done) { asio::async_write(stream, asio::buffer(bytes), done); });
  }

  /// Reads the answer, or returns the error. `began` says whether any byte of it arrived.
  error_code read(reply& answer, bool& began) {
    beast::get_lowest_layer(stream).expires_after(patience);
    wire_parser parser;
    const auto failed = finish(context, [&](auto done) { beast::http::async_read(stream, buffer, parser, done); });
    began = parser.got_some();
    if (!failed) {
      used = true;
      answer = from_wire(parser);
      keep_open = parser.get().keep_alive();
    }
    return failed;
  }

  bool keep_open = true;
};

https_client::https_client(endpoint server, std::filesystem::path trusted_certificate)
    : server_{std::move(server)}, trusted_certificate_{std::move(trusted_certificate)} {}
https_client::~https_client() = default;
https_client::https_client(https_client&&) noexcept = default;
https_client& https_client::operator=(https_client&&) noexcept = default;

void https_client::connect() {
  if (!open_) open_ = std::make_unique<connection>(server_, trusted_certificate_, patience_);
}

bool https_client::connected() const { return open_ != nullptr; }

reply https_client::send(const http_request& request) {
  const auto wire = to_wire(request, server_.authority());
  for (;;) {
    connect();
    const bool kept = open_->used;
    bool began = false;
    try {
      open_->write(wire);
      reply answer;
      if (const auto failed = open_->read(answer, began)) fail("read", failed);
      if (!open_->keep_open) open_.reset();
      if (records_) record_exchange(request, answer);
      return answer;
    } catch (const connection_failed&) {
      open_.reset();
      // A server may close an idle connection at any moment, so a kept connection that breaks is retried; a new one
      // that breaks is a failure.
      if (!kept || began) throw;
    }
  }
}

std::optional<reply> https_client::send_raw(std::string_view bytes) {
  connect();
  // The server may have answered and closed before all was written; its answer still counts.
  (void)open_->write_bytes(bytes);
  reply answer;
  bool began = false;
  const auto failed = open_->read(answer, began);
  if (failed || !open_->keep_open) open_.reset();
  if (failed) return std::nullopt;
  return answer;
}

void https_client::push_raw(std::string_view bytes) {
  connect();
  if (const auto failed = open_->write_bytes(bytes)) fail("write", failed);
}

bool https_client::closed_by_server(std::chrono::milliseconds within) {
  connect();
  char byte = 0;
  beast::get_lowest_layer(open_->stream).expires_after(within);
  const auto ended =
      finish(open_->context, [&](auto done) { open_->stream.async_read_some(asio::buffer(&byte, 1), done); });
  open_.reset();
  return ended && ended != beast::error::timeout;
}

// ---- without TLS ----------------------------------------------------------------------------------

reply plain_http(const endpoint& server, const http_request& request) {
  asio::io_context context;
  beast::tcp_stream stream{context};
  stream.expires_after(answer_patience);
  const auto address = resolve(context, server);
  if (const auto failed = finish(context, [&](auto done) { stream.async_connect(address, done); }))
    fail("connect", failed);
  return exchange(context, stream, request, server.authority());
}

reply unix_http(const std::filesystem::path& socket, const http_request& request) {
  using local = asio::local::stream_protocol;
  asio::io_context context;
  beast::basic_stream<local> stream{context};
  stream.expires_after(answer_patience);
  const local::endpoint address{socket.string()};
  if (const auto failed = finish(context, [&](auto done) { stream.async_connect(address, done); }))
    fail("connect", failed);
  return exchange(context, stream, request, "localhost");
}

// ---- probes ---------------------------------------------------------------------------------------

bool accepts_connections(const endpoint& server) {
  asio::io_context context;
  tcp::socket socket{context};
  error_code failed;
  socket.connect(resolve(context, server), failed);
  return !failed;
}

std::uint16_t free_port() {
  // The system assigns ports from here on to outgoing connections, also between this check and the use of the port.
  constexpr std::uint16_t first = 20'000, first_of_the_systems = 32'768;
  static std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<std::uint16_t> any{first, first_of_the_systems - 1};
  asio::io_context io;
  for (;;) {
    const auto port = any(random);
    tcp::acceptor once{io, tcp::v4()};
    error_code taken;
    once.bind({asio::ip::address_v4::loopback(), port}, taken);
    if (!taken) return port;
  }
}

std::string certificate_fingerprint(const endpoint& server) {
  asio::io_context context;
  asio::ssl::context tls{asio::ssl::context::tls_client};
  asio::ssl::stream<tcp::socket> stream{context, tls};
  stream.next_layer().connect(resolve(context, server));
  stream.handshake(asio::ssl::stream_base::client);
  X509* certificate = SSL_get1_peer_certificate(stream.native_handle());
  if (!certificate) throw connection_failed{"the server showed no certificate"};
  unsigned char* encoded = nullptr;
  const int size = i2d_X509(certificate, &encoded);
  const auto fingerprint = sha256_hex({reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size)});
  OPENSSL_free(encoded);
  X509_free(certificate);
  return fingerprint;
}

bool completes_handshake(const endpoint& server, std::string_view tls_version) {
  const int version = tls_version == "1.1" ? TLS1_1_VERSION : tls_version == "1.2" ? TLS1_2_VERSION : TLS1_3_VERSION;
  asio::io_context context;
  asio::ssl::context tls{asio::ssl::context::tls_client};
  // Security level 0 lets the client offer versions that the server must refuse.
  SSL_CTX_set_security_level(tls.native_handle(), 0);
  SSL_CTX_set_min_proto_version(tls.native_handle(), version);
  SSL_CTX_set_max_proto_version(tls.native_handle(), version);
  asio::ssl::stream<tcp::socket> stream{context, tls};
  stream.next_layer().connect(resolve(context, server));
  error_code failed;
  stream.handshake(asio::ssl::stream_base::client, failed);
  return !failed;
}

}  // namespace gateway::e2e
