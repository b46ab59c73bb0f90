// Slows down who guesses passwords: per account, whether it exists or not, per address, and per network of IPv6.
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

inline constexpr std::size_t most_failures = 10;  ///< within failure_window; then nobody signs in
inline constexpr std::chrono::minutes failure_window{15};

/// Of codes that were wrong after a right password: so many within that time are told to the person.
inline constexpr std::size_t most_wrong_codes = 5;
inline constexpr std::chrono::hours wrong_code_window{24};

/// A guesser may have far more than one network of 64 bits. Those that lie around it have allowances of their own, for
/// there may be others in them.
struct wider_network {
  unsigned bits;
  std::size_t most_failures;
};
inline constexpr std::array<wider_network, 2> wider_networks{{{56, 30}, {48, 100}}};

/// A browser that is known to the account has failures of its own, and shares these with all that are: a person who
/// once had the password may have collected the cookies of a thousand browsers. Others behind the same address do not
/// count.
inline constexpr std::size_t most_known_failures = 30;            ///< of an account
inline constexpr std::size_t known_address_share = 10;  ///< times as many as strangers, at an address or network

/// Counts an attempt as failed when it begins, so that a thousand at once are no way around, and takes that back for
/// one that succeeds. Any thread. Bounded: of accounts, of browsers and of each kind of address, those that failed
/// longest ago are forgotten, and each attempt that may be made forgets all that have not failed for failure_window.
///
/// A browser that is known to the account (known_browser.hpp) is not kept out by the failures of strangers: it waits
/// for its own, and for those of known browsers. They count for strangers all the same, as far as these are let in.
class sign_in_slowing {
 public:
  using time = std::chrono::steady_clock::time_point;

  explicit sign_in_slowing(std::size_t most_names = 65'536);

  /// How long all of them have to wait; nothing if a password may be tried, which counts until it is taken back.
  /// `browser`: empty if it is not known.
  std::optional<std::chrono::seconds> begin(std::string_view account, std::string_view address, time now,
                                            std::string_view browser = {});
  /// The password was right: the account begins anew, or the browser that is known to it; the address has one failure
  /// less.
  void passed(std::string_view account, std::string_view address, std::string_view browser = {});
  /// Nobody has looked at the password.
  void take_back(std::string_view account, std::string_view address, std::string_view browser = {});
  /// Whether a wrong code is to be written down: past most_wrong_codes there is enough to tell.
  bool notes_wrong_code(std::string_view account, time now);
  void forget_all();
  /// How many accounts, browsers, addresses and networks are kept.
  std::size_t names();

 private:
  /// Failures by name, the newest at each list's end.
  class counts {
   public:
    counts(std::size_t most, std::size_t allowed, std::chrono::minutes window = failure_window)
        : most_{most}, allowed_{allowed}, window_{window} {}
    std::optional<std::chrono::seconds> wait(const std::string& name, time now);
    /// Not past what is allowed.
    void add(const std::string& name, time now);
    /// The newest one, or the one of this time, if there is one.
    void take_back(const std::string& name, std::optional<time> made_at = std::nullopt);
    /// When the newest one was made.
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
    std::list<entry> by_age_;  ///< whose last attempt is newest stands in front; none is without a failure
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
  /// What one attempt counts for.
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

/// What counts as one address: of IPv6 the network of 64 bits, which a single guesser has the whole of.
std::string slowed_address(std::string_view remote_address);
/// The network of so many bits around it; empty if it is not of IPv6.
std::string slowed_network(std::string_view remote_address, unsigned bits);
/// The network that shares the turns at the password hasher: 48 bits of IPv6, 24 of IPv4.
std::string hashing_network(std::string_view remote_address);

}  // namespace gateway::http
