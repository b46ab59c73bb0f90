#include "console_access.hpp"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

#include "gateway/base/crypto.hpp"

namespace gateway::http {
namespace {

std::string hashed(std::string_view text) { return crypto::hex(crypto::sha256(text)); }

}  // namespace

void console_access::enable(std::string_view token) { token_hash_ = hashed(token); }

bool console_access::is_token(std::string_view text) const {
  return enabled() && crypto::equal_constant_time(hashed(text), token_hash_);
}

std::string console_access::begin(time now) {
  auto cookie = crypto::random_hex(console_cookie_digits / 2);
  const std::lock_guard hold{lock_};
  std::erase_if(sessions_, [&](const auto& each) { return !each.second.is_good(now); });
  if (sessions_.size() >= most_console_sessions)
    sessions_.erase(std::ranges::min_element(sessions_, {}, [](const auto& each) { return each.second.used_at; }));
  sessions_.emplace(hashed(cookie), session{now, now + console_lifetime});
  return cookie;
}

bool console_access::use(std::string_view cookie, time now) {
  const auto hash = hashed(cookie);
  const std::lock_guard hold{lock_};
  const auto at = sessions_.find(hash);
  if (at == sessions_.end()) return false;
  if (!at->second.is_good(now)) {
    sessions_.erase(at);
    return false;
  }
  at->second.used_at = now;
  return true;
}

void console_access::end(std::string_view cookie) {
  const auto hash = hashed(cookie);
  const std::lock_guard hold{lock_};
  sessions_.erase(hash);
}

bool is_from_this_machine(std::string_view remote_address) {
  boost::system::error_code failure;
  const auto address = boost::asio::ip::make_address(std::string{remote_address}, failure);
  if (failure) return false;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

std::string console_cookie(std::string_view value) {
  std::string text{console_cookie_name};
  text.append("=").append(value).append("; Path=/console; HttpOnly; SameSite=Strict");
  if (value.empty()) text += "; Max-Age=0";
  return text;
}

}  // namespace gateway::http
