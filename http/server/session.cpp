#include "session.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "body_stream.hpp"
#include "gateway/base/log.hpp"
#include "remote_address.hpp"
#include "request_reader.hpp"
#include "request_span.hpp"
#include "response_writer.hpp"

namespace gateway::http {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds longest_wait_for_proxy{15'000};
constexpr auto handshake_timeout = 10s;
constexpr auto linger_timeout = 5s;
constexpr std::size_t linger_bytes = 32 * 1024 * 1024;

std::string_view as_text(const request_ids::text& id) { return {id.data(), id.size()}; }

template <class Transport>
class session final : public session_record {
 public:
  template <class... Args>
  session(io_thread& home, accepted_socket how, connection_limits::admission& admission, request_handler handle,
          Args&&... transport)
      : session_record(how.from),
        admission_(admission),
        is_proxied_(how.is_proxied),
        home_(home),
        limits_(home.shared.config.http),
        handle_(handle),
        stream_(std::forward<Args>(transport)...),
        reader_(limits_, &home.buffers) {
    admission_.connection().session = this;
    home_.enter(*this);
  }
  ~session() override {
    admission_.connection().session = nullptr;
    home_.leave(*this);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  asio::awaitable<void> run() {
    auto client = peer_of(stream_.socket());
    if constexpr (Transport::secure) {
      if (is_proxied_) {
        auto asking = ask_proxy(client);
        const bool known = co_await std::move(asking);
        if (!known || interrupted_ == interruption::room) co_return;
      }
    }
    within(handshake_timeout);
    remote_address_ = address_text(client);
    if constexpr (!Transport::secure) peer_uid_ = peer_uid_of(stream_.socket());
    address_number_ = home_.shared.number_of_address(home_.here.shared, remote_address_);
    if constexpr (Transport::secure) {
      auto hearing = stream_.wait_for_bytes(failure_);
      co_await std::move(hearing);
      if (failure_) co_return;
      speaks_ = true;
      admission_.speaks();
    }
    auto opening = stream_.open(failure_);
    co_await std::move(opening);
    if (failure_ || interrupted_ == interruption::room) co_return;
    admission_.opened();
    opened_ = true;
    admission_.connection().set_idle(clock::now());
    auto state = request_reader::state::partial;
    bool stays = true;
    within(limits_.idle_timeout);
    while (stays) {
      if (state == request_reader::state::partial) {
        auto reading = read_request();
        state = co_await std::move(reading);
      }
      if (state == request_reader::state::partial) break;  // no request will follow
      if (state == request_reader::state::rejected) {
        auto rejecting = reject();
        co_await std::move(rejecting);
        co_return;
      }
      auto answering = answer();
      stays = co_await std::move(answering);
      if (stays) state = await_next();
    }
    send_close_notify();
  }

  bool give_way() override {
    if (opened_ ? !idle || has_unread() : !speaks_ && has_unread()) return false;
    interrupt(interruption::room);
    return true;
  }

  void interrupt(interruption why) override {
    interrupted_ = why;
    socket_error ignored;
    if (why != interruption::abort)
      stream_.socket().cancel(ignored);
    else if (streaming_)
      reset();
    else
      stream_.socket().close(ignored);
  }

 private:
  /// Replaces the proxy's address by the client's, if the PROXY header names one. False if the connection must end: the
  /// header did not arrive, is malformed, or names an address that is at its limit.
  asio::awaitable<bool> ask_proxy(sockaddr_storage& client) {
    within(std::min(longest_wait_for_proxy, limits_.request_timeout));
    proxy_header header;
    auto reading = stream_.read(header, failure_);
    const auto came = co_await std::move(reading);
    if (came != proxy_header::state::whole) {
      // A proxy's probe that only connects is not worth a warning.
      if (came == proxy_header::state::malformed || interrupted_ == interruption::deadline)
        log::warn(
            "proxy_header_refused",
            {{"from", address_text(client)},
             {"reason", came == proxy_header::state::malformed ? "it is malformed or missing" : "it did not come"}});
      co_return false;
    }
    if (header.client()) client = *header.client();
    if (admission_.count_at(key_of(client))) co_return true;
    home_.shared.meters.connections_refused.Increment();
    co_return false;
  }

  void within(clock::duration time) { deadline = clock::now() + time; }

  bool draining() const { return home_.shared.draining.load(std::memory_order_relaxed); }

  /// Ends when the request is whole or rejected; partial means that the connection has ended.
  asio::awaitable<request_reader::state> read_request() {
    auto state = request_reader::state::partial;
    while (state == request_reader::state::partial) {
      const bool first = reader_.empty();
      interrupted_ = interruption::none;
      const auto space = reader_.free_space();
      if (space.empty()) co_return request_reader::state::rejected;
      auto reading = stream_.read(space, failure_);
      const auto count = co_await std::move(reading);
      if (interrupted_ == interruption::room && (!failure_ || has_unread())) admission_.stays();
      if (failure_) {
        if (goes_on()) continue;
        co_return timed_out_ ? request_reader::state::rejected : state;
      }
      if (first) begun_ = clock::now();
      state = reader_.received(count);
      if (state != request_reader::state::partial) break;
      if (first && !reader_.empty()) begin_request();
      if (reader_.takes_continue()) {
        auto sending = send_all(stream_, status::continue_line, failure_);
        co_await std::move(sending);
        if (failure_) co_return state;
      }
    }
    co_return state;
  }

  void set_busy() {
    idle = false;
    admission_.connection().set_busy();
  }

  void begin_request() {
    set_busy();
    deadline = begun_ + limits_.request_timeout;
  }

  /// After a failed read: whether to read again. A request that timed out is answered; all else ends the connection.
  bool goes_on() {
    if (failure_ != asio::error::operation_aborted) return false;
    if (interrupted_ == interruption::deadline) {
      timed_out_ = !reader_.empty();
      failure_ = {};
      return false;
    }
    // A request that the client sent before it could see the end of the connection is still read and answered.
    const bool asked_to_end = interrupted_ == interruption::drain || interrupted_ == interruption::room;
    if (asked_to_end && has_unread()) {
      failure_ = {};
      return true;
    }
    if (interrupted_ == interruption::room) failure_ = {};
    return false;
  }

  bool has_unread() {
    socket_error ec;
    return stream_.socket().available(ec) > 0 && !ec;
  }

  /// Goes on to the request after the one that was just answered.
  request_reader::state await_next() {
    const auto state = reader_.next();
    if (!reader_.empty()) {
      begun_ = clock::now();
      begin_request();
    } else {
      idle = true;
      admission_.connection().set_idle(answered_);
      deadline = answered_ + limits_.idle_timeout;
      expects_request_until = answered_ + next_request_within;
    }
    return state;
  }

  /// Returns whether the connection stays.
  asio::awaitable<bool> answer() {
    const auto id = home_.ids.next();
    auto& in = reader_.current();
    in.request_id = as_text(id);
    in.remote_address = remote_address_;
    in.address_number = address_number_;
    in.peer_uid = peer_uid_;
    // Operators' requests are not traced.
    if constexpr (Transport::secure) trace_ = home_.shared.traces.enter(in.traceparent);
    in.trace = trace_.at;
    set_busy();
    deadline = never;  // the asks behind a route have deadlines of their own
    home_.meter.request_begun();
    response out;
    try {
      auto handling = handle_(home_.here, in);
      out = co_await std::move(handling);
    } catch (const std::exception& e) {
      log::error("handler_failed", {{"request_id", in.request_id}, {"trace_id", in.trace.trace}, {"reason", e.what()}});
      out = error_response(error_code::internal_error, "The gateway could not answer this request.");
    }
    budget_share held{home_.buffers};
    if (out.next_chunk && !held.take(streamed_piece)) out = error_response(error_code::overloaded);
    add_docs_url(out, home_.shared.config.base_url);
    const bool stays = reader_.keep_alive() && !draining() && !(out.next_chunk && reader_.http_1_0());
    const framing how{as_text(id), stays, reader_.http_1_0(), Transport::secure, in.method == "HEAD", in.trace.trace};
    if (is_streamed(out, how)) {
      auto streaming = stream_response(out, in.method, how);
      co_await std::move(streaming);
      home_.meter.request_ended();
    } else {
      home_.meter.request_ended();
      auto sending = send_response(out, in.method, how);
      co_await std::move(sending);
    }
    co_return stays && !failure_;
  }

  asio::awaitable<void> reject() {
    const auto id = home_.ids.next();
    trace_ = {};
    auto out = timed_out_ ? error_response(error_code::request_timeout) : error_response(reader_.why());
    add_docs_url(out, home_.shared.config.base_url);
    const framing how{as_text(id), false, reader_.http_1_0(), Transport::secure, reader_.method() == "HEAD", {}};
    auto sending = send_response(out, reader_.method(), how);
    co_await std::move(sending);
    if (failure_) co_return;
    send_close_notify();
    auto lingering = linger();
    co_await std::move(lingering);
  }

  asio::awaitable<void> send_response(response& out, std::string_view method, framing how) {
    write_response(home_.text, out, how);
    count_answer(out, method, how.request_id);
    deadline = answered_ + limits_.request_timeout;
    auto rest = stream_.write(home_.text, failure_);
    if (home_.text.capacity() > 256 * 1024) std::string{}.swap(home_.text);
    log_request(out, method, how, out.sent_body().size());
    if (failure_ || rest.empty()) co_return;
    auto sending = send_rest(stream_.socket(), std::move(rest), failure_);
    co_await std::move(sending);
  }

  asio::awaitable<void> stream_response(response& out, std::string_view method, framing how) {
    body_stream<Transport> body{home_, *this, stream_, failure_};
    streaming_ = true;
    auto beginning = body.begin(out, how);
    co_await std::move(beginning);
    count_answer(out, method, how.request_id);
    log_request(out, method, how, body.sent());
    if (!failure_) {
      auto ending = body.end();
      co_await std::move(ending);
    }
    streaming_ = false;
    if (!failure_) co_return;
    log::warn("response_cut_off",
              {{"request_id", how.request_id}, {"trace_id", how.trace}, {"route", out.route}, {"bytes", body.sent()}});
    reset();
  }

  /// Closes the connection so that its client sees an error instead of an orderly end.
  void reset() {
    socket_error ignored;
    stream_.socket().set_option(asio::socket_base::linger{true, 0}, ignored);
    stream_.socket().close(ignored);
  }

  /// Call before the last bytes are sent, so that a client that reads the metrics next finds its request counted.
  void count_answer(const response& out, std::string_view method, std::string_view id) {
    answered_ = clock::now();
    home_.meter.answered(out.route, out.sent_status(), std::chrono::duration<double>(answered_ - begun_).count());
    if (trace_.at.recorded) home_.shared.traces.record(request_span(trace_, out, method, id, answered_ - begun_));
  }

  void log_request(const response& out, std::string_view method, const framing& how, std::size_t bytes) {
    const auto* about = out.about.get();
    log::info("request",
              {{"request_id", how.request_id},
               {"trace_id", how.trace},
               {"merchant_id", log::if_any{about ? std::string_view{about->merchant} : std::string_view{}}},
               {"payment_id", log::if_any{about ? std::string_view{about->payment} : std::string_view{}}},
               {"method", method.substr(0, 16)},
               {"route", out.route},
               {"status", out.sent_status()},
               {"duration_us", std::chrono::duration_cast<std::chrono::microseconds>(answered_ - begun_).count()},
               {"bytes", bytes}});
  }

  void send_close_notify() {
    socket_error ignored;
    if (!failure_) stream_.send_close_notify();
    stream_.socket().shutdown(stream_socket::shutdown_send, ignored);
  }

  /// Closing a socket that holds unread bytes resets the connection, and the client would lose the answer.
  asio::awaitable<void> linger() {
    within(linger_timeout);
    std::array<char, 4096> discarded;
    for (std::size_t total = 0; total < linger_bytes && !failure_;) {
      auto reading = receive_some(stream_.socket(), discarded, failure_);
      total += co_await std::move(reading);
    }
  }

  connection_limits::admission& admission_;
  const bool is_proxied_;
  io_thread& home_;
  const http_limits& limits_;
  const request_handler handle_;
  Transport stream_;
  request_reader reader_;
  std::string remote_address_;
  std::optional<std::uint32_t> peer_uid_;
  std::optional<std::uint64_t> address_number_;
  clock::time_point begun_{};  ///< when the current request's first byte arrived
  clock::time_point answered_{};  ///< when the last answer was made
  tracing::entry trace_{};  ///< of the current request
  socket_error failure_;  ///< set: the connection has ended
  interruption interrupted_ = interruption::none;
  bool timed_out_ = false;
  bool speaks_ = false;  ///< the client has begun its handshake
  bool opened_ = false;  ///< the handshake is complete
  bool streaming_ = false;  ///< a body is being streamed: an abort must reset the connection
};

}  // namespace

asio::awaitable<void> serve(io_thread& home, accepted_socket how, stream_socket socket,
                            connection_limits::admission admission) {
  try {
    if (how.from == entrance::public_tls) {
      session<tls_transport> one{
          home, how, admission, home.routes.public_routes, std::move(socket), home.identity.current(), home.scratch};
      auto running = one.run();
      co_await std::move(running);
    } else {
      const auto routes =
          how.from == entrance::operator_socket ? home.routes.operator_routes : home.routes.metrics_routes;
      session<plain_transport> one{home, how, admission, routes, std::move(socket)};
      auto running = one.run();
      co_await std::move(running);
    }
  } catch (const std::exception& e) {
    log::error("session_failed", {{"reason", e.what()}});
  }
}

}  // namespace gateway::http
