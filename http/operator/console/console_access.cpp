#include "console_access.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "gateway/base/crypto.hpp"

namespace gateway::http {
namespace {

std::string hashed(std::string_view text) { return crypto::hex(crypto::sha256(text)); }

}  // namespace

// The sealed second factor is excluded, because rotating the master key changes it. Both are always set together.
std::string credentials_of(const stored_operator& who) { return hashed(who.password_hash); }

std::string console_access::begin(signed_in who, time now) {
  auto cookie = crypto::random_hex(console_cookie_digits / 2);
  const std::lock_guard hold{lock_};
  std::erase_if(sessions_, [&](const auto& each) { return !is_valid(each.second, now); });
  if (sessions_.size() >= most_console_sessions)
    sessions_.erase(std::ranges::min_element(sessions_, {}, [](const auto& each) { return each.second.used_at; }));
  sessions_.emplace(hashed(cookie), session{std::move(who), now, now + console_lifetime});
  return cookie;
}

std::optional<console_access::signed_in> console_access::use(std::string_view cookie, time now) {
  const auto hash = hashed(cookie);
  const std::lock_guard hold{lock_};
  const auto at = sessions_.find(hash);
  if (at == sessions_.end()) return std::nullopt;
  if (!is_valid(at->second, now)) {
    sessions_.erase(at);
    return std::nullopt;
  }
  at->second.used_at = now;
  return at->second.who;
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
