// Checks whether requests may be sent to a URL, without sending one. The result is a text for an operator.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "client_call.hpp"
#include "gateway/ports/http_client.hpp"

namespace gateway::http {

class address_check final : public client_call {
 public:
  address_check(client_parts& parts, std::string url, std::string tenant, std::chrono::milliseconds within,
                std::function<void(std::optional<std::string>)> done);

  boost::asio::awaitable<void> run() override;
  void give_up(http_fault why) override;
  void call_back() override;

 private:
  void reject_unless_tls();

  const std::string text_;
  std::function<void(std::optional<std::string>)> done_;
  std::optional<std::string> why_not_;
};

}  // namespace gateway::http
