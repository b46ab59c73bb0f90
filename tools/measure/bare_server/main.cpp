// A minimal HTTPS server on Beast: one io_context for each thread, a coroutine for each connection, Beast's own reader
// and writer, and the same 300 bytes of JSON for every request. It has no routes, limits, logs or metrics. tools/bench
// compares the gateway's rates with this server's.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <CLI/CLI.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using tcp = asio::ip::tcp;
using beast::error_code;

std::string answer_body() {
  std::string body = R"({"payment_id":"pay_1001","state":"captured","amount":4200,"currency":"HKD","note":")";
  body.resize(298, 'x');
  return body + R"("})";
}

asio::awaitable<void> serve(tcp::socket socket, ssl::context& tls, std::string& body) {
  error_code ec;
  auto token = asio::redirect_error(asio::use_awaitable, ec);
  socket.set_option(tcp::no_delay{true}, ec);
  ssl::stream<tcp::socket> stream{std::move(socket), tls};
  co_await stream.async_handshake(ssl::stream_base::server, token);
  beast::flat_buffer buffer{64 * 1024};
  buffer.reserve(2048);
  while (!ec) {
    http::request_parser<http::string_body> parser;
    co_await http::async_read(stream, buffer, parser, token);
    if (ec) break;
    http::response<http::span_body<const char>> answer{http::status::ok, parser.get().version()};
    answer.set(http::field::content_type, "application/json");
    answer.keep_alive(parser.get().keep_alive());
    answer.body() = {body.data(), body.size()};
    answer.prepare_payload();
    co_await http::async_write(stream, answer, token);
    if (!answer.keep_alive()) break;
  }
  if (!ec) co_await stream.async_shutdown(token);
}

using context_list = std::vector<std::unique_ptr<asio::io_context>>;

/// Distributes the connections over the threads in turn, so that each gets the same number.
asio::awaitable<void> accept_all(tcp::acceptor& acceptor, context_list& contexts, ssl::context& tls,
                                 std::string& body) {
  error_code ec;
  auto token = asio::redirect_error(asio::use_awaitable, ec);
  for (std::size_t turn = 0;; ++turn) {
    auto& context = *contexts[turn % contexts.size()];
    auto socket = co_await acceptor.async_accept(context, token);
    if (!ec) asio::co_spawn(context, serve(std::move(socket), tls, body), asio::detached);
  }
}

/// A P-256 key and a certificate for this run, of the same kind as the gateway's development certificate.
void use_fresh_certificate(ssl::context& tls) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  const std::unique_ptr<X509, decltype(&X509_free)> certificate{X509_new(), X509_free};
  auto* const name = X509_get_subject_name(certificate.get());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 30L * 24 * 3600);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  if (SSL_CTX_use_certificate(tls.native_handle(), certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(tls.native_handle(), key.get()) != 1) {
    throw std::runtime_error("cannot make a certificate");
  }
}

void use_certificate(ssl::context& tls, const std::filesystem::path& data_dir) {
  const auto certificate = data_dir / "dev-server.pem";
  if (data_dir.empty() || !std::filesystem::exists(certificate)) return use_fresh_certificate(tls);
  tls.use_certificate_chain_file(certificate.string());
  tls.use_private_key_file((data_dir / "dev-key.pem").string(), ssl::context::pem);
}

void run(std::uint16_t port, unsigned threads, const std::filesystem::path& data_dir) {
  ssl::context tls{ssl::context::tls_server};
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  use_certificate(tls, data_dir);
  auto body = answer_body();

  context_list contexts;
  for (unsigned i = 0; i < threads; ++i) contexts.push_back(std::make_unique<asio::io_context>(1));
  tcp::acceptor acceptor{*contexts.front(), {asio::ip::address_v4::loopback(), port}};
  asio::co_spawn(*contexts.front(), accept_all(acceptor, contexts, tls, body), asio::detached);
  std::cout << "listening on https://127.0.0.1:" << acceptor.local_endpoint().port() << std::endl;

  std::vector<std::jthread> running;
  for (auto& context : contexts) {
    running.emplace_back([&context] {
      const auto work = asio::make_work_guard(*context);
      context->run();
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The bare Beast TLS server that the gateway's throughput is measured against"};
  std::uint16_t port = 0;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::filesystem::path data_dir;
  app.add_option("--port", port, "0 takes a free one");
  app.add_option("--threads", threads, "I/O threads")->check(CLI::Range(1, 256));
  app.add_option("--data-dir", data_dir, "use the development certificate found there");
  CLI11_PARSE(app, argc, argv);
  try {
    run(port, threads, data_dir);
  } catch (const std::exception& e) {
    std::cerr << "bare_server: " << e.what() << '\n';
    return 1;
  }
}
