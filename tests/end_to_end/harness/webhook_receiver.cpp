#include "webhook_receiver.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include "exchange_record.hpp"
#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using error_code = boost::system::error_code;

// ---- what arrived ---------------------------------------------------------------------------------

std::optional<std::string> webhook_post::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (beast::iequals(key, beast::string_view{name.data(), name.size()})) return value;
  return std::nullopt;
}

double webhook_post::late_ms() const {
  const auto since = std::chrono::duration<double>(std::chrono::system_clock::now() - at).count();
  return -(seconds_until(envelope()["created"].text()) + since) * 1000;
}

std::optional<webhook_signature> read_signature(std::string_view header) {
  webhook_signature signature;
  if (!header.starts_with("t=")) return std::nullopt;
  header.remove_prefix(2);
  const auto [end, failed] = std::from_chars(header.data(), header.data() + header.size(), signature.at);
  if (failed != std::errc{} || header.starts_with('-')) return std::nullopt;
  header.remove_prefix(static_cast<std::size_t>(end - header.data()));
  while (!header.empty()) {
    if (!header.starts_with(",v1=")) return std::nullopt;
    header.remove_prefix(4);
    const auto hex = header.substr(0, header.find(','));
    if (hex.size() != 64 || hex.find_first_not_of("0123456789abcdef") != hex.npos) return std::nullopt;
    signature.by.emplace_back(hex);
    header.remove_prefix(hex.size());
  }
  if (signature.by.empty()) return std::nullopt;
  return signature;
}

bool signed_by(const webhook_post& post, std::string_view secret) {
  const auto signature = read_signature(post.header("X-Service-Signature").value_or(""));
  if (!signature) return false;
  const auto mine = hmac_sha256_hex(secret, std::to_string(signature->at) + '.' + post.body);
  for (const auto& theirs : signature->by)
    if (CRYPTO_memcmp(mine.data(), theirs.data(), mine.size()) == 0) return true;
  return false;
}

std::string signature_fault(const webhook_post& post, std::string_view secret) {
  const auto header = post.header("X-Service-Signature");
  if (!header) return "no X-Service-Signature";
  const auto signature = read_signature(*header);
  if (!signature) return "X-Service-Signature is not t=…,v1=…: " + *header;
  const auto arrived = std::chrono::duration_cast<std::chrono::seconds>(post.at.time_since_epoch()).count();
  if (std::llabs(arrived - signature->at) > 300) return "signed at another time: " + *header;
  return signed_by(post, secret) ? "" : "a wrong signature";
}

// ---- what outlives a stop -------------------------------------------------------------------------

struct webhook_receiver::memory {
  std::mutex guard;
  std::map<std::string, program> programs;
  std::vector<webhook_post> posts;
  std::map<std::string, std::size_t> counts;
  std::unordered_map<std::string, unsigned> attempts;  ///< by path and delivery
  std::atomic<std::size_t> hanging{0};

  webhook_answer take(webhook_post post) {
    record_webhook(post.headers, post.body);
    program how;
    unsigned attempt = 0;
    {
      const std::lock_guard lock{guard};
      counts[post.path] += 1;
      attempt = ++attempts[post.path + ' ' + post.delivery()];
      if (const auto at = programs.find(post.path); at != programs.end()) how = at->second;
      if (posts.size() < most_kept) posts.push_back(post);
    }
    return how ? how(post, attempt) : webhook_answer{};
  }
};

namespace {

// ---- a certificate of its own ---------------------------------------------------------------------

void require_done(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string{"OpenSSL: "} + what);
}

struct identity {
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> certificate{X509_new(), X509_free};

  identity() {
    require_done(key && certificate, "no key");
    auto* made = certificate.get();
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 24 * 3600);
    X509_set_pubkey(made, key.get());
    auto* name = X509_get_subject_name(made);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("Lantern Books"), -1,
                               -1, 0);
    X509_set_issuer_name(made, name);
    extend(NID_basic_constraints, "critical,CA:TRUE");
    extend(NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    require_done(X509_sign(made, key.get(), EVP_sha256()) > 0, "cannot sign a certificate");
  }

  void write_certificate(const std::filesystem::path& file) const {
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory{BIO_new(BIO_s_mem()), BIO_free};
    require_done(PEM_write_bio_X509(memory.get(), certificate.get()) == 1, "cannot write a certificate");
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(memory.get(), &bytes);
    write_file(file, {bytes, static_cast<std::size_t>(size)});
  }

 private:
  void extend(int kind, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate.get(), certificate.get(), nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension{
        X509V3_EXT_conf_nid(nullptr, &context, kind, value), X509_EXTENSION_free};
    require_done(extension && X509_add_ext(certificate.get(), extension.get(), -1) == 1, "cannot extend a certificate");
  }
};

/// One identity for all receivers of a test program.
const identity& own_identity() {
  static const identity made;
  return made;
}

}  // namespace

// ---- the server -----------------------------------------------------------------------------------

struct webhook_receiver::server {
  std::shared_ptr<memory> remembered;
  asio::io_context context{1};
  asio::ssl::context tls{asio::ssl::context::tls_server};
  tcp::acceptor acceptor{context};
  std::thread worker;

  template <class Stream>
  struct session : std::enable_shared_from_this<session<Stream>> {
    template <class... Arguments>
    explicit session(std::shared_ptr<memory> all, Arguments&&... arguments)
        : remembered{std::move(all)}, stream{std::forward<Arguments>(arguments)...}, timer{stream.get_executor()} {}
    ~session() {
      if (hangs) remembered->hanging -= 1;
    }

    void read() {
      parser.emplace();
      parser->body_limit(1 << 20);
      http::async_read(stream, buffer, *parser, [me = this->shared_from_this()](error_code failed, std::size_t) {
        if (!failed) me->take();
      });
    }

    void take() {
      const auto& request = parser->get();
      webhook_post post;
      post.at = std::chrono::system_clock::now();
      post.path = std::string{request.target()};
      for (const auto& field : request)
        post.headers.emplace_back(std::string{field.name_string()}, std::string{field.value()});
      post.body = request.body();
      const auto answer = remembered->take(std::move(post));
      if (answer.how == webhook_answer::ending::close) return beast::get_lowest_layer(stream).socket().close();
      if (answer.how == webhook_answer::ending::hang) return hang();
      response = {};
      response.version(11);
      response.result(static_cast<unsigned>(answer.status));
      for (const auto& [name, value] : answer.headers) response.insert(name, value);
      response.body() = answer.body;
      response.keep_alive(request.keep_alive());
      response.prepare_payload();
      if (answer.delay.count() == 0) return write();
      timer.expires_after(answer.delay);
      timer.async_wait([me = this->shared_from_this()](error_code failed) {
        if (!failed) me->write();
      });
    }

    void write() {
      http::async_write(stream, response, [me = this->shared_from_this()](error_code failed, std::size_t) {
        if (!failed && me->response.keep_alive()) me->read();
      });
    }

    /// Waits until the other side has closed.
    void hang() {
      if (!hangs) remembered->hanging += 1;
      hangs = true;
      stream.async_read_some(asio::buffer(unread), [me = this->shared_from_this()](error_code failed, std::size_t) {
        if (!failed) me->hang();
      });
    }

    std::shared_ptr<memory> remembered;
    Stream stream;
    asio::steady_timer timer;
    beast::flat_buffer buffer;
    std::optional<http::request_parser<http::string_body>> parser;
    http::response<http::string_body> response;
    std::array<char, 256> unread{};
    bool hangs = false;
  };
  using plain = session<beast::tcp_stream>;
  using secure = session<beast::ssl_stream<beast::tcp_stream>>;

  server(std::shared_ptr<memory> all, protocol how, std::uint16_t port) : remembered{std::move(all)} {
    if (how == protocol::https) {
      SSL_CTX_use_certificate(tls.native_handle(), own_identity().certificate.get());
      SSL_CTX_use_PrivateKey(tls.native_handle(), own_identity().key.get());
    }
    const tcp::endpoint here{asio::ip::address_v4::loopback(), port};
    acceptor.open(here.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address{true});
    acceptor.bind(here);
    acceptor.listen(4096);
    accept(how);
    worker = std::thread{[this] { context.run(); }};
  }

  ~server() {
    context.stop();
    worker.join();
    // Destroying the context destroys its handlers and thereby the connections.
  }

  void accept(protocol how) {
    acceptor.async_accept([this, how](error_code failed, tcp::socket socket) {
      if (!failed) {
        error_code ignored;
        socket.set_option(tcp::no_delay{true}, ignored);
        how == protocol::http ? std::make_shared<plain>(remembered, std::move(socket))->read()
                              : greet(std::move(socket));
      }
      accept(how);
    });
  }

  void greet(tcp::socket socket) {
    const auto guest = std::make_shared<secure>(remembered, std::move(socket), tls);
    guest->stream.async_handshake(asio::ssl::stream_base::server, [guest](error_code failed) {
      if (!failed) guest->read();
    });
  }
};

// ---- from the outside -----------------------------------------------------------------------------

webhook_receiver::webhook_receiver(protocol how) : speaks_{how}, memory_{std::make_shared<memory>()} {
  if (how == protocol::https) {
    certificate_ = new_folder("receiver") / "certificate.pem";
    own_identity().write_certificate(certificate_);
  }
  start();
}

webhook_receiver::~webhook_receiver() {
  stop();
  std::error_code ignored;
  if (!certificate_.empty()) std::filesystem::remove_all(certificate_.parent_path(), ignored);
}

void webhook_receiver::stop() { server_.reset(); }

void webhook_receiver::start() {
  if (server_) return;
  server_ = std::make_unique<server>(memory_, speaks_, port_);
  port_ = server_->acceptor.local_endpoint().port();
}

std::string webhook_receiver::url(std::string_view path) const {
  return (speaks_ == protocol::http ? "http://127.0.0.1:" : "https://127.0.0.1:") + std::to_string(port_) +
         std::string{path};
}

void webhook_receiver::answers(const std::string& path, program how) {
  const std::lock_guard lock{memory_->guard};
  memory_->programs[path] = std::move(how);
}

void webhook_receiver::answers(const std::string& path, webhook_answer always) {
  answers(path, [always = std::move(always)](const webhook_post&, unsigned) { return always; });
}

std::vector<webhook_post> webhook_receiver::posts(const std::string& path) const {
  const std::lock_guard lock{memory_->guard};
  std::vector<webhook_post> found;
  for (const auto& post : memory_->posts)
    if (post.path == path) found.push_back(post);
  return found;
}

std::size_t webhook_receiver::count(const std::string& path) const {
  const std::lock_guard lock{memory_->guard};
  const auto at = memory_->counts.find(path);
  return at == memory_->counts.end() ? 0 : at->second;
}

std::size_t webhook_receiver::hanging() const { return memory_->hanging; }

bool webhook_receiver::comes_to(std::size_t wanted, const std::string& path, std::chrono::milliseconds within) const {
  return eventually([&] { return count(path) >= wanted; }, within);
}

webhook_post webhook_receiver::wait_for(const std::function<bool(const webhook_post&)>& fits, const std::string& path,
                                        std::chrono::milliseconds within) const {
  webhook_post found;
  const bool came = eventually(
      [&] {
        for (auto& post : posts(path))
          if (fits(post)) return found = std::move(post), true;
        return false;
      },
      within);
  if (!came) throw std::runtime_error("no such post among the " + std::to_string(count(path)) + " to " + path);
  return found;
}

webhook_post webhook_receiver::wait_for(const std::string& type, const std::string& payment_id,
                                        const std::string& path) const {
  return wait_for(
      [&](const webhook_post& post) { return post.type() == type && post.envelope()["data.payment_id"] == payment_id; },
      path);
}

}  // namespace gateway::e2e
