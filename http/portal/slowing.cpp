#include "slowing.hpp"

#include <algorithm>
#include <array>

#include <boost/asio/ip/address.hpp>

namespace gateway::http {

// ---- of one sort ----------------------------------------------------------------------------------

std::optional<std::chrono::seconds> sign_in_slowing::counts::wait(const std::string& name, time now) {
  const auto found = at_.find(name);
  if (found == at_.end()) return std::nullopt;
  auto& failures = found->second->second;
  while (!failures.empty() && failures.front() + failure_window <= now) failures.pop_front();
  if (failures.empty()) {
    forget(name);
    return std::nullopt;
  }
  if (failures.size() < most_failures) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::seconds>(failures.front() + failure_window - now);
  return std::max(left, std::chrono::seconds{1});
}

void sign_in_slowing::counts::expire(time now) {
  while (!by_age_.empty() && by_age_.back().second.back() + failure_window <= now) {
    at_.erase(by_age_.back().first);
    by_age_.pop_back();
  }
}

void sign_in_slowing::counts::add(const std::string& name, time now) {
  expire(now);
  const auto found = at_.find(name);
  if (found != at_.end()) {
    by_age_.splice(by_age_.begin(), by_age_, found->second);
  } else {
    if (at_.size() >= most_) {
      at_.erase(by_age_.back().first);
      by_age_.pop_back();
    }
    by_age_.emplace_front(name, std::deque<time>{});
    at_.emplace(name, by_age_.begin());
  }
  by_age_.front().second.push_back(now);
}

void sign_in_slowing::counts::take_back(const std::string& name) {
  const auto found = at_.find(name);
  if (found == at_.end()) return;
  auto& failures = found->second->second;
  if (!failures.empty()) failures.pop_back();
  if (failures.empty()) forget(name);
}

void sign_in_slowing::counts::forget(const std::string& name) {
  const auto found = at_.find(name);
  if (found == at_.end()) return;
  const auto place = found->second;
  at_.erase(found);
  by_age_.erase(place);
}

void sign_in_slowing::counts::clear() {
  at_.clear();
  by_age_.clear();
}

// ---- both -----------------------------------------------------------------------------------------

std::optional<std::chrono::seconds> sign_in_slowing::begin(std::string_view account, std::string_view address,
                                                           time now) {
  const std::string who{account};
  const auto from = slowed_address(address);
  const std::lock_guard hold{lock_};
  const auto of_account = accounts_.wait(who, now);
  const auto of_address = addresses_.wait(from, now);
  if (of_account || of_address) return std::max(of_account, of_address);
  accounts_.add(who, now);
  addresses_.add(from, now);
  return std::nullopt;
}

void sign_in_slowing::passed(std::string_view account, std::string_view address) {
  const auto from = slowed_address(address);
  const std::lock_guard hold{lock_};
  accounts_.forget(std::string{account});
  addresses_.take_back(from);
}

void sign_in_slowing::take_back(std::string_view account, std::string_view address) {
  const auto from = slowed_address(address);
  const std::lock_guard hold{lock_};
  accounts_.take_back(std::string{account});
  addresses_.take_back(from);
}

std::size_t sign_in_slowing::names() {
  const std::lock_guard hold{lock_};
  return accounts_.size() + addresses_.size();
}

void sign_in_slowing::forget_all() {
  const std::lock_guard hold{lock_};
  accounts_.clear();
  addresses_.clear();
}

std::string slowed_address(std::string_view remote_address) {
  boost::system::error_code failure;
  const auto address = boost::asio::ip::make_address(std::string{remote_address}, failure);
  if (failure || !address.is_v6() || address.to_v6().is_v4_mapped()) return std::string{remote_address};
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return boost::asio::ip::make_address_v6(bytes).to_string() + "/64";
}

}  // namespace gateway::http
