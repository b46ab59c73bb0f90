// How many connections may be open, in all and from one address. At a limit, a new connection replaces an open one,
// chosen in this order: the oldest that has not begun its handshake within 250 ms; the oldest whose handshake is not
// complete after 2 s; the one that has been idle longest; the oldest before the end of its handshake. A connection with
// a request under way is never ended. At an address's limit only connections from that address are replaced.
// Concurrency: any thread.
#pragma once

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/intrusive/list.hpp>

namespace gateway::http {

/// The unit that is counted as one address: an IPv4 address, or the first 64 bits of an IPv6 address. A Unix socket has
/// none.
using address_key = std::array<unsigned char, 8>;
std::optional<address_key> key_of(const sockaddr_storage& peer);

class connection_home;
class connection_limits;
class session_record;

/// An admitted connection, as the limits see it.
class counted_connection : public std::enable_shared_from_this<counted_connection> {
 public:
  using clock = std::chrono::steady_clock;

  /// Called by its session with each request, so it costs only an atomic store.
  void set_idle(clock::time_point since) noexcept {
    idle_since_.store(since.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void set_busy() noexcept { idle_since_.store(busy, std::memory_order_relaxed); }
  bool is_idle() const noexcept { return idle_since_.load(std::memory_order_relaxed) != busy; }

  /// Its session, while it has one. On the session's thread only.
  session_record* session = nullptr;

 private:
  friend connection_limits;
  using hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  static constexpr clock::rep busy = 0;

  enum class stage : unsigned char { silent, speaking, open };

  std::atomic<clock::rep> idle_since_{busy};
  const clock::time_point accepted_at_ = clock::now();
  // Under the lock of the limits:
  hook among_all_, at_address_;
  std::optional<address_key> address_;
  stage stage_ = stage::silent;
  bool is_leaving_ = false;  ///< it was asked to close
  connection_home* home_ = nullptr;
};

/// The thread that a connection's session runs on.
class connection_home {
 public:
  virtual ~connection_home() = default;
  /// Any thread: asks the connection to close. It closes, or connection_limits::stays() is called for it.
  virtual void ask_to_leave(std::shared_ptr<counted_connection> which, connection_limits& limits) = 0;
};

class connection_limits {
 public:
  connection_limits(std::size_t in_all, std::size_t per_address) : most_(in_all), most_per_address_(per_address) {}
  connection_limits(const connection_limits&) = delete;
  connection_limits& operator=(const connection_limits&) = delete;

  /// At most this many connections may be closing at a time, in all and from one address. Only they may exceed the
  /// limits.
  static constexpr std::size_t most_leaving = 64;
  /// A handshake that has begun may take this long before its connection can be replaced. Otherwise a flood of
  /// connections that send nothing would end everyone else's handshakes.
  static constexpr std::chrono::seconds handshake_patience{2};
  /// A new connection has this long to send its first bytes before it makes room: otherwise clients that connect at the
  /// same moment would close one another's connections.
  static constexpr std::chrono::milliseconds silence_patience{250};

  /// An admitted connection. Counts as open until this is destroyed.
  class admission {
   public:
    admission(admission&&) noexcept = default;
    admission& operator=(admission&&) = delete;
    ~admission() {
      if (what_) limits_->leave(*what_);
    }

    counted_connection& connection() const noexcept { return *what_; }
    /// From now on counts the connection under an address that became known late (from a PROXY header). False if that
    /// address is at its limit.
    bool count_at(const std::optional<address_key>& address);
    /// The client's first bytes have arrived.
    void speaks() { limits_->move_on(*what_, counted_connection::stage::speaking); }
    /// The handshake is complete.
    void opened() { limits_->move_on(*what_, counted_connection::stage::open); }
    /// It was asked to close, but has a request now.
    void stays() { limits_->stays(*what_); }

   private:
    friend connection_limits;
    admission(connection_limits* limits, std::shared_ptr<counted_connection> what)
        : limits_(limits), what_(std::move(what)) {}
    connection_limits* limits_;
    std::shared_ptr<counted_connection> what_;
  };

  /// Nothing if a limit is reached and no connection can be replaced.
  std::optional<admission> admit(const std::optional<address_key>& address, connection_home& home);
  void stays(counted_connection& which);
  std::size_t open() const;

 private:
  struct hash {
    std::size_t operator()(const address_key& key) const noexcept {
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(key.data()), key.size()});
    }
  };
  template <auto Hook>
  using list = boost::intrusive::list<counted_connection,
                                      boost::intrusive::member_hook<counted_connection, counted_connection::hook, Hook>,
                                      boost::intrusive::constant_time_size<false>>;
  using all_list = list<&counted_connection::among_all_>;
  using address_list = list<&counted_connection::at_address_>;
  struct from_address {
    std::size_t open = 0;
    std::size_t leaving = 0;
    address_list all;  ///< oldest first
  };

  void move_on(counted_connection& which, counted_connection::stage to);
  void leave(counted_connection& which);
  // With the lock held:
  bool make_room_at(const address_key& address);
  bool make_room();
  all_list& those_at(counted_connection::stage stage) noexcept { return at_stage_[static_cast<std::size_t>(stage)]; }
  void ask_to_leave(counted_connection& which);
  void enter(counted_connection& which, const address_key& address);
  /// `than` may be null. A busy connection is not idle.
  static bool is_idle_longer(const counted_connection& which, const counted_connection* than);
  /// Which of three closes; each may be null.
  static counted_connection* first_to_leave(counted_connection* silent, counted_connection* speaking,
                                            counted_connection* idle);
  void no_longer_leaving(counted_connection& which);

  const std::size_t most_;
  const std::size_t most_per_address_;
  mutable std::mutex mutex_;
  std::size_t open_ = 0;
  std::size_t leaving_ = 0;
  std::array<all_list, 3> at_stage_;  ///< those that have not been asked to leave
  std::unordered_map<address_key, from_address, hash> by_address_;
};

}  // namespace gateway::http
