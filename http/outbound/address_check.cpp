#include "address_check.hpp"

#include <string_view>
#include <utility>

namespace gateway::http {

namespace asio = boost::asio;

address_check::address_check(client_parts& parts, std::string url, std::string tenant, std::chrono::milliseconds within,
                             std::function<void(std::optional<std::string>)> done)
    : client_call(parts, within, {}), text_(std::move(url)), done_(std::move(done)) {
  tenant_ = std::move(tenant);
}

void address_check::give_up(http_fault why) {
  switch (why) {
    // A slow look-up counts as a name that is not found.
    case http_fault::connect_timeout: reject_unless_tls(); break;
    case http_fault::stopping: why_not_ = "the gateway is stopping"; break;
    case http_fault::overloaded: why_not_ = "the gateway is overloaded"; break;
    default: why_not_ = "the check failed"; break;
  }
}

/// An https name without an address is accepted, because it may get a public one later. http is for this machine only,
/// whose names must resolve now.
void address_check::reject_unless_tls() {
  if (url_ && !url_->tls) why_not_ = "http is for this machine only, and " + url_->host + " does not lead to it";
}

void address_check::call_back() {
  clear_deadline();
  const auto done = std::move(done_);
  done(std::move(why_not_));
}

asio::awaitable<void> address_check::run() {
  auto reading = read_destination_url(text_, allows_http(parts_.destinations));
  url_ = std::move(reading.url);
  if (!url_) {
    why_not_ = std::move(reading.why);
    co_return;
  }
  set_deadline(begun_ + connect_timeout_, http_fault::connect_timeout);
  auto looking = look_up();
  co_await std::move(looking);
  if (over_) {
    give_up(*over_);
    co_return;
  }
  if (found_->addresses.empty()) reject_unless_tls();
  const auto& host = url_->host;
  // There may be no address yet: an endpoint may be registered before its name, and a look-up may fail temporarily. The
  // addresses are checked again for each request.
  for (const auto& address : found_->addresses) {
    const auto refused = why_refused(url_->tls, address, parts_.destinations);
    if (!refused) continue;
    const auto subject = url_->literal ? host + " is " : host + " leads to " + address.to_string() + ", ";
    why_not_ = subject + std::string{*refused};
    co_return;
  }
}

}  // namespace gateway::http
