// Slows down who guesses passwords: per account, whether it exists or not, and per address.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gateway::http {

inline constexpr std::size_t most_failures = 10;  ///< within failure_window; then nobody signs in
inline constexpr std::chrono::minutes failure_window{15};

/// Counts an attempt as failed when it begins, so that a thousand at once are no way around, and takes that back for
/// one that succeeds. Any thread. Bounded: of accounts and of addresses, those that failed longest ago are forgotten,
/// and each attempt that may be made forgets all that have not failed for failure_window.
class sign_in_slowing {
 public:
  using time = std::chrono::steady_clock::time_point;

  explicit sign_in_slowing(std::size_t most_names = 65'536) : accounts_{most_names}, addresses_{most_names} {}

  /// How long both have to wait; nothing if a password may be tried, which counts until it is taken back.
  std::optional<std::chrono::seconds> begin(std::string_view account, std::string_view address, time now);
  /// The password was right: the account begins anew, the address has one failure less.
  void passed(std::string_view account, std::string_view address);
  /// Nobody has looked at the password.
  void take_back(std::string_view account, std::string_view address);
  void forget_all();
  /// How many accounts and addresses are kept.
  std::size_t names();

 private:
  /// Failures by name, the newest at each deque's end.
  class counts {
   public:
    explicit counts(std::size_t most) : most_{most} {}
    std::optional<std::chrono::seconds> wait(const std::string& name, time now);
    void add(const std::string& name, time now);
    void take_back(const std::string& name);
    void forget(const std::string& name);
    void clear();
    std::size_t size() const noexcept { return at_.size(); }

   private:
    void expire(time now);

    using entry = std::pair<std::string, std::deque<time>>;
    std::size_t most_;
    std::list<entry> by_age_;  ///< whose last attempt is newest stands in front; none is without a failure
    std::unordered_map<std::string, std::list<entry>::iterator> at_;
  };

  std::mutex lock_;
  counts accounts_;
  counts addresses_;
};

/// What counts as one address: of IPv6 the network of 64 bits, which a single guesser has the whole of.
std::string slowed_address(std::string_view remote_address);

}  // namespace gateway::http
