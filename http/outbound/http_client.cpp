#include "http_client.hpp"

#include <pthread.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <unordered_set>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "address_check.hpp"
#include "client_parts.hpp"
#include "connection.hpp"
#include "exchange.hpp"
#include "gateway/base/log.hpp"
#include "request_writer.hpp"

namespace gateway::http {

namespace asio = boost::asio;

namespace {

std::string description_of(const std::exception_ptr& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown exception";
  }
}

std::string header_lines(const http_client_options& options) {
  if (!can_be_sent(options.headers))
    throw std::runtime_error("a header of the " + options.thread_name + " client cannot be sent");
  std::string out;
  append_headers(out, options.headers);
  return out;
}

class pooled_client final : public http_client {
 public:
  explicit pooled_client(http_client_options options);
  ~pooled_client() override;

  void send(http_request request, std::function<void(http_outcome)> done) override;
  void check(std::string url, std::string tenant, std::chrono::milliseconds within,
             std::function<void(std::optional<std::string>)> done) override;

 private:
  using call_ptr = std::shared_ptr<client_call>;

  void run();
  void launch(call_ptr call);
  void begin(const call_ptr& call);
  void shut_down();

  const std::string name_;
  const std::size_t most_under_way_;

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  asio::ssl::context tls_;
  connection_pool pool_;
  bool stopping_ = false;
  std::unordered_set<call_ptr> under_way_;
  name_lookup lookup_;  ///< posts to the context, so it is destroyed first
  client_parts parts_;
  std::thread thread_;
};

pooled_client::pooled_client(http_client_options options)
    : name_(options.thread_name),
      most_under_way_(options.most_under_way),
      tls_(make_outbound_tls(options.ca_file.string())),
      pool_(context_, options.most_connections, options.idle_kept),
      lookup_(std::move(options.resolve)),
      parts_{context_, tls_, pool_, lookup_, options.destinations, header_lines(options)},
      thread_([this] { run(); }) {}

pooled_client::~pooled_client() {
  asio::post(context_, [this] { shut_down(); });
  work_.reset();
  thread_.join();
}

void pooled_client::send(http_request request, std::function<void(http_outcome)> done) {
  launch(std::make_shared<exchange>(parts_, std::move(request), std::move(done)));
}

void pooled_client::check(std::string url, std::string tenant, std::chrono::milliseconds within,
                          std::function<void(std::optional<std::string>)> done) {
  launch(std::make_shared<address_check>(parts_, std::move(url), std::move(tenant), within, std::move(done)));
}

void pooled_client::run() {
  pthread_setname_np(pthread_self(), name_.c_str());
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::exception& e) {
      log::error("outbound_handler_failed", {{"client", name_}, {"reason", e.what()}});
    }
  }
}

void pooled_client::launch(call_ptr call) {
  asio::post(context_, [this, started = std::move(call)] { begin(started); });
}

void pooled_client::begin(const call_ptr& call) {
  if (stopping_ || under_way_.size() >= most_under_way_) {
    call->give_up(stopping_ ? http_fault::stopping : http_fault::overloaded);
    call->call_back();
    return;
  }
  under_way_.insert(call);
  asio::co_spawn(context_, call->run(), [this, call](const std::exception_ptr& failed) {
    if (failed) {
      log::error("outbound_call_failed", {{"client", name_}, {"reason", description_of(failed)}});
      call->give_up(http_fault::internal);
    }
    under_way_.erase(call);
    call->call_back();
  });
}

void pooled_client::shut_down() {
  stopping_ = true;
  pool_.stop();
  for (const auto& call : under_way_) call->interrupt(http_fault::stopping);
}

}  // namespace

std::unique_ptr<http_client> make_http_client(http_client_options options) {
  return std::make_unique<pooled_client>(std::move(options));
}

}  // namespace gateway::http
