#include "outbound_client.hpp"

#include <memory>
#include <thread>

namespace gateway::http::testing {

found_addresses test_names::operator()(const std::string& name) const {
  const auto known = addresses.find(name);
  if (known == addresses.end()) return {{}, "no such name"};
  found_addresses out;
  for (const auto& text : known->second) out.addresses.push_back(boost::asio::ip::make_address(text));
  return out;
}

settings quick_settings(const std::function<void(settings&)>& adjust) {
  settings config;
  config.dev = true;
  config.webhook_connect_timeout = tests::hang_timeout;
  config.webhook_answer_timeout = tests::hang_timeout;
  if (adjust) adjust(config);
  return config;
}

test_client::test_client(const std::function<void(settings&)>& adjust, outbound_options options)
    : config(quick_settings(adjust)), client(make_webhook_client(config, std::move(options))) {}

std::future<delivery_attempt> test_client::begin(const std::string& url, const std::string& body) {
  auto promise = std::make_shared<std::promise<delivery_attempt>>();
  auto future = promise->get_future();
  // A second callback would throw, and be logged; a missing one breaks the promise.
  client->post({url, {{"X-Service-Delivery", "7"}}, body},
               [promise](delivery_attempt seen) { promise->set_value(std::move(seen)); });
  return future;
}

std::optional<std::string> test_client::check(const std::string& url, const std::string& owner) {
  std::promise<std::optional<std::string>> promise;
  client->check(url, owner, [&](std::optional<std::string> why) { promise.set_value(std::move(why)); });
  return promise.get_future().get();
}

bool soon(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + tests::hang_timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

}  // namespace gateway::http::testing
