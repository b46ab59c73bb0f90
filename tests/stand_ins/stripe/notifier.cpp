#include "notifier.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <memory>

#include "draft.hpp"

namespace gateway::stripe_stand_in {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace json = boost::json;
using tcp = asio::ip::tcp;
using error_code = boost::system::error_code;
using namespace std::chrono_literals;

namespace {

constexpr int most_under_way = 16;
constexpr int most_tries = 200;

struct address {
  std::string host;
  std::string port;
  std::string target;
};

/// Parses `https://host:port/path`.
address address_of(std::string url) {
  if (const auto scheme = url.find("://"); scheme != url.npos) url.erase(0, scheme + 3);
  const auto path = std::min(url.find('/'), url.size());
  const auto authority = url.substr(0, path);
  const auto colon = authority.find(':');
  return {authority.substr(0, colon), colon == authority.npos ? "443" : authority.substr(colon + 1),
          path < url.size() ? url.substr(path) : "/"};
}

std::string url_for(std::string url, bool live) {
  static constexpr std::string_view mode = "{mode}";
  if (const auto at = url.find(mode); at != url.npos) url.replace(at, mode.size(), live ? "live" : "test");
  return url;
}

}  // namespace

std::string signature_header(std::string_view secret, std::int64_t at, std::string_view body) {
  const auto payload = std::to_string(at) + '.' + std::string{body};
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  ::HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(payload.data()), payload.size(), digest, &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    static constexpr char digits[] = "0123456789abcdef";
    hex += {digits[digest[i] >> 4], digits[digest[i] & 15]};
  }
  return "t=" + std::to_string(at) + ",v1=" + hex;
}

struct notifier::post : std::enable_shared_from_this<notifier::post> {
  post(notifier& by, json::object of, int so_often)
      : owner{by}, event{std::move(of)}, tries{so_often}, resolver{by.context_}, stream{by.context_, by.tls_} {}

  void start() {
    to = address_of(url_for(owner.settings.url, event.at("livemode").as_bool()));
    const auto body = json::serialize(shown(owner.all_, event));
    auto header = signature_header(owner.settings.secret, now_seconds(), body);
    if (std::uniform_real_distribution{}(owner.random_) < owner.settings.forge)
      header.back() = header.back() == '0' ? '1' : '0';
    wire.version(11);
    wire.method(http::verb::post);
    wire.target(to.target);
    wire.set(http::field::host, to.host + ':' + to.port);
    wire.set(http::field::content_type, "application/json; charset=utf-8");
    wire.set(http::field::connection, "close");
    wire.set(http::field::user_agent, "Stripe/1.0 (+https://stripe.com/docs/webhooks)");
    wire.set("Stripe-Signature", header);
    wire.body() = body;
    wire.prepare_payload();
    beast::get_lowest_layer(stream).expires_after(10s);
    resolver.async_resolve(tcp::v4(), to.host, to.port,
                           [me = shared_from_this()](error_code failed, const tcp::resolver::results_type& found) {
                             failed ? me->end(0) : me->connect(found);
                           });
  }

  void connect(const tcp::resolver::results_type& found) {
    beast::get_lowest_layer(stream).async_connect(found,
                                                  [me = shared_from_this()](error_code failed, const tcp::endpoint&) {
                                                    failed ? me->end(0) : me->shake_hands();
                                                  });
  }

  void shake_hands() {
    stream.async_handshake(asio::ssl::stream_base::client,
                           [me = shared_from_this()](error_code failed) { failed ? me->end(0) : me->write(); });
  }

  void write() {
    http::async_write(stream, wire,
                      [me = shared_from_this()](error_code failed, std::size_t) { failed ? me->end(0) : me->read(); });
  }

  void read() {
    http::async_read(stream, buffer, reported, [me = shared_from_this()](error_code failed, std::size_t) {
      me->end(failed ? 0 : static_cast<int>(me->reported.result_int()));
    });
  }

  void end(int status) { owner.ended(*this, status); }

  notifier& owner;
  json::object event;
  int tries;
  address to;
  tcp::resolver resolver;
  beast::ssl_stream<beast::tcp_stream> stream;
  beast::flat_buffer buffer;
  http::request<http::string_body> wire;
  http::response<http::string_body> reported;
};

notifier::notifier(asio::io_context& context, const store& all, std::filesystem::path delivered)
    : context_{context}, all_{all}, file_{std::move(delivered)} {
  std::ifstream before{file_};
  for (std::string id; std::getline(before, id);) delivered_before_.insert(id);
  delivered_file_.open(file_, std::ios::app);
}

void notifier::look() {
  if (settings.silent) taken_ = all_.events().size();
  if (settings.url.empty()) return;
  for (; taken_ < all_.events().size(); ++taken_) {
    const auto& event = all_.events()[taken_];
    if (event.contains("_unposted") || delivered_before_.contains(text_of(event, "id"))) continue;
    if (std::uniform_real_distribution{}(random_) < settings.lose) continue;
    for (std::int64_t copy = 0; copy < settings.copies; ++copy) {
      auto wait = settings.delay;
      if (settings.scatter > 0ms) wait += std::chrono::milliseconds{random_() % settings.scatter.count()};
      later(event, wait, 0);
    }
  }
}

bool notifier::send(std::string_view event_id) {
  for (const auto& event : all_.events())
    if (text_of(event, "id") == event_id) {
      enqueue(event, most_tries);
      return true;
    }
  return false;
}

void notifier::later(const json::object& event, std::chrono::milliseconds wait, int tries) {
  if (wait == 0ms) return enqueue(event, tries);
  const auto timer = std::make_shared<asio::steady_timer>(context_, wait);
  timer->async_wait([this, timer, event, tries](error_code) { enqueue(event, tries); });
}

void notifier::enqueue(const json::object& event, int tries) {
  if (settings.silent) return;
  waiting_.emplace_back(event, tries);
  start_next();
}

void notifier::start_next() {
  while (under_way_ < most_under_way && !waiting_.empty()) {
    auto [event, tries] = std::move(waiting_.front());
    waiting_.pop_front();
    ++under_way_;
    std::make_shared<post>(*this, std::move(event), tries)->start();
  }
}

void notifier::ended(const post& one, int status) {
  --under_way_;
  const auto id = text_of(one.event, "id");
  auto& so_far = progress_[id];
  ++so_far.posts;
  so_far.last_status = status;
  if (status >= 200 && status < 300) {
    if (!so_far.delivered) delivered_file_ << id << std::endl;
    so_far.delivered = true;
  } else if (one.tries < most_tries) {
    auto wait = settings.again;
    for (int i = 0; i < one.tries && wait < 5s; ++i) wait *= 2;
    later(one.event, std::min<std::chrono::milliseconds>(wait, 5s), one.tries + 1);
  }
  start_next();
}

json::array notifier::reported() const {
  json::array all;
  for (const auto& event : all_.events()) {
    const auto at = progress_.find(text_of(event, "id"));
    const auto so_far = at == progress_.end() ? progress{} : at->second;
    all.push_back(json::object{{"id", event.at("id")},
                               {"type", event.at("type")},
                               {"account", event.at("account")},
                               {"about", event.at("data").at("object").at("id")},
                               {"posts", so_far.posts},
                               {"last_status", so_far.last_status},
                               {"delivered", so_far.delivered}});
  }
  return all;
}

}  // namespace gateway::stripe_stand_in
