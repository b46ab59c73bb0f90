// The endpoint for webhooks. It keeps some 200 bytes of each post, and nothing of a post that repeats an earlier one.
#include "receiver.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <unordered_set>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include "gateway/domain/text.hpp"
#include "names.hpp"
#include "webhook_signature.hpp"

namespace gateway::load {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::uint64_t most_body = 1 << 20;
constexpr std::uint32_t most_header = 16 << 10;
constexpr std::size_t most_connections = 4096;
constexpr std::size_t most_text = 200;  // of an id; the gateway's are shorter
constexpr auto connection_timeout = std::chrono::seconds{120};
constexpr auto most_answering = std::chrono::seconds{2};

std::string text_of(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  const auto* text = found ? found->if_string() : nullptr;
  return text ? std::string{text->data(), std::min<std::size_t>(text->size(), most_text)} : std::string{};
}

/// Event, type, payment and delivery share one string, because separate strings would need an allocation each.
struct kept_post {
  std::string ids;
  std::uint8_t event_size = 0, type_size = 0, payment_size = 0;
  bool rightly_signed = false;
  hash128 body{};
};

class post_log {
 public:
  explicit post_log(decltype(receiver_options::on_new) on_new) : on_new_{std::move(on_new)} {}

  void expect_signatures_of(std::string secret) {
    const std::lock_guard lock{guard_};
    secret_ = std::move(secret);
  }

  void take(std::string_view delivery, std::string_view signature, std::string_view body) {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    delivery = delivery.substr(0, most_text);
    kept_post post;
    post.body = hash_(body);
    std::string event, type, payment;
    std::array<unsigned char, 4096> room;
    json::monotonic_resource arena{room.data(), room.size()};
    error_code failed;
    const auto parsed = json::parse(body, failed, &arena);
    const auto* envelope = failed ? nullptr : parsed.if_object();
    if (envelope) read_envelope(*envelope, event, type, payment);
    {
      const std::lock_guard lock{guard_};
      post.rightly_signed = rightly_signed(signature, body, secret_, now);
    }
    post.event_size = static_cast<std::uint8_t>(event.size());
    post.type_size = static_cast<std::uint8_t>(type.size());
    post.payment_size = static_cast<std::uint8_t>(payment.size());
    post.ids.reserve(event.size() + type.size() + payment.size() + delivery.size());
    post.ids.append(event).append(type).append(payment).append(delivery);

    auto whole = post.ids;
    whole.append(reinterpret_cast<const char*>(post.body.data()), post.body.size())
        .append(1, post.rightly_signed ? '1' : '0');
    const auto identity = first_bits(whole);
    const bool signed_rightly = post.rightly_signed;
    {
      const std::lock_guard lock{guard_};
      count_ += 1;
      if (!seen_.insert(identity).second) return;
      posts_.push_back(std::move(post));
    }
    if (on_new_ && envelope) on_new_(*envelope, signed_rightly);
    // A thread that waits for this event finds it stored.
    const std::lock_guard lock{guard_};
    if (!event.empty() && events_.insert(first_bits(event)).second)
      events_count_.store(events_.size(), std::memory_order_relaxed);
  }

  std::uint64_t count() const noexcept { return count_; }
  void answered() noexcept { answered_.fetch_add(1, std::memory_order_relaxed); }
  bool all_answered() const noexcept { return answered_ >= count_; }
  std::uint64_t events() const noexcept { return events_count_; }

  std::vector<received_event> received() const {
    const std::lock_guard lock{guard_};
    std::vector<received_event> all;
    all.reserve(posts_.size());
    for (const auto& post : posts_) {
      std::string_view ids = post.ids;
      const auto cut = [&](std::size_t size) {
        const auto part = ids.substr(0, size);
        ids.remove_prefix(size);
        return std::string{part};
      };
      auto event = cut(post.event_size), type = cut(post.type_size), payment = cut(post.payment_size);
      all.push_back({std::move(event), std::move(type), std::move(payment), std::string{ids},
                     std::string{reinterpret_cast<const char*>(post.body.data()), post.body.size()},
                     post.rightly_signed});
    }
    return all;
  }

 private:
  static void read_envelope(const json::object& envelope, std::string& event, std::string& type, std::string& payment) {
    event = text_of(envelope, "id");
    type = text_of(envelope, "type");
    const auto* data = envelope.if_contains("data");
    if (data && data->is_object()) payment = text_of(data->get_object(), "payment_id");
  }

  /// 64 bits of a hash, which are enough to tell some millions of posts apart.
  std::uint64_t first_bits(std::string_view text) const {
    const auto hash = hash_(text);
    std::uint64_t bits;
    std::memcpy(&bits, hash.data(), sizeof bits);
    return bits;
  }

  const decltype(receiver_options::on_new) on_new_;
  hasher hash_;  // used by the receiver's thread only
  mutable std::mutex guard_;
  std::string secret_;
  std::deque<kept_post> posts_;
  std::unordered_set<std::uint64_t> seen_, events_;
  std::atomic<std::uint64_t> count_{0}, events_count_{0}, answered_{0};
};

/// Counts one connection from its construction to its destruction.
class connection_count {
 public:
  explicit connection_count(std::size_t& open) : open_{open} { open_ += 1; }
  ~connection_count() { open_ -= 1; }
  connection_count(const connection_count&) = delete;
  connection_count& operator=(const connection_count&) = delete;

 private:
  std::size_t& open_;
};

template <class Stream>
class client_connection : public std::enable_shared_from_this<client_connection<Stream>> {
 public:
  template <class... Arguments>
  client_connection(post_log& posts, std::size_t& connections, Arguments&&... arguments)
      : posts_{posts}, counted_{connections}, stream_{std::forward<Arguments>(arguments)...} {}

  void handshake() {
    beast::get_lowest_layer(stream_).expires_after(connection_timeout);
    stream_.async_handshake(asio::ssl::stream_base::server, [me = this->shared_from_this()](error_code failed) {
      if (!failed) me->read();
    });
  }

  void read() {
    parser_.emplace();
    parser_->body_limit(most_body);
    parser_->header_limit(most_header);
    beast::get_lowest_layer(stream_).expires_after(connection_timeout);
    http::async_read(stream_, buffer_, *parser_, [me = this->shared_from_this()](error_code failed, std::size_t) {
      if (!failed) me->take();
    });
  }

 private:
  void take() {
    const auto& post = parser_->get();
    const bool is_post = post.method() == http::verb::post;
    if (is_post) {
      const auto delivery = post["X-Service-Delivery"], signature = post["X-Service-Signature"];
      posts_.take({delivery.data(), delivery.size()}, {signature.data(), signature.size()}, post.body());
    }
    answer_ = {};
    answer_.version(11);
    answer_.result(is_post ? http::status::ok : http::status::method_not_allowed);
    answer_.keep_alive(post.keep_alive());
    answer_.prepare_payload();
    http::async_write(stream_, answer_, [me = this->shared_from_this(), is_post](error_code failed, std::size_t) {
      if (is_post) me->posts_.answered();
      if (!failed && me->answer_.keep_alive()) me->read();
    });
  }

  post_log& posts_;
  connection_count counted_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::empty_body> answer_;
};

tcp::endpoint endpoint_of(const std::string& listen) {
  const auto colon = listen.rfind(':');
  auto host = listen.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code failed;
  const auto address = asio::ip::make_address(host, failed);
  const auto digits = colon == std::string::npos ? std::string{} : listen.substr(colon + 1);
  const auto port = parse_whole(digits, 0, most_port);
  if (failed || !port)
    throw std::runtime_error("the receiver cannot listen on '" + listen + "': it must be ADDRESS:PORT");
  return {address, static_cast<std::uint16_t>(*port)};
}

}  // namespace

struct receiver::server {
  post_log posts;
  std::size_t connections = 0;
  asio::io_context context{1};
  std::optional<asio::ssl::context> tls;
  tcp::acceptor acceptor{context};
  asio::steady_timer pause{context};
  std::thread worker;

  explicit server(const receiver_options& options) : posts{options.on_new} {
    if (options.certificate.empty() != options.key.empty())
      throw std::runtime_error("the receiver needs both a certificate and its key, or neither");
    if (!options.certificate.empty()) use_certificate(options);
    listen(options.listen);
    accept();
    worker = std::thread{[this] { context.run(); }};
  }

  ~server() {
    // The gateway would repeat a post without an answer for hours, after the receiver has ended.
    const auto last = std::chrono::steady_clock::now() + most_answering;
    while (!posts.all_answered() && std::chrono::steady_clock::now() < last)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    context.stop();
    worker.join();
  }

  void use_certificate(const receiver_options& options) {
    tls.emplace(asio::ssl::context::tls_server);
    error_code failed;
    tls->use_certificate_chain_file(options.certificate, failed);
    if (failed)
      throw std::runtime_error("the receiver cannot use the certificate " + options.certificate + ": " +
                               failed.message());
    tls->use_private_key_file(options.key, asio::ssl::context::pem, failed);
    if (failed) throw std::runtime_error("the receiver cannot use the key " + options.key + ": " + failed.message());
  }

  void listen(const std::string& where) {
    const auto here = endpoint_of(where);
    try {
      acceptor.open(here.protocol());
      acceptor.set_option(tcp::acceptor::reuse_address{true});
      acceptor.bind(here);
      acceptor.listen(asio::socket_base::max_listen_connections);
    } catch (const boost::system::system_error& failed) {
      throw std::runtime_error("the receiver cannot listen on " + where + ": " + failed.code().message());
    }
  }

  void accept() {
    acceptor.async_accept([this](error_code failed, tcp::socket socket) {
      if (failed) return accept_later();
      if (connections < most_connections) start_connection(std::move(socket));
      accept();
    });
  }

  /// For example when no file descriptor is left: accepting again at once would fail again and use up the processor.
  void accept_later() {
    pause.expires_after(std::chrono::milliseconds{100});
    pause.async_wait([this](error_code failed) {
      if (!failed) accept();
    });
  }

  void start_connection(tcp::socket socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay{true}, ignored);
    if (tls)
      std::make_shared<client_connection<beast::ssl_stream<beast::tcp_stream>>>(posts, connections, std::move(socket),
                                                                                *tls)
          ->handshake();
    else
      std::make_shared<client_connection<beast::tcp_stream>>(posts, connections, std::move(socket))->read();
  }
};

receiver::receiver(const receiver_options& options) : server_{std::make_unique<server>(options)} {}
receiver::~receiver() = default;

std::string receiver::url() const {
  const auto here = server_->acceptor.local_endpoint();
  const auto host = here.address().is_v6() ? '[' + here.address().to_string() + ']' : here.address().to_string();
  return (server_->tls ? "https://" : "http://") + host + ':' + std::to_string(here.port()) + "/hooks";
}

void receiver::expect_signatures_of(std::string secret) { server_->posts.expect_signatures_of(std::move(secret)); }
std::uint64_t receiver::count() const { return server_->posts.count(); }
std::uint64_t receiver::events() const { return server_->posts.events(); }
std::vector<received_event> receiver::received() const { return server_->posts.received(); }

}  // namespace gateway::load
