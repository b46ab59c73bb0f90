#include "sign_in_throttle.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <boost/asio/ip/address.hpp>

#include "gateway/base/crypto.hpp"

namespace gateway::http {

// ---- one counter -----------------------------------------------------------------------------------

std::optional<std::chrono::seconds> sign_in_throttle::counts::wait(const std::string& name, time now) {
  const auto found = at_.find(name);
  if (found == at_.end()) return std::nullopt;
  auto& failures = found->second->second;
  std::erase_if(failures, [&](time each) { return each + window_ <= now; });
  if (failures.empty()) {
    forget(name);
    return std::nullopt;
  }
  if (failures.size() < allowed_) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::seconds>(failures.front() + window_ - now);
  return std::max(left, std::chrono::seconds{1});
}

void sign_in_throttle::counts::expire(time now) {
  while (!by_age_.empty() && by_age_.back().second.back() + window_ <= now) {
    at_.erase(by_age_.back().first);
    by_age_.pop_back();
  }
}

void sign_in_throttle::counts::add(const std::string& name, time now) {
  expire(now);
  const auto found = at_.find(name);
  if (found != at_.end()) {
    if (found->second->second.size() >= allowed_) return;
    by_age_.splice(by_age_.begin(), by_age_, found->second);
  } else {
    if (at_.size() >= most_) {
      at_.erase(by_age_.back().first);
      by_age_.pop_back();
    }
    by_age_.emplace_front(name, std::vector<time>{});
    at_.emplace(name, by_age_.begin());
  }
  by_age_.front().second.push_back(now);
}

void sign_in_throttle::counts::take_back(const std::string& name, std::optional<time> made_at) {
  const auto found = at_.find(name);
  if (found == at_.end()) return;
  auto& failures = found->second->second;
  const auto at = made_at ? std::ranges::find(failures, *made_at) : std::prev(failures.end());
  if (at != failures.end()) failures.erase(at);
  if (failures.empty()) forget(name);
}

std::optional<sign_in_throttle::time> sign_in_throttle::counts::newest(const std::string& name) const {
  const auto found = at_.find(name);
  return found == at_.end() ? std::nullopt : std::optional{found->second->second.back()};
}

void sign_in_throttle::counts::forget(const std::string& name) {
  const auto found = at_.find(name);
  if (found == at_.end()) return;
  const auto place = found->second;
  at_.erase(found);
  by_age_.erase(place);
}

void sign_in_throttle::counts::clear() {
  at_.clear();
  by_age_.clear();
}

// ---- all counters ----------------------------------------------------------------------------------

static_assert(wider_networks.size() == 2);

sign_in_throttle::allowances::allowances(std::size_t most_names, std::size_t of_account, std::size_t address_share)
    : accounts{most_names, of_account},
      addresses{most_names, most_failures * address_share},
      networks{counts{most_names, wider_networks[0].most_failures * address_share},
               counts{most_names, wider_networks[1].most_failures * address_share}} {}

std::array<sign_in_throttle::counts*, 2 + wider_networks.size()> sign_in_throttle::allowances::all() {
  return {&accounts, &addresses, &networks[0], &networks[1]};
}

sign_in_throttle::sign_in_throttle(std::size_t most_names, std::size_t address_share)
    : strangers_{most_names, most_failures, address_share},
      known_{most_names, most_known_failures, known_address_share},
      browsers_{most_names, most_failures},
      wrong_codes_{most_names, most_wrong_codes, wrong_code_window} {}

namespace {

/// Accounts are kept as digests, because an attacker chooses the length of the names.
std::string digest_of(std::string_view account) {
  const auto digest = crypto::sha256(account);
  return {digest.begin(), digest.end()};
}

}  // namespace

std::vector<sign_in_throttle::counted> sign_in_throttle::places_of(allowances& whose, std::string_view account,
                                                                   std::string_view address) {
  std::vector<counted> all;
  all.push_back({whose.accounts, digest_of(account)});
  all.push_back({whose.addresses, slowed_address(address)});
  for (std::size_t i = 0; i < wider_networks.size(); ++i)
    if (auto around = slowed_network(address, wider_networks[i].bits); !around.empty())
      all.push_back({whose.networks[i], std::move(around)});
  return all;
}

std::optional<std::chrono::seconds> sign_in_throttle::begin(std::string_view account, std::string_view address,
                                                            time now, std::string_view browser) {
  auto places = places_of(strangers_, account, address);
  std::vector<counted> known;
  if (!browser.empty()) {
    known = places_of(known_, account, address);
    known.push_back({browsers_, std::string{browser}});
  }
  const std::lock_guard hold{lock_};
  std::optional<std::chrono::seconds> longest;
  for (const auto& place : browser.empty() ? places : known)
    longest = std::max(longest, place.in.wait(place.name, now));
  if (longest) return longest;
  for (const auto& place : known) place.in.add(place.name, now);
  for (const auto& place : places) place.in.add(place.name, now);
  return std::nullopt;
}

void sign_in_throttle::passed(std::string_view account, std::string_view address, std::string_view browser) {
  take_back(account, address, browser);
  const std::lock_guard hold{lock_};
  if (!browser.empty())
    browsers_.forget(std::string{browser});
  else
    strangers_.accounts.forget(digest_of(account));
}

void sign_in_throttle::take_back(std::string_view account, std::string_view address, std::string_view browser) {
  auto places = places_of(strangers_, account, address);
  const std::string known{browser};
  const std::lock_guard hold{lock_};
  // An attempt of a known browser is removed by its time: begin() did not add it to the allowances that strangers'
  // failures had used up.
  const auto made_at = known.empty() ? std::nullopt : browsers_.newest(known);
  if (made_at) std::ranges::move(places_of(known_, account, address), std::back_inserter(places));
  for (const auto& place : places) place.in.take_back(place.name, made_at);
  if (!known.empty()) browsers_.take_back(known);
}

bool sign_in_throttle::notes_wrong_code(std::string_view account, time now) {
  const auto name = digest_of(account);
  const std::lock_guard hold{lock_};
  if (wrong_codes_.wait(name, now)) return false;
  wrong_codes_.add(name, now);
  return true;
}

std::size_t sign_in_throttle::names() {
  const std::lock_guard hold{lock_};
  auto sum = browsers_.size() + wrong_codes_.size();
  for (auto* whose : {&strangers_, &known_})
    for (const auto* each : whose->all()) sum += each->size();
  return sum;
}

void sign_in_throttle::forget_all() {
  const std::lock_guard hold{lock_};
  browsers_.clear();
  wrong_codes_.clear();
  for (auto* whose : {&strangers_, &known_})
    for (auto* each : whose->all()) each->clear();
}

std::string slowed_network(std::string_view remote_address, unsigned bits) {
  boost::system::error_code failure;
  const auto address = boost::asio::ip::make_address(std::string{remote_address}, failure);
  if (failure || !address.is_v6() || address.to_v6().is_v4_mapped()) return {};
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + bits / 8, bytes.end(), static_cast<unsigned char>(0));
  return boost::asio::ip::make_address_v6(bytes).to_string() + '/' + std::to_string(bits);
}

std::string slowed_address(std::string_view remote_address) {
  auto network = slowed_network(remote_address, 64);
  return network.empty() ? std::string{remote_address} : network;
}

std::string hashing_network(std::string_view remote_address) {
  auto network = slowed_network(remote_address, 48);
  return network.empty() ? std::string{remote_address.substr(0, remote_address.rfind('.'))} : network;
}

}  // namespace gateway::http
