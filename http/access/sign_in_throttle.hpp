// Limits password guessing: per account (existing or not), per address, and per IPv6 network.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gateway::http {

inline constexpr std::size_t most_failures = 10;  ///< within failure_window; further attempts are refused
inline constexpr std::chrono::minutes failure_window{15};

/// This many wrong codes after a right password, within that time, are reported to the person.
inline constexpr std::size_t most_wrong_codes = 5;
inline constexpr std::chrono::hours wrong_code_window{24};

/// An attacker may have many /64 networks, so wider networks are limited too. Their allowances are larger, because they
/// may contain other people.
struct wider_network {
  unsigned bits;
  std::size_t most_failures;
};
inline constexpr std::array<wider_network, 2> wider_networks{{{56, 30}, {48, 100}}};

/// Each browser that is known to the account has an allowance of its own. All of them together have this one, because
/// an attacker who once had the password may have collected the cookies of a thousand browsers. Strangers' failures do
/// not count here.
inline constexpr std::size_t most_known_failures = 30;  ///< per account
inline constexpr std::size_t known_address_share = 10;  ///< times as many as strangers, per address or network

/// Counts an attempt as failed when it begins, and takes that back if it succeeds, so that concurrent attempts cannot
/// exceed the limit. Any thread. Memory is bounded: a full table (of accounts, browsers or a kind of address) drops the
/// entry whose last failure is oldest; each permitted attempt drops all without a failure within failure_window.
///
/// A browser that is known to the account (known_browser.hpp) is blocked only by its own failures and those of other
/// known browsers, not by strangers'. Its failures also count against strangers' allowances, up to their limits.
class sign_in_throttle {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// `address_share`: multiplies the failures that an address or a network may have, over all accounts. More than 1
  /// where many people share an address.
  explicit sign_in_throttle(std::size_t most_names = 65'536, std::size_t address_share = 1);

  /// The longest wait of all that apply; nothing if a password may be tried. The attempt then counts as failed until it
  /// is taken back. `browser`: empty if it is not known.
  std::optional<std::chrono::seconds> begin(std::string_view account, std::string_view address, time now,
                                            std::string_view browser = {});
  /// The password was right: clears the failures of the account, or of the browser that is known to it. Takes back this
  /// attempt's failure of the address and its networks.
  void passed(std::string_view account, std::string_view address, std::string_view browser = {});
  /// The password was not checked.
  void take_back(std::string_view account, std::string_view address, std::string_view browser = {});
  /// Whether to record a wrong code: beyond most_wrong_codes, no more are needed.
  bool notes_wrong_code(std::string_view account, time now);
  void forget_all();
  /// The number of accounts, browsers, addresses and networks in memory.
  std::size_t names();

 private:
  /// Failures by name, the newest last in each list.
  class counts {
   public:
    counts(std::size_t most, std::size_t allowed, std::chrono::minutes window = failure_window)
        : most_{most}, allowed_{allowed}, window_{window} {}
    std::optional<std::chrono::seconds> wait(const std::string& name, time now);
    /// Adds nothing beyond the allowance.
    void add(const std::string& name, time now);
    /// Removes the newest, or the one made at that time, if it exists.
    void take_back(const std::string& name, std::optional<time> made_at = std::nullopt);
    /// The time of the newest.
    std::optional<time> newest(const std::string& name) const;
    void forget(const std::string& name);
    void clear();
    std::size_t size() const noexcept { return at_.size(); }

   private:
    void expire(time now);

    using entry = std::pair<std::string, std::vector<time>>;
    std::size_t most_;
    std::size_t allowed_;
    std::chrono::minutes window_;
    std::list<entry> by_age_;  ///< most recent attempt first; each has at least one failure
    std::unordered_map<std::string, std::list<entry>::iterator> at_;
  };
  /// By account, by address, and by each wider network.
  struct allowances {
    counts accounts;
    counts addresses;
    std::array<counts, wider_networks.size()> networks;

    allowances(std::size_t most_names, std::size_t of_account, std::size_t address_share);
    std::array<counts*, 2 + wider_networks.size()> all();
  };
  /// One counter of an attempt.
  struct counted {
    counts& in;
    std::string name;
  };
  static std::vector<counted> places_of(allowances& whose, std::string_view account, std::string_view address);

  std::mutex lock_;
  allowances strangers_;
  allowances known_;
  counts browsers_;
  counts wrong_codes_;
};

/// The unit that counts as one address: for IPv6 the /64 network, all of which one attacker may have.
std::string slowed_address(std::string_view remote_address);
/// The surrounding network with that prefix length; empty for IPv4.
std::string slowed_network(std::string_view remote_address, unsigned bits);
/// The network that shares turns at the password hasher: 48 bits of IPv6, 24 of IPv4.
std::string hashing_network(std::string_view remote_address);

}  // namespace gateway::http
