// One request: lookup, connection, and the answer or the failure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "answer_reader.hpp"
#include "client_call.hpp"
#include "connection.hpp"
#include "connection_pool.hpp"
#include "gateway/ports/http_client.hpp"

namespace gateway::http {

class exchange final : public client_call, public connection_waiter {
 public:
  exchange(client_parts& parts, http_request request, std::function<void(http_outcome)> done);

  boost::asio::awaitable<void> run() override;
  void give_up(http_fault why) override;
  void call_back() override;

  bool has_given_up() const noexcept override { return over_.has_value(); }
  void wake() override { signal(); }

 private:
  enum class exchange_result : unsigned char { ended, no_answer };

  /// True: there are addresses that the request may be sent to; false: the exchange has ended.
  boost::asio::awaitable<bool> find_addresses();
  /// True: `through_` is a connection; false: the exchange has ended.
  boost::asio::awaitable<bool> connect();
  boost::asio::awaitable<bool> dial();
  /// `no_answer`: the connection broke before any byte of an answer arrived.
  boost::asio::awaitable<exchange_result> exchange_once(std::string_view request);
  exchange_result conclude(answer_reader& answer, answer_reader::state reached, bool whole_was_sent);

  /// Always returns false, so that callers can return its result.
  bool end_as(http_fault what);
  void break_off() override;

  http_request request_;
  std::function<void(http_outcome)> done_;
  http_outcome outcome_;
  bool sent_ = false;   ///< a byte was given to a connection, perhaps to one that broke
  bool fresh_ = false;  ///< do not use a kept connection
  std::shared_ptr<pooled_connection> through_;
};

}  // namespace gateway::http
