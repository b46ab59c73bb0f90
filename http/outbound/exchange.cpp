#include "exchange.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "request_writer.hpp"

namespace gateway::http {

namespace asio = boost::asio;
namespace ip = boost::asio::ip;

exchange::exchange(client_parts& parts, http_request request, std::function<void(http_outcome)> done)
    : client_call(parts, request.connect_timeout, request.answer_timeout),
      request_(std::move(request)),
      done_(std::move(done)),
      outcome_(http_failure{}) {
  tenant_ = request_.tenant;
}

void exchange::give_up(http_fault why) { outcome_ = http_failure{why, sent_}; }

bool exchange::end_as(http_fault what) {
  give_up(over_.value_or(what));
  return false;
}

void exchange::call_back() {
  clear_deadline();
  through_.reset();
  const auto done = std::move(done_);
  done(std::move(outcome_));
}

void exchange::break_off() {
  if (through_) through_->close();
}

asio::awaitable<void> exchange::run() {
  auto finding = find_addresses();
  const bool found = co_await std::move(finding);
  if (!found) co_return;

  const auto request = write_request(*url_, parts_.first_headers, request_);
  request_.body = {};  // may be large, and `text` contains it
  for (bool again = false;;) {
    auto connecting = connect();
    const bool connected = co_await std::move(connecting);
    if (!connected) co_return;
    const bool was_fresh = std::exchange(fresh_, true);
    auto exchanging = exchange_once(request);
    const auto result = co_await std::move(exchanging);
    // The peer may have closed a kept connection while it was being reused.
    if (result == exchange_result::ended || was_fresh || !request_.repeatable) {
      if (auto* answer = std::get_if<http_answer>(&outcome_)) answer->resent = again;
      co_return;
    }
    again = true;
    set_deadline(clock::now() + connect_timeout_, http_fault::connect_timeout);
  }
}

asio::awaitable<bool> exchange::find_addresses() {
  if (!can_be_sent(request_.headers)) co_return end_as(http_fault::bad_request);
  url_ = read_destination_url(request_.url, allows_http(parts_.destinations)).url;
  if (!url_) co_return end_as(http_fault::bad_address);
  set_deadline(begun_ + connect_timeout_, http_fault::connect_timeout);
  auto looking = look_up();
  co_await std::move(looking);
  if (over_ || found_->addresses.empty()) co_return end_as(http_fault::lookup_failed);
  // From here on the name is not resolved again: the connection goes to one of these addresses.
  std::erase_if(found_->addresses, [&](const ip::address& address) {
    return why_refused(url_->tls, address, parts_.destinations).has_value();
  });
  if (found_->addresses.empty()) co_return end_as(http_fault::forbidden_address);
  co_return true;
}

asio::awaitable<bool> exchange::connect() {
  const std::shared_ptr<connection_waiter> self = std::static_pointer_cast<exchange>(shared_from_this());
  while (!over_) {
    through_ = parts_.pool.take(self, url_->origin, found_->addresses, fresh_);
    if (through_) break;
    while (!its_turn && !over_) {
      auto waiting = wait_for_signal();
      co_await std::move(waiting);
    }
  }
  parts_.pool.pass_on();
  if (!through_) co_return end_as(http_fault::connect_timeout);
  if (through_->was_dialled()) co_return true;
  fresh_ = true;
  auto dialling = dial();
  const bool dialled = co_await std::move(dialling);
  if (!dialled) through_.reset();
  co_return dialled;
}

asio::awaitable<bool> exchange::dial() {
  socket_error ec;
  const auto& addresses = found_->addresses;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // Each address but the last gets a share of the time, so that an unresponsive one leaves time for the others.
    const auto now = clock::now();
    const auto left = addresses.size() - i;
    const auto until = left == 1 ? clock::time_point::max() : now + (deadline() - now) / static_cast<int>(left);
    ec = {};
    auto dialling = through_->dial({addresses[i], url_->port}, until, ec);
    co_await std::move(dialling);
    if (over_ || !ec) break;
  }
  if (ec == asio::error::access_denied) co_return end_as(http_fault::forbidden_address);
  if (over_ || ec) co_return end_as(http_fault::connect_failed);
  if (!url_->tls) co_return true;

  auto shaking = through_->shake_hands(parts_.tls, *url_, ec);
  co_await std::move(shaking);
  if (over_ || ec) co_return end_as(http_fault::tls_failed);
  co_return true;
}

asio::awaitable<exchange::exchange_result> exchange::exchange_once(std::string_view request) {
  set_deadline(clock::now() + request_.answer_timeout, http_fault::answer_timeout);
  socket_error ec;
  sent_ = true;
  auto sending = through_->send(request, ec);
  co_await std::move(sending);
  const bool whole_was_sent = !ec;
  // Some peers answer and close before they have read everything: read the answer even if sending failed.
  answer_reader answer{request_.most_body_bytes};
  auto state = answer_reader::state::partial;
  std::array<char, 4096> bytes;
  while (state == answer_reader::state::partial) {
    ec = {};
    auto receiving = through_->receive(bytes, ec);
    const auto count = co_await std::move(receiving);
    if (over_) break;
    if (!ec)
      state = answer.received({bytes.data(), count});
    else
      state = ec == asio::error::eof ? answer.ended() : answer_reader::state::broken;
  }
  co_return conclude(answer, state, whole_was_sent);
}

exchange::exchange_result exchange::conclude(answer_reader& answer, answer_reader::state reached, bool whole_was_sent) {
  auto used = std::move(through_);
  if (over_ || reached == answer_reader::state::broken) {
    end_as(whole_was_sent ? http_fault::broken : http_fault::send_failed);
    return !over_ && answer.nothing_received() ? exchange_result::no_answer : exchange_result::ended;
  }
  if (reached == answer_reader::state::garbage) {
    end_as(answer.past_limit() ? http_fault::too_large : http_fault::garbage);
    return exchange_result::ended;
  }
  if (reached == answer_reader::state::whole && answer.keep_alive()) parts_.pool.keep(std::move(used));
  outcome_ = answer.take_answer();
  return exchange_result::ended;
}

}  // namespace gateway::http
